"""What the sites in the box answer: HTML pages, sitemaps, robots.txt, access logs."""

from __future__ import annotations

import gzip
import html
import re
import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import blake2b
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from .pages import Page, Site, Sitemap, date_of

WORDS = (
    "kettle tea water leaf cup pot steam harvest garden spring summer autumn winter mountain river "
    "market paper letter wooden copper silver green black white oolong roast dry pour warm cold "
    "morning evening table window sugar lemon honey ginger mint almond bread butter salt pepper"
).split()
XML = "application/xml"
HTML = "text/html; charset=utf-8"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
EXTENSIONS = {
    "image:": ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
    "video:": ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
    "xhtml:": ' xmlns:xhtml="http://www.w3.org/1999/xhtml"',
}
SOFT_404 = (
    '<!doctype html><html lang="en"><head><title>No such product</title></head><body><main>'
    "<h1>No such product</h1><p>We do not have what you asked for. Try the search.</p></main>"
    "</body></html>"
)
NO_SUCH_PAGE = "<!doctype html><title>Not found</title><h1>Not found</h1>"
SOFT_404_FOLDER = "/products/"
"""The folder of the shop in which unknown URLs answer 200 with an error page."""


class Answer(NamedTuple):
    """A response: status, headers in order, body, and how it is served."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    serve: str = ""
    first: int | str = 0


def answer(site: Site, target: str, origin: str) -> Answer:
    """Return the answer of a site to GET.

    Args:
        site: The site.
        target: Path and query of the request.
        origin: Scheme, host and port at which the site is served.
    """
    path = target.partition("?")[0]
    if path == "/robots.txt":
        return _text(robots_txt(site, origin), "text/plain")
    if path == "/llms.txt" and any(page.in_llms_txt for page in site.pages.values()):
        return _text(llms_txt(site, origin), "text/plain")
    if path == "/sitemap.xml":
        return _text(index_xml(site, origin), XML)
    if path in site.sitemaps:
        return _sitemap(site, site.sitemaps[path], origin)
    page = site.pages.get(path) or site.pages.get(path.removesuffix("index.html"))
    if page is None:
        return _unknown(site, path, origin)
    return _page(site, page, origin)


def robots_txt(site: Site, origin: str) -> str:
    """Return the robots.txt of a site, which names the index, and sitemaps beside it."""
    paths = [sitemap.path for sitemap in site.sitemaps.values() if sitemap.in_robots]
    lines = [f"Sitemap: {origin}{path}\n" for path in ("/sitemap.xml", *paths)]
    return f"User-agent: *\nDisallow: /private/\n\n{''.join(lines)}"


def llms_txt(site: Site, origin: str) -> str:
    """Return the llms.txt of a site."""
    links = "".join(
        f"- [{page.title or page.path}]({origin}{as_requested(page.path)})\n"
        for page in site.pages.values()
        if page.in_llms_txt
    )
    return f"# The {site.name}\n\n## Pages\n\n{links}"


def index_xml(site: Site, origin: str) -> str:
    """Return the sitemap index, which lists every sitemap of the site."""
    rows = "".join(
        f"  <sitemap><loc>{origin}{sitemap.path}</loc>"
        f"<lastmod>{_newest(site, sitemap)}</lastmod></sitemap>\n"
        for sitemap in site.sitemaps.values()
        if sitemap.in_index
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NAMESPACE}>\n{rows}</sitemapindex>'
    )


def sitemap_xml(site: Site, sitemap: Sitemap, origin: str) -> str:
    """Return a sitemap: the listed pages of its section."""
    rows = "".join(_entry(page, origin) for page in site.pages_of(sitemap.section) if page.listed)
    used = "".join(text for prefix, text in EXTENSIONS.items() if f"<{prefix}" in rows)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}{used}>\n{rows}</urlset>'


def access_log(site: Site) -> str:
    """Return an access log in the combined format, with every plain page and those with visits."""
    lines = []
    moment = datetime(2026, 11, 20, 10, tzinfo=UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    for page in site.pages.values():
        is_plain = page.status == 200 and page.listed and page.linked
        lines += [
            f"192.0.2.{number % 200 + 1} - - [{moment}] "
            f'"GET {page.path} HTTP/1.1" {page.status} 1234 "-" "{agent}"\n'
            for number in range(page.visits or is_plain)
        ]
    return "".join(lines)


def _newest(site: Site, sitemap: Sitemap) -> str:
    return max(_lastmod(page) for page in site.pages_of(sitemap.section) if page.listed)


def _lastmod(page: Page) -> str:
    return date_of(page.path) if page.lastmod == "default" else page.lastmod


def _entry(page: Page, origin: str) -> str:
    lines = [f"    <loc>{_absolute(page.path, origin)}</loc>"]
    date = _lastmod(page)
    if date:
        lines.append(f"    <lastmod>{date}</lastmod>")
    lines += [
        f'    <xhtml:link rel="alternate" hreflang="{language}" href="{_absolute(path, origin)}"/>'
        for language, path in page.listed_alternates.items()
    ]
    lines += [
        f"    <image:image><image:loc>{_absolute(path, origin)}</image:loc></image:image>"
        for path in page.images
    ]
    lines += [
        f"    <video:video><video:thumbnail_loc>{_absolute(path, origin)}</video:thumbnail_loc>"
        f"<video:title>How to boil water</video:title>"
        f"<video:description>A film about a kettle and its water.</video:description>"
        f"<video:content_loc>{origin}/images/film.mp4</video:content_loc></video:video>"
        for path in page.videos
    ]
    return "  <url>\n" + "\n".join(lines) + "\n  </url>\n"


def _absolute(path: str, origin: str) -> str:
    url = path if "://" in path else origin + path
    return html.escape(url.replace("{port}", origin.rpartition(":")[2]), quote=True)


def _sitemap(site: Site, sitemap: Sitemap, origin: str) -> Answer:
    body = sitemap_xml(site, sitemap, origin).encode()
    headers = {"Content-Type": XML} | dict(sitemap.headers)
    if sitemap.location:
        headers["Location"] = origin + sitemap.location
    if sitemap.serve.startswith("gzip"):
        body = gzip.compress(body, mtime=0)
        headers["Content-Type"] = "application/gzip"
    if sitemap.serve == "gzip-encoded":
        headers["Content-Encoding"] = "gzip"
    if sitemap.serve == "html":
        return _text(NO_SUCH_PAGE, HTML)
    if sitemap.serve != "no-validators":
        headers["ETag"] = _tag(body)
    return Answer(sitemap.status, tuple(headers.items()), body, sitemap.serve, sitemap.first)


def _unknown(site: Site, path: str, origin: str) -> Answer:
    slashed = site.pages.get(f"{path}/")
    if slashed is not None:
        moved = (("Location", f"{origin}{path}/"), ("Content-Type", HTML))
        return Answer(301, moved, b"")
    unslashed = site.pages.get(path.removesuffix("/"))
    if unslashed is not None:
        return _page(site, unslashed, origin)
    if site.name == "shop" and path.startswith(SOFT_404_FOLDER):
        return _text(SOFT_404, HTML)
    return _text(NO_SUCH_PAGE, HTML, 404)


def _text(text: str, kind: str, status: int = 200) -> Answer:
    body = text.encode()
    return Answer(status, (("Content-Type", kind), ("ETag", _tag(body))), body)


def _tag(body: bytes) -> str:
    return f'"{blake2b(body, digest_size=8).hexdigest()}"'


def _page(site: Site, page: Page, origin: str) -> Answer:
    if page.serve == "soft-404":
        return _text(SOFT_404, HTML)
    if page.serve == "image":
        return Answer(200, (("Content-Type", "image/png"),), _png(page.path))
    text = page.content or page.body_only or _html(site, page, origin)
    body = text.encode()
    headers = {"Content-Type": HTML} | {
        name: value.replace("{origin}", origin) for name, value in page.headers.items()
    }
    if not headers["Content-Type"]:
        del headers["Content-Type"]
    if page.location:
        headers["Location"] = _absolute(page.location, origin)
    if page.status == 200:
        headers["ETag"] = _tag(body)
        if page.last_modified == "now":
            headers["Last-Modified"] = format_datetime(datetime.now(UTC), usegmt=True)
        elif page.modified:
            moment = datetime.fromisoformat(_modified(page)).astimezone(UTC)
            headers["Last-Modified"] = format_datetime(moment, usegmt=True)
    return Answer(page.status, tuple(headers.items()), body, page.serve, page.first)


def _modified(page: Page) -> str:
    return date_of(page.path) if page.modified == "default" else page.modified


def _html(site: Site, page: Page, origin: str) -> str:
    """Return a page: the home page, that of a section with its links, or a plain one."""
    words = Random(page.content_of or page.path)
    title = html.escape(page.title or " ".join(words.sample(WORDS, 4)).capitalize())
    head = [f'<meta charset="utf-8"><title>{title}</title>']
    canonical = page.path if page.canonical is None else page.canonical
    if canonical:
        head.append(f'<link rel="canonical" href="{_absolute(canonical, origin)}">')
    if page.robots:
        head.append(f'<meta name="robots" content="{page.robots}">')
    if page.modified:
        head.append(f'<meta property="article:modified_time" content="{_modified(page)}">')
    head += [
        f'<link rel="alternate" hreflang="{language}" href="{_absolute(path, origin)}">'
        for language, path in page.alternates.items()
    ]
    head.append(page.head.replace("{origin}", origin))
    menu = "".join(f'<a href="{section}">{section}</a> ' for section in site.sections)
    nav = f'<nav><a href="{page.section}">Back</a> {menu}</nav>' if page.path != "/" else ""
    main = "\n".join(_main(site, page, words))
    return (
        f'<!doctype html>\n<html lang="{page.language}">\n<head>\n'
        + "\n".join(head)
        + f"\n</head>\n<body>\n{nav}\n<main>\n<h1>{title}</h1>\n{main}\n</main>\n</body>\n</html>\n"
    )


def _main(site: Site, page: Page, words: Random) -> Iterator[str]:
    for _ in range(3):
        yield f"<p>{' '.join(words.choices(WORDS, k=40)).capitalize()}.</p>"
    if page.path == "/":
        sections = dict.fromkeys(other.section for other in site.pages.values())
        yield from (_link(path, path) for path in sections if path in site.pages)
    elif page.path in site.sections:
        for other in site.pages_of(page.path):
            if other.linked:
                yield _link(other.linked_as or other.path, other.path, other.rel)
    if page.many_links:
        paths = [other.path for other in site.pages_of(page.section) if other.linked]
        yield from (_link(words.choice(paths), "a page") for _ in range(page.many_links))
    if page.filler:
        yield f"<p>{' '.join(words.choices(WORDS, k=page.filler // 6))}</p>"
    yield page.body


def _link(href: str, text: str, rel: str = "") -> str:
    attribute = f' rel="{rel}"' if rel else ""
    return f'<p><a href="{html.escape(href)}"{attribute}>{html.escape(text)}</a></p>'


def _png(path: str) -> bytes:
    """Return a white image of the size that its name states, such as 40x20; else of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    found = re.search(r"(\d+)x(\d+)", path)
    width, height = (int(found[1]), int(found[2])) if found else (1, 1)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\x00" + b"\xff" * width) * height)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def as_requested(path: str) -> str:
    """Return a path as a client sends it, with everything outside ASCII encoded.

    >>> as_requested("/café/%7Ea/")
    '/caf%C3%A9/%7Ea/'
    """
    return quote(path, safe="/%:?#[]@!$&'()*+,;=~-._")


_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")


def key_of(path: str) -> str:
    """Return the form of a path that all its spellings share.

    >>> key_of("/%7Ea%2fb") == key_of("/~a%2Fb")
    True
    """

    def escape(found: re.Match[str]) -> str:
        character = chr(int(found[1], 16))
        is_unreserved = character.isascii() and (character.isalnum() or character in "-._~")
        return character if is_unreserved else f"%{found[1].upper()}"

    return _ESCAPE.sub(escape, as_requested(path))

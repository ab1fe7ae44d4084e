# ruff: noqa: E501 - shapes are in rows
"""Hostile bytes of every source, and the readers that get them.

``python -P -m tests.hostile.attacks GROUP`` reads each attack of a group in two sizes, in a process
of its own with a limit of CPU time and memory, and prints the failures as JSON.
"""

from __future__ import annotations

import gzip
import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import NamedTuple

from tests.forks import forked
from tests.hostile.shapes import HTML, LLMS_TXT, ROBOTS, SITEMAP

SIZES = (65_536, 1_048_576)
CHECK_SIZES = (16_384, 262_144)
"""Of the groups ``CHECKED``, whose readers fill tables: most of their time is that of one byte."""

CHECKED = ("sitemaps", "files", "shapes of sitemaps")

MAX_RATIO = 40
"""Of the CPU times beyond that of one byte: 16 is linear, 256 is quadratic."""

UNNOTICEABLE_S = 0.6
ROUNDS = 3
LIMIT_S = 30
IMPORTED = "html.facts html.links robots checker reader sources config live.visits.page_record"
MAX_MEMORY = 4 << 30

Make = Callable[[int], bytes]


class Attack(NamedTuple):
    """Document or header of a stranger: ``make`` returns it in a size in bytes."""

    name: str
    read: Callable[[bytes], None]
    make: Make


def shape(first: str, repeated: str, last: str = "") -> Make:
    """Return a maker of text in which a part is repeated; ``{n}`` in it is its number."""

    def make(size: int) -> bytes:
        count = max(1, size // len(repeated))
        if "{n}" in repeated:
            middle = "".join(repeated.replace("{n}", str(n)) for n in range(count))
        else:
            middle = repeated * count
        return (first + middle + last).encode()

    return make


def html(data: bytes) -> None:
    from urlset.html import read_visited_page
    from urlset.html.facts import WANTS, read_page
    from urlset.html.links import sitemaps_and_feeds_in_page

    url = "https://example.com/"
    read_page(data, url, wants=(*WANTS, "links"))
    read_visited_page(data, url, url.rstrip("/"), str, has_links=True)
    sitemaps_and_feeds_in_page(data, url)


def header(name: str, data: bytes) -> None:
    from urlset.html.links import sitemaps_and_feeds_in_header
    from urlset.http import Request, Response
    from urlset.live.visits.page_record import read_record
    from urlset.live.visits.page_urls import UrlResolver

    headers = {"content-type": "text/html", name: data.decode()}
    url = "https://example.com/"
    body = b"<title>a</title><p>b"
    read_record(Response(Request(url), url, 200, headers, body, len(body), True), UrlResolver())
    sitemaps_and_feeds_in_header(headers.get("link"), url)


def retry_after(data: bytes) -> None:
    from urlset.http.retry import retry_after_s

    retry_after_s(data.decode())


def charset(data: bytes) -> None:
    from urlset.formats.encoding import charset_of, codec_of

    codec_of(charset_of(data.decode()))


def document(data: bytes) -> None:
    import urlset

    list(urlset.check(data))
    list(urlset.read(data))


def llms_txt(data: bytes) -> None:
    from urlset.live.audit.probes import llms_txt_links

    list(llms_txt_links(data))


def guessed(data: bytes) -> None:
    """Read a document that was found, so that its content decides what it is."""
    import urlset
    from urlset.reader.documents import rejection_reason

    rejection_reason(urlset.parse(data))


def check(data: bytes) -> None:
    import urlset

    list(urlset.check(data))


def robots_txt(data: bytes) -> None:
    from urlset.robots import read_robots

    robots = read_robots(data, "https://example.com/robots.txt")
    robots.allows("https://example.com/" + "a" * 1_000)
    robots.crawl_delay_s()


def table(suffix: str, data: bytes) -> None:
    import tempfile

    from urlset.errors import UrlsetError
    from urlset.sources import open_source

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a{suffix}"
        with open(path, "wb") as file:
            file.write(data)
        with suppress(UrlsetError):
            list(open_source(path).batches())


def configuration(data: bytes) -> None:
    import tempfile
    from pathlib import Path

    from urlset.config import load_config
    from urlset.errors import ConfigurationError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "urlset.toml")
        path.write_bytes(data)
        with suppress(ConfigurationError):
            assert load_config(path).check is not None


def baseline(data: bytes) -> None:
    import tempfile
    from pathlib import Path

    from urlset.checker.baseline import Baseline
    from urlset.errors import ConfigurationError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "baseline.json")
        path.write_bytes(data)
        with suppress(ConfigurationError):
            Baseline.read(path)


ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
XHTML = 'xmlns:x="http://www.w3.org/1999/xhtml"'
LOC = f"{ROOT}<url><loc>https://e.com/"
END = "</loc></url></urlset>"
GZ = gzip.compress(b"https://e.com/\n")
LINE = '1.1.1.1 - - [01/Jan/2020:00:00:00 +0000] "GET /'
link, robots, kind = (partial(header, n) for n in ("link", "x-robots-tag", "content-type"))
csv, jsonl, array, log = (partial(table, s) for s in (".csv", ".jsonl", ".json", ".log"))

GROUPS: dict[str, list[Attack]] = {
    "headers": [
        Attack("Link canonical", link, shape("", "<a>; rel=canonical, ")),
        Attack("Link without an end", link, shape("", "<a")),
        Attack("Link escaped quotes", link, shape('<a>; title="', '\\"')),
        Attack("Link parameters", link, shape("<a>", "; a=b")),
        Attack("Link semicolons", link, shape("<a>", ";")),
        Attack("Link blanks", link, shape("<a>", " ", "x")),
        Attack("Link alternates", link, shape("", '<a{n}>; rel="alternate"; hreflang="a{n}",')),
        Attack("X-Robots-Tag agents", robots, shape("", "a{n}: noindex, ")),
        Attack("X-Robots-Tag colons", robots, shape("", ":")),
        Attack("X-Robots-Tag dates", robots, shape("", "unavailable_after: 1 Jan 2020, ")),
        Attack("X-Robots-Tag digits", robots, shape("unavailable_after: ", "1")),
        Attack("X-Robots-Tag blanks", robots, shape("noindex", " ", "x")),
        Attack("Content-Usage", partial(header, "content-usage"), shape("", "train-ai=n, ")),
        Attack("Content-Type parameters", kind, shape("text/html", "; a=b")),
        Attack("Content-Type quotes", kind, shape('text/html; charset="', '\\"')),
        Attack("charset blanks", charset, shape("text/html; charset=", " ", "x")),
        Attack("charset of a long name", charset, shape("text/html; charset=", "a-", "x")),
        Attack("Last-Modified comments", partial(header, "last-modified"), shape("Mon, 1 Jan ", "(")),
        Attack("Retry-After digits", retry_after, shape("", "1")),
        Attack("Retry-After comments", retry_after, shape("Mon, 1 Jan 2020 ", "(")),
        Attack("Retry-After quotes", retry_after, shape("", '"')),
        Attack("Retry-After colons", retry_after, shape("1 Jan 2020 ", "1:")),
        Attack("Retry-After zone", retry_after, shape("Mon, 1 Jan 2020 1:1:1 +", "1")),
        Attack("Retry-After Arabic digits", retry_after, shape("Mon, ١ Jan ٢٠٢٠ ", "٣")),
    ],
    "pages": [
        Attack("base of many folders", html, lambda n: b'<base href="https://a/' + b"a/" * (n // 4) + b'">' + b"<a href=x>y</a>" * (n // 40)),
        Attack("canonical of dots", html, shape('<link rel=canonical href="https://e.com/', "a/../", '">')),
        Attack("canonical of logins", html, shape('<link rel=canonical href="https://', "@", 'e.com/">')),
        Attack("canonical of IDN labels", html, shape('<link rel=canonical href="https://', "é.", '/">')),
        Attack("canonical of a port", html, shape('<link rel=canonical href="https://e.com:', "1", '/">')),
        Attack("link of a port", html, shape('<a href="https://e.com:', "1", '/">x</a>')),
        Attack("SVG", html, shape("", "<svg><g>")),
        Attack("tables", html, shape("", "<table><a>")),
        Attack("formatting", html, shape("", "<a><b><i><u>", "</a>" * 1_000)),
        Attack("misnested", html, shape("", "<b><div></b>")),
        Attack("nobr", html, shape("", "<nobr>")),
        Attack("selects", html, shape("", "<select><option>")),
        Attack("templates", html, shape("", "<template>")),
        Attack("DOCTYPE", html, shape("", "<!DOCTYPE ", ">")),
        Attack("instructions", html, shape("", "<?", ">")),
        Attack("JSON-LD graphs", html, shape("<script type=application/ld+json>", '{"@graph":', "</script>")),
        Attack("JSON-LD scripts", html, shape("", '<script type=application/ld+json>{"dateModified":"2020"}</script>')),
        Attack("JSON-LD exponents", html, shape("<script type=application/ld+json>[", "1e999999999,", "1]</script>")),
        Attack("JSON-LD date of digits", html, shape('<script type=application/ld+json>{"@type":"WebPage","dateModified":"', "1", '"}</script>')),
        Attack("times of Arabic digits", html, shape("<p>", '<time datetime="٢٠٢٠-٠١-٠١">')),
        Attack("microdata", html, shape("", "<div itemscope itemtype=x><meta itemprop=dateModified content=2020>")),
        Attack("pictures", html, shape("", '<picture><source srcset="a 1x, b 2x"><img src=c>')),
        Attack("NFKC", html, shape("<p>a", "\ufdfa")),
        Attack("UTF-7", html, lambda n: b"<meta charset=utf-7>" + b"+AGE-" * (n // 5)),
        Attack("ISO-2022-JP", html, lambda n: b"<meta charset=iso-2022-jp>" + b"\x1b$B" * (n // 3)),
        Attack("cut UTF-8", html, lambda n: b"<p>" + b"\xf0\x9f" * (n // 2)),
    ],
    "sitemaps": [
        Attack("entities", document, shape("<!DOCTYPE a [", '<!ENTITY a{n} "b">', f"]>{ROOT}</urlset>")),
        Attack("CDATA", document, shape(LOC, "<![CDATA[a]]>", END)),
        Attack("brackets of CDATA", document, shape(f"{ROOT}<url><loc><![CDATA[https://e.com/", "]]", END)),
        Attack("style sheets", document, shape("", '<?xml-stylesheet href="a"?>', f"{ROOT}</urlset>")),
        Attack("nested namespaces", document, shape("", '<a xmlns="b">')),
        Attack("nested prefixes", document, shape("<urlset>", '<a{n}:url xmlns:a{n}="http://www.sitemaps.org/schemas/sitemap/0.9">')),
        Attack("wrong ends", document, lambda n: f"{ROOT}<url>{'<a>' * (n // 8)}{'</b>' * (n // 8)}</url></urlset>".encode()),
        Attack("locs of one URL", document, shape(f"{ROOT}<url>", "<loc>https://e.com/{n}</loc>", "</url></urlset>")),
        Attack("one alternate many times", document, shape(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" {XHTML}>', '<url><loc>https://e.com/</loc><x:link rel="alternate" hreflang="en" href="https://e.com/"/></url>', "</urlset>")),
        Attack("one target of alternates", document, shape(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" {XHTML}>', '<url><loc>https://e.com/{n}</loc><x:link rel="alternate" hreflang="en" href="https://e.com/"/></url>', "</urlset>")),
        Attack("one URL", document, shape(ROOT, "<url><loc>https://e.com/</loc></url>", "</urlset>")),
        Attack("hosts", document, shape(ROOT, "<url><loc>https://e{n}.com/</loc></url>", "</urlset>")),
        Attack("dots", document, shape(LOC, "../", END)),
        Attack("parameters", document, shape(f"{LOC}?", "a=b&amp;", END)),
        Attack("host of labels", document, shape(f"{ROOT}<url><loc>https://", "a.", f"/{END}")),
        Attack("port", document, shape(f"{ROOT}<url><loc>https://e.com:", "1", f"/{END}")),
        Attack("port of a child", document, shape(f"{INDEX}<sitemap><loc>https://e.com:", "1", "/a.xml</loc></sitemap></sitemapindex>")),
        Attack("one child", document, shape(INDEX, "<sitemap><loc>https://e.com/.xml</loc></sitemap>", "</sitemapindex>")),
        Attack("children", document, shape(INDEX, "<sitemap><loc>https://e.com/{n}.xml</loc></sitemap>", "</sitemapindex>")),
        Attack("links of Atom", document, shape('<feed xmlns="http://www.w3.org/2005/Atom"><entry>', '<link href="/{n}"/>', "</entry></feed>")),
        Attack("nested xml:base", document, shape('<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://e.com/">', '<entry xml:base="a/"><link href="/{n}"/>', "</feed>")),
        Attack("OPML", document, shape("<opml><body>", '<outline xmlUrl="https://e.com/{n}">', "</body></opml>")),
        Attack("lines of a list", document, shape("", "https://e.com/{n}\u2028")),
        Attack("byte order marks", document, shape("", "\ufeff", "https://e.com/\n")),
        Attack("lone surrogates of UTF-16", document, lambda n: b"\xff\xfe" + "<urlset><url><loc>https://e.com/".encode("utf-16-le") + b"\x00\xd8" * (n // 2)),
        Attack("UTF-32", document, lambda n: "<urlset>".encode("utf-32") + b"\xff\xff\xff\xff" * (n // 4)),
        Attack("declared punycode", document, lambda n: b'<?xml version="1.0" encoding="punycode"?><urlset><url><loc>https://e.com/' + b"a-" * (n // 2) + END.encode()),
        Attack("declared unicode_escape", document, lambda n: b'<?xml version="1.0" encoding="unicode_escape"?><urlset><url><loc>' + b"\\N{" * (n // 3) + END.encode()),
        Attack("gzip members", document, lambda n: GZ * (n // len(GZ))),
        Attack("gzip empty members", document, lambda n: gzip.compress(b"") * (n // 20)),
        Attack("gzip garbage", document, lambda n: GZ + b"\x1f\x8b\x08\0\0\0\0\0\0\0" * (n // 10)),
        Attack("gzip name", document, lambda n: b"\x1f\x8b\x08\x08\0\0\0\0\0\0" + b"a" * n),
        Attack("gzip nested", document, lambda n: reduce(lambda data, _: gzip.compress(data), range(n // 2_000), GZ)),
        Attack("ZIP", document, lambda n: b"PK\x03\x04" * (n // 4)),
        Attack("warnings before the root", document, shape("", "<br />\n<b>Warning</b>: a\n", f"{ROOT}</urlset>")),
        Attack("elements around the root", guessed, lambda n: b"".join(b"<a%d>" % i for i in range(n // 130)) + (ROOT + "<url><loc>https://e.com/a</loc></url>" * (n // 40) + "</urlset>").encode()),
    ],
    "files": [
        Attack("columns of CSV", csv, lambda n: ",".join(f"c{i}" for i in range(n // 7)).encode() + b",loc\nhttps://e.com/\n"),
        Attack("one column of CSV", csv, lambda n: b"loc" + b",loc" * (n // 4) + b"\nhttps://e.com/\n"),
        Attack("quotes of CSV", csv, lambda n: b'loc,lastmod\n"' + b'""' * (n // 2)),
        Attack("date of digits", csv, shape("loc,lastmod\nhttps://e.com/,", "9", "\n")),
        Attack("dates of Arabic digits", csv, shape("loc,lastmod\n", "https://e.com/{n},٢٠٢٠-٠١-٠١\n")),
        Attack("nested JSON", jsonl, shape('{"loc":"https://e.com/","x":', "[", "\n")),
        Attack("digits of JSON", jsonl, shape('{"loc":"https://e.com/","priority":', "1", "}\n")),
        Attack("keys of JSON", jsonl, lambda n: b'{"loc":"https://e.com/",' + ",".join(f'"k{i}":1' for i in range(n // 12)).encode() + b"}\n"),
        Attack("array of JSON", array, shape("", "[")),
        Attack("digits of an array", array, shape('[{"loc":"https://e.com/","priority":', "1", "}]")),
        Attack("URL of a log", log, shape(LINE, "a/", ' HTTP/1.1" 200 1\n')),
        Attack("percent signs of a log", log, shape(LINE, "%41", ' HTTP/1.1" 200 1\n')),
        Attack("quotes of a log", log, shape(f'{LINE} HTTP/1.1" 200 1 "', '\\"', "\n")),
        Attack("brackets of a log", log, shape("1.1.1.1 - - [", "[", "\n")),
        Attack("nested JSON of a log", log, shape("", '{"request":', "\n")),
        Attack("parts of a key", configuration, shape("[check]\n", "a.", "b = 1")),
        Attack("parts of a table", configuration, shape("[", "a .\t", "b]")),
        Attack("quoted parts of a key", configuration, shape("", '"a".', "b = 1")),
        Attack("digits of a number", configuration, shape("[check]\nmax-examples = ", "1")),
        Attack("message of a rule", configuration, shape('[[check.rules]]\nname = "a"\nview = "urls"\nwhere = "true"\nmessage = "', "{loc}", '"\n')),
        Attack("rules", configuration, shape("", '[[check.rules]]\nname = "a{n}"\nmessage = "x"\nview = "urls"\nwhere = "true"\n')),
        Attack("nested baseline", baseline, shape('{"urlset_baseline": 1, "findings": ', "[")),
        Attack("digits of a baseline", baseline, shape('{"urlset_baseline": 1, "findings": [["U001", "a", "b", ', "1", "]]}")),
        Attack("text of digits of a baseline", baseline, shape('{"urlset_baseline": 1, "counted": [["U001", "a", "', "1", '"]], "findings": []}')),
    ],
}  # fmt: skip


GROUPS |= {
    f"shapes of {kind}": [Attack(name, read, shape(*parts)) for name, parts in shapes.items()]
    for kind, read, shapes in (
        ("pages", html, HTML),
        ("robots.txt", robots_txt, ROBOTS),
        ("sitemaps", check, SITEMAP),
        ("llms.txt", llms_txt, LLMS_TXT),
    )
}


def measure(attack: Attack, documents: Sequence[bytes]) -> list[float] | str:
    """Return the CPU times of an attack in a process of its own, or how it failed.

    Args:
        attack: The attack.
        documents: What it reads, one after the other.
    """
    import resource

    reader, writer = os.pipe()
    child = forked(os.fork)
    if child == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        with suppress(Exception):
            attack.read(b"a")  # imports what it needs
        size = 0
        try:
            times = []
            for document in documents:
                size = len(document)
                begin = time.process_time()
                attack.read(document)
                times.append(time.process_time() - begin)
            answer = json.dumps(times)
        except BaseException as error:  # noqa: BLE001 - it is the answer
            text = "".join(traceback.format_exception_only(error)).strip()
            answer = json.dumps(f"{size:,} bytes: {text[:300]}")
        os.write(writer, answer.encode(errors="replace"))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        answer = file.read().decode()
    _, status = os.waitpid(child, 0)
    found: list[float] | str = json.loads(answer) if answer else f"ended by signal {status}"
    return found


def failure(attack: Attack, sizes: tuple[int, int] = SIZES) -> str | None:
    """Return what is wrong with the reading of an attack; None if nothing is.

    It counts if it is wrong each time: other work on the machine slows down some of the readings.
    """
    found = None
    for _ in range(ROUNDS):
        found = _failure(attack, sizes)
        if found is None:
            return None
    return found


def _failure(attack: Attack, sizes: tuple[int, int]) -> str | None:
    found = measure(attack, [attack.make(1), *map(attack.make, sizes)])
    if isinstance(found, str):
        return found
    base, small, large = found
    if large - base > max(UNNOTICEABLE_S, MAX_RATIO * (small - base)):
        return f"{base:.3f} s, {small:.3f} s and {large:.3f} s of CPU time"
    return None


def main(group: str) -> None:
    import urlset

    urlset.parse(b"")  # what is imported here is not imported in each process
    for name in IMPORTED.split():
        importlib.import_module(f"urlset.{name}")
    sizes = CHECK_SIZES if group in CHECKED else SIZES
    found = {attack.name: failure(attack, sizes) for attack in GROUPS[group]}
    failed = {name: text for name, text in found.items() if text is not None}
    sys.stdout.write(json.dumps(failed) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Valid but unusual inputs that a rule must not report, as documents for tests and rule pages.

Each line of ``silent_inputs.txt`` has the code of a rule, the reason why the input is valid, and
the input; ``⏎`` is a line end. A table, after its name in brackets, holds inputs for one place:
the ``loc`` of an entry, its ``lastmod``, the ``hreflang`` of a link and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import NamedTuple

from urlset.checker.examples import HOME, Example, entry
from urlset.protocol import SITEMAP_NS
from urlset.urls import split_origin


class Silent(NamedTuple):
    """Valid input with the rule that must not report it and the reason.

    ``text`` is the input alone, ``example`` its document. ``table`` is the kind of input; inputs of
    one kind that are entries can be checked in one document.
    """

    code: str
    why: str
    text: str
    example: Example
    table: str


def silent_for(code: str) -> list[Silent]:
    """Return the valid inputs of a rule.

    >>> silent_for("D003")[0].text
    '2013-01-27+01:00'
    """
    return [silent for silent in SILENT if silent.code == code]


def _loc(text: str, _number: int) -> str:
    return entry(text)


def _lastmod(text: str, number: int) -> str:
    return entry(f"{HOME}{number}", lastmod=text)


def _hreflang(text: str, number: int) -> str:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{tag}" href="{HOME}{number}{end}"/>'
        for tag, end in ((text, ""), ("x-default", "?home"))
    )
    return entry(f"{HOME}{number}", links) + entry(f"{HOME}{number}?home", links)


def _more(text: str, number: int) -> str:
    return entry(f"{HOME}{number}", text)


def _image(text: str, number: int) -> str:
    return _more(f"<image:image><image:loc>{text}</image:loc></image:image>", number)


def _video(text: str, number: int) -> str:
    video = {
        "thumbnail_loc": f"{HOME}{number}.jpg",
        "title": "Bread",
        "description": "How rye bread is made",
        "content_loc": f"{HOME}{number}.mp4",
    }
    name = text.removeprefix("<video:").partition(">")[0].partition(" ")[0]
    video.pop(name, None)
    fields = "".join(f"<video:{key}>{value}</video:{key}>" for key, value in video.items())
    return _more(f"<video:video>{fields}{text}</video:video>", number)


def _news(text: str, number: int) -> str:
    article = {
        "publication": "<news:name>The Example</news:name><news:language>en</news:language>",
        "publication_date": "2026-11-20T08:00:00Z",
        "title": "Bread",
    }
    name = text.removeprefix("<news:").partition(">")[0]
    article.pop(name, None)
    fields = "".join(f"<news:{key}>{value}</news:{key}>" for key, value in article.items())
    return _more(f"<news:news>{fields}{text}</news:news>", number)


def _rss(text: str, _number: int) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>News</title>'
        f"<link>{HOME}</link><description>All</description>\n<item><title>Bread</title>"
        f"<link>{HOME}bread</link>{text}</item>\n</channel></rss>\n"
    )


def _atom(text: str, _number: int) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>News</title><id>{HOME}</id><updated>2026-11-20T08:00:00Z</updated>\n"
        f"<entry><title>Bread</title><id>{HOME}bread</id>{text}</entry>\n</feed>\n"
    )


def _text(text: str, _number: int) -> dict[str, str]:
    return {"sitemap.txt": text.replace("⏎", "\n") + "\n"}


def _robots(text: str, _number: int) -> dict[str, str]:
    return {"robots.txt": text.replace("⏎", "\n") + "\n", "sitemap.xml": entry(HOME)}


def _markup(text: str, _number: int) -> str:
    entries = text if "<url" in text else entry(HOME)
    attributes = "" if "<url" in text else f" {text}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="{SITEMAP_NS}"{attributes}>\n{entries}\n</urlset>\n'
    )


def _document(text: str, _number: int) -> str:
    return text.replace("⏎", "\n")


def _site(text: str, _number: int) -> dict[str, str]:
    """Parse documents, ``name: content`` with ⏎⏎ between; ``loc@lastmod`` is an entry."""
    documents: dict[str, str] = {}
    for part in text.split("⏎⏎"):
        name, _, content = part.partition(": ")
        is_index = name.endswith("index.xml")
        documents[name] = (
            content.replace("⏎", "\n") + "\n"
            if name.endswith(".txt")
            else "".join(_row(word, is_index=is_index) for word in content.split())
        )
    return documents


def _cluster(text: str, _number: int) -> dict[str, str]:
    """Parse pages with hreflang links, written as ``loc: tag=href tag=href ; loc: …``."""
    entries = []
    for page in text.split(" ; "):
        loc, _, pairs = page.partition(": ")
        links = [pair.partition("=") for pair in pairs.split()]
        more = "".join(
            f'<xhtml:link rel="alternate" hreflang="{tag}" href="{href}"/>'
            for tag, _, href in links
        )
        entries.append(entry(loc, more))
    scheme, host, _ = split_origin(text)
    return {f"{scheme}://{host}/sitemap.xml": "".join(entries)}


def _row(word: str, *, is_index: bool) -> str:
    loc, _, lastmod = word.partition("@")
    lastmod = lastmod or "2026-11-20T08:00:00Z"
    if is_index:
        return f"<sitemap><loc>{loc}</loc><lastmod>{lastmod}</lastmod></sitemap>\n"
    return entry(loc, lastmod=lastmod)


_EXAMPLE_OF: dict[str, Callable[[str, int], Example]] = {
    "loc": _loc,
    "lastmod": _lastmod,
    "hreflang": _hreflang,
    "entry": _more,
    "image": _image,
    "video": _video,
    "news": _news,
    "rss": _rss,
    "atom": _atom,
    "text": _text,
    "robots": _robots,
    "markup": _markup,
    "document": _document,
    "site": _site,
    "cluster": _cluster,
}


_LINES = files("urlset.checker").joinpath("silent_inputs.txt").read_text("utf-8")


def _read() -> Iterator[Silent]:
    """Yield the inputs of all tables; each is numbered, so that their URLs differ."""
    table, number = "", 0
    for line in _LINES.split("\n"):
        if line.startswith("["):
            table = line.strip("[]")
        elif line:
            number += 1
            code, why, text = (cell.strip() for cell in line.split("|", 2))
            yield Silent(code, why, text, _EXAMPLE_OF[table](text, number), table)


SILENT: tuple[Silent, ...] = tuple(_read())
"""All inputs, in the order of the tables."""

"""Valid but unusual inputs that a rule must not report, as documents for tests and rule pages.

Each line of ``silent_inputs.txt`` has the code of a rule, the reason why the input is valid, and
the input; ``⏎`` is a line end. A table, after its name in brackets, holds inputs for one place:
the ``loc`` of an entry, its ``lastmod``, the ``hreflang`` of a link and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from typing import NamedTuple

from urlset.checker.examples import HOME, Example, entry, index_of, whole
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


def _alternates(links: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f'<xhtml:link rel="alternate" hreflang="{tag}" href="{href}"/>' for tag, href in links
    )


def _hreflang(text: str, number: int) -> str:
    loc = f"{HOME}{number}"
    links = _alternates([(text, loc), ("x-default", f"{loc}?home")])
    return entry(loc, links) + entry(f"{loc}?home", links)


def _extension(prefix: str, fields: dict[str, str], text: str, number: int) -> str:
    """Return an entry with an extension of these fields, except for the one that ``text`` has."""
    name = text.removeprefix(f"<{prefix}:").partition(">")[0].partition(" ")[0]
    others = "".join(
        f"<{prefix}:{key}>{value}</{prefix}:{key}>" for key, value in fields.items() if key != name
    )
    return entry(f"{HOME}{number}", f"<{prefix}:{prefix}>{others}{text}</{prefix}:{prefix}>")


def _video(text: str, number: int) -> str:
    fields = {
        "thumbnail_loc": f"{HOME}{number}.jpg",
        "title": "Bread",
        "description": "How rye bread is made",
        "content_loc": f"{HOME}{number}.mp4",
    }
    return _extension("video", fields, text, number)


def _news(text: str, number: int) -> str:
    fields = {
        "publication": "<news:name>The Example</news:name><news:language>en</news:language>",
        "publication_date": "2026-11-20T08:00:00Z",
        "title": "Bread",
    }
    return _extension("news", fields, text, number)


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


def _lines(text: str) -> str:
    return text.replace("⏎", "\n") + "\n"


def _markup(text: str, _number: int) -> str:
    return whole(text) if "<url" in text else whole(entry(HOME), attributes=f" {text}")


def _site(text: str, _number: int) -> dict[str, str]:
    """Parse documents, ``name: content`` with ⏎⏎ between; ``loc@lastmod`` is an entry."""
    documents: dict[str, str] = {}
    for part in text.split("⏎⏎"):
        name, _, content = part.partition(": ")
        is_index = name.endswith("index.xml")
        documents[name] = (
            _lines(content)
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
        entries.append(entry(loc, _alternates((tag, href) for tag, _, href in links)))
    scheme, host, _ = split_origin(text)
    return {f"{scheme}://{host}/sitemap.xml": "".join(entries)}


def _row(word: str, *, is_index: bool) -> str:
    loc, _, lastmod = word.partition("@")
    lastmod = lastmod or "2026-11-20T08:00:00Z"
    if is_index:
        return index_of(loc, lastmod=lastmod) + "\n"
    return entry(loc, lastmod=lastmod)


_EXAMPLE_OF: dict[str, Callable[[str, int], Example]] = {
    "loc": lambda text, _: entry(text),
    "lastmod": lambda text, number: entry(f"{HOME}{number}", lastmod=text),
    "hreflang": _hreflang,
    "entry": lambda text, number: entry(f"{HOME}{number}", text),
    "image": lambda text, number: entry(
        f"{HOME}{number}", f"<image:image><image:loc>{text}</image:loc></image:image>"
    ),
    "video": _video,
    "news": _news,
    "rss": _rss,
    "atom": _atom,
    "text": lambda text, _: {"sitemap.txt": _lines(text)},
    "robots": lambda text, _: {"robots.txt": _lines(text), "sitemap.xml": entry(HOME)},
    "markup": _markup,
    "document": lambda text, _: text.replace("⏎", "\n"),
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

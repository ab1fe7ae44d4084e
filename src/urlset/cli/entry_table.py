"""Entries as a table that can be read at 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice

from urlset.cli.entry_lines import w3c
from urlset.model import Entry
from urlset.terminal_text import Line, Span, cells, clip, sanitize

__all__ = ["CHUNK", "GAP", "table_lines"]

CHUNK = 1_000
"""Rows that share their widths: a table of any length is shown while it is read."""

GAP = "  "
_WIDE_LOC, _LEAST_LOC = 40, 24
_DAY = len("2026-01-31")
# Column to heading; the numbers are of images, videos and so on.
_HEADINGS = {
    "loc": "loc",
    "lastmod": "lastmod",
    "changefreq": "freq",
    "priority": "prio",
    "images": "img",
    "videos": "vid",
    "news": "news",
    "alternates": "alt",
}
_TO_THE_RIGHT = {"priority", "images", "videos", "news", "alternates"}


def table_lines(
    entries: Iterable[Entry], paint: Callable[[Line], str], width: int
) -> Iterator[str]:
    """A table for each document, with the columns that have any value in it.

    A URL that is too long is shortened in its middle; where there is little room for it, the
    time of day is left out of ``lastmod``. After a thousand rows a new table begins.
    """
    is_first = True
    for source, group in groupby(entries, key=lambda entry: entry.source):
        while chunk := list(islice(group, CHUNK)):
            if not is_first:
                yield "\n"
            is_first = False
            yield f"{paint((Span(sanitize(source or ''), 'place'),))}\n"
            yield from (f"{paint(line)}\n" for line in _chunk(chunk, width))


def _chunk(entries: list[Entry], width: int) -> Iterator[Line]:
    columns = {name: [_cell(name, entry) for entry in entries] for name in _HEADINGS}
    columns = {name: values for name, values in columns.items() if any(values)}
    if "lastmod" in columns and _room(columns, width) < _WIDE_LOC:
        columns["lastmod"] = [value[:_DAY] for value in columns["lastmod"]]
    widths = {name: _width(name, values) for name, values in columns.items()}
    widths["loc"] = max(min(widths["loc"], _room(columns, width)), _LEAST_LOC)

    yield (Span(_row([_HEADINGS[name] for name in columns], widths), "heading"),)
    yield (Span(_row(["─" * cells_ for cells_ in widths.values()], widths), "excerpt"),)
    for values in zip(*columns.values(), strict=True):
        yield (Span(_row(list(values), widths)),)


def _cell(name: str, entry: Entry) -> str:
    if name == "lastmod":
        return w3c(entry) or ""
    value = getattr(entry, name)
    if name == "news":
        return "" if value is None else "1"
    if isinstance(value, tuple):
        return str(len(value)) if value else ""
    return "" if value is None else sanitize(str(value))


def _room(columns: dict[str, list[str]], width: int) -> int:
    """What is left for the loc."""
    others = [_width(name, values) for name, values in columns.items() if name != "loc"]
    return width - sum(others) - len(GAP) * len(others)


def _width(name: str, values: list[str]) -> int:
    return max(cells(_HEADINGS[name]), *map(cells, values))


def _row(values: list[str], widths: dict[str, int]) -> str:
    fitted = []
    for value, (name, width) in zip(values, widths.items(), strict=True):
        text = clip(value, width)
        space = " " * (width - cells(text))
        fitted.append(space + text if name in _TO_THE_RIGHT else text + space)
    return GAP.join(fitted).rstrip()

"""L: a document that holds too much, written as several that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from urlset import engine as engines
from urlset.dates import format_date
from urlset.document import Document, parse
from urlset.fixer.rewrite import INDEX_END, INDEX_START, child_line
from urlset.protocol import MAX_BYTES, MAX_NEWS, MAX_URLS

__all__ = ["SPLITS", "divided", "index_of", "part_names"]

SPLITS = frozenset({"L001", "L002", "L004", "L005", "L007", "L008"})
"""The rules that are mended by writing several documents."""

_NAME = re.compile(r"(.*?)((?:\.(?:xml|txt))?(?:\.gz)?)", re.IGNORECASE | re.DOTALL)
_BAIDU_BYTES = 10_485_760  # https://ziyuan.baidu.com/college/courseinfo?id=267 (catalogue, L008)


def divided(document: Document, profile: str | None) -> list[bytes] | None:
    """The documents in which the entries of one have room; None where that cannot be done."""
    most = _BAIDU_BYTES if profile == "baidu" else MAX_BYTES
    if document.kind == "index" and not len(document.entries):
        parts = list(_indexes(document, most))
    elif document.kind in ("urlset", "text") and not document.sitemaps:
        parts = list(_sitemaps(document, most))
    else:
        return None
    return parts if _is_all(document, parts, most) else None


def _sitemaps(document: Document, most: int) -> Iterator[bytes]:
    chosen = engines.get(document.engine)
    columns = chosen.columns(list(document.entries))
    start = 0
    while start < len(columns):
        renderer = chosen.renderer(document.kind, MAX_URLS, most, MAX_NEWS)
        start = renderer.add(columns, start)
        yield renderer.finish()


def _indexes(document: Document, most: int) -> Iterator[bytes]:
    frame = len(INDEX_START) + len(INDEX_END)
    lines: list[str] = []
    size = frame
    for child in document.sitemaps:
        line = child_line(child.loc, child.lastmod_text)
        length = len(line.encode())
        if lines and (len(lines) == MAX_URLS or size + length > most):
            yield "".join([INDEX_START, *lines, INDEX_END]).encode()
            lines, size = [], frame
        lines.append(line)
        size += length
    yield "".join([INDEX_START, *lines, INDEX_END]).encode()


def _is_all(document: Document, parts: list[bytes], most: int) -> bool:
    """Whether the parts say together what the document says, and none is too large."""
    said: list[object] = []
    for part in parts:
        found = parse(part, engine=document.engine)
        said += [row[:-3] for row in (*found.entries, *found.sitemaps)]
    rows = [row[:-3] for row in (*document.entries, *document.sitemaps)]
    return said == rows and all(len(part) <= most for part in parts)


def part_names(name: str, count: int, taken: set[str], first: int) -> list[str]:
    """Names for the parts of a file, from the number ``first``, none that is taken.

    >>> part_names("sitemap.xml.gz", 2, {"sitemap-1.xml.gz"}, 1)
    ['sitemap-2.xml.gz', 'sitemap-3.xml.gz']
    """
    found = _NAME.fullmatch(name)
    stem, ending = found.groups() if found else (name, "")
    names: list[str] = []
    number = first
    while len(names) < count:
        new = f"{stem}-{number}{ending}"
        if new not in taken:
            names.append(new)
        number += 1
    return names


def index_of(locs: list[str], moment: datetime) -> bytes:
    """An index of files that were written at a moment."""
    date = format_date(moment.replace(microsecond=0))
    lines = [child_line(loc, date) for loc in locs]
    return "".join([INDEX_START, *lines, INDEX_END]).encode()

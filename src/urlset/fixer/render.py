"""Render entries as new documents: one, or several within the limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from urlset import engine as engines
from urlset.dates import format_date
from urlset.document import Document, parse
from urlset.engine.reference.values import escape
from urlset.protocol import MAX_BYTES, MAX_NEWS, MAX_URLS, SITEMAP_NS

_NO_LIMIT = 1 << 62
INDEX_START = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{SITEMAP_NS}">\n'
INDEX_END = "</sitemapindex>\n"
_BAIDU_BYTES = 10_485_760  # https://ziyuan.baidu.com/college/courseinfo?id=267 (catalogue, L008)


def render_document(document: Document) -> bytes | None:
    """Return the entries or index children of a document as a new document.

    Returns:
        The bytes; None for feeds, and for documents with both entries and index children.
    """
    if document.kind == "index" and not len(document.entries):
        return _index(index_child(each.loc, each.lastmod_text) for each in document.sitemaps)
    if document.kind not in ("urlset", "text") or document.sitemaps:
        return None
    chosen = engines.get(document.engine)
    columns = chosen.columns(list(document.entries))
    renderer = chosen.renderer(document.kind, _NO_LIMIT, _NO_LIMIT, _NO_LIMIT)
    renderer.add(columns, 0)
    return renderer.finish()


def index_child(loc: str, lastmod: str | None) -> str:
    """Return one child of an index as a line of XML."""
    date = f"<lastmod>{escape(lastmod)}</lastmod>" if lastmod else ""
    return f"<sitemap><loc>{escape(loc)}</loc>{date}</sitemap>\n"


def render_index(locs: list[str], lastmod: datetime) -> bytes:
    """Return an index of files whose lastmod is ``lastmod``."""
    date = format_date(lastmod.replace(microsecond=0))
    return _index(index_child(loc, date) for loc in locs)


def _index(lines: Iterable[str]) -> bytes:
    return "".join([INDEX_START, *lines, INDEX_END]).encode()


def render_parts(document: Document, profile: str | None) -> list[bytes] | None:
    """Return the entries of a document as several documents within the limits.

    Returns:
        The documents; None for feeds and mixed documents, and if the parts do not have exactly
        the same entries.
    """
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
        line = index_child(child.loc, child.lastmod_text)
        length = len(line.encode())
        if lines and (len(lines) == MAX_URLS or size + length > most):
            yield _index(lines)
            lines, size = [], frame
        lines.append(line)
        size += length
    yield _index(lines)


def _is_all(document: Document, parts: list[bytes], most: int) -> bool:
    """Return whether parts have together the entries of the document, and none is too large."""
    found_rows: list[object] = []
    for part in parts:
        found = parse(part, engine=document.engine)
        found_rows += [row[:-3] for row in (*found.entries, *found.sitemaps)]
    rows = [row[:-3] for row in (*document.entries, *document.sitemaps)]
    return found_rows == rows and all(len(part) <= most for part in parts)

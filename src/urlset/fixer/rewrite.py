"""X: documents that are broken too much for edits are written anew, from what was read of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset import engine as engines
from urlset.document import Document
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.markup_repairs import root_tag
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.protocol import SITEMAP_NS

__all__ = ["INDEX_END", "INDEX_START", "child_line", "rendered", "rewrite"]

_NO_LIMIT = 1 << 62
INDEX_START = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{SITEMAP_NS}">\n'
INDEX_END = "</sitemapindex>\n"
_COMPLETE = re.compile(rb"</(?:[\w.-]+:)?(?:url|sitemap|item|entry)\s*>", re.IGNORECASE)


@fixer("X002", "X024", effect="text", whole=True)
def rewrite(case: FixContext) -> Iterator[Change]:
    """Write the entries that were read into a document of their own."""
    new = rendered(case.job.document)
    if new is not None:
        words = f"all but {len(case.job.document.entries):,} entries, which are written anew"
        yield case.change(Edit(0, len(case.data), new), dropped=words, effect="text")


@fixer("X009", effect="text", whole=True)
def close_root(case: FixContext) -> Iterator[Change]:
    """Drop the last entry, which is not finished, and close the root."""
    data = case.data
    root = root_tag(data)
    ends = [found.end() for found in _COMPLETE.finditer(data, root.end() if root else 0)]
    if root is None or root[2].rpartition(b":")[2].lower() not in (b"urlset", b"sitemapindex"):
        return
    end = ends[-1] if ends else root.end()
    words = shown(data[end:]) if data[end:].strip() else None
    yield case.change(Edit(end, len(data), b"\n</" + root[2] + b">\n"), dropped=words)


def rendered(document: Document) -> bytes | None:
    """The entries, or the children, of a document as a new one; None for feeds and mixed ones."""
    if document.kind == "index" and not len(document.entries):
        lines = [child_line(child.loc, child.lastmod_text) for child in document.sitemaps]
        return "".join([INDEX_START, *lines, INDEX_END]).encode()
    if document.kind not in ("urlset", "text") or document.sitemaps:
        return None
    chosen = engines.get(document.engine)
    columns = chosen.columns(list(document.entries))
    renderer = chosen.renderer(document.kind, _NO_LIMIT, _NO_LIMIT, _NO_LIMIT)
    renderer.add(columns, 0)
    return renderer.finish()


def child_line(loc: str, lastmod: str | None) -> str:
    """One child of an index."""
    date = f"<lastmod>{escape(lastmod)}</lastmod>" if lastmod else ""
    return f"<sitemap><loc>{escape(loc)}</loc>{date}</sitemap>\n"

"""Decide whether a parsed document is a sitemap, by its whole content.

Shared by `read`, `check`, `check --fix` and `build`; :mod:`urlset.formats.detect` examines the
first bytes before.
"""

from __future__ import annotations

import re

from urlset.document import Document
from urlset.formats.compression import HEAD_BYTES
from urlset.formats.detect import TableKind, has_sitemap_name, table_kind
from urlset.formats.encoding import skip_space
from urlset.protocol import FIND_ROOT

__all__ = ["SITEMAP_KINDS", "is_sitemap", "rejection_reason", "table_kind_of_document"]

SITEMAP_KINDS = ("urlset", "index", "text", "rss", "atom")

# http://web.resource.org/rss/1.0/spec and the namespace of 0.90; other RDF is not a feed.
_RSS_1 = re.compile(rb"purl\.org/rss/|my\.netscape\.com/rdf/simple/|purl\.org/net/rss1\.1#")
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?.*?(?:\?>|$)", re.DOTALL)
_TAG = re.compile(rb"<(/?)([A-Za-z_][-.:\w]*)[^<>]*?(/?)>")
_VOID = frozenset(b"br hr img meta link input p li".split())  # HTML allows these without an end tag


def rejection_reason(document: Document) -> str | None:
    """Return why the content of a document is not a sitemap; None for a sitemap, even a bad one.

    >>> from urlset import parse
    >>> image = b'<svg><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></svg>'
    >>> rejection_reason(parse(image))
    'it is RDF, but not RSS'
    """
    text = document.text
    if document.kind == "text":
        if b"\0" in text:
            return "it contains NUL bytes"
        if table_kind_of_document(document) is not None:
            return "it is a table"
        strays = sum(problem.code == "T001" for problem in document.problems)
        strays += document.omitted.get("text-not-a-url", 0)
        if len(document.entries) <= strays:
            return "most of its lines are not URLs"
        return None
    if document.kind not in SITEMAP_KINDS:
        return "its root is not that of a sitemap, an index or a feed"
    if not _may_have_leading_text(document.source) and not skip_space(text).startswith(b"<"):
        return "there is text before its root"
    root = FIND_ROOT.search(text)
    if root is not None and root[0].lower().endswith(b"rdf") and not _RSS_1.search(text):
        return "it is RDF, but not RSS"
    if root is not None and (outer := _enclosing(text, root.start())):
        return f"its root is inside <{outer}>"
    return None


def is_sitemap(document: Document, *, is_guess: bool) -> bool:
    """Return whether a document is a sitemap.

    A document of a known kind that the user or an index named is always one. If ``is_guess`` is
    set, the document was only found, and its whole content must be that of a sitemap.
    """
    return rejection_reason(document) is None if is_guess else document.kind in SITEMAP_KINDS


def table_kind_of_document(document: Document) -> TableKind | None:
    """Return the kind of table that was parsed as text or as an unknown document; or None."""
    if document.kind not in ("text", "unknown"):
        return None
    return table_kind(document.text[:HEAD_BYTES])


def _may_have_leading_text(source: str | None) -> bool:
    """Return whether text before the root, such as a warning of a program, is ignored."""
    return source in (None, "-") or has_sitemap_name(re.split(r"[/\\]", source or "")[-1])


def _enclosing(text: bytes, start: int) -> str | None:
    """Return the name of the element that encloses the root at ``start``, if any.

    Images and manuals have one. Markup that a server wrote before a sitemap
    (``<b>Warning</b>``) ends before the root.
    """
    stack: list[bytes] = []
    for tag in _TAG.finditer(_COMMENT.sub(b"", text[:start])):
        is_end, name, is_empty = tag[1], tag[2].lower(), tag[3]
        if is_end and name in stack:
            del stack[stack.index(name) :]
        elif not is_end and not is_empty and name not in _VOID:
            stack.append(name)
    lowered = text[start:].lower() if stack else b""
    outer = next((name for name in stack if b"</" + name in lowered), None)
    return None if outer is None else outer.decode(errors="replace")

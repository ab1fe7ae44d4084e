"""Decide which files of a folder are sitemaps: by name, by how they begin, and as a whole.

One decision for `read`, `check`, `check --fix` and `build`. Many files hold what looks like a
sitemap: an image has RDF in its metadata, a manual quotes a `<urlset>`, a log lists URLs.
"""

from __future__ import annotations

import re
import zlib
from typing import Literal

from urlset.document import Document
from urlset.engine.compression import GZIP
from urlset.protocol import FIND_ROOT, PROLOG_LIMIT
from urlset.reader.table_detection import is_table

__all__ = [
    "SITEMAP_KINDS",
    "Beginning",
    "beginning",
    "has_sitemap_ending",
    "has_sitemap_name",
    "is_sitemap",
    "objection_to",
]

SITEMAP_KINDS = ("urlset", "index", "text", "rss", "atom")

Beginning = Literal["index", "sitemap"]
"""How a file begins: like an index, or like another kind of sitemap."""

# A query behind the ending is what wget saves of "sitemap.xml?page=2".
_ENDING = re.compile(r".*\.(?:xml|txt|rss|atom)(?:\.gz)?(?:\?.*)?", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r".*sitemap.*\.(?:(?:xml|txt|rss|atom)(?:\.gz)?|gz)", re.IGNORECASE | re.DOTALL)
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_WIDE_STARTS = (
    (re.compile(rb"<\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0<\0[^\0]"), "utf-16-be"),
)
_URL = re.compile(rb"https?://\S+\s*", re.IGNORECASE)
# http://web.resource.org/rss/1.0/spec and the namespace of 0.90; other RDF is no feed.
_RSS_1 = re.compile(rb"purl\.org/rss/|my\.netscape\.com/rdf/simple/|purl\.org/net/rss1\.1#")
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?.*?(?:\?>|$)", re.DOTALL)
_TAG = re.compile(rb"<(/?)([A-Za-z_][-.:\w]*)[^<>]*?(/?)>")
_VOID = frozenset(b"br hr img meta link input p li".split())  # HTML needs no end tag of these


def has_sitemap_ending(name: str) -> bool:
    """Tell whether a file of a folder may be a sitemap by its ending.

    >>> has_sitemap_ending("pages.XML.gz"), has_sitemap_ending("photo.svg")
    (True, False)
    """
    return _ENDING.fullmatch(name) is not None or has_sitemap_name(name)


def has_sitemap_name(name: str) -> bool:
    """Tell whether a file is called a sitemap: one that is none is an error, not passed over.

    >>> has_sitemap_name("post-sitemap2.xml"), has_sitemap_name("sitemap.png")
    (True, False)
    """
    return _NAMED.fullmatch(name) is not None


def beginning(head: bytes) -> Beginning | None:
    r"""Tell from the first bytes of a file whether it can be a sitemap, and whether an index.

    It can where it begins, behind byte order marks and white space, like markup, and a root
    follows; or where most lines are URLs.

    >>> beginning(b"https://e.com/\nhttps://e.com/a\n"), beginning(b"%PDF-1.7 <rdf:RDF>")
    ('sitemap', None)
    """
    text = _text(head)
    if not text.startswith(b"<"):
        return "sitemap" if _is_list(text) else None
    root = FIND_ROOT.search(text)
    if root is None:
        return None
    return "index" if root[0].lower().endswith(b"sitemapindex") else "sitemap"


def objection_to(document: Document) -> str | None:
    """Say why a document is no sitemap by its content; None for a sitemap, whatever its faults.

    >>> from urlset import parse
    >>> image = b'<svg><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></svg>'
    >>> objection_to(parse(image))
    'it is RDF, but no RSS'
    """
    text = document.text
    if document.kind == "text":
        if b"\0" in text:
            return "it contains NUL bytes"
        if is_table(document) is not None:
            return "it is a table"
        strays = sum(problem.code == "T001" for problem in document.problems)
        strays += document.omitted.get("text-not-a-url", 0)
        if len(document.entries) <= strays:
            return "most of its lines are no URLs"
        return None
    if document.kind not in SITEMAP_KINDS:
        return "it has no root of a sitemap, an index or a feed"
    if not _is_called_sitemap(document.source) and not _skip_space(text).startswith(b"<"):
        return "text stands before its root"
    root = FIND_ROOT.search(text)
    if root is not None and root[0].lower().endswith(b"rdf") and not _RSS_1.search(text):
        return "it is RDF, but no RSS"
    if root is not None and (outer := _enclosing(text, root.start())):
        return f"its root stands inside of <{outer}>"
    return None


def is_sitemap(document: Document, *, is_guess: bool) -> bool:
    """Tell whether a document is a sitemap; one that was only found must be one as a whole."""
    return objection_to(document) is None if is_guess else document.kind in SITEMAP_KINDS


def _text(head: bytes) -> bytes:
    """Unpack and decode the first bytes, and leave out what may stand before the content."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head, PROLOG_LIMIT)
        except zlib.error:
            return b""
    codec = _WIDE_BOMS.get(head[:2]) or next((c for p, c in _WIDE_STARTS if p.match(head)), None)
    if codec is not None:
        head = head.decode(codec, errors="ignore").encode(errors="ignore")
    return _skip_space(head)


def _skip_space(text: bytes) -> bytes:
    """Leave out white space and byte order marks at the beginning."""
    head = text[:PROLOG_LIMIT]
    while (rest := head.lstrip(_SPACE).removeprefix(_BOM)) != head:
        head = rest
    return head


def _is_called_sitemap(source: str | None) -> bool:
    """Tell whether what a program wrote before a root may be overlooked."""
    return source in (None, "-") or has_sitemap_name(re.split(r"[/\\]", source or "")[-1])


def _is_list(text: bytes) -> bool:
    if b"\0" in text:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    urls = sum(_URL.match(line.lstrip()) is not None for line in lines)
    return 2 * urls > len(lines)


def _enclosing(text: bytes, start: int) -> str | None:
    """Name the element around the root at ``start``, as in an image or a manual; None for none.

    What a server wrote before a sitemap (``<b>Warning</b>``) does not end behind it.
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

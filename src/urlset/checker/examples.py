"""The examples of a rule's page: short to read, and whole documents when they are run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urljoin

from urlset.protocol import PREFIXES, SITEMAP_NS, URIS

__all__ = ["HOME", "Example", "Many", "documents_of", "entry", "shown"]

HOME = "https://example.com/"
"""Where the documents of an example lie; one that has no name is ``sitemap.xml`` there."""


class Many(NamedTuple):
    """A part that is repeated ``count`` times; ``{n}`` in it counts from 1."""

    part: str
    count: int


Piece = str | bytes | Many | tuple[str | Many, ...]
"""Entries (``<url>…``, ``<sitemap>…``, put into a root of their own), or a document as it is."""

Example = Piece | Mapping[str, Piece]
"""A document, or several by their name or URL; ``robots.txt`` is one of them."""


def documents_of(example: Example) -> dict[str, bytes]:
    """The documents of an example by their URL.

    >>> documents_of("<url><loc>https://example.com/</loc></url>").keys()
    dict_keys(['https://example.com/sitemap.xml'])
    """
    pieces = example if isinstance(example, Mapping) else {"sitemap.xml": example}
    return {urljoin(HOME, name): _document(piece) for name, piece in pieces.items()}


def entry(loc: str, more: str = "", lastmod: str = "2026-11-20T08:00:00Z") -> str:
    """An entry to which no rule objects but for its loc, or for what more it holds."""
    return f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod>{more}</url>\n"


def shown(piece: Piece) -> str:
    """A document or its entries as a page shows them: what is repeated only once, and counted."""
    if isinstance(piece, bytes):
        return _printable(piece)
    parts = piece if isinstance(piece, tuple) else (piece,)
    return "\n".join(_once(part) for part in parts)


def _once(part: str | Many) -> str:
    if isinstance(part, str):
        return part.strip("\n")
    return f"{part.part.replace('{n}', '1')}\n… {part.count:,} times"


def _printable(data: bytes) -> str:
    text = data.decode("utf-8", errors="backslashreplace")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff]", lambda m: f"\\x{ord(m[0]):02x}", text)


def _document(piece: Piece) -> bytes:
    if isinstance(piece, bytes):
        return piece
    parts = piece if isinstance(piece, tuple) else (piece,)
    text = "\n".join(_whole(part) for part in parts)
    start = text.lstrip()
    if start.startswith("<url>"):
        return _rooted("urlset", text)
    if start.startswith("<sitemap>"):
        return _rooted("sitemapindex", text)
    return text.encode()


def _whole(part: str | Many) -> str:
    if isinstance(part, str):
        return part
    return "\n".join(part.part.replace("{n}", str(n)) for n in range(1, part.count + 1))


def _rooted(root: str, entries: str) -> bytes:
    used = [(name, ns) for name, ns in PREFIXES.items() if f"<{name}:" in entries]
    spaces = "".join(f' xmlns:{name}="{URIS[ns]}"' for name, ns in used)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{root} xmlns="{SITEMAP_NS}"{spaces}>\n{entries}\n</{root}>\n'
    ).encode()

"""Examples in the documentation of rules: documents, and sites for live rules.

Short texts expand to complete documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urljoin

from urlset.protocol import PREFIXES, SITEMAP_NS, URIS

HOME = "https://example.com/"
"""Base URL of the documents of an example; a document without a name is ``sitemap.xml``."""


@dataclass(frozen=True, slots=True)
class Many:
    """Text that is repeated ``times`` times; ``{n}`` in it counts from 1."""

    part: str
    times: int


@dataclass(frozen=True, slots=True)
class ExampleResponse:
    """Response of a server for a document: a body with a status, or a transfer error.

    ``error`` is one of :data:`urlset.http.ErrorCode`, or None. ``headers`` are pairs of a name in
    lower case and a value; a page is HTML unless they have a ``content-type``.
    """

    body: str = ""
    status: int = 200
    error: str | None = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def head(self) -> str:
        """Status line and headers of the response, shown on the documentation page of a rule."""
        if self.error is None:
            lines = (f"{name.title()}: {value}" for name, value in self.headers)
            return "\n".join((f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}", *lines))
        return (
            f"({self.error}: only this part arrives)" if self.body else f"(no answer: {self.error})"
        )


PAGE = "<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
"""Entry without findings."""

_PRINTED = bytes([*range(0x20, 0x7F), *b"\t\r\n"])

Piece = str | bytes | Many | ExampleResponse | tuple[str | Many, ...]
"""Entries (``<url>…`` or ``<sitemap>…``, which get a root element), a complete document, or an
``ExampleResponse`` if the response of the server matters."""

Example = Piece | Mapping[str, Piece]
"""One document, or several by name or URL, which may include ``robots.txt``."""


def whole(
    entries: str = PAGE, *, attributes: str = "", declaration: str = 'encoding="UTF-8"'
) -> str:
    """Return a complete sitemap, for examples about the text around the entries.

    >>> print(whole("", attributes=' id="a"'))
    <?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" id="a">
    <BLANKLINE>
    </urlset>
    """
    return (
        f'<?xml version="1.0" {declaration}?>\n'
        f'<urlset xmlns="{SITEMAP_NS}"{attributes}>\n{entries}\n</urlset>'
    )


def documents_of(example: Example) -> dict[str, bytes]:
    """Return the documents of an example by URL.

    >>> documents_of("<url><loc>https://example.com/</loc></url>").keys()
    dict_keys(['https://example.com/sitemap.xml'])
    """
    pieces = example if isinstance(example, Mapping) else {"sitemap.xml": example}
    return {urljoin(HOME, name): _document(piece) for name, piece in pieces.items()}


def entry(loc: str, more: str = "", lastmod: str = "2026-11-20T08:00:00Z") -> str:
    """Return a ``url`` element that is valid, except for faults in ``loc`` or ``more``."""
    return f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod>{more}</url>\n"


def index_of(*names: str, lastmod: str = "2026-11-20T08:00:00Z") -> str:
    """Return a ``sitemap`` element for each name of a sitemap of example.com."""
    return "\n".join(
        f"<sitemap><loc>{urljoin(HOME, name)}</loc><lastmod>{lastmod}</lastmod></sitemap>"
        for name in names
    )


def shown(piece: Piece) -> str:
    """Return the text of an example for a rule page; repeated text is replaced by its count."""
    if isinstance(piece, bytes):
        return _printable(piece)
    if isinstance(piece, ExampleResponse):
        return f"{piece.head}\n\n{piece.body}".strip()
    parts = (piece,) if isinstance(piece, str | Many) else piece
    return "\n".join(_once(part) for part in parts)


def _once(part: str | Many) -> str:
    if isinstance(part, str):
        return part.strip("\n")
    return f"{part.part.replace('{n}', '1')}\n… {part.times:,} times"


def _printable(data: bytes) -> str:
    if len(data.translate(None, _PRINTED)) > len(data) // 10:  # it is compressed
        return f"{data[:4].hex(' ')} …"  # the following bytes depend on the version of zlib
    text = data.decode("utf-8", errors="backslashreplace")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff]", lambda m: f"\\x{ord(m[0]):02x}", text)


def _document(piece: Piece) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if isinstance(piece, ExampleResponse):
        return _document(piece.body) if piece.body else b""
    parts = (piece,) if isinstance(piece, str | Many) else piece
    text = "\n".join(_whole(part) for part in parts)
    start = text.lstrip()
    if start.startswith("<url>"):
        return _with_root("urlset", text)
    if start.startswith("<sitemap>"):
        return _with_root("sitemapindex", text)
    return text.encode()


def _whole(part: str | Many) -> str:
    if isinstance(part, str):
        return part
    return "\n".join(part.part.replace("{n}", str(n)) for n in range(1, part.times + 1))


def _with_root(root: str, entries: str) -> bytes:
    used = [(name, ns) for name, ns in PREFIXES.items() if f"<{name}:" in entries]
    spaces = "".join(f' xmlns:{name}="{URIS[ns]}"' for name, ns in used)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{root} xmlns="{SITEMAP_NS}"{spaces}>\n{entries}\n</{root}>\n'
    ).encode()


def page(title: str, head: str = "", body: str = "", **headers: str) -> ExampleResponse:
    r"""Return a response with an HTML page; ``last_modified="…"`` adds a header of that name.

    >>> page("Tea", body="<p>Green</p>").body
    '<!DOCTYPE html><title>Tea</title>\n<h1>Tea</h1><p>Green</p>'
    """
    links = f"\n{head}" if head else ""
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return ExampleResponse(
        f"<!DOCTYPE html><title>{title}</title>{links}\n<h1>{title}</h1>{body}", headers=pairs
    )


def redirect(target: str, status: int = 301) -> ExampleResponse:
    """Return a response that redirects to a URL."""
    return ExampleResponse(status=status, headers=(("location", target),))


def site(*listed: str, **pages: Piece) -> dict[str, Piece]:
    """Return a site for an example: its pages, and a sitemap with the paths in ``listed`` or all.

    >>> list(site(tea=page("Tea")))
    ['sitemap.xml', 'tea']
    """
    urls = listed or tuple(pages)
    sitemap = "".join(entry(f"{HOME}{path}") for path in urls)
    return {"sitemap.xml": sitemap, **pages}


def hreflang(*links: str) -> str:
    """Return HTML ``link`` elements for versions written as ``hreflang=path``.

    >>> hreflang("de=tee")
    '<link rel="alternate" hreflang="de" href="https://example.com/tee">'
    """
    pairs = (link.split("=", 1) for link in links)
    return "\n".join(
        f'<link rel="alternate" hreflang="{tag}" href="{HOME}{path}">' for tag, path in pairs
    )

"""Normalized URLs of pages: one text for all spellings of a URL."""

from __future__ import annotations

import re
from functools import lru_cache

from urlset.http import document_key, request_url
from urlset.urls import resolve, scheme_of, split_origin

__all__ = ["MAX_URL", "UrlResolver", "page_url", "section_of"]

MAX_URL = 4_096
"""Characters of a URL; longer ones are ignored. The protocol allows 2,048 in a sitemap."""

_SPACE = re.compile(r"[\t\n\r]+")
_DOTS = re.compile(r"/\.\.?(?:/|$)")
_SECTION = re.compile(r"[^:]+://[^/?#]*/([^/?#]+)/?")
_CACHED = 50_000


def page_url(url: str) -> str | None:
    """Return the normalized form of an absolute URL; None if it is not an http(s) URL.

    Scheme and host are in lower case, without a default port. Unreserved characters are decoded,
    others are encoded (RFC 3986 section 6.2.2). Dot segments and the fragment are removed.

    >>> page_url("HTTPS://Example.com:443/a/../%7Eb?c#d")
    'https://example.com/~b?c'
    """
    if request_url(url) is None:
        return None
    key = document_key(url)
    path, mark, query = key.partition("?")
    if "/." in path and _DOTS.search(path):
        key = resolve(split_origin(path)[2], path) + mark + query
    return key


def section_of(url: str) -> str:
    """Return the first segment of the path of a URL; ``/`` for the home page.

    >>> section_of("https://example.com/blog/rye"), section_of("https://example.com/?q")
    ('blog', '/')
    """
    found = _SECTION.match(url)
    return found[1] if found else "/"


class UrlResolver:
    """Resolve references of pages to normalized URLs, with a cache of recent results."""

    def __init__(self) -> None:
        self._cached = lru_cache(maxsize=_CACHED)(_resolved)

    def resolve(self, reference: str, base: str) -> str | None:
        """Return the normalized URL of a reference; None if it is not an http(s) URL.

        >>> UrlResolver().resolve("../b#c", "https://example.com/x/y")
        'https://example.com/b'
        """
        reference = reference.partition("#")[0].strip()
        if not reference:
            return page_url(base)
        if len(reference) > MAX_URL:
            return None
        if reference.startswith("/") and not reference.startswith("//"):
            scheme, authority, _ = split_origin(base)
            return self._cached(reference, f"{scheme}://{authority}/")
        if reference.startswith(("http://", "https://")):
            return self._cached(reference, "")
        return self._cached(reference, base)


def _resolved(reference: str, base: str) -> str | None:
    reference = _SPACE.sub("", reference).replace(" ", "%20")
    if scheme_of(reference) is None:
        reference = resolve(reference, base)
    found = page_url(reference)
    return found if found is not None and len(found) <= MAX_URL else None

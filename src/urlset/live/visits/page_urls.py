"""Normalized URLs of pages: one text for all spellings of a URL."""

from __future__ import annotations

import re
from functools import lru_cache

from urlset.http import origin_of, request_url
from urlset.urls import normalize_escapes, remove_dot_segments, resolve, scheme_of, split_origin

MAX_URL = 4_096
"""Characters of a URL; longer ones are ignored. The protocol allows 2,048 in a sitemap."""

# Most URLs are in their normal form: no escapes, no segment that begins with a dot, no colon.
_SEGMENT = r"[\w~!$&'()*+,;=@-][\w~!$&'()*+,;=@.-]*"
_REST = rf"{_SEGMENT}(?:/{_SEGMENT})*/?(?:\?[\w~!$&'()*+,;=@./?-]*)?"
_SIMPLE_URL = re.compile(rf"(https?://[\w.-]+(?::[0-9]{{1,5}})?)(/(?:{_REST})?)", re.ASCII)
_SIMPLE_PATH = re.compile(rf"/{_REST}", re.ASCII)
_SIMPLE_REFERENCE = re.compile(_REST, re.ASCII)

_SPACE = re.compile(r"[\t\n\r]+")
_DOTS = re.compile(r"/\.\.?(?:/|$)")
_SECTION = re.compile(r"[^:/?#]+://[^/?#]*(/[^/?#]+/)")  # as urlset.store.FIRST_FOLDER
_CACHED = 50_000


def page_url(url: str) -> str | None:
    """Return the normalized form of an absolute URL; None if it is not an http(s) URL.

    Scheme and host are in lower case, without a default port. Unreserved characters are decoded,
    others are encoded (RFC 3986 section 6.2.2). Dot segments and the fragment are removed.

    >>> page_url("HTTPS://Example.com:443/a/../%7Eb?c#d")
    'https://example.com/~b?c'
    """
    simple = _SIMPLE_URL.fullmatch(url)
    if simple is not None:
        origin = _origin(simple[1])
        return None if origin is None else origin + simple[2]
    requested = request_url(url)
    if requested is None:
        return None
    key = normalize_escapes(requested)
    path, mark, query = key.partition("?")
    if "/." in path and _DOTS.search(path):
        scheme, authority, rest = split_origin(path)
        key = f"{scheme}://{authority}{remove_dot_segments(rest)}{mark}{query}"
    return key


def origin_of_page(url: str) -> str:
    """Return the origin of a URL, from a cache; empty if it is not an http(s) URL.

    >>> origin_of_page("https://example.com/blog/rye")
    'https://example.com'
    """
    end = url.find("/", 8)
    return _origin(url if end < 0 else url[:end]) or ""


_origin = lru_cache(maxsize=1_024)(origin_of)


def section_of(url: str) -> str:
    """Return the section of a URL: the first folder of its path; ``/`` for files at the root.

    >>> section_of("https://example.com/blog/rye"), section_of("https://example.com/rye.html?q")
    ('/blog/', '/')
    """
    found = _SECTION.match(url)
    return found[1] if found else "/"


class UrlResolver:
    """Resolve references of pages to normalized URLs, with a cache of recent results."""

    def __init__(self) -> None:
        self._cached = lru_cache(maxsize=_CACHED)(_resolved)
        self._base = ""
        self._origin: str | None = None
        self._folder: str | None = None

    def resolve(self, reference: str, base: str) -> str | None:
        """Return the normalized URL of a reference; None if it is not an http(s) URL.

        >>> UrlResolver().resolve("../b#c", "https://example.com/x/y")
        'https://example.com/b'
        """
        if "#" in reference:
            reference = reference.partition("#")[0]
        if base != self._base:
            self._set_base(base)
        is_path = reference[:1] == "/"
        start = self._origin if is_path else self._folder
        simple = _SIMPLE_PATH if is_path else _SIMPLE_REFERENCE
        if start is not None and simple.fullmatch(reference):
            found = start + reference
            return found if len(found) <= MAX_URL else None
        reference = reference.strip()
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

    def __reduce__(self) -> tuple[type[UrlResolver], tuple[()]]:
        """Pickle the resolver without its cache."""
        return type(self), ()

    def _set_base(self, base: str) -> None:
        """Cache the origin and the folder of a base URL, to resolve its references."""
        scheme, authority, rest = split_origin(base)
        path = rest.partition("?")[0].partition("#")[0]
        self._base = base
        self._origin = _origin(f"{scheme}://{authority}")
        self._folder = page_url(f"{scheme}://{authority}{path[: path.rfind('/') + 1] or '/'}")


def _resolved(reference: str, base: str) -> str | None:
    reference = _SPACE.sub("", reference).replace(" ", "%20")
    if scheme_of(reference) is None:
        reference = resolve(reference, base)
    found = page_url(reference)
    return found if found is not None and len(found) <= MAX_URL else None

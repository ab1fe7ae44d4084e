"""Fixes of URLs: resolve, percent-encode, normalize, remove unwanted parts (rules U, R, I)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from urlset import urls
from urlset.fixer.edits import Change
from urlset.fixer.registry import FixContext, entry_removal, fixer, url_fixer
from urlset.http import request_url

_ILLEGAL = re.compile(r"[\x00-\x20\x7f<>\"{}|^`]")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TWICE = re.compile(r"%25([0-9A-Fa-f]{2})")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_BLANK = re.compile(f"[{urls.INNER_SPACE}]")
_HTTP = re.compile(r"http://", re.IGNORECASE)


@url_fixer("U001")
def absolute(url: str, context: FixContext) -> str | None:
    """Return an absolute URL: resolved against that of the document, or with a scheme for www."""
    trimmed = url.strip(urls.SPACE)
    if _HTTP.match(trimmed) or trimmed.lower().startswith("https://"):
        return None
    base_url = context.document.base_url
    if trimmed.lower().startswith("www."):
        return f"{urls.split_origin(base_url)[0] if base_url else 'https'}://{trimmed}"
    return urls.parse_url(trimmed, base_url).url


@url_fixer("U005")
def trimmed(url: str, _context: FixContext) -> str | None:
    """Return a URL without surrounding white space."""
    return url.strip(urls.SPACE) or None


@url_fixer("U006", partly_safe=True)
def without_space(url: str, context: FixContext) -> str | None:
    """Return a URL with encoded spaces; if unsafe, also join wrapped lines, encode other space."""
    url = url.strip(urls.SPACE)
    if len(urls.split_urls(url)) > 1:
        return None
    if not _BLANK.search(url.replace(" ", "")):
        return url.replace(" ", "%20")
    if not context.is_unsafe:
        return None
    joined = urls.parse_url(url, context.document.base_url).url
    return None if joined is None else _BLANK.sub(lambda found: quote(found[0]), joined)


@url_fixer("U007", partly_safe=True)
def encoded(url: str, context: FixContext) -> str | None:
    """Return a URL with invalid characters encoded; if unsafe, with slashes for backslashes."""
    if context.is_unsafe:
        url = url.replace("\\", "/")
    return _ILLEGAL.sub(lambda found: f"%{ord(found[0]):02X}", url)


@url_fixer("U008")
def ascii_path(url: str, _context: FixContext) -> str | None:
    """Return a URL with non-ASCII characters after the host percent-encoded."""
    scheme, authority, rest = urls.split_origin(url)
    return f"{scheme}://{authority}" + _NOT_ASCII.sub(lambda x: quote(x[0], errors="replace"), rest)


@url_fixer("U009")
def ascii_host(url: str, _context: FixContext) -> str | None:
    """Return a URL with its host in Punycode (UTS 46)."""
    scheme, authority, rest = urls.split_origin(url)
    user, at, host_port = authority.rpartition("@")
    host, colon, port = host_port.partition(":")
    target = None if host.isascii() else request_url(f"https://{host}/")
    if target is None:
        return None
    return f"{scheme}://{user}{at}{urls.split_origin(target)[1]}{colon}{port}{rest}"


@url_fixer("U010")
def percent_encoded(url: str, _context: FixContext) -> str | None:
    """Return a URL with ``%25`` for each percent sign outside an escape."""
    return _PERCENT.sub("%25", url)


@url_fixer("U011")
def decoded_once(url: str, _context: FixContext) -> str | None:
    """Return a URL that was percent-encoded twice, decoded once."""
    return _TWICE.sub(r"%\1", url)


@url_fixer("U012")
def without_fragment(url: str, _context: FixContext) -> str | None:
    """Return a URL without its fragment."""
    return url.partition("#")[0]


@url_fixer("U013")
def without_user(url: str, _context: FixContext) -> str | None:
    """Return a URL without user and password."""
    scheme, authority, rest = urls.split_origin(url)
    return f"{scheme}://{authority.rpartition('@')[2]}{rest}"


@url_fixer("U014")
def without_port(url: str, _context: FixContext) -> str | None:
    """Return a URL without the default port of its scheme."""
    found = urls.without_default_port(url)
    return found if found != url else None


@url_fixer("U017")
def normalized(url: str, _context: FixContext) -> str | None:
    """Return a URL in the normal form of RFC 3986 section 6.2.2."""
    return normalize_url(url)


def normalize_url(url: str) -> str:
    """Return the normal form of a URL: case, escapes, dot segments, default port, empty path.

    >>> normalize_url("HTTPS://Example.com:443/a/../%7eb%c3")
    'https://example.com/~b%C3'
    """
    scheme, authority, rest = urls.split_origin(url)
    scheme = scheme.lower()
    user, at, host_port = authority.rpartition("@")
    origin = urls.without_default_port(f"{scheme}://{host_port.lower()}")
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    tail = rest[len(path) :]
    path = urls.normalize_escapes(urls.remove_dot_segments(path) or "/")
    return f"{scheme}://{user}{at}{origin[len(scheme) + 3 :]}{path}{urls.normalize_escapes(tail)}"


@url_fixer("U018")
def without_parameter(url: str, context: FixContext) -> str | None:
    """Return a URL without the tracking parameter of the finding."""
    name = context.finding.parameter("parameter")
    if not name:
        return None
    word = re.escape(name)
    if name.startswith("("):
        return re.sub(rf"/{word}/", "/", url, flags=re.IGNORECASE)
    url = re.sub(rf"(?i);{word}=[^/?#;]*", "", url)
    front, mark, query = url.partition("?")
    query, hash_, fragment = query.partition("#")
    query = re.sub(rf"(?i)(^|[&;]){word}(?:=[^&;]*)?(?=[&;]|$)", "", query).lstrip("&;")
    return f"{front}{mark if query else ''}{query}{hash_}{fragment}"


@url_fixer("U022")
def with_one_slash(url: str, _context: FixContext) -> str | None:
    """Return a URL with one slash for repeated slashes in the path."""
    scheme, authority, rest = urls.split_origin(url)
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    single = re.sub(r"(?<!:)//+", "/", path)
    return f"{scheme}://{authority}{single}{rest[len(path) :]}"


@url_fixer("U030")
@url_fixer("U027", per_document=True)
def over_https(url: str, _context: FixContext) -> str | None:
    """Return a URL with https in place of http."""
    return _HTTP.sub("https://", url, count=1)


@fixer("U020", "R010", "I003", "I502", "I503", "T001", effect="removed")
def remove_entry(context: FixContext) -> Iterator[Change]:
    """Remove an entry that is no URL, or whose URL is not a page, is disallowed or unreachable."""
    yield from entry_removal(context)


@fixer("U021", effect="removed", partly_safe=True)
def remove_sitemap(context: FixContext) -> Iterator[Change]:
    """Remove the sitemap itself from its entries; other sitemaps only if unsafe."""
    if context.is_unsafe or context.finding.loc == context.document.base_url:
        yield from entry_removal(context)

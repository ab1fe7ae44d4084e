"""U: URLs as they are to be written, percent-encoded, absolute and without what is not theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from urlset.fixer.edits import Change
from urlset.fixer.loc_spans import remove_entry_of, url_fixer
from urlset.fixer.registry import FixContext, fixer
from urlset.http import request_url
from urlset.urls import INNER_SPACE, SPACE, parse_url, split_origin, split_urls

__all__ = ["normal"]

_ILLEGAL = re.compile(r"[\x00-\x20\x7f<>\"{}|^`]")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TWICE = re.compile(r"%25([0-9A-Fa-f]{2})")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_BLANK = re.compile(f"[{INNER_SPACE}]")
_HTTP = re.compile(r"http://", re.IGNORECASE)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@url_fixer("U001")
def absolute(url: str, case: FixContext) -> str | None:
    """Resolve a reference against the URL of the document; take www. for a host."""
    trimmed = url.strip(SPACE)
    if _HTTP.match(trimmed) or trimmed.lower().startswith("https://"):
        return None
    if trimmed.lower().startswith("www."):
        scheme = split_origin(case.job.base)[0] if case.job.base else "https"
        return f"{scheme}://{trimmed}"
    return parse_url(trimmed, case.job.base).url


@url_fixer("U005")
def trimmed(url: str, _case: FixContext) -> str | None:
    """Leave out white space around it."""
    return url.strip(SPACE) or None


@url_fixer("U006", careful=True)
def without_space(url: str, case: FixContext) -> str | None:
    """Encode spaces; join wrapped lines, and encode other white space, when asked for."""
    url = url.strip(SPACE)
    if len(split_urls(url)) > 1:
        return None
    if not _BLANK.search(url.replace(" ", "")):
        return url.replace(" ", "%20")
    if not case.is_unsafe:
        return None
    joined = parse_url(url, case.job.base).url
    return None if joined is None else _BLANK.sub(lambda found: quote(found[0]), joined)


@url_fixer("U007", careful=True)
def encoded(url: str, case: FixContext) -> str | None:
    """Percent-encode what may not stand in a URL; a backslash, mostly meant as /, when asked."""
    if case.is_unsafe:
        url = url.replace("\\", "/")
    return _ILLEGAL.sub(lambda found: f"%{ord(found[0]):02X}", url)


@url_fixer("U008")
def ascii_path(url: str, _case: FixContext) -> str | None:
    """Percent-encode what is not ASCII behind the host."""
    scheme, authority, rest = split_origin(url)
    return f"{scheme}://{authority}" + _NOT_ASCII.sub(_quoted, rest)


def _quoted(found: re.Match[str]) -> str:
    return quote(found[0], errors="replace")


@url_fixer("U009")
def ascii_host(url: str, _case: FixContext) -> str | None:
    """Write the host in punycode (UTS 46)."""
    scheme, authority, rest = split_origin(url)
    user, at, place = authority.rpartition("@")
    host, colon, port = place.partition(":")
    target = None if host.isascii() else request_url(f"https://{host}/")
    if target is None:
        return None
    return f"{scheme}://{user}{at}{split_origin(target)[1]}{colon}{port}{rest}"


@url_fixer("U010")
def percent_encoded(url: str, _case: FixContext) -> str | None:
    """Write %25 for a percent sign that begins no escape."""
    return _PERCENT.sub("%25", url)


@url_fixer("U011")
def decoded_once(url: str, _case: FixContext) -> str | None:
    """Undo the second percent-encoding."""
    return _TWICE.sub(r"%\1", url)


@url_fixer("U012")
def without_fragment(url: str, _case: FixContext) -> str | None:
    """Leave out the fragment."""
    return url.partition("#")[0]


@url_fixer("U013")
def without_user(url: str, _case: FixContext) -> str | None:
    """Leave out user and password."""
    scheme, authority, rest = split_origin(url)
    return f"{scheme}://{authority.rpartition('@')[2]}{rest}"


@url_fixer("U014")
def without_port(url: str, _case: FixContext) -> str | None:
    """Leave out the port that the scheme implies."""
    scheme, authority, rest = split_origin(url)
    usual = {"http": "80", "https": "443"}.get(scheme.lower())
    host, _, port = authority.rpartition(":")
    return f"{scheme}://{host}{rest}" if host and port == usual else None


@url_fixer("U017")
def normalised(url: str, _case: FixContext) -> str | None:
    """Write the normal form of RFC 3986 section 6.2.2."""
    return normal(url)


def normal(url: str) -> str:
    """The normal form of a URL: case, escapes, dots, the usual port, an empty path.

    >>> normal("HTTPS://Example.com:443/a/../%7eb%c3")
    'https://example.com/~b%C3'
    """
    scheme, authority, rest = split_origin(url)
    scheme = scheme.lower()
    user, at, place = authority.rpartition("@")
    place = place.lower()
    usual = {"http": ":80", "https": ":443"}.get(scheme, "")
    place = place.removesuffix(usual) if usual else place
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    tail = rest[len(path) :]
    return f"{scheme}://{user}{at}{place}{_tidy(_undotted(path) or '/')}{_tidy(tail)}"


def _undotted(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    end = "/" if segments[-1] in (".", "..") and kept else ""
    return "/" + "/".join(kept) + end


def _tidy(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        char = chr(int(found[1], 16))
        return char if char in _UNRESERVED else found[0].upper()

    return _ESCAPE.sub(plain, text)


@url_fixer("U018")
def without_parameter(url: str, case: FixContext) -> str | None:
    """Leave out a parameter that follows people, and not pages."""
    name = case.spot.parameter("parameter")
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
def with_one_slash(url: str, _case: FixContext) -> str | None:
    """Write one slash where two stand in the path."""
    scheme, authority, rest = split_origin(url)
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    single = re.sub(r"(?<!:)//+", "/", path)
    return f"{scheme}://{authority}{single}{rest[len(path) :]}"


@url_fixer("U030")
def over_https(url: str, _case: FixContext) -> str | None:
    """Write https instead of http."""
    return _HTTP.sub("https://", url, count=1)


@url_fixer("U027", whole=True)
def all_over_https(url: str, _case: FixContext) -> str | None:
    """Write https instead of http, in all URLs of the document."""
    return _HTTP.sub("https://", url, count=1)


@fixer("U020", "R010", "I003", "I502", "I503", effect="gone")
def remove_it(case: FixContext) -> Iterator[Change]:
    """Remove an entry that is no page, or that nobody may fetch, or that leads nowhere."""
    yield from remove_entry_of(case)


@fixer("U021", effect="gone", careful=True)
def remove_sitemap(case: FixContext) -> Iterator[Change]:
    """Remove the sitemap itself from its pages; other sitemaps only when asked for."""
    if case.is_unsafe or case.spot.loc == case.job.base:
        yield from remove_entry_of(case)

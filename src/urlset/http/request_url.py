"""Convert URLs to the form that is requested: ASCII, without fragment; keys for comparison."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from urlset.urls import is_host, normalize_escapes, split_origin

_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_LOGIN = re.compile(r"(?<=//)[^/?#\\]*@")
_AUTHORITY_END = re.compile(r"[/?#]")
_PORTS = {"http": "80", "https": "443"}
# Most URLs: a lower-case scheme, and a path of characters that are sent unchanged.
_ORDINARY = re.compile(r"(https?)://([^/?#]+)(/[!$-;=?-_a-z|~]*)", re.ASCII)
# Characters that browsers send unchanged; other ASCII and all non-ASCII characters are encoded.
_PLAIN = re.compile(r"[!#-;=?-_a-z|~]*", re.ASCII)
_KEPT = "!#$%&'()*+,/:;=?@[]\\^|~"


def request_url(url: str) -> str | None:
    """Return the URL to request for a URL as written; None if it is not an http(s) URL.

    The host is in lower case and in its ASCII form. Non-ASCII characters in the path are
    percent-encoded. The fragment and the user name are removed.

    >>> request_url("HTTPS://Bücher.example/ä?q=1#top")
    'https://xn--bcher-kva.example/%C3%A4?q=1'
    >>> request_url("file:///etc/passwd")
    """
    found = _split(url)
    return None if found is None else found[0] + found[1]


def origin_of(url: str) -> str | None:
    """Return the normalized origin (scheme, host, port) of a URL; None if it is not http(s).

    >>> origin_of("HTTP://Example.com:80/a"), origin_of("https://example.com:8443")
    ('http://example.com', 'https://example.com:8443')
    """
    found = _split(url)
    return None if found is None else found[0]


def host_of(origin: str) -> str:
    """Return the host of an origin, without the port, and for IPv6 without the brackets.

    >>> host_of("http://[::1]:8080"), host_of("https://example.com")
    ('::1', 'example.com')
    """
    authority = origin.partition("://")[2]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def site_host(url: str) -> str | None:
    """Return the host of a URL without ``www.``; None if it is not http(s).

    >>> site_host("https://www.example.com:8443/a")
    'example.com'
    """
    origin = origin_of(url)
    return None if origin is None else host_of(origin).removeprefix("www.")


def document_key(url: str) -> str:
    """Return a key that is equal for all spellings of one URL (RFC 3986 section 6.2.2).

    >>> document_key("HTTP://Example.com:80/%7ea%2fb#x") == document_key("http://example.com/~a%2Fb")
    True
    """
    return normalize_escapes(request_url(url) or url)


def without_login(url: str) -> str:
    """Return an http(s) URL without its user and password; other text is unchanged.

    >>> without_login("https://me:s3cret@example.com/a?b@c")
    'https://example.com/a?b@c'
    """
    if not _HTTP.match(url):
        return url
    scheme, mark, rest = url.partition("://")
    login, at, _ = _AUTHORITY_END.split(rest, maxsplit=1)[0].rpartition("@")
    return f"{scheme}{mark}{rest[len(login) + 1 :]}" if at else url


def expect_no_login(url: str, name: str) -> None:
    """Raise ``ValueError``, without the login, if the URL of the option ``name`` has one."""
    plain = _LOGIN.sub("", url, count=1)
    if plain != url:
        raise ValueError(
            f"expected {name} without a login, which everybody would read in the sitemaps, found "
            f"one before {plain!r}; remove it"
        )


@lru_cache(maxsize=1024)
def _origin(scheme: str, authority: str) -> str | None:
    authority = authority.rpartition("@")[2]
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, ""
    port = port.lstrip("0") or port[:1]
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65_536):
        return None
    if not is_host(host):
        return None
    name = ascii_host(host.lower())
    if name is None:
        return None
    tail = f":{port}" if port and port != _PORTS[scheme] else ""
    return f"{scheme}://{name}{tail}"


@lru_cache(maxsize=1024)  # a request needs the parts of its URL a dozen times
def _split(url: str) -> tuple[str, str] | None:
    """Return the origin and the rest of the URL to request; None if it is not http(s)."""
    if found := _ORDINARY.fullmatch(url):
        scheme, authority, rest = found.groups()
        origin = _origin(scheme, authority)
        return None if origin is None else (origin, rest)
    if not _HTTP.match(url):
        return None
    scheme, authority, rest = split_origin(url.partition("#")[0])
    origin = _origin(scheme.lower(), authority)
    if origin is None:
        return None
    if not rest.startswith("/"):
        rest = f"/{rest}"
    if _PLAIN.fullmatch(rest):
        return origin, rest
    try:
        return origin, quote(rest, safe=_KEPT)
    except UnicodeEncodeError:  # a lone surrogate
        return None


def ascii_host(host: str) -> str | None:
    """Return the ASCII form of a host name (UTS 46, IDNA 2008); None if it has none."""
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode()
    except UnicodeError:  # the base class of the errors of idna
        return None


# Characters that RFC 3986 does not allow in path and query; brackets stay, as in browsers.
_WRONG = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/?\[\]%-]+|%(?![0-9A-Fa-f]{2})")


def escaped(url: str) -> str | None:
    """Return an absolute URL in ASCII; None if the host or the text has no ASCII form.

    >>> escaped("https://example.com/käse?a|b#100%"), escaped("https://münchen.example/50%")
    ('https://example.com/k%C3%A4se?a%7Cb#100%', 'https://xn--mnchen-3ya.example/50%25')
    """
    rest, mark, fragment = url.partition("#")
    scheme, authority, rest = split_origin(rest)
    if not authority.isascii():
        account, at, host = authority.rpartition("@")
        name, colon, port = host.partition(":")
        found = ascii_host(name.lower())
        if found is None:
            return None
        authority = f"{account}{at}{found}{colon}{port}"
    try:
        return f"{scheme}://{authority}{_WRONG.sub(_percent, rest)}{mark}{fragment}"
    except UnicodeEncodeError:  # half of a surrogate pair
        return None


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())

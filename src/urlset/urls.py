"""One URL: what a document wrote, as the URL that is to be requested.

The rule of the house: a URL is kept as it was written, character for character, unless what
stands there cannot be requested at all. Then only repairs with one outcome are made (trimming,
a space to ``%20``, joining a wrapped line, resolving a reference), each of them reported; and
where no repair is certain, there is no URL.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import NamedTuple

__all__ = [
    "Flaw", "Url", "is_host", "read_url", "resolve", "split_origin", "split_urls", "split_words",
]  # fmt: skip

INNER_SPACE = (
    " \t\n\r\x0b\x0c\x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Unicode white space, and the byte order mark: what may not stand inside a URL."""

SPACE = INNER_SPACE + "\u200b\u200c\u200d\u2060"
"""The same and the zero-width characters that editors leave around a value.

Inside one they may belong to a word, as U+200C does in Persian, and are kept.
"""

ASCII_SPACE = " \t\n\r"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_ORDINARY = re.compile(r"https?://(?:[\w-]{1,63}\.)+[A-Za-z][\w-]{0,62}(?:/[!-~]*)?", re.ASCII)
_SPACE = re.compile(f"[{INNER_SPACE}]")
_PATH = re.compile("[/?#]")
_BLANKS = re.compile(r"[ \t\r\n]+")
_GAP = re.compile(f"[{INNER_SPACE}][{SPACE}]*+")
_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_HOST = re.compile(r"[A-Za-z0-9._~\x80-\U0010ffff-]+")
_PLACEHOLDER = re.compile(r"[<>{}\"|\\^`%]|\$\{")
_NUMBER = re.compile(r"[0-9]+")
_IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.|$)){4}")
_IPV6 = re.compile(r"\[[0-9A-Fa-f:.]+\]", re.ASCII)


class Flaw(NamedTuple):
    """A lint code found in a value, with the words that go into its message.

    ``level`` is None for the level of the rule.
    """

    code: str
    detail: str
    level: str | None = None


class Url(NamedTuple):
    """A URL as it is to be requested, or None; and what had to be forgiven."""

    url: str | None
    flaws: tuple[Flaw, ...]


def read_url(text: str, base: str | None = None) -> Url:
    """Read the text of a ``loc`` (or of a feed's link) as an http(s) URL.

    ``base`` is the URL of the document, for references without a scheme. ``url`` is None
    for what is no http(s) URL (``mailto:``, a broken host, a reference without a base).

    >>> read_url(" https://example.com/a b ").url
    'https://example.com/a%20b'
    >>> read_url("/a", "https://example.com/sitemap.xml").url
    'https://example.com/a'
    >>> read_url("javascript:void(0)").flaws[0].code
    'U002'
    """
    if len(text) < 254 and _ORDINARY.fullmatch(text):  # most URLs, in a third of the time
        return Url(text, ())
    flaws: list[Flaw] = []
    url = _trim(text, flaws)
    if _SPACE.search(url):
        url = _without_inner_space(url, flaws)
    if not _HTTP.match(url):
        absolute = _absolute(url, base, flaws)
        if absolute is None:
            return Url(None, tuple(flaws))
        url = absolute
    authority = split_origin(url)[1]
    if not _is_authority(authority):
        flaws.append(Flaw("U015", authority))
        return Url(None, tuple(flaws))
    return Url(url, tuple(flaws))


def split_urls(text: str) -> list[str]:
    """Split a value that holds several URLs, one after another; most values hold one.

    >>> split_urls("https://example.com/1 https://example.com/2")
    ['https://example.com/1', 'https://example.com/2']
    """
    if not _SPACE.search(text):
        return [text]
    parts: list[str] = []
    trimmed, begin = text.strip(SPACE), 0
    for gap in _GAP.finditer(trimmed):
        if _HTTP.match(trimmed, gap.end()):
            part = trimmed[begin : gap.start()].rstrip(SPACE)
            parts.append(part[:-1] if part[-1] in ",;" else part)
            begin = gap.end()
    return [*parts, trimmed[begin:]] if parts else [text]


def split_words(text: str) -> list[str]:
    """Split a trimmed value where there is white space in it.

    >>> split_words("https://example.com/1 \u200bhttps://example.com/2")
    ['https://example.com/1', 'https://example.com/2']
    """
    return _GAP.split(text)


def split_origin(url: str) -> tuple[str, str, str]:
    """Split an absolute URL into scheme, authority and all the rest.

    >>> split_origin("https://example.com:8080/a?b")
    ('https', 'example.com:8080', '/a?b')
    """
    scheme, _, rest = url.partition("://")
    end = _PATH.search(rest)
    return (scheme, rest, "") if end is None else (scheme, rest[: end.start()], rest[end.start() :])


def is_host(host: str) -> bool:
    """Tell whether a name could be looked up: labels of 1 to 63 characters, 253 in all.

    Underscores and international names pass, since servers answer to them.

    >>> is_host("xn--bcher-kva.example"), is_host("a..b"), is_host("{host}")
    (True, False, False)
    """
    if _IPV6.fullmatch(host):
        return _is_ipv6(host[1:-1])
    host = host.removesuffix(".")
    if not host or len(host) > 253 or not _HOST.fullmatch(host):
        return False
    labels = host.split(".")
    if host.lower() in ("http", "https"):  # http://https://example.com
        return False
    if _NUMBER.fullmatch(labels[-1]):  # https://url.spec.whatwg.org/#ends-in-a-number-checker
        return _IPV4.fullmatch(host) is not None
    return all(0 < len(label) < 64 for label in labels)


def resolve(reference: str, base: str) -> str:
    """Resolve a reference against a base URL (RFC 3986 section 5.2).

    >>> resolve("../b?c", "https://example.com/x/y/sitemap.xml")
    'https://example.com/x/b?c'
    """
    scheme, authority, path, query, fragment = _split(reference)
    base_scheme, base_authority, base_path, base_query, _ = _split(base)
    if scheme:
        return reference
    if authority is None:
        authority = base_authority
        if not path:
            path, query = base_path, query or base_query
        elif path.startswith("/"):
            path = _without_dots(path)
        else:
            path = _without_dots((base_path[: base_path.rfind("/") + 1] or "/") + path)
    if authority is not None and path and not path.startswith("/"):
        path = f"/{path}"
    return f"{base_scheme}://{authority or ''}{path}{query or ''}{fragment or ''}"


def _trim(text: str, flaws: list[Flaw]) -> str:
    url = text.strip(SPACE)
    if len(url) != len(text) and url:
        is_ascii = text.strip(ASCII_SPACE) == url
        flaws.append(Flaw("U005", "", "info" if is_ascii else None))
    return url


def _without_inner_space(url: str, flaws: list[Flaw]) -> str:
    """Join wrapped lines, as in https://url.spec.whatwg.org/#url-parsing, and encode spaces."""
    flaws.append(Flaw("U006", url))
    return _BLANKS.sub(_unwrapped, url).replace(" ", "%20")


def _unwrapped(blanks: re.Match[str]) -> str:
    is_wrap = "\n" in blanks[0] or "\r" in blanks[0]
    return "" if is_wrap else blanks[0].replace("\t", "")


def _absolute(url: str, base: str | None, flaws: list[Flaw]) -> str | None:
    scheme = _SCHEME.match(url)
    if scheme and scheme[1].lower() not in ("http", "https"):
        flaws.append(Flaw("U002", scheme[1]))
        return None
    flaws.append(Flaw("U001", url))
    if scheme or base is None or not _HTTP.match(base) or _is_doubtful(url):
        return None
    return resolve(url, base)


def _is_doubtful(url: str) -> bool:
    """Tell what only looks like a reference: resolving it as a path would invent a URL.

    That is a host without its scheme (``www.example.com``, ``example.com/a``; but not
    ``index.html``) and the placeholder of a template (``{{ site.url }}/a``).
    """
    first, slash, _ = url.partition("/")
    if not first or first[0] in ".?#":
        return False
    labels = first.split(".")
    is_name = slash != "" and len(labels) > 1 and labels[-1].isascii() and labels[-1].isalpha()
    return len(labels) > 2 or is_name or _PLACEHOLDER.search(first) is not None


def _is_ipv6(address: str) -> bool:
    try:
        IPv6Address(address)
    except ValueError:
        return False
    return True


def _is_authority(authority: str) -> bool:
    host = authority.rpartition("@")[2]
    if ":" in host and not host.endswith("]"):
        host, _, port = host.rpartition(":")
        if port and not (
            port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65536
        ):
            return False
    return is_host(host)


def _split(url: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    found = _PARTS.fullmatch(url)
    assert found is not None  # the pattern matches any text
    return found[1], found[2], found[3], found[4], found[5]


def _without_dots(path: str) -> str:
    """Remove ``.`` and ``..`` from an absolute path (RFC 3986 section 5.2.4)."""
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments[1:]:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)

"""Parse, repair, resolve and split the URLs that documents contain.

A valid URL is kept character for character. An invalid one is repaired only if the result is
unambiguous (trimming, removing quotes or brackets around it, a space to ``%20``, joining a wrapped
line, resolving a reference), and each repair is reported. Otherwise there is no URL.

:func:`scheme_of` decides whether a reference has a scheme, as RFC 3986 defines it.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import NamedTuple

INNER_SPACE = (
    " \t\n\r\x0b\x0c\x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Unicode white space and the byte order mark, which are not allowed inside a URL."""

SPACE = INNER_SPACE + "\u200b\u200c\u200d\u2060"
"""The same, and the zero-width characters that editors leave around a value.

Inside a value they are kept: they may belong to a word, as U+200C does in Persian.
"""

ASCII_SPACE = " \t\n\r"

# RFC 3986 section 3.1. Note: `scheme` in rust/core/src/urls is its equal.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_ORDINARY = re.compile(r"https?://(?:[\w-]{1,63}\.)+[A-Za-z][\w-]{0,62}(?:/[!-~]*)?", re.ASCII)
_SPACE = re.compile(f"[{INNER_SPACE}]")
_PATH = re.compile("[/?#]")
_DEFAULT_PORT = re.compile(
    r"(?:(https://[^/?#]*):(?:0*443)?|(http://[^/?#]*):(?:0*80)?)(?=[/?#]|$)", re.I
)
_BLANKS = re.compile(r"[ \t\r\n]+")
_GAP = re.compile(f"[{INNER_SPACE}][{SPACE}]*+")
_FIRST_SEGMENT = re.compile(r"[^/?#]*")
_PARTS = re.compile(r"(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_HOST = re.compile(r"[^\0-,/:-@\[-^`{-}\x7f]+")  # the letters of RFC 3986, and all not in ASCII
# Not in the first segment of a path (RFC 3986 section 3.3); nor a percent sign without two digits.
_NO_SEGMENT = re.compile(rf"[:<>{{}}\"|\\^`{INNER_SPACE}]|%(?![0-9A-Fa-f]{{2}})")
_NO_LETTERS = re.compile(r"[^A-Za-z]+")
_ABSENT = frozenset({"null", "undefined", "none", "nan"})  # values of empty template variables
_WRAPS = {
    '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "„": "“”", "«": "»",
    "(": ")", "[": "]", "<": ">",
}  # fmt: skip
_OPENERS = frozenset(_WRAPS) | frozenset("”’»)]>")
_NO_HOST = re.compile(f"[{INNER_SPACE}\x80-\x9f\ufffd]")
_NUMBER = re.compile(r"[0-9]+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})", re.ASCII)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.|$)){4}")
_IPV6 = re.compile(r"\[[0-9A-Fa-f:.]+\]", re.ASCII)


class UrlIssue(NamedTuple):
    """Problem of a URL: code of the rule, detail for the message, and level if it differs."""

    code: str
    detail: str
    level: str | None = None


class ParsedUrl(NamedTuple):
    """Result of parsing a URL: the URL to request, or None, and the problems of the text."""

    url: str | None
    issues: tuple[UrlIssue, ...]


def parse_url(text: str, base: str | None = None) -> ParsedUrl:
    """Parse the text of a ``loc`` (or of a feed's link) as an http(s) URL.

    ``base`` is the URL of the document, for references without a scheme. Quotes or brackets
    around a URL are removed, and a URL that begins with the host of ``base`` gets its scheme;
    both are reported (``U001``). ``url`` is None if the text is not an http(s) URL (``mailto:``,
    an invalid host, a reference without a base, other text).

    >>> parse_url(" https://example.com/a b ").url
    'https://example.com/a%20b'
    >>> parse_url("/a", "https://example.com/sitemap.xml").url
    'https://example.com/a'
    >>> parse_url("example.com/a", "https://example.com/sitemap.xml").url
    'https://example.com/a'
    >>> parse_url("(https://example.com/a)").url
    'https://example.com/a'
    >>> parse_url("javascript:void(0)").issues[0].code
    'U002'
    """
    if is_ordinary_url(text):
        return ParsedUrl(text, ())
    issues: list[UrlIssue] = []
    url = _trim(text, issues)
    bare = unwrap(url)
    if bare != url:
        issues.append(UrlIssue("U001", url))
        url = bare
    if "\ufffd" in url:  # replaces undecodable bytes; not allowed in an IRI (RFC 3987)
        return ParsedUrl(None, (*issues, UrlIssue("U001", url)))
    written = url
    if _SPACE.search(url):
        url = _repair_inner_space(url, issues)
    if not _HTTP.match(url):
        absolute = _absolute(url, written, base, issues)
        if absolute is None:
            return ParsedUrl(None, tuple(issues))
        url = absolute
    authority = split_origin(url)[1]
    if not _is_authority(authority):
        issues.append(UrlIssue("U015", authority))
        return ParsedUrl(None, tuple(issues))
    return ParsedUrl(url, tuple(issues))


def is_ordinary_url(text: str) -> bool:
    """Return whether :func:`parse_url` returns a text as it is; most URLs, in a third of the time.

    >>> is_ordinary_url("https://example.com/a"), is_ordinary_url("https://example.com/a b")
    (True, False)
    """
    return len(text) < 254 and _ORDINARY.fullmatch(text) is not None


def unwrap(text: str) -> str:
    """Remove quotes or brackets around a complete URL or path; return other text unchanged.

    >>> unwrap("“https://example.com/a”")
    'https://example.com/a'
    >>> unwrap('"https://example.com/1" "https://example.com/2"')
    '"https://example.com/1" "https://example.com/2"'
    """
    opener = text[:1]
    if opener not in _WRAPS or text[-1] not in _WRAPS[opener]:
        return text
    inner, closer = text[1:-1].strip(SPACE), text[-1]
    opens, closes = inner.find(opener), inner.find(closer)
    is_one = closes < 0 or (opener != closer and 0 <= opens < closes)
    is_url = _HTTP.match(inner) or inner.startswith("/")
    return inner if is_one and is_url and not _SPACE.search(inner) else text


def scheme_of(reference: str) -> str | None:
    """Return the scheme of a reference (RFC 3986 section 3.1), or None if it has none.

    >>> scheme_of("mailto:me@example.com"), scheme_of("1https://example.com"), scheme_of("/a:b")
    ('mailto', None, None)
    """
    found = _SCHEME.match(reference)
    return found[1] if found else None


def is_relative(reference: str) -> bool:
    """Return whether text is a relative reference: no scheme, no colon before the first slash.

    >>> is_relative("a/b:c"), is_relative("url=https://example.com"), is_relative("tel:1")
    (True, False, False)
    """
    return ":" not in _first_segment(reference)


def split_urls(text: str) -> list[str]:
    """Split a value that contains several URLs separated by white space; most contain one.

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


def has_space(text: str) -> bool:
    """Return whether a value contains Unicode white space, except zero-width characters.

    >>> has_space("a\u3000b"), has_space("a\u200bb")
    (True, False)
    """
    return _SPACE.search(text) is not None


def split_words(text: str) -> list[str]:
    """Split a trimmed value at white space.

    >>> split_words("https://example.com/1 \u200bhttps://example.com/2")
    ['https://example.com/1', 'https://example.com/2']
    """
    return _GAP.split(text)


def split_origin(url: str) -> tuple[str, str, str]:
    """Split an absolute URL into scheme, authority and the rest.

    >>> split_origin("https://example.com:8080/a?b")
    ('https', 'example.com:8080', '/a?b')
    """
    scheme, _, rest = url.partition("://")
    end = _PATH.search(rest)
    return (scheme, rest, "") if end is None else (scheme, rest[: end.start()], rest[end.start() :])


def without_default_port(url: str) -> str:
    """Return a URL without the port that its scheme has anyway (RFC 3986 section 6.2.3).

    It is so written, with zeros in front, or empty.

    >>> without_default_port("https://example.com:443/a"), without_default_port("http://e.com:443/")
    ('https://example.com/a', 'http://e.com:443/')
    >>> without_default_port("https://example.com:/a"), without_default_port("http://e.com:080")
    ('https://example.com/a', 'http://e.com')
    """
    found = _DEFAULT_PORT.match(url) if url.find(":", 7) >= 0 else None
    return url if found is None else f"{found[1] or found[2]}{url[found.end() :]}"


def is_host(host: str) -> bool:
    """Return whether a host name is valid: labels of 1 to 63 characters, at most 253 in total.

    Underscores and international names are allowed, since servers use them.

    >>> is_host("xn--bcher-kva.example"), is_host("a..b"), is_host("{host}")
    (True, False, False)
    """
    if _IPV6.fullmatch(host):
        return _is_ipv6(host[1:-1])
    host = host.removesuffix(".")
    if not host or len(host) > 253 or not _HOST.fullmatch(host) or _NO_HOST.search(host):
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
    plain = _PLAIN_REFERENCE.fullmatch(reference)
    folder = plain and _PLAIN_FOLDER.match(base)
    if plain and folder:  # most references, in a third of the time
        path = folder[2]
        for _ in range(plain.start(1) // 3):
            path = path[: path.rfind("/") if path else 0]
        return f"{folder[1]}{path}/{plain[1]}"
    if scheme_of(reference):
        return reference
    authority, path, query, fragment = _split(reference)
    base_scheme = scheme_of(base)
    base_authority, base_path, base_query, _ = _split(base.removeprefix(f"{base_scheme}:"))
    if authority is None:
        authority = base_authority
        if not path:
            path, query = base_path, query or base_query
        elif path.startswith("/"):
            path = remove_dot_segments(path)
        else:
            path = remove_dot_segments((base_path[: base_path.rfind("/") + 1] or "/") + path)
    if authority is not None and path and not path.startswith("/"):
        path = f"/{path}"
    return f"{base_scheme}://{authority or ''}{path}{query or ''}{fragment or ''}"


# `../` any number of times, and the path of a file without dot segments and empty ones. A base URL
# with a path of such segments, and its folder.
_NAME = r"[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+"
_PLAIN_REFERENCE = re.compile(rf"(?>(?:\.\./)*)((?>(?:{_NAME}/)*){_NAME})")
_PLAIN_FOLDER = re.compile(
    rf"(https?://[A-Za-z0-9.:-]++)((?>(?:/{_NAME}(?=/))*))(?:/(?:{_NAME})?)?\Z"
)


def remove_dot_segments(path: str) -> str:
    """Remove ``.`` and ``..`` from an absolute path (RFC 3986 section 5.2.4).

    The SQL macro of the same name and ``without_dots`` in rust/core/src/urls/resolve.rs do the
    same; tests compare them.

    >>> remove_dot_segments("/a/./b/../c"), remove_dot_segments("/a/..")
    ('/a/c', '/')
    """
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def normalize_escapes(text: str) -> str:
    """Return text with escapes in upper case, and unreserved characters unescaped.

    This is the normal form of RFC 3986 section 6.2.2.

    >>> normalize_escapes("/%7eb%c3")
    '/~b%C3'
    """
    return _ESCAPE.sub(_normal_escape, text)


def _normal_escape(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16))
    return char if char in _UNRESERVED else escape[0].upper()


def _trim(text: str, issues: list[UrlIssue]) -> str:
    url = text.strip(SPACE)
    if len(url) != len(text) and url:
        is_ascii = text.strip(ASCII_SPACE) == url
        issues.append(UrlIssue("U005", "", "info" if is_ascii else None))
    return url


def _repair_inner_space(url: str, issues: list[UrlIssue]) -> str:
    """Remove line breaks and tabs, as https://url.spec.whatwg.org does; encode other spaces."""
    issues.append(UrlIssue("U006", url))
    return _BLANKS.sub(_join_lines, url).replace(" ", "%20")


def _join_lines(blanks: re.Match[str]) -> str:
    is_wrap = "\n" in blanks[0] or "\r" in blanks[0]
    return "" if is_wrap else blanks[0].replace("\t", "")


def _absolute(url: str, written: str, base: str | None, issues: list[UrlIssue]) -> str | None:
    """Resolve a relative reference and record the issue, or return None if it is ambiguous.

    ``written`` is the reference before spaces were encoded.
    """
    scheme = scheme_of(url)
    if scheme and scheme.lower() not in ("http", "https"):
        issues.append(UrlIssue("U002", scheme))
        return None
    if not any(issue.code == "U001" for issue in issues):
        issues.append(UrlIssue("U001", url))
    if scheme or base is None or not _HTTP.match(base):
        return None
    base_scheme, authority, _ = split_origin(base)
    first = _first_segment(written)
    if "." in first and _ascii_lower(first) == _ascii_lower(authority.rpartition("@")[2]):
        return f"{base_scheme}://{url}"
    return None if _is_ambiguous(first, written[len(first) :]) else resolve(url, base)


def _is_ambiguous(first: str, rest: str) -> bool:
    """Return whether text might not be a relative reference: resolving it could make a wrong URL.

    Examples are a host without its scheme (``www.example.com``, ``example.com/a``; but not
    ``index.html``), a broken scheme (``1https://``, ``https//``), text in quotes or with spaces,
    and the placeholder of a template (``{{ site.url }}/a``, ``undefined/a``).
    """
    if not first:
        return False
    if _NO_SEGMENT.search(first) or first[0] in _OPENERS:
        return True
    if first[0] == ".":
        return False
    if first.lower() in _ABSENT or _NO_LETTERS.sub("", first).lower() in ("http", "https"):
        return True
    labels = first.split(".")
    is_name = rest.startswith("/") and len(labels) > 1
    return len(labels) > 2 or (is_name and labels[-1].isascii() and labels[-1].isalpha())


def _ascii_lower(text: str) -> bytes:
    return text.encode(errors="surrogatepass").lower()


def _first_segment(reference: str) -> str:
    found = _FIRST_SEGMENT.match(reference)
    return found[0] if found else ""


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


def _split(url: str) -> tuple[str | None, str, str | None, str | None]:
    """Split the part after the scheme into authority, path, query and fragment."""
    found = _PARTS.fullmatch(url)
    assert found is not None  # the pattern matches any text
    return found[1], found[2], found[3], found[4]

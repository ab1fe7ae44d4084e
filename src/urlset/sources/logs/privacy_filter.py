"""Convert request targets of a log to paths of pages, without private data.

A request is treated as private by default: only named parameters of a query string are kept, and a
target that may identify a person or a session is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from urlset.errors import ConfigurationError
from urlset.urls import is_host, split_origin

REFUSALS = {
    "asset": "files that are no pages (styles, scripts, images, fonts, feeds …)",
    "hidden": "hidden files, and administration paths (/.git, /wp-login.php …)",
    "odd": "invalid targets (%00, ../, // …)",
    "private": "targets that may identify a person or a session",
    "host": "requests for another host",
}
"""Reasons for which a target is no page of the site, each with its text in the notes."""

MAX_TARGET = 2_047  # bytes: the protocol's "less than 2,048 characters" of a whole URL

# Parts of pages, and files for programs. Documents (.pdf, .docx) are pages: search engines
# list them (https://developers.google.com/search/docs/crawling-indexing/indexable-file-types).
_ASSETS = frozenset(
    (
        "css js mjs cjs map json jsonld xml xsl txt ico cur png jpg jpeg jpe jfif gif webp avif "
        "svg svgz bmp tif tiff heic woff woff2 ttf otf eot mp3 mp4 m4a m4v mov avi webm ogg ogv "
        "oga wav flac mkv m3u8 mpd ts vtt srt wasm webmanifest manifest appcache zip gz tgz bz2 xz "
        "7z rar tar zst br exe msi dmg pkg deb rpm apk iso bin swf rss atom rdf ics vcf csv tsv "
        "yml yaml toml ini conf log sql bak old swp key pem crt asc sig md5 sha1 sha256"
    ).split()
)
_ADMIN_PATHS = re.compile(
    r"/(?:wp-(?:admin|includes|content|json)(?:/|$)|wp-[a-z-]+\.php|xmlrpc\.php|cgi-bin/"
    r"|cdn-cgi/|phpmyadmin|server-status$|_next/|_nuxt/|__)"
)
_VALID_PATH = re.compile(r"(?>(?:[!$&-.0-9:;=@A-Z_a-z~/]|%[2-9A-F][0-9A-F])*)")
_INVALID_PATH = re.compile(r"//|/\.\.?(?:/|$)|%(?:7F|2F|5C|3F|25)|&[^/&=]*=")
# E-mail addresses, signed tokens, sessions of ASP.NET.
_PERSONAL = re.compile(r"[^/@]@[^/@]*\.|/eyj[\w-]{10}|/\([a-z]\(")
# Words in a path that precede a secret, in the next part or the one after: /reset/en/0f3a…
_SECRET_WORDS = (
    "sess token reset verif confirm unsubscribe invit activat passw magic login optout".split()
)
# Words in a path that precede the number of a person, an order or a telephone.
_NUMBER_WORDS = re.compile(
    r"/(?:my-?)?(?:accounts?|users?|members?|customers?|clients?|patients?|profiles?|persons?"
    r"|orders?|invoices?|receipts?|bookings?|reservations?|payments?|transactions?|baskets?"
    r"|carts?|checkouts?|otp|pin|tel|phones?|call|sms|ip|u)/(?:[a-z]{2}/)?"
    r"(?:[a-z]{1,4}[-_]?)?[0-9][0-9_-]{2,40}(?:/|$)"
)
# Telephone numbers, long numbers, those of cards in groups, addresses of the Internet (IPv4 and
# IPv6) and of the link layer.
_NUMBERS = re.compile(
    r"/(?:\+|%2b|00)[0-9][0-9().-]{6,20}(?:/|$)|(?<![0-9])[0-9]{12}"
    r"|(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9.])|/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?:/|$)"
    r"|(?<![0-9])[0-9]{4}-(?:[0-9]{4}-[0-9]{4}-[0-9]{4}|[0-9]{6}-[0-9]{5})(?![0-9])"
    r"|/(?=[0-9a-f:]{0,40}::|(?:[0-9a-f]{1,4}:){7})[0-9a-f:.]{3,45}(?:/|$)"
)
_HOME = re.compile(r"/~[^/]")
# A part of a path that is long enough for a token.
_WORD = re.compile(r"[A-Za-z0-9_~=-]{16,}+")
# Letters and digits mixed, unlike a slug: /sessions/2026-opening-keynote is a page.
_SECRET = re.compile(
    r"(?=[a-z_~=]{0,15}[0-9])(?=[0-9_~=]{0,15}[a-z])[0-9a-z_~=]{16}|[0-9a-f]{8}-[0-9a-f]{4}-"
)
_CODE = re.compile(r"[0-9]{5,40}")
_PARAMETER = re.compile(r"(?:;|%3B)(?>(?:[^/;=%]|%(?!3[BD]))*)(?:=|%3D)[^/]*+")
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})|[^!-~]")
_PLAIN_PATH = re.compile(rb"[!$&-.0-9:=@A-Z_a-z~/]*+")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~@")
_ABSOLUTE = re.compile(rb"https?://", re.IGNORECASE)


class TargetFilter:
    """Converts the request targets of one site to paths of pages.

    Args:
        base_url: Its scheme and host are those of the site; its path is ignored.
        keep_parameters: Names of query parameters that identify a page (``id``, ``page``), in the
            order in which they are written.
        keep_assets: Accept styles, scripts, images and the like.

    Raises:
        urlset.ConfigurationError: The base URL has no host.

    >>> targets = TargetFilter("https://example.com/", keep_parameters=["page"])
    >>> targets.clean(b"/a%7eb;jsessionid=1?sid=2&page=3")
    ('/a~b?page=3', None)
    >>> targets.clean(b"/reader@example.com/settings"), targets.clean(b"/.git/config")
    ((None, 'private'), (None, 'hidden'))
    """

    def __init__(
        self, base_url: str, *, keep_parameters: Iterable[str] = (), keep_assets: bool = False
    ):
        scheme, authority, _ = split_origin(base_url)
        self.host: bytes = _host_of(authority.encode())
        if scheme.lower() not in ("http", "https") or not is_host(self.host.decode()):
            raise ConfigurationError(
                f"expected a base URL as https://example.com/, found {base_url!r}"
            )
        try:
            self._ascii_host = self.host.decode().encode("idna")  # as servers log it
        except UnicodeError:
            self._ascii_host = self.host
        self.origin: str = f"{scheme.lower()}://{authority.rpartition('@')[2].lower()}"
        self.keep: tuple[str, ...] = tuple(keep_parameters)
        self._keep_assets = keep_assets
        self._hosts: dict[bytes, bool] = {}

    def is_site_host(self, host: bytes) -> bool:
        """Return whether a host in a log, with or without a port, is that of the site."""
        known = self._hosts.get(host)
        if known is None:
            if len(self._hosts) > 10_000:  # a client may send any host
                self._hosts.clear()
            known = self._hosts[host] = _host_of(host) in (self.host, self._ascii_host)
        return known

    def clean(self, target: bytes) -> tuple[str | None, str | None]:
        """Convert a request target to the path of a page, or else to a key of :data:`REFUSALS`.

        Percent-encoding is normalized as in RFC 3986 section 6.2.2; the path is otherwise
        unchanged, as in :mod:`urlset.urls`. No target raises an error.
        """
        if _ABSOLUTE.match(target):
            authority, slash, rest = target.partition(b"//")[2].partition(b"/")
            if b"?" in authority or b"#" in authority or not self.is_site_host(authority):
                return None, "host"
            target = slash + rest or b"/"
        if target[:1] == b"/" and len(target) <= MAX_TARGET and _PLAIN_PATH.fullmatch(target):
            return self._checked(target.decode("ascii"))  # nearly all targets; saves half the time
        raw, _, query = target.partition(b"#")[0].partition(b"?")
        if not raw.startswith(b"/") or len(raw) > MAX_TARGET:
            return None, "odd"
        path = raw.decode("ascii") if _PLAIN_PATH.fullmatch(raw) else _normalize_escapes(raw)
        if ";" in path or "%3B" in path:
            path = _PARAMETER.sub("", path)
        if not _VALID_PATH.fullmatch(path):
            return None, "odd"
        return self._checked(path, self._kept_query(query) if self.keep and query else "")

    def _checked(self, path: str, query: str = "") -> tuple[str | None, str | None]:
        refusal = self._refusal(path)
        if refusal is None and len(self.origin) + len(path) + len(query) > MAX_TARGET:
            refusal = "odd"
        return (path + query, None) if refusal is None else (None, refusal)

    def _refusal(self, path: str) -> str | None:
        # A regular expression takes as long as ten searches for a word, and there are many paths.
        lower = path.lower()
        if ("//" in path or "/." in path or "%" in path or "&" in path) and _INVALID_PATH.search(
            path
        ):
            return "odd"
        if "/." in path or _ADMIN_PATHS.search(lower):
            return "hidden"
        if ("@" in path or "(" in path or "/eyj" in lower) and _PERSONAL.search(lower):
            return "private"
        for word in _SECRET_WORDS:
            if word in lower and _has_secret_after(lower):
                return "private"
        if _is_personal(path, lower):
            return "private"
        _, dot, ending = lower.rpartition("/")[2].rpartition(".")
        return "asset" if dot and ending in _ASSETS and not self._keep_assets else None

    def _kept_query(self, query: bytes) -> str:
        """Return the query without parameters other than ``keep_parameters``, in their order."""
        found: dict[str, str] = {}
        for part in query.split(b"&", 100)[:100]:
            text = _normalize_escapes(part)
            found.setdefault(text.partition("=")[0], text)
        kept = [found[name] for name in self.keep if name in found]
        return "?" + "&".join(kept) if kept else ""


_CAPITALS = re.compile(r"[A-Z]{1,20}[a-z]?(?=[A-Z0-9]|$)")
TOKEN_CAPITALS = 3
"""Capitals without a word of their own, from which a long word is taken for a token."""

_FIGURE = re.compile(r"[0-9]{3}|[0-9]\.[0-9]|[0-9a-f]:")


def _is_personal(path: str, lower: str) -> bool:
    """Return whether a path has the number of a person or an order, a token, or a home folder."""
    if _FIGURE.search(lower) and (_NUMBER_WORDS.search(lower) or _NUMBERS.search(lower)):
        return True
    if "/~" in path and _HOME.search(path):
        return True
    return any(_is_token(word) for word in _WORD.findall(path)) if path != lower else False


def _is_token(word: str) -> bool:
    """Return whether capitals stand in a word as in no name: ``AbCdEf``, not ``MagSafeCase``."""
    return len(_CAPITALS.findall(word)) >= TOKEN_CAPITALS


def _host_of(authority: bytes) -> bytes:
    """Return the host of an authority in lower case, without user, port and final dot."""
    host = authority.rpartition(b"@")[2].lower()
    name, colon, port = host.rpartition(b":")
    is_port = colon and (port.isdigit() or not port)
    return (name if is_port else host).removesuffix(b".")


def _has_secret_after(path: str) -> bool:
    """Return whether a path has a likely secret after a word such as ``reset`` or ``token``."""
    parts = path.split("/")
    return any(
        _SECRET.search(part) or ("sess" not in name and _CODE.fullmatch(part))
        for number, name in enumerate(parts)
        if any(word in name for word in _SECRET_WORDS)
        for part in parts[number + 1 : number + 3]
    )


def _normalize_escapes(raw: bytes) -> str:
    return _ESCAPED.sub(_normalize_escape, raw).decode("ascii")


def _normalize_escape(found: re.Match[bytes]) -> bytes:
    byte = int(found[1], 16) if found[1] else found[0][0]
    return bytes((byte,)) if byte in _UNRESERVED and found[1] else b"%%%02X" % byte

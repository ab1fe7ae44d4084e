"""Resolve and percent-encode the URLs of a batch, so that no reader has to repair them.

Most URLs are canonical already, or are paths that only need the base in front. One pattern each
recognizes them. The rest are parsed as :func:`urlset.write` parses them. A URL that it rejects
stays unchanged, and is rejected with its reason later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from urlset import engine as engines
from urlset.arrow import ENTRY, array_of, batches, column_of
from urlset.builder.options import BuildOptions
from urlset.builder.url_exclusions import (
    SESSION_ID,
    SITEMAP,
    SITEMAP_ENDINGS,
    NonPageUrls,
    without_tracking,
)
from urlset.http.request_url import escaped
from urlset.model import Entry
from urlset.url_patterns import PLACEHOLDER, SEGMENT_PLACEHOLDER
from urlset.urls import ASCII_SPACE, parse_url, split_origin, without_default_port
from urlset.writer.values import dot_segment

CREDENTIALS = "user name or password in the URL"
"""The reason to exclude a URL that contains credentials."""

TEMPLATE = "unfilled template value in the URL"
"""The reason to exclude a URL in which a template left a placeholder."""

CANONICAL_VERSION = 3
"""Version of the canonical form and of the reasons to exclude. Increase it with each change: rows
that a ledger has are not inspected again."""

GUESSED = (TEMPLATE, SESSION_ID, SITEMAP)
"""Reasons that are inferred from the form of a URL: a ``keep`` filter overrides them."""

# Characters that RFC 3986 allows in path and query. Note: brackets, colons and their encoded forms
# may belong to an unfilled template, and are inspected separately.
_PIECE = r"[A-Za-z0-9._~!$&'()*+,;=@/?-]++|%(?!7[BbDd]|5[BbDd])[0-9A-Fa-f]{2}"
_REST = rf"(?>(?:{_PIECE})*)"
_CANONICAL = re.compile(rf"https?://[A-Za-z0-9._-]+(?::[0-9]{{1,5}})?(?:[/?]{_REST})?", re.ASCII)
_ROOTED = re.compile(rf"/(?![/.])(?!\S*/\.){_REST}", re.ASCII)
# Relative names, except words for null and broken schemes.
_NO_NAME = (
    r"(?i:(?:null|undefined|none|nan)(?![A-Za-z0-9_~-])"
    r"|[^A-Za-z]*h[^A-Za-z]*t[^A-Za-z]*t[^A-Za-z]*p)"
)
_NAME = re.compile(rf"(?!{_NO_NAME})[A-Za-z0-9_~-]++(?!\S*/\.)(?:[/?]{_REST})?", re.ASCII)
# All URLs of a batch, one per line; the last one may not be empty.
_NEXT = r"(?:\n(?!\Z)|\Z)"
_ALL_CANONICAL = re.compile(rf"(?>(?:{_CANONICAL.pattern}{_NEXT})+)", re.ASCII)
_ALL_ROOTED = re.compile(rf"(?>(?:{_ROOTED.pattern}{_NEXT})+)", re.ASCII)
# Characters that XML cannot contain: such URLs are rejected, not encoded.
_FORBIDDEN = re.compile(r"[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
_SUSPICIOUS = ("undefined", "null", "NaN", "__")
# A canonical URL without any of these has no credentials, session, tracking parameter, default port
# or name of a sitemap.
_MARKS = ("?", *_SUSPICIOUS, "&amp;", ";", "(", ":443", ":80", ":0", *SITEMAP_ENDINGS)
_FIELDS = {
    "images": ("loc",),
    "videos": ("thumbnail_loc", "content_loc", "player_loc"),
    "alternates": ("href",),
}
_SPECS = dict(ENTRY.fields)


class CanonicalUrls:
    """Canonical forms of entry URLs, and the reasons to exclude URLs that are not pages.

    ``encoded`` counts repaired URLs, ``example`` is the original text of the first one.
    ``untracked`` counts URLs that lost tracking parameters, ``without_port`` those that lost the
    default port of their scheme, ``secured`` URLs whose scheme was changed from http to the https
    of the base URL.

    >>> urls = CanonicalUrls(BuildOptions(base_url="https://example.com/"))
    >>> urls.url("/käse?a|b"), urls.url("/100%"), urls.encoded
    ('https://example.com/k%C3%A4se?a%7Cb', 'https://example.com/100%25', 2)
    """

    def __init__(self, settings: BuildOptions):
        self.encoded: int = 0
        self.untracked: int = 0
        self.secured: int = 0
        self.without_port: int = 0
        self.example: str | None = None
        self._base = settings.base
        scheme, authority, _ = split_origin(settings.base)
        self._origin = f"{scheme}://{authority}"
        self._is_secure = scheme == "https"
        self._marks = [*_MARKS, "http://"] if self._is_secure else [*_MARKS]
        self._engine = engines.get(settings.engine)
        self._folder = settings.base[: settings.base.rfind("/") + 1]
        self._is_text = settings.is_text
        self._non_pages = NonPageUrls(settings)
        # http URLs of the host, if the base URL has https.
        insecure = rf"http://{re.escape(authority)}(?![^/?#])" if scheme == "https" else r"(?!)"
        self._insecure = re.compile(insecure, re.IGNORECASE)

    def of(self, entries: Any) -> tuple[Any, list[str | None] | None]:
        """Convert a batch of entries to canonical URLs; return it, and reasons to exclude rows."""
        if self._engine.are_canonical(batches.as_table(entries), _MARKS, self._is_secure):
            return entries, None
        originals = batches.column_values(entries, "loc")
        reasons: list[str | None] | None = None
        joined = _joined(originals)
        if rows := self._uncertain_rows(originals, joined):
            is_all = len(rows) == len(originals)
            inspected = originals if is_all else [originals[row] for row in rows]
            urls = self._without_default_ports(self._canonical(inspected))
            result = [*self._untracked(self._upgrade_to_https(urls))]
            found = self._exclusion_reasons(result)
            if found is not None:
                reasons = found if is_all else _with_rows([None] * len(originals), rows, found)
            if result != inspected:
                whole = result if is_all else _with_rows(originals, rows, result)
                entries = batches.replace_column(entries, "loc", batches.text_array(whole))
        for name, fields in _FIELDS.items() if not self._is_text else ():
            if name in entries.schema.names and batches.has_values(entries, name):
                entries = self._with_nested(entries, name, fields)
        return entries, reasons

    def _uncertain_rows(self, urls: list[str | None], joined: str | None) -> Sequence[int]:
        """Return the rows whose URL may have to be changed or excluded, by quick tests.

        Most URLs of most batches are plain. ``joined`` has all URLs, one per line, if that is
        possible.
        """
        found: set[int] = set()
        for mark in self._marks:
            if joined is None or mark in joined:
                rows = [row for row, url in enumerate(urls) if url and mark in url]
                if len(rows) == len(urls):
                    return rows
                found.update(rows)
        if joined is None or not _ALL_CANONICAL.fullmatch(joined):
            match = _CANONICAL.fullmatch
            found |= {row for row, url in enumerate(urls) if url is not None and not match(url)}
        return sorted(found)

    def _canonical(self, originals: list[str | None]) -> list[str | None]:
        """Return canonical URLs; a batch of uniform URLs is recognized at once."""
        if (joined := _joined(originals)) is not None and "&amp;" not in joined:
            if _ALL_CANONICAL.fullmatch(joined):
                return originals
            if _ALL_ROOTED.fullmatch(joined):
                result = self._origin + joined.replace("\n", f"\n{self._origin}")
                return [*result.split("\n")]
        return [
            url if url is None or is_canonical(url) else self.url(url, is_page=True)
            for url in originals
        ]

    def url(self, text: str, *, is_page: bool = False) -> str:
        """Return a URL in the form in which it is published, or the same text if it is not a URL.

        A page URL with an unfilled template value is excluded, and stays unchanged.
        """
        trimmed = text.strip(ASCII_SPACE)
        plain = unescaped(trimmed)
        if _ROOTED.fullmatch(plain):
            result = self._origin + plain
        elif _NAME.fullmatch(plain):
            result = self._folder + plain
        elif _CANONICAL.fullmatch(plain):
            result = plain
        elif not plain or _FORBIDDEN.search(plain) or (is_page and is_unfilled(plain)):
            return text
        else:
            if dot_segment(plain):
                return text
            read = parse_url(plain, self._base)
            if read.url is None or any(flaw.code != "U001" for flaw in read.issues):
                return text
            found = escaped(read.url)
            if found is None:
                return text
            result = found
            if result != read.url and plain == trimmed:
                self._count(text)
        if plain != trimmed:
            self._count(text)
        return result

    def _without_default_ports(self, urls: list[str | None]) -> list[str | None]:
        result = [url and without_default_port(url) for url in urls]
        self.without_port += sum(url != old for url, old in zip(result, urls, strict=True))
        return result

    def _upgrade_to_https(self, urls: list[str | None]) -> list[str | None]:
        """Return URLs with http changed to https on the host of the base URL, if that is https."""
        if not any(map(self._insecure.match, filter(None, urls))):
            return urls
        result = [url and self._as_secure(url) for url in urls]
        self.secured += sum(url != old for url, old in zip(result, urls, strict=True))
        return result

    def _as_secure(self, url: str) -> str:
        return f"https{url[4:]}" if self._insecure.match(url) else url

    def _untracked(self, urls: list[str | None]) -> list[str | None]:
        """Return URLs without the parameters that only identify campaigns."""
        result = without_tracking(urls)
        if result is urls:
            return urls
        self.untracked += sum(url != old for url, old in zip(result, urls, strict=True))
        return result

    def _count(self, text: str) -> None:
        self.encoded += 1
        self.example = self.example or text

    def _exclusion_reasons(self, result: list[str | None]) -> list[str | None] | None:
        """Return a reason to exclude, or None, for each row; None if no URL is excluded.

        Passwords in ``result`` are masked.
        """
        reasons: list[str | None] = [None] * len(result)
        joined = "\n".join(url for url in result if url is not None)
        suspicious = [word for word in _SUSPICIOUS if word in joined]
        is_plain = not suspicious and _ALL_CANONICAL.fullmatch(joined) is not None
        for row, url in enumerate(result if not is_plain else ()):
            if url is None or (_CANONICAL.fullmatch(url) and not any(w in url for w in suspicious)):
                continue
            authority = split_origin(url)[1]
            if "@" in authority and url.lower().startswith("http"):
                reasons[row] = CREDENTIALS
                result[row] = url.replace(authority, "***@" + authority.rpartition("@")[2], 1)
            elif is_unfilled(url):
                reasons[row] = TEMPLATE
        self._non_pages.add_reasons(result, reasons, joined)
        return reasons if any(reasons) else None

    def _with_nested(self, entries: Any, name: str, fields: tuple[str, ...]) -> Any:
        """Return entries with canonical URLs of images, videos or alternates."""
        columns = [batches.list_field_values(entries, name, field) for field in fields]
        if all(self._are_done([url for url in urls if url is not None]) for urls in columns):
            return entries
        rows = column_of(entries.column(name), name, _SPECS[name])
        result = [tuple(self._item(item, fields) for item in items) for items in rows]
        return batches.replace_column(entries, name, array_of(result, _SPECS[name]))

    def _are_done(self, urls: list[str | None]) -> bool:
        """Return whether all URLs are certainly canonical, and none changes its scheme."""
        joined = _joined(urls)
        if joined is None:
            return not urls
        is_plain = _ALL_CANONICAL.fullmatch(joined) is not None and "&amp;" not in joined
        # Note: the pattern matches at the start of a URL, with http as its scheme.
        return is_plain and ("http:" not in joined.lower() or not self._changes_scheme(urls))

    def _changes_scheme(self, urls: list[str | None]) -> bool:
        return any(url is not None and self._insecure.match(url) for url in urls)

    def _item(self, item: Any, fields: tuple[str, ...]) -> Any:
        values = {field: getattr(item, field) for field in fields}
        result = {field: self.url(url) for field, url in values.items() if url}
        if "href" in result:
            result["href"] = self._as_secure(result["href"])
        return item._replace(**result) if result != values else item


def without_fragments(entries: Iterable[Entry]) -> tuple[list[Entry], int]:
    """Return entries without fragments in their URLs, and the number of fragments removed.

    A fragment is a position in a page, and a page is listed once (RFC 3986 section 3.5).

    >>> without_fragments([Entry("/tea#green"), Entry("/milk")])[0][0].loc
    '/tea'
    """
    kept, count = [], 0
    for entry in entries:
        if entry.loc and "#" in entry.loc:  # a source may have no URL in a row
            entry, count = entry._replace(loc=entry.loc.partition("#")[0]), count + 1
        kept.append(entry)
    return kept, count


def _with_rows(
    values: list[str | None], rows: Sequence[int], replacements: Sequence[str | None]
) -> list[str | None]:
    """Return a copy of a list in which some values are replaced."""
    result = [*values]
    for row, value in zip(rows, replacements, strict=True):
        result[row] = value
    return result


def _joined(urls: list[str | None]) -> str | None:
    """Join URLs by newlines; None if one is missing or contains a newline."""
    if not urls or None in urls:
        return None
    joined = "\n".join(url for url in urls if url is not None)
    return joined if joined.count("\n") == len(urls) - 1 else None


def unescaped(url: str) -> str:
    """Decode the HTML-escaped ampersands of a URL, also if they were escaped twice."""
    while "&amp;" in url or "&#38;" in url:
        url = url.replace("&amp;", "&").replace("&#38;", "&")
    return url


def is_canonical(url: str) -> bool:
    """Return whether a URL is certainly absolute and in canonical form; False if in doubt."""
    return _CANONICAL.fullmatch(url) is not None and "&amp;" not in url


def is_unfilled(url: str) -> bool:
    """Return whether a template left a placeholder in a URL.

    >>> is_unfilled("https://example.com/{{ slug }}"), is_unfilled("https://example.com/a")
    (True, False)
    """
    rest = split_origin(url)[2] if "://" in url else url
    templates, segments = _patterns()
    return templates.search(url) is not None or segments.search(rest) is not None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two patterns for unfilled placeholders of templates in URLs (rule U019)."""
    return re.compile(PLACEHOLDER, re.ASCII), re.compile(SEGMENT_PLACEHOLDER, re.ASCII)

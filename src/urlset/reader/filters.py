"""Filter entries by date, URL pattern, host and location rule, and the children of indexes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from urlset.dates import parse_date
from urlset.document import Document
from urlset.model import Sitemap
from urlset.option_names import option
from urlset.pattern_warnings import warn_of_patterns
from urlset.reader.documents import DocumentRecord

Moment = str | date | datetime
"""A moment: text in W3C form (``2026-01-31``), a day (its midnight UTC), or an instant."""

Patterns = str | re.Pattern[str] | Iterable[str | re.Pattern[str]]
"""A regular expression, or several: a URL matches if it contains a match of one of them."""

EntryScope = Literal["any", "sitemap"]
"""Where the URLs of entries may be: anywhere, or only where the location rule permits them."""

_FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}

# Longest period that a date of each precision denotes.
_LENGTHS = {"year": timedelta(366), "month": timedelta(31), "day": timedelta(1)}


class EntryFilter(NamedTuple):
    """Filter of entries; the default matches all of them.

    ``since`` excludes entries that are older or have no date. One of ``include`` must be found in
    the URL, if there are any, and none of ``exclude``. ``hosts`` are the allowed hosts, with a port
    unless it is the default one. The ``scope`` ``sitemap`` excludes URLs that the location rule
    forbids for the sitemap; if the URL of the sitemap is unknown, the rule is not applied.
    """

    since: datetime | None = None
    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    hosts: frozenset[str] | None = None
    scope: EntryScope = "any"

    @classmethod
    def of(
        cls,
        *,
        since: Moment | None = None,
        include: Patterns = (),
        exclude: Patterns = (),
        hosts: Iterable[str] | None = None,
        scope: EntryScope = "any",
    ) -> EntryFilter:
        """Return the filter for user input; raises ``ValueError`` for an invalid value."""
        return cls(
            None if since is None else _instant(since),
            compile_patterns(option("include"), include),
            compile_patterns(option("exclude"), exclude),
            None if hosts is None else frozenset(_hosts(hosts)),
            scope,
        )

    @property
    def matches_all(self) -> bool:
        """Whether no entry is excluded."""
        return self == EntryFilter()

    def matches(self, loc: str, lastmod: datetime | None, record: DocumentRecord) -> bool:
        """Return whether an entry of a document passes the filter."""
        if self.since is not None and (lastmod is None or lastmod < self.since):
            return False
        if self.include and not any(pattern.search(loc) for pattern in self.include):
            return False
        if any(pattern.search(loc) for pattern in self.exclude):
            return False
        if self.hosts is not None and host_of_loc(loc) not in self.hosts:
            return False
        return self.scope == "any" or in_scope(loc, record)


def in_scope(loc: str, record: DocumentRecord) -> bool:
    """Return whether a sitemap may list a URL.

    It may if the URL is below its folder (https://www.sitemaps.org/protocol.html#location), or if
    the robots.txt of the URL's host declares the sitemap
    (https://www.sitemaps.org/protocol.html#submit_robots). If the URL of the sitemap is unknown,
    every URL passes.
    """
    from urlset.http import document_key

    sitemap = record.fetched.url if record.fetched else record.base_url or record.source or ""
    if not sitemap.startswith(("http://", "https://")):
        return True
    folder = document_key(sitemap).partition("?")[0].rpartition("/")[0] + "/"
    if document_key(loc).startswith(folder):
        return True
    declared_by = record.declared_by
    return declared_by is not None and host_of_loc(loc) == host_of_loc(declared_by)


class ChildFilter(NamedTuple):
    """Filter of the sitemaps that indexes list; the default reads all of them.

    ``since`` skips those that have not changed since then, ``follow_only`` those whose URL has no
    match of one of the patterns, and ``max_documents`` those after so many.
    """

    follow: bool = True
    since: datetime | None = None
    follow_only: tuple[re.Pattern[str], ...] = ()
    max_documents: int | None = None


EVERY_CHILD = ChildFilter()
"""Reads all sitemaps that indexes list."""


class ChildChoice:
    """One application of a :class:`ChildFilter`: it counts the children that are read."""

    def __init__(self, child_filter: ChildFilter):
        self._filter = child_filter
        self._count = 0

    def skip_reason(self, child: Sitemap) -> str | None:
        """Return why a child of an index is skipped; None, and count it, if it is read."""
        _, since, follow_only, max_documents = self._filter
        if follow_only and not any(pattern.search(child.loc) for pattern in follow_only):
            return f"no match of {option('follow_only')}"
        if reason := _unchanged(child, since):
            return reason
        if max_documents is not None and self._count >= max_documents:
            return f"after {max_documents:,} sitemaps ({option('max_documents')})"
        self._count += 1
        return None

    def of(self, document: Document) -> list[tuple[Sitemap, str | None]]:
        """Return the children of an index, each once, with the reason if one is skipped."""
        if not self._filter.follow:
            return []
        children = {child.loc: child for child in document.sitemaps}
        return [(child, self.skip_reason(child)) for child in children.values()]


def _unchanged(child: Sitemap, since: datetime | None) -> str | None:
    """Return why a child of an index is skipped, as unchanged since a date; None if it is read.

    A date denotes the whole day: the file may have changed just before midnight.
    """
    if since is None or child.lastmod is None:
        return None
    precision = parse_date(child.lastmod_text).precision if child.lastmod_text else None
    try:
        end = child.lastmod + _LENGTHS.get(precision or "", timedelta())
    except OverflowError:  # the year 9999
        return None
    if end > since or (end == since and precision not in _LENGTHS):
        return None
    lastmod = child.lastmod_text or child.lastmod.isoformat()
    return f"not changed since: lastmod in its index is {lastmod}"


def _instant(moment: object) -> datetime:
    if isinstance(moment, datetime):
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if isinstance(moment, date):
        return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    instant = parse_date(moment).instant if isinstance(moment, str) else None
    if instant is None:
        raise ValueError(f"{option('since')}: expected a date like 2026-01-31, found {moment!r}")
    return instant


class UrlPatterns:
    """Regular expressions of which one, or none, must have a match in a URL.

    >>> patterns = UrlPatterns(include=["/shop/"], exclude=["[.]pdf$"])
    >>> [patterns.reason_against(f"https://example.com/{path}") for path in ("shop/a", "b")]
    [None, 'include']

    Raises:
        ValueError: A regular expression is invalid.
    """

    def __init__(self, include: Patterns = (), exclude: Patterns = ()):
        self._include = compile_patterns(option("include"), include)
        self._exclude = compile_patterns(option("exclude"), exclude)

    def __bool__(self) -> bool:
        """Return whether a URL may be excluded."""
        return bool(self._include or self._exclude)

    def reason_against(self, url: str) -> str | None:
        """Return the option that excludes a URL; None if it is selected."""
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return "include"
        if any(pattern.search(url) for pattern in self._exclude):
            return "exclude"
        return None


def compile_patterns(name: str, patterns: Patterns) -> tuple[re.Pattern[str], ...]:
    """Return compiled regular expressions, each as :func:`compile_pattern` does.

    They stay separate: in one expression, a flag such as ``(?i)`` would be invalid or apply to all.
    """
    return tuple(compile_pattern(name, pattern) for pattern in _listed(patterns))


def pattern_texts(patterns: Patterns) -> tuple[str, ...]:
    """Return regular expressions as text; compiled ones have their flags in it.

    >>> pattern_texts([re.compile("a", re.IGNORECASE), "b"])
    ('(?i)a', 'b')
    """
    return tuple(each if isinstance(each, str) else _text_of(each) for each in _listed(patterns))


def _listed(patterns: Patterns) -> list[str | re.Pattern[str]]:
    found: list[Any] = [patterns] if isinstance(patterns, str | re.Pattern) else list(patterns)
    for each in found:  # those of an iterator were not checked before
        if not isinstance(each, str | re.Pattern):
            advice = "write it as text, or compile it"
            raise TypeError(f"expected a regular expression, found {each!r:.200}; {advice}")
    return found


def selection(include: Patterns, exclude: Patterns) -> dict[str, tuple[str, ...]]:
    """Return the options ``include`` and ``exclude`` as text; warn of globs and paths in them."""
    included, excluded = pattern_texts(include), pattern_texts(exclude)
    warn_of_patterns({option("include"): included, option("exclude"): excluded})
    return {"include": included, "exclude": excluded}


def _text_of(pattern: re.Pattern[str]) -> str:
    flags = "".join(letter for letter, flag in _FLAGS.items() if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


def compile_pattern(name: str, pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    """Return a compiled regular expression; ``name`` is that of its option.

    Raises ``ValueError`` if it is invalid, or its repetitions or groups exceed the limits.
    """
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        advice = "write \\ before a special character to match it literally"
        if "/**" in str(pattern):
            advice = f"it is no glob: write {str(pattern).replace('/**', '/')!r}"
        raise ValueError(
            f"{name}: expected a regular expression, found {pattern!r}: {error}; {advice}"
        ) from error


def _hosts(hosts: Iterable[str]) -> Iterator[str]:
    for host in [hosts] if isinstance(hosts, str) else hosts:
        found = host_of_loc(host if "://" in host else f"https://{host}")
        if found is None:
            name = option("hosts")
            raise ValueError(f"{name}: expected a host like www.example.com, found {host!r}")
        yield found


def host_of_loc(url: str) -> str | None:
    """Return the host of a URL, with its port if that is not the default one of http or https.

    None if the URL is not http(s). Filters by host compare these.

    >>> host_of_loc("https://Example.com:443/a"), host_of_loc("http://example.com:8080")
    ('example.com', 'example.com:8080')
    """
    scheme, _, rest = url.partition("://")
    return _authority(f"{scheme}://{re.split('[/?#]', rest, maxsplit=1)[0]}")


@lru_cache(maxsize=1024)
def _authority(url: str) -> str | None:
    from urlset.http import origin_of

    origin = origin_of(url)
    return None if origin is None else origin.partition("://")[2]

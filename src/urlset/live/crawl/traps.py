"""Find URLs without an end: calendars, sessions, facets, repeated path segments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from urlset.urls import split_origin

MAX_SEGMENTS = 20
"""Segments of a path; paths of real pages have fewer than ten."""

MAX_REPEATS = 3
"""Repetitions of a part of a path, such as ``a/b`` in ``/a/b/a/b/a/b``, that are a trap."""

MAX_CALENDAR = 400
"""URLs of one calendar: more than one for each day of a year."""

YEARS_AHEAD = 2
"""Years after which a date in a URL is that of a calendar without end."""

MAX_FACETS = 200
"""URLs with several parameters of one path, once the parameters vary."""

MIN_FACET_SETS = 8
"""Different sets of parameter names of one path that mean that its parameters are filters."""

MAX_PATTERNS = 50_000
"""Patterns in memory; URLs of further patterns are not counted."""

_SESSION = re.compile(
    r"(?:(?<=[?&;])(?:(?:php|j|asp\.?net_?)?sess(?:ion)?[_-]?(?:id|key)?|phpsessid|jsessionid|"
    r"aspsessionid\w*|sid|cfid|cftoken|oscsid|zenid|osc?sid|s_id)=)[^&;?#]{6,}",
    re.IGNORECASE,
)
_DAY_IN_PATH = re.compile(
    r"/((?:19|20|21)\d\d)[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?/?$"
)
_DAY_IN_QUERY = re.compile(
    r"[?&](?=[\w\[\]-]*?(?:date|day|month|year|week|calendar|from|start))[\w\[\]-]++="
    r"((?:1|2|3)\d{3})(?:[/-]?\d{1,2}){0,2}(?=&|$)",
    re.IGNORECASE,
)
# A part of up to four segments. Numbers may repeat: /2/2/2 is a version, or a place in a tree.
_REPEATED = re.compile(
    r"((?=[^?A-Za-z]{0,804}+[A-Za-z])(?:/[^/]{1,200}+){1,4}?)"
    rf"\1{{{MAX_REPEATS - 1}}}(?=/|$)"
)
_DIGITS = re.compile(r"\d+")


class Trap(NamedTuple):
    """Pattern of a trap: URL with ``*`` for the parts that vary, and the kind."""

    pattern: str
    kind: str


class Traps:
    """Decide which discovered URLs belong to a trap, by counts; each URL is passed once.

    The first URLs of a pattern are visited, so that what they link to is found. ``now`` is the
    present, for dates in URLs.
    """

    def __init__(self, now: datetime | None = None):
        self._latest = (now or datetime.now(UTC)).year + YEARS_AHEAD
        self._counts: dict[str, int] = {}
        self._facets: dict[str, tuple[set[tuple[str, ...]], list[int]]] = {}

    def fill(self, urls: Iterable[str]) -> None:
        """Restore the counts of an earlier session from its URLs."""
        for url in urls:
            self.trap_of(url)

    def trap_of(self, url: str) -> Trap | None:
        """Count a URL; return the trap that it belongs to, or None.

        >>> Traps().trap_of("https://example.com/a/b/a/b/a/b/")
        Trap(pattern='https://example.com/a/b/*', kind='repeated-path')
        """
        scheme, host, rest = split_origin(url)
        origin = f"{scheme}://{host}"
        path, _, query = rest.partition("?")
        return (
            _path_trap(origin, path)
            or self._session(url)
            or self._calendar(url)
            or (self._facet(origin + path, query) if "&" in query else None)
        )

    def _session(self, url: str) -> Trap | None:
        pattern, count = _SESSION.subn(lambda found: found[0].partition("=")[0] + "=*", url)
        if count and self._number(pattern) > 1:
            return Trap(pattern, "session")
        return None

    def _calendar(self, url: str) -> Trap | None:
        found = _DAY_IN_QUERY.search(url) or _DAY_IN_PATH.search(url)
        if found is None:
            return None
        pattern = url[: found.start()] + _DIGITS.sub("*", found[0]) + url[found.end() :]
        if int(found[1]) > self._latest or self._number(pattern) > MAX_CALENDAR:
            return Trap(pattern, "calendar")
        return None

    def _facet(self, page: str, query: str) -> Trap | None:
        names = tuple(part.partition("=")[0] for part in query.split("&"))
        if page not in self._facets:
            if len(self._facets) >= MAX_PATTERNS:
                return None
            self._facets[page] = (set(), [0])
        sets, count = self._facets[page]
        if len(sets) < MIN_FACET_SETS:
            sets.add(names)
        count[0] += 1
        if len(sets) >= MIN_FACET_SETS and count[0] > MAX_FACETS:
            return Trap(f"{page}?*&*", "facets")
        return None

    def _number(self, pattern: str) -> int:
        """Increment the count of URLs with a pattern; return it."""
        if pattern not in self._counts and len(self._counts) >= MAX_PATTERNS:
            return 0
        number = self._counts[pattern] = self._counts.get(pattern, 0) + 1
        return number


def _path_trap(origin: str, path: str) -> Trap | None:
    segments = path.strip("/").split("/")
    if len(segments) > MAX_SEGMENTS:
        return Trap(f"{origin}/{'/'.join(segments[:3])}/*", "depth")
    if len(segments) >= MAX_REPEATS and (found := _REPEATED.search(path)):
        return Trap(f"{origin}{path[: found.start()]}{found[1]}/*", "repeated-path")
    return None

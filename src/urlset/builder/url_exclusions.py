"""Find URLs to exclude: session ids, tracking parameters, sitemaps, rules of robots.txt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from urlset.builder.options import BuildOptions
from urlset.builder.sections import FileNames
from urlset.builder.staged_rows import StagedRows
from urlset.builder.working_tables import STAGED_RAW
from urlset.errors import SourceError
from urlset.robots import Robots, read_robots
from urlset.robots.matcher import alternatives, regexes_of
from urlset.store import ScratchDatabase, quoted
from urlset.url_patterns import IN_PATH, SESSION, SITEMAP_NAME, TRACKING
from urlset.urls import split_origin

SESSION_ID = "session id in the URL"
"""The reason to exclude a URL that contains a session id."""

SITEMAP = "sitemap or robots.txt"
"""The reason to exclude the URL of a sitemap or of a robots.txt."""

_NAMES = re.compile(r"[?&;]([^=&;#?\n]*)")
_WITH_VALUE = {"sid", "s_id", "session", "spm"}  # the value matters, too
SITEMAP_ENDINGS = (".xml", ".txt", ".XML", ".TXT")
"""The name of every sitemap and robots.txt contains one of these."""


def without_tracking(urls: list[str | None]) -> list[str | None]:
    """Return URLs without the tracking parameters of campaigns.

    >>> without_tracking(["https://example.com/?utm_source=x&id=1", None])
    ['https://example.com/?id=1', None]
    """
    joined = "\n".join(url for url in urls if url is not None)
    if "?" not in joined:
        return urls
    tracking, parameter = _tracking()
    if not _may_have(joined, tracking):
        return urls
    return [url and _without(url, parameter) for url in urls]


def _without(url: str, parameter: re.Pattern[str]) -> str:
    rest, mark, fragment = url.partition("#")
    path, _, query = rest.partition("?")
    kept = parameter.sub("", query)
    if kept == query:
        return url
    kept = kept.lstrip("&;")
    return f"{path}?{kept}{mark}{fragment}" if kept else f"{path}{mark}{fragment}"


class NonPageUrls:
    """Finder of URLs to exclude because of the rules U018 and U021."""

    def __init__(self, settings: BuildOptions):
        self._folder = settings.base if settings.base.endswith("/") else f"{settings.base}/"
        self._names = FileNames(settings)
        endings = (".txt", ".txt.gz") if settings.is_text else (".xml", ".xml.gz")
        self._single = {f"{settings.name}{ending}" for ending in endings}

    def add_reasons(
        self, urls: Sequence[str | None], reasons: list[str | None], joined: str
    ) -> None:
        """Add a reason for each URL that is not a page and has none yet.

        ``joined`` has all URLs, one per line.
        """
        if _may_have_session(joined):
            for row, url in enumerate(urls):
                if url is not None and reasons[row] is None and _has_session(url):
                    reasons[row] = SESSION_ID
        if any(ending in joined for ending in SITEMAP_ENDINGS):
            for row, url in enumerate(urls):
                if url is not None and reasons[row] is None and self._is_sitemap(url):
                    reasons[row] = SITEMAP

    def _is_sitemap(self, url: str) -> bool:
        path = re.split("[?#]", url, maxsplit=1)[0]
        if not any(ending in path for ending in SITEMAP_ENDINGS):
            return False
        name = path.removeprefix(self._folder)
        if name != path and "/" not in name:
            indexes_and_single = (*self._single, self._names.index("", 1))
            if name in indexes_and_single or self._names.parse(name) is not None:
                return True
        path = "/" + path.partition("://")[2].partition("/")[2]
        return path == "/robots.txt" or _sitemap_name().search(path) is not None


def _may_have_session(joined: str) -> bool:
    """Return whether one of the joined URLs may contain a session id."""
    if ";" in joined or "/(" in joined:
        return True
    return "?" in joined and _may_have(joined, _session()[0])


def _may_have(joined: str, parameters: re.Pattern[str]) -> bool:
    """Return whether one of the joined URLs may have a parameter that matches the pattern.

    A site has few names, and searching for a hundred of them at each parameter takes long.
    """
    names = {name.lower() for name in _NAMES.findall(joined)}
    return any(name in _WITH_VALUE or parameters.search(f"?{name}=") for name in names)


def _has_session(url: str) -> bool:
    _, in_query, in_path = _session()
    rest, _, query = url.partition("#")[0].partition("?")
    return in_query.search(query) is not None or in_path.search(rest) is not None


@cache
def _tracking() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a URL with a tracking parameter, and for the parameters of a query."""
    value = "=(?:[^&;]|;(?![^&;=]+=))*"  # a value may contain a semicolon
    return (
        re.compile(f"[?&;](?:{TRACKING})(?:=|&|;|#|$)", re.IGNORECASE | re.MULTILINE),
        re.compile(f"(?:^|[&;])(?:{TRACKING})(?:{value})?(?=[&;]|$)", re.IGNORECASE),
    )


@cache
def _session() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a URL with a session id, and for such ids in query and path.

    A tracking parameter that could not be removed counts as well.
    """
    either = f"{SESSION}|{TRACKING}"
    return (
        re.compile(f"[?&;](?:{either})(?:=|&|;|#|$)", re.IGNORECASE | re.MULTILINE),
        re.compile(f"(?:^|[&;])(?:{either})(?:=|&|;|$)", re.IGNORECASE),
        re.compile(IN_PATH),
    )


@cache
def _sitemap_name() -> re.Pattern[str]:
    return re.compile(SITEMAP_NAME)


AGENT = "Googlebot"
"""The user agent whose rules count: those of ``*`` apply if it has none of its own."""

REASON = "disallowed by robots.txt"
LOCS_PER_UPDATE = 1_000

# URLs with an invalid escape such as %zz are always checked exactly.
_INVALID_ESCAPE = "regexp_matches(path, '%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)')"


def exclude_disallowed(
    db: ScratchDatabase, staging: StagedRows, path: Path, settings: BuildOptions
) -> None:
    """Add a reason to each staged URL of the site that a robots.txt disallows.

    Raises SourceError if the file cannot be read.
    """
    origin = "://".join(split_origin(settings.base)[:2])
    try:
        robots = read_robots(path.read_bytes(), f"{origin}/robots.txt")
    except OSError as error:
        raise SourceError(
            f"expected a robots.txt, found {str(path)!r}: {error.strerror or error}"
        ) from error
    candidates = db.rows(_candidates_sql(robots, origin))
    disallowed = [loc for (loc,) in candidates if not _allows(robots, loc)]
    staging.widen(["reason"])
    for start in range(0, len(disallowed), LOCS_PER_UPDATE):
        listed = ", ".join(map(quoted, disallowed[start : start + LOCS_PER_UPDATE]))
        db.run(
            f"UPDATE {STAGED_RAW} SET reason = {quoted(REASON)} "
            f"WHERE reason IS NULL AND loc IN ({listed})"
        )


def _candidates_sql(robots: Robots, origin: str) -> str:
    """Return SQL that selects URLs which robots.txt may disallow, for an exact test of each."""
    query = (
        "SELECT DISTINCT loc, if(starts_with(rest, '/'), rest, '/' || rest) AS path FROM ("
        f"SELECT loc, split_part(substr(loc, {len(origin) + 1}), '#', 1) AS rest "
        f"FROM staged WHERE starts_with(loc, {quoted(origin)}))"
    )
    patterns = robots.patterns(AGENT)
    disallowing = [regexes_of(p.text).encoded for p in patterns if not p.is_allowing]
    tests = [f"regexp_matches(path, {quoted(one)})" for one in alternatives(disallowing)]
    tests.append(_INVALID_ESCAPE if disallowing else "false")
    return f"SELECT loc FROM ({query}) WHERE {' OR '.join(tests)} ORDER BY loc"


def _allows(robots: Robots, url: str) -> bool:
    try:
        return robots.allows(url, AGENT)
    except ValueError:  # urllib rejects the URL
        return True

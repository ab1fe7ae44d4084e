"""Find listed URLs that robots.txt disallows: by patterns in bulk, one by one if uncertain.

A regular expression of all disallow patterns excludes URLs that are certainly allowed. A plain URL
that matches an exact disallow pattern and no allow pattern is certainly disallowed.
:class:`urlset.robots.Robots` tests the rest.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urlset.checker.working_tables import DISALLOWED
from urlset.robots import Pattern, Robots
from urlset.robots.matcher import PLAIN_PATH, Regexes, alternatives, regexes_of
from urlset.store import StoreSession, quoted

_AGENTS = {"bing": "bingbot", "yandex": "YandexBot", "baidu": "Baiduspider"}
_GOOGLE = {"page": "Googlebot", "image": "Googlebot-Image", "video": "Googlebot-Video"}

# A page has no URL here: there may be millions, and it is the loc of the entry.
_LISTED = {
    "page": "SELECT document, entry, NULL::UINTEGER AS nth, loc AS url FROM entries",
    "image": """
        SELECT document, entry, nth + 1 AS nth, image.loc AS url FROM (
            SELECT document, entry, unnest(images, recursive := false) AS image,
                generate_subscripts(images, 1) AS nth
            FROM entries WHERE len(images) > 0)""",
    "video": """
        SELECT document, entry, NULL::UINTEGER AS nth, unnest([video.thumbnail_loc,
            video.content_loc]) AS url FROM (
            SELECT document, entry, unnest(videos, recursive := false) AS video
            FROM entries WHERE len(videos) > 0)""",
}
_BATCH = 50_000


class _Site(NamedTuple):
    """A robots.txt, with the origin that it applies to."""

    url: str
    origin: str
    robots: Robots


def compute(store: StoreSession, profile: str | None) -> None:
    """Create the table ``disallowed``: URLs that a search engine's crawler may not fetch.

    Rows about sitemaps have no ``entry``; ``url`` is NULL for the page of an entry. URLs of hosts
    whose robots.txt was not read are not included. Without a ``profile`` the crawler is Google's.
    """
    store.run(DISALLOWED.create_empty())
    sites = [
        _Site(url, origin, Robots(url, text=text))
        for url, origin, text in store.rows(
            "SELECT min(url), origin_of(url) AS origin, arg_min(text, url) FROM robots "
            "WHERE state = 'read' AND text <> '' GROUP BY origin ORDER BY origin"
        )
    ]
    for site in sites:
        agents = _GOOGLE if profile not in _AGENTS else dict.fromkeys(_GOOGLE, _AGENTS[profile])
        _add_sitemaps(store, site, agents["page"])
        for kind, agent in agents.items():
            patterns = site.robots.patterns(agent)
            if not all(pattern.is_allowing for pattern in patterns):
                _add_listed(store, site, kind, agent, patterns)


def _add_sitemaps(store: StoreSession, site: _Site, agent: str) -> None:
    """Insert the disallowed sitemaps into ``disallowed``; few enough to test each address."""
    query = (
        "SELECT document, address FROM (SELECT document, unnest([url, loc, source]) AS address "
        f"FROM documents) WHERE origin_of(address) = {quoted(site.origin)} ORDER BY ALL"
    )
    disallowed: dict[int, str] = {}
    for document, url in store.rows(query):
        if not _allows(site, url, agent):
            disallowed.setdefault(document, url)
    rows = [
        f"({document}, NULL, NULL, {quoted(url)}, {quoted(site.url)}, {quoted(agent)})"
        for document, url in disallowed.items()
    ]
    for start in range(0, len(rows), _BATCH):
        store.run(f"INSERT INTO disallowed VALUES {', '.join(rows[start : start + _BATCH])}")


def _add_listed(
    store: StoreSession, site: _Site, kind: str, agent: str, patterns: list[Pattern]
) -> None:
    """Insert the disallowed pages, images or videos of one host into ``disallowed``."""
    is_plain = f"regexp_full_match(path, {quoted(PLAIN_PATH)})"
    disallowing = [regexes_of(p.text) for p in patterns if not p.is_allowing]
    allowing = [regexes_of(p.text) for p in patterns if p.is_allowing]
    # Invalid escapes such as %zz are compared differently.
    invalid_escape = "regexp_matches(path, '%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)')"
    is_suspect = (
        f"CASE WHEN {is_plain} THEN {_matches(_plain(disallowing))} "
        f"ELSE {_matches(one.encoded for one in disallowing)} OR {invalid_escape} END"
    )
    exact = [one for one in disallowing if one.is_exact]
    is_sure = (
        f"{is_plain} AND NOT starts_with(path, '/robots.txt') "
        f"AND {_matches(_plain(exact))} AND NOT {_matches(_plain(allowing))}"
    )
    store.run(
        "CREATE OR REPLACE TEMP TABLE robots_suspects AS "
        "SELECT row_number() OVER () AS number, document, entry, nth, is_sure, "
        f"{'if(is_sure, NULL, url)' if kind == 'page' else 'url'} AS url FROM ("
        f"SELECT *, {is_sure} AS is_sure FROM ({_of_origin(_LISTED[kind], site.origin)}) "
        f"WHERE {is_suspect})"
    )
    _remove_allowed(store, site, agent)
    url = "NULL" if kind == "page" else "url"
    store.run(
        f"INSERT INTO disallowed SELECT document, entry, nth, {url}, {quoted(site.url)}, "
        f"{quoted(agent)} FROM robots_suspects"
    )
    store.run("DROP TABLE robots_suspects")


def _remove_allowed(store: StoreSession, site: _Site, agent: str) -> None:
    """Remove URLs from the suspects that an exact test finds to be allowed."""
    allowed = array("Q")
    for number, url in store.rows("SELECT number, url FROM robots_suspects WHERE NOT is_sure"):
        if _allows(site, url, agent):
            allowed.append(number)
    for start in range(0, len(allowed), _BATCH):
        numbers = ", ".join(map(str, allowed[start : start + _BATCH]))
        store.run(f"DELETE FROM robots_suspects WHERE number IN (SELECT unnest([{numbers}]))")


def _allows(site: _Site, url: str, agent: str) -> bool:
    try:
        return site.robots.allows(url, agent)
    except ValueError:  # urllib rejects the URL; other rules report it
        return True


def _of_origin(listed: str, origin: str) -> str:
    """Return SQL that selects URLs of one origin, with the path and query for robots.txt."""
    host = origin.partition("://")[2].partition(":")[0]
    usual = f"starts_with(url, {quoted(origin + '/')})"
    # Other spellings: capitals, a port, a user, no path.
    unusual = (
        f"CASE WHEN {usual} THEN true ELSE contains(lower(url), {quoted(host)}) "
        f"AND origin_of(url) = {quoted(origin)} END"
    )
    rest = "regexp_extract(url, '^[^:]*://[^/?#]*([^#]*)', 1)"
    return (
        f"SELECT *, CASE WHEN {usual} THEN split_part(substr(url, {len(origin) + 1}), '#', 1) "
        f"WHEN starts_with({rest}, '/') THEN {rest} ELSE '/' || {rest} END AS path "
        f"FROM ({listed}) WHERE {unusual}"
    )


def _plain(regexes: Iterable[Regexes]) -> Iterator[str]:
    return (one.plain for one in regexes if one.plain is not None)


def _matches(patterns: Iterable[str]) -> str:
    """Return an SQL condition that is true if a path matches one of the patterns."""
    tests = [f"regexp_matches(path, {quoted(one)})" for one in alternatives(patterns)]
    return f"({' OR '.join(tests)})" if tests else "false"

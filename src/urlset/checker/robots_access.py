"""Finds out what robots.txt forbids, of all that sitemaps list, without asking for every URL.

A regular expression of all patterns that forbid leaves out what is surely allowed; where a
plain URL matches one of them and none of those that allow, it is surely forbidden. For the
rest :class:`urlset.robots.Robots` is asked.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urlset.robots import Pattern, Robots
from urlset.robots.regexes import PLAIN_PATH, Regexes, alternatives, regexes_of
from urlset.store import StoreSession, quoted

__all__ = ["CODES", "compute"]

CODES = frozenset({"R009", "R010"})
"""The rules that need this: it is only done for them."""

_AGENTS = {"bing": "bingbot", "yandex": "YandexBot", "baidu": "Baiduspider"}
_GOOGLE = {"page": "Googlebot", "image": "Googlebot-Image", "video": "Googlebot-Video"}

_TABLE = """
CREATE OR REPLACE TABLE disallowed (document UINTEGER, entry UINTEGER, nth UINTEGER,
    url VARCHAR, robots VARCHAR, agent VARCHAR)"""

# Of a page no URL is kept: there may be millions, and it is the loc of its entry.
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
    """A robots.txt that was read, and the origin that it is for."""

    url: str
    origin: str
    robots: Robots


def compute(store: StoreSession, profile: str | None) -> None:
    """Make the table ``disallowed``: what the crawler of an engine (Google's) may not fetch.

    Sitemaps have no ``entry``; ``url`` is None for the page of an entry. URLs of hosts whose
    robots.txt was not read are not in it.
    """
    store.run(_TABLE)
    sites = [
        _Site(url, origin, Robots(url, text=text))
        for url, origin, text in store.rows(
            "SELECT min(url), origin_of(url) AS origin, arg_min(text, url) FROM robots "
            "WHERE state = 'read' AND text <> '' GROUP BY origin ORDER BY origin"
        )
    ]
    for site in sites:
        agents = _GOOGLE if profile not in _AGENTS else dict.fromkeys(_GOOGLE, _AGENTS[profile])
        _note_sitemaps(store, site, agents["page"])
        for what, agent in agents.items():
            patterns = site.robots.patterns(agent)
            if not all(pattern.is_allowing for pattern in patterns):
                _note_listed(store, site, what, agent, patterns)


def _note_sitemaps(store: StoreSession, site: _Site, agent: str) -> None:
    """Sitemaps are few: each is asked for, where it was found and where it was listed."""
    query = (
        "SELECT document, address FROM (SELECT document, unnest([url, loc, source]) AS address "
        f"FROM documents) WHERE origin_of(address) = {quoted(site.origin)} ORDER BY ALL"
    )
    barred: dict[int, str] = {}
    for document, url in store.rows(query):
        if not _allows(site, url, agent):
            barred.setdefault(document, url)
    rows = [
        f"({document}, NULL, NULL, {quoted(url)}, {quoted(site.url)}, {quoted(agent)})"
        for document, url in barred.items()
    ]
    for start in range(0, len(rows), _BATCH):
        store.run(f"INSERT INTO disallowed VALUES {', '.join(rows[start : start + _BATCH])}")


def _note_listed(
    store: StoreSession, site: _Site, what: str, agent: str, patterns: list[Pattern]
) -> None:
    """Find what is forbidden of the pages, images or videos of one host."""
    is_plain = f"regexp_full_match(path, {quoted(PLAIN_PATH)})"
    forbidding = [regexes_of(p.text) for p in patterns if not p.is_allowing]
    allowing = [regexes_of(p.text) for p in patterns if p.is_allowing]
    # A code that is none, %zz, is compared in ways of its own.
    odd = "regexp_matches(path, '%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)')"
    is_suspect = (
        f"CASE WHEN {is_plain} THEN {_matches(_plain(forbidding))} "
        f"ELSE {_matches(one.encoded for one in forbidding)} OR {odd} END"
    )
    exact = [one for one in forbidding if one.is_exact]
    is_sure = (
        f"{is_plain} AND NOT starts_with(path, '/robots.txt') "
        f"AND {_matches(_plain(exact))} AND NOT {_matches(_plain(allowing))}"
    )
    store.run(
        "CREATE OR REPLACE TEMP TABLE suspects AS "
        "SELECT row_number() OVER () AS number, document, entry, nth, is_sure, "
        f"{'if(is_sure, NULL, url)' if what == 'page' else 'url'} AS url FROM ("
        f"SELECT *, {is_sure} AS is_sure FROM ({_of_origin(_LISTED[what], site.origin)}) "
        f"WHERE {is_suspect})"
    )
    _acquit(store, site, agent)
    url = "NULL" if what == "page" else "url"
    store.run(
        f"INSERT INTO disallowed SELECT document, entry, nth, {url}, {quoted(site.url)}, "
        f"{quoted(agent)} FROM suspects"
    )
    store.run("DROP TABLE suspects")


def _acquit(store: StoreSession, site: _Site, agent: str) -> None:
    """Ask about all that is not sure, and let go what is allowed."""
    allowed = array("Q")
    for number, url in store.rows("SELECT number, url FROM suspects WHERE NOT is_sure"):
        if _allows(site, url, agent):
            allowed.append(number)
    for start in range(0, len(allowed), _BATCH):
        numbers = ", ".join(map(str, allowed[start : start + _BATCH]))
        store.run(f"DELETE FROM suspects WHERE number IN (SELECT unnest([{numbers}]))")


def _allows(site: _Site, url: str, agent: str) -> bool:
    try:
        return site.robots.allows(url, agent)
    except ValueError:  # no URL for urllib: what it is, other rules tell
        return True


def _of_origin(listed: str, origin: str) -> str:
    """Of these rows those of one origin, with the path and query that robots.txt is about."""
    host = origin.partition("://")[2].partition(":")[0]
    usual = f"starts_with(url, {quoted(origin + '/')})"
    # In another spelling: capitals, a port, a user, no path.
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
    """SQL that tells whether a path matches one of them."""
    tests = [f"regexp_matches(path, {quoted(one)})" for one in alternatives(patterns)]
    return f"({' OR '.join(tests)})" if tests else "false"

"""Compute what needs all links of a crawl: depths, link counts, and whether it is complete."""

from __future__ import annotations

from urlset.html import MAX_ANCHORS
from urlset.live.crawl.options import CrawlOptions
from urlset.live.unread_documents import IS_ROBOTS_SQL, unread_text
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

MAX_HOPS = 10
"""Redirects that are followed."""

MAX_LEVELS = 500
"""Clicks from the start; deeper pages have no depth."""

FEW_LINKS = 3
"""Links below which a page with scripts may have others, which the scripts add."""

SCRIPTED_SHARE = 0.2
"""Share of such pages above which the links of the site are not known."""

# Hashes and numbers of rows take the place of URLs: with 4,096 characters, those that are joined or
# in groups do not fit into the memory of DuckDB.
_REFERENCES = """
    CREATE OR REPLACE TEMP TABLE page_references AS
    WITH targets AS (SELECT rowid AS target, md5_number(url) AS key FROM store.frontier),
    pages AS (SELECT rowid AS page, md5_number(url) AS key FROM store.pages)
    SELECT t.target, p.page, l.origin
    FROM (SELECT md5_number(url) AS here, md5_number(target) AS there,
            CASE WHEN kind IN ('a', 'next', 'prev') THEN 'link' ELSE kind END AS origin
        FROM store.links WHERE kind <> 'img' AND url <> target) l
    JOIN targets t ON t.key = l.there JOIN pages p ON p.key = l.here"""
_REFERRER_COUNTS = """
    UPDATE store.frontier f SET referrer_count = g.referrer_count
    FROM (SELECT target, count(DISTINCT page) FILTER (WHERE origin = 'link') AS referrer_count
        FROM temp.page_references GROUP BY target) g
    WHERE f.rowid = g.target"""
# Note: a change of a list writes the whole row again.
_ORIGINS = """
    UPDATE store.frontier f SET origins = list_distinct(list_concat(f.origins, g.origins))
    FROM (SELECT target, list(DISTINCT origin) AS origins FROM temp.page_references
        GROUP BY target) g
    WHERE f.rowid = g.target AND NOT list_has_all(f.origins, g.origins)"""

# Each redirect with the URLs that it leads through; a loop ends where it began.
_CHAINS = f"""
    CREATE OR REPLACE TEMP TABLE redirect_chains AS
    WITH RECURSIVE hops AS (
        SELECT l.url, l.target, p.status FROM store.links l JOIN store.pages p ON p.url = l.url
        WHERE l.kind = 'redirect'),
    chain AS (
        SELECT url AS start, target AS here, [{{'url': url, 'status': status}}] AS steps FROM hops
        UNION ALL
        SELECT c.start, h.target, list_append(c.steps, {{'url': h.url, 'status': h.status}})
        FROM chain c JOIN hops h ON h.url = c.here
        WHERE len(c.steps) < {MAX_HOPS}
            AND NOT list_contains(list_transform(c.steps, lambda s: s.url), c.here))
    SELECT start, arg_max(here, len(steps)) AS here, arg_max(steps, len(steps)) AS steps,
        list_contains(list_transform(arg_max(steps, len(steps)), lambda s: s.url),
            arg_max(here, len(steps))) AS is_loop
    FROM chain GROUP BY start"""
_REDIRECTS = f"""
    UPDATE store.pages p SET final_url = c.here, redirects = c.steps, final_status = c.status,
        verdict = CASE WHEN c.error IS NULL THEN 'redirect' ELSE 'redirect-loop' END,
        error = c.error, "message" = c.description
    FROM (SELECT *, CASE error
            WHEN 'redirect-loop' THEN 'redirects in a circle: back to ' || here
            WHEN 'too-many-redirects' THEN 'more than {MAX_HOPS} redirects'
            WHEN 'bad-redirect' THEN here || ' redirects, but not to an http or https URL'
        END AS description
    FROM (SELECT r.start, r.here, r.steps, t.status, CASE WHEN r.is_loop THEN 'redirect-loop'
            WHEN len(r.steps) >= {MAX_HOPS} AND EXISTS (FROM store.links l
                WHERE l.url = r.here AND l.kind = 'redirect') THEN 'too-many-redirects'
            WHEN t.error = 'bad-redirect' THEN t.error END AS error
        FROM temp.redirect_chains r LEFT JOIN store.pages t ON t.url = r.here)) c
    WHERE p.url = c.start"""

# A page is linked if another page has a link to it, or to a URL that redirects to it.
_FLAGS = """
    UPDATE store.pages p SET is_listed = coalesce(f.is_listed, false),
        is_linked = md5_number(p.url) IN (FROM temp.linked_targets)
    FROM (SELECT md5_number(url) AS key, list_has_any(origins, ['sitemap', 'feed']) AS is_listed
        FROM store.frontier) f
    WHERE f.key = md5_number(p.url)"""
_LINKED = """
    CREATE OR REPLACE TEMP TABLE linked_targets AS
    WITH direct AS (
        SELECT DISTINCT md5_number(url) AS url, md5_number(target) AS target FROM store.links
        WHERE kind = 'a' AND url <> target),
    chains AS (
        SELECT md5_number(start) AS start, md5_number(here) AS here,
            list_transform(steps, lambda s: md5_number(s.url)) AS steps FROM temp.redirect_chains)
    SELECT target FROM direct
    UNION SELECT c.here FROM direct d JOIN chains c ON c.start = d.target WHERE c.here <> d.url
    UNION SELECT s FROM direct d JOIN chains c ON c.start = d.target, unnest(c.steps) u(s)
        WHERE s <> d.url"""

_EDGES = """
    CREATE OR REPLACE TEMP TABLE page_edges AS
    SELECT a.rowid AS here, b.rowid AS there, max((l.kind <> 'redirect')::UINTEGER) AS clicks
    FROM store.links l JOIN store.pages a ON md5_number(a.url) = md5_number(l.url)
        JOIN store.pages b ON md5_number(b.url) = md5_number(l.target)
    WHERE l.kind IN ('a', 'next', 'prev', 'redirect') AND l.url <> l.target GROUP BY ALL"""

_STATEMENTS = (_CHAINS, _REDIRECTS, _LINKED, _FLAGS, _REFERENCES, _REFERRER_COUNTS, _ORIGINS)
_TEMPORARY = ("redirect_chains", "linked_targets", "page_references", "page_edges", "reached_pages")


def update_evidence(session: StoreSession, start: str) -> None:
    """Compute the columns of ``pages`` and ``frontier`` that depend on all links.

    These are the redirect chains, the depth, and by whom a page is listed and linked.
    """
    with session.transaction():
        for statement in _STATEMENTS:
            session.run(statement)
        _update_depths(session, start)
    for table in _TEMPORARY:
        session.run(f"DROP TABLE IF EXISTS temp.{table}")


def _update_depths(session: StoreSession, start: str) -> None:
    """Set the depth of pages: the number of clicks from the start; a redirect is no click."""
    session.run(_EDGES)
    session.run(
        "CREATE OR REPLACE TEMP TABLE reached_pages AS "
        "SELECT rowid AS page, 0::UINTEGER AS depth FROM store.pages WHERE url = ?",
        (start,),
    )
    for level in range(MAX_LEVELS):
        for _ in range(MAX_HOPS):
            if not _reach(session, level, clicks=0):
                break
        if not _reach(session, level, clicks=1):
            break
    session.run(
        "UPDATE store.pages p SET depth = r.depth FROM (SELECT p.rowid AS page, r.depth "
        "FROM store.pages p LEFT JOIN temp.reached_pages r ON r.page = p.rowid) r "
        "WHERE p.rowid = r.page"
    )


def _reach(session: StoreSession, level: int, *, clicks: int) -> int:
    return session.run(
        f"INSERT INTO temp.reached_pages SELECT DISTINCT e.there, {level + clicks} "
        "FROM temp.page_edges e JOIN temp.reached_pages r ON r.page = e.here "
        f"AND r.depth = {level} WHERE e.clicks = {clicks} "
        "AND NOT EXISTS (FROM temp.reached_pages k WHERE k.page = e.there)"
    )


MAX_SITEMAPS = 10
"""Sitemaps that could not be read, which the reasons of an incomplete crawl name."""

_TRAPS = "regexp_matches(excluded_by, '^(calendar|session|facets|repeated-path|depth): ')"
_UNREAD = """url IN (SELECT url FROM store.pages
    WHERE unknown_reason = 'robots' AND verdict = 'unknown')"""
_EXCLUDED = (
    (f"excluded_by = 'robots' AND NOT {_UNREAD}", "robots: {0} disallowed by robots.txt"),
    (
        f"excluded_by = 'robots' AND {_UNREAD}",
        "robots: {0} not visited, because robots.txt could not be read",
    ),
    ("excluded_by = 'max-depth'", "max-depth: {0} deeper than the limit"),
    ("excluded_by = 'include'", "include: {0} without a match of include"),
    ("excluded_by = 'exclude'", "exclude: {0} with a match of exclude"),
    ("excluded_by = 'redirects'", "redirects: {0} after more than 10 redirects"),
    ("excluded_by = 'scope: other folder'", "folder: {0} outside of the folder of the start"),
    (f"state = 'excluded' AND {_TRAPS}", "traps: {0} of patterns without an end"),
)
"""Conditions for URLs that are not visited, each with the reason."""


PAGE_GAPS = (
    "unvisited", "interrupted", "max-pages", "max-minutes", "no-response", "failed", "sitemaps",
    "robots.txt",
)  # fmt: skip
"""Kinds of reasons for an incomplete crawl that mean that pages may be missing."""


def kind_of_reason(reason: str) -> str:
    """Return the kind of a reason of an incomplete crawl: what is before its colon.

    >>> kind_of_reason("max-pages: 3 URLs not visited")
    'max-pages'
    """
    return reason.partition(":")[0]


def _unread_sitemaps(session: StoreSession) -> list[str]:
    """Return how many sitemaps were not read completely, and the first ones with the reason.

    A robots.txt that was not read is among them, because it may name sitemaps.
    """
    rows = list(
        session.rows(
            f"SELECT source, error, {IS_ROBOTS_SQL} FROM store.documents "
            "WHERE error IS NOT NULL ORDER BY document"
        )
    )
    if not rows:
        return []
    robots = sum(is_robots for _, _, is_robots in rows)
    sitemaps = len(rows) - robots
    reasons = [f"sitemaps: {sitemaps:,} not read, or not completely"] * bool(sitemaps)
    if robots:
        reasons.append(f"sitemaps: {unread_text(0, robots)} not read, which may name sitemaps")
    reasons += [f"sitemaps: {source}: {error}" for source, error, _ in rows[:MAX_SITEMAPS]]
    if len(rows) > MAX_SITEMAPS:
        reasons.append(f"sitemaps: … and {len(rows) - MAX_SITEMAPS:,} more, in the table documents")
    return reasons


def completeness(session: StoreSession, options: CrawlOptions, ends: list[str]) -> list[str]:
    """Return why a crawl is not complete; an empty list if it is.

    ``ends`` ended the crawl before its queue was empty: a limit, or ``interrupted``.
    """
    columns = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition, _ in _EXCLUDED)
    query = f"SELECT count(*) FILTER (WHERE state = 'waiting'), {columns} FROM store.frontier"
    ((waiting, *counts),) = session.rows(query)
    reasons = []
    if waiting:
        urls = pluralize(waiting, "URL")
        reasons += [f"{end}: {urls} not visited" for end in ends or ["unvisited"]]
    for (_, message), count in zip(_EXCLUDED, counts, strict=True):
        if count:
            reasons.append(message.format(pluralize(count, "URL")))
    # Note: pages that an earlier version stored have NULL in has_scripts. A page that redirects by
    # meta refresh has few links, with or without scripts. Those of robots.txt are counted above.
    is_page = "verdict = 'ok' AND is_html AND refresh IS NULL"
    ((failed, cut, full, scripted, pages),) = session.rows(
        "SELECT count(*) FILTER (verdict IN ('unknown', 'server-error', 'unreachable') "
        "AND coalesce(unknown_reason, '') <> 'robots'), count(*) FILTER (error = 'too-large'), "
        f"count(*) FILTER (link_count >= {MAX_ANCHORS}), count(*) FILTER ({is_page} AND "
        f"link_count < {FEW_LINKS} AND coalesce(has_scripts, true)), count(*) FILTER ({is_page}) "
        "FROM store.pages"
    )
    if failed:
        reasons.append(f"failed: {pluralize(failed, 'URL')} without a usable response")
    if options.read_sitemaps:
        reasons += _unread_sitemaps(session)
    if cut:
        reasons.append(f"size: {pluralize(cut, 'URL')} of which only the beginning was read")
    if full:
        reasons.append(
            f"link-limit: {pluralize(full, 'URL')} of which only the first {MAX_ANCHORS:,} links "
            "were read"
        )
    if not options.follow_links:
        reasons.append("links: they were not followed")
    if scripted > SCRIPTED_SHARE * pages:
        reasons.append(
            f"scripts: {scripted:,} of {pages:,} pages have scripts and fewer than {FEW_LINKS} "
            "links; links that scripts add are not seen"
        )
    return reasons

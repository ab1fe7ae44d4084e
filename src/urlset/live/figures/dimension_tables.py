"""Outcomes of visits by sitemap, and by segments that a user names with SQL conditions."""

from __future__ import annotations

from collections.abc import Mapping

from urlset.errors import QueryError, StoreError
from urlset.html_report.model import Figure
from urlset.live.figures.page_figures import JUDGED, KEY, LISTED_BY_OUTCOME, OUTCOME_COLUMNS, scoped
from urlset.store import StoreSession, quoted

MAX_SITEMAPS = 1_000
"""Sitemaps in the table of sitemaps."""

MAX_SEGMENTS = 100
"""Segments of an audit; each is a query over all listed URLs."""

SEGMENT_TIME_S = 60.0
"""Time limit of the condition of a segment."""

OTHERS = "in no segment"

SITEMAP_SQL = f"""{JUDGED},
listings AS (
    SELECT DISTINCT document, {KEY.format("loc")} AS key FROM entries),
by_sitemap AS (
    SELECT document, {LISTED_BY_OUTCOME} JOIN listings ON listings.key = {KEY.format("judged.url")}
    GROUP BY document)
SELECT documents.source AS sitemap, by_sitemap.* EXCLUDE (document)
FROM by_sitemap JOIN documents USING (document)
ORDER BY listed DESC, document
LIMIT {MAX_SITEMAPS}"""


def sitemap_table(session: StoreSession, *, is_audit: bool = False) -> Figure | None:
    """Return the table of sitemaps with the number of URLs by outcome; None for one sitemap."""
    query = scoped(SITEMAP_SQL, is_audit=is_audit)
    rows = list(session.rows(query))
    if len(rows) < 2:
        return None
    about = "Listed URLs by sitemap and outcome; a URL in two sitemaps counts in both."
    if len(rows) == MAX_SITEMAPS:
        about += f" The {MAX_SITEMAPS:,} largest."
    columns = ("sitemap", *OUTCOME_COLUMNS)
    return Figure("sitemaps", "Sitemaps", about, "", columns, rows, query, True)


def segments_sql(session: StoreSession, segments: Mapping[str, str]) -> str:
    """Return the query of the table of segments, from verified conditions.

    Raises:
        QueryError: A condition is not one expression. The message names the segment.
    """
    conditions = {}
    for name, text in segments.items():
        try:
            conditions[name] = session.verified_condition(text)
        except QueryError as error:
            raise QueryError(f"segments, {name!r}: {error}") from error
    any_of = " OR ".join(f"coalesce({condition}, false)" for condition in conditions.values())
    parts = {**conditions, OTHERS: f"NOT ({any_of})"}
    selects = (
        f"SELECT {quoted(name)} AS segment, {LISTED_BY_OUTCOME} WHERE {condition}"
        for name, condition in parts.items()
    )
    return f"{JUDGED}\n" + "\nUNION ALL\n".join(selects)


def check_segments(session: StoreSession, segments: Mapping[str, str]) -> None:
    """Raise :class:`urlset.QueryError` if a condition is invalid, before pages are visited."""
    if len(segments) > MAX_SEGMENTS:
        raise QueryError(f"expected at most {MAX_SEGMENTS} segments, found {len(segments):,}")
    for name, text in segments.items():
        query = segments_sql(session, {name: text})
        try:
            session.materialize("segment_rows", f"{query} LIMIT 0", seconds=SEGMENT_TIME_S)
        except StoreError as error:
            message = error.detail or error
            raise QueryError(f"segments, {name!r}: {message}") from error


def segment_table(session: StoreSession, segments: Mapping[str, str]) -> Figure | None:
    """Return the table of segments with the number of URLs by outcome; None without segments.

    Raises:
        QueryError: A condition fails or exceeds the time limit.
    """
    if not segments:
        return None
    query = scoped(segments_sql(session, segments), is_audit=True)
    session.materialize("segment_rows", query, seconds=SEGMENT_TIME_S * len(segments))
    rows = list(session.rows("SELECT * FROM temp.segment_rows"))
    about = "Listed URLs by segment and outcome; segments may overlap."
    columns = ("segment", *OUTCOME_COLUMNS)
    return Figure("segments", "Segments", about, "", columns, rows, query, True)

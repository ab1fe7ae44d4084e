"""Read the history of a site: documents, the URLs of a snapshot, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from urlset.store.history_schema import HISTORY_TABLES
from urlset.store.session import StoreSession

__all__ = ["COLUMNS", "DocumentState", "changes_at", "entries_at", "moment", "tracked_documents"]

COLUMNS = {table.name: table.columns for table in HISTORY_TABLES}
"""Columns of the history tables by name of the table."""


class DocumentState(NamedTuple):
    """Row of ``history_documents``; see its columns in :data:`urlset.store.HISTORY_TABLES`."""

    document: int
    source: str
    parent: str | None = None
    how: str = "given"
    kind: str | None = None
    state: str = "listed"
    failures: int = 0
    lastmod: datetime | None = None
    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
    byte_count: int | None = None
    entry_count: int | None = None
    read_at: datetime | None = None
    verified_at: datetime | None = None


def tracked_documents(session: StoreSession) -> Iterator[DocumentState]:
    """Yield the rows of ``history_documents``."""
    columns = {column.name: column.type for column in COLUMNS["history_documents"]}
    names = DocumentState._fields
    is_time = [columns[name] == "TIMESTAMPTZ" for name in names]
    selected = ", ".join(
        f"epoch_us({name})" if time else name for name, time in zip(names, is_time, strict=True)
    )
    for row in session.rows(f"SELECT {selected} FROM store.history_documents ORDER BY document"):
        values = zip(row, is_time, strict=True)
        yield DocumentState._make(moment(value) if time else value for value, time in values)


def moment(microseconds: int | None) -> datetime | None:
    """Return the time of a number of ``epoch_us``: DuckDB needs pytz to return times itself."""
    if microseconds is None:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def entries_at(snapshot: int, *, database: str = "store") -> str:
    """Return the SQL query of the URLs that are listed at a snapshot.

    One row for each sitemap and URL: ``loc``, ``lastmod``, ``source`` (the sitemap), and
    ``is_known``, which is false if the sitemap could not be read at that snapshot: the row is then
    the state before, and the URL may be listed or not.

    Args:
        snapshot: Number of the snapshot in the table ``snapshots``.
        database: Name of the attached database with the history tables.
    """
    number = int(snapshot)
    return f"""
        SELECT u.loc, h.lastmod, d.source,
            coalesce(s.state, 'listed') = 'listed'
                AND (h.missing_since IS NULL OR h.missing_since > {number}) AS is_known
        FROM {database}.history h
        JOIN {database}.history_urls u ON u.url_id = h.url_id
        JOIN {database}.history_documents d ON d.document = h.document
        LEFT JOIN (
            SELECT document, arg_max(state, snapshot) AS state FROM {database}.history_states
            WHERE snapshot <= {number} GROUP BY document) s ON s.document = h.document
        WHERE h.first_snapshot <= {number}
            AND (h.last_snapshot IS NULL OR h.last_snapshot >= {number})"""


def changes_at(snapshot: int, *, database: str = "store") -> str:
    """Return the SQL query of the URLs that a snapshot added, removed or changed.

    Columns: ``change`` (added, removed or changed), ``loc``, ``before`` and ``after``: the
    ``lastmod`` at the snapshot before and at this one.

    Args:
        snapshot: Number of the snapshot in the table ``snapshots``.
        database: Name of the attached database with the history tables.
    """
    number, previous = int(snapshot), int(snapshot) - 1
    return f"""
        WITH touched AS (
            SELECT DISTINCT url_id FROM {database}.history
            WHERE first_snapshot = {number} OR last_snapshot = {previous}),
        rows AS (SELECT h.* FROM {database}.history h SEMI JOIN touched USING (url_id)),
        before AS (
            SELECT url_id, max(lastmod) AS lastmod FROM rows WHERE first_snapshot <= {previous}
            AND (last_snapshot IS NULL OR last_snapshot >= {previous}) GROUP BY url_id),
        after AS (
            SELECT url_id, max(lastmod) AS lastmod FROM rows WHERE first_snapshot <= {number}
            AND (last_snapshot IS NULL OR last_snapshot >= {number}) GROUP BY url_id)
        SELECT CASE WHEN b.url_id IS NULL THEN 'added' WHEN a.url_id IS NULL THEN 'removed'
            ELSE 'changed' END AS change, u.loc, b.lastmod AS before, a.lastmod AS after
        FROM touched JOIN {database}.history_urls u USING (url_id)
        LEFT JOIN before b USING (url_id) LEFT JOIN after a USING (url_id)
        WHERE b.url_id IS NULL OR a.url_id IS NULL OR a.lastmod IS DISTINCT FROM b.lastmod"""

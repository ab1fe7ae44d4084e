"""Read the history of a site: its snapshots, what changed, and a snapshot as a store."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from urlset.errors import StoreError
from urlset.formats.detect import stored_form
from urlset.live.schemas import HISTORY_SCHEMA, HISTORY_TABLES
from urlset.store import Store, StoreSession, create_for_run, quoted

COLUMNS = {table.name: table.columns for table in HISTORY_TABLES}
"""Columns of the history tables by name of the table."""


class DocumentState(NamedTuple):
    """Row of ``history_documents``, whose columns :data:`HISTORY_TABLES` describes."""

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
    unreadable_count: int = 0
    read_at: datetime | None = None
    verified_at: datetime | None = None


def tracked_documents(session: StoreSession) -> Iterator[DocumentState]:
    """Yield the documents of a watched site, the rows of ``history_documents``."""
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
    """Convert microseconds since 1970 to a time; DuckDB would need pytz to return times.

    Raises StoreError for one that Python has not; urlset stores none.
    """
    if microseconds is None:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    except OverflowError as error:
        raise StoreError(
            "expected times of the years 1 to 9999 in the store, found one of "
            f"{microseconds / 1e6:.4g} seconds since 1970; name another file"
        ) from error


def _states_at(snapshot: int) -> str:
    """Return the SQL query of the documents, each with its state at a snapshot."""
    return (
        "SELECT document, arg_max(state, snapshot) AS state FROM store.history_states "
        f"WHERE snapshot <= {snapshot} GROUP BY document"
    )


def _is_open_at(snapshot: int) -> str:
    """Return the SQL condition for the intervals of ``history`` in which a snapshot is."""
    return (
        f"first_snapshot <= {snapshot} AND (last_snapshot IS NULL OR last_snapshot >= {snapshot})"
    )


def entries_at(snapshot: int) -> str:
    """Return the SQL query of the URLs that are listed at a snapshot, of the table ``snapshots``.

    One row for each sitemap and URL: ``loc``, ``lastmod``, ``source`` (the sitemap), and
    ``is_known``, which is false if the sitemap could not be read at that snapshot: the row is then
    the state before, and the URL may be listed or not.
    """
    number = int(snapshot)
    return f"""
        SELECT u.loc, h.lastmod, d.source,
            coalesce(s.state, 'listed') = 'listed'
                AND (h.missing_since IS NULL OR h.missing_since > {number}) AS is_known
        FROM store.history h
        JOIN store.history_urls u ON u.url_id = h.url_id
        JOIN store.history_documents d ON d.document = h.document
        LEFT JOIN ({_states_at(number)}) s ON s.document = h.document
        WHERE {_is_open_at(number)}"""


def changes_at(snapshot: int) -> str:
    """Return the SQL query of the URLs that a snapshot added, removed or changed.

    Columns: ``change`` (added, removed or changed), ``loc``, ``before`` and ``after``: the
    ``lastmod`` at the snapshot before and at this one.
    """
    number, previous = int(snapshot), int(snapshot) - 1
    return f"""
        WITH touched AS (
            SELECT DISTINCT url_id FROM store.history
            WHERE first_snapshot = {number} OR last_snapshot = {previous}),
        rows AS (SELECT h.* FROM store.history h SEMI JOIN touched USING (url_id)),
        before AS (
            SELECT url_id, max(lastmod) AS lastmod FROM rows WHERE {_is_open_at(previous)}
            GROUP BY url_id),
        after AS (
            SELECT url_id, max(lastmod) AS lastmod FROM rows WHERE {_is_open_at(number)}
            GROUP BY url_id)
        SELECT CASE WHEN b.url_id IS NULL THEN 'added' WHEN a.url_id IS NULL THEN 'removed'
            ELSE 'changed' END AS change, u.loc, b.lastmod AS before, a.lastmod AS after
        FROM touched JOIN store.history_urls u USING (url_id)
        LEFT JOIN before b USING (url_id) LEFT JOIN after a USING (url_id)
        WHERE b.url_id IS NULL OR a.url_id IS NULL OR a.lastmod IS DISTINCT FROM b.lastmod"""


_NAME = re.compile(r"(.+)@(latest|-?\d{1,9})", re.DOTALL)


class SnapshotName(NamedTuple):
    """Path of a store, and the number of a snapshot in it.

    ``number`` counts from 1; None is the latest snapshot, -1 the one before it.
    """

    path: str
    number: int | None


def snapshot_name(source: object) -> SnapshotName | None:
    """Return the snapshot that a source names; None if it names another source.

    It names one as ``STORE@N``, or as a store with snapshots and no documents that were read into
    it, whose latest snapshot is meant.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    name = os.fspath(source)
    if os.path.lexists(name):
        if stored_form(name) != "duckdb":
            return None
        with Store.open(name, read_only=True) as store:
            return SnapshotName(name, None) if store.document_writer is _write_latest else None
    found = _NAME.fullmatch(name)
    if found is None or not (os.path.isfile(found[1]) or found[1].endswith(".duckdb")):
        return None  # else opening it says what it is
    return SnapshotName(found[1], None if found[2] == "latest" else int(found[2]))


def write_snapshot(name: SnapshotName, target: str) -> None:
    """Write a snapshot to a new store.

    Sitemaps that could not be read at the snapshot have an error and no entries. URLs that may be
    listed or not are omitted.

    Raises:
        StoreError: The store has no such snapshot.
    """

    def copy(session: StoreSession, number: int) -> None:
        _copy(session, number, "AND e.is_known")
        session.run(
            "UPDATE snapshot_store.documents SET kind = NULL, entry_count = 0 "
            "WHERE error IS NOT NULL"
        )

    _write(name, target, copy)


def write_last_known(name: SnapshotName, target: str, *, since: SnapshotName | None) -> None:
    """Write the last known state at a snapshot to a new store.

    Each URL has one row: the latest ``lastmod`` of its sitemaps. A sitemap that could not be read
    has the entries of when it was read before. The table ``unknown_urls`` has the URLs that may
    be listed or not: those of sitemaps that could not be read at the snapshot, and, with ``since``,
    those that may have been listed at that snapshot, because all their sitemaps were read for the
    first time after it.

    Raises:
        StoreError: The store has no such snapshot.
    """

    def copy(session: StoreSession, number: int) -> None:
        _copy_last_known(session, number, None if since is None else _number(session, since))

    _write(name, target, copy)


def _write(name: SnapshotName, target: str, copy: Callable[[StoreSession, int], None]) -> None:
    with create_for_run(target):
        pass
    with Store.open(name.path, read_only=True) as store:
        if not store.has(HISTORY_SCHEMA):
            raise StoreError(
                f"expected a store with snapshots, found none in {name.path!r}; "
                "`urlset watch SITE --store FILE` stores them"
            )
        with store.session() as session:
            number = _number(session, name)
            session.run(f"ATTACH {quoted(os.path.abspath(target))} AS snapshot_store")
            try:
                with session.transaction():
                    copy(session, number)
            finally:
                session.run("DETACH snapshot_store")


def _number(session: StoreSession, name: SnapshotName) -> int:
    [(last,)] = list(session.rows("SELECT coalesce(max(snapshot), 0) FROM store.snapshots"))
    number = last if name.number is None else name.number
    if number < 0:
        number += last
    if name.number == 0 or not 1 <= number <= last:
        if last == 1 and number == 0 and name.number:
            raise StoreError(
                f"{name.path!r} has only one snapshot yet, so there is none before it to compare "
                "with; the next step of `urlset watch` stores the second one"
            )
        found = f"1 to {last:,}" if last else "none"
        raise StoreError(
            f"expected the number of a snapshot in {name.path!r} ({found}), "
            f"found {'latest' if name.number is None else name.number}"
        )
    return int(number)


_LASTMOD_TEXT = """CASE WHEN {0} = date_trunc('day', {0}) THEN strftime({0}, '%Y-%m-%d')
                ELSE strftime({0}, '%Y-%m-%dT%H:%M:%SZ') END"""


def _copy_last_known(session: StoreSession, number: int, since: int | None) -> None:
    _copy(session, number, "AND false")
    session.run(
        f"""CREATE TEMP TABLE last_known AS
        SELECT e.loc, max(e.lastmod) AS lastmod, min(source) AS source,
            CASE WHEN NOT bool_or(is_known) THEN coalesce(
                min(source) FILTER (d.error IS NOT NULL) || ': it could not be read',
                min(source) || ' does not list it, and another sitemap could not be read') END
                AS detail
        FROM ({entries_at(number)}) e LEFT JOIN snapshot_store.documents d USING (source)
        GROUP BY e.loc"""
    )
    session.run("UPDATE snapshot_store.documents SET error = NULL")
    session.run(
        f"""INSERT INTO snapshot_store.entries BY NAME
        SELECT coalesce(d.document, 0)::UINTEGER AS document,
            row_number() OVER (ORDER BY e.loc) AS entry, e.loc, e.lastmod,
            {_LASTMOD_TEXT.format("e.lastmod")} AS lastmod_text,
            [] AS images, [] AS videos, [] AS alternates, e.source
        FROM last_known e LEFT JOIN snapshot_store.documents d USING (source)"""
    )
    session.run(
        "CREATE TABLE snapshot_store.unknown_urls AS SELECT loc, detail FROM last_known "
        "WHERE detail IS NOT NULL"
    )
    if since is not None:
        session.run(
            f"""INSERT INTO snapshot_store.unknown_urls
            WITH unread_documents AS (
                SELECT document FROM ({_states_at(since)})
                WHERE state IN ('failed', 'gone') AND document NOT IN (
                    SELECT document FROM store.history WHERE first_snapshot <= {since}))
            SELECT u.loc, any_value(d.source) || ': it could not be read before'
            FROM store.history h JOIN unread_documents USING (document)
            JOIN store.history_urls u ON u.url_id = h.url_id
            JOIN store.history_documents d ON d.document = h.document
            WHERE u.loc NOT IN (SELECT loc FROM ({entries_at(since)}))
                AND h.url_id NOT IN (
                    SELECT url_id FROM store.history WHERE first_snapshot <= {number}
                    AND document NOT IN (SELECT document FROM unread_documents))
            GROUP BY u.loc"""
        )
    session.run("DROP TABLE last_known")


def _copy(session: StoreSession, number: int, condition: str) -> None:
    """Copy the documents, and the entries that match a condition."""
    session.run(
        f"""INSERT INTO snapshot_store.documents BY NAME
        WITH states AS ({_states_at(number)})
        SELECT d.document, d.source, d.source AS url, d.parent, d.how, d.kind,
            (SELECT site FROM store.snapshots WHERE snapshot = {number}) AS root,
            CASE WHEN d.how = 'index' THEN d.source END AS loc,
            CASE WHEN d.how = 'index' THEN 1 ELSE 0 END AS depth, d.lastmod,
            coalesce(d.entry_count, 0) AS entry_count,
            (SELECT count(*) FROM store.history_documents c JOIN states t USING (document)
                WHERE c.parent = d.source AND t.state <> 'unlisted') AS sitemap_count,
            0 AS problem_count, d.unreadable_count, coalesce(d.byte_count, 0) AS size,
            coalesce(d.byte_count, 0) AS packed_size,
            CASE s.state WHEN 'failed' THEN 'it could not be read at this snapshot'
                WHEN 'gone' THEN 'it did not exist at this snapshot' END AS error,
            CASE s.state WHEN 'failed' THEN 'unreachable' WHEN 'gone' THEN 'status' END AS failure,
            CASE WHEN s.state IN ('failed', 'gone') THEN NULL ELSE 200 END AS status,
            (SELECT started FROM store.snapshots WHERE snapshot = {number}) AS read_at
        FROM store.history_documents d JOIN states s USING (document)
        WHERE s.state <> 'unlisted' AND d.how <> 'home'"""
    )
    session.run(
        f"""INSERT INTO snapshot_store.entries BY NAME
        SELECT d.document, row_number() OVER (PARTITION BY d.document ORDER BY e.loc) AS entry,
            e.loc, e.lastmod, {_LASTMOD_TEXT.format("e.lastmod")} AS lastmod_text,
            [] AS images, [] AS videos, [] AS alternates, e.source
        FROM ({entries_at(number)}) e JOIN snapshot_store.documents d USING (source)
        WHERE d.error IS NULL {condition}"""
    )


def _write_latest(path: str, target: str) -> None:
    write_snapshot(SnapshotName(path, None), target)


DOCUMENT_WRITERS = {"snapshots": _write_latest}
"""Function that writes the documents of a store with this table, for :mod:`urlset.registry`."""

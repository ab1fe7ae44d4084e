"""Write one snapshot of a history as a store, for whatever reads stores."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from urlset.errors import StoreError
from urlset.store.connection import literal
from urlset.store.history_reader import entries_at
from urlset.store.session import StoreSession
from urlset.store.store import Store

__all__ = ["SnapshotName", "has_history_only", "split_snapshot", "write_snapshot"]

_NAME = re.compile(r"(.+)@(latest|-?\d{1,9})", re.DOTALL)


class SnapshotName(NamedTuple):
    """Path of a store, and a snapshot in it.

    ``number`` counts from 1; 0 is the latest snapshot, -1 the one before it.
    """

    path: str
    number: int


def split_snapshot(name: str) -> SnapshotName | None:
    """Return the parts of ``STORE@N``; None for other names.

    >>> split_snapshot("site.duckdb@12"), split_snapshot("site.duckdb@latest").number
    (SnapshotName(path='site.duckdb', number=12), 0)
    >>> split_snapshot("https://user@example.com/")
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    return SnapshotName(found[1], 0 if found[2] == "latest" else int(found[2]))


def has_history_only(path: str) -> bool:
    """Return whether a store has snapshots, and no documents that were read into it."""
    with Store.open(path, read_only=True) as store:
        return store.has_snapshots_only


def write_snapshot(name: SnapshotName, target: str) -> int:
    """Write a snapshot to a new store; return its number.

    Sitemaps that could not be read at the snapshot have an error and no entries.

    Raises:
        StoreError: The store has no such snapshot.
    """
    with Store.open(target):
        pass
    with Store.open(name.path, read_only=True) as store:
        if not store.has_history_tables:
            raise StoreError(
                f"expected a store with snapshots, found none in {name.path!r}; "
                "`urlset watch SITE --store FILE` stores them"
            )
        with store.session() as session:
            number = _number(session, name)
            session.run(f"ATTACH {literal(os.path.abspath(target))} AS snapshot_store")
            try:
                with session.transaction():
                    _copy(session, number)
            finally:
                session.run("DETACH snapshot_store")
            return number


def _number(session: StoreSession, name: SnapshotName) -> int:
    [(last,)] = list(session.rows("SELECT coalesce(max(snapshot), 0) FROM store.snapshots"))
    number = name.number if name.number > 0 else last + name.number
    if not 1 <= number <= last:
        found = f"1 to {last:,}" if last else "none"
        raise StoreError(
            f"expected the number of a snapshot in {name.path!r} ({found}), found {name.number}"
        )
    return int(number)


def _copy(session: StoreSession, number: int) -> None:
    session.run(
        f"""INSERT INTO snapshot_store.documents BY NAME
        WITH states AS (
            SELECT document, arg_max(state, snapshot) AS state FROM store.history_states
            WHERE snapshot <= {number} GROUP BY document)
        SELECT d.document, d.source, d.source AS url, d.parent, d.how, d.kind,
            (SELECT site FROM store.snapshots WHERE snapshot = {number}) AS root,
            CASE WHEN d.how = 'index' THEN d.source END AS loc,
            CASE WHEN d.how = 'index' THEN 1 ELSE 0 END AS depth, d.lastmod,
            coalesce(d.entry_count, 0) AS entry_count,
            (SELECT count(*) FROM store.history_documents c JOIN states t USING (document)
                WHERE c.parent = d.source AND t.state <> 'unlisted') AS sitemap_count,
            0 AS problem_count, coalesce(d.byte_count, 0) AS size,
            coalesce(d.byte_count, 0) AS packed_size, 0 AS layers,
            CASE s.state WHEN 'failed' THEN 'it could not be read at this snapshot'
                WHEN 'gone' THEN 'it did not exist at this snapshot' END AS error,
            CASE WHEN s.state IN ('failed', 'gone') THEN NULL ELSE 200 END AS status,
            (SELECT started FROM store.snapshots WHERE snapshot = {number}) AS read_at
        FROM store.history_documents d JOIN states s USING (document)
        WHERE s.state <> 'unlisted' AND d.how <> 'home'"""
    )
    session.run(
        f"""INSERT INTO snapshot_store.entries BY NAME
        SELECT d.document, row_number() OVER (PARTITION BY d.document ORDER BY e.loc) AS entry,
            e.loc, e.lastmod, CASE WHEN e.lastmod = date_trunc('day', e.lastmod)
                THEN strftime(e.lastmod, '%Y-%m-%d')
                ELSE strftime(e.lastmod, '%Y-%m-%dT%H:%M:%SZ') END AS lastmod_text,
            [] AS images, [] AS videos, [] AS alternates, e.source
        FROM ({entries_at(number)}) e JOIN snapshot_store.documents d USING (source)
        WHERE d.error IS NULL"""
    )

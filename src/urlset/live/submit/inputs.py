"""Inputs of a submission: files of changes, ledgers of builds, stores, and Python objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from urlset.arrow import rows_of
from urlset.arrow.batches import as_table
from urlset.errors import SourceError, StoreError
from urlset.http import without_secrets
from urlset.live.history import entries_at
from urlset.live.schemas import HISTORY_SCHEMA
from urlset.live.submit.changes import ChangedUrl, changes_of, read_changes
from urlset.store import ScratchDatabase, Store, is_database
from urlset.temp_files import expect_safe_to_read

LISTED = "listed"


class ChangeInput(NamedTuple):
    """Input of a submission: changes, or the state of sites, which is compared with the log.

    Each URL of a state is ``listed`` or ``removed``. With ``infers_removed`` the state is complete,
    so that other URLs are removed. ``name`` is for messages, and ``note`` a message about the
    input.
    """

    name: str
    changes: Iterable[ChangedUrl]
    is_state: bool = False
    infers_removed: bool = False
    note: str | None = None


def open_input(source: Any, db: ScratchDatabase) -> ChangeInput:
    """Open an input: an iterable of changes, or a file of changes, of a ledger or of a store.

    ``-`` is stdin. A ledger or a store is attached to the scratch database.

    Raises:
        SourceError: The file does not exist, or has no changes.
    """
    if not isinstance(source, str | os.PathLike):
        return ChangeInput("changes", changes_of(source))
    path = os.fspath(source)
    if path != "-" and not os.path.exists(path):
        raise SourceError(
            f"expected a file of changes, a ledger or a store, found nothing at "
            f"{without_secrets(path)!r}; `urlset build --changes FILE` writes one",
            failure="missing",
        )
    if path != "-" and os.path.isdir(path):
        raise SourceError(
            f"expected a file of changes, a ledger or a store, found a folder: {path!r}"
        )
    if path != "-":
        try:
            expect_safe_to_read(path)
        except OSError as error:
            raise SourceError(f"cannot read {path!r}: {error.strerror}") from None
    if path.endswith(".duckdb") and not os.path.getsize(path):
        # An empty file of changes is valid; an empty ledger or store is one that was cut.
        raise SourceError(f"expected a ledger or a store, found an empty file: {path!r}")
    if path == "-" or not is_database(path):
        return ChangeInput(path, read_changes(path))
    try:
        db.attach_copy(path, "input")
    except StoreError as error:
        if error.failure != "other-file":
            raise
        return _store_input(path)  # a store has macros, a ledger does not
    query = (
        "SELECT schema_name FROM duckdb_tables() WHERE database_name = 'input' "
        "AND table_name = 'urls' AND starts_with(schema_name, 'set_') ORDER BY ALL"
    )
    sets = [schema for (schema,) in db.rows(query)]
    if not sets:
        raise SourceError(
            f"expected a ledger of `urlset build` or a store, found another DuckDB file: {path!r}"
        )
    return ChangeInput(path, _ledger_rows(db, sets), is_state=True)


def _store_input(path: str) -> ChangeInput:
    """Open a store as an input: the URLs of its last snapshot, or of the sitemaps in it."""
    with Store.open(path, read_only=True) as store, store.session() as session:
        if store.has(HISTORY_SCHEMA):
            [(snapshot,)] = session.rows("SELECT max(snapshot) FROM store.snapshots")
            if snapshot is not None:
                query = (
                    "SELECT loc, strftime(max(lastmod), '%Y-%m-%dT%H:%M:%SZ') "
                    f"FROM ({entries_at(snapshot)}) GROUP BY loc"
                )
                return ChangeInput(path, _store_rows(path, query), True, infers_removed=True)
        [(documents, failed)] = session.rows("SELECT count(*), count(error) FROM store.documents")
        if not documents:  # nothing that was announced before counts as removed
            raise SourceError(
                f"expected a store with sitemaps, found none in {path!r}; `urlset read` reads them"
            )
    note = None
    if failed:
        note = f"{path}: {failed:,} sitemaps could not be read, so that no URL counts as removed"
    query = "SELECT loc, max(lastmod_text) FROM store.entries GROUP BY loc"
    return ChangeInput(path, _store_rows(path, query), True, infers_removed=not failed, note=note)


def _store_rows(path: str, query: str) -> Iterator[ChangedUrl]:
    with Store.open(path, read_only=True) as store, store.session() as session:
        for loc, lastmod in session.rows(query):
            yield ChangedUrl(LISTED, loc, lastmod)


def _ledger_rows(db: ScratchDatabase, schemas: Iterable[str]) -> Iterator[ChangedUrl]:
    for schema in schemas:
        table = f'input."{schema}"'
        for change, query in (
            ("removed", f"SELECT loc FROM {table}.gone"),
            (LISTED, f"SELECT loc, lastmod, fingerprint FROM {table}.urls"),
        ):
            for batch in db.batches(query):
                yield from (ChangedUrl(change, *row) for row in rows_of(as_table(batch)))

"""Inputs of a submission: changes, from JSON lines or objects, ledgers of builds, and stores.

``build --changes``, ``diff`` and ``sync`` write JSON lines of changes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import datetime
from typing import Any, NamedTuple, TextIO

from urlset.arrow import is_arrow, rows_of
from urlset.arrow.batches import as_table
from urlset.dates import format_date
from urlset.errors import SourceError, StoreError
from urlset.http import without_secrets
from urlset.live.history.reader import entries_at
from urlset.live.schemas import HISTORY_SCHEMA
from urlset.live.unread_documents import IS_ROBOTS_SQL, unread_text
from urlset.store import ScratchDatabase, Store, is_database
from urlset.temp_files import expect_safe_to_read

KINDS = ("added", "changed", "removed", "moved", "unknown")

# Missing values in rows of pandas and numpy, as text. As a date, they would identify a change.
_MISSING = frozenset(("nan", "nat", "<na>"))

MAX_LINE = 1_048_576
"""Characters of a line; a longer one is not a change."""


class ChangedUrl(NamedTuple):
    """Changed URL: the kind of the change, and the date or fingerprint that identifies it.

    Attributes:
        change: ``added``, ``changed`` or ``removed``.
        loc: The URL.
        lastmod: Its date after the change, as text.
        fingerprint: Fingerprint of its content after the change.
    """

    change: str
    loc: str
    lastmod: str | None = None
    fingerprint: str | None = None


def changes_of(items: Iterable[Any], name: str = "changes") -> Iterator[ChangedUrl]:
    """Convert objects with ``change`` and ``loc``, as build, diff and sync write, to changes.

    ``moved`` is a removed and an added URL. ``unknown`` is no change: a sitemap could not be read.
    Only a date or a fingerprint that is not the same as before identifies the change; they are in
    ``before`` and ``after``, or those after the change in the object itself.

    Raises:
        SourceError: An object is not a change.

    >>> list(changes_of([{"change": "removed", "loc": "https://example.com/a"}]))
    [ChangedUrl(change='removed', loc='https://example.com/a', lastmod=None, fingerprint=None)]
    """
    if is_arrow(items) and hasattr(items, "columns"):
        raise SourceError(
            f"expected {name}, objects with change and loc, found a {type(items).__name__}; pass "
            "its rows, .to_dicts() of polars or .to_dict('records') of pandas"
        )
    for number, item in enumerate(items, 1):
        if isinstance(item, ChangedUrl):
            item = {**item._asdict(), "after": item._asdict()}
        yield from _changes(item, f"{name}:{number}")


def _changes(item: Any, where: str) -> Iterator[ChangedUrl]:
    if hasattr(item, "_asdict"):  # a named tuple, such as a row of a diff
        item = item._asdict()
    elif hasattr(item, "to_dict"):  # an update of a synchronization
        item = item.to_dict()
    if not isinstance(item, Mapping):
        raise SourceError(f"{where}: expected an object with change and loc, found {_shown(item)}")
    kind, loc = item.get("change"), item.get("loc")
    if not isinstance(kind, str) or kind not in KINDS:  # pandas.NA is equal to nothing
        raise SourceError(
            f"{where}: expected a change ({', '.join(KINDS)}), found {_shown(kind)}; "
            "name the file of `build --changes`, of `diff --format jsonl` or of `sync`"
        )
    if not isinstance(loc, str):
        raise SourceError(f"{where}: expected loc, the URL that changed, found {_shown(loc)}")
    before, after = item.get("before"), item.get("after")
    if before is None and after is None:  # a row of sync: the page after the change
        fingerprint = _text(item, "fingerprint")
        is_same = fingerprint is not None and fingerprint == item.get("previous_fingerprint")
        before, after = (item if is_same else None), item
    if kind == "unknown":
        return
    if kind == "moved":
        old, new = _loc(before, loc), _loc(after, loc)
        if old == new:
            raise SourceError(
                f"{where}: expected before.loc and after.loc of a move, found one URL"
            )
        yield ChangedUrl("removed", old)
        yield ChangedUrl("added", new, _text(after, "lastmod"), _text(after, "fingerprint"))
        return
    if kind == "removed":
        yield ChangedUrl("removed", loc)
        return
    is_same = kind == "changed" and _evidence(before) == _evidence(after)
    lastmod, fingerprint = (None, None) if is_same else _evidence(after)
    yield ChangedUrl(kind, loc, lastmod, fingerprint)


def _evidence(state: Any) -> tuple[str | None, str | None]:
    return _text(state, "lastmod"), _text(state, "fingerprint")


def _loc(state: Any, default: str) -> str:
    return state if isinstance(state, str) else _text(state, "loc") or default


def _text(state: Any, name: str) -> str | None:
    state = state._asdict() if hasattr(state, "_asdict") else state
    value = state.get(name) if isinstance(state, Mapping) else None
    if value is None or isinstance(value, str):
        return value or None
    if str(value).lower() in _MISSING:
        return None
    return format_date(value) if isinstance(value, datetime) else str(value)


def read_changes(path: str) -> Iterator[ChangedUrl]:
    """Yield the changes of a file of JSON lines; ``-`` is stdin.

    Raises:
        SourceError: The file cannot be read, or a line is not a change.
    """
    name = "stdin" if path == "-" else path
    try:
        with nullcontext(sys.stdin) if path == "-" else open(path, encoding="utf-8-sig") as file:
            yield from changes_of(_objects(file, name), name)
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, SourceError):
            raise
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise SourceError(f"cannot read {name!r}: {reason}") from error


def _objects(file: TextIO, name: str) -> Iterator[Any]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise SourceError(
                f"{name}:{number}: expected a change, found a line over 1 MiB; `urlset sync "
                "--no-text` writes lines without the texts of pages"
            )
        if line.isspace():
            continue
        if line.lstrip().startswith("<"):
            raise SourceError(
                f"{name}: expected changes, found XML; `urlset build --changes FILE` or `urlset "
                "diff OLD NEW --format jsonl` writes those of a sitemap"
            )
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            # Note: without the text, as the file may be anything, such as one with secrets.
            raise SourceError(
                f"{name}:{number}: expected a JSON object with change and loc, found other text"
            ) from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


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
    if path == "-":
        return ChangeInput(path, read_changes(path))
    if not os.path.exists(path):
        raise SourceError(
            f"expected a file of changes, a ledger or a store, found nothing at "
            f"{without_secrets(path)!r}; `urlset build --changes FILE` writes one",
            failure="missing",
        )
    if os.path.isdir(path):
        raise SourceError(
            f"expected a file of changes, a ledger or a store, found a folder: {path!r}"
        )
    try:
        expect_safe_to_read(path)
    except OSError as error:
        raise SourceError(f"cannot read {path!r}: {error.strerror}") from None
    if path.endswith(".duckdb") and not os.path.getsize(path):
        # An empty file of changes is valid; an empty ledger or store is one that was cut.
        raise SourceError(f"expected a ledger or a store, found an empty file: {path!r}")
    if not is_database(path):
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
        [(documents, failed, robots)] = session.rows(
            "SELECT count(*), count(error), "
            f"count(error) FILTER (WHERE {IS_ROBOTS_SQL}) FROM store.documents"
        )
        if not documents:  # nothing that was announced before counts as removed
            raise SourceError(
                f"expected a store with sitemaps, found none in {path!r}; `urlset read` reads them"
            )
    note = None
    if failed:
        unread = unread_text(failed - robots, robots)
        note = f"{path}: {unread} could not be read, so that no URL counts as removed"
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

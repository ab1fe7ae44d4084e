"""``urlset read`` by way of tables: into a store, into Parquet, and answers to a query."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from urlset.arrow.streams import NumberedRows, RowLimit, without_row_numbers
from urlset.cli.colour import painter
from urlset.cli.console import Progress
from urlset.cli.options import MisuseError, time_limit
from urlset.cli.query_output import answer_lines
from urlset.cli.read_session import Session
from urlset.cli.sink import Sink
from urlset.errors import QueryError
from urlset.store import (
    QUERY_S,
    QueryResult,
    Store,
    end_process_when_stuck,
    is_database,
    write_parquet,
)
from urlset.tempdirs import LockedTempDir

__all__ = ["read_tables"]


def read_tables(
    session: Session,
    sources: Sequence[str],
    row_limit: RowLimit,
    *,
    is_filtered: bool,
    sql: str | None,
    sql_timeout: float | None = None,
    form: str,
    output: Path | None,
) -> int | None:
    """Read sources into where they are to go; gives the number of rows of an answer."""
    target = None if output is None or str(output) == "-" else output
    if sql is None:
        if form == "parquet":
            _into_parquet(session, sources, row_limit, target)
        else:
            _into_store(session, sources, row_limit, target)
        return None
    if form == "duckdb":
        raise MisuseError(
            "--sql: expected the format table, jsonl, json, csv, txt or parquet for what "
            "it gives, found duckdb; read into the store first, then ask it"
        )
    is_store = (
        len(sources) == 1
        and not is_filtered
        and row_limit.limit is None
        and is_database(sources[0])
    )
    end_process_when_stuck()
    with _opened(sources[0] if is_store else None) as store:
        with _told():
            store.check(sql)  # before anything is read
        if not is_store:
            with session.progress() as progress:
                _fill(store, session, sources, row_limit, progress)
            session.tell_failures()
            if session.exit_code == 2:
                raise typer.Exit(2)
        with _told():
            answer = store.query(sql, timeout_s=time_limit(sql_timeout, QUERY_S))
        _write(answer, form, target)
        return len(answer)


def _into_store(
    session: Session, sources: Sequence[str], row_limit: RowLimit, target: Path | None
) -> None:
    if target is None:
        raise MisuseError("--format duckdb: expected --output, a store is no stream")
    is_new = not os.path.lexists(target)
    with Store.open(target) as store, session.progress() as progress:
        _fill(store, session, sources, row_limit, progress)
    session.tell_failures()
    if session.exit_code == 2:
        if is_new:
            target.unlink(missing_ok=True)
        raise typer.Exit(2)


def _fill(
    store: Store, session: Session, sources: Sequence[str], row_limit: RowLimit, progress: Progress
) -> None:
    for source in sources:
        with store.writer(source) as filling:
            filling.is_complete = row_limit.limit is None
            for portion in session.portions(source, progress, row_limit, filling.on_response):
                filling.add(*portion)
            filling.is_complete &= source not in session.unread


def _into_parquet(
    session: Session, sources: Sequence[str], row_limit: RowLimit, target: Path | None
) -> None:
    with _parquet(target) as path, session.progress() as progress:

        def tables() -> Iterator[NumberedRows]:
            for source in sources:
                for _, _, rows in session.portions(source, progress, row_limit):
                    if rows is not None:
                        yield rows
            if session.exit_code == 2:
                session.tell_failures()
                raise typer.Exit(2)  # within: what lies at --output is better than nothing at all

        write_parquet(without_row_numbers(tables()), path)
    session.tell_failures()


def _opened(path: str | None) -> Store:
    """The store that is asked as it lies there, or one for what is read first."""
    return Store.open(path, read_only=path is not None)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except QueryError as error:
        raise QueryError(f"--sql: {error}") from error


def _write(answer: QueryResult, form: str, target: Path | None) -> None:
    if form == "parquet":
        with _parquet(target) as path:
            write_parquet(answer, path)
        return
    with Sink(target) as sink:
        width = max(40, shutil.get_terminal_size((80, 24)).columns)
        for text in answer_lines(answer, form, painter(is_shown=sink.is_stdout), width):
            sink.write(text, is_markup=form == "table")


@contextmanager
def _parquet(target: Path | None) -> Iterator[Path]:
    """Where Parquet is to be written: for stdout into a file first, since it is no stream."""
    if target is not None:
        yield target
        return
    if sys.stdout.isatty():
        raise MisuseError("--format parquet: expected --output or a pipe, found a terminal")
    with LockedTempDir() as scratch:
        path = Path(scratch.path, "entries.parquet")
        yield path
        with Sink(None) as sink, path.open("rb") as file:
            sink.copy(file)

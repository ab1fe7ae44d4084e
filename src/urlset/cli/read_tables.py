"""Output of urlset read: stores, Parquet files and the results of SQL."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from urlset.arrow.streams import NumberedRows, RowLimit, without_row_numbers
from urlset.cli.console import Progress, Sink, line_renderer, terminal_width
from urlset.cli.options import Exit, UsageError
from urlset.cli.read_output import query_table
from urlset.cli.read_session import ReadSession
from urlset.errors import QueryError
from urlset.reader.row_formats import csv_rows, json_array
from urlset.store import (
    QUERY_S,
    QueryResult,
    Store,
    end_process_when_stuck,
    is_database,
    write_parquet,
)
from urlset.temp_files import LockedTempDir
from urlset.terminal_text import escape_json


def write_tables(
    session: ReadSession,
    sources: Sequence[str],
    row_limit: RowLimit,
    *,
    is_filtered: bool,
    sql: str | None,
    sql_timeout: float | None = None,
    form: str,
    output: Path | None,
) -> int | None:
    """Read sources into a store or a Parquet file, or query them; return the size of the result.

    A query over a single store reads nothing else. ``is_filtered`` is whether filters select
    entries; a store is then read like a sitemap.

    Raises:
        UsageError: The format does not fit the output, or the query.
        urlset.QueryError: The query is invalid.
    """
    target = None if output is None or str(output) == "-" else output
    if sql is None:
        if form == "parquet":
            _into_parquet(session, sources, row_limit, target)
        else:
            _into_store(session, sources, row_limit, target)
        return None
    if form == "duckdb":
        raise UsageError(
            "--sql: expected the format table, jsonl, json, csv, txt or parquet, found duckdb; "
            "write the store first, then query it"
        )
    is_whole = len(sources) == 1 and not is_filtered and row_limit.limit is None
    is_store = is_whole and is_database(sources[0])
    end_process_when_stuck()
    with Store.open(sources[0] if is_store else None, read_only=is_store) as store:
        with _query_errors():
            store.check(sql)  # report errors before reading
        if not is_store:
            with session.progress() as progress:
                _fill_store(store, session, sources, row_limit, progress)
            session.report_failures()
            if session.exit_code == 2:
                raise Exit(2)
        with _query_errors():
            limit = QUERY_S if sql_timeout is None else sql_timeout or None  # 0 is no limit
            result = store.query(sql, timeout_s=limit)
        _write_result(result, form, target)
        return len(result)


def _into_store(
    session: ReadSession, sources: Sequence[str], row_limit: RowLimit, target: Path | None
) -> None:
    if target is None:
        raise UsageError("--format duckdb: expected --output; a store cannot be written to stdout")
    is_new = not os.path.lexists(target)
    with Store.open(target) as store, session.progress() as progress:
        _fill_store(store, session, sources, row_limit, progress)
    session.report_failures()
    if session.exit_code == 2:
        if is_new:
            target.unlink(missing_ok=True)
        raise Exit(2)


def _fill_store(
    store: Store,
    session: ReadSession,
    sources: Sequence[str],
    row_limit: RowLimit,
    progress: Progress,
) -> None:
    for source in sources:
        with store.writer(source) as writer:
            writer.is_complete = row_limit.limit is None
            for batch in session.batches(source, progress, row_limit, writer.on_response):
                writer.add(*batch)
            writer.is_complete &= source not in session.unread


def _into_parquet(
    session: ReadSession, sources: Sequence[str], row_limit: RowLimit, target: Path | None
) -> None:
    with _parquet(target) as path, session.progress() as progress:

        def tables() -> Iterator[NumberedRows]:
            for source in sources:
                for _, _, rows in session.batches(source, progress, row_limit):
                    if rows is not None:
                        yield rows
            if session.exit_code == 2:
                session.report_failures()
                raise Exit(2)  # inside the context, so that an existing file is kept

        write_parquet(without_row_numbers(tables()), path)
    session.report_failures()


@contextmanager
def _query_errors() -> Iterator[None]:
    try:
        yield
    except QueryError as error:
        raise QueryError(f"--sql: {error}") from error


def _write_result(result: QueryResult, form: str, target: Path | None) -> None:
    if form == "parquet":
        with _parquet(target) as path:
            write_parquet(result, path)
        return
    with Sink(target) as sink:
        if form == "table":
            lines = query_table(result, line_renderer(is_stdout=sink.is_stdout), terminal_width())
        else:
            lines = _query_lines(result, form)
        for text in lines:
            sink.write(text, is_markup=form == "table")


@contextmanager
def _parquet(target: Path | None) -> Iterator[Path]:
    """Yield the path for a Parquet file; one for stdout is temporary and is copied at the end."""
    if target is not None:
        yield target
        return
    if sys.stdout.isatty():
        raise UsageError("--format parquet: expected --output or a pipe, found a terminal")
    with LockedTempDir() as folder:
        path = Path(folder.path, "entries.parquet")
        yield path
        with Sink(None) as sink, path.open("rb") as file:
            sink.copy(file)


def _query_lines(result: QueryResult, form: str) -> Iterator[str]:
    """Return the rows of a query result as jsonl, json, csv, or txt for a single column."""
    if form in ("jsonl", "json"):
        lines = (escape_json(f"{line}\n") for line in result.objects())
        return lines if form == "jsonl" else json_array(lines)
    if form == "csv":
        return csv_rows(result.columns, result.texts())
    if len(result.columns) != 1:
        raise UsageError(
            f"--format txt: expected a query for one column, found {len(result.columns)}; "
            "select one, or use csv"
        )
    return (f"{value or ''}\n" for (value,) in result.texts())

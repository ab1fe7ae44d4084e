"""One reading of ``urlset read`` on its way to where it is to go: lines, files, tables."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from enum import StrEnum
from itertools import islice
from pathlib import Path

import typer

from urlset.cli.colour import painter
from urlset.cli.console import count_of
from urlset.cli.entry_lines import as_array, csv_lines, jsonl_lines, txt_lines
from urlset.cli.entry_table import table_lines
from urlset.cli.read_session import Session
from urlset.cli.sink import Sink
from urlset.cli.tree import tree_lines
from urlset.model import Entry

__all__ = ["ReadJob", "RowFormat"]


class RowFormat(StrEnum):
    """How entries are written."""

    table = "table"
    jsonl = "jsonl"
    json = "json"
    csv = "csv"
    txt = "txt"
    parquet = "parquet"
    duckdb = "duckdb"


class ReadJob:
    """One reading on its way to where it is to go; ``count`` is how many entries have passed."""

    def __init__(
        self, session: Session, sources: list[str], limit: int | None, *, is_filtered: bool
    ):
        self.count = 0
        self._session = session
        self._sources = sources
        self._limit = limit
        self._is_filtered = is_filtered
        self._answered: int | None = None

    def into_text(self, form: RowFormat, output: Path | None, *, is_tree: bool) -> None:
        """Write entries, or the tree of documents, as lines."""
        session = self._session
        with (
            Sink(output) as sink,
            session.progress(is_shown=is_tree or not sink.is_terminal) as progress,
        ):
            with closing(session.entries(self._sources, progress)) as entries:
                rows = self._counted(islice(entries, self._limit))
                for text in _tree(session, rows, sink) if is_tree else _lines(form, rows, sink):
                    if is_tree:  # it comes when all is read
                        progress.end()
                    sink.write(text, is_markup=is_tree or form == "table")
            if session.exit_code == 2:
                session.tell_failures()
                raise typer.Exit(2)  # within: what lies at --output is better than nothing at all
        session.tell_failures()

    def into_tables(
        self, sql: str | None, form: RowFormat, output: Path | None, sql_timeout: float | None
    ) -> None:
        """Fill a store or a file of Parquet, or write what a query gives."""
        from urlset.arrow.streams import RowLimit
        from urlset.cli.store_output import read_tables

        row_limit = RowLimit(self._limit)
        try:
            self._answered = read_tables(
                self._session,
                self._sources,
                row_limit,
                is_filtered=self._is_filtered,
                sql=sql,
                sql_timeout=sql_timeout,
                form=form,
                output=output,
            )
        finally:
            self.count = row_limit.count

    def total(self, *, is_limited: bool) -> str:
        """One line that sums up what was shown."""
        text = self._session.total(self.count, is_filtered=self._is_filtered, is_limited=is_limited)
        if self._answered is None:
            return text
        rows = count_of(self._answered, "row")
        # A store that was asked as it lies there has read nothing.
        return f"{rows} of {text}" if self._session.records else rows

    def _counted(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in entries:
            self.count += 1
            yield entry


def _tree(session: Session, entries: Iterable[Entry], sink: Sink) -> Iterator[str]:
    for _ in entries:
        pass
    paint = painter(is_shown=sink.is_stdout)
    yield from (f"{paint(line)}\n" for line in tree_lines(session.records))


def _lines(format_: RowFormat, entries: Iterable[Entry], sink: Sink) -> Iterator[str]:
    if format_ == "table":
        paint = painter(is_shown=sink.is_stdout)
        return table_lines(entries, paint, max(40, shutil.get_terminal_size((80, 24)).columns))
    if format_ == "json":
        return as_array(jsonl_lines(entries))
    return {"jsonl": jsonl_lines, "csv": csv_lines, "txt": txt_lines}[format_](entries)

"""The command ``urlset read``: print the entries of sitemaps, or write them to a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from urlset.cli.console import Sink, line_renderer, print_errors, terminal_width
from urlset.cli.options import (
    Exit,
    NetworkOptions,
    UsageError,
    as_usage_error,
    expect_effect,
    expect_own_outputs,
    given_options,
)
from urlset.cli.read_output import DocumentTree, entry_table
from urlset.cli.read_session import ReadSession
from urlset.model import Entry
from urlset.option_names import option
from urlset.option_schema.read import READ_OPTIONS, RowFormat
from urlset.pattern_warnings import warn_of_patterns
from urlset.reader.filters import EntryFilter, compile_patterns
from urlset.reader.row_formats import csv_lines, json_array, jsonl_lines, txt_lines
from urlset.temp_files import is_special
from urlset.terminal_text import pluralize, sanitize

_FORMATS_BY_SUFFIX: dict[str, RowFormat] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".txt": "txt",
    ".parquet": "parquet",
    ".duckdb": "duckdb",
}
_FILTERS = ("since", "include", "exclude", "hosts", "scope")


def read(
    *,
    sources: list[str],
    format: RowFormat | None,
    output: Path | None,
    limit: int | None,
    sql: str | None,
    sql_timeout_s: float | None,
    tree: bool,
    unordered: bool,
    network: NetworkOptions,
    quiet: bool,
    **options: Any,
) -> None:
    """Read sitemaps and print their entries.

    SOURCE is a site (https://example.com), whose sitemaps are found and read, or the URL of a
    sitemap, a file or a folder. Documents that cannot be read are listed.
    Entries are printed in the order of the sitemaps, so that two runs print the same; --unordered
    does not wait for that order.

    Reads XML sitemaps, sitemap indexes with the files next to them, text, RSS and Atom, plain or
    gzipped, detected by their content; of a folder, every sitemap in it. Problems are repaired if
    the repair is unambiguous; `urlset check` reports them.

    Each object of jsonl has the keys loc, lastmod, changefreq, priority, source and line, and
    images, videos, news and alternates if the entry has some. json is an array of these objects.
    csv has the six columns; note that spreadsheets treat a cell that begins with = as a formula.
    parquet has all columns.

    duckdb writes a store, a DuckDB file with the tables documents, entries, sitemaps, problems,
    robots and fetches. Rows of a document that is read again are replaced; other rows are kept.
    --sql queries these tables without keeping them. A store can also be read like a sitemap, and so
    can tables with a column loc or url: Parquet, CSV, JSON lines, Arrow, SQLite.

    Exit codes: 0 everything was read, or as much as --limit and --max-documents allow, 1 some
    documents could not be read, 2 none could.

    \b
    Examples:
      urlset read https://example.com --format jsonl --output urls.jsonl
      urlset read https://example.com --tree
      urlset read sitemap.xml
      urlset read sitemap_index.xml --format csv --output urls.csv
      urlset read public/ --since 2026-01-01 --include /blog/ --format txt
      curl -s https://example.com/sitemap.xml.gz | urlset read - --format jsonl
      urlset read https://example.com --output site.duckdb
      urlset read urls.csv --output urls.parquet
      urlset read site.duckdb --sql 'SELECT url_section(loc), count(*)
                                     FROM entries GROUP BY ALL'
    """  # noqa: D301 - the \b keeps the lines of the examples
    expect_own_outputs({"output": output}, sources)
    chosen = format or _format_of(output, is_tree=tree)
    settings = given_options(options, READ_OPTIONS)
    own = {"sources": sources, "sql": sql, "sql_timeout_s": sql_timeout_s}
    expect_effect("read", settings | own, settings | own)
    filters = {name: settings[name] for name in _FILTERS if name in settings}
    _check_filters(filters, settings.get("follow_only", ()))
    session = ReadSession(
        is_quiet=quiet, ordered=not unordered, keep=False, **settings, **network._asdict()
    )
    is_table = sql is not None or chosen in ("parquet", "duckdb")
    if tree and (is_table or chosen not in ("table", "txt")):
        found = chosen if sql is None else "--sql"
        raise UsageError(f"--tree: expected the format txt or none, and no --sql, found {found}")
    job = ReadJob(session, sources, limit, is_filtered=any(filters.values()))
    try:
        if is_table:
            job.into_tables(sql, chosen, output, sql_timeout_s)
        else:
            job.into_text(chosen, output, is_tree=tree)
    except KeyboardInterrupt:
        # Note: an incomplete file is discarded; a store keeps what was read.
        if output is None or (chosen == "duckdb" and sql is None):
            session.report_failures()
            session.note(f"Interrupted: {job.total(is_limited=False)}")
        raise
    if not job.count:
        session.report_hosts()
    session.note(job.total(is_limited=limit is not None and job.count >= limit))
    if quiet:
        print_errors(session.skipped_by_limit)
    raise Exit(session.exit_code)


def _format_of(output: Path | None, *, is_tree: bool) -> RowFormat:
    """Return the format for the suffix of a file; an unknown suffix is an error."""
    if output is None or str(output) == "-" or is_special(output):
        return "table"
    found = _FORMATS_BY_SUFFIX.get(output.suffix.lower())
    if found is None and not is_tree:
        raise UsageError(
            f"--output: expected a name that ends with one of {', '.join(_FORMATS_BY_SUFFIX)}, "
            f"found {sanitize(output.name)!r}; rename it, or use --format"
        )
    return found or "table"


def _check_filters(filters: dict[str, Any], follow_only: Sequence[str]) -> None:
    with as_usage_error():
        compile_patterns(option("follow_only"), follow_only)
        found = EntryFilter.of(**filters)
    shown = {option("include"): found.include, option("exclude"): found.exclude}
    warn_of_patterns(shown)  # of sources that are no sitemaps, too


class ReadJob:
    """Writer of the entries of a session: as text, a tree, a store, Parquet or a query result.

    Attributes:
        count: Number of entries that were written.
    """

    def __init__(
        self, session: ReadSession, sources: list[str], limit: int | None, *, is_filtered: bool
    ):
        self.count: int = 0
        self._session = session
        self._sources = sources
        self._limit = limit
        self._is_filtered = is_filtered
        self._result_rows: int | None = None

    def into_text(self, form: RowFormat, output: Path | None, *, is_tree: bool) -> None:
        """Write the entries, or the tree of documents, as text."""
        session = self._session
        with (
            Sink(output) as sink,
            session.progress(is_shown=is_tree or not sink.is_terminal) as progress,
        ):
            with closing(session.entries(self._sources, progress)) as entries:
                rows = self._counted(islice(entries, self._limit))
                for text in _tree(session, rows, sink) if is_tree else _lines(form, rows, sink):
                    if is_tree:  # it is printed when everything is read
                        progress.end()
                    sink.write(text, is_markup=is_tree or form == "table")
            if session.exit_code == 2:
                session.report_failures()
                raise Exit(2)  # inside the context, so that an existing file is kept
        session.report_failures()

    def into_tables(
        self, sql: str | None, form: RowFormat, output: Path | None, sql_timeout_s: float | None
    ) -> None:
        """Write a store, a Parquet file, or the result of a query."""
        from urlset.arrow.streams import RowLimit
        from urlset.cli.read_tables import write_tables

        row_limit = RowLimit(self._limit)
        try:
            self._result_rows = write_tables(
                self._session,
                self._sources,
                row_limit,
                is_filtered=self._is_filtered,
                sql=sql,
                sql_timeout=sql_timeout_s,
                form=form,
                output=output,
            )
        finally:
            self.count = row_limit.count

    def total(self, *, is_limited: bool) -> str:
        """Return one line with the number of entries and documents."""
        text = self._session.total(self.count, is_filtered=self._is_filtered, is_limited=is_limited)
        if self._result_rows is None:
            return text
        rows = pluralize(self._result_rows, "row")
        # Note: a query over an existing store reads no documents.
        return f"{rows} of {text}" if self._session.records else rows

    def _counted(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in entries:
            self.count += 1
            yield entry


def _tree(session: ReadSession, entries: Iterable[Entry], sink: Sink) -> Iterator[str]:
    for _ in entries:
        pass
    render = line_renderer(is_stdout=sink.is_stdout)
    yield from (f"{render(line)}\n" for line in DocumentTree(session.records).lines())


def _lines(format_: RowFormat, entries: Iterable[Entry], sink: Sink) -> Iterator[str]:
    if format_ == "table":
        render = line_renderer(is_stdout=sink.is_stdout)
        return entry_table(entries, render, terminal_width())
    if format_ == "json":
        return json_array(jsonl_lines(entries))
    return {"jsonl": jsonl_lines, "csv": csv_lines, "txt": txt_lines}[format_](entries)

"""``urlset read``: the entries of sitemaps, as a table or as data."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from urlset.cli.colour import painter
from urlset.cli.options import BaseUrl, EngineOption, MisuseError, Output, Sources
from urlset.cli.rows import csv_lines, jsonl_lines, txt_lines
from urlset.cli.session import Session
from urlset.cli.sink import Sink
from urlset.cli.table import table_lines
from urlset.cli.talk import Progress, note
from urlset.dates import parse_date
from urlset.model import Entry

__all__ = ["read"]


class RowFormat(StrEnum):
    """How entries are written."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"
    txt = "txt"


def read(
    sources: Sources,
    format: Annotated[
        RowFormat | None,
        typer.Option(help="Default: by the ending of --output, else table.", show_default=False),
    ] = None,
    output: Output = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only entries with a lastmod of that moment or later."),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(metavar="RE", help="Only URLs in which this regular expression is found."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Stop after so many entries.")
    ] = None,
    follow: Annotated[
        bool, typer.Option(help="Read the sitemaps that an index lists, too.")
    ] = True,
    base_url: BaseUrl = None,
    engine: EngineOption = None,
) -> None:
    """Read sitemaps and show their entries.

    Reads XML sitemaps, sitemap indexes with the files beside them, text, RSS and Atom, gzipped
    or not, told apart by their content; of a folder, every sitemap in it. What is wrong in a
    document is forgiven where nothing has to be guessed: `urlset check` tells what that was.

    jsonl has the keys loc, lastmod, changefreq, priority, source and line in every object, and
    images, videos, news and alternates where there are any. csv has those six columns; beware
    that spreadsheets take a cell beginning with = for a formula.

    \b
    Examples:
      urlset read sitemap.xml
      urlset read sitemap_index.xml --format csv --output urls.csv
      urlset read public/ --since 2026-01-01 --match '/blog/' --format txt
      curl -s https://example.com/sitemap.xml.gz | urlset read - --format jsonl
    """  # noqa: D301 - the \b keeps the lines of the examples
    chosen = format or _format_of(output)
    moment = None if since is None else _moment(since)
    pattern = None if match is None else _pattern(match)
    session = Session(engine=engine, base=base_url, follow=follow)
    with Sink(output) as sink, Progress(is_shown=not sink.is_terminal) as progress:
        entries = _wanted(session.entries(sources, progress), moment, pattern)
        counted = _Counted(islice(entries, limit))
        for text in _lines(chosen, counted, sink):
            sink.write(text, is_markup=chosen == "table")
        session.tell_failures()
        if session.exit_code == 2:
            raise typer.Exit(2)  # within: what lies at --output is better than nothing at all
    is_filtered = since is not None or match is not None
    is_limited = limit is not None and counted.count >= limit
    note(session.total(counted.count, is_filtered=is_filtered, is_limited=is_limited))
    raise typer.Exit(session.exit_code)


class _Counted:
    """Entries on their way, counted."""

    def __init__(self, entries: Iterable[Entry]):
        self._entries = entries
        self.count = 0

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._entries:
            self.count += 1
            yield entry


def _lines(format_: RowFormat, entries: Iterable[Entry], sink: Sink) -> Iterator[str]:
    if format_ == "table":
        paint = painter(is_shown=sink.is_stdout)
        return table_lines(entries, paint, max(40, shutil.get_terminal_size((80, 24)).columns))
    return {"jsonl": jsonl_lines, "csv": csv_lines, "txt": txt_lines}[format_](entries)


def _wanted(
    entries: Iterable[Entry], since: datetime | None, pattern: re.Pattern[str] | None
) -> Iterator[Entry]:
    for entry in entries:
        if since is not None and (entry.lastmod is None or entry.lastmod < since):
            continue
        if pattern is None or pattern.search(entry.loc):
            yield entry


def _format_of(output: Path | None) -> RowFormat:
    endings = {".jsonl": RowFormat.jsonl, ".ndjson": RowFormat.jsonl}
    endings |= {".csv": RowFormat.csv, ".txt": RowFormat.txt}
    return endings.get(output.suffix.lower() if output else "", RowFormat.table)


def _moment(text: str) -> datetime:
    instant = parse_date(text).instant
    if instant is None:
        raise MisuseError(f"--since: expected a date like 2026-01-31, found {text!r}")
    return instant


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise MisuseError(
            f"--match: expected a regular expression, found {text!r}: {error}; "
            "write \\ before a character that stands for itself"
        ) from error

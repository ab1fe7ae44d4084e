"""``urlset read``: the entries of sitemaps, as a table or as data."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from urlset.cli.colour import painter
from urlset.cli.network import (
    AuthFile,
    Concurrency,
    Delay,
    Headers,
    Timeout,
    UserAgent,
    network_of,
)
from urlset.cli.options import BaseUrl, EngineOption, MisuseError, Output, Sources
from urlset.cli.rows import csv_lines, jsonl_lines, txt_lines
from urlset.cli.session import Session
from urlset.cli.sink import Sink
from urlset.cli.table import table_lines
from urlset.cli.talk import Progress, note
from urlset.cli.tree import tree_lines
from urlset.model import Entry
from urlset.reader.selection import Selection

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
        typer.Option(
            metavar="DATE", help="Only what has changed since: entries, and children of an index."
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(metavar="RE", help="Only URLs in which this regular expression is found."),
    ] = None,
    exclude: Annotated[
        str | None,
        typer.Option(metavar="RE", help="Not those in which this one is found."),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option("--hosts", metavar="HOSTS", help="Only URLs of these hosts, by commas."),
    ] = None,
    in_scope: Annotated[
        bool,
        typer.Option(
            "--in-scope",
            help="Only URLs that the sitemap may list: below its folder, or of a host whose "
            "robots.txt declares it.",
        ),
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Stop after so many entries.")
    ] = None,
    follow: Annotated[
        bool, typer.Option(help="Read the sitemaps that an index lists, too.")
    ] = True,
    tree: Annotated[
        bool, typer.Option("--tree", help="Show the documents and their counts, not the entries.")
    ] = False,
    user_agent: UserAgent = None,
    header: Headers = None,
    auth_file: AuthFile = None,
    delay: Delay = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep documents there, and fetch what has changed."),
    ] = None,
    base_url: BaseUrl = None,
    engine: EngineOption = None,
) -> None:
    """Read sitemaps and show their entries.

    Of a site (https://example.com) all sitemaps are found and read; every other URL is that of
    a sitemap. What cannot be read is listed, and the exit code is 1.

    Reads XML sitemaps, sitemap indexes with the files beside them, text, RSS and Atom, gzipped
    or not, told apart by their content; of a folder, every sitemap in it. What is wrong in a
    document is forgiven where nothing has to be guessed: `urlset check` tells what that was.

    jsonl has the keys loc, lastmod, changefreq, priority, source and line in every object, and
    images, videos, news and alternates where there are any. csv has those six columns; beware
    that spreadsheets take a cell beginning with = for a formula.

    \b
    Examples:
      urlset read https://example.com --format jsonl --output urls.jsonl
      urlset read https://example.com --tree
      urlset read sitemap.xml
      urlset read sitemap_index.xml --format csv --output urls.csv
      urlset read public/ --since 2026-01-01 --match '/blog/' --format txt
      curl -s https://example.com/sitemap.xml.gz | urlset read - --format jsonl
    """  # noqa: D301 - the \b keeps the lines of the examples
    chosen = format or _format_of(output)
    wanted: dict[str, Any] = {
        "since": since,
        "match": match,
        "exclude": exclude,
        "in_scope": in_scope,
    }
    wanted["hosts"] = _split(hosts)
    session = Session(
        engine=engine,
        base=base_url,
        follow=follow,
        cache=cache,
        **_checked(wanted),
        **network_of(
            user_agent=user_agent,
            headers=header,
            auth_file=auth_file,
            delay=delay,
            concurrency=concurrency,
            timeout=timeout,
        )._asdict(),
    )
    counted = _Counted()
    is_filtered = any(wanted.values())
    try:
        with Sink(output) as sink, Progress(is_shown=tree or not sink.is_terminal) as progress:
            with closing(session.entries(sources, progress)) as entries:
                rows = counted.of(islice(entries, limit))
                for text in _tree(session, rows, sink) if tree else _lines(chosen, rows, sink):
                    sink.write(text, is_markup=tree or chosen == "table")
            if session.exit_code == 2:
                session.tell_failures()
                raise typer.Exit(2)  # within: what lies at --output is better than nothing at all
    except KeyboardInterrupt:
        if output is None:  # a file that is not whole does not appear
            session.tell_failures()
            total = session.total(counted.count, is_filtered=is_filtered, is_limited=False)
            note(f"Interrupted: {total}")
        raise
    session.tell_failures()
    is_limited = limit is not None and counted.count >= limit
    note(session.total(counted.count, is_filtered=is_filtered, is_limited=is_limited))
    raise typer.Exit(session.exit_code)


class _Counted:
    """How many entries have passed."""

    def __init__(self) -> None:
        self.count = 0

    def of(self, entries: Iterable[Entry]) -> Iterator[Entry]:
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
    return {"jsonl": jsonl_lines, "csv": csv_lines, "txt": txt_lines}[format_](entries)


def _format_of(output: Path | None) -> RowFormat:
    endings = {".jsonl": RowFormat.jsonl, ".ndjson": RowFormat.jsonl}
    endings |= {".csv": RowFormat.csv, ".txt": RowFormat.txt}
    return endings.get(output.suffix.lower() if output else "", RowFormat.table)


def _split(options: list[str] | None) -> list[str] | None:
    names = [name.strip() for option in options or () for name in option.split(",")]
    return [name for name in names if name] or None


def _checked(wanted: dict[str, Any]) -> dict[str, Any]:
    """The options as they are, if they can be meant: told before anything is read."""
    try:
        Selection.of(**wanted)
    except ValueError as error:
        raise MisuseError(f"--{error}") from error
    return wanted

"""``urlset read``: the entries of sitemaps, as a table or as data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from urlset.atomic import is_special
from urlset.cli.network import (
    AuthFile,
    Concurrency,
    Delay,
    Headers,
    IgnoreRobots,
    Timeout,
    UserAgent,
    network_of,
)
from urlset.cli.options import BaseUrl, EngineOption, MisuseError, Output, Quiet, Sources
from urlset.cli.read_job import ReadJob, RowFormat
from urlset.cli.read_session import Session
from urlset.reader.filters import EntryFilter
from urlset.terminal_text import sanitize

__all__ = ["read"]

_ENDINGS = {
    ".jsonl": RowFormat.jsonl,
    ".ndjson": RowFormat.jsonl,
    ".json": RowFormat.json,
    ".csv": RowFormat.csv,
    ".txt": RowFormat.txt,
    ".parquet": RowFormat.parquet,
    ".duckdb": RowFormat.duckdb,
}


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
    sql: Annotated[
        str | None,
        typer.Option(metavar="QUERY", help="Show what this query gives, of the tables of a store."),
    ] = None,
    sql_timeout: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Time limit of --sql; 0 for none.  [default: 600]",
        ),
    ] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Show the documents and their counts, not the entries.")
    ] = False,
    user_agent: UserAgent = None,
    header: Headers = None,
    auth_file: AuthFile = None,
    delay: Delay = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    ignore_robots: IgnoreRobots = False,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep documents there, and fetch what has changed."),
    ] = None,
    unordered: Annotated[
        bool,
        typer.Option(
            "--unordered",
            help="Show the entries of a site as they come: faster, in an order of chance.",
        ),
    ] = False,
    base_url: BaseUrl = None,
    engine: EngineOption = None,
    quiet: Quiet = False,
) -> None:
    """Read sitemaps and show their entries.

    Of a site (https://example.com) all sitemaps are found and read; every other URL is that of
    a sitemap. What cannot be read is listed, and the exit code is 1. The entries come in the
    order of the sitemaps, so that two runs give the same; --unordered does not wait for it.

    Reads XML sitemaps, sitemap indexes with the files beside them, text, RSS and Atom, gzipped
    or not, told apart by their content; of a folder, every sitemap in it. What is wrong in a
    document is forgiven where nothing has to be guessed: `urlset check` tells what that was.

    jsonl has the keys loc, lastmod, changefreq, priority, source and line in every object, and
    images, videos, news and alternates where there are any; json is an array of the same. csv
    has those six columns; beware that spreadsheets take a cell beginning with = for a formula.
    parquet has all columns.

    duckdb fills a store, a file of DuckDB with the tables documents, entries, sitemaps,
    problems, robots and fetches: what it has of a document is replaced, the rest stays. --sql
    asks those tables without keeping them. Stores can be read like sitemaps; so can tables with
    a column loc or url: Parquet, CSV, JSON lines, Arrow, SQLite.

    \b
    Examples:
      urlset read https://example.com --format jsonl --output urls.jsonl
      urlset read https://example.com --tree
      urlset read sitemap.xml
      urlset read sitemap_index.xml --format csv --output urls.csv
      urlset read public/ --since 2026-01-01 --match '/blog/' --format txt
      curl -s https://example.com/sitemap.xml.gz | urlset read - --format jsonl
      urlset read https://example.com --output site.duckdb
      urlset read urls.csv --output urls.parquet
      urlset read site.duckdb --sql 'SELECT url_section(loc), count(*)
                                     FROM entries GROUP BY ALL'
    """  # noqa: D301 - the \b keeps the lines of the examples
    chosen = format or _format_of(output, is_tree=tree)
    wanted: dict[str, Any] = {
        "since": since,
        "match": match,
        "exclude": exclude,
        "in_scope": in_scope,
    }
    wanted["hosts"] = _split(hosts)
    session = Session(
        is_quiet=quiet,
        ordered=not unordered,
        keep=False,
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
            ignore_robots=ignore_robots,
        )._asdict(),
    )
    is_table = sql is not None or chosen in ("parquet", "duckdb")
    if tree and is_table:
        raise MisuseError("--tree: expected no --sql and a format of text; the tree is no table")
    work = ReadJob(session, sources, limit, is_filtered=any(wanted.values()))
    try:
        if is_table:
            work.into_tables(sql, chosen, output, sql_timeout)
        else:
            work.into_text(chosen, output, is_tree=tree)
    except KeyboardInterrupt:
        # A file that is not whole does not appear; a store has what was read.
        if output is None or (chosen == "duckdb" and sql is None):
            session.tell_failures()
            session.note(f"Interrupted: {work.total(is_limited=False)}")
        raise
    session.note(work.total(is_limited=limit is not None and work.count >= limit))
    raise typer.Exit(session.exit_code)


def _format_of(output: Path | None, *, is_tree: bool) -> RowFormat:
    """The format that the ending of a file names; no file is written in another than it says."""
    if output is None or str(output) == "-" or is_special(output):
        return RowFormat.table
    found = _ENDINGS.get(output.suffix.lower())
    if found is None and not is_tree:
        raise MisuseError(
            f"--output: expected a name that ends with one of {', '.join(_ENDINGS)}, found "
            f"{sanitize(output.name)!r}; name the file so, or give --format"
        )
    return found or RowFormat.table


def _split(options: list[str] | None) -> list[str] | None:
    names = [name.strip() for option in options or () for name in option.split(",")]
    return [name for name in names if name] or None


def _checked(wanted: dict[str, Any]) -> dict[str, Any]:
    """The options as they are, if they can be meant: told before anything is read."""
    try:
        EntryFilter.of(**wanted)
    except ValueError as error:
        raise MisuseError(f"--{error}") from error
    return wanted

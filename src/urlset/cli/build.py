"""``urlset build``: sitemaps of whatever there is, kept true, rewritten where they changed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from urlset.cli.options import EngineOption, misuse
from urlset.errors import GateError
from urlset.protocol import MAX_BYTES, MAX_URLS

__all__ = ["build"]

_FROM = "Sources"
_WHICH = "URLs and dates"
_FILES = "Files"
_SAFE = "Publication"


class OnError(StrEnum):
    """What becomes of an entry that may not be written."""

    stop = "raise"
    skip = "skip"


class Form(StrEnum):
    """What the files are."""

    xml = "xml"
    text = "text"


class Index(StrEnum):
    """When there is an index."""

    auto = "auto"
    always = "always"
    section = "section"


class Encoding(StrEnum):
    """How a bucket serves files."""

    gzip = "gzip"


def build(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="Folders of HTML, lists, tables, databases, access logs, sitemaps, sites, or -.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder or bucket (s3://…) to publish to."
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where that is served; relative URLs begin there."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Configuration; by default urlset.toml, looked for upwards."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Tell the result as JSON.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")
    ] = False,
    why: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Explain this URL, and write nothing."),
    ] = None,
    on_error: Annotated[
        OnError | None,
        typer.Option(help="For a bad entry: stop and write nothing, or leave it out."),
    ] = None,
    engine: EngineOption = None,
    # ── sources ──
    mapping: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="TO=FROM,…",
            help="Columns: loc=url,lastmod=updated_at.",
            rich_help_panel=_FROM,
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="SQL",
            help="Query for a database, DuckDB or SQLite file, or a table.",
            rich_help_panel=_FROM,
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Table of a database file.", rich_help_panel=_FROM),
    ] = None,
    strip_html: Annotated[
        bool | None,
        typer.Option("--strip-html", help="about.html is served as /about.", rich_help_panel=_FROM),
    ] = None,
    trailing_slash: Annotated[
        bool | None,
        typer.Option(
            help="Pages are served with a slash at the end, or without.", rich_help_panel=_FROM
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="WHAT",
            help="From pages also images, videos, news, alternates.",
            rich_help_panel=_FROM,
        ),
    ] = None,
    git_root: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder in git that the pages are built from.",
            rich_help_panel=_FROM,
        ),
    ] = None,
    keep_parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--keep-parameter",
            metavar="NAME",
            help="Query parameter of logs that names pages.",
            rich_help_panel=_FROM,
        ),
    ] = None,
    # ── URLs and dates ──
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="keep|drop:RE",
            help="Keep or drop URLs; the first match wins.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    rewrites: Annotated[
        list[str] | None,
        typer.Option(
            "--rewrite",
            metavar="RE=>TEXT",
            help="Change URLs before all else.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    obey_robots: Annotated[
        str | None,
        typer.Option(
            "--obey-robots",
            metavar="FILE",
            help="Leave out what this robots.txt forbids.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    lastmod: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FROM,…",
            help="given, page, git, content, header, mtime; or none.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    sections: Annotated[
        list[str] | None,
        typer.Option(
            "--section",
            metavar="NAME=RE",
            help="Files of their own; or column:NAME, source.",
            rich_help_panel=_WHICH,
        ),
    ] = None,
    # ── files ──
    gzip: Annotated[
        bool | None, typer.Option("--gzip", help="Compress the files.", rich_help_panel=_FILES)
    ] = None,
    max_urls: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MAX_URLS,
            help="Most URLs in a file (50,000).",
            rich_help_panel=_FILES,
        ),
    ] = None,
    max_bytes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MAX_BYTES,
            help="Most bytes in a file, unpacked (52,428,800).",
            rich_help_panel=_FILES,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Name of the files, without its ending.", rich_help_panel=_FILES
        ),
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="Sitemaps, or lists of URLs.", rich_help_panel=_FILES),
    ] = None,
    index: Annotated[
        Index | None,
        typer.Option(
            help="An index where one is needed, always, or for each section.",
            rich_help_panel=_FILES,
        ),
    ] = None,
    stylesheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="CSS that shows people a table: sitemap.css.",
            rich_help_panel=_FILES,
        ),
    ] = None,
    # ── publication ──
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What was published (.urlset/ledger.duckdb).",
            rich_help_panel=_SAFE,
        ),
    ] = None,
    adopt: Annotated[
        bool,
        typer.Option("--adopt", help="Take over sitemaps of another tool.", rich_help_panel=_SAFE),
    ] = False,
    compact: Annotated[
        bool,
        typer.Option(
            "--compact", help="Pack the files anew, as full as they may be.", rich_help_panel=_SAFE
        ),
    ] = False,
    robots: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="robots.txt whose Sitemap lines are kept up to date.",
            rich_help_panel=_SAFE,
        ),
    ] = None,
    changes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write what changed there, as JSON lines.", rich_help_panel=_SAFE
        ),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--host",
            metavar="HOST",
            help="Another host whose URLs belong here.",
            rich_help_panel=_SAFE,
        ),
    ] = None,
    min_share: Annotated[
        float | None,
        typer.Option(
            metavar="X", help="Share of the URLs that must remain (0.5).", rich_help_panel=_SAFE
        ),
    ] = None,
    force: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GATE",
            help="Pass zero, shrunk, limits, hosts or unreadable.",
            rich_help_panel=_SAFE,
        ),
    ] = None,
    grace: Annotated[
        str | None,
        typer.Option(
            metavar="SPAN",
            help="Keep files that are no longer listed for 36h, 7d.",
            rich_help_panel=_SAFE,
        ),
    ] = None,
    cache_control: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="That header, in a bucket.", rich_help_panel=_SAFE),
    ] = None,
    encoding: Annotated[
        Encoding | None, typer.Option(help="Serve .xml packed, in a bucket.", rich_help_panel=_SAFE)
    ] = None,
) -> None:
    """Build sitemaps from whatever there is, and write again only what changed.

    Sources are told apart by what is in them: a folder of HTML, lists of URLs, CSV, JSON lines,
    Parquet, Arrow, SQLite, DuckDB, a query for a database, access logs, sitemaps and sites. The
    first that gives a URL decides what is said of it. A lastmod comes from evidence, or is left
    out. Nothing is published before all of it was read back and has passed the gates.

    Prints the files, the index last; with --json an object with urls, files, indexes, added,
    changed, removed and rejected. Exit codes: 0 done, 1 something was left out, 2 failed, 10 to
    14 a gate was shut (zero, shrunk, limits, hosts, unreadable).

    \b
    Examples:
      urlset build public/ --base-url https://example.com/ --output public/
      urlset build pages.parquet --map loc=url,lastmod=updated_at -o maps/ --gzip
      urlset build postgresql://host/shop --query "SELECT url AS loc FROM page" -o maps/
      urlset build /var/log/nginx/access.log* --base-url https://example.com/ -o maps/
      urlset build --dry-run        everything else is in urlset.toml
    """  # noqa: D301 - the \b keeps the lines of the examples
    options: dict[str, Any] = dict(locals())
    from urlset.cli.built import run_build

    for own in ("config", "as_json"):
        options.pop(own)
    try:
        with misuse("urlset build"):
            code = run_build(config, options, as_json=as_json)
    except GateError as error:
        from urlset.cli.talk import complain

        complain(str(error))
        code = error.exit_code
    raise typer.Exit(code)

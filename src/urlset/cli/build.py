"""``urlset build``: sitemaps of whatever there is, kept true, rewritten where they changed."""

from __future__ import annotations

from typing import Any

import typer

from urlset.cli import build_options as asked
from urlset.cli.options import EngineOption, Quiet, misuse
from urlset.errors import GateError

__all__ = ["build"]


def build(
    sources: asked.Sources = None,
    config: asked.Config = None,
    as_json: asked.AsJson = False,
    quiet: Quiet = False,
    engine: EngineOption = None,
    mapping: asked.Mapping = None,
    query: asked.Query = None,
    query_timeout: asked.QueryTimeout = None,
    table: asked.Table = None,
    delimiter: asked.Delimiter = None,
    strip_html: asked.StripHtml = None,
    trailing_slash: asked.TrailingSlash = None,
    with_: asked.With = None,
    keep_parameters: asked.KeepParameters = None,
    min_hits: asked.MinHits = None,
    trust_mtime: asked.TrustMtime = None,
    base_url: asked.BaseUrl = None,
    filters: asked.Filters = None,
    rewrites: asked.Rewrites = None,
    obey_robots: asked.ObeyRobots = None,
    hosts: asked.Hosts = None,
    git_root: asked.GitRoot = None,
    git_paths: asked.GitPaths = None,
    lastmod: asked.Lastmod = None,
    sections: asked.Sections = None,
    gzip: asked.Gzip = None,
    max_urls: asked.MaxUrls = None,
    max_bytes: asked.MaxBytes = None,
    name: asked.Name = None,
    pattern: asked.NamePattern = None,
    form: asked.Form = None,
    index: asked.Index = None,
    stylesheet: asked.Stylesheet = None,
    output: asked.Output = None,
    ledger: asked.LedgerFile = None,
    adopt: asked.Adopt = False,
    compact: asked.Compact = False,
    robots: asked.Robots = None,
    changes: asked.Changes = None,
    grace: asked.Grace = None,
    cache_control: asked.CacheControl = None,
    encoding: asked.Encoding = None,
    dry_run: asked.DryRun = False,
    why: asked.Why = None,
    on_error: asked.OnError = None,
    excluded: asked.ExcludedFile = None,
    min_share: asked.MinShare = None,
    force: asked.Force = None,
) -> None:
    """Build sitemaps of whatever there is; rewrite only what changed.

    What a source is, is told by its content: a folder of HTML, a list of URLs, CSV, JSON lines,
    Parquet, Arrow, SQLite, DuckDB, an access log, a sitemap; a site or a database by its URL. Of
    several, the first that gives a URL decides what is said of it. A lastmod comes from evidence,
    or is left out. Nothing is published before it was read back and has passed the gates.

    Prints the files, the index last; with --json an object with urls, files, indexes, added,
    changed, removed and rejected, or with gate, error and exit_code. Exit codes: 0 done, 1 done,
    but something could not be taken, 2 failed, 10 to 14 a gate was shut (zero, shrunk, limits,
    hosts, unreadable).

    \b
    Examples:
      urlset build public/ --base-url https://example.com/ --output public/
      urlset build pages.parquet --map loc=url,lastmod=updated_at -o maps/ --gzip
      urlset build env:DATABASE_URL --query "SELECT url AS loc FROM page" -o maps/
      urlset build access.log* --base-url https://example.com/ -o maps/
      urlset build --dry-run                     where urlset.toml has the rest
      urlset build --why https://example.com/a   why is it there, or not?
    """  # noqa: D301 - the \b keeps the lines of the examples
    options: dict[str, Any] = dict(locals())
    from urlset.cli.build_run import run_build

    for own in ("config", "as_json", "quiet"):
        options.pop(own)
    try:
        with misuse("build"):
            code = run_build(config, options, as_json=as_json, is_quiet=quiet)
    except GateError as error:
        from urlset.cli.build_run import report_gate
        from urlset.cli.console import print_error

        if as_json:
            report_gate(error)
        print_error(str(error))
        code = error.exit_code
    raise typer.Exit(code)

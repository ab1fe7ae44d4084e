"""The command ``urlset build``: build sitemaps from sources, and update them incrementally."""

from __future__ import annotations

from typing import Any

import typer

from urlset.cli import build_options as option
from urlset.cli.console import start_logging
from urlset.cli.options import EngineOption, Quiet, Verbose, as_usage_error
from urlset.errors import GateError

__all__ = ["build"]


def build(
    sources: option.Sources = None,
    config: option.Config = None,
    as_json: option.AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = 0,
    engine: EngineOption = None,
    mapping: option.Mapping = None,
    query: option.Query = None,
    query_timeout: option.QueryTimeout = None,
    table: option.Table = None,
    delimiter: option.Delimiter = None,
    strip_html: option.StripHtml = None,
    trailing_slash: option.TrailingSlash = None,
    with_: option.With = None,
    keep_parameters: option.KeepParameters = None,
    min_hits: option.MinHits = None,
    trust_mtime: option.TrustMtime = None,
    base_url: option.BaseUrl = None,
    filters: option.Filters = None,
    rewrites: option.Rewrites = None,
    obey_robots: option.ObeyRobots = None,
    hosts: option.Hosts = None,
    git_root: option.GitRoot = None,
    git_paths: option.GitPaths = None,
    lastmod: option.Lastmod = None,
    sections: option.Sections = None,
    gzip: option.Gzip = None,
    max_urls: option.MaxUrls = None,
    max_bytes: option.MaxBytes = None,
    name: option.Name = None,
    pattern: option.NamePattern = None,
    form: option.Format = None,
    index: option.Index = None,
    stylesheet: option.Stylesheet = None,
    output: option.Output = None,
    ledger: option.LedgerFile = None,
    adopt: option.Adopt = False,
    compact: option.Compact = False,
    robots: option.Robots = None,
    changes: option.Changes = None,
    grace: option.Grace = None,
    cache_control: option.CacheControl = None,
    encoding: option.Encoding = None,
    dry_run: option.DryRun = False,
    why: option.Why = None,
    on_error: option.OnError = None,
    excluded: option.ExcludedFile = None,
    min_share: option.MinShare = None,
    force: option.Force = None,
) -> None:
    """Build sitemaps from pages, lists or tables; rewrite changed files.

    The kind of a source is detected from its content: a folder of HTML, a list of URLs, CSV, JSON
    lines, Parquet, Arrow, SQLite, DuckDB, an access log, a sitemap; or a site or a database by its
    URL. If several sources have the same URL, the first one decides. A lastmod is written only if
    there is evidence for it. Sitemaps are published after they were read back and have passed the
    safety gates.

    Prints the files, indexes last; with --json an object with urls, files, indexes, added, changed,
    removed and rejected, or with gate, error and exit_code. Exit codes: 0 success, 1 success, but
    some input was rejected, 2 failure, 10 to 14 a safety gate failed (zero, shrunk, limits, hosts,
    unreadable).

    \b
    Examples:
      urlset build public/ --base-url https://example.com/ --output public/
      urlset build pages.parquet --map loc=url,lastmod=updated_at -o maps/ --gzip
      urlset build env:DATABASE_URL --query "SELECT url AS loc FROM page" -o maps/
      urlset build access.log* --base-url https://example.com/ -o maps/
      urlset build --dry-run                     with the options of urlset.toml
      urlset build --why https://example.com/a   explain why it is listed, or not
    """  # noqa: D301 - the \b keeps the lines of the examples
    options: dict[str, Any] = dict(locals())
    start_logging(verbose)
    from urlset.cli.build_run import run_build

    for name_ in ("config", "as_json", "quiet", "verbose"):
        options.pop(name_)
    try:
        with as_usage_error("build"):
            code = run_build(config, options, as_json=as_json, is_quiet=quiet)
    except GateError as error:
        from urlset.cli.build_run import report_gate
        from urlset.cli.console import print_error

        if as_json:
            report_gate(error)
        print_error(str(error))
        code = error.exit_code
    raise typer.Exit(code)

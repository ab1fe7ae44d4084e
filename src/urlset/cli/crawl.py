"""The command ``urlset crawl``: visit the pages of a site, and store them with their links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.cli import console
from urlset.cli.options import (
    Exit,
    NetworkOptions,
    UsageError,
    as_usage_error,
    expect_effect,
    expect_own_outputs,
    given_options,
)
from urlset.option_schema.visits import CRAWL_OPTIONS
from urlset.terminal_text import pluralize, sanitize

if TYPE_CHECKING:
    from urlset.live.crawl import Crawl
    from urlset.model import ProgressEvent

FAILED = ("unknown", "server-error", "unreachable")
NOT_VISITED = (*FAILED, "disallowed")
UNREAD = ("sitemaps", "robots.txt")
"""Kinds of reasons for an incomplete crawl that mean that documents of the site are unknown."""
MAX_FAILED = 10


def crawl(
    *,
    site: str,
    store: Path | None,
    report: Path | None,
    format: str,
    why: list[str],
    network: NetworkOptions,
    quiet: bool,
    **options: Any,
) -> None:
    """Visit the pages of a site, and store their facts and links.

    The sitemaps of SITE are read first. Their URLs are visited in turn over the sections of the
    site, then the pages that are linked. Pages that robots.txt disallows are never visited, and its
    Crawl-delay is obeyed; requests slow down when the site answers more slowly. Only GET requests
    are sent.

    The same command continues a crawl that was interrupted or killed. After a finished crawl it
    visits all pages again, with conditional requests.

    The store has the tables pages, links, frontier, traps and crawls, and those of `urlset read`.
    `urlset read FILE --sql QUERY` queries them; `urlset build crawl:FILE` builds sitemaps of the
    pages. --why prints a JSON line for each URL, by the schema crawl-why, and exits with 1 if one
    was not discovered.

    Exit codes: 0 all was visited, or a limit of yours ended the crawl after the first page; 1 some
    pages could not be visited, or a sitemap or robots.txt could not be read; 2 no page was visited,
    also because of a limit.

    \b
    Examples:
      urlset crawl https://example.com --store site.duckdb
      urlset crawl https://example.com/docs/ --scope folder --store docs.duckdb
      urlset crawl https://example.com --max-pages 1000 --store site.duckdb
      urlset crawl https://example.com --exclude '[?&]sort=' --store site.duckdb
      urlset crawl https://example.com --store site.duckdb --report site.html
      urlset crawl https://example.com --store a.duckdb --why https://example.com/
      urlset read site.duckdb --sql 'SELECT verdict, count(*)
                                     FROM pages GROUP BY ALL'
    """  # noqa: D301 - the \b keeps the lines of the examples
    if store is None:
        raise UsageError("expected --store FILE.duckdb, the store for the pages; found none")
    settings = given_options(options, CRAWL_OPTIONS)
    expect_effect("crawl", {**settings, "report": report}, {**settings, "why": why})
    if why:
        _show_evidence(store, why)
        return
    expect_own_outputs({"store": store, "report": report}, [site])
    console.expect_target("--report", report)
    from urlset.live.crawl import crawl as run
    from urlset.reader.filters import compile_patterns

    with as_usage_error():
        for name in ("include", "exclude"):
            compile_patterns(f"--{name}", settings.get(name, ()))
    try:
        with console.Progress(is_shown=not quiet) as progress:
            settings |= network._asdict()
            settings["progress"] = lambda event: progress.update(_progress_text(event))
            found = run(site, store, **settings)
    except KeyboardInterrupt:
        if os.path.exists(store):
            console.print_info(
                f"Interrupted: the pages visited so far are in {store}; the same command continues"
            )
        raise
    with found:
        with console.Sink(None) as sink:
            for line in console.json_or(found, format, _summary(found, str(store))):
                sink.write(f"{line}\n")
        visited = "SELECT 1 FROM pages WHERE coalesce(unknown_reason, '') <> 'robots' LIMIT 1"
        if not list(found.query(visited)):
            console.print_error(_why_nothing(found))
        elif format == "json":
            console.print_incomplete(found.incomplete)
        elif not quiet:
            _report_failures(found)
        console.write_report(found, report, is_quiet=quiet)
        raise Exit(_exit_code(found))


def _progress_text(event: ProgressEvent) -> str:
    if event.source is None:
        return "reading the sitemaps"
    return f"{pluralize(event.urls, 'page')} visited: {sanitize(event.source)}"


def _exit_code(found: Crawl) -> int:
    verdicts = found.verdicts
    if not any(count for name, count in verdicts.items() if name not in NOT_VISITED):
        return 2
    from urlset.live.crawl.evidence import kind_of_reason

    is_unread = any(kind_of_reason(reason) in UNREAD for reason in found.incomplete)
    return 1 if is_unread or any(verdicts.get(name) for name in FAILED) else 0


def _summary(found: Crawl, path: str) -> Iterator[str]:
    yield f"{found.site}: {pluralize(sum(found.verdicts.values()), 'page')} in {path}"
    for name, count in found.verdicts.items():
        yield f"  {name:<14} {count:>9,}"
    for pattern, kind, count, example in found.traps:
        yield f"  trap ({kind}): {pattern} · {pluralize(count, 'URL')} not visited, e.g. {example}"
    if found.is_complete:
        yield "Complete: every page in scope was visited."
        return
    yield "Not complete:"
    for reason in found.incomplete:
        yield f"  {reason}"


def _why_nothing(found: Crawl) -> str:
    """Return the message about a crawl that visited no page."""
    from urlset.live.crawl.evidence import kind_of_reason

    reasons = found.incomplete
    texts = [text for text in reasons if kind_of_reason(text) == "robots.txt"] or reasons
    return f"{found.site}: no page was visited: {'; '.join(texts)}"


def _report_failures(found: Crawl) -> None:
    query = (
        "SELECT url, coalesce(unknown_reason, verdict), message FROM pages WHERE verdict IN "
        "('unknown', 'server-error', 'unreachable') ORDER BY url"
    )
    rows = list(found.query(query))
    for url, reason, message in rows[:MAX_FAILED]:
        console.print_error(f"{url}: {message or reason}")
    if len(rows) > MAX_FAILED:
        console.print_info(
            f"… and {len(rows) - MAX_FAILED:,} more; their verdict is in the table pages"
        )


def _show_evidence(path: Path, urls: list[str]) -> None:
    """Print the evidence of each URL as a JSON line; exit with 1 if one was not discovered."""
    from urlset.live.crawl import Crawl

    unknown = 0
    with Crawl.open(path) as found, console.Sink(None) as sink:
        for url in urls:
            evidence = found.why(url)
            if evidence is None:
                unknown += 1
                console.print_error(f"{url}: the crawl in {path} has not discovered this URL")
            else:
                sink.write(f"{console.json_text(evidence)}\n")
    if unknown:
        raise Exit(1)

"""The command ``urlset crawl``: visit the pages of a site, and store them with their links."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urlset.cli.console import Progress, Sink, print_error, print_info
from urlset.cli.options import (
    NETWORK_DEFAULTS,
    NetworkOptions,
    Quiet,
    RecheckAfter,
    UsageError,
    add_options,
)
from urlset.terminal_text import pluralize, sanitize

if TYPE_CHECKING:
    from urlset.crawler import Crawl
    from urlset.model import ProgressEvent

FAILED = ("unknown", "server-error", "unreachable")
NOT_VISITED = (*FAILED, "disallowed")
MAX_FAILED = 10


class ScopeOption(StrEnum):
    """Scopes of a crawl."""

    host = "host"
    folder = "folder"


class SummaryFormat(StrEnum):
    """Formats of the summary."""

    text = "text"
    json = "json"


@add_options(network="user_agent header auth_file delay concurrency timeout")
def crawl(
    site: Annotated[
        str,
        typer.Argument(metavar="SITE", help="URL of the start, as https://example.com/."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Store (.duckdb) with the pages and links."
        ),
    ] = None,
    format: Annotated[
        SummaryFormat, typer.Option(help="Format of the summary on stdout.")
    ] = SummaryFormat.text,
    why: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Visit nothing; show how this URL was discovered, as JSON."
        ),
    ] = None,
    scope: Annotated[
        ScopeOption,
        typer.Option(
            help="Visit all pages of the host, or those below the folder of SITE.",
            rich_help_panel="Scope",
        ),
    ] = ScopeOption.host,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RE",
            help="Visit only URLs that contain a match of this regular expression; repeatable.",
            rich_help_panel="Scope",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RE",
            help="Do not visit URLs that contain a match of this regular expression; repeatable.",
            rich_help_panel="Scope",
        ),
    ] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Visit at most N pages.", rich_help_panel="Scope"),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Follow at most N links from SITE or a listed page.",
            rich_help_panel="Scope",
        ),
    ] = None,
    max_minutes: Annotated[
        float | None,
        typer.Option(min=0, metavar="N", help="Stop after N minutes.", rich_help_panel="Scope"),
    ] = None,
    sitemaps: Annotated[
        bool, typer.Option(help="Read the sitemaps first.", rich_help_panel="Scope")
    ] = True,
    links: Annotated[
        bool,
        typer.Option(
            help="Follow links; without, visit only listed pages.", rich_help_panel="Scope"
        ),
    ] = True,
    recheck_after: RecheckAfter = None,
    network: NetworkOptions = NETWORK_DEFAULTS,
    quiet: Quiet = False,
) -> None:
    """Visit the pages of a site, and store their facts and links.

    The sitemaps of SITE are read first. Their URLs are visited in turn over the sections of the
    site, then the pages that are linked. robots.txt is obeyed, with its Crawl-delay; requests slow
    down when the site answers more slowly. Only GET requests are sent.

    The same command continues a crawl that was interrupted or killed. After a finished crawl it
    visits all pages again, with conditional requests.

    The store has the tables pages, links, frontier, traps and crawls, and those of `urlset read`.
    `urlset read FILE --sql QUERY` queries them; `urlset build crawl:FILE` builds sitemaps of the
    pages.

    Exit codes: 0 all was visited, or a limit of yours ended the crawl; 1 some pages could not be
    visited; 2 nothing could be visited.

    \b
    Examples:
      urlset crawl https://example.com -o site.duckdb
      urlset crawl https://example.com/docs/ --scope folder -o docs.duckdb
      urlset crawl https://example.com --max-pages 1000 --delay 1 -o site.duckdb
      urlset crawl https://example.com --exclude '[?&]sort=' -o site.duckdb
      urlset crawl https://example.com -o site.duckdb --why https://example.com/a
      urlset read site.duckdb --sql 'SELECT verdict, count(*)
                                     FROM pages GROUP BY ALL'
    """  # noqa: D301 - the \b keeps the lines of the examples
    if output is None:
        raise UsageError("expected --output FILE.duckdb, the store for the pages; found none")
    if str(output) == "-":
        raise UsageError("--output: expected the path of a store (.duckdb), found -")
    if why is not None:
        _show_evidence(output, why)
        return
    from urlset.crawler import crawl as run

    options: dict[str, Any] = {
        "scope": scope.value,
        "max_pages": max_pages,
        "max_depth": max_depth,
        "max_minutes": max_minutes,
        "include": _patterns("--include", include),
        "exclude": _patterns("--exclude", exclude),
        "read_sitemaps": sitemaps,
        "follow_links": links,
    }
    if recheck_after is not None:
        options["recheck_s"] = recheck_after
    try:
        with Progress(is_shown=not quiet) as progress:
            found = run(
                site,
                output,
                **options,
                progress=lambda state: progress.update(_progress_text(state)),
                **network._asdict(),
            )
    except KeyboardInterrupt:
        if os.path.exists(output):
            print_info(
                f"Interrupted: the pages visited so far are in {output}; the same command continues"
            )
        raise
    with found:
        with Sink(None) as sink:
            lines = [_json(found)] if format == "json" else _summary(found, str(output))
            for line in lines:
                sink.write(f"{line}\n")
        if not sum(found.verdicts.values()) - found.verdicts.get("disallowed", 0):
            print_error(_why_nothing(found))
        elif not quiet and format == "text":
            _report_failures(found)
        raise typer.Exit(_exit_code(found))


def _patterns(option: str, patterns: list[str] | None) -> list[str]:
    """Validate the regular expressions of an option and return them."""
    from urlset.reader.filters import compile_pattern

    for pattern in patterns or ():
        try:
            compile_pattern(option, pattern)
        except ValueError as error:
            raise UsageError(str(error)) from error
    return patterns or []


def _progress_text(event: ProgressEvent) -> str:
    if event.source is None:
        return "reading the sitemaps"
    return f"{pluralize(event.urls, 'page')} visited: {sanitize(event.source)}"


def _exit_code(found: Crawl) -> int:
    verdicts = found.verdicts
    answered = sum(count for name, count in verdicts.items() if name not in NOT_VISITED)
    if not answered:
        return 2
    return 1 if any(verdicts.get(name) for name in FAILED) else 0


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
    for reason in found.reasons:
        yield f"  {reason}"


def _json(found: Crawl) -> str:
    values: dict[str, Any] = {
        "site": found.site,
        "crawl": found.number,
        "path": found.path,
        "pages": sum(found.verdicts.values()),
        "verdicts": found.verdicts,
        "is_complete": found.is_complete,
        "reasons": found.reasons,
        "traps": [
            dict(zip(("pattern", "kind", "cut_count", "example"), row, strict=True))
            for row in found.traps
        ],
    }
    return json.dumps(values, ensure_ascii=False)


def _why_nothing(found: Crawl) -> str:
    """Return the message about a crawl that visited no page."""
    texts = [text for text in found.reasons if text.startswith("robots.txt: ")] or found.reasons
    return f"{found.site}: no page was visited: {'; '.join(texts)}"


def _report_failures(found: Crawl) -> None:
    rows = list(
        found.query(
            "SELECT url, coalesce(unknown_reason, verdict), message FROM pages WHERE verdict IN "
            "('unknown', 'server-error', 'unreachable') ORDER BY url"
        )
    )
    for url, reason, message in rows[:MAX_FAILED]:
        print_error(f"{url}: {message or reason}")
    if len(rows) > MAX_FAILED:
        print_info(f"… and {len(rows) - MAX_FAILED:,} more; their verdict is in the table pages")


def _show_evidence(path: Path, url: str) -> None:
    """Print the evidence of a URL as JSON; exit with 1 if it was not discovered."""
    from urlset.crawler import Crawl

    with Crawl.open(path) as found:
        evidence = found.why(url)
    if evidence is None:
        print_error(f"{url}: the crawl in {path} has not discovered this URL")
        raise typer.Exit(1)
    with Sink(None) as sink:
        sink.write(f"{json.dumps(evidence, ensure_ascii=False, indent=2, default=str)}\n")

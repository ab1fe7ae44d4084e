"""The command ``urlset report``: summarize several sites from their stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from urlset.cli.console import Progress, Sink, json_or, print_error, print_info
from urlset.cli.options import (
    Exit,
    UsageError,
    expect_format_of,
    expect_html,
    expect_own_outputs,
)
from urlset.terminal_text import clip, sanitize

if TYPE_CHECKING:
    from urlset.live.report import Report, SiteState


MAX_NAME = 300
"""Width of the name of a site, in cells; the middle of a longer one is cut."""


def report(*, stores: list[str], format: str | None, output: Path | None, quiet: bool) -> None:
    """Summarize several sites in one page: what is listed, visited, wrong and alerted.

    Each store is that of one site: of `urlset audit`, `crawl`, `sync` or `watch --store`, or of
    `urlset read --output`. Nothing is requested. In HTML a site is linked to its own report if that
    is next to the store, with the same name and the suffix .html.

    Exit codes: 0 all stores were read; 1 some of them could not be read; 2 none of them could.

    \b
    Examples:
      urlset report stores/*.duckdb
      urlset report stores/*.duckdb --output index.html
      urlset report shop.duckdb blog.duckdb --format json
    """  # noqa: D301 - the \b keeps the lines of the examples
    is_html = output is not None and output.suffix.lower() in (".html", ".htm")
    chosen = format or ("html" if is_html else "text")
    if chosen == "html" and (output is None or str(output) == "-"):
        raise UsageError("--format html: expected --output FILE, found none")
    expect_own_outputs({"output": output}, stores)
    expect_format_of(output, chosen, "report")
    if chosen == "html":
        expect_html(output, "--output")
    from urlset.live.report import report as run

    with Progress(is_shown=not quiet) as progress:
        found = run(stores, progress=lambda event: progress.update(f"reading {event.source}"))
    with found:
        if chosen == "html" and output is not None:
            found.report(output)
        else:
            with Sink(output) as sink:
                for line in json_or(found, chosen, _lines(found)):
                    sink.write(f"{line}\n")
        for error in found.incomplete:
            print_error(error)
        if not quiet and output is not None and str(output) != "-":
            print_info(f"{found.summary}; report written to {str(output)!r}")
        if not found.is_complete:
            raise Exit(1)


def _lines(found: Report) -> Iterator[str]:
    rows = [_COLUMNS, *map(_row, found.sites)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_COLUMNS))]
    for row in rows:
        yield _aligned(row, widths)
    yield f"{found.summary}."


_COLUMNS = ("listed", "visited", "fine", "errors", "warnings", "new", "alerts", "examined", "site")


def _row(site: SiteState) -> tuple[str, ...]:
    numbers = (
        site.listed, site.visited, site.fine, site.count_of("error"), site.count_of("warning"),
        site.new, site.alerts,
    )  # fmt: skip
    day = "" if site.examined is None else f"{site.examined:%Y-%m-%d}"
    name = clip(sanitize(site.site), MAX_NAME) + (" (not complete)" if site.incomplete else "")
    return (*("–" if number is None else f"{number:,}" for number in numbers), day, name)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line: numbers to the right, the date and the site to the left."""
    numbers = [f"{text:>{width}}" for text, width in zip(row[:-2], widths, strict=False)]
    return "  ".join([*numbers, f"{row[-2]:<{widths[-2]}}", row[-1]]).rstrip()

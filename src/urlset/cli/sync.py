"""The command ``urlset sync``: what an index of the pages of a site has to add, replace, delete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from urlset.cli.console import ClosedPipeError, Progress, print_incomplete, print_info
from urlset.cli.options import (
    Exit,
    NetworkOptions,
    UsageError,
    as_usage_error,
    expect_own_outputs,
    given_options,
    note_ignored_robots,
)
from urlset.option_schema.visits import SYNC_OPTIONS
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.model import ProgressEvent

_OTHER_FORMATS = frozenset((".csv", ".duckdb", ".htm", ".html", ".parquet", ".xml"))


def sync(
    *,
    site: str,
    store: Path | None,
    output: Path | None,
    text: bool | None,
    network: NetworkOptions,
    quiet: bool,
    **options: Any,
) -> None:
    """Write what an index of the pages of a site has to add, replace and delete, as JSON lines.

    Each line has `change` (added, changed, removed or unknown), `loc`, the title, the text and the
    fingerprint of the page, its dates, and what the site states about the use by AI. Only pages
    that are new, have another lastmod or none, and some others in turn, are requested. A page is
    removed only if all sitemaps that may list it were read, or if it answers 404 or 410 in two
    runs; what fails is unknown.

    Lines are delivered at least once: a batch is recorded in FILE after it was written, and a run
    that ends before writes it again the next time.

    Exit codes: 0 every page is known; 1 some are unknown, or a limit was reached; 2 no sitemap
    could be read, or invalid usage.

    \b
    Examples:
      urlset sync https://example.com --store index.duckdb --output updates.jsonl
      urlset sync https://example.com --store index.duckdb --no-text | jq -r .loc
      urlset sync https://example.com --store index.duckdb --max-minutes 10
      urlset sync https://example.com --store index.duckdb --dry-run --no-text
      urlset sync https://example.com --store i.duckdb --no-text | urlset submit -
    """  # noqa: D301 - the \b keeps the lines of the examples
    if store is None:
        raise UsageError(
            "expected --store FILE.duckdb, the store of what the index has; found none"
        )
    is_to_file = output is not None and str(output) != "-"
    if not is_to_file and sys.__stdout__ is None and not options.get("dry_run"):
        raise UsageError(  # what nobody gets must not be recorded as delivered
            "expected stdout or --output FILE.jsonl for the updates, found stdout closed"
        )
    expect_own_outputs({"store": store, "output": output}, [site])
    settings = {**given_options(options, SYNC_OPTIONS), **network._asdict()}
    if text is not None:
        settings["text"] = text
    if output is not None and output.suffix.lower() in _OTHER_FORMATS:
        raise UsageError(
            f"--output: expected a name that ends with .jsonl, found {str(output)!r}; "
            "sync writes JSON lines"
        )
    if not quiet:
        note_ignored_robots(network)
    from urlset.live.sync import sync as start

    target: Path | BinaryIO = sys.stdout.buffer
    if is_to_file and output is not None and not settings.get("dry_run"):
        target = output
    # The lines are progress enough if they appear on the terminal.
    is_on_terminal = target is not output and sys.stdout.isatty()
    try:
        with (
            Progress(is_shown=not (quiet or is_on_terminal)) as progress,
            as_usage_error("sync"),
        ):
            settings["progress"] = lambda event: progress.update(_progress_text(event))
            with start(site, store, **settings) as run:
                try:
                    run.to_jsonl(target)
                except BrokenPipeError as error:
                    raise ClosedPipeError from error
    except KeyboardInterrupt:
        print_info(_how_to_continue(store, is_dry_run=bool(settings.get("dry_run"))))
        raise
    if not quiet:
        print_info(run.summary)
    print_incomplete(run.incomplete)
    raise Exit(0 if run.is_complete else 1)


def _how_to_continue(store: Path, *, is_dry_run: bool) -> str:
    """Return a message after an interruption: what was stored, and how to continue."""
    if is_dry_run:
        return "Interrupted: nothing was stored, because this was a dry run"
    if not store.exists():
        return "Interrupted: nothing was stored yet; the same command starts again"
    return f"Interrupted: the batches delivered so far are in {store}; the same command continues"


def _progress_text(event: ProgressEvent) -> str:
    done = (event.documents, "sitemap") if event.documents else (event.urls, "page")
    return f"{pluralize(*done)} · {event.source or ''}"

"""The command ``urlset watch``: one step of a history of the sitemaps of a site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urlset.cli.console import Progress, pluralize, print_info, start_logging
from urlset.cli.options import (
    AuthFile,
    Concurrency,
    Delay,
    EngineName,
    EngineOption,
    Headers,
    IgnoreRobots,
    NetworkOptions,
    Quiet,
    Timeout,
    UsageError,
    UserAgent,
    Verbose,
    as_usage_error,
)
from urlset.cli.sink import Sink
from urlset.terminal_text import sanitize

if TYPE_CHECKING:
    from urlset.model import ProgressEvent
    from urlset.watcher import Watch

__all__ = ["watch"]

MAX_SHOWN = 10
_MARKS = {"added": "+", "removed": "-", "changed": "~"}


class WatchFormat(StrEnum):
    """Formats of the result."""

    text = "text"
    json = "json"


def watch(
    site: Annotated[
        str,
        typer.Argument(metavar="SITE", help="URL of the site or of a sitemap."),
    ],
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Store of the history (.duckdb); created if it does not exist.",
        ),
    ] = None,
    recheck: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Request N sitemaps that have the same date in their index, too, in turn; "
            "by default 10.",
        ),
    ] = None,
    format: Annotated[
        WatchFormat, typer.Option(help="Format of the result on stdout.")
    ] = WatchFormat.text,
    user_agent: UserAgent = None,
    header: Headers = None,
    auth_file: AuthFile = None,
    delay: Delay = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    ignore_robots: IgnoreRobots = False,
    engine: EngineOption = None,
    quiet: Quiet = False,
    verbose: Verbose = 0,
) -> None:
    """Take one step of the history of a site: read what changed, store a snapshot.

    \b
    Examples:
      urlset watch https://example.com --store site.duckdb
    """  # noqa: D301 - the \b keeps the lines of the examples
    start_logging(verbose)
    if store is None:
        raise UsageError("expected --store FILE.duckdb, the store of the history; found none")
    network = NetworkOptions.of(
        user_agent=user_agent,
        headers=header,
        auth_file=auth_file,
        delay=delay,
        concurrency=concurrency,
        timeout=timeout,
        ignore_robots=ignore_robots,
    )
    settings: dict[str, Any] = {"engine": _name(engine), **network._asdict()}
    if recheck is not None:
        settings["recheck"] = recheck
    from urlset.watcher import watch as run

    with Sink(None) as sink:
        with Progress(is_shown=not quiet) as progress, as_usage_error("watch"):

            def on_event(event: ProgressEvent) -> None:
                progress.update(f"{pluralize(event.documents, 'sitemap')} · {event.source or ''}")

            found = run(site, store, progress=on_event, **settings)
        for line in [_json(found)] if format == "json" else _text(found):
            sink.write(f"{line}\n")
    for reason in () if quiet else found.reasons:
        print_info(f"not read: {reason}")
    raise typer.Exit(0)


def _name(engine: EngineName | None) -> str | None:
    return None if engine is None else engine.value


def _text(found: Watch) -> Iterator[str]:
    yield f"{found.site}: snapshot {found.snapshot:,}, {found.started:%Y-%m-%d %H:%M} UTC"
    counts = f"{found.added:,} added, {found.removed:,} removed, {found.changed:,} changed"
    unknown = f", {found.unknown:,} unknown" if found.unknown else ""
    yield f"  {pluralize(found.urls, 'URL')}: {counts}{unknown}"
    for example in found.examples[:MAX_SHOWN]:
        yield f"    {_MARKS[example.change]} {sanitize(example.loc)}"
    if len(found.examples) > MAX_SHOWN:
        yield f"    … and {found.added + found.removed + found.changed - MAX_SHOWN:,} more"


def _json(found: Watch) -> str:
    values: dict[str, Any] = {
        "site": found.site,
        "snapshot": found.snapshot,
        "started": found.started.isoformat(timespec="seconds"),
        "is_complete": found.is_complete,
        "reasons": found.reasons,
        "urls": found.urls,
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "unknown": found.unknown,
    }
    return json.dumps(values, ensure_ascii=False)

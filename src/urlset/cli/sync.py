"""The command ``urlset sync``: what an index of the pages of a site has to add, replace, delete."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from urlset.cli.console import ClosedPipeError, Progress, print_info
from urlset.cli.options import (
    Exit,
    NetworkOptions,
    UsageError,
    as_usage_error,
    given_options,
)
from urlset.errors import TargetError
from urlset.option_schema.visits import SYNC_OPTIONS
from urlset.terminal_text import pluralize, sanitize

if TYPE_CHECKING:
    from urlset.live.sync import Sync
    from urlset.model import ProgressEvent


def sync(
    *,
    site: str,
    store: Path | None,
    output: Path | None,
    text: bool,
    network: NetworkOptions,
    quiet: bool,
    **options: Any,
) -> None:
    """Write what an index of the pages of a site has to add, replace and delete, as JSON lines.

    Each line has `change` (added, changed, removed or unknown), `url`, the title, the text and the
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
      urlset sync https://example.com --store index.duckdb --no-text | jq -r .url
      urlset sync https://example.com --store index.duckdb --max-minutes 10
    """  # noqa: D301 - the \b keeps the lines of the examples
    if store is None:
        raise UsageError(
            "expected --store FILE.duckdb, the store of what the index has; found none"
        )
    settings = {**given_options(options, SYNC_OPTIONS), **network._asdict()}
    if not text:
        settings["text"] = None
    from urlset.live.sync import sync as start

    with Progress(is_shown=not quiet) as progress, as_usage_error("sync"):

        def on_event(event: ProgressEvent) -> None:
            progress.update(_progress_text(event))

        with start(site, store, progress=on_event, **settings) as run, _opened(output) as file:
            for batch in run:
                lines = (json.dumps(update.to_dict(), ensure_ascii=False) for update in batch)
                data = "".join(f"{line}\n" for line in lines).encode(errors="replace")
                _write(file, data, output)
                batch.commit()
    if not quiet:
        for line in _summary(run):
            print_info(line)
    raise Exit(0 if run.is_complete else 1)


@contextmanager
def _opened(path: Path | None) -> Iterator[BinaryIO]:
    """Open the output for appending, without the incomplete line of a killed run."""
    if path is None or str(path) == "-":
        import sys

        yield sys.stdout.buffer
        return
    try:
        file = path.open("ab+", buffering=0)  # closing does not write again what failed
    except OSError as error:
        raise _target_error(path, error) from error
    with file:
        if file.seekable():
            _cut_incomplete_line(file)
        yield file


def _cut_incomplete_line(file: BinaryIO) -> None:
    end = position = file.seek(0, os.SEEK_END)
    while position > 0:
        begin = max(0, position - 65_536)
        file.seek(begin)
        found = file.read(position - begin).rfind(b"\n")
        if found >= 0:
            position = begin + found + 1
            break
        position = begin
    if position < end:
        file.truncate(position)
    file.seek(0, os.SEEK_END)


def _write(file: BinaryIO, data: bytes, path: Path | None) -> None:
    """Write lines so that they survive a crash of the machine."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
        file.flush()
        if path is not None and file.seekable():
            os.fsync(file.fileno())
    except BrokenPipeError as error:
        raise ClosedPipeError from error
    except OSError as error:
        raise _target_error(path, error) from error


def _target_error(path: Path | None, error: OSError) -> TargetError:
    name = "stdout" if path is None else repr(sanitize(str(path)))
    return TargetError(f"cannot write {name}: {error.strerror or error}")


def _progress_text(event: ProgressEvent) -> str:
    done = (event.documents, "sitemap") if event.documents else (event.urls, "page")
    return f"{pluralize(*done)} · {event.source or ''}"


def _summary(run: Sync) -> Iterator[str]:
    counts = run.counts
    kinds = ("added", "changed", "removed", "unknown", "unchanged", "trusted", "gone")
    yield ", ".join(f"{counts[kind]:,} {kind}" for kind in kinds if kind != "gone" or counts[kind])
    for reason in run.reasons:
        yield f"not complete: {sanitize(reason)}"

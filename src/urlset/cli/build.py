"""``urlset build``: sitemaps from lists of URLs, split and indexed."""

from __future__ import annotations

import glob
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urlset.cli.lists import ListFile, Trail, open_list
from urlset.cli.options import EngineOption, misuse
from urlset.cli.rows import w3c
from urlset.cli.sink import Sink
from urlset.cli.talk import Progress, complain_each, count_of, note
from urlset.errors import EntryError, SourceError
from urlset.model import Entry
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.reader import read

if TYPE_CHECKING:
    from urlset.writer import Publication

__all__ = ["build"]


class OnError(StrEnum):
    """What becomes of an entry that may not be written."""

    stop = "raise"
    skip = "skip"


def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="Lists of URLs (text, CSV, JSON lines), sitemaps, folders of them, or -.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write into.")
    ],
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where that folder is served; relative URLs begin there."),
    ] = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress the files.")] = False,
    max_urls: Annotated[
        int, typer.Option(min=1, max=MAX_URLS, metavar="N", help="Most URLs in a file.")
    ] = MAX_URLS,
    max_bytes: Annotated[
        int, typer.Option(min=1, max=MAX_BYTES, metavar="N", help="Most bytes in a file, unpacked.")
    ] = MAX_BYTES,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the files, without its ending.")
    ] = "sitemap",
    on_error: Annotated[
        OnError, typer.Option(help="For a bad entry: stop and write nothing, or leave it out.")
    ] = OnError.stop,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Tell the result as JSON.")] = False,
    engine: EngineOption = None,
) -> None:
    """Build sitemaps from lists of URLs, split where a limit is reached, with an index.

    Takes text with a URL a line (blank lines and # comments are passed over), CSV with a header
    (loc or url, and where there are lastmod, changefreq, priority), JSON lines (strings, or
    objects as `urlset read --format jsonl` writes them), and existing sitemaps. Nothing is
    written unless all of it can be; a file that would not change is left alone.

    Prints the files, the index last; with --json an object with urls, files, indexes, added,
    changed, removed and rejected.

    \b
    Examples:
      urlset build urls.txt --base-url https://example.com/ --output public/
      urlset build pages.csv posts.jsonl --base-url https://example.com/ -o public/ --gzip
      urlset read old/ --format jsonl --match /blog/ | urlset build - -o public/
    """  # noqa: D301 - the \b keeps the lines of the examples
    work = _Work(sources, is_strict=on_error == OnError.stop, engine=engine)
    with ExitStack() as stack:
        target = output
        if dry_run:
            target = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="urlset-")))
            _copy_set(output, target, name)
        publication = work.write(
            target,
            base_url=base_url,
            gzip=gzip,
            max_urls=max_urls,
            max_bytes=max_bytes,
            name=name,
            on_error=str(on_error),
        )
        with Sink(None) as sink:
            for text in _report(publication, output, as_json=as_json):
                sink.write(f"{text}\n")
    work.tell(publication, output, is_dry=dry_run)
    raise typer.Exit(int(bool(work.failures or work.refused(publication))))


class _Work:
    """One build: rows from all sources, and where each of them came from."""

    def __init__(self, sources: list[str], *, is_strict: bool, engine: str | None):
        self.failures: list[str] = []
        self._sources = sources
        self._is_strict = is_strict
        self._engine = engine
        self._trail = Trail()
        self._unread_dates = 0

    def write(self, target: Path, **options: Any) -> Publication:
        from urlset.writer import write

        with Progress() as progress, misuse("urlset build"):

            def tell(count: int) -> None:
                progress.update(f"{count:,} URLs")

            try:
                return write(self._rows(), target, engine=self._engine, progress=tell, **options)
            except EntryError as error:
                raise EntryError(
                    f"{self._placed(error.row, str(error))}; nothing was written "
                    "(--on-error skip leaves such entries out)",
                    row=error.row,
                ) from error

    def refused(self, publication: Publication) -> list[str]:
        """What was left out because it may not be written."""
        return [
            self._placed(rejection.row, rejection.reason)
            for rejection in publication.rejected
            if not rejection.is_duplicate
        ]

    def tell(self, publication: Publication, output: Path, *, is_dry: bool) -> None:
        """Say how it went, on stderr."""
        complain_each(self.failures)
        refused = self.refused(publication)
        complain_each(refused)
        text = f"{count_of(publication.urls, 'URL')} in {count_of(len(publication.files), 'file')}"
        if publication.indexes:
            text += f" and {count_of(len(publication.indexes), 'index', 'indexes')}"
        text += f", {_changed(publication):,} of them new or changed"
        if refused:
            text += f"; {len(refused):,} refused"
        if publication.duplicates:
            text += f"; {publication.duplicates:,} listed before"
        if self._unread_dates:
            text += f"; {count_of(self._unread_dates, 'unreadable date')} left out"
        note(text)
        if is_dry:
            note(f"Nothing was written: this was a dry run for {output}")
        elif publication.addresses:
            note(f"For robots.txt: Sitemap: {publication.addresses[0]}")

    def _rows(self) -> Iterator[Any]:
        for source in self._sources:
            try:
                with ExitStack() as stack:
                    found = open_list(source, stack)
                    if isinstance(found, ListFile):
                        yield from found.rows(self._trail)
                    else:
                        yield from self._read(source if found is None else found, source)
            except SourceError as error:
                if self._is_strict:
                    raise
                self.failures.append(str(error))

    def _read(self, source: str | bytes, name: str) -> Iterator[Entry]:
        entries = read(source, engine=self._engine, fail_fast=self._is_strict)
        for record, document in entries.visits():
            if record.error:
                self.failures.append(f"{record.source or name}: {record.error}")
            for entry in document.entries if document is not None else ():
                self._trail.note(entry.source or name, None)
                yield self._mended(entry)

    def _mended(self, entry: Entry) -> Entry:
        """The entry with its date as W3C, or without one that nobody can read."""
        if entry.lastmod_text is None:
            return entry
        text = w3c(entry)
        if text is None:
            self._unread_dates += 1
            return entry._replace(lastmod=None, lastmod_text=None)
        return entry if text == entry.lastmod_text else entry._replace(lastmod_text=text)

    def _placed(self, row: int, message: str) -> str:
        """The message with the file and the line instead of the row."""
        return (
            f"{self._trail.place(row)}: {message.removeprefix(f'row {row}, ')}" if row else message
        )


def _report(publication: Publication, output: Path, *, as_json: bool) -> Iterator[str]:
    if as_json:
        yield json.dumps(publication.to_dict(), ensure_ascii=False)
        return
    for file in (*publication.files, *publication.indexes):
        yield str(output / file.name)


def _copy_set(folder: Path, target: Path, name: str) -> None:
    """Copy the files of that name, so that a dry run tells what would change and what would not."""
    for path in folder.glob(f"{glob.escape(name)}*") if folder.is_dir() else ():
        if path.is_file():
            shutil.copy2(path, target)


def _changed(publication: Publication) -> int:
    return sum(file.changed for file in (*publication.files, *publication.indexes))

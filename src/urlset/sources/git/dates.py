"""Dates of files from git, and a source that adds them to the pages of a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from threading import Thread
from typing import Any, ClassVar, Self

from urlset.arrow import batches
from urlset.errors import ConfigurationError
from urlset.option_names import option
from urlset.sources.candidates import Source, SourceType
from urlset.sources.git.layouts import SourceIndex, is_language, page_of
from urlset.sources.git.repository import (
    LOG,
    GitError,
    GitStop,
    History,
    commits,
    run_git,
    stream_git,
)
from urlset.sources.git.working_tree import SUBMODULE, tracked_files, uncommitted
from urlset.terminal_text import pluralize

BULK_SHARE = 0.5
BULK_LEAST = 20

_PAGE_FILE = re.compile(
    rb".*\.(?:html?|xhtml|mdx?|markdown|rst|adoc|asciidoc|txt|org|textile|ipynb|astro|vue|svelte"
    rb"|njk|liquid|hbs|ejs|pug|haml|erb|twig|j2|jinja2?|php|jsx|tsx|tex|pdf)",
    re.DOTALL | re.IGNORECASE,
)
_MAX_NOTES = 5


@dataclass(frozen=True)
class GitDates:
    """Dates of the last change of files, by path relative to the queried folder.

    Attributes:
        known: The files that git tracks, each with its date, or None if it has no usable one.
        notes: Remarks, such as a shallow history.
        patterns: Where the source of a page is: ``{file}`` is the built file
            (``about/index.html``), ``{page}`` the same without extension and ``index`` (``about``,
            and empty for the home page). Without patterns, the usual folders of generators are
            searched, see :mod:`urlset.sources.git.layouts`.
        languages: Languages that have a folder in the built site.
    """

    known: Mapping[str, str | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()

    def date_of(self, path: str) -> str | None:
        """Return when a built file or its source last changed in git; None if that is unknown.

        ``path`` is that of the built file, relative to the folder of the site, with ``/``. The
        date is W3C text with the time zone of the committer.

        >>> GitDates({"content/about.md": "2026-11-03T13:00:00+01:00"}).date_of("about/index.html")
        '2026-11-03T13:00:00+01:00'
        """
        source = self.source_of(path)
        return None if source is None else self.known[source]

    def source_of(self, path: str) -> str | None:
        """Return the tracked path of a built file, or else of its source file, or None."""
        file = path.replace(os.sep, "/").removeprefix("./")
        if not self.patterns:
            return file if file in self.known else self._index.find(file)
        page = page_of(file)
        for pattern in self.patterns:
            if not page and "{page}." in pattern:  # the home page is not a file named `.md`
                continue
            location = pattern.replace("{file}", file).replace("{page}", page)
            location = location.replace("//", "/").removeprefix("/")
            if location in self.known:
                return location
        return None

    @cached_property
    def _index(self) -> SourceIndex:
        return SourceIndex(self.known, self.languages)


def git_dates(
    folder: str,
    *,
    bulk_share: float = BULK_SHARE,
    bulk_least: int = BULK_LEAST,
    patterns: Iterable[str] = (),
    languages: Iterable[str] = (),
    may_ascend: bool = False,
) -> GitDates:
    """Read the dates of all files under a folder with one pass over the history of git.

    A pure rename is not a change. These files have no date, and ``notes`` counts them: those with
    uncommitted changes; those in submodules; those whose last change is before the history of a
    shallow clone; and those that only bulk commits changed (an import, a new licence header).

    If git is missing, or there is no repository, or it belongs to another user, the result has no
    dates and a note. Nothing that the repository configures is run.

    Args:
        folder: The folder.
        bulk_share: A commit is a bulk commit if it changes more than this share of all pages
        bulk_least: and at least this number of pages.
        patterns: Where the source of a page is, see :class:`GitDates`.
        languages: Languages that have a folder in the built site.
        may_ascend: If git tracks no file of the folder, use the nearest parent folder of which it
            tracks one: that in which the site was built.

    Raises:
        urlset.ConfigurationError: ``bulk_share`` is outside of 0 to 1.
    """
    if not 0 <= bulk_share <= 1:
        raise ConfigurationError(f"expected a bulk_share from 0 to 1, found {bulk_share}")
    found = _dates(folder, bulk_share, bulk_least, may_ascend=may_ascend)
    return replace(found, patterns=tuple(patterns), languages=frozenset(languages))


def _dates(folder: str, share: float, least: int, *, may_ascend: bool) -> GitDates:
    try:
        return _read_dates(folder, share, least, may_ascend=may_ascend)
    except GitError as error:
        return GitDates(notes=(str(error),))


def _read_dates(folder: str, share: float, least: int, *, may_ascend: bool) -> GitDates:
    root, prefix, boundary = _locate(folder)
    tracked = tracked_files(root)
    wanted = {path for path in tracked if path.startswith(prefix)}
    notes_above: list[str] = []
    if may_ascend and not wanted and prefix:
        while not wanted and prefix:
            prefix = prefix[: prefix.rstrip(b"/").rfind(b"/") + 1]
            wanted = {path for path in tracked if path.startswith(prefix)}
        location = os.path.join(root, os.fsdecode(prefix)).rstrip("/")
        notes_above.append(
            f"git tracks no file in {folder!r}: the sources of its pages are searched in "
            f"{os.path.relpath(location)!r} ({option('git_root')} names another folder)"
        )
    submodules = sorted(path for path in wanted if tracked[path].mode == SUBMODULE)
    wanted.difference_update(submodules)
    changed = uncommitted(root, {path: tracked[path] for path in wanted}) & wanted
    pages = {path for path in wanted if _PAGE_FILE.fullmatch(path)} or wanted
    history = History(wanted - changed, pages, boundary, share, least)
    with closing(stream_git(root, *LOG)) as log:  # git ends when all dates are known
        history.read(commits(log))
    known = {os.fsdecode(path[len(prefix) :]): history.dates.get(path) for path in wanted}
    future = _clear_future_dates(known)
    notes = [*notes_above, *_notes(folder, history, len(changed), submodules, future)]
    return GitDates(known, tuple(notes))


def _locate(folder: str) -> tuple[str, bytes, frozenset[str]]:
    """Return the repository root, the folder in it, and the first commits of a shallow clone."""
    output = run_git(
        folder, "rev-parse", "--show-prefix", "--is-shallow-repository", "--show-toplevel"
    )
    prefix, shallow, root = output.split(b"\n", 2)
    top = os.fsdecode(root.removesuffix(b"\n"))
    try:
        run_git(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitError as error:
        if error.reason:
            raise
        raise GitError(f"git has no commit yet in {folder!r}: no dates from git") from error
    if shallow != b"true":
        return top, prefix, frozenset()
    path = os.fsdecode(run_git(folder, "rev-parse", "--git-path", "shallow").removesuffix(b"\n"))
    try:
        with open(os.path.join(folder, path), encoding="ascii", errors="replace") as file:
            return top, prefix, frozenset(file.read().split())
    except OSError as error:
        raise GitError(f"git cannot read where the shallow history of {folder!r} begins") from error


def _clear_future_dates(known: dict[str, str | None]) -> int:
    """Remove dates too far in the future for a wrong clock or zone; return their number."""
    latest = datetime.now(UTC) + timedelta(days=1)
    future = [
        path for path, date in known.items() if date and datetime.fromisoformat(date) > latest
    ]
    for path in future:
        known[path] = None
    return len(future)


def _notes(
    folder: str, history: History, changed: int, submodules: list[bytes], future: int
) -> list[str]:
    notes = []
    if history.boundary:
        notes.append(
            f"the git history of {folder!r} is shallow: {pluralize(history.cut_off, 'file')} last "
            "changed before it begins, without a date; git fetch --unshallow fetches the rest"
        )
    notes += [
        f"git commit {summary} pages: ignored as a bulk change"
        for summary in history.bulk[:_MAX_NOTES]
    ]
    if len(history.bulk) > _MAX_NOTES:
        notes.append(f"{len(history.bulk) - _MAX_NOTES:,} more bulk changes were ignored")
    if history.only_bulk:
        notes.append(
            f"{pluralize(history.only_bulk, 'file')} changed only by bulk changes, without a date"
        )
    if changed:
        notes.append(f"{pluralize(changed, 'file')} with uncommitted changes, without a date")
    if future:
        notes.append(f"{pluralize(future, 'file')} committed in the future, without a date")
    notes += [
        f"{os.fsdecode(path)!r} is a submodule: its files have no date"
        for path in submodules[:_MAX_NOTES]
    ]
    return notes


class _Reading:
    """Dates that a thread reads during a ``with`` block, whose end ends it, as Ctrl-C does."""

    def __init__(self, folder: str, *, may_ascend: bool):
        self._found: Future[GitDates] = Future()
        self._stop = GitStop()
        # Nothing waits for its end: it may compare large files with the index.
        Thread(target=self._run, args=(folder, may_ascend), name="urlset-git", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def result(self) -> GitDates:
        """Wait for the dates, and return them."""
        return self._found.result()

    def _run(self, folder: str, may_ascend: bool) -> None:
        try:
            with self._stop.applied():
                found = _dates(folder, BULK_SHARE, BULK_LEAST, may_ascend=may_ascend)
        except BaseException as error:  # noqa: BLE001 - result() raises it
            self._found.set_exception(error)
        else:
            self._found.set_result(found)


SHOWN = 2
"""Number of pages without a source that a note names."""


class GitDatedSource:
    """A source of pages with dates from git added: of the pages, or of their sources.

    ``root`` is the folder to query: by default that of the pages, or the nearest parent folder
    with tracked files. ``patterns`` are those of :class:`urlset.sources.GitDates`. Pages without a
    source are counted in ``notes``.
    """

    source_type: ClassVar[SourceType] = "git"

    def __init__(
        self,
        source: Source,
        folder: str,
        *,
        root: str | None = None,
        patterns: tuple[str, ...] = (),
    ):
        self.name: str = source.name
        self.failures: list[str] = source.failures
        self.notes: list[str] = source.notes
        self._source = source
        self._folder = folder
        self._prefix = os.path.join(folder, "")
        self._root = root
        self._patterns = patterns
        self._unmatched = 0
        self._examples: list[str] = []

    def use_cache(self, cache: Any) -> None:
        """Pass a cache to the source if it uses one."""
        if hasattr(self._source, "use_cache"):
            self._source.use_cache(cache)

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the source, with ``git_lastmod``."""
        with _Reading(self._root or self._folder, may_ascend=self._root is None) as reading:
            dates: GitDates | None = None
            for batch in self._source.batches():
                dates = dates or self._with_languages(reading.result())
                yield self._dated(batch, dates)
            dates = dates or reading.result()
        self.notes += dates.notes
        if self._unmatched and dates.known:
            pages = "1 page has" if self._unmatched == 1 else f"{self._unmatched:,} pages have"
            more = ", …" if self._unmatched > SHOWN else ""
            self.notes.append(
                f"{pages} no source that git tracks ({', '.join(self._examples)}{more}); "
                f"{option('git_paths', 'PATTERN')} says where it is"
            )

    def _with_languages(self, dates: GitDates) -> GitDates:
        languages = frozenset(_built_languages(self._folder))
        return replace(dates, patterns=self._patterns, languages=languages)

    def _dated(self, batch: Any, dates: GitDates) -> Any:
        """Return a batch with the dates of its pages in ``git_lastmod``."""
        if dates.known:
            locations = batches.column_values(batch, "source")
            reasons = batches.column_values(batch, "reason")
            found = [
                self._date(dates, location, is_wanted=reason is None)
                for location, reason in zip(locations, reasons, strict=True)
            ]
        else:
            found = [None] * batch.num_rows
        column = batches.text_array(found)
        if "git_lastmod" in batch.schema.names:
            return batches.replace_column(batch, "git_lastmod", column)
        return batches.with_columns(batch, {"git_lastmod": column})

    def _date(self, dates: GitDates, location: str | None, *, is_wanted: bool) -> str | None:
        if not location:
            return None
        path = self._path_of(location)
        source = dates.source_of(path)
        if source is not None:
            return dates.known[source]
        if is_wanted:
            self._unmatched += 1
            if len(self._examples) < SHOWN:
                self._examples.append(path)
        return None

    def _path_of(self, location: str) -> str:
        """Return the path of a built file in the folder, with ``/``."""
        path = location.removeprefix(self._prefix)
        if path == location or not _is_plain(path):
            path = os.path.relpath(location, self._folder)
        return path.replace(os.sep, "/")


def _is_plain(path: str) -> bool:
    """Return whether a path has no empty part, and none that begins with a dot, such as ``..``."""
    # Not by a pattern, which takes twice as long for each page.
    path = f"/{path}/".replace("\\", "/")
    return "//" not in path and "/." not in path


def _built_languages(folder: str) -> list[str]:
    """Return the languages that have a folder in a built site."""
    try:
        return [name for name in os.listdir(folder) if is_language(name)]
    except OSError:
        return []  # reported when it is read

"""Access logs as a source: the pages that people were given, and those that are gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, ClassVar

from urlset import engine as engines
from urlset.arrow.streams import ColumnType, rows_to_batch
from urlset.engine import LogHit
from urlset.errors import SourceError
from urlset.sources.candidates import BATCH_ROWS, SourceType
from urlset.sources.logs.files import blocks, detect_format, first_timestamp
from urlset.sources.logs.lines import LogFormat, ParsedBlock
from urlset.sources.logs.privacy_filter import REFUSALS, TargetFilter
from urlset.sources.logs.status_history import REMOVAL_STATUSES, SUCCESS_STATUSES, StatusHistory
from urlset.sources.logs.timestamps import TimestampParser
from urlset.sources.prefetch import prefetch

__all__ = ["AccessLog"]

_COLUMNS: tuple[tuple[str, ColumnType], ...] = (
    ("loc", "string"),
    ("reason", "string"),
    ("source", "string"),
    ("line", "line"),
)
_REFUSAL_NAMES = list(REFUSALS)
_OTHER_HOST = -1 - _REFUSAL_NAMES.index("host")
_NEW = 1 << 60
_QUESTION_MARK = ord("?")
_MAX_ALIASES = 100_000

LinePosition = tuple[int, int]
"""The number of a file, and of a line in it."""


class AccessLog:
    """The pages that a site's server was asked for with GET and answered with 200 or 304.

    ``paths`` are files (``-`` for standard input), rotated ones in any order, in the common,
    combined or W3C extended format, or as JSON lines, packed or not; all of this is told by their
    content. ``base_url`` gives scheme and host; a line that names another host does not count.

    Of a query string only ``keep_parameters`` reach the output, in that order; session ids in
    paths are cut off, and paths with addresses of mail, tokens and the like are left out, as are
    assets (unless ``keep_assets``), hidden files and probes. Beware: a secret that looks like
    any other word of a path cannot be told from it.

    A URL whose last answers were 404, 410 or a redirect comes with a ``reason``, if there were ten
    of them in a row or at least a hundredth of its good ones: one 404 in ten thousand is no
    removal. Of temporary redirects, which may depend on the visitor, it takes as many as of good
    answers, or ten. A URL that was never there is not given at all. 206, 403, 5xx … say nothing.
    ``min_hits`` is how often one must have been there. ``engine`` reads the lines; by default the
    best that is installed. ``progress`` is called with the number of lines so far. ``name`` is
    what messages and rows call the file instead of its path, for the copy of a stream. There is no
    ``lastmod`` in a log.

    Holds about 210 bytes per URL that was there, whatever the number of lines: a process with a
    million URLs of 60 characters was measured at 251 MB. ``name``, ``failures`` and ``notes`` are
    as :class:`urlset.sources.Source` says.
    """

    source_type: ClassVar[SourceType] = "log"

    def __init__(
        self,
        paths: str | Iterable[str],
        base_url: str,
        *,
        keep_parameters: Iterable[str] = (),
        keep_assets: bool = False,
        min_hits: int = 1,
        engine: str | None = None,
        progress: Callable[[int], None] | None = None,
        name: str | None = None,
    ):
        self.paths = [paths] if isinstance(paths, str) else [str(path) for path in paths]
        self._names = list(self.paths) if name is None else [name]
        self.name = ", ".join(self._names)
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._filter = TargetFilter(
            base_url, keep_parameters=keep_parameters, keep_assets=keep_assets
        )
        self._min_hits = min_hits
        self._engine = engines.get(engine)
        self._progress = progress
        self._history = StatusHistory()
        self._aliases: dict[bytes, bytes] = {}
        self._excluded = [0] * len(_REFUSAL_NAMES)  # counted from the end, as a refusal is numbered
        self._lines = 0
        self._damaged = 0
        self._first_damaged: LinePosition | None = None

    def batches(self) -> Iterator[Any]:
        """Yield batches with loc, reason, source and line, when all files are read.

        Raises :class:`urlset.SourceError` where no line of any file is one of an access log.
        """
        for number, path in self._files_by_time():
            before = self._lines - self._damaged
            try:
                self._read(number, path)
            except SourceError as error:
                self.failures.append(str(error))
            else:
                self._check_file(number, before)
        if self.failures and self._lines == self._damaged:
            raise SourceError("; ".join(self.failures))
        self._add_notes()
        yield from self._result_batches()

    def merge(self, other: AccessLog) -> None:
        """Read the files of another log together with those of this one."""
        self.paths += other.paths
        self._names += other._names
        self.name = ", ".join(self._names)

    def _files_by_time(self) -> list[tuple[int, str]]:
        """The files with the oldest first, as far as their first lines tell."""
        timestamps = {path: first_timestamp(path) for path in self.paths if os.path.isfile(path)}
        return sorted(enumerate(self.paths), key=lambda item: timestamps.get(item[1], 1 << 60))

    def _read(self, file: int, path: str) -> None:
        parser, now, number = TimestampParser(), 0, 1
        parsed = self._parsed_blocks(path, self._names[file])
        if path != "-":  # what waits for a pipe could not be interrupted in a thread
            parsed = prefetch(parsed)
        for log_format, (hits, rows), count in parsed:
            self._process_hits(hits, (file, number))
            now = self._process_rows(rows, log_format, parser, now, (file, number))
            number += count
            self._lines += count
            if self._progress is not None:
                self._progress(self._lines)

    def _parsed_blocks(self, path: str, name: str) -> Iterator[tuple[LogFormat, ParsedBlock, int]]:
        """The blocks of a file, each with what says how to read it, and the number of its lines."""
        log_format: LogFormat | None = None
        for block in blocks(path, name):
            log_format = log_format or detect_format(block)
            parsed = log_format.parse_block(
                block, self._engine, keeps_queries=bool(self._filter.keep)
            )
            yield log_format, parsed, block.count(b"\n")

    def _process_hits(self, hits: Iterable[LogHit], position: LinePosition) -> None:
        """Take in what was there whenever a block asked for it."""
        history, excluded = self._history, self._excluded
        known, counts, latest, removals = (
            history.known,
            history.hits,
            history.last,
            history.removals,
        )
        for host, path, count, last, line in hits:
            if host and not self._filter.is_site_host(host):
                excluded[_OTHER_HOST] += count
                continue
            index = known.get(path, _NEW)
            if index == _NEW:
                index = self._register(path, (position[0], position[1] + line))
            if index < 0:
                excluded[index] += count
                continue
            counts[index] += count
            if last > latest[index]:
                latest[index] = last
            if index in removals:
                history.add_success(index, last)

    def _process_rows(
        self,
        rows: Iterable[tuple[int, int | None, tuple[bytes, ...]]],
        log_format: LogFormat,
        parser: TimestampParser,
        now: int,
        position: LinePosition,
    ) -> int:
        """Take the rows of one block in; calls of functions are for what is rare."""
        history, excluded = self._history, self._excluded
        known, hits, last, removals = history.known, history.hits, history.last, history.removals
        is_site_host, has_keep = self._filter.is_site_host, bool(self._filter.keep)
        last_time = b""
        for line, second, row in rows:
            number = position[1] + line
            host, marker, time, method, path, tail, status, other = row
            if method != b"GET":
                if other:
                    now = self._process_unparsed(
                        other, log_format, parser, now, (position[0], number)
                    )
                continue
            if marker and not is_site_host(host):
                excluded[_OTHER_HOST] += 1
                continue
            if tail and (has_keep or tail[0] != _QUESTION_MARK):
                path = self._cleaned(path + tail)
            index = known.get(path, _NEW)
            if index < 0:
                excluded[index] += 1
                continue
            if second is not None:
                last_time, now = b"", second
            elif time != last_time:
                read = parser.parse(time) if time else now
                if read is None:
                    self._record_damaged((position[0], number))
                    continue
                last_time, now = time, read
            if status == b"200" or status in SUCCESS_STATUSES:
                if index == _NEW:
                    index = self._register(path, (position[0], number))
                    if index < 0:
                        excluded[index] += 1
                        continue
                hits[index] += 1
                if now > last[index]:
                    last[index] = now
                if index in removals:
                    history.add_success(index, now)
            elif status in REMOVAL_STATUSES:
                history.add_removal(path, status, now)
        return now

    def _process_unparsed(
        self,
        line: bytes,
        log_format: LogFormat,
        parser: TimestampParser,
        now: int,
        position: LinePosition,
    ) -> int:
        text = line.strip()
        if not text or text.startswith(b"#"):
            return now
        row = log_format.row(text)
        if row is None:
            self._record_damaged(position)
            return now
        return self._process_rows([(0, None, row)], log_format, parser, now, position)

    def _record_damaged(self, position: LinePosition) -> None:
        self._damaged += 1
        self._first_damaged = self._first_damaged or position

    def _register(self, path: bytes, position: LinePosition) -> int:
        """Number a path that was not seen before, below 0 where it is refused."""
        refusal = _refusal_in(path) if path.startswith(b"!") else self._filter.clean(path)[1]
        if refusal is not None:
            return self._history.refuse(path, _REFUSAL_NAMES.index(refusal))
        return self._history.add(path, *position)

    def _cleaned(self, target: bytes) -> bytes:
        """The path of a target that is not plain, or ``!`` and why there is none.

        What has been cleaned is remembered for a while.
        """
        found = self._aliases.get(target)
        if found is None:
            path, refusal = self._filter.clean(target)
            found = f"!{refusal}".encode() if path is None else path.encode()
            if len(self._aliases) >= _MAX_ALIASES:
                self._aliases.clear()
            self._aliases[target] = found
        return found

    def _check_file(self, number: int, before: int) -> None:
        """Report a file with damaged lines only: it is no log."""
        is_first = self._first_damaged is not None and self._first_damaged[0] == number
        if is_first and self._lines - self._damaged == before:
            self.failures.append(
                f"{self._names[number]}: expected an access log (common, combined, W3C extended, "
                "JSON lines), found no line of one"
            )

    def _add_notes(self) -> None:
        if self._first_damaged is not None:
            file, line = self._first_damaged
            self.notes.append(
                f"{self._damaged:,} of {self._lines:,} lines could not be read, "
                f"first: line {line:,} of {self._names[file]}"
            )
        for count, description in zip(reversed(self._excluded), REFUSALS.values(), strict=True):
            if count:
                lines = "1 line" if count == 1 else f"{count:,} lines"
                self.notes.append(f"{lines} left out: {description}")

    def _result_batches(self) -> Iterator[Any]:
        history, origin = self._history, self._filter.origin
        found = map(history.status_of, history.page_paths())
        rows = (
            (
                origin + status.path.decode("ascii"),
                status.reason,
                self._names[status.file],
                status.line,
            )
            for status in found
            if status.hits >= self._min_hits
        )
        while chunk := list(islice(rows, BATCH_ROWS)):
            yield rows_to_batch(_COLUMNS, chunk)


def _refusal_in(path: bytes) -> str:
    return path[1:].decode()

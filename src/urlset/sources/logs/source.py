"""Source that reads access logs: the pages that were served, and those that were removed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO, Any, ClassVar

from urlset import engine as engines
from urlset.arrow.streams import ColumnType, rows_to_batch
from urlset.engine import LogHit
from urlset.errors import SourceError
from urlset.formats.compression import DAMAGE, open_decompressed
from urlset.formats.detect import log_form
from urlset.formats.encoding import BOM
from urlset.sources.candidates import BATCH_ROWS, SourceType, prefetch
from urlset.sources.logs.lines import (
    CommonFormat,
    ExtendedFormat,
    JsonFormat,
    LogFormat,
    ParsedBlock,
    TimestampParser,
    unparsed_line,
)
from urlset.sources.logs.privacy_filter import REFUSALS, TargetFilter
from urlset.sources.logs.status_history import REMOVAL_STATUSES, SUCCESS_STATUSES, StatusHistory

BLOCK_BYTES = 1 << 20


def blocks(path: str, name: str) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks of whole lines, about a megabyte; ``-`` is stdin.

    gzip, bzip2 and xz are detected by their first bytes. A line of more than a megabyte is cut, and
    counts as damaged.

    Raises:
        urlset.SourceError: The file (``name`` in the message) cannot be read to its end. The
            readable part is yielded first.
    """
    try:
        with _open(path) as file:
            yield from _whole_lines(file)
    except (OSError, *DAMAGE, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{name}: cannot be read to its end: {reason}") from error


@contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        yield _decompressed(sys.stdin.buffer)
        return
    with open(path, "rb") as file:
        yield _decompressed(file)


def _decompressed(file: Any) -> Any:
    return open_decompressed(file, file.peek(8) if hasattr(file, "peek") else b"")


def _whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    is_first = True
    while chunk := _read(file):
        if is_first:
            chunk, is_first = chunk.removeprefix(BOM), False
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        else:
            # Only the beginning of a line that is too long is kept: the line counts as damaged.
            rest = rest + chunk if len(rest) < BLOCK_BYTES else rest
    if rest:
        yield rest + b"\n"


def _read(file: Any) -> bytes:
    read = getattr(file, "read1", None) if isinstance(file, io.BufferedReader) else None
    data: bytes = read(BLOCK_BYTES) if read else file.read(BLOCK_BYTES)
    return data


def detect_format(block: bytes) -> LogFormat:
    """Detect the format of a log from the first line that is not empty."""
    form = log_form(block)
    if form == "extended":
        return ExtendedFormat()
    return JsonFormat() if form == "json" else CommonFormat()


def first_timestamp(path: str) -> int:
    """Return the time of the first line of a log that has one, in seconds since 1970, or 2^60."""
    parser = TimestampParser()
    try:
        for block in islice(blocks(path, path), 1):
            log_format = detect_format(block)
            for row in islice(log_format.rows(block), 1_000):
                line = row if not row[7] else log_format.row(row[7].strip()) or unparsed_line(b"")
                timestamp = parser.parse(line[2])
                if timestamp is not None:
                    return timestamp
    except SourceError:
        pass
    return 1 << 60


_COLUMNS: tuple[tuple[str, ColumnType], ...] = (
    ("loc", "string"),
    ("reason", "string"),
    ("source", "string"),
    ("line", "uint32"),
)
_REFUSAL_NAMES = list(REFUSALS)
_OTHER_HOST = -1 - _REFUSAL_NAMES.index("host")
_NEW = 1 << 60
_QUESTION_MARK = ord("?")
_MAX_ALIASES = 100_000

LinePosition = tuple[int, int]
"""Index of a file, and number of a line in it."""


class AccessLog:
    """The pages that a server returned for GET requests with status 200 or 304.

    The common, combined and W3C extended formats and JSON lines are detected by content, as is
    compression. Rotated files may be in any order. Lines that name another host are ignored.

    Only ``keep_parameters`` of a query string reach the output, in that order. Session ids in paths
    are removed. Paths with e-mail addresses, tokens and the like are excluded, as are assets
    (unless ``keep_assets``), hidden files and probes. Note: a secret that looks like a normal word
    of a path is not recognised.

    A URL whose last statuses were 404, 410 or a redirect has a ``reason`` if there were ten of them
    in a row, or at least a hundredth of its successes: one 404 in ten thousand is not a removal.
    Temporary redirects, which may depend on the visitor, must be as many as its successes, or ten.
    Of lines of the same second, the later one decides; of several files, that of the file that
    begins later, or else is given later.
    A URL that never succeeded is not yielded. 206, 403, 5xx … are ignored. A log has no
    ``lastmod``.

    Memory grows with the number of URLs, not with that of lines.

    Args:
        paths: The files; ``-`` is standard input.
        base_url: The scheme and host of the site.
        keep_parameters: Names of query parameters that identify a page.
        keep_assets: Include styles, scripts, images and the like.
        min_hits: How many successes a URL needs.
        engine: Name of the engine that reads the lines; by default the best that is installed.
        progress: Called with the number of lines so far.
        name: Name in messages.
    """

    source_type: ClassVar[SourceType] = "log"

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        base_url: str,
        *,
        keep_parameters: Iterable[str] = (),
        keep_assets: bool = False,
        min_hits: int = 1,
        engine: str | None = None,
        progress: Callable[[int], None] | None = None,
        name: str | None = None,
    ):
        several = [paths] if isinstance(paths, str | os.PathLike) else paths
        self.paths: list[str] = [os.fspath(path) for path in several]
        self._names = list(self.paths) if name is None else [name]
        self.name: str = ", ".join(self._names)
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
        self._excluded = [0] * len(
            _REFUSAL_NAMES
        )  # indexed from the end, with the numbers of refusals
        self._lines = 0
        self._damaged = 0
        self._first_damaged: LinePosition | None = None

    def batches(self) -> Iterator[Any]:
        """Yield batches with loc, reason, source and line, after all files are read.

        Raises:
            urlset.SourceError: No line of any file is a line of an access log.
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
        """Return the files with their indexes, sorted by the times of their first lines."""
        timestamps = {path: first_timestamp(path) for path in self.paths if os.path.isfile(path)}
        return sorted(enumerate(self.paths), key=lambda item: timestamps.get(item[1], 1 << 60))

    def _read(self, file: int, path: str) -> None:
        parser, now, number = TimestampParser(), 0, 1
        parsed = self._parsed_blocks(path, self._names[file])
        if path != "-":  # a thread that waits for a pipe cannot be interrupted
            parsed = prefetch(parsed)
        for log_format, (hits, rows, count) in parsed:
            self._process_hits(hits, (file, number))
            now = self._process_rows(rows, log_format, parser, now, (file, number))
            number += count
            self._lines += count
            if self._progress is not None:
                self._progress(self._lines)

    def _parsed_blocks(self, path: str, name: str) -> Iterator[tuple[LogFormat, ParsedBlock]]:
        """Yield the parsed blocks of a file, each with its format."""
        log_format: LogFormat = CommonFormat()
        is_first, failure = True, None
        aggregator = self._engine.log_aggregator(bool(self._filter.keep))
        try:
            for block in blocks(path, name):
                if is_first:
                    log_format, is_first = detect_format(block), False
                yield log_format, log_format.parse_block(block, aggregator)
        except SourceError as error:
            failure = error
        yield log_format, (aggregator.finish(), (), 0)
        if failure is not None:
            raise failure

    def _process_hits(self, hits: Iterable[LogHit], position: LinePosition) -> None:
        """Add the hits of a block to the history: paths whose requests in it all succeeded."""
        history, excluded = self._history, self._excluded
        known, counts, latest, removals = (
            history.known,
            history.hits,
            history.last,
            history.removals,
        )
        for host, path, count, last, line, is_page in hits:
            if host and not self._filter.is_site_host(host):
                excluded[_OTHER_HOST] += count
                continue
            index = known.get(path, _NEW)
            if index == _NEW:
                first = position[0], position[1] + line
                index = history.add(path, *first) if is_page else self._register(path, first)
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
        rows: Iterable[tuple[int, int | None, int, tuple[bytes, ...]]],
        log_format: LogFormat,
        parser: TimestampParser,
        now: int,
        position: LinePosition,
    ) -> int:
        """Add rows of a block to the status history; return the time of the last row."""
        history, excluded = self._history, self._excluded
        known, hits, last, removals = history.known, history.hits, history.last, history.removals
        is_site_host, has_keep = self._filter.is_site_host, bool(self._filter.keep)
        last_time = b""
        for line, second, count, row in rows:
            number = position[1] + line
            host, marker, time, method, path, tail, status, other = row
            if method != b"GET":
                if other:
                    now = self._process_unparsed(
                        other, log_format, parser, now, (position[0], number)
                    )
                continue
            if marker and not is_site_host(host):
                excluded[_OTHER_HOST] += count
                continue
            if tail and (has_keep or tail[0] != _QUESTION_MARK):
                path = self._cleaned(path + tail)
            index = known.get(path, _NEW)
            if index < 0:
                excluded[index] += count
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
                        excluded[index] += count
                        continue
                hits[index] += count
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
        return self._process_rows([(0, None, 1, row)], log_format, parser, now, position)

    def _record_damaged(self, position: LinePosition) -> None:
        self._damaged += 1
        self._first_damaged = self._first_damaged or position

    def _register(self, path: bytes, position: LinePosition) -> int:
        """Add a new path to the status history; return its number, below 0 if it is refused."""
        refusal = _refusal_in(path) if path.startswith(b"!") else self._filter.clean(path)[1]
        if refusal is not None:
            return self._history.refuse(path, _REFUSAL_NAMES.index(refusal))
        return self._history.add(path, *position)

    def _cleaned(self, target: bytes) -> bytes:
        """Convert a target with special characters to a path, or to ``!`` and why it is refused.

        Results are cached, up to a limit.
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
        """Record a failure for a file in which every line is damaged, as it is not a log."""
        is_first = self._first_damaged is not None and self._first_damaged[0] == number
        if is_first and self._lines - self._damaged == before:
            self.failures.append(
                f"{self._names[number]}: expected an access log (common, combined, W3C extended, "
                "JSON lines), found no valid line"
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
                self.notes.append(f"{lines} excluded: {description}")

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

"""Lists of URLs as people keep them: plain text, CSV, JSON lines; told apart by their content."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import os
import sys
import tempfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, Literal, NamedTuple, cast

from urlset.errors import SourceError
from urlset.reader import is_url
from urlset.urls import ASCII_SPACE

__all__ = ["ListFile", "Trail", "open_list"]

Form = Literal["text", "csv", "jsonl"]

_HEAD = 65_536
_IN_MEMORY = 1 << 24  # of a stream that is kept; the rest goes to a file
_MAX_LINE = 1 << 24  # and of a cell: no honest entry comes near it
_GZIP = b"\x1f\x8b"


class Trail:
    """Where the rows of a build came from: row numbers back to files and lines.

    Rows come in order. One step is kept for each stretch of consecutive lines, not for each row.
    """

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._steps: list[tuple[str, int | None]] = []  # the source, and line minus row
        self._row = 0

    def note(self, source: str, line: int | None) -> None:
        """Note the place of the next row; ``line`` is None where it does not matter."""
        self._row += 1
        step = (source, None if line is None else line - self._row)
        if not self._steps or self._steps[-1] != step:
            self._rows.append(self._row)
            self._steps.append(step)

    def place(self, row: int) -> str:
        """The place of a row, from 1, as ``source:line``."""
        number = bisect_right(self._rows, row) - 1
        if number < 0:
            return f"row {row}"
        source, shift = self._steps[number]
        return source if shift is None else f"{source}:{row + shift}"


class ListFile(NamedTuple):
    """A list that is open: its name, its form, its text, and the delimiter of its columns."""

    name: str
    form: Form
    file: IO[str]
    delimiter: str = ","

    def rows(self, trail: Trail) -> Iterator[Any]:
        """A ``str`` or a dict for each entry, nothing in it judged yet."""
        make = {"text": _text_rows, "csv": _csv_rows, "jsonl": _jsonl_rows}[self.form]
        try:
            for line, row in make(self):
                trail.note(self.name, line)
                yield row
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{self.name}: expected UTF-8, found byte 0x{error.object[error.start]:02x}; "
                "convert it, e.g. with `iconv -f windows-1252 -t utf-8`"
            ) from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise SourceError(f"{self.name}: expected whole gzip data, found: {error}") from error
        except csv.Error as error:
            raise SourceError(f"{self.name}: expected CSV, found: {error}") from error


def open_list(source: str, stack: ExitStack) -> ListFile | bytes | None:
    """Open a list; None for what is to be read as sitemaps, or the bytes of those from a stream.

    The stack closes what was opened.
    """
    if source != "-" and (is_url(source) or os.path.isdir(source)):
        return None
    raw = _open(source, stack)
    head = raw.read(_HEAD)
    raw.seek(0)
    is_packed = head.startswith(_GZIP)
    if is_packed:
        try:
            head = zlib.decompressobj(31).decompress(head, _HEAD)
        except zlib.error:
            head = b"<"  # the reader knows what to do with it
    encoding = "utf-16" if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    text = head.decode(encoding, errors="replace").lstrip()
    if text.startswith("<") or not text:
        return None if source != "-" and os.path.isfile(source) else raw.read()
    form, delimiter = _form(text.splitlines()[0], source)
    data: IO[bytes] = raw
    if is_packed:
        data = cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb")))
    file = stack.enter_context(io.TextIOWrapper(data, encoding=encoding, newline=""))
    return ListFile(source, form, file, delimiter)


def _open(source: str, stack: ExitStack) -> IO[bytes]:
    """Open a source so that its beginning can be looked at first; a stream is kept for that."""
    # The stack closes them; ruff does not see it through the conditions.
    try:
        file = sys.stdin.buffer if source == "-" else stack.enter_context(open(source, "rb"))  # noqa: SIM115
    except OSError as error:
        raise SourceError(f"cannot read {source!r}: {error.strerror}") from error
    if source != "-" and file.seekable():
        return file
    kept = stack.enter_context(tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
    while piece := file.read(1 << 20):
        kept.write(piece)
    kept.seek(0)
    return cast(IO[bytes], kept)


def _form(line: str, source: str) -> tuple[Form, str]:
    """Tell from the first line that is not blank."""
    line = line.strip()
    if "\0" in line:
        raise SourceError(
            f"{source}: expected a list of URLs, CSV, JSON lines or a sitemap, found binary data"
        )
    if line.startswith(("{", '"')):
        try:
            json.loads(line)
        except ValueError:
            pass
        else:
            return "jsonl", ""
    if line.startswith("["):
        raise SourceError(
            f"{source}: expected JSON lines, one object a line, found a JSON array; "
            "`jq -c '.[]'` makes lines of it"
        )
    if line.startswith("{"):
        raise SourceError(
            f"{source}: expected JSON lines, one object a line, found one over several lines; "
            "`jq -c .` puts each on a line"
        )
    for delimiter in ",;\t":
        names = {name.strip().lower() for name in next(csv.reader([line], delimiter=delimiter))}
        if names & {"loc", "url"}:
            return "csv", delimiter
    return "text", ""


def _text_rows(found: ListFile) -> Iterator[tuple[int, Any]]:
    """A URL a line; blank lines and those that begin with # are passed over."""
    for number, line in enumerate(_lines(found), 1):
        url = line.strip(ASCII_SPACE)
        if url and not url.startswith("#"):
            yield number, url


def _jsonl_rows(found: ListFile) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(_lines(found), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                f"{found.name}:{number}: expected a JSON object or string, found: {error}"
            ) from error
        yield number, _url_of(row) if isinstance(row, dict) else row


def _lines(found: ListFile) -> Iterator[str]:
    """The lines of a list; one that does not end is no list."""
    while line := found.file.readline(_MAX_LINE):
        if len(line) == _MAX_LINE:
            raise SourceError(
                f"{found.name}: expected a line for each entry, found one of more than "
                f"{_MAX_LINE:,} characters"
            )
        yield line


def _csv_rows(found: ListFile) -> Iterator[tuple[int, Any]]:
    """A dict of the cells that are not empty, under the names of the header in lower case."""
    limit = csv.field_size_limit(_MAX_LINE)
    try:
        reader = csv.reader(found.file, delimiter=found.delimiter)
        header = next(filter(any, reader))
        names = [name.strip().lower() for name in header]
        start = reader.line_num + 1
        for cells in reader:
            row = {name: cell for name, cell in zip(names, cells, strict=False) if cell.strip()}
            if row:
                yield start, _url_of(row)
            start = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def _url_of(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its loc, which may be called url."""
    return row | {"loc": row["url"]} if "url" in row and not row.get("loc") else row

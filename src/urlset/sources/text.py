"""Source that reads text files row by row with line numbers: lists of URLs, CSV, JSON lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from typing import IO, Any, ClassVar, TextIO, cast

from urlset.arrow.streams import ColumnType, rows_to_batch, table_of
from urlset.errors import SourceError
from urlset.formats.compression import DAMAGE, open_gzip
from urlset.formats.detect import (
    FileHead,
    TextForm,
    detect_delimiter,
    detect_text_form,
    is_json_array,
    read_head,
)
from urlset.sources.candidates import RowVersion, SourceType, encodable
from urlset.sources.file_version import file_version
from urlset.sources.tables.casts import convert_nested_columns
from urlset.sources.tables.column_plan import ColumnPlan, NamedExpression, parse_mapping
from urlset.store import ColumnMapper, identifier
from urlset.urls import ASCII_SPACE

MAX_COLUMNS = 10_000
"""Maximum columns of CSV; each is compared with the names of all fields."""

MAX_LINE = 1 << 24
"""Maximum characters of a line, and of a cell; far more than any valid entry has."""


@contextmanager
def open_text(path: str, name: str, head: FileHead) -> Iterator[IO[str]]:
    """Open a text file, decompressed and decoded.

    Raises SourceError if bytes that are read within the block are invalid.
    """
    with ExitStack() as stack:
        try:
            data: IO[bytes] = stack.enter_context(open(path, "rb"))
            if head.is_compressed:
                data = stack.enter_context(open_gzip(data))
            yield stack.enter_context(io.TextIOWrapper(data, encoding=head.encoding, newline=""))
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{name}: expected UTF-8, found byte 0x{error.object[error.start]:02x}; "
                "convert it, e.g. with `iconv -f windows-1252 -t utf-8`"
            ) from error
        except UnicodeError as error:
            raise SourceError(f"{name}: expected text, found: {error}") from error
        except DAMAGE as error:
            raise SourceError(f"{name}: expected complete gzip data, found: {error}") from error
        except csv.Error as error:
            raise SourceError(f"{name}: expected CSV, found: {error}") from error
        except OSError as error:
            if isinstance(error, SourceError):
                raise
            raise SourceError(f"cannot read {name!r}: {error.strerror or error}") from error


_CHUNK_SIZE = 1 << 20
_LITERAL_PREFIX = re.compile(r"-|t|tr|tru|f|fa|fal|fals|n|nu|nul")
_SPACE = re.compile(r"[ \t\r\n]*")


def json_items(file: IO[str], name: str) -> Iterator[tuple[int, Any]]:
    r"""Yield each item of an array with the number of the line on which it begins.

    Raises SourceError if the array is invalid, or an item is too long.

    >>> from io import StringIO
    >>> list(json_items(StringIO('["/a",\n {"loc": "/b"}]'), "a.json"))
    [(1, '/a'), (2, {'loc': '/b'})]
    """
    return _ItemReader(file, name).items()


class _ItemReader:
    def __init__(self, file: IO[str], name: str):
        self._file, self._name = file, name
        self._text, self._at, self._line = "", 0, 1
        self._is_at_end = False
        self._decoder = json.JSONDecoder()

    def items(self) -> Iterator[tuple[int, Any]]:
        if self._next_character() != "[":
            raise self._error("an array of JSON")
        self._at += 1
        first = self._next_character()
        if not first:
            raise self._truncated()
        if first == "]":
            self._at += 1
        else:
            while True:
                yield self._item()
                separator = self._next_character()
                self._at += 1
                if separator == "]":
                    break
                if not separator:
                    raise self._truncated()
                if separator != ",":
                    raise self._error(f"a comma or ] after an item, found {separator}")
                if not self._next_character():
                    raise self._truncated()
        if self._next_character():
            raise self._error("nothing after the array, found more")

    def _item(self) -> tuple[int, Any]:
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._is_at_end and self._ends_within_item(error):
                    self._advance(len(self._text))
                    raise self._truncated() from error
                if self._is_at_end or isinstance(error, RecursionError):
                    raise self._invalid_item(error) from error
            else:
                # A number may continue in the next piece.
                if end < len(self._text) or self._is_at_end:
                    break
            if len(self._text) - self._at >= MAX_LINE:
                raise self._too_long()
            self._read()
        if end - self._at >= MAX_LINE:
            raise self._too_long()
        line = self._line
        self._advance(end)
        return line, value

    def _next_character(self) -> str:
        """Skip white space; return the next character without reading it, or "" at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None  # the pattern matches any text
            self._advance(found.end())
            if self._at < len(self._text):
                return self._text[self._at]
            if self._is_at_end:
                return ""
            self._read()

    def _advance(self, end: int) -> None:
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _read(self) -> None:
        # Twice as much each time: a long item is decoded few times.
        piece = self._file.read(max(_CHUNK_SIZE, len(self._text) - self._at))
        self._is_at_end = not piece
        self._text, self._at = self._text[self._at :] + piece, 0

    def _ends_within_item(self, error: Exception) -> bool:
        """Return whether a JSON error means only that the file ends within an item."""
        if not isinstance(error, json.JSONDecodeError):
            return False
        rest = self._text[error.pos :]
        return (
            not rest.strip(" \t\r\n")
            or error.msg.startswith("Unterminated string")
            or (error.msg == "Expecting value" and _LITERAL_PREFIX.fullmatch(rest) is not None)
            or (error.msg.startswith("Invalid \\u") and len(rest) < len("\\u0000"))
        )

    def _invalid_item(self, error: Exception) -> SourceError:
        description = str(error)
        if isinstance(error, json.JSONDecodeError):
            self._advance(error.pos)
            description = f"invalid JSON ({error.msg})"
        return self._error(f"an object or a string, found {description}")

    def _truncated(self) -> SourceError:
        return self._error(
            "] at the end of the array, found the end of the file: the array is cut off; "
            f"write {self._name} again, or end it with ]"
        )

    def _too_long(self) -> SourceError:
        return self._error(f"an item of fewer than {MAX_LINE:,} characters")

    def _error(self, expected: str) -> SourceError:
        return SourceError(f"{self._name}:{self._line}: expected {expected}")


BATCH_ROWS = 8_192
MAX_BATCH_BYTES = 1 << 25
"""Bytes after which a batch ends: a small file of gzip can have thousands of long lines."""

_STEP_ROWS = 8
_LINE_COLUMN = "line of the file"  # added to those of the table; unlikely in a header

_TEXT_COLUMNS: tuple[tuple[str, ColumnType], ...] = (
    ("loc", "string"),
    ("source", "string"),
    ("line", "uint32"),
)

Numbered = tuple[int, Any]
"""A line number, and the row on that line."""


class TextSource:
    """Rows of a text file, each with its ``line``, so that an invalid row can be found.

    Text has one URL per line; blank lines and lines that begin with ``#`` are skipped. The columns
    of CSV are named by its header, those of JSON lines by the keys. A JSON line may also be a
    string with a URL. A JSON array holds the same items as JSON lines do.

    ``mapping`` and ``keep`` are those of :class:`urlset.sources.Table`. ``form`` and ``delimiter``
    are detected from the content by default. Invalid URLs, numbers and dates are passed on, and
    the build rejects them; a row whose URL is not text has a null there.

    Raises :class:`urlset.SourceError` for a file that is not text, or has none of the forms.

    >>> TextSource("urls.txt").name
    'urls.txt'
    """

    source_type: ClassVar[SourceType] = "text"

    def __init__(
        self,
        path: str,
        *,
        mapping: Mapping[str, str] | str | None = None,
        keep: Sequence[str] = (),
        form: TextForm | None = None,
        delimiter: str | None = None,
        name: str | None = None,
    ):
        self.name: str = name or path
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.unused_columns: list[str] = []
        self._path = path
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._form, self._delimiter = form, delimiter

    def check(self) -> None:
        """Check file and columns, reading no rows of CSV; raise errors as :meth:`batches`."""
        with closing(self._rows(only_check=True)) as rows:
            next(rows, None)

    def row_version(self) -> RowVersion | None:
        """Return a digest of the file."""
        options = (self._mapping, self._keep, self._form, self._delimiter)
        return file_version(self._path, *options)

    def batches(self) -> Iterator[Any]:
        """Yield record batches with columns of candidates, including ``source`` and ``line``."""
        return self._rows()

    def _rows(self, *, only_check: bool = False) -> Generator[Any, None, None]:
        head = read_head(self._path, self.name)
        form, delimiter = self._form, self._delimiter
        if form is None or (form == "csv" and delimiter is None):
            mapped = [value.rpartition(":")[2] for value in self._mapping.values()]
            found, detected_delimiter = detect_text_form(head, self.name, mapped)
            form = form or found
            delimiter = delimiter or detected_delimiter or detect_delimiter(head.first_line, mapped)
        with open_text(self._path, self.name, head) as file:
            if form == "text":
                yield from self._read_text(file)
            elif form == "csv":
                yield from self._read_csv(file, delimiter or ",", only_check=only_check)
            else:
                yield from self._read_json(file, is_array=is_json_array(head))

    def _read_text(self, file: IO[str]) -> Iterator[Any]:
        first = 1
        for lines in _blocks(file, self.name):
            found = [
                (url, self.name, number)
                for number, url in enumerate((line.strip(ASCII_SPACE) for line in lines), first)
                if url and url[0] != "#"
            ]
            first += len(lines)
            if found:
                yield rows_to_batch(_TEXT_COLUMNS, found)

    def _read_csv(self, file: IO[str], delimiter: str, *, only_check: bool) -> Iterator[Any]:
        limit = csv.field_size_limit(MAX_LINE)
        try:
            reader = csv.reader(_lines(file, self.name), delimiter=delimiter, strict=True)
            names = _names(next(filter(any, reader), []), self.name)
            # Checks the header even if no row follows.
            blank = dict.fromkeys(names, "VARCHAR")
            plan = ColumnPlan.of(blank, name=self.name, mapping=self._mapping, keep=self._keep)
            self._add_notes(plan)
            if only_check:
                return
            rows = _csv_rows(reader, names, self.name)
            yield from self._map_rows(_chunks(rows, file), names)
        except csv.Error as error:
            raise SourceError(
                f"{self.name}: expected CSV, found: {error}; close each quote that is opened, "
                "and double it within a cell"
            ) from error
        finally:
            csv.field_size_limit(limit)

    def _read_json(self, file: IO[str], *, is_array: bool) -> Iterator[Any]:
        found = json_items(file, self.name) if is_array else _json_lines(file, self.name)
        rows = ((line, _with_loc(row) if isinstance(row, dict) else {"loc": row})
                for line, row in found)  # fmt: skip
        yield from self._map_rows(_chunks(rows, file), [])

    def _map_rows(self, chunks: Iterator[list[Numbered]], names: Sequence[str]) -> Iterator[Any]:
        """Convert rows, which are dicts, to batches of candidates; columns are the keys so far."""
        seen = dict.fromkeys(names)
        mapper = ColumnMapper()
        try:
            for rows in chunks:
                expressions, batch = self._raw_batch(rows, seen)
                yield from self._map_batch(mapper, batch, expressions, rows)
        finally:
            mapper.close()

    def _raw_batch(
        self, rows: list[Numbered], seen: dict[str, None]
    ) -> tuple[list[NamedExpression], Any]:
        """Return a batch of unconverted cells, and the SQL that converts it to candidates."""
        kinds = _kinds(rows, seen)
        if len(seen) > MAX_COLUMNS:
            raise SourceError(
                f"{self.name}: expected at most {MAX_COLUMNS:,} different keys, found more up to "
                f"line {rows[-1][0]:,}; leave out those that are not needed"
            )
        if not seen.keys() - {"loc"}:
            seen.setdefault("loc")
            kinds.setdefault("loc", "VARCHAR")
        plan = ColumnPlan.of(kinds, name=self.name, mapping=self._mapping, keep=self._keep)
        self._add_notes(plan)
        expressions = [named for named in plan.expressions if named[0] != "line"]
        # Only the columns that are used: rows with a key of their own would be a square of cells.
        text = " ".join(sql for _, sql in expressions)
        used = [name for name in seen if identifier(name)[1:-1] in text]
        columns = [_column([row.get(name) for _, row in rows], kinds[name]) for name in used]
        fields = [*((name, "string") for name in used), (_LINE_COLUMN, "uint32")]
        values = [*columns, [number for number, _ in rows]]
        batch = rows_to_batch(fields, [*zip(*values, strict=True)])  # type: ignore[arg-type]
        return [*expressions, ("line", f'"{_LINE_COLUMN}"')], batch

    def _add_notes(self, plan: ColumnPlan) -> None:
        known = set(self.notes)
        self.notes += [note for note in plan.notes if note not in known]
        self.unused_columns = [*dict.fromkeys([*self.unused_columns, *plan.unused])]

    def _map_batch(
        self,
        mapper: ColumnMapper,
        batch: Any,
        expressions: list[NamedExpression],
        rows: list[Numbered],
    ) -> Iterator[Any]:
        try:
            for mapped in mapper.map(table_of(batch.schema, batch), expressions):
                yield from convert_nested_columns(mapped)
        except SourceError as error:
            between = f"{rows[0][0]:,} to {rows[-1][0]:,}"
            raise SourceError(f"{self.name}, in lines {between}: {error}") from error


def _kinds(rows: list[Numbered], seen: dict[str, None]) -> dict[str, str]:
    """Return the type of each column: text, or JSON if some value is not text; extend ``seen``."""
    others: set[str] = set()
    for _, row in rows:
        for name, value in row.items():
            seen.setdefault(name)
            if not (value is None or isinstance(value, str)):
                others.add(name)
    return {name: "JSON" if name in others else "VARCHAR" for name in seen}


def _column(values: list[Any], kind: str) -> list[str | None]:
    if kind == "VARCHAR":
        return [value and encodable(value) for value in values]
    return [None if value is None else json.dumps(value) for value in values]


def _chunks(rows: Iterator[Numbered], file: IO[str]) -> Iterator[list[Numbered]]:
    """Yield the rows of a file in batches, which have fewer rows if these are long."""
    data = cast(TextIO, file).buffer
    chunk: list[Numbered] = []
    begin = data.tell()
    while found := list(islice(rows, _STEP_ROWS)):
        chunk += found
        end = data.tell()
        if len(chunk) >= BATCH_ROWS or end - begin > MAX_BATCH_BYTES:
            yield chunk
            chunk, begin = [], end
    if chunk:
        yield chunk


def _blocks(file: IO[str], name: str) -> Iterator[list[str]]:
    """Yield blocks of lines; raise ``SourceError`` for a line that is too long."""
    rest = ""
    while piece := file.read(_CHUNK_SIZE):
        # Note: not splitlines(), which also splits at characters that are no line ends elsewhere.
        # A line may end with two characters, of which the piece has only the first.
        rest = (rest + piece).replace("\r\n", "\n")
        complete, carriage_return = (rest[:-1], "\r") if rest.endswith("\r") else (rest, "")
        *lines, rest = complete.replace("\r", "\n").split("\n")
        rest += carriage_return
        if max(len(rest), max(map(len, lines), default=0)) >= MAX_LINE:
            raise _too_long(name)
        yield lines
    yield rest.split("\r")


def _lines(file: IO[str], name: str) -> Iterator[str]:
    while line := file.readline(MAX_LINE):
        if len(line) >= MAX_LINE:
            raise _too_long(name)
        yield line


def _too_long(name: str) -> SourceError:
    return SourceError(
        f"{name}: expected one line per entry, found a line of more than {MAX_LINE:,} characters"
    )


def _names(header: list[str], name: str) -> list[str]:
    names = [cell.strip() or f"column{number}" for number, cell in enumerate(header, 1)]
    if len(names) > MAX_COLUMNS:
        raise SourceError(
            f"{name}: expected at most {MAX_COLUMNS:,} columns, found {len(names):,}; leave out "
            "those that are not needed"
        )
    duplicate = next((column for column, count in Counter(names).items() if count > 1), None)
    if duplicate is not None:
        raise SourceError(f"{name}: expected unique column names, found {duplicate!r} twice")
    return names


def _csv_rows(reader: Any, names: list[str], name: str) -> Iterator[Numbered]:
    """Yield each row of CSV as a dict of its cells without empty ones; skip empty rows."""
    start = reader.line_num + 1
    for cells in reader:
        if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
            raise SourceError(
                f"{name}:{start}: expected {len(names)} cells, as in the header, found "
                f"{len(cells)}; quote a cell that contains the delimiter"
            )
        row = {key: cell for key, cell in zip(names, cells, strict=False) if cell.strip()}
        if row:
            yield start, row
        start = reader.line_num + 1


def _json_lines(file: IO[str], name: str) -> Iterator[Numbered]:
    for number, line in enumerate(_lines(file, name), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                f"{name}:{number}: expected a JSON object or string, found: {error}"
            ) from error
        yield number, row


def _with_loc(row: dict[str, Any]) -> dict[str, Any]:
    """Rename the key ``url`` of a row to ``loc``, unless the row has a ``loc``."""
    return {**row, "loc": row["url"]} if "url" in row and "loc" not in row else row

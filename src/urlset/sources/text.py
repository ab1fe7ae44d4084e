"""Source for text files, with line numbers: lists of URLs, CSV, JSON Lines, JSON arrays."""

from __future__ import annotations

import csv
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import IO, Any, ClassVar

from urlset.arrow.ipc import table_of
from urlset.arrow.streams import ColumnType, rows_to_batch
from urlset.errors import SourceError
from urlset.formats.detect import TextForm, detect_text_form, is_json_array, read_head
from urlset.sources import text_files
from urlset.sources.candidates import SourceType
from urlset.sources.json_array import json_items
from urlset.sources.tables.column_plan import ColumnPlan, NamedExpression, parse_mapping
from urlset.sources.tables.nested_columns import convert_nested_columns
from urlset.sources.text_files import open_text
from urlset.store import ColumnMapper
from urlset.urls import ASCII_SPACE

__all__ = ["TextSource"]

BATCH_ROWS = 8_192
_CHUNK_SIZE = 1 << 20
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
        self.name = name or path
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._path = path
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._form, self._delimiter = form, delimiter

    def check(self) -> None:
        """Raise what :meth:`batches` would raise before the first row; read no rows of CSV."""
        with closing(self._rows(only_check=True)) as rows:
            next(rows, None)

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
            delimiter = delimiter or detected_delimiter or ","
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
        limit = csv.field_size_limit(text_files.MAX_LINE)
        try:
            reader = csv.reader(_lines(file, self.name), delimiter=delimiter, strict=True)
            names = _names(next(filter(any, reader), []), self.name)
            # Checks the header even if no row follows.
            blank = dict.fromkeys(names, "VARCHAR")
            plan = ColumnPlan.of(blank, name=self.name, mapping=self._mapping, keep=self._keep)
            self._add_notes(plan)
            if only_check:
                return
            yield from self._map_rows(_chunks(_csv_rows(reader, names, self.name)), names)
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
        yield from self._map_rows(_chunks(rows), [])

    def _map_rows(self, chunks: Iterator[list[Numbered]], names: Sequence[str]) -> Iterator[Any]:
        """Yield candidates for rows that are dicts; the columns are the keys found so far."""
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
        """Return expressions for the candidates of rows, and a batch of the unconverted cells."""
        for _, row in rows:
            seen.update(dict.fromkeys(row))
        if not seen.keys() - {"loc"}:
            seen.setdefault("loc")
        columns = {name: _column([row.get(name) for _, row in rows]) for name in seen}
        kinds = {name: kind for name, (kind, _) in columns.items()}
        plan = ColumnPlan.of(kinds, name=self.name, mapping=self._mapping, keep=self._keep)
        self._add_notes(plan)
        expressions = [named for named in plan.expressions if named[0] != "line"]
        values = [*(values for _, values in columns.values()), [number for number, _ in rows]]
        fields = [*((name, "string") for name in seen), (_LINE_COLUMN, "uint32")]
        batch = rows_to_batch(fields, [*zip(*values, strict=True)])  # type: ignore[arg-type]
        return [*expressions, ("line", f'"{_LINE_COLUMN}"')], batch

    def _add_notes(self, plan: ColumnPlan) -> None:
        self.notes += [note for note in plan.notes if note not in self.notes]

    def _map_batch(
        self,
        mapper: ColumnMapper,
        batch: Any,
        expressions: list[NamedExpression],
        rows: list[Numbered],
    ) -> Iterator[Any]:
        try:
            batches = mapper.map(table_of(batch.schema, batch), expressions)
            yield from map(convert_nested_columns, batches)
        except SourceError as error:
            between = f"{rows[0][0]:,} to {rows[-1][0]:,}"
            raise SourceError(f"{self.name}, in lines {between}: {error}") from error


def _column(values: list[Any]) -> tuple[str, list[str | None]]:
    """Return a column as text, or as JSON if not all of its values are text."""
    if all(value is None or isinstance(value, str) for value in values):
        return "VARCHAR", [value and value.encode(errors="replace").decode() for value in values]
    return "JSON", [None if value is None else json.dumps(value) for value in values]


def _chunks(rows: Iterator[Numbered]) -> Iterator[list[Numbered]]:
    while chunk := list(islice(rows, BATCH_ROWS)):
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
        if max(len(rest), max(map(len, lines), default=0)) >= text_files.MAX_LINE:
            raise _too_long(name)
        yield lines
    yield rest.split("\r")


def _lines(file: IO[str], name: str) -> Iterator[str]:
    while line := file.readline(text_files.MAX_LINE):
        if len(line) >= text_files.MAX_LINE:
            raise _too_long(name)
        yield line


def _too_long(name: str) -> SourceError:
    return SourceError(
        f"{name}: expected one line per entry, found a line of more than "
        f"{text_files.MAX_LINE:,} characters"
    )


def _names(header: list[str], name: str) -> list[str]:
    names = [cell.strip() or f"column{number}" for number, cell in enumerate(header, 1)]
    for number, column in enumerate(names):
        if column in names[:number]:
            raise SourceError(f"{name}: expected unique column names, found {column!r} twice")
    return names


def _csv_rows(reader: Any, names: list[str], name: str) -> Iterator[Numbered]:
    """Yield a dict of the cells that are not empty, for each row that has any."""
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
    """Return a row with its ``url`` as ``loc`` if it has no ``loc``."""
    return {**row, "loc": row["url"]} if "url" in row and "loc" not in row else row

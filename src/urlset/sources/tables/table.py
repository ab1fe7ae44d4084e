"""Source that reads a table: CSV, JSON lines, Parquet, Arrow, SQLite or DuckDB files."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from operator import length_hint
from typing import Any, ClassVar, Literal, get_args
from urllib.parse import quote

from urlset.arrow import array_of
from urlset.arrow.batches import batch_of, decoded_array
from urlset.arrow.streams import read_ipc, table_of
from urlset.errors import QueryError, SourceError
from urlset.formats.detect import (
    TableForm,
    detect_table_form,
    is_json_array,
    read_head,
)
from urlset.formats.signatures import file_signature
from urlset.sources.candidates import RowVersion, SourceType, prefetch
from urlset.sources.file_version import file_version
from urlset.sources.tables.casts import NESTED_FIELDS, convert_nested_columns
from urlset.sources.tables.column_plan import ColumnPlan, field_of, parse_mapping
from urlset.sources.tables.csv_header import read_header
from urlset.store import QUERY_S, ColumnMapper, ExternalTable

BATCH_ROWS = 8_192
_STEPS = 10_000  # of the virtual machine, some 100 µs: so often SQLite calls the progress handler
_Kind = Literal["string", "integer", "number"]
_FETCH_ROWS = 32
_MAX_BATCH_BYTES = 1 << 25
_MAX_COMPUTED_BYTES = 1 << 22
_WAL = 2  # value of bytes 18 and 19 in WAL mode (www.sqlite.org/fileformat.html, section 1.3.3)
_ALLOWED = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


def sqlite_batches(
    path: str,
    *,
    table: str | None = None,
    query: str | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> Iterator[Any]:
    """Yield the rows of a table or a query as record batches.

    The first rows decide whether a column has integers, numbers or text: SQLite allows values of
    any type in any column. The first batch may be empty. By default the only table is read;
    ``name`` is that of the file in messages.

    Raises SourceError if file or table cannot be read, QueryError if the query is invalid, would
    change data, or exceeds the time limit, which is also that of a view.
    """
    source_name = name or path
    connection = _open(path, source_name)
    limit = _TimeLimit(timeout_s if query is not None else None)
    with closing(connection):
        try:
            connection.set_progress_handler(limit.is_exceeded, _STEPS)
            if query is None:
                statement, is_view = _table_query(connection, table, source_name)
                if is_view:  # a query, too, which whoever made the file has written
                    limit.seconds = timeout_s
            else:
                statement = query
            connection.set_authorizer(_authorize)
            connection.text_factory = bytes  # decoded by column: a call for each value takes longer
            cursor = connection.execute(statement)
        except sqlite3.Warning as error:  # raised by Python 3.11 for more than one statement
            raise QueryError(f"expected one query (SELECT …), found: {error}") from error
        except sqlite3.Error as error:
            if limit.is_exceeded():
                raise _timeout_error(limit) from error
            raise _database_error(error, source_name, query) from error
        if cursor.description is None:
            raise QueryError(f"expected one query (SELECT …), found one without rows: {query!r}")
        names = [column[0] for column in cursor.description]
        if len(set(names)) < len(names):
            raise QueryError(f"expected unique column names, found {', '.join(names)}")
        yield from _batches(cursor, names, source_name, query, limit)


class _TimeLimit:
    """Time limit of a query in SQLite; the time in which the caller uses rows does not count."""

    def __init__(self, seconds: float | None):
        self.seconds = seconds
        self._used = 0.0
        self._began = time.monotonic()

    def is_exceeded(self) -> bool:
        """Return whether the time limit has passed; SQLite calls it periodically during a query."""
        if self.seconds is None:
            return False
        return self._used + time.monotonic() - self._began > self.seconds

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Add the time of a ``with`` block to the time used."""
        self._began = time.monotonic()
        try:
            yield
        finally:
            self._used += time.monotonic() - self._began


def _open(path: str, source_name: str) -> sqlite3.Connection:
    with open(path, "rb") as file:
        head = file.read(20)
    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro"
    # Note: to read a file in WAL mode, SQLite creates two files next to it unless it is opened as
    # immutable. Where another process writes, these files exist already.
    if head[18:20] == bytes((_WAL, _WAL)) and not os.path.exists(f"{path}-wal"):
        uri += "&immutable=1"
    try:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.text_factory = _text
        connection.execute("PRAGMA query_only = ON")
        # A longer value than the file, or its log, is not stored: a view or a column computes it.
        logged = os.path.getsize(f"{path}-wal") if os.path.exists(f"{path}-wal") else 0
        longest = max(_MAX_COMPUTED_BYTES, os.path.getsize(path), logged)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(longest, (1 << 31) - 1))
    except sqlite3.Error as error:
        raise _database_error(error, source_name, None) from error
    return connection


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _authorize(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _table_query(
    connection: sqlite3.Connection, table: str | None, source_name: str
) -> tuple[str, bool]:
    """Return the query of a table, and whether that is a view."""
    found = connection.execute(
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    types = dict(found)
    names = [*types]
    shown = ", ".join(names[:10]) or "none"
    if table is not None and table not in names:
        raise SourceError(f"expected a table {table!r} in {source_name!r}, found {shown}")
    if table is None and len(names) != 1:
        raise SourceError(
            f"expected one table in {source_name!r}, found {shown}; name one, or add a query"
        )
    chosen = table or names[0]
    return 'SELECT * FROM "{}"'.format(chosen.replace('"', '""')), types[chosen] == "view"


def _batches(
    cursor: sqlite3.Cursor, names: list[str], source_name: str, query: str | None, limit: _TimeLimit
) -> Iterator[Any]:
    kinds: list[_Kind] | None = None
    first = 1
    while True:
        try:
            with limit.counted():
                columns = _fetch(cursor, len(names))
        except sqlite3.Error as error:
            if limit.is_exceeded():
                raise _timeout_error(limit) from error
            raise _database_error(error, source_name, query) from error
        if kinds is None:
            kinds = [*map(_kind, columns)]
        elif not columns[0]:
            return
        yield batch_of(
            {
                name: _column(values, kind, name, first, source_name)
                for name, kind, values in zip(names, kinds, columns, strict=True)
            }
        )
        first += len(columns[0])


def _fetch(cursor: sqlite3.Cursor, count: int) -> list[list[Any]]:
    """Return the columns of the next rows: of a batch, or of fewer if they are long."""
    columns: list[list[Any]] = [[] for _ in range(count)]
    size = 0
    while len(columns[0]) < BATCH_ROWS and size < _MAX_BATCH_BYTES:
        rows = cursor.fetchmany(_FETCH_ROWS)
        if not rows:
            break
        # At once, because the garbage collector visits each row that is kept, and no value.
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column += values
            size += sum(map(length_hint, values))
    return columns


def _kind(values: Iterable[Any]) -> _Kind:
    types = {*map(type, values)} - {type(None)}
    if types and types <= {int, float}:
        return "integer" if types == {int} else "number"
    return "string"


_EXPECTED_TYPES: dict[_Kind, set[type]] = {
    "string": {bytes},
    "integer": {int},
    "number": {int, float},
}


def _column(values: list[Any], kind: _Kind, name: str, first: int, source_name: str) -> Any:
    """Return a column of one kind; most values need no conversion."""
    if not {*map(type, values)} - {type(None)} <= _EXPECTED_TYPES[kind]:
        values = [
            _value(value, kind, name, first + n, source_name) for n, value in enumerate(values)
        ]
    return decoded_array(values) if kind == "string" else array_of(values, kind)


def _value(value: Any, kind: _Kind, name: str, row: int, source_name: str) -> Any:
    if value is None:
        return None
    if kind == "string":
        return value if isinstance(value, bytes) else str(value).encode()
    if isinstance(value, int if kind == "integer" else (int, float)):
        return value
    found = value.decode(errors="replace") if isinstance(value, bytes) else value
    raise SourceError(
        f"{source_name}: expected numbers in column {name!r} as in its first rows, "
        f"found {found!r} in row {row:,}; use a query with CAST({name} AS TEXT)"
    )


def _timeout_error(limit: _TimeLimit) -> QueryError:
    return QueryError(f"the query was ended: it ran longer than {limit.seconds:g} seconds")


def _database_error(
    error: sqlite3.Error, source_name: str, query: str | None
) -> SourceError | QueryError:
    # The lower byte is the code, the others are details (www.sqlite.org/rescode.html#extrc).
    code = (getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR) & 0xFF
    if query is not None and code == sqlite3.SQLITE_AUTH:
        return QueryError(f"expected a query that only reads (SELECT …), found {query!r}")
    # An invalid file does not raise OperationalError, except if it is locked.
    is_locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
    if query is not None and isinstance(error, sqlite3.OperationalError) and not is_locked:
        return QueryError(f"the query cannot be answered: {error}")
    return SourceError(f"expected an SQLite file, found {source_name!r}: {error}")


class Table:
    """The rows of one table as candidates.

    ``mapping`` names a column for a field
    (see :class:`urlset.sources.tables.column_plan.ColumnPlan`):
    ``{"loc": "url", "lastmod": "updated_at", "alternates.de": "url_de", "images": "photo"}``.
    A prefix of a column states how to convert it: ``epoch:`` and ``epoch_ms:`` numbers since 1970,
    ``utc:`` times without a zone that are UTC, ``date:`` only the day of a time, ``split(;):``
    several images in one text. ``keep`` are columns that are passed on as text under their own
    names. ``query`` is run on the file instead of reading a table of it (named ``input``, except in
    SQLite and DuckDB files, which have table names); ``table`` selects one of several. ``form`` is
    detected from content and suffix, ``delimiter`` from the header. The query can read only the
    file, and may take ``query_timeout_s`` seconds (None for no limit).

    A column ``lastmod_text`` has the date as it is to be written, if ``lastmod`` states the same
    time or is missing. So a table that urlset wrote keeps the form of its dates.

    The file is opened read-only. All values of CSV are text, as are the dates of JSON. A time
    without a zone is rejected, as in :func:`urlset.write`. Raises :class:`urlset.SourceError` for a
    file that is not a table, a missing column, or one of a wrong type, and
    :class:`urlset.QueryError` if the query fails.

    >>> Table("pages.parquet", mapping={"loc": "url"}).name
    'pages.parquet'
    """

    source_type: ClassVar[SourceType] = "table"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mapping: Mapping[str, str] | str | None = None,
        keep: Sequence[str] = (),
        query: str | None = None,
        table: str | None = None,
        form: TableForm | None = None,
        delimiter: str | None = None,
        name: str | None = None,
        query_timeout_s: float | None = QUERY_S,
    ):
        self._path = os.fspath(path)
        self.name: str = name or self._path
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.unused_columns: list[str] = []
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._query, self.table = query, table
        self._query_timeout_s = query_timeout_s
        self._form, self._delimiter = form, delimiter
        if form is not None and form not in get_args(TableForm):
            raise SourceError(f"expected one of {', '.join(get_args(TableForm))}, found {form!r}")

    def check(self) -> None:
        """Check file and columns without reading rows; raise the errors of :meth:`batches`."""
        with closing(self._rows(only_check=True)) as rows:
            next(rows, None)

    def row_version(self) -> RowVersion | None:
        """Return a digest of the file; None for a database, or the result of a query."""
        # A database may have its latest rows in another file, and a query may depend on the time.
        if self._query is not None or self._detected_form() in (None, "sqlite", "duckdb"):
            return None
        options = (self._mapping, self._keep, self.table, self._form, self._delimiter)
        return file_version(self._path, *options)

    def _detected_form(self) -> TableForm | None:
        try:
            return self._form or detect_table_form(self._path, self.name)
        except SourceError:
            return None

    def batches(self) -> Iterator[Any]:
        """Yield record batches with columns of candidates."""
        return self._rows()

    def _rows(self, *, only_check: bool = False) -> Generator[Any, None, None]:
        detected = detect_table_form(self._path, self.name)  # raises if the file cannot be read
        form = self._form or detected
        if form is None:
            raise SourceError(
                f"expected a table (CSV, JSON lines, Parquet, Arrow, SQLite, DuckDB), "
                f"found another kind of file: {self.name!r}"
            )
        if form == "sqlite":
            rows = sqlite_batches(
                self._path,
                table=self.table,
                query=self._query,
                timeout_s=self._query_timeout_s,
                name=self.name,
            )
            yield from self._map(None, rows)
        elif form == "arrow":
            if self._query is not None:
                raise SourceError(
                    f"{self.name}: expected no query, because Arrow files support none; "
                    "convert it to Parquet"
                )
            yield from self._map(
                *read_ipc(self._path, self.name, is_stream=file_signature(self._path) != "arrow")
            )
        else:
            yield from self._read_external(form, only_check=only_check)

    def _map(self, schema: Any, rows: Iterator[Any]) -> Iterator[Any]:
        empty = None if schema is None else table_of(schema)
        return map_batches(
            rows,
            self.name,
            self._mapping,
            self._keep,
            empty=empty,
            notes=self.notes,
            unused=self.unused_columns,
        )

    def _read_external(
        self, form: Literal["csv", "jsonl", "parquet", "duckdb"], *, only_check: bool
    ) -> Iterator[Any]:
        header: list[str] = []
        delimiter = ","
        if form == "csv":
            mapped = [value.rpartition(":")[2] for value in self._mapping.values()]
            header, delimiter = read_header(self._path, self._delimiter, self.name, mapped)
        with ExternalTable(
            self._path,
            form,
            table=self.table,
            query=self._query,
            header=header,
            delimiter=delimiter,
            types=self._types_of_json,
            is_array=form == "jsonl" and is_json_array(read_head(self._path, self.name)),
            timeout_s=self._query_timeout_s,
            name=self.name,
        ) as file:
            plan = ColumnPlan.of(
                file.columns, name=self.name, mapping=self._mapping, keep=self._keep
            )
            if only_check:
                return
            self.notes += plan.notes
            self.unused_columns += plan.unused
            for batch in prefetch(file.batches(plan.expressions)):
                yield from convert_nested_columns(batch)

    def _types_of_json(self, detected: dict[str, str]) -> dict[str, str]:
        """Return types for the columns of JSON lines, also for keys missing in the first rows."""
        if self._query is not None:
            return detected
        fields = {name: field_of(name) for name in detected}
        missing = {name: "VARCHAR" for name in self._keep if name not in detected}
        for name in ("lastmod", "changefreq", "priority", *NESTED_FIELDS):
            if name not in fields.values() and name not in self._mapping:
                missing[name] = "DOUBLE" if name == "priority" else "VARCHAR"
        nested = {self._mapping.get(name, name) for name in NESTED_FIELDS}
        # Keys of objects may also differ from row to row.
        types = {
            name: "JSON" if fields[name] in NESTED_FIELDS or name in nested else kind
            for name, kind in detected.items()
        }
        return missing | types


def map_batches(
    rows: Iterable[Any],
    name: str,
    mapping: Mapping[str, str],
    keep: Sequence[str],
    *,
    empty: Any = None,
    notes: list[str],
    unused: list[str] | None = None,
) -> Iterator[Any]:
    """Convert record batches with any columns to batches of candidates, by a mapping.

    ``empty`` is a batch or a table without rows, which is needed if there may be no batch at all.
    Remarks on the columns are appended to ``notes``, names of columns without a use to ``unused``.
    """
    unused = [] if unused is None else unused
    mapper = ColumnMapper()
    plan: ColumnPlan | None = None
    try:
        if empty is not None:
            plan = ColumnPlan.of(mapper.columns(empty), name=name, mapping=mapping, keep=keep)
            notes += plan.notes
            unused += plan.unused
        for batch in rows:
            if plan is None:
                columns = mapper.columns(table_of(batch.schema))
                plan = ColumnPlan.of(columns, name=name, mapping=mapping, keep=keep)
                notes += plan.notes
                unused += plan.unused
            if batch.num_rows:
                for mapped in mapper.map(table_of(batch.schema, batch), plan.expressions):
                    yield from convert_nested_columns(mapped)
    finally:
        mapper.close()

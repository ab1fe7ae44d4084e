"""Files outside of a store: read Parquet, CSV, JSON lines and DuckDB tables; write Parquet.

Reading writes and downloads nothing. Rows are returned as Arrow record batches.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import duckdb

from urlset.arrow import open_stream
from urlset.errors import QueryError, SourceError, TargetError, UrlsetError
from urlset.formats.signatures import file_signature
from urlset.result import Closing
from urlset.store.connection import connect, literal, map_interrupts, reraise_stream_error
from urlset.store.duckdb_errors import (
    file_reason,
    first_line,
    is_locked,
    query_error,
    reads_other_file,
)
from urlset.store.sandbox import QUERY_S, TimeLimit, seal, select_of
from urlset.temp_files import AtomicFile, LockedTempDir, is_special, write_error_reason
from urlset.terminal_text import printable

ExternalFormat = Literal["parquet", "csv", "jsonl", "duckdb"]

_FORMAT_NAMES = {
    "parquet": "a Parquet file",
    "csv": "CSV",
    "jsonl": "JSON lines, one object a line",
    "duckdb": "a DuckDB file",
}
_MAX_LINE = 1 << 24  # characters; no plausible row comes near it
# Types that DuckDB infers from text in JSON. They are read as text instead, so that dates are
# validated later and invalid ones are reported unchanged. In nested types, too, a type name is
# followed by one of these characters; a field name is not.
_INFERRED_TYPES = re.compile(
    r"\b(?:TIMESTAMP(?:_\w+| WITH TIME ZONE)?|TIME(?: WITH TIME ZONE)?|DATE|UUID|INTERVAL)"
    r"(?=[,)\[]|$)"
)


class ExternalTable(Closing):
    """Table of a file that is open for reading, or the result of a query; a context manager.

    Args:
        path: Path of the file.
        form: Format of the file.
        table: Name of the table in a DuckDB file. Optional if the file has one table only, or is
            a urlset store.
        query: SELECT statement to run instead of reading a table. It reads the file as the table
            ``input``; in a DuckDB file it uses the names of that file.
        header: Column names of a CSV file.
        delimiter: Delimiter of a CSV file.
        types: Maps the columns and types inferred from the first rows of JSON to those with which
            all rows are read.
        is_array: Whether a JSON file is one array instead of lines.
        timeout_s: Time limit of the query in seconds; None for no limit.
        name: Name of the file in messages; by default its path.

    Attributes:
        columns: Column names and their DuckDB types.

    Raises:
        SourceError: The file cannot be read.
        QueryError: The query is not allowed, or fails.
    """

    def __init__(
        self,
        path: str,
        form: ExternalFormat,
        *,
        table: str | None = None,
        query: str | None = None,
        header: Sequence[str] = (),
        delimiter: str = ",",
        types: Callable[[dict[str, str]], Mapping[str, str]] = dict,
        is_array: bool = False,
        timeout_s: float | None = QUERY_S,
        name: str | None = None,
    ):
        pattern_of(path)  # before the connection is opened
        self._path, self._form = path, form
        self._name = name or path
        self._is_query = query is not None
        self._folder = LockedTempDir() if self._is_query else None
        spill = os.path.join(self._folder.path, "spill") if self._folder else None
        self._connection = connect(spill)
        self._limit = TimeLimit(timeout_s if self._is_query else None)
        try:
            with self._map_errors():
                if form == "duckdb":
                    relation, is_view = self._attach(table)
                    if is_view:  # a query, which whoever made the file has written
                        self._limit = TimeLimit(timeout_s)
                    seal(self._connection, spill=spill)
                else:
                    full = os.path.abspath(path)
                    seal(self._connection, spill=spill, files=[full, glob.escape(full)])
                    layout = "array" if is_array else "newline_delimited"
                    relation = _reader(
                        self._connection, path, form, header, delimiter, types, layout
                    )
            if query is not None:
                relation = self._validate_query(query, relation)
            self._relation = relation
            with self._map_errors():
                found = self._connection.execute(f"DESCRIBE {relation}").fetchall()
        except BaseException:
            self.close()
            raise
        self.columns: dict[str, str] = {row[0]: row[1] for row in found}

    def batches(self, picks: Sequence[tuple[str, str]]) -> Iterator[Any]:
        """Yield the rows as record batches with the picked columns: pairs of a name and SQL."""
        chosen = ", ".join(f"{expression} AS {identifier(name)}" for name, expression in picks)
        with self._map_errors():
            cursor = self._connection.cursor()
            if self._form == "duckdb" and self._is_query:
                cursor.execute("USE file")
            cursor.execute("BEGIN TRANSACTION READ ONLY")  # ends with the cursor
            with self._limit.applied_to(cursor):
                found = cursor.sql(f"SELECT {chosen} FROM ({self._relation})")
                stream = iter(open_stream(found))
            while True:
                with self._limit.applied_to(cursor):  # not while the caller uses the rows
                    batch = next(stream, None)
                if batch is None:
                    return
                yield batch

    def close(self) -> None:
        """Close the file, and remove temporary data."""
        self._connection.close()
        if self._folder is not None:
            self._folder.close()

    def _validate_query(self, query: str, relation: str) -> str:
        """Validate the query of the user, a single SELECT; return it as text for a subquery."""
        is_database = self._form == "duckdb"
        statement = select_of(self._connection, query, has_own_names=is_database)
        if not is_database:
            with self._map_errors():
                self._connection.execute(f"CREATE VIEW input AS {relation}")
        try:
            self._connection.execute(f"DESCRIBE {statement}").fetchall()
        except duckdb.Error as error:
            raise query_error(error) from error
        return statement

    def _attach(self, table: str | None) -> tuple[str, bool]:
        """Attach the file; return the table as a relation, and whether it is a view."""
        # Note: DuckDB gives some relative names another meaning (":memory:", "md:…").
        path = literal(os.path.abspath(self._path))
        self._connection.execute(f"ATTACH {path} AS file (READ_ONLY, TYPE duckdb)")
        query = (
            "SELECT schema_name, table_name, false FROM duckdb_tables() "
            "WHERE database_name = 'file' "
            "UNION ALL SELECT schema_name, view_name, true FROM duckdb_views() "
            "WHERE database_name = 'file' AND NOT internal ORDER BY ALL"
        )
        found = self._connection.execute(query).fetchall()
        if self._is_query:  # only then: macros of the file may have names of functions
            self._connection.execute("USE file")
            if table is None:
                return "", False
        is_view = {(str(row[0]), str(row[1])): bool(row[2]) for row in found}
        schema, name = _select_table([*is_view], table, self._name)
        return f"FROM file.{identifier(schema)}.{identifier(name)}", is_view[schema, name]

    @contextmanager
    def _map_errors(self) -> Iterator[None]:
        """Raise errors of DuckDB and Arrow as own errors with a one-line message."""
        try:
            with map_interrupts():
                yield
        except duckdb.Error as error:
            raise self._error(error) from error
        except Exception as error:
            if type(error) is not Exception:  # arro3 raises bare ones
                raise
            raise self._error(error) from error

    def _error(self, error: Exception) -> UrlsetError:
        words = file_reason(error).replace(os.path.abspath(self._path), self._name)
        if self._path not in self._name:
            words = words.replace(self._path, self._name)
        if reads_other_file(error):
            words = "it has a view that reads another file; read that file instead"
        if self._is_query and isinstance(error, duckdb.Error):
            return QueryError(f"the query cannot be answered: {words}")
        if is_locked(error):
            words = "it is in use by another process; wait until it ends, or copy the file"
        return SourceError(f"expected {_FORMAT_NAMES[self._form]}, found {self._name!r}: {words}")


class ColumnMapper:
    """Map columns of Arrow tables to other columns by SQL expressions."""

    def __init__(self) -> None:
        self._connection = connect()

    def columns(self, table: Any) -> dict[str, str]:
        """Return the column names of a table and their DuckDB types."""
        return {row[0]: row[1] for row in self._run(table, "DESCRIBE FROM incoming").fetchall()}

    def map(self, table: Any, picks: Sequence[tuple[str, str]]) -> Iterator[Any]:
        """Yield an Arrow table as record batches, with columns computed by SQL expressions.

        ``picks`` are their names and expressions. Raises SourceError if a column cannot be read.
        """
        chosen = ", ".join(f"{expression} AS {identifier(name)}" for name, expression in picks)
        try:
            # Read completely: a connection has one open stream at a time.
            mapped = list(open_stream(self._run(table, f"SELECT {chosen} FROM incoming")))
        except duckdb.Error as error:
            raise _unreadable(error) from error
        except Exception as error:
            if type(error) is not Exception:  # arro3 raises bare ones
                raise
            raise _unreadable(error) from error
        yield from mapped

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _run(self, table: Any, query: str) -> Any:
        # Note: DuckDB crashes if Python produces the stream while it is read; pass a table.
        try:
            self._connection.register("incoming", table)
            with map_interrupts():
                return self._connection.sql(query)
        except duckdb.Error as error:
            raise _unreadable(error) from error


def identifier(name: str) -> str:
    """Return a name as a quoted SQL identifier.

    >>> print(identifier("last mod"))
    "last mod"
    """
    return '"' + name.replace('"', '""') + '"'


def _unreadable(error: Exception) -> SourceError:
    return SourceError(
        f"expected columns that can be read, found: {file_reason(error)}; "
        "cast the columns of this type to text or to numbers, or leave them out"
    )


def _select_table(found: list[tuple[str, str]], wanted: str | None, file: str) -> tuple[str, str]:
    names = [name for _, name in found]
    shown = ", ".join(names[:10]) or "none"
    if wanted is not None:
        for schema, name in found:
            if wanted in (name, f"{schema}.{name}"):
                return schema, name
        raise SourceError(f"expected a table {wanted!r} in {file!r}, found {shown}")
    if "urlset_store" in names and "entries" in names:
        return found[names.index("entries")]
    if len(found) == 1:
        return found[0]
    raise SourceError(f"expected one table in {file!r}, found {shown}; name one, or pass a query")


def _reader(
    connection: duckdb.DuckDBPyConnection,
    path: str,
    form: ExternalFormat,
    header: Sequence[str],
    delimiter: str,
    types: Callable[[dict[str, str]], Mapping[str, str]],
    layout: str,
) -> str:
    # Escape brackets and stars in the path, and derive no columns from folder names.
    file = pattern_of(path)
    if form == "parquet":
        return f"FROM read_parquet({file}, hive_partitioning = false)"
    packed = "gzip" if file_signature(path) == "gzip" else "none"
    common = f"compression = '{packed}', hive_partitioning = false"
    if form == "csv":
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in header)
        return (
            f"FROM read_csv({file}, auto_detect = false, header = true, columns = {{{columns}}}, "
            f"delim = {literal(delimiter)}, quote = '\"', escape = '\"', strict_mode = true, "
            f"max_line_size = {_MAX_LINE}, {common})"
        )
    common += f", format = '{layout}', maximum_object_size = {_MAX_LINE}"
    rows = connection.execute(f"DESCRIBE FROM read_json({file}, {common})").fetchall()
    found = types({name: _INFERRED_TYPES.sub("VARCHAR", kind) for name, kind, *_ in rows})
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in found.items())
    return f"FROM read_json({file}, columns = {{{columns}}}, {common})"


def write_parquet(stream: Any, path: str | os.PathLike[str]) -> None:
    """Write an Arrow stream to a Parquet file in bounded memory.

    The file is compressed with zstd, in row groups of some 120,000 rows. It replaces an existing
    file atomically, when it is complete. Exceptions of the stream are raised unchanged.
    """
    final = Path(path)
    shown = printable(os.path.abspath(path))
    if shown != os.path.abspath(path):
        raise TargetError(f"cannot write {shown!r}: its path is not UTF-8; rename it")
    if is_special(final):
        what = "a folder; name a file in it" if final.is_dir() else "not a file; name a file"
        raise TargetError(f"cannot write {str(path)!r}: it is {what}")
    try:
        staged = AtomicFile(final)
        os.close(staged.descriptor)
    except OSError as error:
        raise TargetError(
            f"cannot write {str(path)!r}: {write_error_reason(final, error)}"
        ) from error
    try:
        _copy(stream, staged.path, str(path))
        staged.commit()
    except OSError as error:
        if isinstance(error, TargetError):
            raise
        raise TargetError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    finally:
        staged.discard()


def pattern_of(path: str) -> str:
    """Return the path of one file as SQL: brackets and stars in it are escaped.

    Raises SourceError if the path is not UTF-8, as DuckDB needs.
    """
    full = os.path.abspath(path)
    if printable(full) != full:
        raise SourceError(f"expected a path in UTF-8, found {printable(path)!r}; rename it")
    return literal(glob.escape(full))


def _copy(stream: Any, path: Path, shown: str) -> None:
    connection = connect()
    target = literal(os.path.abspath(path))
    try:
        # It needs 0.4 GB; a lower limit takes three times as long (10 M entries: 39 s, not 13 s).
        connection.execute("SET GLOBAL memory_limit = '1GB'")
        with reraise_stream_error(stream):
            connection.register("incoming", stream)
            connection.execute(
                f"COPY (FROM incoming) TO {target} (FORMAT parquet, COMPRESSION zstd)"
            )
    except duckdb.Error as error:
        raise TargetError(f"cannot write {shown!r}: {first_line(error)}") from error
    finally:
        connection.close()

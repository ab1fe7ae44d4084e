"""Tables that others made, read where they lie: Parquet, CSV, JSON lines, files of DuckDB.

Nothing is written, nothing is fetched, and what is read passes through as Arrow, batch by batch.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal

import duckdb

from urlset.arrow import open_stream
from urlset.errors import QueryError, SourceError, UrlsetError
from urlset.store.connection import connect, interrupted, literal
from urlset.store.duckdb_errors import file_reason, is_locked, query_error, reads_elsewhere
from urlset.store.sandbox import QUERY_S, TimeLimit, seal
from urlset.store.statement import select_of
from urlset.tempdirs import LockedTempDir

__all__ = ["ColumnMapper", "ExternalFormat", "ExternalTable", "identifier"]

ExternalFormat = Literal["parquet", "csv", "jsonl", "duckdb"]

_CALLED = {
    "parquet": "a file of Parquet",
    "csv": "CSV",
    "jsonl": "JSON lines, one object a line",
    "duckdb": "a file of DuckDB",
}
_MAX_LINE = 1 << 24  # of text: no honest row comes near it
# Texts pass as they stand: what looks like a date in JSON is W3C, or is told as it is.
# A type stands before these marks, in lists and structs, too; a name does not.
_LOOKS_LIKE = re.compile(
    r"\b(?:TIMESTAMP(?:_\w+| WITH TIME ZONE)?|TIME(?: WITH TIME ZONE)?|DATE|UUID|INTERVAL)"
    r"(?=[,)\[]|$)"
)


class ExternalTable:
    """One table of a file that is open for reading; a context manager.

    ``columns`` are its columns and their types, as DuckDB calls them. ``query`` is put to the
    file instead: one that asks, and changes nothing; the table is called ``input`` there, except
    in a file of DuckDB, which has its own names. Of such a file ``table`` is the one wanted; it
    may be left out where there is one only, or where it is a store of urlset. ``types`` makes of
    the columns and types in the first rows of JSON lines those that all rows are read with.
    ``is_array`` is of JSON that is an array, not lines.

    Raises :class:`urlset.SourceError`, which calls the file ``name``, and
    :class:`urlset.QueryError` for the query.
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
        self._path, self._form = path, form
        self._name = name or path
        self._is_query = query is not None
        self._folder = LockedTempDir() if self._is_query else None
        spill = os.path.join(self._folder.path, "spill") if self._folder else None
        self._connection = connect(spill)
        self._limit = TimeLimit(timeout_s if self._is_query else None)
        try:
            with self._told():
                if form == "duckdb":
                    relation = self._attached(table)
                    seal(self._connection, spill=spill)
                else:
                    seal(self._connection, spill=spill, files=[os.path.abspath(path)])
                    layout = "array" if is_array else "newline_delimited"
                    relation = _reader(
                        self._connection, path, form, header, delimiter, types, layout
                    )
            if query is not None:
                relation = self._asked(query, relation)
            self._relation = relation
            with self._told():
                found = self._connection.execute(f"DESCRIBE {relation}").fetchall()
        except BaseException:
            self.close()
            raise
        self.columns: dict[str, str] = {row[0]: row[1] for row in found}

    def batches(self, picks: Sequence[tuple[str, str]]) -> Iterator[Any]:
        """The rows as record batches, with a column for each name and its expression in SQL."""
        chosen = ", ".join(f"{expression} AS {identifier(name)}" for name, expression in picks)
        with self._told():
            cursor = self._connection.cursor()
            if self._form == "duckdb":
                cursor.execute("USE file")
            cursor.execute("BEGIN TRANSACTION READ ONLY")  # it ends with the cursor
            with self._limit.applied_to(cursor):
                found = cursor.sql(f"SELECT {chosen} FROM ({self._relation})")
                stream = iter(open_stream(found))
            while True:
                with self._limit.applied_to(cursor):  # not the time in which the rows are used
                    batch = next(stream, None)
                if batch is None:
                    return
                yield batch

    def close(self) -> None:
        """Close the file, and remove temporary data."""
        self._connection.close()
        if self._folder is not None:
            self._folder.close()

    def __enter__(self) -> ExternalTable:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _asked(self, query: str, relation: str) -> str:
        """What a query of the user gives, as something that can be selected from."""
        is_database = self._form == "duckdb"
        statement = select_of(self._connection, query, has_own_names=is_database)
        if not is_database:
            with self._told():
                self._connection.execute(f"CREATE VIEW input AS {relation}")
        try:
            self._connection.execute(f"DESCRIBE {statement}").fetchall()
        except duckdb.Error as error:
            raise query_error(error) from error
        return statement

    def _attached(self, table: str | None) -> str:
        # Beware: only an absolute path is always one (":memory:", "md:…").
        path = literal(os.path.abspath(self._path))
        self._connection.execute(f"ATTACH {path} AS file (READ_ONLY, TYPE duckdb)")
        self._connection.execute("USE file")
        query = (
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'file' "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views() "
            "WHERE database_name = 'file' AND NOT internal ORDER BY ALL"
        )
        found = self._connection.execute(query).fetchall()
        if self._is_query and table is None:
            return ""
        schema, name = _table_of([(str(row[0]), str(row[1])) for row in found], table, self._name)
        return f"FROM file.{identifier(schema)}.{identifier(name)}"

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what DuckDB, or Arrow in its place, cannot read, in our words."""
        try:
            with interrupted():
                yield
        except duckdb.Error as error:
            raise self._error(error) from error
        except Exception as error:
            if type(error) is not Exception:  # arro3 raises bare ones
                raise
            raise self._error(error) from error

    def _error(self, error: Exception) -> UrlsetError:
        words = file_reason(error).replace(self._path, self._name)
        if reads_elsewhere(error):
            words = "it has a view that reads another file; build from that file instead"
        if self._is_query and isinstance(error, duckdb.Error):
            return QueryError(f"the query cannot be answered: {words}")
        if is_locked(error):
            words = "it is in use by another process; wait until that ends, or copy the file"
        return SourceError(f"expected {_CALLED[self._form]}, found {self._name!r}: {words}")


class ColumnMapper:
    """Brings tables of another library into columns by expressions in SQL."""

    def __init__(self) -> None:
        self._connection = connect()

    def columns(self, table: Any) -> dict[str, str]:
        """The columns of a table and their types, as DuckDB calls them."""
        return {row[0]: row[1] for row in self._run(table, "DESCRIBE FROM incoming").fetchall()}

    def map(self, table: Any, picks: Sequence[tuple[str, str]]) -> Iterator[Any]:
        """A table as batches with a column for each name and its expression in SQL."""
        chosen = ", ".join(f"{expression} AS {identifier(name)}" for name, expression in picks)
        try:
            # All of it is taken at once: a connection gives one stream at a time.
            made = list(open_stream(self._run(table, f"SELECT {chosen} FROM incoming")))
        except duckdb.Error as error:
            raise _unreadable(error) from error
        except Exception as error:
            if type(error) is not Exception:  # arro3 raises bare ones
                raise
            raise _unreadable(error) from error
        yield from made

    def close(self) -> None:
        """Let go of it."""
        self._connection.close()

    def _run(self, table: Any, query: str) -> Any:
        # Beware: a table, not a stream that Python makes while it is read, which is a crash.
        self._connection.register("incoming", table)
        try:
            with interrupted():
                return self._connection.sql(query)
        except duckdb.Error as error:
            raise _unreadable(error) from error


def identifier(name: str) -> str:
    """Write a name as SQL has it.

    >>> print(identifier("last mod"))
    "last mod"
    """
    return '"' + name.replace('"', '""') + '"'


def _unreadable(error: Exception) -> SourceError:
    return SourceError(f"expected columns that can be read, found: {file_reason(error)}")


def _table_of(found: list[tuple[str, str]], wanted: str | None, file: str) -> tuple[str, str]:
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
    raise SourceError(f"expected one table in {file!r}, found {shown}; name one, or give a query")


def _reader(
    connection: duckdb.DuckDBPyConnection,
    path: str,
    form: ExternalFormat,
    header: Sequence[str],
    delimiter: str,
    types: Callable[[dict[str, str]], Mapping[str, str]],
    layout: str,
) -> str:
    # Not the file's own brackets and stars, and no columns from the names of its folders.
    file = literal(glob.escape(os.path.abspath(path)))
    if form == "parquet":
        return f"FROM read_parquet({file}, hive_partitioning = false)"
    packed = "gzip" if _is_gzip(path) else "none"
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
    found = types({name: _LOOKS_LIKE.sub("VARCHAR", kind) for name, kind, *_ in rows})
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in found.items())
    return f"FROM read_json({file}, columns = {{{columns}}}, {common})"


def _is_gzip(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"

"""Read and write entries as Parquet files."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

import duckdb

from urlset.atomic import AtomicFile, is_special
from urlset.errors import SourceError, TargetError
from urlset.store.connection import connect, literal, reraise_stream_error
from urlset.store.duckdb_errors import first_line
from urlset.store.reader import StoredRows
from urlset.store.schema import TABLES

__all__ = ["is_entry_parquet", "parquet_rows", "write_parquet"]

_ENTRIES = next(table for table in TABLES if table.name == "entries")


def write_parquet(stream: Any, path: str | os.PathLike[str]) -> None:
    """Write an Arrow stream to a Parquet file in bounded memory.

    The file is compressed with zstd, in row groups of some 120,000 rows. It replaces an existing
    file atomically, when it is complete. Exceptions of the stream are raised unchanged.

    Raises:
        TargetError: The file cannot be written.
    """
    final = Path(path)
    if is_special(final):
        what = "a folder; name a file in it" if final.is_dir() else "not a file; name a file"
        raise TargetError(f"cannot write {str(path)!r}: it is {what}")
    try:
        staged = AtomicFile(final)
        os.close(staged.descriptor)
    except OSError as error:
        raise TargetError(f"cannot write {str(path)!r}: {_reason(error, final)}") from error
    try:
        _copy(stream, staged.path, str(path))
        staged.commit()
    except OSError as error:
        if isinstance(error, TargetError):
            raise
        raise TargetError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    finally:
        staged.discard()


def parquet_rows(path: str) -> StoredRows:
    """Return the rows of a Parquet file with a column ``loc`` or ``url``, read on iteration.

    Raises:
        SourceError: The file cannot be read, or has no such column.
    """
    # Escape brackets and stars in the path, and derive no columns from folder names.
    name = literal(glob.escape(os.path.abspath(path)))
    connection = connect()
    try:
        query = f"FROM read_parquet({name}, hive_partitioning = false)"
        found = connection.execute(f"SELECT count(*) {query}").fetchone()
        columns = connection.sql(query).columns
    except duckdb.Error as error:
        raise SourceError(
            f"expected a Parquet file, found {path!r}: {first_line(error)}"
        ) from error
    if "loc" not in columns and "url" not in columns:
        raise SourceError(
            f"expected a column loc or url in {path!r}, found {', '.join(columns[:10])}"
        )
    return StoredRows(lambda: connection.cursor().sql(query), found[0] if found else 0, path)


def is_entry_parquet(path: str) -> bool:
    """Return whether a Parquet file has the columns of ``entries``, as urlset writes it."""
    name = literal(glob.escape(os.path.abspath(path)))
    with connect() as connection:
        try:
            query = f"DESCRIBE FROM read_parquet({name}, hive_partitioning = false)"
            found = {row[0]: row[1] for row in connection.execute(query).fetchall()}
        except duckdb.Error:
            return False  # reading it reports the error
        keys = ("document", "entry")
        casts = ", ".join(
            f'NULL::{column.type} AS "{column.name}"'
            for column in _ENTRIES.columns
            if column.name not in keys
        )
        expected = connection.execute(f"DESCRIBE SELECT {casts}").fetchall()
    return found == {row[0]: row[1] for row in expected}


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


def _reason(error: OSError, path: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return f"its folder {str(path.parent)!r} does not exist"
    return error.strerror or str(error)

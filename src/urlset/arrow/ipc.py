"""Read Arrow IPC files (also called Feather) and IPC streams batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import arro3.core as arro3

from urlset.errors import SourceError

__all__ = ["read_ipc", "table_of"]


def read_ipc(path: str, name: str, *, is_stream: bool) -> tuple[Any, Iterator[Any]]:
    """Return the schema of a file, or of a stream in a file, and its record batches.

    Raises:
        SourceError: The file cannot be read; the message names it ``name``.
    """
    try:
        from arro3 import io
    except ImportError as error:
        raise SourceError(
            f"expected arro3-io for the Arrow file {name!r}, found none; "
            "pip install 'urlset[arrow]', or write Parquet"
        ) from error
    try:
        reader = io.read_ipc_stream(path) if is_stream else io.read_ipc(path)
    except Exception as error:
        raise _map_error(error, name) from error
    return reader.schema, _batches(reader, name)


def table_of(schema: Any, *batches: Any) -> Any:
    """Return a table of batches; without batches it is empty but has the columns."""
    return arro3.Table.from_batches([*batches], schema=schema)


def _batches(reader: Any, name: str) -> Iterator[Any]:
    try:
        yield from reader
    except Exception as error:
        raise _map_error(error, name) from error


def _map_error(error: Exception, name: str) -> Exception:
    if type(error) is not Exception and not isinstance(error, OSError | ValueError):
        return error  # arro3 raises bare exceptions
    words = " ".join(str(error).split())
    return SourceError(f"expected a file of Arrow, found {name!r}: {words}")

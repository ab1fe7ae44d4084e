"""Convert Arrow streams and lists of entries to pyarrow tables and pandas or polars frames.

The libraries are optional: each is imported on use, and ``ImportError`` is raised if it is not
installed. Lists and structs are kept (``images`` is a list of
structs).
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import index
from typing import Any, ClassVar, overload

import arro3.core as arro3

from urlset.arrow import batches_to_entries, entries_to_stream, schema
from urlset.arrow.batches import combine_batches
from urlset.arrow.streams import LazyStream, NumberedRows, entry_batches
from urlset.model import Entry


def to_arrow(stream: Any) -> Any:
    """Return a stream as a ``pyarrow.Table``."""
    pyarrow = _library("pyarrow", "'urlset[arrow]'", lambda: importlib.import_module("pyarrow"))
    return pyarrow.table(_table(stream))


def to_ipc(batch: Any) -> bytes:
    """Return a batch as a compressed Arrow IPC stream, written by pyarrow."""
    ipc = importlib.import_module("pyarrow.ipc")
    table = to_arrow(arro3.Table.from_batches([batch]))
    sink = io.BytesIO()
    with ipc.new_stream(sink, table.schema, options=ipc.IpcWriteOptions(compression="lz4")) as out:
        out.write_table(table)
    return sink.getvalue()


def from_ipc(data: bytes) -> Any:
    """Return the batch of an Arrow IPC stream."""
    ipc = importlib.import_module("pyarrow.ipc")
    with ipc.open_stream(data) as reader:
        return combine_batches(reader.read_all())


def to_pandas(stream: Any) -> Any:
    """Return a stream as a pandas data frame, converted by pyarrow."""
    _library("pandas", "pandas 'urlset[arrow]'", lambda: importlib.import_module("pandas"))
    return to_arrow(stream).to_pandas()


def to_polars(stream: Any) -> Any:
    """Return a stream as a polars data frame."""
    return polars_library().DataFrame(_table(stream))


def polars_library() -> Any:
    """Return the module ``polars``; raises ``ImportError`` if it is not installed."""
    return _library("polars", "polars", lambda: importlib.import_module("polars"))


def polars_io_source() -> Any:
    """Return ``register_io_source``; older versions of polars do not load its module themselves."""
    return importlib.import_module("polars.io.plugins").register_io_source


def empty_polars_frame() -> Any:
    """Return a polars data frame with the columns of entries, without rows."""
    return polars_library().DataFrame(arro3.Table.from_batches([], schema=schema()))


def entry_frames(documents: Iterable[NumberedRows]) -> Iterator[Any]:
    """Yield the entries of documents as polars data frames; those of small ones are joined."""
    for batch in entry_batches(documents):
        yield polars_library().DataFrame(arro3.Table.from_batches([batch], schema=schema()))


def _table(stream: Any) -> Any:
    """Read all rows of a stream into a table; raise the original exception of the stream."""
    try:
        return arro3.Table.from_arrow(stream)
    except Exception:
        failure = stream.failure if isinstance(stream, LazyStream) else None
        if failure is None:
            raise
        raise failure from None


class StreamedRows:
    """Rows that are an Arrow stream, and that become tables and frames of other libraries."""

    __slots__ = ()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise NotImplementedError

    def to_arrow(self) -> Any:
        """Return the rows as a ``pyarrow.Table``; pyarrow must be installed."""
        return to_arrow(self)

    def to_pandas(self) -> Any:
        """Return the rows as a ``pandas.DataFrame``; pandas and pyarrow must be installed."""
        return to_pandas(self)

    def to_polars(self) -> Any:
        """Return the rows as a ``polars.DataFrame``; polars must be installed."""
        return to_polars(self)


class IndexedRows(StreamedRows):
    """Rows with access by number: ``rows[0]``, ``rows[-1]``, ``rows[10:20]``.

    Iteration is much faster for reading all rows.

    Attributes:
        is_in_memory: Whether they can be read at any time; others only until the reader of their
            document has the next one.
    """

    __slots__ = ()

    is_in_memory: ClassVar[bool] = True

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Entry]:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        """Return one entry, or a list of entries."""
        if isinstance(index, slice):
            return self._entries(range(len(self))[index])
        return self._entries([_number(index, len(self))])[0]

    def joined(self, others: Sequence[IndexedRows]) -> Any:
        """Return an Arrow stream of one batch with these entries and those of other documents."""
        readers = (arro3.RecordBatchReader.from_stream(rows) for rows in (self, *others))
        batches = [*chain.from_iterable(readers)]
        return arro3.Table.from_batches(batches, schema=schema()).combine_chunks()

    def _entries(self, numbers: range | list[int]) -> list[Entry]:
        if not numbers:
            return []
        (batch,) = arro3.Table.from_arrow(self).combine_chunks().to_batches()
        wanted = batch.take(arro3.Array(list(numbers), arro3.DataType.uint64()))
        (entries,) = batches_to_entries(arro3.Table.from_batches([wanted]))
        return entries


def _number(given: int, count: int) -> int:
    number = index(given)
    if not -count <= number < count:
        raise IndexError(f"expected the number of one of {count:,} entries, found {number}")
    return number % count


def _library(name: str, packages: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except ImportError as error:
        raise ImportError(f"expected {name} to be installed; pip install {packages}") from error


class ListedRows(IndexedRows):
    """List of entries with the methods of :class:`IndexedRows`, converted to Arrow on request."""

    def __init__(self, entries: list[Entry]):
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def _entries(self, numbers: range | list[int]) -> list[Entry]:
        return [self.entries[number] for number in numbers]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return entries_to_stream(self.entries, requested_schema)

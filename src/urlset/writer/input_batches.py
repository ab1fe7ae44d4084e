"""Split an iterable or an Arrow table of entries into batches, without validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from urlset import arrow
from urlset.arrow import batches as arrow_batches
from urlset.arrow.streams import TableReader
from urlset.engine import Columns, Engine
from urlset.errors import EntryError
from urlset.fields import EXTENSIONS
from urlset.model import Entry

__all__ = ["Batch", "TableBatch", "batches", "intended_field"]

BATCH_ROWS = 8_192
TABLE_ROWS = 32_768

_LISTS = tuple(field.name for field in EXTENSIONS if field.is_list)
_NAMES = frozenset((*Entry._fields, "url"))
_LIKE = {name.replace("_", ""): name for name in _NAMES} | {name[:-1]: name for name in _LISTS}


class Batch(NamedTuple):
    """Batch of unchanged input rows; ``row`` is the number of the first, from 1."""

    row: int
    items: list[Any]

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.items)

    def columns(self, engine: Engine) -> Columns | None:
        """Return the rows as columns; a row that needs a conversion has an empty URL."""
        return engine.user_columns(self.items)

    def at(self, numbers: Sequence[int]) -> Sequence[Any]:
        """Return rows by their numbers from 0, in ascending order."""
        if len(numbers) < 2:
            return [self.items[number] for number in numbers]
        return self.items if len(numbers) == len(self.items) else itemgetter(*numbers)(self.items)


class TableBatch(NamedTuple):
    """Batch of table rows; ``sources`` maps fields to their columns."""

    row: int
    part: Any
    sources: Mapping[str, str]

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.part.num_rows)

    def columns(self, engine: Engine) -> Columns | None:
        """Return the rows as columns; None if a column needs a conversion of each value."""
        plain = arrow_batches.writable_columns(self.part, self.sources)
        if plain is None:
            return None
        try:
            return engine.columns(arrow_batches.as_table(plain))
        except ValueError:  # a row without a URL
            return None

    def at(self, numbers: Sequence[int]) -> Sequence[Any]:
        """Return rows as entries, by their numbers from 0, in ascending order."""
        is_all = len(numbers) == self.size
        part = self.part if is_all else arrow_batches.take_rows(self.part, numbers)
        columns = [_values(part, field, self.sources.get(field)) for field in Entry._fields]
        return list(map(Entry._make, zip(*columns, strict=True)))


def batches(entries: Any) -> Iterator[Batch | TableBatch]:
    """Yield batches of entries from an iterable, or from an object with ``__arrow_c_stream__``.

    Raises:
        TypeError: The input is neither, or is a single entry, whose fields would be iterated.
        EntryError: A table has no column ``loc``.
        SourceError: A table cannot be read.
    """
    if arrow.is_arrow(entries):
        yield from _table_batches(entries)
        return
    if isinstance(entries, (str, bytes, Mapping, Entry)) or not isinstance(entries, Iterable):
        raise TypeError(
            "expected an iterable of entries, URLs or dicts, or a table (polars, pandas, pyarrow, "
            f"DuckDB), found {type(entries).__name__}; a single entry goes into a list, a file "
            "is read with urlset.read"
        )
    iterator, row = iter(entries), 1
    while items := list(islice(iterator, BATCH_ROWS)):
        yield Batch(row, items)
        row += len(items)


def intended_field(name: str) -> str | None:
    """Return the field that an unknown name probably stands for, so that no value is lost.

    >>> intended_field("last_mod"), intended_field("id"), intended_field("loc")
    ('lastmod', None, None)
    """
    if name in _NAMES:
        return None
    return _LIKE.get(name.lower().replace("_", "").replace("-", "").replace(" ", ""))


def _table_batches(stream: Any) -> Iterator[TableBatch]:
    reader = TableReader(stream)
    sources = _columns(reader.schema.names)
    row = 1
    for whole in reader:
        for start in range(0, whole.num_rows, TABLE_ROWS):
            part = whole.slice(start, min(TABLE_ROWS, whole.num_rows - start))
            yield TableBatch(row, part, sources)
            row += part.num_rows


def _columns(names: list[str]) -> dict[str, str]:
    """Return the column of each field that the table has."""
    for name in names:
        meant = intended_field(name)
        if meant is not None and meant not in names:
            raise EntryError(
                f"expected column {meant!r}, found {name!r}; rename it, or leave it out",
                field=meant,
                value=name,
            )
    sources = {name: name for name in names if name in Entry._fields}
    if "loc" not in sources and "url" in names:
        sources["loc"] = "url"
    if "loc" not in sources:
        raise EntryError(
            f"expected a column 'loc' or 'url', found {', '.join(names) or 'none'}; rename the "
            "one that holds the URLs",
            field="loc",
        )
    return sources


def _values(batch: Any, field: str, source: str | None) -> list[Any]:
    if source is None:
        return [() if field in _LISTS else None] * batch.num_rows
    column = batch.column(source)
    if field == "lastmod":
        column = arrow_batches.in_microseconds(column)
    values: list[Any] = column.to_pylist()
    if field == "priority" and "Float32" in str(column.type):
        # 0.8 in four bytes is 0.800000011920929 in eight: four bytes hold seven digits.
        return [None if value is None else float(f"{value:.7g}") for value in values]
    return values

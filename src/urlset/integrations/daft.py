"""Sitemaps as a data frame of Daft, on :mod:`urlset.partitioned`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from daft.expressions import ExpressionsProjection
from daft.io.pushdowns import Pushdowns
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import RecordBatch
from daft.schema import Schema

from urlset.arrow.frames import to_arrow
from urlset.partitioned import PartSource, ReadPart, TableName, plan, read, table_schema


def read_sitemap(source: PartSource, *, table: TableName = "entries", **options: Any) -> Any:
    """Return a table of a source as a ``daft.DataFrame``; each part is a task.

    A document that cannot be read fails no task: it is a row of the table ``documents`` with an
    ``error``. Columns that the data frame does not need are not converted, rows that a filter
    excludes do not leave the task, and a task ends at the limit. Daft and urlset with the extra
    ``arrow`` must be installed on every node, which must have access to the same files.

    Args:
        source: What to read, as in :func:`urlset.partitioned.plan`.
        table: A table of :func:`urlset.partitioned.read`. Entries have the column ``host``, too.
        options: Further arguments of :func:`urlset.partitioned.plan`, such as ``part_bytes``.

    Raises:
        ValueError: The table is unknown, or an option is invalid.
        urlset.SourceError: The source does not exist.
    """
    columns = [*table_schema(table).names, *(["host"] if table == "entries" else [])]
    return DaftSource(plan(source, **options), table, columns).read()


class DaftSource(DataSource):
    """Data source of the planned parts of a source; see :func:`read_sitemap`."""

    def __init__(self, parts: list[ReadPart], table: TableName, columns: list[str]):
        self._parts = parts
        self._table = table
        self._columns = columns

    @property
    def name(self) -> str:
        """Name in plans."""
        return "Sitemap"

    @property
    def schema(self) -> Schema:
        """Schema of the whole table."""
        return _schema(self._table, self._columns)

    async def get_tasks(self, pushdowns: Pushdowns) -> AsyncIterator[DataSourceTask]:
        """Yield one task for each part."""
        needed = {*(pushdowns.columns or self._columns), *pushdowns.filter_required_column_names()}
        columns = [name for name in self._columns if name in needed]
        for part in self._parts:
            yield _PartTask(part, self._table, columns, pushdowns)


class _PartTask(DataSourceTask):
    """Reading of one part."""

    def __init__(self, part: ReadPart, table: TableName, columns: list[str], pushdowns: Pushdowns):
        self._part = part
        self._table = table
        self._columns = columns
        self._filters = pushdowns.filters
        self._limit = pushdowns.limit

    @property
    def schema(self) -> Schema:
        return _schema(self._table, self._columns)

    async def read(self) -> AsyncIterator[RecordBatch]:
        """Yield the rows that pass the filters, up to the limit."""
        left = self._limit
        for batch in read(self._part, table=self._table, columns=self._columns):
            rows = RecordBatch.from_arrow_table(to_arrow(batch))
            if self._filters is not None:
                rows = rows.filter(ExpressionsProjection([self._filters]))
            if left is not None:
                rows = rows.head(left)
                left -= len(rows)
            yield rows
            if left == 0:
                return


def _schema(table: TableName, columns: list[str]) -> Schema:
    empty = plan(b"https://example.com/")[0]
    batches = read(empty, table=table, columns=columns)
    return Schema.from_pyarrow_schema(to_arrow(next(batches)).schema)

"""Sitemaps as a data set of Ray Data, on :mod:`urlset.partitioned`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import ray.data
from ray.data import Datasource, ReadTask
from ray.data.block import BlockMetadata

from urlset.arrow.frames import to_arrow
from urlset.partitioned import PartSource, ReadPart, TableName, plan, read


def read_sitemap(
    source: PartSource,
    *,
    table: TableName = "entries",
    columns: list[str] | None = None,
    **options: Any,
) -> Any:
    """Return a table of a source as a ``ray.data.Dataset``; each part is a task.

    A document that cannot be read fails no task: it is a row of the table ``documents`` with an
    ``error``. Columns that the data set does not need are not converted. Ray and urlset with the
    extra ``arrow`` must be installed on every node, which must have access to the same files.

    Args:
        source: What to read, as in :func:`urlset.partitioned.plan`.
        table: A table of :func:`urlset.partitioned.read`.
        columns: Columns in their order; by default all.
        options: Further arguments of :func:`urlset.partitioned.plan`, such as ``part_bytes``.

    Raises:
        ValueError: A column or a table is unknown, or an option is invalid.
        urlset.SourceError: The source does not exist.
    """
    parts = plan(source, **options)
    for part in parts[:1]:
        read(part, table=table, columns=columns)  # raises for invalid arguments; reads nothing
    return ray.data.read_datasource(RayDatasource(parts, table, columns))


class RayDatasource(Datasource):
    """Data source of the planned parts of a source; see :func:`read_sitemap`."""

    def __init__(self, parts: list[ReadPart], table: TableName, columns: list[str] | None):
        Datasource.__init__(self)
        self._projection_map = None if columns is None else {name: name for name in columns}
        self._parts = parts
        self._table = table
        self._columns = columns

    def get_name(self) -> str:
        """Return the name in plans."""
        return "Sitemap"

    def estimate_inmemory_data_size(self) -> int | None:
        """Return the estimated bytes of all documents."""
        return sum(part.size for part in self._parts)

    def supports_projection_pushdown(self) -> bool:
        """Return that only the columns that are needed are read."""
        return True

    def get_read_tasks(
        self,
        parallelism: int,  # noqa: ARG002
        per_task_row_limit: int | None = None,
        data_context: Any = None,  # noqa: ARG002
    ) -> list[ReadTask]:
        """Return one task for each part."""
        columns = self._get_data_columns() or self._columns
        return [
            ReadTask(
                partial(_tables, part, self._table, columns),
                BlockMetadata(None, part.size, None),
                per_task_row_limit=per_task_row_limit,
            )
            for part in self._parts
        ]


def _tables(part: ReadPart, table: TableName, columns: list[str] | None) -> Iterator[Any]:
    for batch in read(part, table=table, columns=columns):
        yield to_arrow(batch)

"""Sources that read tabular files and database queries, with a mapping of their columns."""

from __future__ import annotations

from urlset.sources.tables.column_plan import NoUrlColumnError
from urlset.sources.tables.query import Query
from urlset.sources.tables.table import Table

__all__ = ["NoUrlColumnError", "Query", "Table"]

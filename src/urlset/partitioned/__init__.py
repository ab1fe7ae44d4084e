"""Read sitemaps in parts, in any processes: what adapters for Spark, Ray and Daft call.

:func:`plan` divides a source into parts, and :func:`read` reads one of them. Parts can be pickled.
"""

from __future__ import annotations

from urlset.partitioned.parts import PartSource, ReadPart, plan
from urlset.partitioned.rows import TABLES, TableName, read, read_tables, table_schema

__all__ = [
    "TABLES",
    "PartSource",
    "ReadPart",
    "TableName",
    "plan",
    "read",
    "read_tables",
    "table_schema",
]

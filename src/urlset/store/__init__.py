"""The one door to DuckDB: what was read as tables, in a file that any query can be put to."""

from __future__ import annotations

from urlset.store.answers import Answer
from urlset.store.connecting import is_database
from urlset.store.contents import StoredDocument, StoredRows, parquet_rows
from urlset.store.filling import Filling
from urlset.store.parquet import write_parquet
from urlset.store.schema import MACROS, TABLES, VERSION, Column, Macro, Table
from urlset.store.store import Store

__all__ = [
    "MACROS",
    "TABLES",
    "VERSION",
    "Answer",
    "Column",
    "Filling",
    "Macro",
    "Store",
    "StoredDocument",
    "StoredRows",
    "Table",
    "is_database",
    "parquet_rows",
    "write_parquet",
]

"""DuckDB storage of read results as tables that SQL can query.

This is the only package that imports DuckDB.
"""

from __future__ import annotations

from urlset.store.connection import is_database
from urlset.store.connection import literal as quoted
from urlset.store.external import ColumnMapper, ExternalFormat, ExternalTable, identifier
from urlset.store.live_schema import LIVE_TABLES, LIVE_VIEWS
from urlset.store.parquet import parquet_rows, write_parquet
from urlset.store.reader import StoredDocument, StoredRows
from urlset.store.results import QueryResult
from urlset.store.sandbox import QUERY_S, RULE_S, end_process_when_stuck
from urlset.store.schema import MACROS, TABLES, VERSION, VIEWS, Column, Macro, TableSchema, View
from urlset.store.scratch_database import ScratchDatabase
from urlset.store.session import StoreSession
from urlset.store.store import Store
from urlset.store.writer import StoreWriter

__all__ = [
    "LIVE_TABLES",
    "LIVE_VIEWS",
    "MACROS",
    "QUERY_S",
    "RULE_S",
    "TABLES",
    "VERSION",
    "VIEWS",
    "Column",
    "ColumnMapper",
    "ExternalFormat",
    "ExternalTable",
    "Macro",
    "QueryResult",
    "ScratchDatabase",
    "Store",
    "StoreSession",
    "StoreWriter",
    "StoredDocument",
    "StoredRows",
    "TableSchema",
    "View",
    "end_process_when_stuck",
    "identifier",
    "is_database",
    "parquet_rows",
    "quoted",
    "write_parquet",
]

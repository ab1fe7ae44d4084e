"""The one door to DuckDB: what was read as tables, in a file that any query can be put to."""

from __future__ import annotations

from urlset.store.connection import is_database
from urlset.store.connection import literal as quoted
from urlset.store.external import ColumnMapper, ExternalFormat, ExternalTable, identifier
from urlset.store.parquet import write_parquet
from urlset.store.reader import StoredDocument, StoredRows, parquet_rows
from urlset.store.results import QueryResult
from urlset.store.sandbox import QUERY_S, RULE_S, end_process_when_stuck
from urlset.store.schema import MACROS, VIEWS, Macro, View
from urlset.store.scratch_database import ScratchDatabase
from urlset.store.session import StoreSession
from urlset.store.store import Store
from urlset.store.tables import TABLES, VERSION, Column, TableSchema
from urlset.store.writer import StoreWriter

__all__ = [
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

"""Store results of reading in a DuckDB file, as tables that SQL can query.

This is the only package that imports DuckDB.
"""

from __future__ import annotations

from urlset.fields import STORE_VERSION as VERSION
from urlset.interrupts import delayed_interrupts

with delayed_interrupts():  # an exception within this import would end the process by SIGABRT
    import duckdb  # noqa: F401

from urlset.store.connection import expect_utf8, is_database
from urlset.store.connection import literal as quoted
from urlset.store.duckdb_errors import STORE_CLOSED
from urlset.store.entry_parquet import (
    has_entry_columns,
    is_entry_parquet,
    parquet_columns,
    parquet_entries,
)
from urlset.store.external import (
    ColumnMapper,
    ExternalFormat,
    ExternalTable,
    identifier,
    write_parquet,
)
from urlset.store.inspection import FileKind
from urlset.store.results import QueryResult
from urlset.store.sandbox import QUERY_S, RULE_S, TimeLimitError, end_process_when_stuck
from urlset.store.schema import MACROS, TABLES, VIEWS, Column, Macro, StoreSchema, TableSchema, View
from urlset.store.scratch_database import SCRATCH_MB, ScratchDatabase, ScratchReader
from urlset.store.sections import FIRST_FOLDER, branches_sql, section_sql
from urlset.store.session import SESSION_MB, StoreSession
from urlset.store.store import Store, StoredDocument, StoredRows, create_for_run, open_ahead
from urlset.store.working_tables import WorkingTable, declare_tables
from urlset.store.writer import StoreWriter

__all__ = [
    "FIRST_FOLDER",
    "MACROS",
    "QUERY_S",
    "RULE_S",
    "SCRATCH_MB",
    "SESSION_MB",
    "STORE_CLOSED",
    "TABLES",
    "VERSION",
    "VIEWS",
    "Column",
    "ColumnMapper",
    "ExternalFormat",
    "ExternalTable",
    "FileKind",
    "Macro",
    "QueryResult",
    "ScratchDatabase",
    "ScratchReader",
    "Store",
    "StoreSchema",
    "StoreSession",
    "StoreWriter",
    "StoredDocument",
    "StoredRows",
    "TableSchema",
    "TimeLimitError",
    "View",
    "WorkingTable",
    "branches_sql",
    "create_for_run",
    "declare_tables",
    "end_process_when_stuck",
    "expect_utf8",
    "has_entry_columns",
    "identifier",
    "is_database",
    "is_entry_parquet",
    "open_ahead",
    "parquet_columns",
    "parquet_entries",
    "quoted",
    "section_sql",
    "write_parquet",
]

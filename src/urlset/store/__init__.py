"""Store results of reading in a DuckDB file, as tables that SQL can query.

This is the only package that imports DuckDB.
"""

from __future__ import annotations

from urlset.fields import STORE_VERSION as VERSION
from urlset.store.connection import is_database
from urlset.store.connection import literal as quoted
from urlset.store.external import (
    ColumnMapper,
    ExternalFormat,
    ExternalTable,
    identifier,
    is_entry_parquet,
    parquet_rows,
    write_parquet,
)
from urlset.store.history_reader import (
    DocumentState,
    SnapshotName,
    changes_at,
    entries_at,
    has_history_only,
    moment,
    split_snapshot,
    write_last_known,
    write_snapshot,
)
from urlset.store.history_schema import HISTORY_TABLES
from urlset.store.history_writer import HistoryWriter, RobotsState, SnapshotFacts, insert_rows
from urlset.store.live_schema import INSPECTION_TABLES, LIVE_TABLES, LIVE_VIEWS
from urlset.store.results import QueryResult
from urlset.store.sandbox import QUERY_S, RULE_S, TimeLimitError, end_process_when_stuck
from urlset.store.schema import MACROS, TABLES, VIEWS, Column, Macro, TableSchema, View
from urlset.store.scratch_database import ScratchDatabase
from urlset.store.sections import FIRST_FOLDER, branches_sql, section_sql
from urlset.store.session import StoreSession, delayed_interrupts
from urlset.store.store import Store, StoredDocument, StoredRows
from urlset.store.sync_schema import SYNC_TABLES
from urlset.store.working_tables import WorkingTable, declare_table
from urlset.store.writer import StoreWriter

__all__ = [
    "FIRST_FOLDER",
    "HISTORY_TABLES",
    "INSPECTION_TABLES",
    "LIVE_TABLES",
    "LIVE_VIEWS",
    "MACROS",
    "QUERY_S",
    "RULE_S",
    "SYNC_TABLES",
    "TABLES",
    "VERSION",
    "VIEWS",
    "Column",
    "ColumnMapper",
    "DocumentState",
    "ExternalFormat",
    "ExternalTable",
    "HistoryWriter",
    "Macro",
    "QueryResult",
    "RobotsState",
    "ScratchDatabase",
    "SnapshotFacts",
    "SnapshotName",
    "Store",
    "StoreSession",
    "StoreWriter",
    "StoredDocument",
    "StoredRows",
    "TableSchema",
    "TimeLimitError",
    "View",
    "WorkingTable",
    "branches_sql",
    "changes_at",
    "declare_table",
    "delayed_interrupts",
    "end_process_when_stuck",
    "entries_at",
    "has_history_only",
    "identifier",
    "insert_rows",
    "is_database",
    "is_entry_parquet",
    "moment",
    "parquet_rows",
    "quoted",
    "section_sql",
    "split_snapshot",
    "write_last_known",
    "write_parquet",
    "write_snapshot",
]

"""The one door to DuckDB: what was read as tables, in a file that any query can be put to."""

from __future__ import annotations

from urlset.store.answers import Answer
from urlset.store.asking import Asking
from urlset.store.connecting import is_database
from urlset.store.connecting import literal as quoted
from urlset.store.contents import StoredDocument, StoredRows, parquet_rows
from urlset.store.filling import Filling
from urlset.store.foreign import Foreign, ForeignForm, Shaper, identifier
from urlset.store.parquet import write_parquet
from urlset.store.sandbox import QUERY_S, RULE_S, end_process_when_stuck
from urlset.store.schema import MACROS, VIEWS, Macro, View
from urlset.store.store import Store
from urlset.store.tables import TABLES, VERSION, Column, Table
from urlset.store.workbench import Workbench

__all__ = [
    "MACROS",
    "QUERY_S",
    "RULE_S",
    "TABLES",
    "VERSION",
    "VIEWS",
    "Answer",
    "Asking",
    "Column",
    "Filling",
    "Foreign",
    "ForeignForm",
    "Macro",
    "Shaper",
    "Store",
    "StoredDocument",
    "StoredRows",
    "Table",
    "View",
    "Workbench",
    "end_process_when_stuck",
    "identifier",
    "is_database",
    "parquet_rows",
    "quoted",
    "write_parquet",
]

"""Schemas of the tables that live verbs add to a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from urlset.arrow.streams import ColumnType, rows_to_stream
from urlset.live.schemas.history import HISTORY_SCHEMA, HISTORY_TABLES, SYNC_SCHEMA, SYNC_TABLES
from urlset.live.schemas.visits import (
    INSPECTION_SCHEMA,
    INSPECTION_TABLES,
    LIVE_TABLES,
    LIVE_VIEWS,
    VISIT_SCHEMA,
)

__all__ = [
    "HISTORY_SCHEMA",
    "HISTORY_TABLES",
    "INSPECTION_SCHEMA",
    "INSPECTION_TABLES",
    "LIVE_TABLES",
    "LIVE_VIEWS",
    "STORE_SCHEMAS",
    "SYNC_SCHEMA",
    "SYNC_TABLES",
    "VISIT_SCHEMA",
    "stream_of",
]

STORE_SCHEMAS = (VISIT_SCHEMA, HISTORY_SCHEMA, INSPECTION_SCHEMA, SYNC_SCHEMA)
"""All of them, for :mod:`urlset.registry`."""


def stream_of(columns: str, rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as an Arrow stream of named columns: of text, or of the type after the colon.

    >>> stream_of("url line:uint32", [("https://example.com/", 7)]).schema.names
    ['url', 'line']
    """
    pairs = (column.partition(":") for column in columns.split())
    return rows_to_stream(
        [(name, cast(ColumnType, kind or "string")) for name, _, kind in pairs], rows
    )

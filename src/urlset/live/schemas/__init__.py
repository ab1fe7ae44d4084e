"""Schemas of the tables that live verbs add to a store."""

from __future__ import annotations

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
]

STORE_SCHEMAS = (VISIT_SCHEMA, HISTORY_SCHEMA, INSPECTION_SCHEMA, SYNC_SCHEMA)
"""All of them, for :mod:`urlset.registry`."""

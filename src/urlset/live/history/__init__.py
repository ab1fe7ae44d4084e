"""History of a site: snapshots of its sitemaps, which ``watch`` and ``sync`` write."""

from __future__ import annotations

from urlset.live.history.reader import (
    DocumentState,
    SnapshotName,
    changes_at,
    entries_at,
    moment,
    snapshot_name,
    write_last_known,
    write_snapshot,
)
from urlset.live.history.writer import (
    HELD_BACK,
    HistoryWriter,
    RobotsState,
    SnapshotFacts,
    insert_rows,
)

__all__ = [
    "HELD_BACK",
    "DocumentState",
    "HistoryWriter",
    "RobotsState",
    "SnapshotFacts",
    "SnapshotName",
    "changes_at",
    "entries_at",
    "insert_rows",
    "moment",
    "snapshot_name",
    "write_last_known",
    "write_snapshot",
]

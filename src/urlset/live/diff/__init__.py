"""Compare two states of a site: added, removed, changed, moved and unknown URLs."""

from __future__ import annotations

from urlset.live.diff.changes import ChangeRows
from urlset.live.diff.pipeline import diff
from urlset.live.diff.result import Diff
from urlset.live.diff.rows import (
    ChangeKind,
    DiffCounts,
    LastmodTruth,
    MovePattern,
    PageChange,
    PageState,
    Reason,
    SectionChange,
)
from urlset.live.diff.states import StateSource

__all__ = [
    "ChangeKind",
    "ChangeRows",
    "Diff",
    "DiffCounts",
    "LastmodTruth",
    "MovePattern",
    "PageChange",
    "PageState",
    "Reason",
    "SectionChange",
    "StateSource",
    "diff",
]

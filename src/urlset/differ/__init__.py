"""Compare two states of a site: added, removed, changed, moved and unknown URLs."""

from __future__ import annotations

from urlset.differ.pipeline import diff
from urlset.differ.result import ChangeRows, Diff
from urlset.differ.rows import (
    ChangeKind,
    DiffCounts,
    LastmodTruth,
    MovePattern,
    PageChange,
    PageState,
    Reason,
    SectionChange,
)
from urlset.differ.states import StateSource

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

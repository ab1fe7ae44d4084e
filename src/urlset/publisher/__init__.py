"""Atomic publication of files to a folder or an object store: stage, verify, swap in.

Visitors see complete files at every moment, and an index only after the files that it lists. On
any failure the previous files are restored. If a process is killed, the next publication restores
them.
"""

from __future__ import annotations

from urlset.publisher.factory import CACHE_CONTROL, open_target
from urlset.publisher.local import FolderTarget
from urlset.publisher.target import Target, expired_orphans, update_orphans

__all__ = [
    "CACHE_CONTROL",
    "FolderTarget",
    "Target",
    "expired_orphans",
    "open_target",
    "update_orphans",
]

"""Files on their way to where visitors find them: staged, verified, then swapped in, or not at all.

A visitor sees whole files at every moment, and an index only after the files that it names. Until
the last step everything can be undone, and is, whatever went wrong; what a killed process could
not undo, the next publication does.
"""

from __future__ import annotations

from urlset.publisher.factory import CACHE_CONTROL, Encoding, open_target
from urlset.publisher.local import FolderTarget
from urlset.publisher.target import Target, expired_orphans, update_orphans

__all__ = [
    "CACHE_CONTROL",
    "Encoding",
    "FolderTarget",
    "Target",
    "expired_orphans",
    "open_target",
    "update_orphans",
]

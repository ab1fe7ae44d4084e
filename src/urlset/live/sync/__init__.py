"""Synchronize the pages of a site with an index: what to add, replace and delete, in batches."""

from __future__ import annotations

from urlset.live.sync.pipeline import Sync, sync
from urlset.live.sync.settings import SyncKeywords, SyncSettings
from urlset.live.sync.update import PageUpdate, SyncBatch, page_text

__all__ = ["PageUpdate", "Sync", "SyncBatch", "SyncKeywords", "SyncSettings", "page_text", "sync"]

"""Synchronize the pages of a site with an index: what to add, replace and delete, in batches."""

from __future__ import annotations

from urlset.syncer.pipeline import Sync, SyncBatch, sync
from urlset.syncer.settings import SyncKeywords, SyncSettings
from urlset.syncer.update import PageUpdate, page_text

__all__ = ["PageUpdate", "Sync", "SyncBatch", "SyncKeywords", "SyncSettings", "page_text", "sync"]

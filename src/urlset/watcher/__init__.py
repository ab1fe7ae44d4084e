"""Watch a site: one step of a history of its sitemaps, with estimates and alerts."""

from __future__ import annotations

from urlset.watcher.pipeline import watch
from urlset.watcher.result import Watch

__all__ = ["Watch", "watch"]

"""Access logs as a source: their formats, what they tell of each URL, and what is kept private."""

from __future__ import annotations

from urlset.sources.logs.source import AccessLog

__all__ = ["AccessLog"]

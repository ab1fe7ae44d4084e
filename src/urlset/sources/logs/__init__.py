"""Source that reads access logs: formats, status history of each URL, privacy filter."""

from __future__ import annotations

from urlset.sources.logs.source import AccessLog

__all__ = ["AccessLog"]

"""Watch a site: one step of a history of its sitemaps, with estimates and alerts."""

from __future__ import annotations

from urlset.live.watch.pipeline import StepSettings, watch
from urlset.live.watch.result import Watch
from urlset.live.watch.rows import Alert, SectionEstimate, UrlChange

__all__ = ["Alert", "SectionEstimate", "StepSettings", "UrlChange", "Watch", "watch"]

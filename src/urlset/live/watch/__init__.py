"""Watch a site: one step of a history of its sitemaps, with estimates and alerts."""

from __future__ import annotations

from urlset.live.watch.pipeline import watch
from urlset.live.watch.result import Watch
from urlset.live.watch.rows import Alert, SectionEstimate, UrlChange
from urlset.live.watch.step import StepSettings

__all__ = ["Alert", "SectionEstimate", "StepSettings", "UrlChange", "Watch", "watch"]

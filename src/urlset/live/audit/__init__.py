"""Audit a site: visit the pages that its sitemaps list, and judge the responses by rules."""

from __future__ import annotations

from urlset.live.audit.coverage import Coverage, CoverageRegion
from urlset.live.audit.pipeline import audit
from urlset.live.audit.result import Audit
from urlset.live.audit.settings import AuditSettings
from urlset.live.audit.verdict_shares import VerdictShare
from urlset.live.visits.sample import Interval, wilson

__all__ = [
    "Audit",
    "AuditSettings",
    "Coverage",
    "CoverageRegion",
    "Interval",
    "VerdictShare",
    "audit",
    "wilson",
]

"""Audit a site: visit the pages that its sitemaps list, and judge the responses by rules."""

from __future__ import annotations

from urlset.auditor.coverage import Coverage, CoverageRegion
from urlset.auditor.lastmod_trial import SectionTrial
from urlset.auditor.pipeline import audit
from urlset.auditor.result import Audit
from urlset.auditor.settings import AuditKeywords, AuditSettings
from urlset.auditor.stratified_sample import Interval, wilson
from urlset.auditor.verdict_shares import VerdictShare

__all__ = [
    "Audit",
    "AuditKeywords",
    "AuditSettings",
    "Coverage",
    "CoverageRegion",
    "Interval",
    "SectionTrial",
    "VerdictShare",
    "audit",
    "wilson",
]

"""All rules of this package, for :mod:`urlset.registry`."""

from __future__ import annotations

from urlset.live.rules import coverage, llms_txt, pages, sitemaps, status

RULES = (*coverage.RULES, *llms_txt.RULES, *pages.RULES, *sitemaps.RULES, *status.RULES)

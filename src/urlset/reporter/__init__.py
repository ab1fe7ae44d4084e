"""Tells findings: as text for people, as JSON, SARIF, JUnit XML or annotations for machines.

Every reporter takes findings while they are found and gives strings at once, so that a report
of any length needs no memory. Nothing here knows a terminal: text comes in pieces with a role,
and the command line gives roles their colours.
"""

from __future__ import annotations

from urlset.reporter.github import report_github
from urlset.reporter.json import report_json
from urlset.reporter.junit import report_junit
from urlset.reporter.sarif import report_sarif
from urlset.reporter.text import (
    count_by_rule,
    report_statistics,
    report_statistics_json,
    report_text,
    summary,
)

__all__ = [
    "count_by_rule",
    "report_github",
    "report_json",
    "report_junit",
    "report_sarif",
    "report_statistics",
    "report_statistics_json",
    "report_text",
    "summary",
]

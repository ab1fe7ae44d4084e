"""Format findings as text, JSON, SARIF, JUnit XML or GitHub annotations.

Each reporter consumes an iterator of findings and yields strings immediately, so that a report of
any length needs little memory. Reporters do not depend on a terminal: text consists of spans with
a role, and the command line maps roles to colours.
"""

from __future__ import annotations

from urlset.reporter.machine_formats import report_github, report_json, report_junit, report_sarif
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

"""Write reports as one HTML file that works offline and without scripts, for any site size.

:func:`take_figures` reads the tables of a store while it is open; :class:`ExampleLog` records
findings while they are yielded; :func:`html_report` composes the page.
"""

from __future__ import annotations

from urlset.html_report.figures import take_figures
from urlset.html_report.model import (
    CoverageCounts,
    Example,
    ExampleLog,
    LastmodTrial,
    Link,
    ReportInput,
    RuleChange,
    RuleText,
    SourceFigures,
)
from urlset.html_report.page import (
    expect_html_suffix,
    expect_report_target,
    html_report,
    write_html_report,
)

__all__ = [
    "CoverageCounts",
    "Example",
    "ExampleLog",
    "LastmodTrial",
    "Link",
    "ReportInput",
    "RuleChange",
    "RuleText",
    "SourceFigures",
    "expect_html_suffix",
    "expect_report_target",
    "html_report",
    "take_figures",
    "write_html_report",
]

"""Options of ``urlset.report`` and ``urlset report``."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from urlset.option_schema.common import CONSOLE, OUTPUT, PROGRESS
from urlset.option_schema.option import COMMAND, Option, argument

REPORT_OPTIONS = (
    argument(
        "stores",
        "Stores (.duckdb) of `audit`, `crawl` or `watch --store`, or of `read --output`.",
        type=list[str],
        metavar="STORE",
    ),
    Option(
        "format",
        "Format of the report: text, or html if the name of the output ends with .html.",
        type=Literal["text", "json", "html"],
        allowed=COMMAND,
        in_python=".to_dict()",
    ),
    replace(OUTPUT, in_python=".report(path)"),
    *CONSOLE,
    PROGRESS,
)
"""Options of :func:`urlset.report` and ``urlset report``, in the order of the help."""

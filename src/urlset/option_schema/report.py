"""Options of ``urlset.report`` and ``urlset report``."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from urlset.option_schema.common import COLOR, OUTPUT, PROGRESS, QUIET, VERBOSE
from urlset.option_schema.option import COMMAND, Option

REPORT_OPTIONS = (
    Option(
        name="stores",
        type=list[str],
        help="Stores (.duckdb) of `audit`, `crawl` or `watch --store`, or of `read --output`.",
        metavar="STORE",
        allowed=COMMAND,
        is_argument=True,
        is_required=True,
    ),
    Option(
        name="format",
        type=Literal["text", "json", "html"],
        help="Format of the report: text, or html if the name of the output ends with .html.",
        allowed=COMMAND,
        in_python=".to_dict()",
    ),
    replace(OUTPUT, in_python=".report(path)"),
    QUIET,
    VERBOSE,
    PROGRESS,
    COLOR,
)
"""Options of :func:`urlset.report` and ``urlset report``, in the order of the help."""

"""Options of ``urlset mcp``."""

from __future__ import annotations

from pathlib import Path

from urlset.option_schema.common import COLOR, QUIET, VERBOSE
from urlset.option_schema.option import COMMAND, Option

MCP_OPTIONS = (
    Option(
        name="root",
        type=Path,
        is_path=True,
        help="The only folder whose files the tools may read; by default the working directory.",
        metavar="DIR",
        allowed=COMMAND,
    ),
    Option(
        name="allow_private",
        type=bool,
        help="Allow requests to private addresses and to this machine.",
        default=False,
        allowed=COMMAND,
    ),
    Option(
        name="request_budget",
        type=int,
        help="Limit of the requests of the session: documents that are read, and visits of pages.",
        default=10_000,
        metavar="N",
        minimum=1,
        allowed=COMMAND,
    ),
    QUIET,
    VERBOSE,
    COLOR,
)

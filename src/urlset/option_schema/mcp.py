"""Options of ``urlset mcp``."""

from __future__ import annotations

from urlset.option_schema.common import CONSOLE
from urlset.option_schema.option import COMMAND, file, number, switch

MCP_OPTIONS = (
    file(
        "root",
        "The only folder whose files the tools may read; by default the working directory.",
        is_path=True,
        metavar="DIR",
        allowed=COMMAND,
    ),
    switch(
        "allow_private", "Allow requests to private addresses and to this machine.", allowed=COMMAND
    ),
    number(
        "request_budget",
        "Limit of the requests of the session: documents that are read, and visits of pages.",
        default=10_000,
        minimum=1,
        allowed=COMMAND,
    ),
    *CONSOLE,
)

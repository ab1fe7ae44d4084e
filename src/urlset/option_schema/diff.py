"""Options of ``urlset.diff`` and ``urlset diff``."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from urlset.option_schema.common import (
    BASE_URL,
    CLIENT,
    CONFIG,
    CONSOLE,
    ENGINE,
    EXCLUDE,
    INCLUDE,
    MAX_REQUESTS,
    NETWORK,
    OUTPUT,
    REPORT,
)
from urlset.option_schema.option import (
    COMMAND,
    EVERYWHERE,
    NOT_IN_FILE,
    NOT_IN_PYTHON,
    Option,
    argument,
    number,
    switch,
)

_LIMIT = "Exit with 1 if more URLs are {}: a number, or a share of the URLs of BEFORE, such as 5%."

DIFF_OPTIONS: tuple[Option, ...] = (
    argument(
        "before",
        "Earlier state: a site, a sitemap, a folder, a store, a table of URLs, or "
        "REVISION:PATH of git.",
        metavar="BEFORE",
    ),
    argument("after", "Later state, of any kind.", metavar="AFTER"),
    Option(
        "format",
        "Format: json is one object with the counts, jsonl has a line for each change.",
        type=Literal["text", "json", "jsonl", "markdown"],
        default="text",
        allowed=COMMAND,
        shows_default=True,
        in_python=".to_jsonl(path)",
    ),
    replace(OUTPUT, in_python=".to_jsonl(path)"),
    REPORT,
    *(
        Option(
            f"max_{kind}",
            _LIMIT.format(kind),
            type=str,
            metavar="N|N%",
            allowed=NOT_IN_PYTHON,
            is_number_text=True,
            in_python=".counts",
        )
        for kind in ("removed", "added", "changed")
    ),
    switch("exit_code", "Exit with 1 if there is any change, as git does.", allowed=COMMAND),
    number(
        "max_examples",
        "URLs of each kind of change that text and markdown show; 0 for all.",
        default=10,
        allowed=COMMAND,
        shows_default=True,
    ),
    replace(INCLUDE, allowed=EVERYWHERE),
    replace(EXCLUDE, allowed=EVERYWHERE),
    Option(
        "moves",
        "Search moved URLs among those that were added and removed; the default.",
        type=bool,
        default=True,
    ),
    switch(
        "live",
        "Request removed URLs, and follow their redirects to find moves.",
        doc="Request URLs that were removed, and follow their redirects to find moves. robots.txt"
        " is obeyed, and the pace is that of ``policy``.",
        allowed=NOT_IN_FILE,
    ),
    replace(
        MAX_REQUESTS, annotation="int | None", default=1_000, allowed=EVERYWHERE, shows_default=True
    ),
    Option(
        "min_confidence",
        "Least confidence of a move, from 0 to 1 (0.7).",
        type=float,
        default=0.7,
        metavar="X",
        minimum=0,
        maximum=1,
    ),
    replace(
        BASE_URL,
        help="URL at which BEFORE and AFTER are published, if they are files or folders: of the "
        "folder, or of the file. One that ends with / is the folder that contains the file.",
        doc="URL at which the states are published, if they are files or folders: of the folder, "
        "or of the file. One that ends with / is the folder that contains the file.",
    ),
    CONFIG,
    *NETWORK,
    ENGINE,
    *CONSOLE,
    *CLIENT,
)
"""Options of :func:`urlset.diff` and ``urlset diff``, in the order of the help."""

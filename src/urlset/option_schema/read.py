"""Options of ``urlset.read`` and ``urlset read``."""

from __future__ import annotations

from typing import Literal

from urlset.option_schema.common import (
    AUTH,
    BASE_URL,
    CACHE,
    COLOR,
    ENGINE,
    EXCLUDE,
    FOLLOW,
    INCLUDE,
    MAX_BYTES_READ,
    NETWORK,
    OUTPUT,
    POLICY,
    QUIET,
    SOURCES,
    VERBOSE,
)
from urlset.option_schema.option import COMMAND, NOT_IN_FILE, PYTHON, Option

RowFormat = Literal["table", "jsonl", "json", "csv", "txt", "parquet", "duckdb"]
"""Formats of the entries."""

READ_OPTIONS: tuple[Option, ...] = (
    SOURCES,
    Option(
        name="format",
        type=RowFormat,
        help="Format; by default that of the suffix of --output, else table.",
        allowed=COMMAND,
    ),
    OUTPUT,
    Option(
        name="since",
        help="Only entries, and children of an index, that changed at or after this date.",
        metavar="DATE",
        allowed=NOT_IN_FILE,
    ),
    INCLUDE,
    EXCLUDE,
    Option(
        name="hosts",
        type=list[str],
        help="Only URLs of these hosts, separated by commas.",
        metavar="HOSTS",
        allowed=NOT_IN_FILE,
        is_split=True,
    ),
    Option(
        name="scope",
        type=Literal["any", "sitemap"],
        help="All URLs, or only those that the sitemap may list: below its folder, or of a host "
        "whose robots.txt declares the sitemap.",
        default="any",
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    Option(
        name="limit",
        type=int,
        help="Stop after N entries.",
        metavar="N",
        minimum=0,
        allowed=NOT_IN_FILE,
    ),
    FOLLOW,
    Option(
        name="sql",
        help="Print the result of this query over the tables of a store.",
        metavar="QUERY",
        allowed=COMMAND,
    ),
    Option(
        name="sql_timeout_s",
        type=float,
        help="Time limit of --sql; 0 for none.",
        default=600.0,
        metavar="SECONDS",
        unit="seconds",
        minimum=0,
        allowed=COMMAND,
        is_time_limit=True,
        shows_default=True,
    ),
    Option(
        name="tree",
        type=bool,
        help="Print the documents and their counts instead of the entries.",
        default=False,
        allowed=COMMAND,
    ),
    *NETWORK,
    CACHE,
    Option(
        name="unordered",
        type=bool,
        help="Print the entries of a site as documents arrive: faster, in no fixed order.",
        default=False,
        allowed=COMMAND,
    ),
    BASE_URL,
    ENGINE,
    QUIET,
    VERBOSE,
    COLOR,
    MAX_BYTES_READ,
    Option(
        name="fail_fast",
        type=bool,
        help="Raise the first error instead of recording it.",
        default=False,
        allowed=PYTHON,
    ),
    Option(
        name="read_robots",
        type=bool,
        help="Read the robots.txt of the site, too.",
        default=False,
        allowed=PYTHON,
    ),
    Option(
        name="ordered",
        type=bool,
        help="Return the entries in the order of the sitemaps.",
        default=True,
        allowed=PYTHON,
    ),
    Option(
        name="keep",
        type=bool,
        help="Keep the documents with their problems.",
        default=True,
        allowed=PYTHON,
    ),
    POLICY,
    AUTH,
)
"""Options of :func:`urlset.read` and ``urlset read``, in the order of the help."""

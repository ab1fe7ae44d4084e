"""Options of ``urlset.read`` and ``urlset read``."""

from __future__ import annotations

from dataclasses import replace
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
    PROGRESS,
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
        in_python=".to_jsonl(path)",
    ),
    replace(OUTPUT, in_python=".to_jsonl(path)"),
    Option(
        name="since",
        annotation="Moment | None",
        help="Only entries, and children of an index, that changed at or after this date.",
        doc="Exclude entries whose ``lastmod`` is older or missing; skip the children of an index"
        " that have not changed since then.",
        metavar="DATE",
        allowed=NOT_IN_FILE,
    ),
    INCLUDE,
    EXCLUDE,
    Option(
        name="hosts",
        type=list[str],
        annotation="Iterable[str] | None",
        help="Only URLs of these hosts, separated by commas.",
        doc="Only URLs of these hosts.",
        metavar="HOSTS",
        allowed=NOT_IN_FILE,
        is_split=True,
    ),
    Option(
        name="scope",
        type=Literal["any", "sitemap"],
        annotation="EntryScope",
        help="All URLs, or only those that the sitemap may list: below its folder, or of a host "
        "whose robots.txt declares the sitemap.",
        doc="``any``, or ``sitemap`` to exclude URLs that the location rule forbids: those "
        "outside the folder of the sitemap, unless the robots.txt of their host declares it.",
        default="any",
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    Option(
        name="limit",
        type=int,
        help="Stop after N entries.",
        doc="Most entries that are read.",
        metavar="N",
        minimum=0,
        allowed=NOT_IN_FILE,
    ),
    FOLLOW,
    Option(
        name="follow_only",
        type=list[str],
        annotation="Patterns",
        help="Of the sitemaps that an index lists, only those whose URL contains a match of this "
        "regular expression; repeatable.",
        doc="Regular expression, or several: of the sitemaps that an index lists, only those whose "
        "URL contains a match of one are read.",
        default=(),
        metavar="RE",
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="max_documents",
        type=int,
        help="Of the sitemaps that indexes list, only the first N.",
        doc="Most sitemaps that are read of those that indexes list; the others are skipped.",
        metavar="N",
        minimum=0,
        allowed=NOT_IN_FILE,
    ),
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
        doc="Request the robots.txt of each host of a document, to record which one declares or "
        "disallows it, even if the URL is that of a sitemap.",
        default=False,
        allowed=PYTHON,
    ),
    Option(
        name="ordered",
        type=bool,
        help="Return the entries in the order of the sitemaps.",
        doc="Return the entries of a site in the order of its sitemaps, each index followed by "
        "its children, so that two runs are equal; documents that arrive early are stored in "
        "``TMPDIR``. With False, in order of arrival, which is faster if a document is slow.",
        default=True,
        allowed=PYTHON,
    ),
    Option(
        name="keep",
        type=bool,
        help="Keep the responses of a site, so that the result can be iterated again.",
        doc="Keep the responses of a site in ``TMPDIR`` as long as the result exists, up to 256 "
        "MB compressed, so that it can be iterated again.",
        default=True,
        allowed=PYTHON,
    ),
    POLICY,
    AUTH,
    replace(
        PROGRESS,
        doc="Called with a :class:`urlset.ProgressEvent` for each document, while the result is "
        "iterated or exported: how much was read so far, before the filters.",
    ),
)
"""Options of :func:`urlset.read` and ``urlset read``, in the order of the help."""

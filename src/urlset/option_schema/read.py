"""Options of ``urlset.read`` and ``urlset read``."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from urlset.option_schema.common import (
    AUTH,
    BASE_URL,
    CACHE,
    CONSOLE,
    ENGINE,
    EXCLUDE,
    FOLLOW,
    INCLUDE,
    MAX_BYTES_READ,
    NETWORK,
    OUTPUT,
    POLICY,
    PROGRESS,
    SOURCES,
)
from urlset.option_schema.option import (
    COMMAND,
    NOT_IN_FILE,
    PYTHON,
    Option,
    number,
    patterns,
    seconds,
    switch,
)

RowFormat = Literal["table", "jsonl", "json", "csv", "txt", "parquet", "duckdb"]
"""Formats of the entries."""

READ_OPTIONS: tuple[Option, ...] = (
    SOURCES,
    Option(
        "format",
        "Format; by default that of the suffix of --output, else table.",
        type=RowFormat,
        allowed=COMMAND,
        in_python=".to_jsonl(path)",
    ),
    replace(OUTPUT, in_python=".to_jsonl(path)"),
    Option(
        "since",
        "Only entries, and children of an index, that changed at or after this date.",
        annotation="Moment | None",
        doc="Exclude entries whose ``lastmod`` is older or missing; skip the children of an index"
        " that have not changed since then.",
        metavar="DATE",
        allowed=NOT_IN_FILE,
    ),
    INCLUDE,
    EXCLUDE,
    Option(
        "hosts",
        "Only URLs of these hosts, separated by commas.",
        type=list[str],
        annotation="Iterable[str] | None",
        doc="Only URLs of these hosts.",
        metavar="HOSTS",
        allowed=NOT_IN_FILE,
        is_split=True,
    ),
    Option(
        "scope",
        "All URLs, or only those that the sitemap may list: below its folder, or of a host "
        "whose robots.txt declares the sitemap.",
        type=Literal["any", "sitemap"],
        annotation="EntryScope",
        doc="``any``, or ``sitemap`` to exclude URLs that the location rule forbids: those "
        "outside the folder of the sitemap, unless the robots.txt of their host declares it.",
        default="any",
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    number(
        "limit", "Stop after N entries.", doc="Most entries that are read.", allowed=NOT_IN_FILE
    ),
    FOLLOW,
    patterns(
        "follow_only",
        "Of the sitemaps that an index lists, only those whose URL contains a match of this "
        "regular expression; repeatable.",
        doc="Regular expression, or several: of the sitemaps that an index lists, only those whose "
        "URL contains a match of one are read.",
    ),
    number(
        "max_documents",
        "Of the sitemaps that indexes list, only the first N.",
        doc="Most sitemaps that are read of those that indexes list; the others are skipped.",
        allowed=NOT_IN_FILE,
    ),
    Option(
        "sql",
        "Print the result of this query over the tables of a store.",
        metavar="QUERY",
        allowed=COMMAND,
    ),
    seconds(
        "sql_timeout_s",
        "Time limit of --sql; 0 for none.",
        default=600.0,
        allowed=COMMAND,
        is_time_limit=True,
        shows_default=True,
    ),
    switch("tree", "Print the documents and their counts instead of the entries.", allowed=COMMAND),
    *NETWORK,
    CACHE,
    switch(
        "unordered",
        "Print the entries of a site as documents arrive: faster, in no fixed order.",
        allowed=COMMAND,
    ),
    BASE_URL,
    ENGINE,
    *CONSOLE,
    MAX_BYTES_READ,
    switch("fail_fast", "Raise the first error instead of recording it.", allowed=PYTHON),
    switch(
        "read_robots",
        "Read the robots.txt of the site, too.",
        doc="Request the robots.txt of each host of a document, to record which one declares or "
        "disallows it, even if the URL is that of a sitemap.",
        allowed=PYTHON,
    ),
    Option(
        "ordered",
        "Return the entries in the order of the sitemaps.",
        type=bool,
        doc="Return the entries of a site in the order of its sitemaps, each index followed by "
        "its children, so that two runs are equal; documents that arrive early are stored in "
        "``TMPDIR``. With False, in order of arrival, which is faster if a document is slow.",
        default=True,
        allowed=PYTHON,
    ),
    Option(
        "keep",
        "Keep the responses of a site, so that the result can be iterated again.",
        type=bool,
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

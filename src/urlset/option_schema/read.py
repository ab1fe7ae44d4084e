"""Options of ``read`` and of ``diff``, which compares what it reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from urlset.option_schema import common
from urlset.option_schema.option import (
    EVERYWHERE,
    NOT_IN_PYTHON,
    Option,
    argument,
    call,
    command,
    on_by_default,
    patterns,
    python,
)

RowFormat = Literal["table", "jsonl", "json", "csv", "txt", "parquet", "duckdb"]
"""Formats of the entries."""

READ_OPTIONS: tuple[Option, ...] = (
    common.SOURCES,
    command.option(
        "format",
        "Format; by default that of the suffix of --output, else table.",
        type=RowFormat,
        in_python=".to_csv(path), .to_jsonl(path)",
    ),
    replace(common.OUTPUT, in_python=".to_csv(path), .to_jsonl(path)"),
    call.option(
        "since",
        "Only entries that changed at or after this date, none without a lastmod; children of an "
        "index with an earlier date are not read.",
        annotation="Moment | None",
        doc="Exclude entries whose ``lastmod`` is older or missing; skip the children of an index"
        " whose date is older.",
        metavar="DATE",
    ),
    common.INCLUDE,
    common.EXCLUDE,
    call.option(
        "hosts",
        "Only URLs of these hosts, separated by commas.",
        type=list[str],
        annotation="Iterable[str] | None",
        doc="Only URLs of these hosts.",
        metavar="HOSTS",
        is_split=True,
    ),
    call.option(
        "scope",
        "All URLs, or only those that the sitemap may list: below its folder, or of a host "
        "whose robots.txt declares the sitemap.",
        type=Literal["any", "sitemap"],
        annotation="EntryScope",
        doc="``any``, or ``sitemap`` to exclude URLs that the location rule forbids: those "
        "outside the folder of the sitemap, unless the robots.txt of their host declares it.",
        default="any",
        shows_default=True,
    ),
    call.number("limit", "Stop after N entries.", doc="Most entries that are read."),
    common.FOLLOW,
    patterns(
        "follow_only",
        "Of the sitemaps that an index lists, only those whose URL contains a match of this "
        "regular expression; repeatable.",
        doc="Regular expression, or several: of the sitemaps that an index lists, only those whose "
        "URL contains a match of one are read.",
    ),
    call.number(
        "max_documents",
        "Of the sitemaps that indexes list, only the first N.",
        doc="Most sitemaps that are read of those that indexes list; the others are skipped.",
    ),
    command.option(
        "sql", "Print the result of this query over the tables of a store.", metavar="QUERY"
    ),
    command.seconds(
        "sql_timeout_s",
        "Time limit of --sql; 0 for none.",
        default=600.0,
        is_time_limit=True,
        shows_default=True,
    ),
    command.switch("tree", "Print the documents and their counts instead of the entries."),
    *common.NETWORK,
    common.CACHE,
    command.switch(
        "unordered", "Print the entries of a site as documents arrive: faster, in no fixed order."
    ),
    common.BASE_URL,
    common.ENGINE,
    *common.CONSOLE,
    common.MAX_BYTES_READ,
    python.switch("fail_fast", "Raise the first error instead of recording it."),
    python.switch(
        "read_robots",
        "Read the robots.txt of the site, too.",
        doc="Request the robots.txt of each host of a document, to record which one declares or "
        "disallows it, even if the URL is that of a sitemap.",
    ),
    python.on_by_default(
        "ordered",
        "Return the entries in the order of the sitemaps.",
        doc="Return the entries of a site in the order of its sitemaps, each index followed by "
        "its children, so that two runs are equal; documents that arrive early are stored in "
        "``TMPDIR``. With False, in order of arrival, which is faster if a document is slow.",
    ),
    python.on_by_default(
        "keep",
        "Keep the responses of a site, so that the result can be iterated again.",
        doc="Keep the responses of a site in ``TMPDIR`` as long as the result exists, up to 256 "
        "MB compressed, so that it can be iterated again.",
    ),
    common.POLICY,
    common.AUTH,
    replace(
        common.PROGRESS,
        doc="Called with a :class:`urlset.ProgressEvent` for each document, while the result is "
        "iterated or exported: how much was read so far, before the filters.",
    ),
)
"""Options of :func:`urlset.read` and ``urlset read``, in the order of the help."""

_LIMIT = "Exit with 1 if more URLs are {}: a number, or a share of the URLs of BEFORE, such as 5%."

DIFF_OPTIONS: tuple[Option, ...] = (
    argument(
        "before",
        "Earlier state: a site, a sitemap, a folder, a store, a table of URLs, or "
        "REVISION:PATH of git.",
        metavar="BEFORE",
    ),
    argument("after", "Later state, of any kind.", metavar="AFTER"),
    command.option(
        "format",
        "Format: json is one object with the counts, jsonl has a line for each change.",
        type=Literal["text", "json", "jsonl", "markdown"],
        default="text",
        shows_default=True,
        in_python=".to_dict()",
    ),
    replace(common.OUTPUT, in_python=".to_jsonl(path)"),
    common.REPORT,
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
    command.switch("exit_code", "Exit with 1 if there is any change, as git does."),
    command.number(
        "max_examples",
        "URLs of each kind of change that text and markdown show; 0 for all.",
        default=10,
        shows_default=True,
    ),
    replace(common.INCLUDE, allowed=EVERYWHERE),
    replace(common.EXCLUDE, allowed=EVERYWHERE),
    on_by_default(
        "moves", "Search moved URLs among those that were added and removed; the default."
    ),
    call.switch(
        "live",
        "Request removed URLs, and follow their redirects to find moves.",
        doc="Request URLs that were removed, and follow their redirects to find moves. robots.txt"
        " is obeyed, and the pace is that of ``policy``.",
    ),
    replace(
        common.MAX_REQUESTS,
        annotation="int | None",
        default=1_000,
        allowed=EVERYWHERE,
        shows_default=True,
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
        common.BASE_URL,
        help="URL at which BEFORE and AFTER are published, if they are files or folders: of the "
        "folder, or of the file. One that ends with / is the folder that contains the file.",
        doc="URL at which the states are published, if they are files or folders: of the folder, "
        "or of the file. One that ends with / is the folder that contains the file.",
    ),
    common.CONFIG,
    *common.NETWORK,
    common.ENGINE,
    *common.CONSOLE,
    *common.CLIENT,
)
"""Options of :func:`urlset.diff` and ``urlset diff``, in the order of the help."""

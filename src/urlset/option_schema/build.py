"""Options of ``urlset.build`` and ``urlset build``."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Union

from urlset.option_schema.common import (
    AUTH,
    CACHE,
    COLOR,
    CONFIG,
    ENGINE,
    EXCLUDE,
    INCLUDE,
    NOW,
    POLICY,
    PROGRESS,
    QUIET,
    VERBOSE,
)
from urlset.option_schema.option import (
    COMMAND,
    EVERYWHERE,
    NOT_IN_FILE,
    PYTHON,
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    Option,
    file,
    number,
    seconds,
    switch,
    text_or_texts,
    texts,
)
from urlset.protocol import MAX_BYTES, MAX_URLS

_INPUT, _URLS, _DATES = "Input", "URLs", "Dates"
_FILES, _PUBLISHING, _SAFETY = "Files", "Publishing", "Safety"

BUILD_OPTIONS: tuple[Option, ...] = (
    CONFIG,
    switch(
        "as_json",
        "Print the result as JSON.",
        flags=("--json",),
        in_python=".to_dict()",
        allowed=COMMAND,
    ),
    QUIET,
    VERBOSE,
    Option(
        name="sources",
        type=list[Union[str, dict[str, Any]]],  # noqa: UP007 - a dict: path, kind, map, query, …
        help="Folders of HTML, lists of URLs, tables, databases, access logs, sitemaps, sites, "
        "or -.",
        metavar="[SOURCE]",
        allowed=EVERYWHERE,
        is_argument=True,
    ),
    ENGINE,
    Option(
        name="map",
        type=Union[str, dict[str, str]],  # noqa: UP007
        annotation="Mapping[str, str] | str | None",
        help="Columns of a table, such as loc=url,lastmod=updated_at.",
        doc='Columns of a table: ``"loc=url,lastmod=updated_at"``, or a dict.',
        group=_INPUT,
        metavar="TO=FROM,…",
    ),
    Option(
        "query",
        "Query over a database, or over a file as the table input.",
        group=_INPUT,
        metavar="SQL",
    ),
    seconds(
        "query_timeout_s",
        "Time limit of the query over a file; 0 for none.",
        doc="Maximum seconds of a query over a file; None for no limit.",
        default=600.0,
        group=_INPUT,
        is_time_limit=True,
        shows_default=True,
    ),
    Option(
        "table",
        "Table to read from a database file (SQLite, DuckDB) with several tables; a database "
        "server takes --query.",
        doc="Table to read from a database file (SQLite, DuckDB) with several tables; a database "
        "server takes ``query``.",
        group=_INPUT,
        metavar="NAME",
    ),
    Option(
        "delimiter",
        "Delimiter of CSV; by default detected from the header.",
        group=_INPUT,
        metavar="MARK",
    ),
    switch(
        "strip_html",
        "about.html is served as /about.",
        doc="Whether ``about.html`` is served as ``/about``.",
        group=_INPUT,
    ),
    Option(
        "trailing_slash",
        "Pages and folders are served as /about/ and /blog/, or as /about and /blog.",
        type=bool,
        doc="Whether pages and folders are served as ``/about/`` and ``/blog/``, or as "
        "``/about`` and ``/blog``.",
        group=_INPUT,
    ),
    text_or_texts(
        "with_",
        "Add these facts of pages: images, videos, news, alternates.",
        doc='Extensions to read from pages: ``"images,alternates"``, ``["videos", "news"]``.',
        group=_INPUT,
        metavar="WHAT,…",
        is_split=True,
    ),
    text_or_texts(
        "keep_parameters",
        "Query parameter in logs that identifies a page, such as id.",
        doc="Query parameters of logs that identify pages, such as ``id``.",
        group=_INPUT,
        flags=("--keep-parameter",),
        metavar="NAME",
    ),
    number(
        "min_hits",
        "Minimum number of successful requests of a URL in logs (1).",
        group=_INPUT,
        minimum=1,
    ),
    Option(
        "trust_mtime",
        "Skip pages whose file is unchanged by its size and times; the default.",
        type=bool,
        default=True,
        group=_INPUT,
    ),
    Option(
        "base_url",
        "URL at which the folder of --output is served; by default the root of the site of "
        "the first URL.",
        doc="The address of the target. Default: the root of the site of the first URL.",
        group=_URLS,
        metavar="URL",
    ),
    replace(INCLUDE, group=_URLS, allowed=EVERYWHERE),
    replace(EXCLUDE, group=_URLS, allowed=EVERYWHERE),
    texts(
        "filters",
        "Keep or drop URLs that contain a match of RE, such as drop:/drafts/. The first "
        "matching filter decides.",
        annotation="str | Filter | Iterable[str | Filter]",
        stored="tuple[Filter, ...]",
        doc='Rules in order, after ``include`` and ``exclude``: ``"drop:/private/"``, '
        '``"keep:…"``; the first match counts.',
        group=_URLS,
        flags=("--filter",),
        metavar="keep|drop:RE",
    ),
    texts(
        "rewrites",
        "Replace matches of RE in URLs, before any filter: '^http:=>https:'.",
        annotation="str | Rewrite | Iterable[str | Rewrite]",
        stored="tuple[Rewrite, ...]",
        doc='``"PATTERN=>TEXT"``, applied in order, before everything else.',
        group=_URLS,
        flags=("--rewrite",),
        metavar="RE=>TEXT",
    ),
    file(
        "exclude_by_robots",
        "Exclude URLs that this robots.txt disallows.",
        group=_URLS,
        is_path=True,
    ),
    text_or_texts(
        "allowed_hosts",
        "Allow URLs of this host, too.",
        doc="Further hosts whose URLs may be listed.",
        group=_URLS,
        flags=("--allowed-host",),
        metavar="HOST",
    ),
    file(
        "git_root",
        "Git folder with the sources of the pages, for their dates.",
        group=_DATES,
        metavar="DIR",
        is_path=True,
    ),
    text_or_texts(
        "git_paths",
        "Path of the source of a page in it, such as posts/{page}.txt or {file}.",
        doc="Paths of the sources of pages in it, such as ``posts/{page}.txt`` or ``{file}``.",
        group=_DATES,
        flags=("--git-path",),
        metavar="PATTERN",
    ),
    Option(
        "lastmod",
        "Evidence for dates, best first: given,page,git,content,header; also mtime and "
        "created; or none.",
        type=list[str],
        annotation="str | Iterable[str] | None",
        stored="tuple[Evidence, ...] | None",
        doc='Evidence for dates, best first: ``"git,page"``, or a list of ``given``, ``page``, '
        '``git``, ``content``, ``header``, ``mtime`` and ``created``; ``"none"`` for no '
        "dates.",
        group=_DATES,
        metavar="FROM,…",
        is_split=True,
    ),
    text_or_texts(
        "sections",
        "Separate files for URLs that contain a match of RE, such as blog=/blog/; or by "
        "column:NAME or source.",
        doc="``NAME=PATTERN``, ``column:NAME`` or ``source``; the first match counts.",
        group=_FILES,
        flags=("--section",),
        metavar="NAME=RE",
    ),
    switch("gzip", "Compress the files, such as sitemap.xml.gz.", group=_FILES),
    number(
        "max_urls",
        "Maximum number of URLs in a file (50,000).",
        default=MAX_URLS,
        group=_FILES,
        minimum=1,
        maximum=MAX_URLS,
    ),
    number(
        "max_bytes",
        "Maximum size of a file in bytes, uncompressed (52,428,800).",
        default=MAX_BYTES,
        group=_FILES,
        unit="bytes",
        minimum=1,
        maximum=MAX_BYTES,
    ),
    Option(
        "name",
        "Name of the files, without suffix (sitemap).",
        default="sitemap",
        group=_FILES,
        metavar="NAME",
    ),
    Option(
        "pattern",
        "Names of several files: {name}-{section}-{number:03}.",
        doc="Names of several files: ``{name}-{section}-{number:03}``.",
        group=_FILES,
        flags=("--name-pattern",),
        key="name-pattern",
        metavar="PATTERN",
    ),
    Option(
        "format",
        "Format of the files: sitemaps, or lists of URLs.",
        type=FileFormat,
        annotation="FileFormat",
        default="xml",
        group=_FILES,
    ),
    Option(
        "index",
        "Write an index if one is needed (auto), always, or one for each section.",
        type=IndexMode,
        annotation="IndexMode",
        default="auto",
        group=_FILES,
    ),
    text_or_texts(
        "include_sitemaps",
        "List this sitemap of another system in the index, too, after it was read; "
        "repeatable. Of an index, the sitemaps that it lists.",
        doc="URLs of sitemaps of other systems that the index lists, too, after they were read. Of "
        "an index, the sitemaps that it lists.",
        group=_FILES,
        flags=("--include-sitemap",),
        metavar="URL",
    ),
    Option(
        "stylesheet",
        "CSS file that shows the sitemaps as tables in browsers, such as sitemap.css.",
        group=_FILES,
        metavar="NAME",
    ),
    Option(
        "target",
        "Folder or bucket (s3://, gs://, az://) to publish to; - prints a single sitemap.",
        group=_PUBLISHING,
        flags=("--output", "-o"),
        key="output",
        metavar="DIR",
        is_path=True,
    ),
    file(
        "ledger",
        "Record of the published URLs (.urlset/ledger.duckdb).",
        group=_PUBLISHING,
        is_path=True,
    ),
    switch(
        "adopt",
        "Take over the sitemaps that another tool published in the folder of --output.",
        doc="Take over the sitemaps that another tool published in the target.",
        group=_PUBLISHING,
        allowed=NOT_IN_FILE,
    ),
    switch(
        "compact",
        "Rewrite all files, each as full as possible.",
        group=_PUBLISHING,
        allowed=NOT_IN_FILE,
    ),
    file("robots", "Update the Sitemap lines of this robots.txt.", group=_PUBLISHING, is_path=True),
    file(
        "changes",
        "Write the added, changed and removed URLs to FILE, as JSON lines.",
        doc="File to which added, changed and removed URLs are written, as JSON lines.",
        group=_PUBLISHING,
        is_path=True,
    ),
    Option(
        "grace",
        "Delete files that are no longer listed after this time, such as 36h or 7d.",
        annotation="str | timedelta",
        stored="timedelta",
        doc="Delete files that are no longer listed after this time: a timedelta, or a text "
        "such as ``36h`` or ``7d``.",
        default=timedelta(0),
        group=_PUBLISHING,
        metavar="SPAN",
    ),
    Option(
        "cache_control",
        "Cache-Control header of files in a bucket (max-age=3600).",
        annotation="str | None",
        default="max-age=3600",
        group=_PUBLISHING,
        metavar="TEXT",
    ),
    Option(
        "encoding",
        "Content-Encoding header of .xml and .txt files in a bucket.",
        type=Encoding,
        annotation="Encoding | None",
        group=_PUBLISHING,
    ),
    switch(
        "dry_run",
        "Report what would be written, without writing.",
        group=_SAFETY,
        allowed=NOT_IN_FILE,
    ),
    text_or_texts(
        "why",
        "Explain why this URL is listed, or why not, without writing.",
        doc="URLs to explain in :attr:`urlset.builder.Build.why`, without writing.",
        group=_SAFETY,
        metavar="URL",
        allowed=NOT_IN_FILE,
    ),
    Option(
        "on_error",
        "For an invalid entry or unreadable source: fail without writing, or exclude the "
        "entry, keep what is published of the source, and exit with 1.",
        type=OnError,
        annotation="OnError",
        doc="``raise`` at an invalid entry or unreadable source, without writing; or ``skip`` "
        "it: exclude the entry, and keep what is published of the source.",
        default="raise",
        group=_SAFETY,
    ),
    file(
        "excluded",
        "Write the excluded URLs to FILE, as JSON lines: URL, source, reason.",
        doc="File to which excluded URLs are written, as JSON lines: URL, source, reason.",
        group=_SAFETY,
        is_path=True,
    ),
    Option(
        "min_share",
        "Least number of URLs, as a share of the number that is published: 0.5 (the default) or "
        "50%. --max-removed limits which ones disappear.",
        type=float,
        doc='Least number of URLs, as a share of the number that is published: 0.5 or ``"50%"``.',
        default=0.5,
        group=_SAFETY,
        metavar="X|N%",
        minimum=0,
        maximum=1,
        is_share=True,
    ),
    Option(
        "max_removed",
        "Fail (gate shrunk) if more published URLs disappear: N or N%; also those that others "
        "replace.",
        type=str,
        doc='Number (100) or share (``"5%"``) of the published URLs that may disappear; '
        "``min_share`` compares totals only. None for no limit.",
        group=_SAFETY,
        metavar="N|N%",
        is_number_text=True,
    ),
    texts(
        "force",
        "Skip this safety gate: zero, shrunk, limits, hosts, unreadable, source.",
        annotation="Gate | Iterable[Gate]",
        stored="tuple[Gate, ...]",
        doc="Safety gates to skip: ``zero``, ``shrunk``, ``limits``, ``hosts``, ``unreadable``,"
        " ``source``.",
        group=_SAFETY,
        metavar="GATE",
        allowed=NOT_IN_FILE,
    ),
    POLICY,
    AUTH,
    replace(CACHE, allowed=PYTHON),
    replace(NOW, stored="datetime", factory="current_second"),
    PROGRESS,
    COLOR,
)
"""Options of :func:`urlset.build` and ``urlset build``, in the order of the help."""

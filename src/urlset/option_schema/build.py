"""Options of ``build``, ``write`` and ``render``, and of the command ``urlset build``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal, Union

from urlset.option_schema import common
from urlset.option_schema.option import (
    EVERYWHERE,
    NOT_IN_FILE,
    PYTHON,
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    Option,
    call,
    command,
    file,
    number,
    on_by_default,
    python,
    seconds,
    switch,
    text_or_texts,
    texts,
    with_same,
)
from urlset.protocol import MAX_BYTES, MAX_URLS

_INPUT = with_same(
    {"group": "Input", "decides": "form"},
    Option(
        name="map",
        type=Union[str, dict[str, str]],  # noqa: UP007
        annotation="Mapping[str, str] | str | None",
        help="Columns of a table, such as loc=url,lastmod=updated_at.",
        doc='Columns of a table: ``"loc=url,lastmod=updated_at"``, or a dict.',
        metavar="TO=FROM,…",
    ),
    Option("query", "Query over a database, or over a file as the table input.", metavar="SQL"),
    seconds(
        "query_timeout_s",
        "Time limit of the query over a file; 0 for none.",
        doc="Maximum seconds of a query over a file; None for no limit.",
        default=600.0,
        is_time_limit=True,
        shows_default=True,
    ),
    Option(
        "table",
        "Table to read from a database file (SQLite, DuckDB) with several tables; a database "
        "server takes --query.",
        doc="Table to read from a database file (SQLite, DuckDB) with several tables; a database "
        "server takes ``query``.",
        metavar="NAME",
    ),
    Option("delimiter", "Delimiter of CSV; by default detected from the header.", metavar="MARK"),
    switch(
        "strip_html",
        "about.html is served as /about.",
        doc="Whether ``about.html`` is served as ``/about``.",
    ),
    Option(
        "trailing_slash",
        "Pages and folders are served as /about/ and /blog/, or as /about and /blog.",
        type=bool,
        doc="Whether pages and folders are served as ``/about/`` and ``/blog/``, or as "
        "``/about`` and ``/blog``.",
    ),
    text_or_texts(
        "with_",
        "Add these facts of pages: images, videos, news, alternates.",
        doc='Extensions to read from pages: ``"images,alternates"``, ``["videos", "news"]``.',
        metavar="WHAT,…",
        is_split=True,
    ),
    text_or_texts(
        "keep_parameters",
        "Query parameter in logs that identifies a page, such as id.",
        doc="Query parameters of logs that identify pages, such as ``id``.",
        flags=("--keep-parameter",),
        metavar="NAME",
    ),
    number("min_hits", "Minimum number of successful requests of a URL in logs (1).", minimum=1),
    on_by_default(
        "trust_mtime", "Skip pages whose file is unchanged by its size and times; the default."
    ),
)

_URLS = with_same(
    {"group": "URLs"},
    Option(
        "base_url",
        "URL at which the folder of --output is served; by default the root of the site of "
        "the first URL.",
        doc="The address of the target, against which relative URLs are resolved. Default: the "
        "root of the site of the first URL.",
        metavar="URL",
    ),
    replace(common.INCLUDE, allowed=EVERYWHERE),
    replace(common.EXCLUDE, allowed=EVERYWHERE),
    texts(
        "filters",
        "Keep or drop URLs that contain a match of RE, such as drop:/drafts/. The first "
        "matching filter decides.",
        annotation="str | Filter | Iterable[str | Filter]",
        stored="tuple[Filter, ...]",
        doc='Rules in order, after ``include`` and ``exclude``: ``"drop:/private/"``, '
        '``"keep:…"``; the first match counts.',
        flags=("--filter",),
        metavar="keep|drop:RE",
    ),
    texts(
        "rewrites",
        "Replace matches of RE in URLs, before any filter: '^http:=>https:'.",
        annotation="str | Rewrite | Iterable[str | Rewrite]",
        stored="tuple[Rewrite, ...]",
        doc='``"PATTERN=>TEXT"``, applied in order, before everything else.',
        flags=("--rewrite",),
        decides="form",
        metavar="RE=>TEXT",
    ),
    file(
        "exclude_by_robots",
        "Exclude URLs that this robots.txt disallows.",
        is_path=True,
        decides="form",
    ),
    text_or_texts(
        "allowed_hosts",
        "Allow URLs of this host, too.",
        doc="Further hosts whose URLs may be listed.",
        flags=("--allowed-host",),
        decides="form",
        metavar="HOST",
    ),
)

_DATES = with_same(
    {"group": "Dates"},
    file(
        "git_root",
        "Git folder with the sources of the pages, for their dates.",
        metavar="DIR",
        is_path=True,
        decides="form",
    ),
    text_or_texts(
        "git_paths",
        "Path of the source of a page in it, such as posts/{page}.txt or {file}.",
        doc="Paths of the sources of pages in it, such as ``posts/{page}.txt`` or ``{file}``.",
        flags=("--git-path",),
        decides="form",
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
        metavar="FROM,…",
        is_split=True,
    ),
)

_FILES = with_same(
    {"group": "Files"},
    text_or_texts(
        "sections",
        "Separate files for URLs that contain a match of RE, such as blog=/blog/; or by "
        "column:NAME or source.",
        doc="``NAME=PATTERN``, ``column:NAME`` or ``source``; the first match counts.",
        flags=("--section",),
        metavar="NAME=RE",
    ),
    switch("gzip", "Compress the files, such as sitemap.xml.gz.", decides="form"),
    number(
        "max_urls",
        "Maximum number of URLs in a file (50,000).",
        default=MAX_URLS,
        minimum=1,
        maximum=MAX_URLS,
        decides="form",
    ),
    number(
        "max_bytes",
        "Maximum size of a file in bytes, uncompressed (52,428,800).",
        default=MAX_BYTES,
        unit="bytes",
        minimum=1,
        maximum=MAX_BYTES,
        decides="form",
    ),
    Option(
        "name",
        "Name of the files, without suffix (sitemap).",
        default="sitemap",
        metavar="NAME",
        decides="form",
    ),
    Option(
        "name_pattern",
        "Names of several files: {name}-{section}-{number:03}.",
        doc="Names of several files: ``{name}-{section}-{number:03}``.",
        metavar="PATTERN",
        decides="form",
    ),
    Option(
        "format",
        "Format of the files: sitemaps, or lists of URLs.",
        type=FileFormat,
        default="xml",
        decides="form",
    ),
    Option(
        "index",
        "Write an index if one is needed (auto), always, or one for each section.",
        type=IndexMode,
        default="auto",
        decides="form",
    ),
    text_or_texts(
        "include_sitemaps",
        "List this sitemap of another system in the index, too, after it was read; "
        "repeatable. Of an index, the sitemaps that it lists.",
        doc="URLs of sitemaps of other systems that the index lists, too, after they were read. Of "
        "an index, the sitemaps that it lists.",
        flags=("--include-sitemap",),
        metavar="URL",
    ),
    Option(
        "stylesheet",
        "CSS file that shows the sitemaps as tables in browsers, such as sitemap.css.",
        metavar="NAME",
        decides="form",
    ),
)

_PUBLISHING = with_same(
    {"group": "Publishing"},
    Option(
        "target",
        "Folder or bucket (s3://, gs://, az://) to publish to; - prints a single sitemap.",
        flags=("--output", "-o"),
        key="output",
        metavar="DIR",
        is_path=True,
    ),
    file(
        "ledger",
        "Record of the published URLs (.urlset/ledger.duckdb).",
        is_path=True,
        decides="run",
    ),
    call.switch(
        "adopt",
        "Take over the sitemaps that another tool published in the folder of --output.",
        doc="Take over the sitemaps that another tool published in the target.",
        decides="form",
    ),
    call.switch(
        "compact",
        "Rewrite all files, each as full as possible.",
        decides="run",
    ),
    file(
        "robots",
        "Update the Sitemap lines of this robots.txt.",
        is_path=True,
        decides="run",
    ),
    file(
        "changes",
        "Write the added, changed and removed URLs to FILE, as JSON lines.",
        doc="File to which added, changed and removed URLs are written, as JSON lines, when the "
        "set is published.",
        is_path=True,
        decides="run",
    ),
    Option(
        "grace",
        "Delete files that are no longer listed after this time, such as 36h or 7d.",
        annotation="str | timedelta",
        stored="timedelta",
        doc="Delete files that are no longer listed after this time: a timedelta, or a text "
        "such as ``36h`` or ``7d``.",
        default=timedelta(0),
        metavar="SPAN",
        decides="run",
    ),
    Option(
        "cache_control",
        "Cache-Control header of files in a bucket (max-age=3600).",
        annotation="str | None",
        default="max-age=3600",
        metavar="TEXT",
        decides="form",
    ),
    Option(
        "encoding",
        "Content-Encoding header of .xml and .txt files in a bucket.",
        type=Encoding,
        decides="form",
    ),
)

_SAFETY = with_same(
    {"group": "Safety"},
    call.switch(
        "dry_run",
        "Report what would be written, without writing.",
        decides="run",
    ),
    text_or_texts(
        "why",
        "Explain why this URL is listed, or why not, without writing.",
        doc="URLs to explain in :attr:`urlset.builder.Build.why`, without writing.",
        metavar="URL",
        allowed=NOT_IN_FILE,
        decides="run",
    ),
    Option(
        "on_error",
        "For an invalid entry or unreadable source: fail without writing, or exclude the "
        "entry, keep what is published of the source, and exit with 1.",
        type=OnError,
        doc="``raise`` at an invalid entry or unreadable source, without writing; or ``skip`` "
        "it: exclude the entry, and keep what is published of the source.",
        default="raise",
        decides="form",
    ),
    file(
        "excluded",
        "Write the excluded URLs to FILE, as JSON lines: URL, source, reason.",
        doc="File to which excluded URLs are written, as JSON lines: URL, source, reason.",
        is_path=True,
        decides="run",
    ),
    Option(
        "min_share",
        "Least number of URLs, as a share of the number that is published: 0.5 (the default) or "
        "50%. --max-removed limits which ones disappear.",
        type=float,
        doc='Least number of URLs, as a share of the number that is published: 0.5 or ``"50%"``.',
        default=0.5,
        metavar="X|N%",
        minimum=0,
        maximum=1,
        is_share=True,
        decides="run",
    ),
    Option(
        "max_removed",
        "Fail (gate shrunk) if more published URLs disappear: N or N%; also those that others "
        "replace.",
        type=str,
        doc='Number (100) or share (``"5%"``) of the published URLs that may disappear; '
        "``min_share`` compares totals only. None for no limit.",
        metavar="N|N%",
        is_number_text=True,
        decides="run",
    ),
    call.texts(
        "force",
        "Skip this safety gate: zero, shrunk, limits, hosts, unreadable, source.",
        annotation="Gate | Iterable[Gate]",
        stored="tuple[Gate, ...]",
        doc="Safety gates to skip: ``zero``, ``shrunk``, ``limits``, ``hosts``, ``unreadable``,"
        " ``source``.",
        metavar="GATE",
        decides="run",
    ),
)

BUILD_OPTIONS: tuple[Option, ...] = (
    common.CONFIG,
    command.switch(
        "as_json", "Print the result as JSON.", flags=("--json",), in_python=".to_dict()"
    ),
    common.QUIET,
    common.VERBOSE,
    Option(
        name="sources",
        type=list[Union[str, dict[str, Any]]],  # noqa: UP007 - a dict: path, kind, map, query, …
        help="Folders of HTML, lists of URLs, tables, databases, access logs, sitemaps, sites, "
        "or -.",
        metavar="[SOURCE]",
        allowed=EVERYWHERE,
        is_argument=True,
    ),
    replace(common.ENGINE, decides="form"),
    *_INPUT,
    *_URLS,
    *_DATES,
    *_FILES,
    *_PUBLISHING,
    *_SAFETY,
    replace(common.POLICY, decides="form"),
    replace(common.AUTH, decides="form"),
    replace(common.CACHE, allowed=PYTHON, decides="form"),
    replace(common.NOW, stored="datetime", factory="current_second", decides="run"),
    common.PROGRESS,
    common.COLOR,
)
"""Options of :func:`urlset.build` and ``urlset build``, in the order of the help."""

_BUILD = {option.name: option for option in BUILD_OPTIONS}


def _of_build(*names: str) -> tuple[Option, ...]:
    return tuple(replace(_BUILD[name], allowed=PYTHON) for name in names)


DUPLICATES = python.option(
    "duplicates",
    "``keep`` writes repeated URLs, too; else they are excluded and reported as rejected.",
    type=Literal["drop", "keep"],
    annotation="Duplicates",
    default="drop",
)
ALLOW_EMPTY = python.switch("allow_empty", "Whether a set without entries may be written.")

WRITE_OPTIONS: tuple[Option, ...] = (
    *_of_build("base_url", "gzip", "max_urls", "max_bytes", "name", "format", "stylesheet"),
    python.option(
        "index",
        "Write an index if one is needed (auto), or always.",
        type=Literal["auto", "always"],
        annotation="WrittenIndex",
        default="auto",
    ),
    python.option(
        "on_error",
        "``raise`` at an invalid entry, without writing; or ``skip`` it.",
        type=OnError,
        annotation="OnError",
        default="raise",
    ),
    DUPLICATES,
    ALLOW_EMPTY,
    *_of_build("dry_run", "now", "progress", "engine"),
)
"""Options of :func:`urlset.write`."""

RENDER_OPTIONS: tuple[Option, ...] = (
    *_of_build("base_url", "gzip", "max_urls", "max_bytes", "format", "stylesheet"),
    DUPLICATES,
    ALLOW_EMPTY,
    python.option(
        "on_rejected",
        "Called with each :class:`urlset.writer.Rejection`, including duplicates. With it, "
        "invalid entries are excluded instead of raised.",
        type=Callable,
        annotation="Callable[[Rejection], None] | None",
    ),
    *_of_build("engine"),
)
"""Options of :func:`urlset.render`."""

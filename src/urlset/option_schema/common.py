"""Options that several commands have: each has one type, range and meaning everywhere.

The options of commands that have few others are here, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Literal

from urlset.option_schema.option import Option, argument, call, command, enabled, patterns, python
from urlset.protocol import READ_LIMIT

AUTH_VARIABLE = "URLSET_AUTH"
"""Environment variable with the credentials, used without ``--auth-file``."""

SOURCES = argument(
    "sources",
    "Sites, URLs of sitemaps, files, folders, or - for stdin.",
    type=list[str],
    metavar="SOURCE",
    in_python="source",
)
SITE = argument("site", "URL of the site or of a sitemap.", metavar="SITE")
ENGINE = call.option(
    "engine",
    "Engine that parses; by default native if it is installed.",
    type=Literal["native", "reference"],
    annotation="str | None",
    doc="``native`` or ``reference``; by default the faster one that is installed.",
)
BASE_URL = Option(
    "base_url",
    "URL at which SOURCE is published: of the folder, or of the file. One that ends with / "
    "is the folder that contains the file.",
    doc="URL at which the source is published: of the folder, or of the file. One that ends"
    " with / is the folder that contains the file.",
    metavar="URL",
    is_url=True,
)
OUTPUT = command.file(
    "output", "Write to this file instead of stdout.", flags=("--output", "-o"), metavar="PATH"
)
REPORT = command.file(
    "report",
    "Write the result with charts to this HTML file, too.",
    doc="HTML file to which the result is written, too, with charts.",
    in_python=".report(path)",
)
WRITE_BASELINE = command.file(
    "write_baseline",
    "Write all findings to this file, for --baseline, and exit with 0.",
    in_python="urlset.Baseline.write",
)
REPORT_FORMAT = command.option(
    "format",
    "Format of the report.",
    type=Literal["text", "json", "github", "sarif", "junit"],
    default="text",
    shows_default=True,
    in_python=".to_dict()",
)
SUMMARY_FORMAT = command.option(
    "format",
    "Format of the result on stdout.",
    type=Literal["text", "json"],
    default="text",
    shows_default=True,
    in_python=".to_dict()",
)
MAX_REQUESTS = call.number(
    "max_requests",
    "Limit of the requests of this run; robots.txt and sitemaps do not count.",
    doc="Limit of the requests of this run; robots.txt and sitemaps do not count. None for no "
    "limit.",
    minimum=1,
)
MAX_MINUTES = call.option(
    "max_minutes",
    "Limit of the duration; what is not visited by then is reported.",
    type=float,
    doc="Limit of the duration; what is not visited by then is reported. None for no limit.",
    metavar="N",
    unit="minutes",
    minimum=0,
)
CONFIRM_AFTER_S = call.seconds(
    "confirm_after_s",
    "Wait before the second visit, which confirms that a page answers 403, 429, 5xx or not at all.",
    default=60.0,
    flags=("--confirm-after",),
    shows_default=True,
)
RECHECK_SITEMAPS = call.number(
    "recheck_sitemaps",
    "Request N sitemaps that have the same date in their index, too, in turn.",
    doc="Sitemaps that are requested although their index has the same date: those first "
    "that were not requested for the longest time.",
    default=10,
    shows_default=True,
)
INCLUDE = patterns(
    "include",
    "Only URLs that contain a match of this regular expression; repeatable.",
    stored="tuple[str, ...]",
    doc="Regular expression, or several; only URLs that contain a match of one count.",
)
EXCLUDE = patterns(
    "exclude",
    "No URLs that contain a match of this regular expression; repeatable.",
    stored="tuple[str, ...]",
    doc="Regular expression, or several; URLs that contain a match of one do not count.",
)
CACHE = call.file(
    "cache",
    "Cache documents of sites in this folder; fetch only those that changed.",
    metavar="DIR",
)
FOLLOW = enabled("follow", "Read the sitemaps that an index lists.")
MAX_BYTES_READ = python.number(
    "max_bytes",
    "Maximum size of a decompressed document; the rest is not read.",
    default=READ_LIMIT,
    unit="bytes",
    minimum=1,
)
CONFIG = command.file(
    "config",
    "Configuration file; by default urlset.toml in this folder or above.",
    in_python="urlset.load_config",
)
QUIET = command.switch("quiet", "Print only the result and failures.", flags=("--quiet", "-q"))
VERBOSE = command.option(
    "verbose",
    "Log stages and retries to stderr; -vv also requests and documents.",
    type=int,
    default=0,
    flags=("--verbose", "-v"),
    metavar="",
    is_count=True,
)
COLOR = command.option(
    "color",
    "Colours: auto is a terminal, unless NO_COLOR is set.",
    type=Literal["auto", "always", "never"],
    default="auto",
    shows_default=True,
)
CONSOLE = (QUIET, VERBOSE, COLOR)
USER_AGENT = command.option(
    "user_agent",
    "User agent, also for the groups of robots.txt.",
    metavar="NAME",
    in_python="Policy.user_agent",
)
TIMEOUT = command.seconds(
    "timeout_s",
    "Time limit of a request with its redirects and retries; by default 300.",
    minimum=0.1,
    in_python="Policy.total_timeout_s",
)
PAGE_NETWORK = (
    USER_AGENT,
    command.option(
        "header",
        "Send this header (Name: value) to every host.",
        type=list[str],
        metavar="LINE",
        in_python="Policy.headers",
    ),
    command.file(
        "auth_file",
        "File with `user:password` or `Bearer TOKEN`, sent only to the origins of the sites "
        f"that you name; by default ${AUTH_VARIABLE}, which holds the same text, not a path.",
        metavar="PATH",
        in_python="auth",
    ),
    command.seconds(
        "delay_s",
        "Minimum time between two requests to a host; by default 0.",
        in_python="Policy.delay_s",
    ),
    command.number(
        "concurrency",
        "Maximum number of concurrent requests, in all and to each host. By default 8 in all, and "
        "4 to each host.",
        minimum=1,
        maximum=256,
        in_python="Policy.concurrency",
    ),
    TIMEOUT,
)
"""Options of the HTTP client; the command line makes ``policy`` and ``auth`` of them."""

NETWORK = (
    *PAGE_NETWORK,
    command.switch(
        "ignore_robots",
        "Search sitemaps also at URLs that robots.txt disallows. Sitemaps that it declares "
        "are always read; pages that it disallows are never visited.",
        in_python="Policy.obey_robots",
    ),
)
"""The same for commands that read sitemaps."""

NETWORK_NAMES = frozenset(option.name for option in NETWORK)
POLICY = python.option(
    "policy",
    "Limits and behaviour of the HTTP client.",
    type=object,
    annotation="Policy | None",
    doc="Limits and behaviour of the HTTP client (:class:`urlset.Policy`).",
)
AUTH = python.option(
    "auth",
    "Bearer token, or user and password; sent to the origin of the site only.",
    type=object,
    annotation="str | tuple[str, str] | None",
    is_hidden=True,
)
PROGRESS = python.option(
    "progress",
    "Callback that receives an urlset.ProgressEvent.",
    type=Callable,
    annotation="Callable[[ProgressEvent], None] | None",
    doc="Called with a :class:`urlset.ProgressEvent`: how much was done so far.",
)
NOW = python.option(
    "now", "Current time; by default the clock's.", type=datetime, annotation="datetime | None"
)
CLIENT = (POLICY, AUTH, PROGRESS)
RULES_OPTIONS = (
    argument(
        "rule",
        "Name or code of a rule, or the start of codes.",
        metavar="[RULE]",
        is_required=False,
    ),
    replace(SUMMARY_FORMAT, in_python="urlset.checker.CATALOGUE"),
    CONFIG,
    *CONSOLE,
)
SCHEMA_OPTIONS = (
    argument(
        "schema",
        "Name of a schema, such as check; without one, all are listed.",
        metavar="[NAME]",
        is_required=False,
    ),
    *CONSOLE,
)
COMPLETION_OPTIONS = (
    argument("shell", "bash, zsh or fish.", type=Literal["bash", "zsh", "fish"], metavar="SHELL"),
    *CONSOLE,
)
REPORT_OPTIONS = (
    argument(
        "stores",
        "Stores (.duckdb) of `audit`, `crawl`, `sync` or `watch --store`, or of `read --output`.",
        type=list[str],
        metavar="STORE",
    ),
    command.option(
        "format",
        "Format of the report: text, or html if the name of the output ends with .html.",
        type=Literal["text", "json", "html"],
        in_python=".to_dict()",
    ),
    replace(OUTPUT, in_python=".report(path)"),
    *CONSOLE,
    PROGRESS,
)
"""Options of :func:`urlset.report` and ``urlset report``, in the order of the help."""
MCP_OPTIONS = (
    command.file(
        "root",
        "The only folder whose files the tools may read; by default the working directory.",
        is_path=True,
        metavar="DIR",
    ),
    command.switch("allow_private", "Allow requests to private addresses and to this machine."),
    command.number(
        "request_budget",
        "Limit of the requests of the session: documents that are read, and visits of pages.",
        default=10_000,
        minimum=1,
    ),
    *CONSOLE,
)

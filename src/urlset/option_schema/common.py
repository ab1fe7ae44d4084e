"""Options that several commands have: each has one type, range and meaning everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from urlset.option_schema.option import COMMAND, NOT_IN_FILE, PYTHON, Option
from urlset.protocol import READ_LIMIT

AUTH_VARIABLE = "URLSET_AUTH"
"""Environment variable with the credentials, used without ``--auth-file``."""

SOURCES = Option(
    name="sources",
    type=list[str],
    help="Sites, URLs of sitemaps, files, folders, or - for stdin.",
    metavar="SOURCE",
    allowed=COMMAND,
    is_argument=True,
    is_required=True,
    in_python="source",
)
SITE = Option(
    name="site",
    help="URL of the site or of a sitemap.",
    metavar="SITE",
    allowed=COMMAND,
    is_argument=True,
    is_required=True,
)
ENGINE = Option(
    name="engine",
    type=Literal["native", "reference"],
    annotation="str | None",
    help="Engine that parses; by default native if it is installed.",
    doc="``native`` or ``reference``; by default the faster one that is installed.",
    allowed=NOT_IN_FILE,
)
BASE_URL = Option(
    name="base_url",
    help="URL at which SOURCE is published: of the folder, or of the file. One that ends with / "
    "is the folder that contains the file.",
    doc="URL at which the source is published: of the folder, or of the file. One that ends"
    " with / is the folder that contains the file.",
    metavar="URL",
    is_url=True,
)
OUTPUT = Option(
    name="output",
    type=Path,
    help="Write to this file instead of stdout.",
    flags=("--output", "-o"),
    metavar="PATH",
    allowed=COMMAND,
)
REPORT = Option(
    name="report",
    type=Path,
    help="Write the result with charts to this HTML file, too.",
    doc="HTML file to which the result is written, too, with charts.",
    metavar="FILE",
    allowed=COMMAND,
    in_python=".report(path)",
)
WRITE_BASELINE = Option(
    name="write_baseline",
    type=Path,
    help="Write all findings to this file, for --baseline.",
    metavar="FILE",
    allowed=COMMAND,
    in_python="urlset.Baseline.write",
)
REPORT_FORMAT = Option(
    name="format",
    type=Literal["text", "json", "github", "sarif", "junit"],
    help="Format of the report.",
    default="text",
    allowed=COMMAND,
    shows_default=True,
    in_python=".to_dict()",
)
SUMMARY_FORMAT = Option(
    name="format",
    type=Literal["text", "json"],
    help="Format of the result on stdout.",
    default="text",
    allowed=COMMAND,
    shows_default=True,
    in_python=".to_dict()",
)
MAX_REQUESTS = Option(
    name="max_requests",
    type=int,
    help="Limit of the requests of this run; robots.txt and sitemaps do not count.",
    doc="Limit of the requests of this run; robots.txt and sitemaps do not count. None for no "
    "limit.",
    metavar="N",
    minimum=1,
    allowed=NOT_IN_FILE,
)
MAX_MINUTES = Option(
    name="max_minutes",
    type=float,
    help="Limit of the duration; what is not visited by then is reported.",
    doc="Limit of the duration; what is not visited by then is reported. None for no limit.",
    metavar="N",
    unit="minutes",
    minimum=0,
    allowed=NOT_IN_FILE,
)
CONFIRM_AFTER_S = Option(
    name="confirm_after_s",
    type=float,
    help="Wait before the second visit, which confirms that a page answers 403, 429, 5xx or not at "
    "all.",
    default=60.0,
    flags=("--confirm-after",),
    metavar="SECONDS",
    unit="seconds",
    minimum=0,
    allowed=NOT_IN_FILE,
    shows_default=True,
)
RECHECK_SITEMAPS = Option(
    name="recheck_sitemaps",
    type=int,
    help="Request N sitemaps that have the same date in their index, too, in turn.",
    doc="Sitemaps that are requested although their index has the same date: those first "
    "that were not requested for the longest time.",
    default=10,
    metavar="N",
    minimum=0,
    allowed=NOT_IN_FILE,
    shows_default=True,
)
INCLUDE = Option(
    name="include",
    type=list[str],
    annotation="Patterns",
    stored="tuple[str, ...]",
    help="Only URLs that contain a match of this regular expression; repeatable.",
    doc="Regular expression, or several; only URLs that contain a match of one count.",
    default=(),
    metavar="RE",
    allowed=NOT_IN_FILE,
)
EXCLUDE = Option(
    name="exclude",
    type=list[str],
    annotation="Patterns",
    stored="tuple[str, ...]",
    help="No URLs that contain a match of this regular expression; repeatable.",
    doc="Regular expression, or several; URLs that contain a match of one do not count.",
    default=(),
    metavar="RE",
    allowed=NOT_IN_FILE,
)
CACHE = Option(
    name="cache",
    type=Path,
    help="Cache documents of sites in this folder; fetch only those that changed.",
    metavar="DIR",
    allowed=NOT_IN_FILE,
)
FOLLOW = Option(
    name="follow",
    type=bool,
    help="Read the sitemaps that an index lists.",
    default=True,
    allowed=NOT_IN_FILE,
    shows_default=True,
)
MAX_BYTES_READ = Option(
    name="max_bytes",
    type=int,
    help="Maximum size of a decompressed document; the rest is not read.",
    default=READ_LIMIT,
    unit="bytes",
    minimum=1,
    allowed=PYTHON,
)
CONFIG = Option(
    name="config",
    type=Path,
    help="Configuration file; by default urlset.toml in this folder or above.",
    metavar="FILE",
    allowed=COMMAND,
    in_python="urlset.load_config",
)
QUIET = Option(
    name="quiet",
    type=bool,
    help="Print only the result and errors.",
    default=False,
    flags=("--quiet", "-q"),
    allowed=COMMAND,
)
VERBOSE = Option(
    name="verbose",
    type=int,
    help="Log stages and retries to stderr; -vv also requests and documents.",
    default=0,
    flags=("--verbose", "-v"),
    metavar="",
    allowed=COMMAND,
    is_count=True,
)
COLOR = Option(
    name="color",
    type=Literal["auto", "always", "never"],
    help="Colours: auto is a terminal, unless NO_COLOR is set.",
    default="auto",
    allowed=COMMAND,
    shows_default=True,
)
USER_AGENT = Option(
    name="user_agent",
    help="User agent, also for the groups of robots.txt.",
    metavar="NAME",
    allowed=COMMAND,
    in_python="Policy.user_agent",
)
TIMEOUT = Option(
    name="timeout_s",
    type=float,
    help="Time limit of a document, with its retries.",
    metavar="SECONDS",
    unit="seconds",
    minimum=0.1,
    allowed=COMMAND,
    in_python="Policy.total_timeout_s",
)
PAGE_NETWORK = (
    USER_AGENT,
    Option(
        name="header",
        type=list[str],
        help="Send this header (Name: value) to every host.",
        metavar="LINE",
        allowed=COMMAND,
        in_python="Policy.headers",
    ),
    Option(
        name="auth_file",
        type=Path,
        help="File with `user:password` or `Bearer TOKEN`, sent only to the hosts of the sites "
        f"that you name; by default ${AUTH_VARIABLE}.",
        metavar="PATH",
        allowed=COMMAND,
        in_python="auth",
    ),
    Option(
        name="delay_s",
        type=float,
        help="Minimum time between two requests to a host.",
        metavar="SECONDS",
        unit="seconds",
        minimum=0,
        allowed=COMMAND,
        in_python="Policy.delay_s",
    ),
    Option(
        name="concurrency",
        type=int,
        help="Maximum number of concurrent requests.",
        metavar="N",
        minimum=1,
        maximum=256,
        allowed=COMMAND,
        in_python="Policy.concurrency",
    ),
    TIMEOUT,
)
"""Options of the HTTP client; the command line makes ``policy`` and ``auth`` of them."""

NETWORK = (
    *PAGE_NETWORK,
    Option(
        name="ignore_robots",
        type=bool,
        help="Search sitemaps also at URLs that robots.txt disallows. Sitemaps that it declares "
        "are always read; pages that it disallows are never visited.",
        default=False,
        allowed=COMMAND,
        in_python="Policy.obey_robots",
    ),
)
"""The same for commands that read sitemaps."""

NETWORK_NAMES = frozenset(option.name for option in NETWORK)
POLICY = Option(
    name="policy",
    type=object,
    annotation="Policy | None",
    help="Limits and behaviour of the HTTP client.",
    doc="Limits and behaviour of the HTTP client (:class:`urlset.Policy`).",
    allowed=PYTHON,
)
AUTH = Option(
    name="auth",
    type=object,
    annotation="str | tuple[str, str] | None",
    help="Bearer token, or user and password; sent to the origin of the site only.",
    is_hidden=True,
    allowed=PYTHON,
)
PROGRESS = Option(
    name="progress",
    type=Callable,
    annotation="Callable[[ProgressEvent], None] | None",
    help="Callback that receives an urlset.ProgressEvent.",
    doc="Called with a :class:`urlset.ProgressEvent`: how much was done so far.",
    allowed=PYTHON,
)
NOW = Option(
    name="now",
    type=datetime,
    annotation="datetime | None",
    help="Current time; by default the clock's.",
    allowed=PYTHON,
)
CLIENT = (POLICY, AUTH, PROGRESS)
RULES_OPTIONS = (
    Option(
        name="rule",
        help="Name or code of a rule, or the start of codes.",
        metavar="[RULE]",
        allowed=COMMAND,
        is_argument=True,
    ),
    replace(SUMMARY_FORMAT, in_python="urlset.checker.CATALOGUE"),
    QUIET,
    VERBOSE,
    COLOR,
)
SCHEMA_OPTIONS = (
    Option(
        name="schema",
        help="Name of a schema, such as check; without one, all are listed.",
        metavar="[NAME]",
        allowed=COMMAND,
        is_argument=True,
    ),
    QUIET,
    VERBOSE,
    COLOR,
)
COMPLETION_OPTIONS = (
    Option(
        name="shell",
        type=Literal["bash", "zsh", "fish"],
        help="bash, zsh or fish.",
        metavar="SHELL",
        allowed=COMMAND,
        is_argument=True,
        is_required=True,
    ),
    QUIET,
    VERBOSE,
    COLOR,
)

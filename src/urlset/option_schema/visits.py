"""Options of the commands that visit a site: audit, crawl, sync and watch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from urlset.option_schema.check import RULE_OPTIONS, SOURCE_OPTIONS
from urlset.option_schema.common import (
    CLIENT,
    COLOR,
    CONFIRM_AFTER_S,
    ENGINE,
    EXCLUDE,
    INCLUDE,
    MAX_MINUTES,
    MAX_REQUESTS,
    NETWORK,
    OUTPUT,
    PAGE_NETWORK,
    QUIET,
    RECHECK_SITEMAPS,
    REPORT,
    SITE,
    SUMMARY_FORMAT,
    VERBOSE,
)
from urlset.option_schema.option import COMMAND, NOT_IN_FILE, PYTHON, Option

WEBHOOK_VARIABLE = "URLSET_WEBHOOK"
"""Environment variable with the URL of the webhook: other users can see arguments."""

_SCOPE = "Scope"

AUDIT_OPTIONS: tuple[Option, ...] = (
    Option(
        name="source",
        help="A site, the URL of a sitemap, or a file or folder with sitemaps.",
        metavar="SOURCE",
        allowed=COMMAND,
        is_argument=True,
        is_required=True,
    ),
    Option(
        name="sample",
        type=int,
        help="Visit only N of the listed URLs, the same share of each section and sitemap.",
        doc="Number of listed URLs to visit; None for all.",
        metavar="N",
        minimum=1,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="seed",
        type=int,
        help="Number that selects the sample.",
        doc="Number that selects the sample: equal seeds select equal URLs.",
        default=1,
        metavar="N",
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    INCLUDE,
    EXCLUDE,
    Option(
        name="crawl",
        type=bool,
        help="Follow links, too, to find pages that are not listed, and listed ones that are "
        "not linked.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="logs",
        type=list[str],
        help="Access log: compare the listed URLs with those that are visited.",
        default=(),
        metavar="FILE",
        allowed=NOT_IN_FILE,
    ),
    MAX_REQUESTS,
    MAX_MINUTES,
    Option(
        name="head_only",
        type=bool,
        help="End the transfer after the head of a page. Contents are not compared then.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="segments",
        type=dict[str, str],
        annotation="Mapping[str, str]",
        help="Parts of the site that the report counts apart, each by an SQL condition over the "
        "columns of its pages: the section [segments] of urlset.toml.",
        doc="Parts of the site that the report counts apart: names, each with an SQL condition "
        "over ``url``, ``section`` and the columns of the table ``pages``.",
        default={},
        allowed=PYTHON,
    ),
    Option(
        name="media",
        type=bool,
        help="Request the images and videos of entries.",
        default=True,
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    Option(
        name="llms_txt",
        type=bool,
        help="Check the links of the site's llms.txt.",
        doc="Whether the links of the llms.txt of the site are checked.",
        default=True,
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    CONFIRM_AFTER_S,
    Option(
        name="indexnow_key",
        is_hidden=True,
        help="Check the file of this IndexNow key; or the URL of the file.",
        metavar="KEY",
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="store",
        type=Path,
        help="Keep the tables in this file (.duckdb). The next audit with it asks only for "
        "changes, and says what is new and what is fixed.",
        metavar="FILE",
        allowed=NOT_IN_FILE,
    ),
    *RULE_OPTIONS,
    *SOURCE_OPTIONS,
    Option(
        name="targets",
        type=bool,
        help="Visit canonical URLs, alternates and links of the llms.txt that are not listed.",
        default=True,
        allowed=PYTHON,
    ),
    Option(
        name="max_media",
        type=int,
        help="Maximum number of media files that are requested.",
        default=10_000,
        minimum=0,
        allowed=PYTHON,
    ),
    Option(
        name="confirm_delay_s",
        type=float,
        help="Time between two requests of the second visit; confirm_after_s if it is less.",
        doc="Time between two requests of the second visit; ``confirm_after_s`` if that is less.",
        default=1.0,
        unit="seconds",
        minimum=0,
        allowed=PYTHON,
    ),
    Option(
        name="max_confirmed",
        type=int,
        help="Maximum number of pages that are visited a second time.",
        default=200,
        minimum=0,
        allowed=PYTHON,
    ),
)
"""Options of :func:`urlset.audit` and ``urlset audit``, in the order of the help."""

CRAWL_OPTIONS: tuple[Option, ...] = (
    replace(SITE, help="URL of the start, as https://example.com/."),
    Option(
        name="store",
        type=Path,
        help="Store (.duckdb) of the pages and links; created if it does not exist.",
        metavar="FILE",
        allowed=COMMAND,
    ),
    REPORT,
    SUMMARY_FORMAT,
    Option(
        name="why",
        type=list[str],
        help="Visit nothing; show how this URL was discovered, as JSON.",
        default=(),
        metavar="URL",
        allowed=COMMAND,
        in_python=".why(url)",
    ),
    Option(
        name="scope",
        type=Literal["host", "folder"],
        annotation="ScopeName",
        help="Visit all pages of the host, or those below the folder of SITE.",
        doc="``host``: all pages of the host; ``folder``: those below the folder of the start.",
        default="host",
        group=_SCOPE,
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    replace(INCLUDE, group=_SCOPE),
    replace(EXCLUDE, group=_SCOPE),
    Option(
        name="max_pages",
        type=int,
        help="Visit at most N pages.",
        doc="Pages to visit.",
        group=_SCOPE,
        metavar="N",
        minimum=0,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="max_depth",
        type=int,
        help="Follow at most N links from SITE or a listed page.",
        doc="Links from the start, or from a listed page, to a page.",
        group=_SCOPE,
        metavar="N",
        minimum=0,
        allowed=NOT_IN_FILE,
    ),
    replace(MAX_MINUTES, group=_SCOPE),
    Option(
        name="read_sitemaps",
        type=bool,
        help="Read the sitemaps first.",
        doc="Read the sitemaps of the site first.",
        default=True,
        group=_SCOPE,
        flags=("--sitemaps",),
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    Option(
        name="follow_links",
        type=bool,
        help="Follow links; without, visit only listed pages.",
        doc="Follow the links of pages; if not, only listed URLs are visited.",
        default=True,
        group=_SCOPE,
        flags=("--links",),
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    CONFIRM_AFTER_S,
    *PAGE_NETWORK,
    QUIET,
    VERBOSE,
    COLOR,
    *CLIENT,
)
"""Options of :func:`urlset.crawl` and ``urlset crawl``, in the order of the help."""

SYNC_OPTIONS: tuple[Option, ...] = (
    SITE,
    Option(
        name="store",
        type=Path,
        help="Store of what the index has (.duckdb); created if it does not exist.",
        metavar="FILE",
        allowed=COMMAND,
    ),
    replace(
        OUTPUT,
        help="Append to this file instead of writing to stdout. A line that a killed run left "
        "incomplete is removed first.",
        in_python=".to_jsonl(path)",
    ),
    Option(
        name="text",
        type=bool,
        annotation="TextOf | bool | None",
        doc="Whether the text of the pages is included; or a function that returns it, from the "
        "bytes of a page and its ``Content-Type``.",
        help="Whether the text of the pages is included.",
        default=True,
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    Option(
        name="batch_size",
        type=int,
        help="Pages of one batch.",
        doc="Pages that are requested for one batch, and removed or unknown ones in one.",
        default=100,
        metavar="N",
        minimum=1,
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    Option(
        name="recheck_pages",
        type=int,
        help="Request N pages that have the same lastmod, too, in turn.",
        doc="Pages that are requested although their ``lastmod`` is the same, in turn: those "
        "first that were not requested for the longest time. Pages without a ``lastmod`` are "
        "requested in every run.",
        default=100,
        metavar="N",
        minimum=0,
        allowed=NOT_IN_FILE,
        shows_default=True,
    ),
    RECHECK_SITEMAPS,
    Option(
        name="max_removed_share",
        type=float,
        help="Largest share of the pages that may be removed at once because no sitemap lists "
        "them, such as 0.1 or 10%; above it they are unknown. Default: 0.5 of 20 or more pages. "
        "Similar: --max-removed of diff, --min-share of build.",
        doc="Largest share of the known pages that may be removed at once because no sitemap "
        "lists them; above it they are unknown. None for 0.5 of 20 or more pages, and no limit "
        "for fewer.",
        metavar="X|N%",
        minimum=0,
        maximum=1,
        is_share=True,
        allowed=NOT_IN_FILE,
    ),
    MAX_REQUESTS,
    MAX_MINUTES,
    Option(
        name="dry_run",
        type=bool,
        help="Print the updates and change no file: neither the store nor that of --output. The "
        "requests are the same.",
        doc="Whether nothing is stored: the run works on a temporary copy of the store, and a "
        "commit changes the copy. The requests are the same.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    *NETWORK,
    ENGINE,
    QUIET,
    VERBOSE,
    COLOR,
    *CLIENT,
)
"""Options of :func:`urlset.sync` and ``urlset sync``, in the order of the help."""

WATCH_OPTIONS: tuple[Option, ...] = (
    SITE,
    Option(
        name="store",
        type=Path,
        help="Store of the history (.duckdb); created if it does not exist.",
        metavar="FILE",
        allowed=COMMAND,
    ),
    RECHECK_SITEMAPS,
    Option(
        name="webhook",
        is_hidden=True,
        help=f"Post new alerts to this URL; by default ${WEBHOOK_VARIABLE}. It is neither logged "
        "nor stored.",
        metavar="URL",
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="webhook_format",
        type=Literal["slack", "discord", "ntfy", "json"],
        annotation="WebhookFormat | None",
        help="Format of that message; by default that of the host, or json.",
        doc="Format of the message: ``slack``, ``discord``, ``ntfy`` or ``json``; None for that "
        "of the host.",
        allowed=NOT_IN_FILE,
    ),
    replace(REPORT, allowed=NOT_IN_FILE),
    SUMMARY_FORMAT,
    *NETWORK,
    ENGINE,
    QUIET,
    VERBOSE,
    COLOR,
    *CLIENT,
)
"""Options of :func:`urlset.watch` and ``urlset watch``, in the order of the help."""

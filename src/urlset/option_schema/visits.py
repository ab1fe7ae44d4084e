"""Options of the commands that visit a site: audit, crawl, sync and watch."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from urlset.option_schema import common
from urlset.option_schema.check import RULE_OPTIONS, SOURCE_OPTIONS
from urlset.option_schema.option import (
    NOT_IN_FILE,
    Option,
    argument,
    call,
    command,
    enabled,
    python,
    with_same,
)

WEBHOOK_VARIABLE = "URLSET_WEBHOOK"
"""Environment variable with the URL of the webhook: other users can see arguments."""

AUDIT_OPTIONS: tuple[Option, ...] = (
    argument(
        "source",
        "A site, the URL of a sitemap, or a file or folder with sitemaps.",
        metavar="SOURCE",
    ),
    call.number(
        "sample",
        "Visit only N of the listed URLs, chosen at random: the same share of each section and "
        "sitemap.",
        doc="Number of listed URLs to visit, chosen at random by ``seed``; None for all.",
        minimum=1,
    ),
    call.option(
        "seed",
        "Number that selects the sample.",
        type=int,
        doc="Number that selects the sample: equal seeds select equal URLs.",
        default=1,
        metavar="N",
        shows_default=True,
    ),
    common.INCLUDE,
    common.EXCLUDE,
    call.switch(
        "crawl",
        "Follow links, too, to find pages that are not listed, and listed ones that are "
        "not linked.",
    ),
    call.texts(
        "logs",
        "Access log: compare the listed URLs with those that are visited.",
        annotation="StrPath | Iterable[StrPath]",
        doc="Access log, or several: compare the listed URLs with those that are visited.",
        metavar="FILE",
    ),
    common.MAX_REQUESTS,
    common.MAX_MINUTES,
    call.switch(
        "head_only", "End the transfer after the head of a page. Contents are not compared then."
    ),
    python.option(
        "segments",
        "Parts of the site that the report counts apart, each by an SQL condition over the "
        "columns of its pages: the section [segments] of urlset.toml.",
        type=dict[str, str],
        annotation="Mapping[str, str]",
        doc="Parts of the site that the report counts apart: names, each with an SQL condition "
        "over ``url``, ``section`` and the columns of the table ``pages``.",
        default={},
    ),
    enabled("media", "Request the images and videos of entries."),
    enabled(
        "llms_txt",
        "Check the links of the site's llms.txt.",
        doc="Whether the links of the llms.txt of the site are checked.",
    ),
    common.CONFIRM_AFTER_S,
    call.option(
        "indexnow_key",
        "Check the file of this IndexNow key; or the URL of the file.",
        is_hidden=True,
        metavar="KEY",
    ),
    call.file(
        "store",
        "Keep the tables in this file (.duckdb). The next audit with it asks only for "
        "changes, and says what is new and what is fixed.",
    ),
    *RULE_OPTIONS,
    *SOURCE_OPTIONS,
    python.on_by_default(
        "targets", "Visit canonical URLs, alternates and links of the llms.txt that are not listed."
    ),
    python.number("max_media", "Maximum number of media files that are requested.", default=10_000),
    python.seconds(
        "confirm_delay_s",
        "Time between two requests of the second visit; confirm_after_s if it is less.",
        doc="Time between two requests of the second visit; ``confirm_after_s`` if that is less.",
        default=1.0,
    ),
    python.number(
        "max_confirmed", "Maximum number of pages that are visited a second time.", default=200
    ),
)
"""Options of :func:`urlset.audit` and ``urlset audit``, in the order of the help."""

_SCOPE = with_same(
    {"group": "Scope"},
    call.option(
        "scope",
        "Visit all pages of the host, or those below the folder of SITE.",
        type=Literal["host", "folder"],
        annotation="ScopeName",
        doc="``host``: all pages of the host; ``folder``: those below the folder of the start.",
        default="host",
        shows_default=True,
    ),
    common.INCLUDE,
    common.EXCLUDE,
    call.number("max_pages", "Visit at most N pages.", doc="Pages to visit."),
    call.number(
        "max_depth",
        "Follow at most N links from SITE or a listed page.",
        doc="Links from the start, or from a listed page, to a page.",
    ),
    common.MAX_MINUTES,
    enabled(
        "read_sitemaps",
        "Read the sitemaps first.",
        doc="Read the sitemaps of the site first.",
        flags=("--sitemaps",),
    ),
    enabled(
        "follow_links",
        "Follow links; without, visit only listed pages.",
        doc="Follow the links of pages; if not, only listed URLs are visited.",
        flags=("--links",),
    ),
)

CRAWL_OPTIONS: tuple[Option, ...] = (
    replace(common.SITE, help="URL of the start, as https://example.com/."),
    command.file(
        "store", "Required: store (.duckdb) of the pages and links; created if it does not exist."
    ),
    common.REPORT,
    common.SUMMARY_FORMAT,
    command.texts(
        "why",
        "Visit nothing; print how this URL was discovered, as a JSON line.",
        metavar="URL",
        in_python=".why(url)",
    ),
    *_SCOPE,
    common.CONFIRM_AFTER_S,
    *common.PAGE_NETWORK,
    *common.CONSOLE,
    *common.CLIENT,
)
"""Options of :func:`urlset.crawl` and ``urlset crawl``, in the order of the help."""

SYNC_OPTIONS: tuple[Option, ...] = (
    common.SITE,
    command.file(
        "store", "Required: store of what the index has (.duckdb); created if it does not exist."
    ),
    replace(
        common.OUTPUT,
        help="Append to this file instead of writing to stdout. A line that a killed run left "
        "incomplete is removed first.",
        in_python=".to_jsonl(path)",
    ),
    enabled(
        "text",
        "Whether the text of the pages is included.",
        annotation="TextOf | bool | None",
        doc="Whether the text of the pages is included; or a function that returns it, from the "
        "bytes of a page and its ``Content-Type``.",
    ),
    call.number(
        "batch_size",
        "Pages of one batch.",
        doc="Pages that are requested for one batch, and removed or unknown ones in one.",
        default=100,
        minimum=1,
        shows_default=True,
    ),
    call.number(
        "recheck_pages",
        "Request N pages that have the same lastmod, too, in turn.",
        doc="Pages that are requested although their ``lastmod`` is the same, in turn: those "
        "first that were not requested for the longest time. Pages without a ``lastmod`` are "
        "requested in every run.",
        default=100,
        shows_default=True,
    ),
    common.RECHECK_SITEMAPS,
    call.option(
        "max_removed_share",
        "Largest share of the pages that may be removed at once because no sitemap lists "
        "them, such as 0.1 or 10%; above it they are unknown. Default: 0.5 of 20 or more pages. "
        "Similar: --max-removed of diff and build.",
        type=float,
        doc="Largest share of the known pages that may be removed at once because no sitemap "
        'lists them, 0.1 or ``"10%"``; above it they are unknown. None for 0.5 of 20 or more '
        "pages, and no limit for fewer.",
        metavar="X|N%",
        minimum=0,
        maximum=1,
        is_share=True,
    ),
    common.MAX_REQUESTS,
    common.MAX_MINUTES,
    call.switch(
        "dry_run",
        "Print the updates and change no file: neither the store nor that of --output. The "
        "requests are the same.",
        doc="Whether nothing is stored: the run works on a temporary copy of the store, and a "
        "commit changes the copy. The requests are the same.",
    ),
    *common.NETWORK,
    common.ENGINE,
    *common.CONSOLE,
    *common.CLIENT,
)
"""Options of :func:`urlset.sync` and ``urlset sync``, in the order of the help."""

WATCH_OPTIONS: tuple[Option, ...] = (
    common.SITE,
    command.file(
        "store", "Required: store of the history (.duckdb); created if it does not exist."
    ),
    common.RECHECK_SITEMAPS,
    call.option(
        "webhook",
        f"Post new alerts to this URL; by default ${WEBHOOK_VARIABLE}. It is neither logged "
        "nor stored.",
        is_hidden=True,
        metavar="URL",
    ),
    call.option(
        "webhook_format",
        "Format of that message; by default that of the host, or json.",
        type=Literal["slack", "discord", "ntfy", "json"],
        annotation="WebhookFormat | None",
        doc="Format of the message: ``slack``, ``discord``, ``ntfy`` or ``json``; None for that "
        "of the host.",
    ),
    replace(common.REPORT, allowed=NOT_IN_FILE),
    common.SUMMARY_FORMAT,
    *common.NETWORK,
    common.ENGINE,
    *common.CONSOLE,
    *common.CLIENT,
)
"""Options of :func:`urlset.watch` and ``urlset watch``, in the order of the help."""

"""Options of ``urlset build``, with their help texts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from urlset.protocol import MAX_BYTES, MAX_URLS

# Groups of options in the help.
INPUT, URLS, DATES = "Input", "URLs", "Dates"
FILES, PUBLISHING, SAFETY = "Files", "Publishing", "Safety"


class OnErrorName(StrEnum):
    """What to do with an invalid entry."""

    stop = "raise"
    skip = "skip"


class FormatName(StrEnum):
    """Formats of the files."""

    xml = "xml"
    text = "text"


class IndexName(StrEnum):
    """When an index is written."""

    auto = "auto"
    always = "always"
    section = "section"


class EncodingName(StrEnum):
    """Content encodings of files in a bucket."""

    gzip = "gzip"


Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOURCE",
        help="Folders of HTML, lists of URLs, tables, databases, access logs, sitemaps, sites, "
        "or -.",
        show_default=False,
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Folder or bucket (s3://, gs://, az://) to publish to; - prints a single sitemap.",
        rich_help_panel=PUBLISHING,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="URL at which DIR is served; by default the root of the site of the first URL.",
        rich_help_panel=URLS,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Configuration file; by default urlset.toml in this folder or above."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Report what would be written, without writing.", rich_help_panel=SAFETY
    ),
]
Why = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        help="Explain why this URL is listed, or why not, without writing.",
        rich_help_panel=SAFETY,
    ),
]
OnError = Annotated[
    OnErrorName | None,
    typer.Option(
        help="For an invalid entry: fail without writing, or exclude it and exit with 1.",
        rich_help_panel=SAFETY,
    ),
]

# ── sources ──

Mapping = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="TO=FROM,…",
        help="Columns of a table, such as loc=url,lastmod=updated_at.",
        rich_help_panel=INPUT,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        metavar="SQL",
        help="Query over a database, or over a file as the table input.",
        rich_help_panel=INPUT,
    ),
]
QueryTimeout = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Time limit of the query over a file; 0 for none.  [default: 600]",
        rich_help_panel=INPUT,
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Table to read from a database file with several tables.",
        rich_help_panel=INPUT,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="MARK",
        help="Delimiter of CSV; by default detected from the header.",
        rich_help_panel=INPUT,
    ),
]
StripHtml = Annotated[
    bool | None,
    typer.Option(help="about.html is served as /about.", rich_help_panel=INPUT),
]
TrailingSlash = Annotated[
    bool | None,
    typer.Option(
        help="Pages and folders are served as /about/ and /blog/, or as /about and /blog.",
        rich_help_panel=INPUT,
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="WHAT,…",
        help="Add these facts of pages: images, videos, news, alternates.",
        rich_help_panel=INPUT,
    ),
]
GitRoot = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Git folder with the sources of the pages, for their dates.",
        rich_help_panel=DATES,
    ),
]
GitPaths = Annotated[
    list[str] | None,
    typer.Option(
        "--git-path",
        metavar="PATTERN",
        help="Path of the source of a page in it, such as posts/{page}.txt or {file}.",
        rich_help_panel=DATES,
    ),
]
KeepParameters = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-parameter",
        metavar="NAME",
        help="Query parameter in logs that identifies a page, such as id.",
        rich_help_panel=INPUT,
    ),
]

MinHits = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Minimum number of successful requests of a URL in logs (1).",
        rich_help_panel=INPUT,
    ),
]

# ── URLs and dates ──

Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="keep|drop:RE",
        help="Keep or drop URLs that contain a match of RE, such as drop:/drafts/. The first "
        "matching filter decides.",
        rich_help_panel=URLS,
    ),
]
Rewrites = Annotated[
    list[str] | None,
    typer.Option(
        "--rewrite",
        metavar="RE=>TEXT",
        help="Replace matches of RE in URLs, before any filter: '^http:=>https:'.",
        rich_help_panel=URLS,
    ),
]
ObeyRobots = Annotated[
    Path | None,
    typer.Option(
        "--obey-robots",
        metavar="FILE",
        help="Exclude URLs that this robots.txt disallows.",
        rich_help_panel=URLS,
    ),
]
Lastmod = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FROM,…",
        help="Evidence for dates, best first: given,page,git,content,header; also mtime and "
        "created; or none.",
        rich_help_panel=DATES,
    ),
]
Sections = Annotated[
    list[str] | None,
    typer.Option(
        "--section",
        metavar="NAME=RE",
        help="Separate files for URLs that contain a match of RE, such as blog=/blog/; or by "
        "column:NAME or source.",
        rich_help_panel=FILES,
    ),
]

# ── files ──

Gzip = Annotated[
    bool | None,
    typer.Option(help="Compress the files, such as sitemap.xml.gz.", rich_help_panel=FILES),
]
MaxUrls = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MAX_URLS,
        help="Maximum number of URLs in a file (50,000).",
        rich_help_panel=FILES,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MAX_BYTES,
        help="Maximum size of a file in bytes, uncompressed (52,428,800).",
        rich_help_panel=FILES,
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of the files, without suffix (sitemap).",
        rich_help_panel=FILES,
    ),
]
NamePattern = Annotated[
    str | None,
    typer.Option(
        "--name-pattern",
        metavar="PATTERN",
        help="Names of several files: {name}-{section}-{number:03}.",
        rich_help_panel=FILES,
    ),
]
Format = Annotated[
    FormatName | None,
    typer.Option(
        "--format", help="Format of the files: sitemaps, or lists of URLs.", rich_help_panel=FILES
    ),
]
Index = Annotated[
    IndexName | None,
    typer.Option(
        help="Write an index if one is needed (auto), always, or one for each section.",
        rich_help_panel=FILES,
    ),
]
Stylesheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="CSS file that shows the sitemaps as tables in browsers, such as sitemap.css.",
        rich_help_panel=FILES,
    ),
]

# ── publication ──

LedgerFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Record of the published URLs (.urlset/ledger.duckdb).",
        rich_help_panel=PUBLISHING,
    ),
]
TrustMtime = Annotated[
    bool | None,
    typer.Option(
        help="Skip pages whose file is unchanged by its size and times; the default.",
        rich_help_panel=INPUT,
    ),
]
Adopt = Annotated[
    bool,
    typer.Option(
        "--adopt",
        help="Take over the sitemaps that another tool published in DIR.",
        rich_help_panel=PUBLISHING,
    ),
]
Compact = Annotated[
    bool,
    typer.Option(
        "--compact", help="Rewrite all files, each as full as possible.", rich_help_panel=PUBLISHING
    ),
]
Robots = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Update the Sitemap lines of this robots.txt.",
        rich_help_panel=PUBLISHING,
    ),
]
Changes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the added, changed and removed URLs to FILE, as JSON lines.",
        rich_help_panel=PUBLISHING,
    ),
]
ExcludedFile = Annotated[
    Path | None,
    typer.Option(
        "--excluded",
        metavar="FILE",
        help="Write the excluded URLs to FILE, as JSON lines: URL, source, reason.",
        rich_help_panel=SAFETY,
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(
        "--host", metavar="HOST", help="Allow URLs of this host, too.", rich_help_panel=URLS
    ),
]
MinShare = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Share of the published URLs that must remain (0.5).",
        rich_help_panel=SAFETY,
    ),
]
Force = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GATE",
        help="Skip this safety gate: zero, shrunk, limits, hosts, unreadable.",
        rich_help_panel=SAFETY,
    ),
]
Grace = Annotated[
    str | None,
    typer.Option(
        metavar="SPAN",
        help="Delete files that are no longer listed after this time, such as 36h or 7d.",
        rich_help_panel=PUBLISHING,
    ),
]
CacheControl = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Cache-Control header of files in a bucket (max-age=3600).",
        rich_help_panel=PUBLISHING,
    ),
]
Encoding = Annotated[
    EncodingName | None,
    typer.Option(
        help="Content-Encoding header of .xml and .txt files in a bucket.",
        rich_help_panel=PUBLISHING,
    ),
]

"""What ``urlset build`` is asked for: its options, and the words that help has for each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from urlset.protocol import MAX_BYTES, MAX_URLS

# The groups of the help.
INPUT, URLS, DATES = "Input", "URLs", "Dates"
FILES, PUBLISHING, SAFETY = "Files", "Publishing", "Safety"


class OnErrorWord(StrEnum):
    """What becomes of an entry that may not be written."""

    stop = "raise"
    skip = "skip"


class FormWord(StrEnum):
    """What the files are."""

    xml = "xml"
    text = "text"


class IndexWord(StrEnum):
    """When there is an index."""

    auto = "auto"
    always = "always"
    section = "section"


class EncodingWord(StrEnum):
    """How a bucket serves files."""

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
        help="Folder or bucket (s3://, gs://, az://) to publish into; - prints one sitemap.",
        rich_help_panel=PUBLISHING,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Address at which DIR is served; by default the site of the first URL.",
        rich_help_panel=URLS,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Configuration; by default urlset.toml, here or above."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Tell what would be written; write none.", rich_help_panel=SAFETY
    ),
]
Why = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        help="Tell why this URL is listed as it is, or not; write none.",
        rich_help_panel=SAFETY,
    ),
]
OnError = Annotated[
    OnErrorWord | None,
    typer.Option(
        help="At a bad entry, stop and write none, or leave it out and exit with 1.",
        rich_help_panel=SAFETY,
    ),
]

# ── sources ──

Mapping = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="TO=FROM,…",
        help="Columns of a table: loc=url,lastmod=updated_at.",
        rich_help_panel=INPUT,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        metavar="SQL", help="Rows of a database, or of a file (FROM input).", rich_help_panel=INPUT
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
        metavar="NAME", help="Table of a database file that has several.", rich_help_panel=INPUT
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="MARK",
        help="What stands between the cells of CSV, where its header does not tell.",
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
        help="Take from pages, too: images, videos, news, alternates.",
        rich_help_panel=INPUT,
    ),
]
GitRoot = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Folder in git that the pages are built from, for their dates.",
        rich_help_panel=DATES,
    ),
]
GitPaths = Annotated[
    list[str] | None,
    typer.Option(
        "--git-path",
        metavar="PATTERN",
        help="Where in it the source of a page lies: posts/{page}.txt, {file}.",
        rich_help_panel=DATES,
    ),
]
KeepParameters = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-parameter",
        metavar="NAME",
        help="Query parameter of a log that makes another page: id.",
        rich_help_panel=INPUT,
    ),
]

MinHits = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="How often a URL of a log must have been there (1).",
        rich_help_panel=INPUT,
    ),
]

# ── URLs and dates ──

Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="keep|drop:RE",
        help="Keep or drop what RE is found in: drop:/drafts/. The first match wins.",
        rich_help_panel=URLS,
    ),
]
Rewrites = Annotated[
    list[str] | None,
    typer.Option(
        "--rewrite",
        metavar="RE=>TEXT",
        help="Change URLs before all else: '^http:=>https:'.",
        rich_help_panel=URLS,
    ),
]
ObeyRobots = Annotated[
    Path | None,
    typer.Option(
        "--obey-robots",
        metavar="FILE",
        help="Leave out what this robots.txt forbids.",
        rich_help_panel=URLS,
    ),
]
Lastmod = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FROM,…",
        help="Where dates may come from, the best first: given,page,git,content,header; "
        "also mtime, created; or none.",
        rich_help_panel=DATES,
    ),
]
Sections = Annotated[
    list[str] | None,
    typer.Option(
        "--section",
        metavar="NAME=RE",
        help="Files of their own for what RE is found in: blog=/blog/; or column:NAME, source.",
        rich_help_panel=FILES,
    ),
]

# ── files ──

Gzip = Annotated[
    bool | None,
    typer.Option(help="Compress the files: sitemap.xml.gz.", rich_help_panel=FILES),
]
MaxUrls = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MAX_URLS,
        help="Most URLs in a file (50,000).",
        rich_help_panel=FILES,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MAX_BYTES,
        help="Most bytes in a file, unpacked (52,428,800).",
        rich_help_panel=FILES,
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of the files, without its ending (sitemap).",
        rich_help_panel=FILES,
    ),
]
NamePattern = Annotated[
    str | None,
    typer.Option(
        "--name-pattern",
        metavar="PATTERN",
        help="Names where there are several: {name}-{section}-{number:03}.",
        rich_help_panel=FILES,
    ),
]
Form = Annotated[
    FormWord | None,
    typer.Option("--format", help="Sitemaps (xml), or lists of URLs.", rich_help_panel=FILES),
]
Index = Annotated[
    IndexWord | None,
    typer.Option(
        help="An index where one is needed (auto), always, or for each section.",
        rich_help_panel=FILES,
    ),
]
Stylesheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Show a table to people with a browser: sitemap.css.",
        rich_help_panel=FILES,
    ),
]

# ── publication ──

LedgerFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Memory of what was published (.urlset/ledger.duckdb).",
        rich_help_panel=PUBLISHING,
    ),
]
TrustMtime = Annotated[
    bool | None,
    typer.Option(
        help="Pass over pages whose file is as it was (size, times); by default yes.",
        rich_help_panel=INPUT,
    ),
]
Adopt = Annotated[
    bool,
    typer.Option(
        "--adopt", help="Take over what another tool published in DIR.", rich_help_panel=PUBLISHING
    ),
]
Compact = Annotated[
    bool,
    typer.Option(
        "--compact", help="Pack all files anew, as full as they may be.", rich_help_panel=PUBLISHING
    ),
]
Robots = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Keep the Sitemap lines of this robots.txt up to date.",
        rich_help_panel=PUBLISHING,
    ),
]
Changes = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the URLs added, changed and removed there, as JSON lines.",
        rich_help_panel=PUBLISHING,
    ),
]
ExcludedFile = Annotated[
    Path | None,
    typer.Option(
        "--excluded",
        metavar="FILE",
        help="Write the URLs that are left out there, as JSON lines: URL, source, reason.",
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
        help="Pass this gate: zero, shrunk, limits, hosts, unreadable.",
        rich_help_panel=SAFETY,
    ),
]
Grace = Annotated[
    str | None,
    typer.Option(
        metavar="SPAN",
        help="Remove files that are no longer listed after 36h, 7d.",
        rich_help_panel=PUBLISHING,
    ),
]
CacheControl = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Cache-Control of files in a bucket (max-age=3600).",
        rich_help_panel=PUBLISHING,
    ),
]
Encoding = Annotated[
    EncodingWord | None,
    typer.Option(help="Content-Encoding of .xml and .txt in a bucket.", rich_help_panel=PUBLISHING),
]

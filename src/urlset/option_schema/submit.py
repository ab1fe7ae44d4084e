"""Options of ``urlset.submit`` and ``urlset submit``."""

from __future__ import annotations

from pathlib import Path

from urlset.option_schema.option import NOT_IN_FILE, POLICY, Option

SUBMIT_OPTIONS: tuple[Option, ...] = (
    Option(
        name="to",
        type=list[str],
        help="Channel: indexnow (the default) or google (sitemaps to Search Console).",
        default=("indexnow",),
        metavar="CHANNEL",
        is_split=True,
    ),
    Option(
        name="endpoints",
        type=list[str],
        help="Endpoint of IndexNow instead of https://api.indexnow.org/indexnow, which shares "
        "with all engines.",
        default=("https://api.indexnow.org/indexnow",),
        flags=("--endpoint",),
        metavar="URL",
        group="IndexNow",
    ),
    Option(
        name="announcements",
        type=Path,
        help="File that records what was announced; by default .urlset/announcements.duckdb.",
        default=Path(".urlset/announcements.duckdb"),
        metavar="FILE",
        is_path=True,
    ),
    Option(
        name="announce_all",
        type=bool,
        help="Announce every URL of a ledger or store that was not announced; without it, the "
        "first state is recorded only.",
        default=False,
        flags=("--all",),
        allowed=NOT_IN_FILE,
        group="IndexNow",
    ),
    Option(
        name="sample",
        type=int,
        help="Pages of each host that are visited before anything is sent.  [default: 20]",
        default=20,
        metavar="N",
        minimum=0,
        maximum=1_000,
        group="IndexNow",
    ),
    Option(
        name="preflight",
        type=bool,
        help="Check the key file and pages first; --no-preflight sends without.",
        default=True,
        group="IndexNow",
    ),
    Option(
        name="max_wait_s",
        type=float,
        help="Time to wait for retries, in all.  [default: 900]",
        default=900.0,
        metavar="SECONDS",
        unit="seconds",
        minimum=0,
    ),
    Option(
        name="retry_refused",
        type=bool,
        help="Send again what an engine refused before.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="dry_run",
        type=bool,
        help="Print each request instead of sending it.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="sitemaps",
        type=list[str],
        help="Sitemap to submit, once; by default those of robots.txt.",
        default=(),
        flags=("--sitemap",),
        metavar="URL",
        group="Google",
    ),
    Option(
        name="resubmit",
        type=bool,
        help="Submit sitemaps again that were submitted before.",
        default=False,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        name="property",
        help="Property, exactly as in Search Console: https://www.example.com/ or "
        "sc-domain:example.com.",
        metavar="PROPERTY",
        group="Google",
    ),
    Option(
        name="status",
        type=bool,
        help="Print the sitemaps that Search Console lists, with their state.",
        default=False,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        name="inspect",
        type=int,
        help="Inspect N URLs of --store in Search Console, at most 2,000 a day; the results are "
        "in its table inspections.",
        default=0,
        metavar="N",
        minimum=0,
        maximum=2_000,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        name="store",
        type=Path,
        help="Store with the URLs of the site, of `read --output` or `audit --store`.",
        metavar="FILE",
        is_path=True,
        group="Google",
    ),
    POLICY,
)
"""Options of :func:`urlset.submit` and ``urlset submit``, in the order of the help."""

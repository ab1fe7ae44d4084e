"""Options of ``urlset.submit`` and ``urlset submit``."""

from __future__ import annotations

from pathlib import Path

from urlset.option_schema.common import (
    COLOR,
    CONFIG,
    POLICY,
    PROGRESS,
    QUIET,
    SUMMARY_FORMAT,
    TIMEOUT,
    USER_AGENT,
    VERBOSE,
)
from urlset.option_schema.option import COMMAND, NOT_IN_FILE, PYTHON, Option

KEY_VARIABLE = "URLSET_INDEXNOW_KEY"
"""Environment variable with the keys of IndexNow, used without ``--keys``."""

TOKEN_VARIABLE = "URLSET_GOOGLE_TOKEN"
"""Environment variable with a token for Search Console."""

SUBMIT_OPTIONS: tuple[Option, ...] = (
    Option(
        name="updates",
        help="File of changes (`build --changes`, `diff --format jsonl`), ledger or store; - is "
        "stdin. By default the ledger of `build`.",
        metavar="[CHANGES]",
        allowed=COMMAND,
        is_argument=True,
    ),
    Option(
        name="dry_run",
        type=bool,
        help="Print each request instead of sending it.",
        doc="Whether requests are described in the result instead of sent.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="new_key",
        type=Path,
        help="Create a key of IndexNow and its file in this folder of the site, and exit.",
        metavar="FOLDER",
        allowed=COMMAND,
        group="IndexNow",
    ),
    Option(
        name="keys",
        type=Path,
        annotation="KeysGiven",
        help="File with a key, or with a line HOST KEY [URL of its file] for each host; by "
        f"default ${KEY_VARIABLE}.",
        doc="Keys of IndexNow: one key, or a key by host, or key and URL of its file by host.",
        metavar="FILE",
        is_hidden=True,
        allowed=NOT_IN_FILE,
        group="IndexNow",
    ),
    Option(
        name="endpoints",
        is_hidden=True,
        type=list[str],
        help="Endpoint of IndexNow instead of https://api.indexnow.org/indexnow, which shares "
        "with all engines.",
        default=("https://api.indexnow.org/indexnow",),
        flags=("--endpoint",),
        metavar="URL",
        group="IndexNow",
    ),
    Option(
        name="google_credentials",
        type=Path,
        annotation="str | None",
        help="JSON file of a service account, or a file with a token; by default "
        f"${TOKEN_VARIABLE}, then $GOOGLE_APPLICATION_CREDENTIALS.",
        doc="Token, or content of the JSON file of a service account.",
        metavar="FILE",
        is_hidden=True,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        name="fail_delayed",
        type=bool,
        help="Exit with 1 also if engines have not verified a new key yet.",
        default=False,
        allowed=COMMAND,
    ),
    SUMMARY_FORMAT,
    CONFIG,
    USER_AGENT,
    TIMEOUT,
    QUIET,
    VERBOSE,
    Option(
        name="to",
        type=list[str],
        annotation="Iterable[str]",
        stored="Iterable[str]",
        help="Channel: indexnow (the default) or google (sitemaps to Search Console).",
        default=("indexnow",),
        metavar="CHANNEL",
        is_split=True,
    ),
    Option(
        name="store",
        type=Path,
        help="Store (.duckdb) that records what was announced; by default "
        ".urlset/announcements.duckdb.",
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
        name="preflight_pages",
        type=int,
        help="Pages of each host that are visited before anything is sent.",
        default=20,
        metavar="N",
        minimum=0,
        maximum=1_000,
        group="IndexNow",
        shows_default=True,
    ),
    Option(
        name="preflight",
        type=bool,
        help="Check the key file and pages first; --no-preflight sends without.",
        doc="Whether the key file and the sampled pages are checked.",
        default=True,
        group="IndexNow",
    ),
    Option(
        name="max_wait_s",
        type=float,
        help="Time to wait for retries, in all.",
        doc="Time that the run may wait for retries, in all, in seconds.",
        default=900.0,
        metavar="SECONDS",
        unit="seconds",
        minimum=0,
        shows_default=True,
    ),
    Option(
        name="retry_refused",
        type=bool,
        help="Send again what an engine refused before.",
        doc="Whether URLs that an engine refused before are sent again.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="sitemaps",
        type=list[str],
        annotation="Iterable[str]",
        stored="Iterable[str]",
        help="Sitemap to submit, once; by default those of robots.txt.",
        doc="Sitemaps for Search Console; by default those of robots.txt. Each is submitted once:"
        " engines visit them again by themselves.",
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
        doc="Only return the sitemaps that Search Console lists, with their state.",
        default=False,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        name="inspect",
        type=int,
        help="Inspect N URLs of --inspect-store in Search Console, at most 2,000 a day; the "
        "results are in its table inspections.",
        doc="Number of URLs of ``inspect_store`` to inspect in Search Console, at most 2,000 a "
        "day.",
        default=0,
        metavar="N",
        minimum=0,
        maximum=2_000,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        name="inspect_store",
        type=Path,
        help="Store with the URLs of the site, of `read --output` or `audit --store`.",
        doc="Store with the URLs; its table ``inspections`` gets the results.",
        metavar="FILE",
        is_path=True,
        group="Google",
    ),
    POLICY,
    Option(
        name="google_base",
        help="Origin of the API of Search Console.",
        default="https://searchconsole.googleapis.com",
        allowed=PYTHON,
    ),
    PROGRESS,
    COLOR,
)
"""Options of :func:`urlset.submit` and ``urlset submit``, in the order of the help."""

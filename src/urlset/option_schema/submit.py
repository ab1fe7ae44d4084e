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
from urlset.option_schema.option import (
    COMMAND,
    NOT_IN_FILE,
    PYTHON,
    Option,
    argument,
    file,
    number,
    seconds,
    switch,
    texts,
)

KEY_VARIABLE = "URLSET_INDEXNOW_KEY"
"""Environment variable with the keys of IndexNow, used without ``--keys``."""

TOKEN_VARIABLE = "URLSET_GOOGLE_TOKEN"
"""Environment variable with a token for Search Console."""

SUBMIT_OPTIONS: tuple[Option, ...] = (
    argument(
        "updates",
        "File of changes (`build --changes`, `diff --format jsonl`, `sync`), ledger or store; - is "
        "stdin. By default the ledger of `build`.",
        metavar="[CHANGES]",
        is_required=False,
    ),
    switch(
        "dry_run",
        "Print each request instead of sending it.",
        doc="Whether requests are described in the result instead of sent.",
        allowed=NOT_IN_FILE,
    ),
    file(
        "new_key",
        "Create a key of IndexNow and its file in this folder of the site, and exit.",
        metavar="FOLDER",
        allowed=COMMAND,
        group="IndexNow",
    ),
    file(
        "keys_file",
        "File with a key, or with a line HOST KEY [URL of its file] for each host; by "
        f"default ${KEY_VARIABLE}, which holds the same text, not a path.",
        flags=("--keys",),
        allowed=COMMAND,
        in_python="keys",
        group="IndexNow",
    ),
    Option(
        "keys",
        "Keys of IndexNow: one key, or a key by host, or key and URL of its file by host. "
        "No environment variable is read.",
        type=object,
        annotation="KeysGiven",
        is_hidden=True,
        allowed=PYTHON,
    ),
    texts(
        "endpoints",
        "Endpoint of IndexNow instead of https://api.indexnow.org/indexnow, which shares "
        "with all engines.",
        is_hidden=True,
        default=("https://api.indexnow.org/indexnow",),
        flags=("--endpoint",),
        metavar="URL",
        group="IndexNow",
    ),
    file(
        "google_credentials",
        "JSON file of a service account, or a file with a token; by default "
        f"${TOKEN_VARIABLE}, then $GOOGLE_APPLICATION_CREDENTIALS.",
        annotation="str | None",
        doc="Token, or content of the JSON file of a service account.",
        is_hidden=True,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    switch(
        "fail_delayed",
        "Exit with 1 also if engines have not verified a new key yet.",
        allowed=COMMAND,
    ),
    SUMMARY_FORMAT,
    CONFIG,
    USER_AGENT,
    TIMEOUT,
    QUIET,
    VERBOSE,
    texts(
        "to",
        "Channel: indexnow (the default) or google (sitemaps to Search Console).",
        annotation="Iterable[str]",
        stored="Iterable[str]",
        default=("indexnow",),
        metavar="CHANNEL",
        is_split=True,
    ),
    file(
        "store",
        "Store (.duckdb) that records what was announced; by default .urlset/announcements.duckdb.",
        default=Path(".urlset/announcements.duckdb"),
        is_path=True,
    ),
    switch(
        "announce_all",
        "Announce every URL of a ledger or store that was not announced; without it, the "
        "first state is recorded only.",
        flags=("--all",),
        allowed=NOT_IN_FILE,
        group="IndexNow",
    ),
    number(
        "preflight_pages",
        "Pages of each host that are visited before anything is sent.",
        default=20,
        maximum=1_000,
        group="IndexNow",
        shows_default=True,
    ),
    Option(
        "preflight",
        "Check the key file and pages first; --no-preflight sends without.",
        type=bool,
        doc="Whether the key file and the sampled pages are checked.",
        default=True,
        group="IndexNow",
    ),
    seconds(
        "max_wait_s",
        "Time to wait for retries, in all.",
        doc="Time that the run may wait for retries, in all, in seconds.",
        default=900.0,
        shows_default=True,
    ),
    switch(
        "retry_refused",
        "Send again what an engine refused before.",
        doc="Whether URLs that an engine refused before are sent again.",
        allowed=NOT_IN_FILE,
    ),
    texts(
        "sitemaps",
        "Sitemap to submit, once; by default those of robots.txt.",
        annotation="Iterable[str]",
        stored="Iterable[str]",
        doc="Sitemaps for Search Console; by default those of robots.txt. Each is submitted once:"
        " engines visit them again by themselves.",
        flags=("--sitemap",),
        metavar="URL",
        group="Google",
    ),
    switch(
        "resubmit",
        "Submit sitemaps again that were submitted before.",
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    Option(
        "property",
        "Property, exactly as in Search Console: https://www.example.com/ or "
        "sc-domain:example.com.",
        metavar="PROPERTY",
        group="Google",
    ),
    switch(
        "status",
        "Print the sitemaps that Search Console lists, with their state.",
        doc="Only return the sitemaps that Search Console lists, with their state.",
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    number(
        "inspect",
        "Inspect N URLs of --inspect-store in Search Console, at most 2,000 a day; the "
        "results are in its table inspections.",
        doc="Number of URLs of ``inspect_store`` to inspect in Search Console, at most 2,000 a "
        "day.",
        default=0,
        maximum=2_000,
        allowed=NOT_IN_FILE,
        group="Google",
    ),
    file(
        "inspect_store",
        "Store with the URLs of the site, of `read --output` or `audit --store`.",
        doc="Store with the URLs; its table ``inspections`` gets the results.",
        is_path=True,
        group="Google",
    ),
    POLICY,
    Option(
        "google_base",
        "Origin of the API of Search Console.",
        default="https://searchconsole.googleapis.com",
        allowed=PYTHON,
    ),
    PROGRESS,
    COLOR,
)
"""Options of :func:`urlset.submit` and ``urlset submit``, in the order of the help."""

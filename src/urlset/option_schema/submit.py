"""Options of ``urlset.submit`` and ``urlset submit``."""

from __future__ import annotations

from pathlib import Path

from urlset.option_schema import common
from urlset.option_schema.option import (
    Option,
    argument,
    call,
    command,
    file,
    number,
    on_by_default,
    python,
    seconds,
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
    call.switch(
        "dry_run",
        "Print each request instead of sending it.",
        doc="Whether requests are described in the result instead of sent.",
    ),
    command.file(
        "new_key",
        "Create a key of IndexNow and its file in this folder of the site, and exit.",
        metavar="FOLDER",
        group="IndexNow",
    ),
    command.file(
        "keys_file",
        "File with a key, or with a line HOST KEY [URL of its file] for each host; by "
        f"default ${KEY_VARIABLE}, which holds the same text, not a path.",
        flags=("--keys",),
        in_python="keys",
        group="IndexNow",
    ),
    python.option(
        "keys",
        "Keys of IndexNow: one key, or a key by host, or key and URL of its file by host. "
        "No environment variable is read.",
        type=object,
        annotation="KeysGiven",
        is_hidden=True,
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
    call.file(
        "google_credentials",
        "JSON file of a service account, or a file with a token; by default "
        f"${TOKEN_VARIABLE}, then $GOOGLE_APPLICATION_CREDENTIALS.",
        annotation="str | None",
        doc="Token, or content of the JSON file of a service account.",
        is_hidden=True,
        group="Google",
    ),
    command.switch("fail_delayed", "Exit with 1 also if engines have not verified a new key yet."),
    common.SUMMARY_FORMAT,
    common.CONFIG,
    common.USER_AGENT,
    common.TIMEOUT,
    common.QUIET,
    common.VERBOSE,
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
    call.switch(
        "announce_all",
        "Announce every URL of a ledger or store that was not announced; without it, the "
        "first state is recorded only.",
        flags=("--all",),
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
    on_by_default(
        "preflight",
        "Check the key file and pages first; --no-preflight sends without.",
        doc="Whether the key file and the sampled pages are checked.",
        group="IndexNow",
    ),
    seconds(
        "max_wait_s",
        "Time to wait for retries, in all.",
        doc="Time that the run may wait for retries, in all, in seconds.",
        default=900.0,
        shows_default=True,
    ),
    call.switch(
        "retry_refused",
        "Send again what an engine refused before.",
        doc="Whether URLs that an engine refused before are sent again.",
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
    call.switch("resubmit", "Submit sitemaps again that were submitted before.", group="Google"),
    Option(
        "property",
        "Property, exactly as in Search Console: https://www.example.com/ or "
        "sc-domain:example.com.",
        metavar="PROPERTY",
        group="Google",
    ),
    call.switch(
        "status",
        "Print the sitemaps that Search Console lists, with their state.",
        doc="Only return the sitemaps that Search Console lists, with their state.",
        group="Google",
    ),
    call.number(
        "inspect",
        "Inspect N URLs of --inspect-store in Search Console, at most 2,000 a day; the "
        "results are in its table inspections.",
        doc="Number of URLs of ``inspect_store`` to inspect in Search Console, at most 2,000 a "
        "day.",
        default=0,
        maximum=2_000,
        group="Google",
    ),
    file(
        "inspect_store",
        "Store with the URLs of the site, of `read --output` or `audit --store`.",
        doc="Store with the URLs; its table ``inspections`` gets the results.",
        is_path=True,
        group="Google",
    ),
    common.POLICY,
    python.option(
        "google_base",
        "Origin of the API of Search Console.",
        default="https://searchconsole.googleapis.com",
    ),
    common.PROGRESS,
    common.COLOR,
)
"""Options of :func:`urlset.submit` and ``urlset submit``, in the order of the help."""

"""What was probably meant by an argument or option that a function or command does not have."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from urlset.option_names import is_command, option

if TYPE_CHECKING:
    from urlset.option_schema import Option

_LIMITS = ("limit", "max_pages", "max_requests", "max_urls")
_RATES = ("rate", "max_rate", "rps", "requests_per_second")
_STORES = ("database", "db", "duckdb", "state")
_CONTENT = ("bytes", "content", "data", "file", "filename", "path")
_HOSTS = frozenset("allow_host allow_hosts allowed_host allowed_hosts host hosts".split())

# What callers write for an argument of another name, by function; empty if no name is meant that
# only looks like it. The command has the same table: an option may exist only there.
_MEANT = {
    "audit": {
        "max_pages": "", "limit": "", "max_urls": "", "fail_on": "fail_level",
        **dict.fromkeys(_HOSTS, ""),
        "key": "indexnow_key", "keys": "indexnow_key",
        "recheck_s": "confirm_after_s", "recheck_delay_s": "confirm_delay_s",
        "max_rechecked": "max_confirmed", "allow": "ignore", "disable": "ignore", "skip": "ignore",
        "path": "store", "file": "source",
    },
    "build": {
        "data": "sources", "file": "sources",
        "output": "target", "out": "target", "path": "target", "folder": "target",
        "section": "sections", "filter": "filters", "rewrite": "rewrites",
        "allow_host": "allowed_hosts", "allow_hosts": "allowed_hosts",
        "allowed_host": "allowed_hosts", "host": "", "hosts": "", "store": "ledger",
        "obey_robots": "exclude_by_robots", "match": "include",
        "git_path": "git_paths", "keep_parameter": "keep_parameters",
        "max_removed_share": "max_removed", "report": "",
        **dict.fromkeys(_STORES, "ledger"),
    },
    "check": {
        "url": "base_url", "fail_on": "fail_level", "allow": "ignore", "disable": "ignore",
        "skip": "ignore", "dry_run": "diff",
        **dict.fromkeys(("errors_only", "level", "only_errors", "severity"), "min_level"),
        **dict.fromkeys(_CONTENT, "source"), **dict.fromkeys(("store", *_STORES), "output"),
    },
    "crawl": {
        "output": "", "path": "store", "limit": "max_pages", "depth": "max_depth",
        "max_requests": "max_pages", "max_urls": "max_pages", "recheck_s": "confirm_after_s",
        **dict.fromkeys(_HOSTS, ""),
    },
    "fix": {
        "dry_run": "", "output": "", "diff": "", "report": "", **dict.fromkeys(_CONTENT, "source"),
    },
    "diff": {
        "max_removed_share": "max_removed", "min_share": "max_removed",
        "old": "before", "new": "after", "path": "before", "file": "before", "store": "",
        **dict.fromkeys(_STORES, ""), **dict.fromkeys(_HOSTS, ""),
        **dict.fromkeys(("limit", "max_pages", "max_urls"), "max_requests"),
    },
    "parse": {
        **dict.fromkeys(("file", "filename", "path", *_STORES), ""),
        **dict.fromkeys(("body", "bytes", "content", "text", "xml"), "data"),
    },
    "Policy": {
        "delay": "delay_s", "max_delay": "max_delay_s",
        "timeout": "total_timeout_s",
        "timeout_s": "total_timeout_s", "header": "headers", "agent": "user_agent",
        "ignore_robots": "obey_robots", "proxy": "proxies", "max_concurrency": "concurrency",
    },
    "report": {"report": "output"},
    "submit": {
        **dict.fromkeys(("key", "indexnow_key", "indexnow_keys"), "keys"),
        **dict.fromkeys(("google_auth", "google_token"), "google_credentials"),
        "output": "", "changes": "updates", "ledger": "updates", "sitemap": "sitemaps",
        "file": "updates", "path": "updates", "data": "updates",
        "announcements": "store", "sample": "preflight_pages", "report": "",
        **dict.fromkeys((*_LIMITS, *_HOSTS), ""),
        **dict.fromkeys(("auth", "auth_file", "bearer", "bearer_token", "token"), ""),
    },
    "sync": {
        **dict.fromkeys(("limit", "max_pages", "max_urls"), "max_requests"),
        **dict.fromkeys(("format", "json", "report", *_HOSTS), ""),
        "recheck": "recheck_pages", "max_removed": "max_removed_share",
        "min_share": "max_removed_share", "path": "store",
    },
    "read": {
        "match": "include", "filter": "include", "pattern": "include", "in_scope": "scope",
        "robots": "read_robots", "max_requests": "max_documents", "max_pages": "limit",
        "max_minutes": "", "max_urls": "limit", "store": "", "format": "", "output": "",
        "report": "", **dict.fromkeys(_STORES, ""), **dict.fromkeys(_CONTENT, "source"),
        **dict.fromkeys(_HOSTS - {"hosts"}, "hosts"),
    },
    "watch": {
        "output": "", "path": "store", "recheck": "recheck_sitemaps",
        **dict.fromkeys(("max_removed", "max_removed_share", "min_share", *_LIMITS, *_HOSTS), ""),
    },
    "write": {"output": "target", "out": "target", "folder": "target", "path": "target"},
}  # fmt: skip

_COMMON = {
    **dict.fromkeys(_RATES, ""),
    "max_time": "max_minutes",
    "time_limit": "max_minutes", "max_seconds": "max_minutes", "html": "report",
    **dict.fromkeys(("credentials", "login", "password", "user"), "auth_file"),
    "token": "auth_file", "bearer": "auth_file", "bearer_token": "auth_file", "ledger": "store",
    **dict.fromkeys(_STORES, "store"),
    "exclude_host": "exclude", "exclude_hosts": "exclude",
    **dict.fromkeys(("no_progress", "quiet", "show_progress"), ""),
}  # fmt: skip
"""What callers write for an argument or option, in all functions that have it."""

SUBJECTS = frozenset(("site", "source", "sources", "url", "urls", "sitemap"))
"""What callers write for the first parameter."""

FIRST = {
    **dict.fromkeys(("audit", "check", "fix", "parse", "read"), "source"),
    **dict.fromkeys(("crawl", "sync", "watch"), "site"),
    "build": "sources", "report": "stores", "submit": "updates",
    **dict.fromkeys(("render", "write"), "entries"),
}  # fmt: skip
"""The first parameter of functions."""

_SITE_FIRST = (
    "options of requests are those of read: `urlset read SITE --delay 2 -o site.duckdb`, then "
    "`urlset build site.duckdb`"
)
"""How a site is built whose requests need options."""

_DISALLOWED = "pages that robots.txt disallows are never visited"

_WRITERS = (
    "the result has .to_csv(path), .to_duckdb(path), .to_json(path), .to_jsonl(path), "
    ".to_parquet(path) and .to_text(path)"
)
"""How entries are written to a file in Python."""

_REMOVED_LIMIT = (
    ".removed of the result is the number of a step",
    "after it, `urlset diff STORE@-1 STORE@latest --max-removed N` exits with 1",
)
"""How the removed URLs of a step of watch are limited: in Python, and by the command."""

_REASONS: dict[tuple[str, str], str | Callable[[], str]] = {
    **{("check", name): "check keeps no store" for name in ("store", *_STORES)},
    **{
        ("parse", name): "parse takes the bytes of a document; urlset.read accepts paths and URLs"
        for name in ("file", "filename", "path", *_STORES)
    },
    **{
        ("check", name): "check has no selection of URLs, because rules are about whole documents"
        for name in ("include", "exclude", "scope", *_HOSTS)
    },
    **{
        (verb, name): f"{verb} requests sitemaps only"
        for verb in ("check", "watch")
        for name in _LIMITS
    },
    ("check", "max_minutes"): "check reads sitemaps, each within the time limit of a document",
    ("diff", "max_minutes"): lambda: f"{option('max_requests')} limits its requests",
    **{
        ("submit", name): lambda: (
            f"submit sends batches; {option('preflight_pages')} limits the pages that it visits"
        )
        for name in _LIMITS
    },
    **{
        (function, name): lambda: (
            _pace(option("delay_s"), option("delay_s", "0.5"))
            if is_command()
            else _pace("delay_s of policy=urlset.Policy(…)", "0.5")
        )
        for function in "read check crawl audit diff watch sync".split()
        for name in _RATES
    },
    **dict.fromkeys(
        (("Policy", name) for name in _RATES),
        lambda: _pace("delay_s", "0.5"),
    ),
    **{
        ("submit", name): lambda: _in_policy("delay_s", "the time between requests to a host")
        for name in ("delay", "delay_s")
    },
    ("submit", "concurrency"): lambda: _in_policy(
        "concurrency", "the number of requests at the same time"
    ),
    **{
        ("submit", name): lambda: _in_policy("headers", "a dict of headers of each request")
        for name in ("header", "headers")
    },
    **{
        ("watch", name): lambda: (
            "watch compares whole snapshots; "
            + (
                "`urlset diff STORE@-1 STORE@latest --include PATTERN` selects URLs of them"
                if is_command()
                else 'urlset.diff("STORE@-1", "STORE@latest", include=…) selects URLs of them'
            )
        )
        for name in ("include", "exclude")
    },
    **{
        ("sync", name): "an index gets all listed pages, each as a line with its loc"
        for name in ("include", "exclude")
    },
    **{
        ("submit", name): (
            "all changes are announced; `urlset diff` and `urlset build --changes` write them as "
            "lines to select from"
        )
        for name in ("include", "exclude")
    },
    **{
        (verb, "scope"): lambda: f"{option('include')} selects URLs by a pattern"
        for verb in ("audit", "diff")
    },
    **{
        ("diff", name): "diff keeps no store; before and after may be stores"
        for name in ("store", *_STORES)
    },
    ("submit", "output"): lambda: f"submit prints what it did; {_as_json()} has all numbers",
    **{
        ("read", name): lambda: (
            f"{option('output', 'FILE.duckdb', python='.to_duckdb(path) of the result')} writes a "
            "store"
        )
        for name in ("store", *_STORES)
    },
    ("read", "max_requests"): lambda: (
        f"read has no limit of requests; {option('max_documents')} limits the sitemaps that are "
        "read of those that indexes list"
    ),
    ("read", "format"): _WRITERS,
    ("read", "output"): _WRITERS,
    **{
        ("submit", name): lambda: (
            f"{option('keys_file', python='keys')} has the key of IndexNow, "
            f"{option('google_credentials')} the token of Search Console"
        )
        for name in ("auth", "auth_file", "bearer", "bearer_token", "token")
    },
    **{
        (verb, name): lambda: (
            "listed URLs of all hosts count; "
            f"{option('include', '//HOST/')} selects those of a host"
        )
        for verb in ("audit", "diff")
        for name in _HOSTS
    },
    **{
        (verb, name): text
        for verb, text in (
            (
                "crawl",
                "crawl visits pages of the host of the start only; crawl each host into a store of "
                "its own",
            ),
            ("submit", "URLs of all hosts are announced that have a key"),
            ("sync", "listed pages of all hosts count"),
            ("watch", "listed URLs of all hosts count"),
        )
        for name in _HOSTS
    },
    **{
        ("audit", name): lambda: (
            f"{option('sample')} visits so many of the listed pages, {option('max_requests')} "
            "limits all requests"
        )
        for name in ("limit", "max_pages", "max_urls")
    },
    **{
        ("build", name): lambda: _SITE_FIRST if is_command() else ""
        for name in ("concurrency", "delay", "header", "timeout", "user_agent")
    },
    **{
        ("build", name): lambda: (
            f"build lists only URLs of the host of {option('base_url')}; "
            f"{option('include', '//HOST/')} keeps only those of one host, and "
            f"{option('allowed_hosts')} allows another host, too"
        )
        for name in ("host", "hosts")
    },
    ("build", "auth"): lambda: (
        "$URLSET_AUTH is sent to sites, as auth of urlset.build is" if is_command() else ""
    ),
    **{
        (verb, name): lambda: (
            f"progress is shown by itself; {option('quiet', python='progress=None')} hides it"
            if is_command()
            else "functions print nothing; progress=print prints the progress"
        )
        for verb in "read build check crawl audit diff watch submit sync report".split()
        for name in ("progress", "no_progress", "quiet", "show_progress")
    },
    **{
        ("check", name): lambda: (
            "[[check.rules]] of urlset.toml declares rules of your own" if is_command() else ""
        )
        for name in ("plugin", "plugins", "rules")
    },
    **{
        ("build", name): lambda: "$URLSET_AUTH is sent to sites" if is_command() else ""
        for name in ("auth_file", "bearer", "token")
    },
    ("submit", "key"): lambda: (
        "a key is given in a file with the key, or in $URLSET_INDEXNOW_KEY" if is_command() else ""
    ),
    ("submit", "max_minutes"): lambda: f"{option('max_wait_s')} limits the time between attempts",
    ("fix", "dry_run"): "fix writes nothing, urlset.write_fixed writes its result",
    ("fix", "output"): "fix writes nothing, urlset.write_fixed writes its result",
    ("fix", "diff"): "urlset.unified_diff returns the changes of a fixed document",
    ("read", "max_minutes"): lambda: (
        f"{option('timeout_s', python='policy=urlset.Policy(total_timeout_s=…)')} limits the time "
        "of each document"
    ),
    **{
        ("sync", name): lambda: (
            "sync always writes JSON lines"
            if is_command()
            else ".to_jsonl(path) of the result writes JSON lines"
        )
        for name in ("format", "json")
    },
    ("sync", "report"): lambda: (
        "`urlset report STORE --output report.html` reports on its store"
        if is_command()
        else "urlset.report(store) reports on its store"
    ),
    ("submit", "report"): lambda: f"submit has no report; {_as_json()} has all numbers",
    **{
        ("watch", name): lambda: (
            f"{option('report', 'FILE.html')} writes the result with charts, "
            f"{_as_json()} has it as JSON"
        )
        for name in ("output", "o")
    },
    **{
        ("crawl", name): lambda: (
            f"{option('store', 'FILE.duckdb')} has the pages and links, "
            f"{option('report', 'FILE.html', python='.report(path) of the result')} writes the "
            f"result with charts, {_as_json()} has it as JSON"
        )
        for name in ("output", "o")
    },
    **{
        (function, "report"): lambda: (
            ""
            if is_command()
            else "the results of check, crawl, audit, diff and watch have .report(path)"
        )
        for function in ("build", "fix", "read")
    },
    **{
        ("watch", name): lambda: (
            f"watch has alerts about removed URLs and no limit; {_REMOVED_LIMIT[is_command()]}"
        )
        for name in ("max_removed", "max_removed_share", "min_share")
    },
    ("watch", "max_minutes"): "watch reads sitemaps, each within the time limit of a document",
    **{
        (verb, name): _DISALLOWED
        for verb in ("audit", "crawl", "diff", "submit", "sync")
        for name in ("ignore_robots", "obey_robots")
    },
    ("crawl", "ignore_robots"): lambda: (
        f"{_DISALLOWED}; only in Python, policy=urlset.Policy(obey_robots=False) searches sitemaps "
        "also at URLs that it disallows"
        if is_command()
        else _DISALLOWED
    ),
}
"""Why a function or command has no such option, by its name and the one that was given."""


def _pace(delay: str, example: str) -> str:
    """Return what the argument of the pace of requests means."""
    return f"{delay} is the time between two requests, such as {example} for two in a second"


def _in_policy(name: str, meaning: str) -> str:
    """Return that a command has no option for a field of the policy, which its function has."""
    text = f"in Python, {name} of policy=urlset.Policy(…) is {meaning}"
    return text if is_command() else ""


def _as_json() -> str:
    """Return what has a result as JSON."""
    return f"{option('format')} json" if is_command() else ".to_dict() of the result"


def meant_name(function: str, name: str) -> str | None:
    """Return the parameter or option that is meant by another name; None if that is not known.

    It is empty if none is meant.

    >>> meant_name("crawl", "limit"), meant_name("crawl", "limits"), meant_name("crawl", "url")
    ('max_pages', None, 'site')
    """
    first = FIRST.get(function) if name in SUBJECTS else None
    return _MEANT.get(function, {}).get(name, _COMMON.get(name, first))


def reason_against(function: str, name: str) -> str:
    """Return ``: `` and why a function or command has no such option; empty if that is not known.

    >>> reason_against("check", "store"), reason_against("check", "stor")
    (': check keeps no store', '')
    """
    reason = _REASONS.get((function, name))
    text = reason() if callable(reason) else reason
    return f": {text}" if text else ""


def others_with(function: str, name: str) -> str:
    """Return the end of a message that names the other functions or commands with an option.

    Args:
        function: Name of the function or command that does not have it.
        name: The parameter, or the option with its hyphens.

    >>> others_with("check", "dry_run"), others_with("check", "--tree"), others_with("check", "x")
    ('; build, submit, sync and write have it', '; read has it', '')
    """
    from urlset.option_schema.glossary import VERBS  # only errors need it

    verbs = VERBS if name.startswith("-") else (*VERBS, "fix", "render", "write")
    found = [verb for verb in verbs if verb != function and _has(verb, name)]
    if not found:
        return ""
    *first, last = found
    return f"; {', '.join(first)} and {last} have it" if first else f"; {last} has it"


def _has(verb: str, name: str) -> bool:
    """Return whether a function has a parameter, or a command an option, which has hyphens."""
    from urlset.option_schema import options_of

    if name.startswith("-"):
        flags = [each.flags + each.opposites for each in options_of(verb) if _is_option(each)]
        return any(name in several for several in flags)
    function = getattr(sys.modules["urlset"], verb, None)  # an import would be a cycle
    return callable(function) and name in inspect.signature(function).parameters


def _is_option(option: Option) -> bool:
    return option.is_allowed("command") and not option.is_argument

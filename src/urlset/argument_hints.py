"""What was probably meant by an argument or option that a function or command does not have."""

from __future__ import annotations

from collections.abc import Callable

from urlset.option_names import is_command, option

# Names that callers write for one thing; the tables below say what is meant.
_LIMITS = ("limit", "max_pages", "max_requests", "max_urls")
_RATES = ("rate", "max_rate", "rps", "requests_per_second")
_STORES = ("database", "db", "duckdb", "state")
_CONTENT = ("bytes", "content", "data", "file", "filename", "path")
_ONE_HOST = ("domain", "domains", "host", "hosts", "only_host", "only_hosts")
_HOSTS = frozenset(("allow_host", "allow_hosts", "allowed_host", "allowed_hosts", *_ONE_HOST))
_OUTPUTS = ("out", "out_file", "outfile", "output_file", "save", "save_to", "to_file")
_FORMATS = ("csv", "duckdb", "json", "jsonl", "parquet", "text")
_DRY_RUNS = ("n", "no_op", "no_send", "noop", "preview", "simulate", "simulation")
_TIMES = (
    "deadline duration max_duration max_runtime max_seconds max_time runtime time_limit".split()
)
_FILTERS = ("filter", "match", "pattern")
_EXCEPT = ("except", "omit", "without")
_OFF = (
    "allow", "disable", "off", "skip", *_EXCEPT,
    *(f"{verb}_rule" for verb in ("disable", "exclude", "ignore", "no", "skip")),
    *(f"{verb}_rules" for verb in ("disable", "exclude", "ignore", "no", "skip")),
)  # fmt: skip
_LOWEST = ("errors_only", "level", "only_errors", "severity")
_WORKERS = "connections j jobs max_connections max_workers parallel threads workers".split()
_QUERIES = tuple(
    f"{verb}_{name}"
    for verb in ("drop", "ignore", "strip")
    for name in ("parameters", "params", "query", "query_params")
)
_LOGIN_WORDS = (
    "bearer", "bearer_token", "credential", "credentials", "login", "passwd", "password", "secret",
    "token", "user", "username",
)  # fmt: skip
_LOGIN_FILES = tuple(
    f"{word}_{end}" for word in ("auth", *_LOGIN_WORDS) for end in ("file", "from", "path")
)
_NETRC = ("netrc", "netrc_file")
_WITH_AUTH = ("read", "build", "check", "crawl", "audit", "diff", "watch", "sync")

# What callers write for an argument of another name, by function; empty if no name is meant that
# only looks like it. The command has the same table: an option may exist only there.
_MEANT = {
    "audit": {
        "max_pages": "", "limit": "", "max_urls": "", "fail_on": "fail_level",
        **dict.fromkeys(_HOSTS, ""),
        "key": "indexnow_key", "keys": "indexnow_key",
        "recheck_s": "confirm_after_s", "recheck_delay_s": "confirm_delay_s",
        "max_rechecked": "max_confirmed",
        **dict.fromkeys(set(_OFF) - {*_EXCEPT}, "ignore"),
        "path": "store", "file": "source", "min_level": "", **dict.fromkeys(_LOWEST, ""),
    },
    "build": {
        "data": "sources", "file": "sources",
        "output": "target", "path": "target", "folder": "target",
        "section": "sections", "filter": "filters", "rewrite": "rewrites",
        "allow_host": "allowed_hosts", "allow_hosts": "allowed_hosts",
        "allowed_host": "allowed_hosts", **dict.fromkeys(_ONE_HOST, ""), "store": "ledger",
        "obey_robots": "exclude_by_robots", "pattern": "name_pattern",
        "git_path": "git_paths", "keep_parameter": "keep_parameters",
        "max_removed_share": "max_removed", "report": "",
        **dict.fromkeys(_STORES, "ledger"),
    },
    "check": {
        "url": "base_url", "fail_on": "fail_level", "dry_run": "diff", "exclude": "",
        **dict.fromkeys(_OFF, "ignore"),
        **dict.fromkeys(_LOWEST, "min_level"),
        **dict.fromkeys(_CONTENT, "source"), **dict.fromkeys(("store", *_STORES), "output"),
    },
    "crawl": {
        "output": "", "path": "store", "limit": "max_pages", "depth": "max_depth",
        "max_requests": "max_pages", "max_urls": "max_pages", "recheck_s": "confirm_after_s",
        "skip": "exclude", **dict.fromkeys(_QUERIES, ""),
        **dict.fromkeys(_HOSTS, ""),
    },
    "fix": {
        "dry_run": "", "output": "", "diff": "", "report": "", "exclude": "",
        **dict.fromkeys(_OFF, "ignore"), **dict.fromkeys(_CONTENT, "source"),
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
        **dict.fromkeys(_WORKERS, "concurrency"),
    },
    "report": {"report": "output"},
    "submit": {
        **dict.fromkeys(("key", "indexnow_key", "indexnow_keys"), "keys"),
        **dict.fromkeys(("google_auth", "google_token"), "google_credentials"),
        **dict.fromkeys(("credentials", "credentials_file"), "google_credentials"),
        "output": "", "changes": "updates", "ledger": "updates", "sitemap": "sitemaps",
        "file": "updates", "path": "updates", "data": "updates",
        "announcements": "store", "sample": "preflight_pages", "report": "",
        **dict.fromkeys((*_LIMITS, *_HOSTS), ""),
        "auth": "", "auth_file": "",
    },
    "sync": {
        **dict.fromkeys(("limit", "max_pages", "max_urls"), "max_requests"),
        **dict.fromkeys(("format", "json", "report", *_HOSTS), ""),
        **dict.fromkeys(("cache", "history", "index"), "store"),
        "recheck": "recheck_pages", "max_removed": "max_removed_share",
        "min_share": "max_removed_share", "path": "store",
    },
    "read": {
        "in_scope": "scope", "n": "limit", "head": "limit",
        **dict.fromkeys(_FORMATS, ""),
        **{f"{verb}_{name}": "output" for verb in ("to", "write") for name in _FORMATS},
        "robots": "read_robots", "max_requests": "max_documents", "max_pages": "limit",
        "max_minutes": "", "max_urls": "limit", "store": "", "format": "", "output": "",
        "report": "", **dict.fromkeys(_STORES, ""), **dict.fromkeys(_CONTENT, "source"),
        **dict.fromkeys(_HOSTS - {"hosts"}, "hosts"),
    },
    "watch": {
        "output": "", "path": "store", "recheck": "recheck_sitemaps",
        **dict.fromkeys(("max_removed", "max_removed_share", "min_share", *_LIMITS, *_HOSTS), ""),
    },
    "write": {"output": "target", "folder": "target", "path": "target"},
}  # fmt: skip

_COMMON = {
    **dict.fromkeys(_RATES, ""), **dict.fromkeys(_WORKERS, "concurrency"),
    **dict.fromkeys(_TIMES, "max_minutes"), **dict.fromkeys(_DRY_RUNS, "dry_run"),
    **dict.fromkeys(_FILTERS, "include"), **dict.fromkeys(_EXCEPT, "exclude"),
    **dict.fromkeys(_OUTPUTS, "output"), "html": "report", "ledger": "store",
    **dict.fromkeys(("u", "basic_auth", *_LOGIN_WORDS, *_LOGIN_FILES, *_NETRC), "auth"),
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

_LOGIN_TEXT = 'auth is a token or a pair such as ("user", Path(…).read_text().strip())'
"""How a login is read from a file in Python."""

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
        for name in ("include", "scope", *_HOSTS)
    },
    **{
        (verb, "exclude"): lambda: (
            "rules are about whole documents, so no URLs are selected; "
            f"{option('ignore')} switches a rule off"
        )
        for verb in ("check", "fix")
    },
    **{
        ("crawl", name): lambda: (
            f"crawl changes no URL; {option('exclude', '[?&]sort=')} excludes those with a name"
        )
        for name in _QUERIES
    },
    **{
        ("audit", name): lambda: (
            "an audit has findings of all levels, so that the next one can be compared with it; "
            f"{option('ignore')} leaves out rules"
        )
        for name in ("min_level", *_LOWEST)
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
    **dict.fromkeys(
        (("audit", "scope"), ("diff", "scope")),
        lambda: f"{option('include')} selects URLs by a pattern",
    ),
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
    **{
        ("read", name): lambda: "" if is_command() else _WRITERS
        for name in ("format", "output", "csv", "json", "jsonl", "parquet", "text")
    },
    **{
        ("submit", name): lambda: (
            f"{option('keys_file', python='keys')} has the key of IndexNow, "
            f"{option('google_credentials')} the token of Search Console"
        )
        for name in ("auth", "auth_file")
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
        for name in _ONE_HOST
    },
    **{
        (verb, name): lambda: "" if is_command() else _LOGIN_TEXT
        for verb in _WITH_AUTH
        for name in _LOGIN_FILES
    },
    **{
        (verb, name): lambda: (
            f"a .netrc file is not read{', $URLSET_AUTH is' if is_command() else ''}"
        )
        for verb in _WITH_AUTH
        for name in _NETRC
    },
    ("Policy", "auth"): "a login is the argument auth of a function",
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
    ("build", "auth_file"): lambda: (
        "$URLSET_AUTH is sent to sites" if is_command() else _LOGIN_TEXT
    ),
    ("submit", "key"): lambda: (
        "a key is given in a file with the key, or in $URLSET_INDEXNOW_KEY" if is_command() else ""
    ),
    ("submit", "max_minutes"): lambda: f"{option('max_wait_s')} limits the time between attempts",
    **{
        ("fix", name): "fix writes nothing, urlset.write_fixed writes its result"
        for name in ("dry_run", "output")
    },
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
    own = _MEANT.get(function, {})
    meant = own.get(name, _COMMON.get(name, first))
    return (own.get(meant) or meant) if meant else meant  # "save" is "output", or of build "target"


def explained_name(function: str, name: str) -> str:
    """Return the name whose reason explains why a function or command does not have another one.

    It is the one that is meant if it has a reason and the given one has none.

    >>> explained_name("check", "max_time"), explained_name("crawl", "max_time")
    ('max_minutes', 'max_time')
    """
    meant = meant_name(function, name)
    is_explained = meant and not reason_against(function, name) and reason_against(function, meant)
    return meant if meant and is_explained else name


def reason_against(function: str, name: str) -> str:
    """Return ``: `` and why a function or command has no such option; empty if that is not known.

    >>> reason_against("check", "store"), reason_against("check", "stor")
    (': check keeps no store', '')
    """
    reason = _REASONS.get((function, name))
    text = reason() if callable(reason) else reason
    return f": {text}" if text else ""

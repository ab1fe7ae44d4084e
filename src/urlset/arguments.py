"""Check the arguments of public functions: unknown names, wrong types, one text for several."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from urlset.errors import similar, suggestion
from urlset.option_names import is_command, option

if TYPE_CHECKING:
    from urlset.option_schema import Option

P = ParamSpec("P")
R = TypeVar("R")

# What callers write for an argument of another name, by function; empty if no name is meant that
# only looks like it. The command has the same table: an option may exist only there.
_MEANT = {
    "audit": {
        "max_pages": "", "limit": "", "max_urls": "", "hosts": "", "fail_on": "fail_level",
        "key": "indexnow_key", "keys": "indexnow_key",
        "recheck_s": "confirm_after_s", "recheck_delay_s": "confirm_delay_s",
        "max_rechecked": "max_confirmed", "allow": "ignore", "disable": "ignore", "skip": "ignore",
    },
    "build": {
        "output": "target", "out": "target", "path": "target", "folder": "target",
        "section": "sections", "filter": "filters", "rewrite": "rewrites",
        "host": "allowed_hosts", "hosts": "allowed_hosts", "store": "ledger",
        "obey_robots": "exclude_by_robots", "match": "include",
        "git_path": "git_paths", "keep_parameter": "keep_parameters",
        "max_removed_share": "max_removed",
    },
    "check": {
        "url": "base_url", "fail_on": "fail_level", "allow": "ignore", "disable": "ignore",
        "skip": "ignore", "store": "output", "dry_run": "diff",
    },
    "crawl": {
        "output": "store", "path": "store", "limit": "max_pages", "depth": "max_depth",
        "max_requests": "max_pages", "max_urls": "max_pages", "recheck_s": "confirm_after_s",
        "hosts": "",
    },
    "fix": {"dry_run": "", "output": "", "diff": ""},
    "diff": {
        "max_removed_share": "max_removed", "min_share": "max_removed", "hosts": "",
        "old": "before", "new": "after",
    },
    "Policy": {
        "rate": "delay_s", "max_rate": "delay_s", "rps": "delay_s",
        "requests_per_second": "delay_s", "delay": "delay_s", "max_delay": "max_delay_s",
        "timeout": "total_timeout_s",
        "timeout_s": "total_timeout_s", "header": "headers", "agent": "user_agent",
        "ignore_robots": "obey_robots", "proxy": "proxies", "max_concurrency": "concurrency",
    },
    "report": {"report": "output"},
    "submit": {
        **dict.fromkeys(("key", "indexnow_key", "indexnow_keys"), "keys"),
        **dict.fromkeys(("google_auth", "google_token"), "google_credentials"),
        "urls": "updates", "changes": "updates", "site": "updates",
        "announcements": "store", "sample": "preflight_pages",
        **dict.fromkeys(("auth", "auth_file", "bearer", "bearer_token", "token"), ""),
    },
    "sync": {
        "max_pages": "max_requests", "limit": "max_requests", "state": "store",
        "recheck": "recheck_pages", "max_removed": "max_removed_share",
        "min_share": "max_removed_share",
    },
    "read": {
        "match": "include", "filter": "include", "pattern": "include", "in_scope": "scope",
        "robots": "read_robots", "max_requests": "max_documents", "max_pages": "limit",
        "max_minutes": "", "max_urls": "limit", "store": "", "format": "", "output": "",
    },
    "watch": {
        "output": "store", "state": "store", "recheck": "recheck_sitemaps",
        **dict.fromkeys(("max_removed", "max_removed_share", "min_share"), ""),
    },
    "write": {"output": "target", "out": "target", "folder": "target", "path": "target"},
}  # fmt: skip

_COMMON = {
    "rate": "delay", "max_rate": "delay", "rps": "delay", "max_time": "max_minutes",
    "time_limit": "max_minutes", "max_seconds": "max_minutes", "html": "report",
    **dict.fromkeys(("credentials", "login", "password", "user"), "auth_file"),
    "token": "auth_file", "bearer": "auth_file", "bearer_token": "auth_file", "ledger": "store",
    "exclude_host": "exclude", "exclude_hosts": "exclude",
    **dict.fromkeys(("no_progress", "quiet", "show_progress"), ""),
}  # fmt: skip
"""What callers write for an argument or option, in all functions that have it."""

_SITE_FIRST = (
    "options of requests are those of read: `urlset read SITE --delay 2 -o site.duckdb`, then "
    "`urlset build site.duckdb`"
)
"""How a site is built whose requests need options."""

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
    ("check", "store"): "check keeps no store",
    **{
        ("check", name): "check has no selection of URLs, because rules are about whole documents"
        for name in ("include", "exclude", "hosts", "scope")
    },
    **{(verb, "max_requests"): f"{verb} requests sitemaps only" for verb in ("check", "watch")},
    ("check", "max_minutes"): "check reads sitemaps, each within the time limit of a document",
    ("diff", "max_minutes"): lambda: f"{option('max_requests')} limits its requests",
    ("submit", "delay"): lambda: (
        f"submit sends batches; {option('preflight_pages')} limits the pages that it visits"
    ),
    ("read", "store"): lambda: (
        f"{option('output', 'FILE.duckdb', python='.to_duckdb(path) of the result')} writes a store"
    ),
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
        (verb, "hosts"): lambda: f"{option('include', '//HOST/')} selects the URLs of a host"
        for verb in ("audit", "crawl", "diff")
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
    ("sync", "json"): "sync always writes JSON lines",
    **{
        ("watch", name): lambda: (
            f"watch has alerts about removed URLs and no limit; {_REMOVED_LIMIT[is_command()]}"
        )
        for name in ("max_removed", "max_removed_share", "min_share")
    },
    ("watch", "max_minutes"): "watch reads sitemaps, each within the time limit of a document",
    **{
        (verb, name): "pages that robots.txt disallows are never visited"
        for verb in ("audit", "crawl", "diff", "submit", "sync")
        for name in ("ignore_robots", "obey_robots")
    },
}
"""Why a function or command has no such option, by its name and the one that was given."""

_CLOSE = 0.85
"""Similarity to a name that is known here, above which another function's is not named."""

_POLICY_FIELDS = frozenset(
    "concurrency per_host delay_s max_delay_s retries backoff_s max_backoff_s max_retry_after_s "
    "connect_timeout_s read_timeout_s total_timeout_s max_redirects max_wire_bytes max_bytes "
    "max_error_bytes max_held_bytes user_agent headers site_headers proxies allow_private "
    "only_public obey_robots".split()
)
"""Fields of :class:`urlset.http.Policy`, which this module cannot import."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "int": (int, Integral),
    "float": (float, Real),
    "bool": (bool, Integral),
    "str": (str,),
    "datetime": (datetime,),
    "None": (type(None),),
}
_RULE_NAMES = frozenset(("select", "ignore", "extend_select", "always"))
_NOUNS = {"int": "a whole number", "float": "a number", "bool": "True or False", "str": "a text"}
_NOUNS |= {"datetime": "a datetime", "None": "None"}


def checked_fields(kind: type[R]) -> type[R]:
    """Decorate a dataclass: names and types of the arguments of its constructor are checked."""
    kind.__init__ = checked_arguments(kind.__init__, kind.__name__)  # type: ignore[method-assign]  # no other way
    return kind


def checked_arguments(function: Callable[P, R], shown: str = "") -> Callable[P, R]:
    """Decorate a public function: names and types of its arguments are checked before it runs.

    An unknown name is refused with the name that was probably meant. Arguments whose annotation
    consists of plain types must be of these types. A text is accepted where several are expected;
    names of rules may be separated by commas.

    >>> @checked_arguments
    ... def wait(*, seconds: float = 1) -> float:
    ...     return seconds
    >>> wait(second=2)
    Traceback (most recent call last):
    TypeError: wait() has no argument 'second'; did you mean 'seconds'?
    >>> wait(seconds="2")
    Traceback (most recent call last):
    TypeError: wait(): seconds: expected a number, found '2'

    Args:
        function: The function.
        shown: Its name in messages, if it is another one.
    """
    title = shown or function.__name__
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]

    @functools.wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        annotations = _annotations(function)
        values: dict[str, Any] = kwargs
        for name in values:
            if name not in annotations:
                raise TypeError(_unknown(title, name, annotations))
        for name, value in zip(positional, args, strict=False):
            _expect_type(title, name, value, annotations[name])
        for name, value in values.items():
            if type(value) not in (_plain_types(annotations[name]) or ()):
                values[name] = _converted(title, name, value, annotations[name])
        return function(*args, **kwargs)

    return inner


@functools.cache
def _annotations(function: Callable[..., Any]) -> dict[str, str]:
    """Return the annotation of each argument as text."""
    parameters = inspect.signature(function).parameters.items()
    return {name: str(parameter.annotation) for name, parameter in parameters}


def meant_name(function: str, name: str) -> str | None:
    """Return the parameter or option that is meant by another name; None if that is not known.

    It is empty if none is meant.

    >>> meant_name("crawl", "limit"), meant_name("crawl", "limits")
    ('max_pages', None)
    """
    return _MEANT.get(function, {}).get(name, _COMMON.get(name))


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


def _unknown(function: str, name: str, known: Mapping[str, str]) -> str:
    meant = meant_name(function, name)
    reason = reason_against(function, name)
    if meant == "" and reason:
        advice = ""
    elif meant in known:
        advice = f"; did you mean {meant!r}?"
    else:
        close = similar(name, known, _CLOSE)
        advice = (
            _option_advice(function, meant or name, known)
            or _policy_advice(name, known)
            or (f"; did you mean {close!r}?" if close else "")
            or others_with(function, name)
            or suggestion(name, known.keys() - {"self"})
        )
    return f"{function}() has no argument {name!r}{reason}{advice}"


def _option_advice(function: str, name: str, known: Mapping[str, str]) -> str:
    """Return what does in Python what an option of the command does; empty if there is none."""
    from urlset.option_schema import options_of  # only errors need it
    from urlset.option_schema.glossary import VERBS

    if function not in VERBS:
        return ""
    flag = f"--{name.replace('_', '-')}"
    for each in options_of(function):
        is_json = name == "json" and each.name == "format"
        is_flag = each.is_allowed("command") and flag in each.flags
        if not (name == each.name or is_flag or is_json):
            continue
        if each.name in known:
            return f"; did you mean {each.name!r}?"
        kind, _, field = each.in_python.partition(".")
        if kind == "Policy":
            return _policy_advice(field, known)
        if not kind:
            return f"; the result has {each.in_python}" if field else ""
        return f"; {f'did you mean {kind!r}?' if kind in known else f'use {each.in_python}'}"
    return ""


def _policy_advice(name: str, known: Mapping[str, str]) -> str:
    """Return how a field of the policy is passed; empty if it is none."""
    field = meant_name("Policy", name) or name
    if "policy" not in known or field not in _POLICY_FIELDS:
        return ""
    if field != "obey_robots":
        return f"; pass policy=urlset.Policy({field}=…)"
    return (
        "; pass policy=urlset.Policy(obey_robots=False) to search sitemaps also at URLs that "
        "robots.txt disallows"
    )


@functools.cache
def _plain_types(annotation: str) -> tuple[type, ...] | None:
    """Return the types of an annotation such as ``int | None``; None for any other."""
    names = [part.strip() for part in annotation.split("|")]
    if not all(name in _TYPES for name in names):
        return None
    return tuple(kind for name in names for kind in _TYPES[name])


def _expect_type(function: str, name: str, value: Any, annotation: str) -> None:
    types = _plain_types(annotation)
    if types is None or isinstance(value, types):
        return
    expected = " or ".join(_NOUNS[part.strip()] for part in annotation.split("|"))
    is_share = "str" in annotation and isinstance(value, float) and 0 < value < 1
    hint = f'; did you mean "{100 * value:g}%"?' if is_share else ""
    raise TypeError(f"{function}(): {name}: expected {expected}, found {value!r:.200}{hint}")


def _converted(function: str, name: str, value: Any, annotation: str) -> Any:
    """Check the type of a keyword argument; return it, a single text as a tuple if several fit."""
    if annotation.startswith("Sequence[str]") and isinstance(value, str):
        parts = value.split(",") if name in _RULE_NAMES else [value]
        return tuple(part.strip() for part in parts if part.strip())
    if annotation == "Sequence[Rule]":
        _expect_rules(function, name, value)
    if value is not None and name in ("policy", "progress"):
        _expect_object(function, name, value)
    _expect_type(function, name, value, annotation)
    return value


def _expect_object(function: str, name: str, value: Any) -> None:
    if name == "progress":
        expected, advice = "a function or None", "print prints each event, None nothing"
        is_meant = callable(value)
    else:
        expected, advice = "an urlset.Policy or None", "write urlset.Policy(delay_s=1)"
        is_meant = isinstance(value, sys.modules["urlset"].Policy)  # an import would be a cycle
    if not is_meant:
        found = f"expected {expected}, found {value!r:.200}"
        raise TypeError(f"{function}(): {name}: {found}; {advice}")


def _expect_rules(function: str, name: str, value: Any) -> None:
    texts = [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]
    if texts:
        raise TypeError(
            f"{function}(): {name}: expected rules of your own, found {texts[0]!r}; "
            "did you mean 'select'?"
        )
    for one in value:
        if inspect.isroutine(one):
            raise TypeError(
                f"{function}(): {name}: expected rules, which urlset.custom_rule returns, found "
                f"the function {one.__name__!r}"
            )

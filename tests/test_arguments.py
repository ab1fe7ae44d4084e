"""Public functions refuse what they do not understand, with the name that was meant."""

import copy
import dataclasses
import importlib
import inspect
import io
import pickle
import re
import traceback
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

import urlset
from urlset.argument_hints import _MEANT
from urlset.arguments import _POLICY_FIELDS
from urlset.attribute_hints import HINTS
from urlset.cli.options import NetworkOptions, UsageError
from urlset.option_schema import options_of
from urlset.option_schema.common import NETWORK
from urlset.result import Result

SITE = "https://example.com/"
CONTENT = ("bytes", "content", "data", "file", "filename", "path")
STORES = ("database", "db", "duckdb", "state", "store")
FUNCTIONS = [
    "audit", "build", "check", "crawl", "diff", "fix", "parse", "read", "render",
    "report", "submit", "sync", "watch", "write", "write_fixed",
]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unknown_name_is_refused_with_what_is_known(name):
    function = getattr(urlset, name)
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]

    with pytest.raises(TypeError, match=rf"^{name}\(\) has no argument 'nonsense_'"):
        function(*("x" for _ in needed), nonsense_=1)


@pytest.mark.parametrize(
    ("name", "args", "wrong", "meant"),
    [
        ("submit", ([],), "key", "keys"),
        ("build", ("public",), "output", "target"),
        ("build", ("public", "o"), "section", "sections"),
        ("sync", (SITE, "s.duckdb"), "max_pages", "max_requests"),
        ("build", (SITE,), "max_removed_share", "max_removed"),
        ("read", (b"",), "max_urls", "limit"),
        ("read", (b"",), "token", "auth"),
        ("read", (b"",), "exclude_host", "exclude"),
        ("crawl", (SITE,), "ledger", "store"),
        ("read", (b"",), "base_ulr", "base_url"),
        ("parse", (b"",), "sorce", "source"),
        ("write", ([],), "output", "target"),
        ("read", (b"",), "path", "source"),
        ("check", (b"",), "path", "source"),
        ("diff", ("a", "b"), "path", "before"),
        *(("build", ([],), name, "ledger") for name in ("database", "db", "duckdb", "state")),
        ("crawl", (SITE,), "recheck_s", "confirm_after_s"),
        ("sync", (SITE,), "state", "store"),
        ("watch", (SITE,), "state", "store"),
        ("submit", ([],), "announcements", "store"),
        ("submit", ([],), "sample", "preflight_pages"),
        ("submit", (), "ledger", "updates"),
        ("submit", (), "state", "store"),
        ("crawl", (SITE,), "state", "store"),
        *(
            (verb, (SITE,), name, "store")
            for verb in ("audit", "crawl", "submit", "sync", "watch")
            for name in ("database", "db", "duckdb")
        ),
        *((verb, (), name, "source") for verb in ("read", "check", "fix") for name in CONTENT),
        *(("submit", ([],), name, "updates") for name in ("data", "file", "path")),
        *(("parse", (), name, "data") for name in ("bytes", "content", "text", "xml")),
        ("audit", (), "file", "source"),
        ("build", (), "file", "sources"),
        *((verb, (SITE,), "path", "store") for verb in ("audit", "crawl", "sync", "watch")),
        ("diff", ("a", "b"), "limit", "max_requests"),
        ("diff", ("a", "b"), "max_pages", "max_requests"),
        ("read", (b"",), "allowed_hosts", "hosts"),
        ("build", ("public",), "allow_host", "allowed_hosts"),
        ("crawl", (), "source", "site"),
        ("sync", (), "url", "site"),
        ("watch", (), "sitemap", "site"),
        ("audit", (), "site", "source"),
        ("audit", (), "urls", "source"),
        ("read", (), "url", "source"),
        ("check", (), "url", "source"),
        ("check", (b"",), "url", "base_url"),
        ("submit", (), "urls", "updates"),
        ("write", (), "urls", "entries"),
        ("build", ("public",), "obey_robots", "exclude_by_robots"),
        ("sync", (SITE,), "max_removed", "max_removed_share"),
        ("crawl", (SITE,), "max_requests", "max_pages"),
        ("crawl", (SITE,), "links", "follow_links"),
        ("crawl", (SITE,), "sitemaps", "read_sitemaps"),
        ("audit", (SITE,), "confirm_after", "confirm_after_s"),
        *(
            (verb, (), name, "auth")
            for verb in ("read", "build", "check", "crawl", "audit", "diff", "watch", "sync")
            for name in ("username", "user", "password", "passwd", "login", "secret", "token", "u")
        ),
        ("audit", (SITE,), "deadline", "max_minutes"),
        ("crawl", (SITE,), "max_duration", "max_minutes"),
        ("build", ("public",), "out", "target"),
        ("build", ("public",), "save", "target"),
        ("write", ([],), "outfile", "target"),
        ("submit", ([],), "preview", "dry_run"),
        ("sync", (SITE,), "simulate", "dry_run"),
        ("submit", ([],), "credentials_file", "google_credentials"),
        ("read", (b"",), "domain", "hosts"),
        ("read", (b"",), "n", "limit"),
        ("build", ("public",), "match", "include"),
        ("build", ("public",), "filter", "filters"),
        *((verb, (), "filter", "include") for verb in ("read", "crawl", "audit", "diff")),
        ("read", (b"",), "without", "exclude"),
        *(
            (verb, (), name, "ignore")
            for verb in ("check", "fix", "audit")
            for name in ("exclude_rules", "disable_rule", "skip_rule", "no_rule", "off")
        ),
        *(("check", (), name, "ignore") for name in ("except", "without")),
        ("check", (b"",), "allow", "ignore"),
        ("read", (b"",), "max_pages", "limit"),
        ("audit", (SITE,), "disable", "ignore"),
        ("audit", (SITE,), "skip", "ignore"),
        ("crawl", (SITE,), "max_urls", "max_pages"),
        ("diff", (), "old", "before"),
        ("diff", (), "new", "after"),
        ("Policy", (), "delay", "delay_s"),
        ("Policy", (), "timeout", "total_timeout_s"),
        ("Policy", (), "header", "headers"),
        ("Policy", (), "ignore_robots", "obey_robots"),
        ("Policy", (), "retry", "retries"),
    ],
)
def test_the_name_that_was_meant_is_in_the_message(name, args, wrong, meant):
    with pytest.raises(TypeError, match=f"{wrong!r}; did you mean {meant!r}"):
        getattr(urlset, name)(*args, **{wrong: "x"})


@pytest.mark.parametrize(
    ("name", "args", "wrong", "advice"),
    [
        ("audit", (SITE,), "output", "the result has .to_dict()"),
        ("audit", (SITE,), "max_examples", "only the command `urlset audit` has it"),
        ("check", (b"",), "statistics", "the result has .by_rule"),
        ("audit", (SITE,), "report", "the result has .report(path)"),
        ("crawl", (SITE,), "report", "the result has .report(path)"),
        ("crawl", (SITE,), "why", "the result has .why(url)"),
        ("check", (b"",), "report", "the result has .report(path)"),
        ("check", (b"",), "severity", "did you mean 'min_level'?"),
        ("check", (b"",), "fail_level", "the result has .worst"),
        ("check", (b"",), "fail_on", "the result has .worst"),
        ("check", (b"",), "fix", "use urlset.fix"),
        ("diff", ("a", "b"), "report", "the result has .report(path)"),
        ("diff", ("a", "b"), "output", "the result has .to_jsonl(path)"),
        ("diff", ("a", "b"), "format", "the result has .to_dict()"),
        ("sync", (SITE,), "output", "the result has .to_jsonl(path)"),
        ("sync", (SITE,), "delay", "pass policy=urlset.Policy(delay_s=…)"),
        ("crawl", (SITE,), "user_agent", "pass policy=urlset.Policy(user_agent=…)"),
        ("crawl", (SITE,), "login", "did you mean 'auth'?"),
        ("submit", ([],), "indexnow_key", "did you mean 'keys'?"),
        ("audit", (SITE,), "timeout", "pass policy=urlset.Policy(total_timeout_s=…)"),
        ("read", (b"",), "headers", "pass policy=urlset.Policy(headers=…)"),
        *(
            (
                verb,
                (SITE,),
                "concurrency",
                "pass policy=urlset.Policy(concurrency=…, per_host=…), in all and to one host",
            )
            for verb in ("crawl", "read", "sync")
        ),
        ("watch", (SITE,), "retries", "pass policy=urlset.Policy(retries=…)"),
        ("submit", ([],), "proxies", "pass policy=urlset.Policy(proxies=…)"),
        (
            "build",
            ("a", "b"),
            "ignore_robots",
            "pass policy=urlset.Policy(obey_robots=False) to search sitemaps also at URLs that "
            "robots.txt disallows",
        ),
        ("crawl", (SITE,), "max_time", "did you mean 'max_minutes'?"),
        ("check", (b"",), "dry_run", "use urlset.unified_diff"),
        ("check", (b"",), "json", "the result has .to_dict()"),
        ("check", (b"",), "write_baseline", "use urlset.Baseline.write"),
        ("build", ("a", "b"), "json", "the result has .to_dict()"),
        ("audit", (SITE,), "save", "the result has .to_dict()"),
        ("diff", ("a", "b"), "out", "the result has .to_jsonl(path)"),
        ("audit", (SITE,), "dry_run", "build, submit, sync and write have it"),
    ],
)
def test_the_message_says_what_has_the_function_of_an_option(name, args, wrong, advice):
    with pytest.raises(TypeError) as caught:
        getattr(urlset, name)(*args, **{wrong: "x"})

    assert str(caught.value) == f"{name}() has no argument {wrong!r}; {advice}"


@pytest.mark.parametrize("wrong", ["errors_only", "level", "min_level"])
def test_an_audit_says_why_its_findings_have_no_lowest_level(wrong):
    audit: Callable[..., object] = urlset.audit
    with pytest.raises(TypeError, match="findings of all levels"):
        audit(SITE, **{wrong: "error"})


@pytest.mark.parametrize(
    ("function", "subject"),
    [("crawl", "delay_s of policy=urlset.Policy(…)"), ("Policy", "delay_s")],
)
def test_a_rate_is_not_taken_for_a_time(function, subject):
    with pytest.raises(TypeError) as caught:
        getattr(urlset, function)(*([SITE] if function == "crawl" else []), rate=2)

    assert str(caught.value) == (
        f"{function}() has no argument 'rate': {subject} is the time between two requests, such "
        "as 0.5 for two in a second"
    )


def test_a_message_says_why_a_function_has_no_such_option():
    with pytest.raises(TypeError) as caught:
        urlset.check(b"", store="x")  # type: ignore[call-arg]

    assert str(caught.value) == (
        "check() has no argument 'store': check keeps no store; the result has .to_dict()"
    )


@pytest.mark.parametrize(
    ("name", "wrong", "reason"),
    [
        ("fix", "dry_run", "fix writes nothing, urlset.write_fixed writes its result"),
        (
            "check",
            "exclude",
            "rules are about whole documents, so no URLs are selected; ignore switches a rule off",
        ),
        *(
            (
                "check",
                name,
                "check has no selection of URLs, because rules are about whole documents; read, "
                "build, crawl, audit and diff have it",
            )
            for name in ("include", "filter", "match")
        ),
        *(
            (
                verb,
                name,
                'auth is a token or a pair such as ("user", Path(…).read_text().strip()); did you '
                "mean 'auth'?",
            )
            for verb in ("read", "build", "check", "crawl", "audit", "diff", "watch", "sync")
            for name in ("auth_file", "auth_from", "password_file", "credentials_file")
        ),
        ("read", "netrc", "a .netrc file is not read; did you mean 'auth'?"),
        ("build", "netrc", "a .netrc file is not read; did you mean 'auth'?"),
        *(
            (
                "Policy",
                name,
                "a login is the argument auth of a function; read, build, check, crawl, audit, "
                "diff, watch and sync have it",
            )
            for name in ("auth", "password", "username")
        ),
        (
            "check",
            "deadline",
            "check reads sitemaps, each within the time limit of a document; crawl, audit and sync "
            "have it",
        ),
        ("watch", "only_host", "listed URLs of all hosts count"),
        *(("read", name, ".to_duckdb(path) of the result writes a store") for name in STORES),
        *(("check", name, "check keeps no store; the result has .to_dict()") for name in STORES),
        *(
            (
                "parse",
                name,
                "parse takes the bytes of a document; urlset.read accepts paths and URLs",
            )
            for name in ("file", "filename", "path", *STORES[:-1])
        ),
        *(
            (
                "read",
                name,
                "the result has .to_csv(path), .to_duckdb(path), .to_json(path), .to_jsonl(path), "
                ".to_parquet(path) and .to_text(path)",
            )
            for name in ("format", "output", "out", "save", "csv", "json", "to_csv", "write_csv")
        ),
        *(
            (
                "submit",
                name,
                "keys has the key of IndexNow, google_credentials the token of Search Console",
            )
            for name in ("auth", "token", "password_file", "username")
        ),
        (
            "audit",
            "max_pages",
            "sample visits so many of the listed pages, max_requests limits all requests",
        ),
        (
            "read",
            "max_minutes",
            "policy=urlset.Policy(total_timeout_s=…) limits the time of each document",
        ),
        (
            "read",
            "max_requests",
            "read has no limit of requests; max_documents limits the sitemaps that are read of "
            "those that indexes list; did you mean 'max_documents'?",
        ),
        (
            "watch",
            "max_removed",
            "watch has alerts about removed URLs and no limit; .removed of the result is the "
            "number of a step",
        ),
        (
            "check",
            "max_requests",
            "check requests sitemaps only; audit, diff and sync have it",
        ),
        ("check", "max_pages", "check requests sitemaps only; crawl has it"),
        ("watch", "max_pages", "watch requests sitemaps only"),
        (
            "watch",
            "include",
            'watch compares whole snapshots; urlset.diff("STORE@-1", "STORE@latest", include=…) '
            "selects URLs of them; read, build, crawl, audit and diff have it",
        ),
        (
            "audit",
            "scope",
            "include selects URLs by a pattern; read and crawl have it",
        ),
        *(("diff", name, "diff keeps no store; before and after may be stores") for name in STORES),
        (
            "sync",
            "include",
            "an index gets all listed pages, each as a line with its loc; read, "
            "build, crawl, audit and diff have it",
        ),
        (
            "submit",
            "exclude",
            "all changes are announced; `urlset diff` and `urlset build --changes` write them as "
            "lines to select from; read, build, crawl, audit and diff have it",
        ),
        ("submit", "output", "submit prints what it did; .to_dict() of the result has all numbers"),
        (
            "watch",
            "output",
            'report="FILE.html" writes the result with charts, .to_dict() of the result has it as '
            "JSON",
        ),
        (
            "crawl",
            "output",
            'store="FILE.duckdb" has the pages and links, .report(path) of the result writes the '
            "result with charts, .to_dict() of the result has it as JSON",
        ),
        *(
            (
                function,
                "report",
                "the results of check, crawl, audit, diff and watch have .report(path)",
            )
            for function in ("build", "fix", "read")
        ),
        (
            "submit",
            "limit",
            "submit sends batches; preflight_pages limits the pages that it visits",
        ),
        ("submit", "report", "submit has no report; .to_dict() of the result has all numbers"),
        ("submit", "hosts", "URLs of all hosts are announced that have a key"),
        ("sync", "format", ".to_jsonl(path) of the result writes JSON lines"),
        ("sync", "report", "urlset.report(store) reports on its store"),
        ("sync", "allowed_hosts", "listed pages of all hosts count"),
        (
            "crawl",
            "allowed_hosts",
            "crawl visits pages of the host of the start only; crawl each host into a store of "
            "its own",
        ),
        *(
            (
                "build",
                name,
                'build lists only URLs of the host of base_url; include="//HOST/" keeps only those '
                "of one host, and allowed_hosts allows another host, too",
            )
            for name in ("host", "hosts")
        ),
        (
            "audit",
            "allow_host",
            'listed URLs of all hosts count; include="//HOST/" selects those of a host',
        ),
    ],
)
def test_a_message_explains_what_a_function_does_instead(name, wrong, reason):
    arguments = [] if name == "Policy" else [b""]

    with pytest.raises(TypeError) as caught:
        getattr(urlset, name)(*arguments, **{wrong: "x"})

    assert str(caught.value) == f"{name}() has no argument {wrong!r}: {reason}"


@pytest.mark.parametrize("auth", [Path("token"), ("user", Path("password"))])
def test_a_login_that_is_a_path_is_refused_with_how_to_read_the_file(auth):
    with pytest.raises(
        TypeError, match=r'; .*auth=\("user", Path\(…\)\.read_text\(\)\.strip\(\)\)'
    ):
        urlset.crawl(SITE, auth=auth)


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("audit", (SITE, "x.duckdb"), "1 argument without a name, found 2; did you mean store='x"),
        ("read", (SITE, Path("x.duckdb")), r"found 2: \.to_duckdb\(path\) of the result writes a"),
        ("diff", ("a", "b", "c"), "2 arguments without a name, found 3; write the others as NAME="),
        ("report", ("a", "b"), "found 2; write the others as NAME=VALUE: progress$"),
        ("Policy", (3,), r"0 arguments without a name, found 1; write .*VALUE: concurr"),
    ],
)
def test_values_without_a_name_that_are_too_many_are_refused(name, args, message):
    with pytest.raises(TypeError, match=rf"^{name}\(\): expected .*{message}"):
        getattr(urlset, name)(*args)


def test_a_function_is_no_rule():
    with pytest.raises(TypeError, match=r"which urlset.custom_rule returns, found the function"):
        urlset.check(b"", rules=[lambda row: row])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("select", "nope"),
        ("extend_select", ["nope"]),
        ("ignore", "nope"),
        ("ignore_in", {"*": ["nope"]}),
        ("levels", {"nope": "error"}),
    ],
)
@pytest.mark.parametrize("name", ["check", "fix"])
def test_an_unknown_rule_is_reported_with_its_parameter(name, option, value):
    with pytest.raises(ValueError, match=f"^{option}: expected the name or the code of a rule"):
        list(getattr(urlset, name)(b"", **{option: value}))


@pytest.mark.parametrize("name", ["audit", "crawl", "diff", "sync"])
def test_no_message_promises_visits_of_pages_that_robots_txt_disallows(name):
    with pytest.raises(TypeError) as caught:
        getattr(urlset, name)("x", "y", ignore_robots=True)

    assert str(caught.value) == (
        f"{name}() has no argument 'ignore_robots': pages that robots.txt disallows are never "
        "visited; pass policy=urlset.Policy(obey_robots=False) to search sitemaps also at URLs "
        "that robots.txt disallows"
    )


VERBS_WITH_POLICY = ["read", "build", "check", "crawl", "audit", "diff", "watch", "submit", "sync"]


@pytest.mark.parametrize("name", VERBS_WITH_POLICY)
def test_each_verb_says_how_to_pass_each_option_of_the_client(name):
    known = inspect.signature(getattr(urlset, name)).parameters

    for field in set(inspect.signature(urlset.Policy).parameters) - {*known, *_MEANT[name]}:
        with pytest.raises(TypeError, match=rf"; pass policy=urlset.Policy\({field}="):
            getattr(urlset, name)(**{field: 1})


RESULTS = {
    "read": "Entries", "check": "Findings", "crawl": "Crawl", "audit": "Audit", "diff": "Diff",
    "watch": "Watch", "submit": "Submission", "sync": "Sync", "report": "Report", "build": "Build",
}  # fmt: skip


@pytest.mark.parametrize("verb", sorted(RESULTS))
def test_what_replaces_an_option_in_python_exists(verb):
    function, result = getattr(urlset, verb), getattr(urlset, RESULTS[verb])
    for option in options_of(verb):
        kind, _, name = option.in_python.partition("(")[0].partition(".")
        if kind == "Policy":
            assert name in inspect.signature(urlset.Policy).parameters
        elif kind == "urlset":
            assert attrgetter(name)(urlset)
        elif kind:
            assert kind in inspect.signature(function).parameters
        elif name:
            fields = {field for base in result.__mro__ for field in inspect.get_annotations(base)}
            assert hasattr(result, name) or name in fields, option.name


def test_each_option_of_the_client_is_in_python():
    assert [option.name for option in NETWORK if not option.in_python] == []


def test_all_fields_of_a_policy_are_known():
    public = {each.name for each in dataclasses.fields(urlset.Policy) if each.name[0] != "_"}

    assert public == _POLICY_FIELDS


@pytest.mark.parametrize(
    ("headers", "error", "message"),
    [
        ({"X": "a\nb"}, ValueError, "headers: control character in the header 'X'"),
        ({"X": 3}, TypeError, r"Policy\(\): headers: expected a dict of texts, found a value of"),
        ({"Cookie": "a"}, ValueError, "headers: headers are sent to every host"),
    ],
)
def test_a_policy_names_its_argument_of_headers(headers, error, message):
    with pytest.raises(error, match=f"^{message}"):
        urlset.Policy(headers=headers)


@pytest.mark.parametrize("field", ["headers", "site_headers", "proxies"])
@pytest.mark.parametrize("value", ["A: secret", ["A: secret"], {"https://example.com": 3}])
def test_a_policy_refuses_what_is_no_dict_of_texts_and_shows_no_value(field, value):
    with pytest.raises(TypeError, match=rf"^Policy\(\): {field}: expected a dict of ") as caught:
        urlset.Policy(**{field: value})

    assert "secret" not in str(caught.value)


VERBS_WITH_LISTS = ["audit", "build", "check", "crawl", "diff", "read", "submit", "watch", "sync"]


@pytest.mark.parametrize("name", VERBS_WITH_LISTS)
def test_each_argument_with_several_values_refuses_a_number_with_its_name(name):
    function = getattr(urlset, name)
    signature = inspect.signature(function)
    needed = [name for name, each in signature.parameters.items() if each.default is each.empty]

    for option in options_of(name):
        word = option.parameter_type
        is_several = word.startswith(("Mapping", "Sequence", "Iterable", "Patterns"))
        if option.name in signature.parameters.keys() - needed and is_several:
            with pytest.raises(TypeError, match=rf"^{name}\(\): {option.name}: expected a .*found"):
                function(*("x" for _ in needed), **{option.name: 3})


def test_options_of_the_network_name_the_argument_in_python():
    with pytest.raises(UsageError, match=r"^headers: expected a line like"):
        NetworkOptions.of(header=["nope"])
    with pytest.raises(UsageError, match=r"^user_agent: expected a name"):
        NetworkOptions.of(user_agent=" ")


def test_a_policy_refuses_a_wrong_type():
    with pytest.raises(TypeError, match=r"Policy\(\): delay_s: expected a number, found '2'"):
        urlset.Policy(delay_s="2")  # type: ignore[arg-type]


def test_a_name_that_only_looks_like_another_is_refused_without_it():
    with pytest.raises(TypeError) as caught:
        urlset.diff("a", "b", max_removed=5)  # type: ignore[call-arg]

    assert str(caught.value) == "diff() has no argument 'max_removed'; the result has .counts"


@pytest.mark.parametrize("name", sorted(_MEANT))
def test_names_that_were_meant_exist_and_the_others_do_not(name):
    known = inspect.signature(getattr(urlset, name)).parameters

    options = () if name in ("Policy", "parse") else options_of(name)
    elsewhere = {option.name for option in options if option.in_python}

    assert {meant for meant in _MEANT[name].values() if meant} <= {*known, *elsewhere}
    assert not set(_MEANT[name]) & set(known)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("<urlset/>", r"text.encode\(\)"),
        (Path("sitemap.xml"), r"urlset.read\(path\)"),
        (io.StringIO("x"), "'rb'"),
        (5, "urlset.read"),
        (None, "urlset.read"),
    ],
)
def test_parse_wants_bytes(given, advice):
    with pytest.raises(TypeError, match=rf"expected the bytes of a document, found .*{advice}"):
        urlset.parse(given)


@pytest.mark.parametrize("wrong", ["quiet", "no_progress"])
@pytest.mark.parametrize("name", ["read", "report"])
def test_functions_print_nothing_and_say_so(name, wrong):
    with pytest.raises(TypeError, match=f"'{wrong}': functions print nothing; progress=print"):
        getattr(urlset, name)("a", **{wrong: True})


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_parse_takes_any_bytes(kind):
    assert len(urlset.parse(kind(b"https://example.com/a\n")).entries) == 1


@pytest.mark.parametrize(
    ("name", "args", "options", "message"),
    [
        (
            "sync",
            (SITE, "s.duckdb"),
            {"max_removed_share": [0.1]},
            "max_removed_share: expected a number or a text or None",
        ),
        ("read", (b"",), {"limit": "3"}, "limit: expected a whole number or None, found '3'"),
        ("check", (b"",), {"now": "2026-01-01"}, "now: expected a datetime or None"),
        ("crawl", (SITE,), {"max_pages": 1.5}, "max_pages: expected a whole number or None"),
        ("build", ("a", "b"), {"max_urls": "9"}, "max_urls: expected a whole number"),
        ("crawl", (SITE,), {"include": None}, "include: expected a regular expression or a list"),
        ("crawl", (SITE, 3), {}, "store: expected a text or a path or None, found 3"),
        ("check", (b"",), {"ignore_in": {"a": 3}}, "a dict of lists of texts, found {'a': 3}"),
        ("audit", (b"",), {"levels": "x"}, "levels: expected a dict of levels, found 'x'"),
        ("read", (b"",), {"include": [3]}, r"include: expected .* or a list of them, found \[3\]"),
        ("check", (b"",), {"select": {"X": 1}}, "select: expected a list of texts or None, found"),
        ("check", (b"",), {"rules": ["X003"]}, "'X003'; did you mean 'select'"),
        ("check", (b"",), {"rules": "X003"}, "'X003'; did you mean 'select'"),
        ("read", (b"",), {"progress": False}, "a function or None, found False; print prints"),
        ("audit", (SITE,), {"progress": True}, "progress: expected a function or None"),
        ("crawl", (SITE,), {"policy": {"delay_s": 1}}, "found {.delay_s.: 1}; write urlset.Policy"),
    ],
)
def test_a_wrong_type_is_refused_before_anything_is_done(name, args, options, message):
    with pytest.raises(TypeError, match=message):
        getattr(urlset, name)(*args, **options)


@pytest.mark.parametrize("name", ["read", "crawl", "audit", "build"])
def test_what_an_iterator_yields_is_checked(name):
    target = ["public"] if name == "build" else []

    with pytest.raises(TypeError, match="expected a regular expression, found 3; write it as text"):
        getattr(urlset, name)(SITE, *target, include=iter(["a", 3]))


@pytest.mark.parametrize("text", ["half", "150%", "-1%", "%", "nan", "1e3"])
@pytest.mark.parametrize(
    ("name", "option"), [("build", "min_share"), ("sync", "max_removed_share")]
)
def test_a_text_that_is_no_share_is_refused_with_its_parameter(tmp_path, name, option, text):
    message = f"^{option}: expected a number from 0 to 1, or a share such as 10%, found {text!r}$"

    with pytest.raises(ValueError, match=message):
        getattr(urlset, name)(SITE, tmp_path / "x", **{option: text})


def test_one_text_stands_for_several_rules():
    document = b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>"

    def rules(**options):
        return [finding.code for finding in urlset.check(document, **options)]

    assert rules(select="X") == rules(select=["X"])
    assert rules(select="X,S") == rules(select=["X", "S"]) != rules(select=["X"])
    assert rules(select="X,S", ignore="S") == rules(select=["X"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_keep_their_signature_and_can_be_pickled(name):
    function = getattr(urlset, name)

    assert pickle.loads(pickle.dumps(function)) is function
    assert inspect.signature(function).parameters


@pytest.fixture
def objects():
    document = urlset.parse(b"https://example.com/a\n")
    findings = urlset.check(b"https://example.com/a b\n")
    fixed = urlset.fix(b"<urlset><url><loc>https://e.com/?a&b</loc></url></urlset>")
    return {
        "Entry": document.entries[0],
        "Document": document,
        "Entries": urlset.read(b"https://example.com/a\n"),
        "Findings": findings,
        "Finding": next(iter(findings)),
        "Fixed": fixed,
        "FixedDocument": fixed.documents[0],
        "Store": urlset.Store.open(),
    }


@pytest.mark.parametrize(
    ("kind", "wrong", "meant"),
    [
        ("Entry", "url", "loc"),
        ("Entry", "last_modified", "lastmod"),
        ("Document", "entris", "entries"),
        ("Document", "urls", "entries"),
        ("Document", "errors", "problems"),
        ("Entries", "df", "to_pandas() or to_polars()"),
        ("Entries", "sql", "to_duckdb()"),
        ("Entries", "write_csv", "to_csv()"),
        ("Entries", "write_parquet", "to_parquet()"),
        ("Entries", "write_json", "to_json()"),
        ("Entries", "write_ndjson", "to_jsonl()"),
        ("Entries", "summary", "is_complete, incomplete or documents"),
        ("Entries", "count", "to_arrow().num_rows"),
        ("Findings", "errors", "by_level"),
        ("Findings", "to_arrow", "list(findings)"),
        ("Findings", "to_sarif", "urlset.reporter.report_sarif"),
        ("Findings", "to_json", "to_dict()"),
        ("Findings", "complete", "is_complete?"),
        ("Fixed", "complete", "is_complete?"),
        ("Entries", "complete", "is_complete"),
        ("Entries", "failed", "incomplete"),
        ("Findings", "to_jsonl", "to_dict(), or urlset.reporter.report_json"),
        ("FixedDocument", "path", "name"),
        ("Finding", "severity", "level"),
        ("Fixed", "write", "urlset.write_fixed"),
        ("Store", "sql", "query()"),
    ],
)
def test_an_attribute_names_what_was_meant(objects, kind, wrong, meant):
    with pytest.raises(AttributeError) as caught:
        getattr(objects[kind], wrong)

    assert f"{kind!r} object has no attribute {wrong!r}; did you mean {meant}" in str(caught.value)
    assert meant in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("kind", ["Entry", "Document", "Entries", "Findings", "Fixed", "Store"])
def test_attributes_that_do_not_exist_are_absent(objects, kind):
    one = objects[kind]

    assert not hasattr(one, "nonsense_")
    assert not hasattr(one, "__nonsense__")
    assert getattr(one, "nonsense_", 7) == 7


def test_records_read_their_fields_without_a_hook(objects):
    """A ``__getattr__`` takes a tenth of the time of a loop over the fields of all entries."""
    assert not hasattr(urlset.Entry, "__getattr__")
    assert not {"url", "last_modified"} & set(dir(objects["Entry"]))
    assert {"loc", "lastmod", "to_dict", "_fields"} <= set(dir(objects["Entry"]))


@pytest.mark.parametrize("kind", ["Entry", "Document", "Fixed"])
def test_objects_with_hints_can_be_copied_and_pickled(objects, kind):
    one = objects[kind]

    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert type(other) is type(one)


@pytest.mark.parametrize("name", ["scan", "rules", "RULES", "open", "chek"])
def test_a_name_that_urlset_has_not_names_another(name):
    with pytest.raises(AttributeError, match=f"has no attribute {name!r}; did you mean"):
        getattr(urlset, name)


HTML = {"to_html", "html", "write_report"}


def test_every_result_has_the_hints_of_results():
    public = [getattr(urlset, name) for name in urlset.__all__]
    results = [one for one in public if isinstance(one, type) and issubclass(one, Result)]

    assert len(results) > 9
    for kind in results:
        assert HINTS[kind.__name__]["complete"] == "is_complete"
        assert HINTS[kind.__name__]["to_json"] == "to_dict()"
        assert HINTS[kind.__name__]["success"] == "is_complete"
        assert {"errors", "failed", "reasons"} <= HINTS[kind.__name__].keys()
        if hasattr(kind, "report"):
            assert {HINTS[kind.__name__][name] for name in HTML} == {"report"}
        elif kind.__name__ in ("Submission", "Sync"):
            assert HINTS[kind.__name__].keys() >= HTML


@pytest.mark.parametrize("name", ["to_pandas", "to_polars", "to_arrow"])
@pytest.mark.parametrize("kind", ["Audit", "Build", "Crawl", "Diff", "Findings"])
def test_results_without_a_table_of_their_own_name_what_has_one(kind, name):
    meant = HINTS[kind][name]

    assert meant.endswith(f".{name}()") or meant.startswith("list(")


def test_every_hint_names_what_exists():
    for kind, hints in HINTS.items():
        if kind == "urlset":
            continue
        owner = getattr(urlset, kind)
        fields = {*dir(owner), *getattr(owner, "__dataclass_fields__", ()), "source", "documents"}
        fields |= set(inspect.get_annotations(owner))
        fields |= set(re.findall(r"self\.(\w+)", inspect.getsource(owner)))
        for wrong, meant in hints.items():
            assert not hasattr(owner, wrong), f"{kind}.{wrong} exists"
            first = meant.partition("(")[0].partition(",")[0].partition(" ")[0].partition(".")[0]
            first = first.partition("[")[0]
            assert first in {*fields, "the", "urlset", "loc", "list"}, f"{kind}.{wrong}: {meant}"
            for text in re.findall(r"\burlset\.[a-z_.A-Z]+", meant):
                _expect_public(text)
            argument = re.fullmatch(r"the argument (\w+) of (urlset\.\w+)", meant)
            if argument:
                assert argument[1] in inspect.signature(_expect_public(argument[2])).parameters


def _expect_public(path):
    """Return what a dotted name stands for; it exists."""
    found = urlset
    for name in path.split(".")[1:]:
        found = getattr(found, name, None) or importlib.import_module(f"{found.__name__}.{name}")
    return found


def test_hints_of_the_module_exist():
    for wrong, meant in HINTS["urlset"].items():
        assert wrong not in urlset.__all__
        path = meant.removeprefix("urlset.").partition("(")[0].split(".")
        found = urlset
        for name in path:
            found = getattr(found, name, None) or importlib.import_module(
                f"{found.__name__}.{name}"
            )
        assert found is not None


def test_head_reads_the_first_entries():
    entries = urlset.read(b"".join(b"https://example.com/%d\n" % n for n in range(30)))

    assert [entry.loc for entry in entries.head(2)] == [f"{SITE}0", f"{SITE}1"]
    assert len(entries.head()) == 10
    assert entries.head(0) == []
    with urlset.Store.open() as store:
        store.fill(entries)
        assert len(list(store.head(3).objects())) == 3


def test_a_query_for_urls_suggests_entries():
    with (
        urlset.Store.open() as store,
        pytest.raises(urlset.QueryError, match='Did you mean "entries"'),
    ):
        store.query("SELECT * FROM urls")


def test_the_repr_of_fixes_has_no_content():
    fixed = urlset.fix(b"<urlset><url><loc>https://e.com/?secret&b</loc></url></urlset>")

    assert fixed.documents
    assert "secret" not in repr(fixed)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("loc", r"'Entry' object has attributes, not keys: found \['loc'\]; did you mean \.loc\?"),
        ("url", r"found \['url'\]; did you mean loc\?"),
        ("other", r"found \['other'\]$"),
    ],
)
def test_the_key_of_a_record_names_the_attribute(key, message):
    entry = urlset.Entry("https://example.com/a")

    with pytest.raises(TypeError, match=message):
        entry[key]
    assert (entry[0], entry[:1], entry[-1]) == (entry.loc, (entry.loc,), tuple(entry)[-1])

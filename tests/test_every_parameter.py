"""Each parameter of each public function runs once with a valid value; so does each member of each
result: with content, empty, incomplete, and after ``close()``."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import urlset
from tests.example_files import BASE, put_files
from tests.http_walks import quick
from tests.live_sites import put_site, sitemap_of
from tests.option_values import PLACE, text_of
from tests.site_box import SiteBox
from urlset.live.schemas import VISIT_SCHEMA
from urlset.option_schema import options_of
from urlset.option_schema.glossary import VERBS
from urlset.result import Closing

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef"
RULE = {
    "name": "no-query",
    "level": "warning",
    "sql": "SELECT source, loc FROM entries WHERE contains(loc, '?')",
    "message": "URL {loc} has a query",
}

FUNCTIONS = sorted(name for name in urlset.__all__ if inspect.isfunction(getattr(urlset, name)))
"""Public functions."""


class Place(NamedTuple):
    """A site that is served, and the current folder, which has the files that values name."""

    site: str

    @property
    def map(self) -> str:
        return f"{self.site}/sitemap.xml"


def ignore(_: object) -> None:
    """A callback."""


NO_WAIT: dict[str, Any] = {"confirm_after_s": 0.0, "confirm_delay_s": 0.0}

CALLS: dict[str, Callable[[Place], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "audit": lambda p: ((p.map,), {**NO_WAIT, "select": ["N1"]}),  # few rules, which is quicker
    "build": lambda _: (("rows.csv", "built"), {"base_url": BASE}),
    "check": lambda p: ((p.map,), {}),
    "crawl": lambda p: ((p.site,), {"confirm_after_s": 0.0}),
    "custom_rule": lambda _: ((1, RULE), {}),
    "diff": lambda _: (("sitemap.xml", "after.xml"), {}),
    "fix": lambda _: (("faulty.xml",), {}),
    "load_config": lambda _: ((), {}),
    "parse": lambda _: ((b"<urlset><url><loc>/a</loc></url></urlset>",), {}),
    "read": lambda p: ((p.site,), {}),
    "render": lambda _: (([BASE],), {}),
    "report": lambda _: (("site.duckdb",), {}),
    "schemas": lambda _: ((), {}),
    "submit": lambda _: (("changes.jsonl",), {"keys": KEY, "dry_run": True}),
    "sync": lambda p: ((p.site, "sync.duckdb"), {}),
    "unified_diff": lambda _: ((next(iter(urlset.fix("faulty.xml").documents)),), {}),
    "watch": lambda p: ((p.site, "watch.duckdb"), {}),
    "write": lambda _: (([BASE], "written"), {}),
    "write_fixed": lambda _: ((urlset.fix("faulty.xml").documents,), {}),
}
"""Arguments of each function, which the case of a parameter extends."""

ANY: dict[str, Any] = {
    "always": ["L001"],
    "auth": ("me", "secret"),
    "base_url": BASE,
    "cache": "cache",
    "confirm_delay_s": 0.0,
    "engine": "reference",
    "ignore_in": {"*.xml": ["L"]},
    "levels": {"L001": "info"},
    "max_bytes": 20_000,
    "max_urls": 2,
    "now": datetime(2026, 2, 1, tzinfo=UTC),
    "progress": ignore,
    "rules": [urlset.custom_rule(1, RULE)],
    "stylesheet": "sitemap.css",
}
"""Values of parameters, in every function that has them; others have those of their options."""

GOOGLE: dict[str, Any] = {
    "to": ["google"],
    "property": f"{BASE}",
    "google_credentials": "ya29.token",
    "keys": None,
}

VALUES: dict[tuple[str, str], Any] = {
    ("audit", "logs"): ["access.log"],
    ("audit", "max_confirmed"): 1,
    ("audit", "max_media"): 1,
    ("audit", "seed"): 7,
    ("audit", "segments"): {"short": "length(url) < 30"},
    ("build", "cache_control"): "max-age=60",
    ("build", "delimiter"): ",",
    ("build", "encoding"): None,
    ("build", "force"): "shrunk",
    ("build", "include_sitemaps"): lambda p: p.map,
    ("build", "min_share"): "10%",
    ("build", "max_removed"): "50%",
    ("build", "query"): "from pages",
    ("build", "query_timeout_s"): 9.0,
    ("build", "table"): "pages",
    ("check", "max_excerpts"): 1,
    ("load_config", "path"): "urlset.toml",
    ("load_config", "start"): ".",
    ("parse", "content_type"): "application/xml",
    ("parse", "source"): "here",
    ("read", "follow_only"): "sitemap",
    ("read", "hosts"): ["127.0.0.1"],
    ("read", "limit"): 1,
    ("read", "max_documents"): 3,
    ("read", "since"): "2026-01-31",
    ("render", "on_rejected"): ignore,
    ("submit", "google_base"): lambda p: p.site,
    ("submit", "google_credentials"): "ya29.token",
    ("submit", "inspect"): 1,
    ("submit", "inspect_store"): "site.duckdb",
    ("submit", "keys"): {"127.0.0.1": KEY},
    ("submit", "property"): BASE,
    ("submit", "sitemaps"): lambda p: [p.map],
    ("submit", "to"): ["google"],
    ("sync", "max_removed_share"): "40%",
    ("watch", "report"): "watch.html",
    ("write", "name"): "pages",
    ("write_fixed", "backup"): True,
    ("write_fixed", "robots"): "robots.txt",
}
"""Values of parameters, in one function."""

WITH: dict[tuple[str, str], dict[str, Any]] = {
    ("build", "query"): {"sources": "duckdb:///rows.duckdb"},
    ("build", "query_timeout_s"): {"sources": "duckdb:///rows.duckdb", "query": "from pages"},
    ("build", "table"): {"sources": "rows.sqlite"},
    ("build", "trailing_slash"): {"sources": "pages"},
    ("build", "strip_html"): {"sources": "pages"},
    ("build", "min_hits"): {"sources": "access.log"},
    ("build", "git_paths"): {"git_root": "."},
    ("build", "include_sitemaps"): {
        "sources": "sitemap.xml",
        "base_url": lambda p: p.site,
        "name": "pages",
    },
    ("submit", "google_base"): GOOGLE,
    ("submit", "google_credentials"): GOOGLE,
    ("submit", "inspect"): {**GOOGLE, "inspect_store": "site.duckdb"},
    ("submit", "inspect_store"): {**GOOGLE, "inspect": 1},
    ("submit", "property"): GOOGLE,
    ("submit", "resubmit"): GOOGLE,
    ("submit", "sitemaps"): GOOGLE,
    ("submit", "status"): GOOGLE,
    ("submit", "to"): GOOGLE,
    ("write", "index"): {"base_url": BASE},
    ("watch", "webhook_format"): {"webhook": lambda p: f"{p.site}/hook"},
}
"""Arguments that a parameter needs besides those of :data:`CALLS`."""


TOGETHER = {"audit": 5}
"""Number of parameters that one call has, for functions that take a second or more."""


def parameters() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in FUNCTIONS:
        found = [
            parameter.name
            for parameter in inspect.signature(getattr(urlset, name)).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty
        ]
        size = TOGETHER.get(name, 1)
        for first in range(0, max(len(found), 1), size):
            yield name, tuple(found[first : first + size])


def value_of(value: Any, place: Place) -> Any:
    return value(place) if inspect.isfunction(value) and value is not ignore else value


def value_for(case: tuple[str, str], place: Place) -> Any:
    """Return the value of a parameter: from the tables above, or else that of its option.

    It is a text for a path, and for an option that takes one text or several.
    """
    name, parameter = case
    if case in VALUES or parameter in ANY:
        return value_of(VALUES.get(case, ANY.get(parameter)), place)
    declared = options_of(name) if name in OF_OPTIONS else ()
    found = [option for option in declared if option.name == parameter]
    assert found, f"add a value for {parameter} of {name} to this file"
    (option,) = found
    if option.type is bool:
        return not option.default
    text = text_of(name, option)
    missing = f"add a value for {option.flags[0]} of {name} to tests/option_values.py"
    assert text is not None, missing
    value = option.parse(text.replace(PLACE, place.site).replace("{command}", name))
    if isinstance(value, Path):
        return str(value)
    takes_one = not option.is_repeatable or option.parameter_type.startswith(("str ", "Patterns"))
    return value if takes_one else option.value([value])


OF_OPTIONS = {*VERBS, "fix", "render", "write"}
"""Functions whose parameters are declared options."""


@pytest.fixture(scope="module")
def box() -> Iterator[SiteBox]:
    with SiteBox() as served:
        put_site(served, {"/": ["/a", "/b"], "/a": ["/c"], "/b": ["/"], "/c": []})
        served.put(f"/{KEY}.txt", KEY, kind="text/plain")
        yield served


@pytest.fixture(scope="module")
def prepared(box: SiteBox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the arguments name."""
    folder = tmp_path_factory.mktemp("prepared")
    put_files(folder, box.site)
    (folder / "faulty.xml").write_text(f"<urlset><url><loc>{BASE}?a&b</loc></url></urlset>")
    (folder / "pages").mkdir()
    (folder / "pages/a.html").write_text("<title>A</title><p>Page")
    with contextlib.chdir(folder):
        with urlset.crawl(box.site, "site.duckdb", confirm_after_s=0.0, policy=quick()):
            pass
        for name in ("check", "audit"):
            urlset.Baseline().write(Path(f"{name}.json"))
        with urlset.diff("sitemap.xml", "after.xml") as changes:
            changes.to_jsonl("changes.jsonl")
    return folder


@pytest.fixture
def place(box: SiteBox, prepared: Path, tmp_path: Path, monkeypatch: Any) -> Place:
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    return Place(box.site)


def used(result: Any) -> None:
    """Let a lazy result do its work, and close it."""
    if isinstance(result, urlset.Sync):
        for batch in result:
            batch.commit()
    elif not isinstance(result, bytes | str) and hasattr(result, "__iter__"):
        list(result)
    if isinstance(result, Closing):
        json.dumps(result.to_dict()) if hasattr(result, "to_dict") else None
        result.close()


@pytest.mark.parametrize(
    ("name", "given"),
    [pytest.param(*case, id=f"{case[0]}-{'+'.join(case[1])}") for case in parameters()],
)
def test_a_parameter_runs(name: str, given: tuple[str, ...], place: Place) -> None:
    arguments, known = CALLS[name](place)
    for parameter in given:
        case = (name, parameter)
        known |= {key: value_of(more, place) for key, more in WITH.get(case, {}).items()}
        if "sources" in known:
            arguments = (known.pop("sources"), *arguments[1:])
        if parameter == "policy":
            known[parameter] = urlset.Policy(concurrency=2)
        elif parameter not in CALLS_BY_NAME:
            known[parameter] = value_for(case, place)

    used(getattr(urlset, name)(*arguments, **known))


CALLS_BY_NAME = {"updates"}


# Members of results.

STATES = ("content", "empty", "incomplete")
"""A result with content, one of an empty site, and one of a site that refuses some documents."""


def sites_of(state: str, box: SiteBox) -> None:
    """Put a site with a key of IndexNow into a box."""
    box.put(f"/{KEY}.txt", KEY, kind="text/plain")
    box.put("/indexnow", "", 403 if state == "incomplete" else 200)
    if state == "content":
        put_site(box, {"/": ["/a", "/b"], "/a": ["/c"], "/b": ["/"], "/c": []})
    elif state == "empty":
        put_site(box, {"/": []}, listed=[])
    else:
        put_site(box, {"/": ["/a", "/b"], "/a": []})
        box.put("/b", "unavailable", 503)
        box.put("/one.xml", sitemap_of(map(box.url, ["/", "/a", "/b"])))
        box.put("/two.xml", "unavailable", 503)
        box.put("/three.xml", "forbidden", 403)
        box.put_index("/sitemap.xml", ["/one.xml", "/two.xml", "/three.xml"])


@pytest.fixture(scope="module")
def sites() -> Iterator[dict[str, SiteBox]]:
    with contextlib.ExitStack() as stack:
        found = {state: stack.enter_context(SiteBox()) for state in STATES}
        for state, served in found.items():
            sites_of(state, served)
        yield found


def written(state: str, urls: int) -> str:
    """Write a sitemap, and return its name."""
    text = sitemap_of(f"{BASE}?a&b={number}" for number in range(urls))
    Path("written.xml").write_text(text if state != "incomplete" else f"{text}\x00")
    return "written.xml"


def build_of(state: str, site: str) -> urlset.Build:
    sources = [f"{site}/sitemap.xml", *[f"{site}/two.xml"] * (state == "incomplete")]
    options: dict[str, Any] = {"on_error": "skip", "force": "zero", "policy": QUICK}
    return urlset.build(sources, "set", base_url=site, ledger="ledger.duckdb", **options)


def submission_of(state: str, site: str) -> urlset.Submission:
    changes = [{"change": "added", "loc": f"{site}/a"}] * (state != "empty")
    options: dict[str, Any] = {
        "endpoints": [f"{site}/indexnow"],
        "store": "sent.duckdb",
        "max_wait_s": 0.1,
    }
    return urlset.submit(changes, keys=KEY, policy=QUICK, **options)


def report_of(state: str, site: str) -> urlset.Report:
    with urlset.crawl(site, "crawl.duckdb", **LIVE):
        pass
    return urlset.report(["crawl.duckdb", *["none.duckdb"] * (state == "incomplete")])


def store_of(state: str, site: str) -> urlset.Store:
    store = urlset.Store.open("store.duckdb")
    if state != "empty":
        store.fill(urlset.read(site, policy=QUICK))
    return store


QUICK = quick(retries=0)
LIVE: dict[str, Any] = {"confirm_after_s": 0.0, "policy": QUICK}

RESULTS: dict[str, Callable[[str, str], Any]] = {
    "Audit": lambda _, site: urlset.audit(site, confirm_delay_s=0.0, crawl=True, **LIVE),
    "Baseline": lambda _, __: urlset.Baseline(),
    "Build": build_of,
    "Crawl": lambda _, site: urlset.crawl(site, **LIVE),
    "Diff": lambda _, site: urlset.diff(f"{site}/sitemap.xml", {BASE: b""}, policy=QUICK),
    "Document": lambda state, _: urlset.parse(Path(written(state, state != "empty")).read_bytes()),
    "Entries": lambda _, site: urlset.read(site, policy=QUICK),
    "Findings": lambda _, site: urlset.check(site, policy=QUICK),
    "Fixed": lambda state, _: urlset.fix(written(state, state != "empty")),
    "Publication": lambda state, _: urlset.write(
        [BASE] * (state != "empty") + ["?"] * (state == "incomplete"),
        "set",
        allow_empty=True,
        on_error="skip",
    ),
    "QueryResult": lambda state, site: store_of(state, site).query("FROM entries"),
    "Report": report_of,
    "Store": store_of,
    "Submission": submission_of,
    "Sync": lambda _, site: urlset.sync(site, "sync.duckdb", policy=QUICK),
    "Watch": lambda _, site: urlset.watch(site, "watch.duckdb", policy=QUICK),
}
"""How a result of each class is made, from a state and the URL of its site."""

NO_RESULTS = {
    *("Alternate", "Entry", "Image", "News", "Problem", "Sitemap", "Video"),
    *("Dropped", "DocumentRecord", "Fetched", "Finding", "FixedDocument", "PageChange"),
    *("PageUpdate", "ProgressEvent", "Configuration", "Policy", "Rule"),
}
"""Classes of records and settings, which have other tests."""

ARGUMENTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "add": lambda found: (
        (VISIT_SCHEMA,)
        if isinstance(found, urlset.Store)
        else (FINDING,)
        if isinstance(found, urlset.Baseline)
        else ()
    ),
    "check": lambda _: ("SELECT 1",),
    "excerpt": lambda _: (1,),
    "fill": lambda _: (urlset.read(b"https://example.com/a"),),
    "filtered": lambda found: (next(iter(found.visits())),),
    "has": lambda _: (VISIT_SCHEMA,),
    "match": lambda _: (FINDING,),
    "match_counted": lambda _: ({},),
    "new": lambda _: ([FINDING],),
    "observed": lambda _: (ignore,),
    "of": lambda found: ("added",) if isinstance(found, urlset.Diff) else (None,),
    "open": lambda _: ("known.duckdb",),
    "open_copy": lambda _: ("known.duckdb",),
    "query": lambda _: ("SELECT 1",),
    "read": lambda _: (Path("known.json"),),
    "record": lambda _: ([FINDING],),
    "record_counted": lambda _: ({},),
    "report": lambda _: ("out.html",),
    "table": lambda _: ("pages",),
    "to_csv": lambda _: ("out.csv",),
    "to_duckdb": lambda _: ("out.duckdb",),
    "to_json": lambda _: ("out.json",),
    "to_jsonl": lambda _: ("out.jsonl",),
    "to_parquet": lambda _: ("out.parquet",),
    "to_text": lambda _: ("out.txt",),
    "why": lambda _: (BASE,),
    "write": lambda _: (Path("out.json"),),
    "writer": lambda _: ("root",),
}
"""Arguments of methods that need some, by name."""

FINDING: urlset.Finding = next(iter(urlset.check(b"", select=["X001"])))
OF_PYTHON: dict[str, Any] = {
    "__iter__": list,
    "__len__": len,
    "__bool__": bool,
    "_repr_html_": None,
}
OWN_METHODS = {("Fixed", "add")}
"""Methods that only urlset calls."""


def members(found: Any) -> Iterator[str]:
    kind = type(found)
    names = {*dir(kind), *getattr(found, "__dict__", ())} - {"close"}
    yield from sorted(name for name in names if not name.startswith("_"))
    yield from (name for name in OF_PYTHON if hasattr(kind, name))


def use(found: Any, name: str) -> None:
    """Read a property, or call a method and consume what it returns."""
    kind = type(found).__name__
    if OF_PYTHON.get(name):
        with suppress(TypeError) if (kind, name) == ("Entries", "__len__") else nullcontext():
            OF_PYTHON[name](found)
        return
    value = getattr(found, name)
    if inspect.isroutine(value) and (kind, name) not in OWN_METHODS:
        needed = [
            parameter
            for parameter in inspect.signature(value).parameters.values()
            if parameter.default is parameter.empty
        ]
        assert not needed or name in ARGUMENTS, f"add arguments for {kind}.{name} to this file"
        value = value(*(ARGUMENTS[name](found) if needed else ()))
    if name == "to_dict":
        json.dumps(value)
    if inspect.isgenerator(value) or isinstance(value, urlset.QueryResult):
        list(value)
    if name in ("open", "open_copy", "with_details"):
        value.close()


@contextlib.contextmanager
def closed_or_works(*, is_closed: bool) -> Iterator[None]:
    """Accept the error of a closed result; all other ones fail."""
    try:
        yield
    except urlset.StoreError as error:
        if not is_closed or "found a closed one" not in str(error):
            raise


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory, box: SiteBox) -> Path:
    """Return a folder with a crawl and a baseline."""
    folder = tmp_path_factory.mktemp("known")
    with urlset.crawl(box.site, folder / "known.duckdb", **LIVE):
        pass
    urlset.Baseline().write(folder / "known.json")
    return folder


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", sorted(RESULTS))
@pytest.mark.filterwarnings("ignore:.*the result is incomplete:RuntimeWarning")
def test_each_member_of_a_result_works_also_after_close(
    kind: str, state: str, sites: dict[str, SiteBox], known: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    folder = tmp_path / "here"
    shutil.copytree(known, folder)
    monkeypatch.chdir(folder)
    found = RESULTS[kind](state, sites[state].site)
    assert type(found).__name__ == kind

    for is_closed in (False, True):
        shown = repr(found)
        assert shown.startswith(f"<{kind} ")
        assert len(shown) < 300
        for name in members(found):
            with closed_or_works(is_closed=is_closed):
                use(found, name)
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with suppress(TypeError):  # of what holds a connection
                copied(found)
        if not isinstance(found, Closing):
            break
        found.close()
        found.close()


def test_every_result_is_here() -> None:
    classes = {name for name in urlset.__all__ if inspect.isclass(getattr(urlset, name))}
    errors = {name for name in classes if issubclass(getattr(urlset, name), Exception)}

    assert classes - errors - NO_RESULTS == RESULTS.keys()

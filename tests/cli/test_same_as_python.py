"""Each command with its defaults finds what its function finds with its defaults."""

import inspect
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from tests.cli.test_commands import command
from tests.live.submit.fake_engines import KEY
from tests.live_sites import html, put_site
from tests.site_box import SiteBox
from urlset.checker import FAILURE_CODES
from urlset.live.submit.keys import parse_keys
from urlset.option_schema import Option, options_of

CALLS = {
    "read": ("urlset.cli.read_session.open_source", ["a.xml"]),
    "check": ("urlset.cli.check_run.find", ["a.xml"]),
    "build": ("urlset.builder.build", ["a.xml", "-o", "maps"]),
    "fix": ("urlset.cli.fix_run.fix", ["a.xml"]),
    "crawl": ("urlset.live.crawl.crawl", ["https://example.com/", "--store", "a.duckdb"]),
    "audit": ("urlset.live.audit.audit", ["a.xml"]),
    "diff": ("urlset.live.diff.diff", ["a.xml", "b.xml"]),
    "watch": ("urlset.live.watch.watch", ["https://example.com/", "--store", "a.duckdb"]),
    "sync": ("urlset.live.sync.sync", ["https://example.com/", "--store", "a.duckdb"]),
    "submit": ("urlset.live.submit.submit", ["changes.jsonl"]),
}
"""Name of the function as each command calls it, and the arguments that it needs."""

DIFFERENT: dict[str, dict[str, Any]] = {
    "read": {"keep": False},  # the command reads once
    "check": {"always": FAILURE_CODES},  # of --select, too
    "submit": {"keys": parse_keys(KEY, "")},
}
"""Arguments of a command that are not the defaults of Python, on purpose."""

SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/a</loc><lastmod>2025-01-01</lastmod></url>
<url><loc>https://example.com/b#x</loc><priority>7</priority></url>
<url><loc>https://example.com/b c</loc><lastmod>yesterday</lastmod></url>
<url><loc>http://other.example/</loc></url>
</urlset>
"""


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    for name in ("URLSET_AUTH", "URLSET_WEBHOOK", "URLSET_GOOGLE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    (tmp_path / "a.xml").write_text(SITEMAP)
    (tmp_path / "pages.txt").write_text("https://e.com/b#x\nhttps://e.com/a\n")
    (tmp_path / "b.xml").write_text(SITEMAP.replace("/a<", "/new<").replace("2025", "2026"))
    (tmp_path / "changes.jsonl").write_text('{"change": "added", "loc": "https://e.com/a"}\n')
    return command(capsys, monkeypatch, tmp_path)


@pytest.fixture
def site(box: SiteBox):
    put_site(box, {"/": ["/a", "/b"], "/a": ["/c"], "/b": [], "/c": ["/"], "/gone": []})
    box.put("/a", html("A", "/c", head='<meta name="robots" content="noindex">'), kind="text/html")
    box.put("/gone", "", status=404, kind="text/html")
    return box


class Called(Exception):
    """End of a command whose call was recorded."""


@pytest.fixture(params=CALLS)
def call(request, run, monkeypatch):
    """A verb, its parameters, and what its command passes for some options."""
    verb = request.param
    place, arguments = CALLS[verb]
    words = ["check", *arguments, "--fix"] if verb == "fix" else [verb, *arguments]
    parameters = inspect.signature(getattr(urlset, verb)).parameters
    given: dict[str, Any] = {}

    def record(*_: object, **options: Any) -> None:
        given.update(options)
        raise Called

    def passed(*options: str) -> dict[str, Any]:
        given.clear()
        run(*words, *options)
        return {name: value for name, value in given.items() if name not in ("progress", "store")}

    monkeypatch.setattr(place, record)
    return verb, parameters, passed


def test_a_command_without_options_passes_the_defaults_of_python(call):
    verb, parameters, passed = call

    given = passed()

    defaults = {name: parameters[name].default for name in given}
    assert given == defaults | DIFFERENT.get(verb, {})


def test_an_option_of_a_command_sets_its_parameter_and_no_other(call):
    verb, parameters, passed = call
    defaults = passed()

    for option in options_of("check" if verb == "fix" else verb):
        if option.is_allowed("command") and option.name in parameters.keys() - OTHERWISE:
            for words, value in values_of(option):
                expected = {option.name: value} | ({"dry_run": True} if "--why" in words else {})
                needed = NEEDED.get((verb, option.name), ())
                before = passed(*needed) if needed else defaults
                assert passed(*needed, *words) == before | expected, words


def test_an_option_whose_file_the_command_reads_sets_its_parameter_once(call, tmp_path):
    verb, parameters, passed = call
    files = {
        "baseline": '{"urlset_baseline": 1, "findings": []}',
        "keys": KEY,
        "google_credentials": "token",
    }

    for option in options_of(verb):
        name = option.in_python or option.name
        if name in parameters.keys() & files and option.is_allowed("command"):
            (tmp_path / name).write_text(files[name])
            words = ["--to", "google"] if name == "google_credentials" else []

            given = passed(*words, option.flags[0], name)

            assert given.get(name) is not None, name


_GOOGLE = ("--to", "google")
NEEDED = {
    ("build", "cache_control"): ("-o", "s3://bucket/maps"),
    ("audit", "seed"): ("--sample", "5"),
    ("diff", "max_requests"): ("--live",),
    ("watch", "webhook_format"): ("--webhook", "https://e.com/"),
    ("submit", "inspect_store"): (*_GOOGLE, "--inspect", "5"),
    **{
        ("submit", name): _GOOGLE
        for name in ("sitemaps", "resubmit", "property", "status", "inspect")
    },
}
"""Options without which another one has no effect, and is refused."""

OTHERWISE = {
    "baseline",
    "google_credentials",
    "keys",
    "limit",
    "source",
    "sources",
    "store",
    "target",
}
"""Parameters whose file the command reads, that it passes by place, or that it applies itself."""

VALUES = {
    "base_url": "https://e.com/",
    "since": "2025-01-01",
    "to": "indexnow",
    "select": "X",
    "ignore": "X",
    "extend_select": "X",
}


def values_of(option: Option) -> list[tuple[list[str], Any]]:
    """Return words of the command line, and the value that they stand for."""
    flag = option.flags[0]
    if option.is_argument:
        return []
    if option.type is bool:
        return [([flag], True), *(([no], False) for no in option.opposites)]
    if option.type in (int, float):
        texts = [str(option.minimum or 0), "1"]
    else:
        texts = [option.choices[-1] if option.choices else VALUES.get(option.name, "abc")]
    parsed = [option.parse(text) for text in texts]
    values = [option.value([one] if option.is_repeatable else one) for one in parsed]
    return [([flag, text], value) for text, value in zip(texts, values, strict=True)]


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "txt"])
def test_read_writes_the_same_entries(site, run, tmp_path, form):
    ran = run("read", site.site, "--format", form)
    method = {"txt": "to_text"}.get(form, f"to_{form}")
    getattr(urlset.read(site.site), method)(tmp_path / f"python.{form}")

    assert ran.code == 0, ran.err
    assert ran.out.splitlines() == (tmp_path / f"python.{form}").read_text().splitlines()


@pytest.mark.parametrize("form", ["duckdb", "parquet"])
def test_read_writes_the_same_tables(site, run, tmp_path, form):
    ran = run("read", site.site, "--output", f"command.{form}")
    getattr(urlset.read(site.site), f"to_{form}")(tmp_path / f"python.{form}")

    assert ran.code == 0, ran.err
    assert rows(tmp_path / f"command.{form}") == rows(tmp_path / f"python.{form}")


def test_check_reports_the_same_findings(run, tmp_path):
    ran = run("check", "a.xml", "--format", "json", "--report", "command.html")
    with urlset.check("a.xml") as findings:
        found = findings.to_dict()
        findings.report("python.html")

    assert json.loads(ran.out) == found
    assert page(tmp_path / "command.html") == page(tmp_path / "python.html")


def test_check_writes_the_same_baseline(run, tmp_path):
    run("check", "a.xml", "--write-baseline", "command.json")
    known = urlset.Baseline()
    with urlset.check("a.xml") as findings:
        for _ in known.record(findings):
            pass
        known.record_counted(findings.unlisted)
    known.write(tmp_path / "python.json")

    assert (tmp_path / "command.json").read_text() == (tmp_path / "python.json").read_text()


def test_fix_makes_the_same_edits(run, tmp_path):
    (tmp_path / "python.xml").write_text(SITEMAP)

    shown = run("check", "a.xml", "--diff").out
    fixed = urlset.fix("a.xml")
    run("check", "a.xml", "--fix")
    urlset.write_fixed(urlset.fix("python.xml").documents)

    assert shown == "".join(line for each in fixed.documents for line in urlset.unified_diff(each))
    assert (tmp_path / "a.xml").read_text() == (tmp_path / "python.xml").read_text() != SITEMAP
    assert (tmp_path / "a.xml.bak").exists() == (tmp_path / "python.xml.bak").exists()


def test_build_writes_the_same_files(run, tmp_path):
    ran = run("build", "pages.txt", "-o", "command", "--ledger", "command.ledger", "--json")
    built = urlset.build("pages.txt", "python", ledger="python.ledger")

    found, expected = json.loads(ran.out), built.to_dict()
    assert folder(tmp_path / "command") == folder(tmp_path / "python")
    assert plain(found) == plain(expected)


def test_crawl_stores_the_same_pages(site, run, tmp_path):
    ran = run("crawl", site.site, "--store", "command.duckdb", "--format", "json")
    with urlset.crawl(site.site, "python.duckdb") as found:
        expected = found.to_dict()

    assert plain(json.loads(ran.out)) == plain(expected)
    assert rows(tmp_path / "command.duckdb") == rows(tmp_path / "python.duckdb")


def test_audit_reports_the_same_findings(site, run, tmp_path):
    arguments = ("--store", "command.duckdb", "--report", "command.html")
    ran = run("audit", site.site, "--format", "json", *arguments)
    with urlset.audit(site.site, store="python.duckdb") as found:
        expected = found.to_dict()
        summary = found.summary
        found.report("python.html")

    assert plain(json.loads(ran.out)) == plain(expected)
    assert plain(summary) in plain(ran.err)
    assert rows(tmp_path / "command.duckdb") == rows(tmp_path / "python.duckdb")
    pages = [page(tmp_path / f"{name}.html") for name in ("command", "python")]
    before, after = (text.partition('<section id="charts"')[0] for text in pages)
    assert before == after  # the charts show the speed of the responses


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_diff_reports_the_same_changes(run, tmp_path, form):
    ran = run("diff", "a.xml", "b.xml", "--format", form, "--report", "command.html")
    with urlset.diff("a.xml", "b.xml") as found:
        expected = found.to_markdown() if form == "markdown" else "".join(found.jsonl())
        found.report("python.html")

    assert ran.out == expected
    assert page(tmp_path / "command.html") == page(tmp_path / "python.html")


def test_watch_stores_the_same_snapshot(site, run, tmp_path):
    arguments = ("--format", "json", "--report", "command.html")
    ran = run("watch", site.site, "--store", "command.duckdb", *arguments)
    with urlset.watch(site.site, "python.duckdb") as found:
        expected = found.to_dict()
        found.report("python.html")

    assert plain(json.loads(ran.out)) == plain(expected)
    assert rows(tmp_path / "command.duckdb") == rows(tmp_path / "python.duckdb")
    assert page(tmp_path / "command.html") == page(tmp_path / "python.html")


def test_sync_writes_the_same_lines(site, run, tmp_path):
    ran = run("sync", site.site, "--store", "command.duckdb", "--output", "command.jsonl")
    with urlset.sync(site.site, "python.duckdb") as updates:
        updates.to_jsonl("python.jsonl")

    assert plain(updates.summary) in plain(ran.err)
    assert plain((tmp_path / "command.jsonl").read_text()) == plain(
        (tmp_path / "python.jsonl").read_text()
    )
    assert rows(tmp_path / "command.duckdb") == rows(tmp_path / "python.duckdb")


def test_submit_sends_the_same_requests(site, run, tmp_path):
    text = json.dumps({"change": "added", "loc": site.url("/b")})
    (tmp_path / "changes.jsonl").write_text(f"{text}\n")

    ran = run("submit", "changes.jsonl", "--dry-run", "--format", "json")
    found = urlset.submit("changes.jsonl", keys=KEY, dry_run=True)

    assert plain(json.loads(ran.out)) == plain(found.to_dict())


def test_submit_takes_the_same_ledger(site, run, tmp_path):
    run("build", "pages.txt", "-o", "maps")

    ran = run("submit", "--dry-run", "--format", "json")
    found = urlset.submit(urlset.builder.LEDGER, keys=KEY, dry_run=True)

    assert plain(json.loads(ran.out)) == plain(found.to_dict())


MASKS = {
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+]\d\d:?\d\d)?": "TIME",
    r"\d+\s\w+\s\d{4},\s\d\d:\d\d\sUTC": "TIME",
    r"\b\d+([.]\d+)? (s|ms|seconds?)\b": "DURATION",
}
"""What differs from run to run."""


def plain(value: Any) -> Any:
    """Return a value without times, durations and the names of files of one of both runs."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items() if name not in ("seconds",)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if not isinstance(value, str):
        return value
    text = value
    for pattern, name in MASKS.items():
        text = re.sub(pattern, name, text)
    return re.sub(r"\b(?:command|python)\b", "RUN", text)


def page(path: Path) -> str:
    text = plain(path.read_text("utf-8"))
    assert isinstance(text, str)
    return text


def folder(path: Path) -> dict[str, bytes]:
    return {str(each.relative_to(path)): each.read_bytes() for each in sorted(path.rglob("*"))}


def rows(path: Path) -> dict[str, list[str]]:
    """Return the rows of all tables of a file, without times and durations."""
    found = {}
    with duckdb.connect() as connection:
        if path.suffix == ".parquet":
            connection.execute(f"CREATE VIEW entries AS FROM '{path}'")
        else:
            connection.execute(f"ATTACH '{path}' AS kept (READ_ONLY); USE kept")
        names = connection.execute(
            "SELECT table_name, list(column_name) FROM duckdb_columns() "
            "WHERE database_name = current_database() AND NOT internal "
            "AND data_type NOT LIKE 'TIMESTAMP%' GROUP BY ALL"
        ).fetchall()
        for name, columns in names:
            kept = ", ".join(f'"{each}"' for each in sorted(columns) if each not in VOLATILE)
            values = connection.execute(f'SELECT {kept} FROM "{name}"').fetchall()
            found[name] = sorted(repr(plain(each)) for each in values)
    assert found
    return found


VOLATILE = {"first_byte_s", "seconds"}
"""Columns that differ from run to run."""

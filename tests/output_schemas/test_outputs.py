"""What each command and each result writes as JSON validates: full, empty, incomplete, failed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

import urlset as library
from tests.cli.test_commands import RICH, SITE, command
from tests.live.submit.fake_engines import Bench, Reply, added
from tests.live.submit.test_search_console import SITEMAP, Google
from tests.live.watch.simulated_site import SimulatedSite
from tests.live_sites import put_page, put_site, put_sitemap
from urlset.live.watch.webhook import Hook
from urlset.output_schemas import OUTPUTS, schemas

SCHEMAS = schemas()
VIDEO = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://e.com/v</loc>
<xhtml:link rel="alternate" hreflang="de" href="https://e.com/de"/>
<video:video><video:title>V</video:title><video:tag>t</video:tag><video:live>no</video:live>
<video:price currency="EUR">1.99</video:price><video:tvshow><video:show_title>S</video:show_title>
</video:tvshow><video:id type="tms:program">x</video:id></video:video>
<news:news><news:publication><news:name>N</news:name><news:language>en</news:language>
</news:publication><news:title>T</news:title></news:news></url></urlset>"""


def closed(schema: Any) -> Any:
    """Return a schema that allows no field that it does not name."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    return found | {"additionalProperties": False} if "properties" in schema else found


VALIDATORS = {
    name: Draft202012Validator(closed(schema), format_checker=Draft202012Validator.FORMAT_CHECKER)
    for name, schema in SCHEMAS.items()
}


def validate(name: str, value: Any) -> Any:
    """Validate a value, as JSON has it, and return it."""
    value = json.loads(json.dumps(value))
    VALIDATORS[name].validate(value)
    return value


def rows(name: str, text: str) -> list[Any]:
    """Validate JSON lines, and return their values."""
    return [validate(name, json.loads(line)) for line in text.splitlines()]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    return command(capsys, monkeypatch, tmp_path)


@pytest.fixture
def site(box):
    put_site(box, {"/": ["/tea", "/gone"], "/tea": ["/"], "/calm": []}, ["/", "/tea", "/lost"])
    return box


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_a_schema(name):
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("name", SCHEMAS)
def test_an_address_is_stable(name):
    assert SCHEMAS[name]["$id"] == f"https://example.com/urlset/schemas/{name}.json"


# ── read ──


@pytest.mark.parametrize("document", [RICH, VIDEO, b"<urlset/>"])
def test_entries_validate(run, document):
    ran = run("read", "-", "--format", "jsonl", stdin=document)
    array = run("read", "-", "--format", "json", stdin=document)

    found = rows("read", ran.out)
    assert len(found) == document.count(b"<loc>")
    assert found == json.loads(array.out)


def test_an_unknown_field_or_another_type_does_not_validate(run):
    (entry, *_) = rows("read", run("read", "-", "--format", "jsonl", stdin=RICH).out)

    wrong: dict[str, Any]
    for wrong in ({"tea": 1}, {"line": "1"}, {"images": [{"loc": None}]}, {"images": [{}]}):
        with pytest.raises(ValidationError):
            validate("read", entry | wrong)
    for name in entry.keys() - {"images"}:
        with pytest.raises(ValidationError):
            validate("read", {key: value for key, value in entry.items() if key != name})
    # Programs ignore fields of later versions.
    Draft202012Validator(SCHEMAS["read"]).validate(entry | {"tea": 1})


# ── check ──


def test_findings_validate(run):
    for source in (SITE / "broken.xml", SITE, "missing.xml"):
        ran = run("check", source, "--format", "json")
        assert validate("check", json.loads(ran.out))["findings"], ran.err
    cut = run("check", "-", "--format", "json", stdin=b"<urlset")
    assert validate("check", json.loads(cut.out))["findings"]
    clean = run("check", "-", "--format", "json", "--select", "T", stdin=b"https://example.com/")
    assert validate("check", json.loads(clean.out))["is_complete"]


def test_statistics_and_baselines_validate(run, tmp_path):
    ran = run("check", SITE / "broken.xml", "--statistics", "--format", "json")
    run("check", SITE / "broken.xml", "--write-baseline", "known.json")
    empty = run("check", "-", "--statistics", "--format", "json", "--select", "T", stdin=b"")

    assert validate("check-statistics", json.loads(ran.out))["rules"]
    assert validate("check-statistics", json.loads(empty.out))["rules"] == []
    assert validate("check-baseline", json.loads((tmp_path / "known.json").read_text()))["findings"]


def test_rules_validate(run):
    every = validate("rules", json.loads(run("rules", "--format", "json").out))
    one = validate("rules", json.loads(run("rules", "X003", "--format", "json").out))

    assert len(every) == len({each["code"] for each in every}) > 200
    assert [(each["rule"], each["fix"]) for each in one] == [("unescaped-ampersand", "safe")]


def test_a_baseline_of_counted_findings_validates(run, tmp_path):
    urls = "".join("https://example.com/ä\n" for _ in range(10_002))
    run("check", "-", "--write-baseline", "known.json", stdin=urls.encode())

    found = validate("check-baseline", json.loads((tmp_path / "known.json").read_text()))

    assert found["counted"]


def test_results_of_checks_and_fixes_validate(tmp_path):
    found = library.check(SITE / "broken.xml").to_dict()
    fixed = library.fix(SITE / "broken.xml", unsafe=True).to_dict()
    (tmp_path / "page.html").write_text("<!doctype html><title>x</title>")

    assert validate("check", found)["findings"]
    assert validate("fix-result", fixed)["counts"]
    refused = library.fix(b"https://e.com/a\n\n https://e.com/\xff\n").to_dict()
    assert validate("fix-result", refused)["remaining"]
    assert validate("check", library.check(tmp_path / "page.html").to_dict())


# ── build and write ──


def test_builds_validate(run, tmp_path):
    (tmp_path / "urls.csv").write_text(
        "loc,lastmod\nhttps://e.com/a,2026-01-01\nhttps://e.com/b,\nhttps://e.com/c,\nnone:x,\n"
    )
    basic = ("--base-url", "https://e.com/", "-o", "maps", "--json")
    words = (*basic, "--on-error", "skip", "--changes", "changes.jsonl", "--excluded", "out.jsonl")

    first = run("build", "urls.csv", *words, "--exclude", "/b$")
    changes = rows("build-changes", (tmp_path / "changes.jsonl").read_text())
    excluded = rows("build-excluded", (tmp_path / "out.jsonl").read_text())
    (tmp_path / "urls.csv").write_text("loc,lastmod\nhttps://e.com/a,2026-02-01\n")
    gate = run("build", "urls.csv", *words, "--min-share", "1")
    second = run("build", "urls.csv", *words, "--force", "shrunk", "--index", "always")

    assert validate("build", json.loads(first.out))["rejected"], first.err
    assert [row["change"] for row in changes] == ["added", "added"]
    assert len(excluded) == 2
    assert validate("build", json.loads(second.out))["indexes"], second.err
    again = rows("build-changes", (tmp_path / "changes.jsonl").read_text())
    assert [row["change"] for row in again] == ["changed", "removed"]
    failed = validate("build", json.loads(gate.out))
    assert (failed["gate"], failed["is_complete"]) == ("shrunk", False)


def test_a_gate_validates(run, tmp_path):
    (tmp_path / "urls.txt").write_text("")

    ran = run("build", "urls.txt", "--base-url", "https://e.com/", "-o", "maps", "--json")

    assert validate("build", json.loads(ran.out))["exit_code"] == ran.code


@pytest.mark.parametrize("source", ["lost.csv", "maps", "http://127.0.0.1:9/"])
def test_a_failure_of_a_build_validates(run, tmp_path, source):
    (tmp_path / "maps").mkdir()
    ran = run("build", source, "--base-url", "https://e.com/", "-o", "maps", "--json")

    found = validate("build", json.loads(ran.out))
    assert (ran.code, found["exit_code"]) == (2, 2), ran.err
    assert found["error"] in ran.err
    assert (found["is_complete"], found["incomplete"]) == (False, [found["error"]])


def test_publications_validate(tmp_path):
    entries = ["https://e.com/a", "https://e.com/a", "https://e.com/b"]
    found = library.write(
        entries, tmp_path, base_url="https://e.com/", on_error="skip", index="always"
    )

    assert validate("write-result", found.to_dict())["indexes"]


# ── crawl and audit ──


def test_crawls_validate(run, site):
    words = ("--delay", "0", "--store", "site.duckdb")
    limited = run("crawl", site.site, *words, "--format", "json", "--max-pages", "1")
    whole = run("crawl", site.site, *words, "--format", "json")
    why = run("crawl", site.site, *words, "--why", site.url("/tea"), "--why", site.url("/gone"))

    assert not validate("crawl", json.loads(limited.out))["is_complete"]
    assert validate("crawl", json.loads(whole.out))["verdicts"]["ok"] == 2
    evidence = [validate("crawl-why", json.loads(line)) for line in why.out.splitlines()]
    assert [value["url"] for value in evidence] == [site.url("/tea"), site.url("/gone")]
    assert all(value["referrers"] for value in evidence)


def test_a_crawl_that_reaches_nothing_validates(run):
    ran = run("crawl", "http://127.0.0.1:9/", "--store", "a.duckdb", "--format", "json")

    assert validate("crawl", json.loads(ran.out))["verdicts"] == {"unknown": 1}
    assert ran.code == 2


def test_audits_validate(run, site):
    ran = run("audit", site.site, "--delay", "0", "--format", "json", "--crawl")
    assert validate("audit", json.loads(ran.out))["findings"]

    with library.audit(site.site, policy=library.Policy(delay_s=0), confirm_after_s=0.0) as found:
        assert validate("audit", found.to_dict())["verdicts"]
    put_sitemap(site, [])
    empty = run("audit", site.site, "--format", "json")
    assert validate("audit", json.loads(empty.out))["findings"] == []


# ── diff, watch, sync, submit ──


def test_diffs_validate(run, tmp_path):
    text = RICH.decode()
    (tmp_path / "old.xml").write_text(text, encoding="utf-8")
    (tmp_path / "new.xml").write_text(text.replace("e.com/ä", "e.com/n"), encoding="utf-8")
    (tmp_path / "cut.xml").write_text(text[:300], encoding="utf-8")

    ran = run("diff", "old.xml", "new.xml", "--format", "jsonl")
    same = run("diff", "old.xml", "old.xml", "--format", "jsonl")
    cut = run("diff", "old.xml", "cut.xml", "--format", "jsonl")

    one = run("diff", "old.xml", "new.xml", "--format", "json")
    assert validate("diff-result", json.loads(one.out))["counts"]["added"] == 1
    assert one.out.count("\n") == 1
    assert {row["change"] for row in rows("diff", ran.out)} == {"added", "removed"}
    assert rows("diff", same.out) == []
    assert {row["change"] for row in rows("diff", cut.out)} >= {"unknown"}
    for name in ("new.xml", "cut.xml", "old.xml"):
        with library.diff(str(tmp_path / "old.xml"), str(tmp_path / name)) as found:
            validate("diff-result", found.to_dict())


def test_moves_validate(tmp_path):
    old = "".join(f"https://e.com/blog/{n}-tea\n" for n in range(5))
    (tmp_path / "old.txt").write_text(old)
    (tmp_path / "new.txt").write_text(old.replace("/blog/", "/posts/"))

    with library.diff(str(tmp_path / "old.txt"), str(tmp_path / "new.txt")) as found:
        assert {row["change"] for row in rows("diff", "".join(found.jsonl()))} == {"moved"}
        assert validate("diff-result", found.to_dict())["patterns"]


def test_steps_of_a_watch_validate(run, box):
    put_sitemap(box, ["/a", "/b"])
    words = ("--store", "site.duckdb", "--format", "json")
    first = run("watch", box.site, *words)
    put_sitemap(box, ["/b", "/c"])
    box.put_robots("User-agent: *", "Disallow: /b", f"Sitemap: {box.url('/sitemap.xml')}")
    second = run("watch", box.site, *words)
    box.put("/sitemap.xml", "gone", status=500)
    failed = run("watch", box.site, *words)

    assert validate("watch", json.loads(first.out))["urls"] == 2
    found = validate("watch", json.loads(second.out))
    assert found["changes"]
    assert found["alerts"]
    assert not validate("watch", json.loads(failed.out))["is_complete"]


def test_alerts_of_a_webhook_validate(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put("/sitemap.xml", [(f"/a/{n}", None) for n in range(40)])
    site.step()
    site.put_robots("User-agent: *", "Disallow: /")
    found = site.step()

    request = Hook("https://hooks.example.com/x").request(found, found.alerts)

    assert validate("watch", found.to_dict())["sections"]
    assert validate("watch-alerts", json.loads(request.body or b""))["alerts"]


def test_updates_of_a_sync_validate(run, box):
    for path in ("/a", "/b"):
        put_page(box, path)
    put_sitemap(box, ["/a", "/b", "/gone"])
    box.put("/sitemap2.xml", "x", status=500)
    words = ("--store", "index.duckdb", "--delay", "0")
    first = run("sync", box.site, *words)
    put_page(box, "/a", body="<p>Something else.</p>")
    put_sitemap(box, ["/a", "/lost"])
    box.put("/lost", "x", status=503)
    second = run("sync", box.site, *words, "--max-removed-share", "1")

    assert {row["change"] for row in rows("sync", first.out)} == {"added"}, first.err
    assert {row["change"] for row in rows("sync", second.out)} >= {"removed", "unknown"}, second.err
    with library.sync(box.site, "index.duckdb", policy=library.Policy(delay_s=0)) as found:
        assert not validate("sync-result", found.to_dict())["is_complete"]
        assert set(found.to_dict()["counts"].values()) == {0}
        for batch in found:
            batch.commit()
        validate("sync-result", found.to_dict())


def test_submissions_validate(tmp_path):
    bench = Bench(tmp_path)
    bench.site.add_page("/a")
    bench.site.add_page("/b", "<meta name=robots content=noindex>")

    found = validate("submit", bench.submit(added("/a", "/b"), announce_all=True).to_dict())
    bench.engine.replies = [Reply(422)] * 9
    refused = bench.submit(added("/c", "/d"), retry_refused=True)

    assert found["results"]
    assert found["excluded"]
    validate("submit", refused.to_dict())


def test_a_submission_to_search_console_validates(tmp_path):
    google = Google(tmp_path)
    sitemap = {"path": f"{SITEMAP}?<b>", "isPending": True, "warnings": "2", "errors": 1}
    google.console.sitemaps = [sitemap, {"path": 3}]

    found = validate("submit", google.submit(status=True).to_dict())

    assert found["sitemaps"]


def test_an_empty_submission_validates(run, monkeypatch, tmp_path):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", "73134416ae45434d98edc086e0bf6740")
    (tmp_path / "changes.jsonl").touch()

    ran = run("submit", "changes.jsonl", "--format", "json")

    assert validate("submit", json.loads(ran.out))["new"] == 0


# ── the command ──


def test_the_command_lists_and_prints_schemas(run):
    listed = run("schema")
    printed = run("schema", "check")
    wrong = run("schema", "chek")

    assert [line.split()[0] for line in listed.out.splitlines()] == [each.name for each in OUTPUTS]
    assert json.loads(printed.out) == SCHEMAS["check"]
    assert (wrong.code, wrong.out) == (2, "")
    assert "did you mean 'check'?" in wrong.err


def test_schemas_are_not_shared():
    changed = library.schemas()
    changed["check"]["items"] = None

    assert library.schemas() == SCHEMAS

"""The command `urlset watch`, and what a stranger does with it."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

import urlset
from tests.cli.test_commands import command
from tests.site_box import SiteBox, page
from urlset.store import Store

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def put(box, *paths, robots=("User-agent: *", "Allow: /")):
    rows = "".join(f"<url><loc>{box.url(path)}</loc></url>" for path in paths)
    box.put("/sitemap.xml", f"<urlset {NAMESPACE}>{rows}</urlset>")
    box.put_robots(*robots, f"Sitemap: {box.url('/sitemap.xml')}")


@pytest.fixture
def box():
    with SiteBox() as box:
        put(box, "/a", "/b/1")
        yield box


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def test_two_steps_show_the_changes(box, run):
    first = run("watch", box.site, "--store", "site.duckdb")
    put(box, "/b/1", "/c")
    second = run("watch", box.site, "--store", "site.duckdb", "--quiet")

    assert (first.code, first.out.splitlines()[1]) == (0, "2 URLs in 1 document")
    assert second.code == 0
    assert second.out.splitlines()[1:4] == [
        "2 URLs: 1 added, 1 removed, 0 changed",
        f"  + {box.url('/c')}",
        f"  - {box.url('/a')}",
    ]
    assert max(map(len, second.out.splitlines())) <= 80


def test_first_step_counts_the_documents_that_were_read(box, run):
    lines = "".join(
        f"<sitemap><loc>{box.url(path)}</loc></sitemap>" for path in ("/a.xml", "/b.xml")
    )
    box.put("/sitemap.xml", f"<sitemapindex {NAMESPACE}>{lines}</sitemapindex>")
    box.put("/a.xml", f"<urlset {NAMESPACE}><url><loc>{box.url('/a')}</loc></url></urlset>")

    first = run("watch", box.site, "--store", "site.duckdb")

    assert first.out.splitlines()[1] == "1 URL in 2 documents; not complete"


def test_new_alerts_exit_with_1_once(box, run):
    run("watch", box.site, "--store", "site.duckdb")
    put(box, "/a", "/b/1", robots=("User-agent: *", "Disallow: /b/"))

    alerted = run("watch", box.site, "--store", "site.duckdb")
    again = run("watch", box.site, "--store", "site.duckdb")

    assert alerted.code == 1
    assert f"alert: {box.url('/robots.txt')} changed: new rule" in alerted.out
    assert (again.code, "alert" in again.out) == (0, False)


def test_json_has_all_numbers(box, run):
    run("watch", box.site, "--store", "site.duckdb")

    found = json.loads(run("watch", box.site, "--store", "site.duckdb", "--format", "json").out)

    assert (found["snapshot"], found["urls"], found["added"], found["alerts"]) == (2, 2, 0, [])
    assert {section["name"] for section in found["sections"]} == {"/", "/b/"}
    put(box, "/a", "/c")
    found = json.loads(run("watch", box.site, "--store", "site.duckdb", "--format", "json").out)
    assert [(change["change"], change["loc"]) for change in found["changes"]] == [
        ("added", box.url("/c")),
        ("removed", box.url("/b/1")),
    ]


def test_a_report_that_cannot_be_written_takes_no_step(box, tmp_path):
    with pytest.raises(urlset.TargetError, match="cannot write the report"):
        urlset.watch(box.site, tmp_path / "site.duckdb", report=tmp_path / "none" / "site.html")

    assert box.paths == []
    assert os.listdir(tmp_path) == []


def test_report_has_charts_by_day_and_alerts(box, run, tmp_path):
    run("watch", box.site, "--store", "site.duckdb")
    put(box, robots=("User-agent: *", "Disallow: /<script>"))

    ran = run("watch", box.site, "--store", "site.duckdb", "--report", "site.html")

    text = (tmp_path / "site.html").read_text("utf-8")
    assert "report written to 'site.html'" in ran.err
    assert "Disallow: /<script>" not in text
    assert "1 alert so far" in text
    assert "2 removed" in text
    assert "changes per URL and week" not in text  # an estimate that needs a longer history


def test_sitemaps_that_cannot_be_read_are_listed_without_an_alert(box, run):
    run("watch", box.site, "--store", "site.duckdb")
    box.put("/sitemap.xml", b"", status=404)

    ran = run("watch", box.site, "--store", "site.duckdb")

    assert f"not complete: {box.url('/sitemap.xml')}: HTTP 404" in ran.err
    assert "2 unknown" in ran.out
    assert ran.code == 2  # nothing at all could be read


@pytest.mark.parametrize("words", [(), ("-q",)])
def test_a_step_that_is_not_complete_exits_with_1(box, run, words):
    box.put_robots(f"Sitemap: {box.url('/sitemap.xml')}", f"Sitemap: {box.url('/b.xml')}")
    box.put("/b.xml", b"", status=404)

    ran = run("watch", box.site, "--store", "site.duckdb", *words)
    whole = put_whole(box, run, words)

    assert (ran.code, ran.out.splitlines()[1][-12:]) == (1, "not complete")
    assert f"not complete: {box.url('/b.xml')}: HTTP 404" in ran.err
    assert (whole.code, "not complete" in whole.out + whole.err) == (0, False)


def put_whole(box, run, words):
    box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")
    return run("watch", box.site, "--store", "other.duckdb", *words)


def test_webhook_of_the_environment_gets_the_alerts(box, run, monkeypatch):
    box.put("/hook", b"ok")
    monkeypatch.setenv("URLSET_WEBHOOK", box.url("/hook"))
    run("watch", box.site, "--store", "site.duckdb")
    put(box, "/a", robots=("User-agent: *", "Disallow: /"))

    ran = run("watch", box.site, "--store", "site.duckdb")

    (hit,) = [hit for hit in box.hits if hit.path == "/hook"]
    assert json.loads(hit.body)["alerts"][0]["kind"] == "robots"
    assert ran.code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["https://example.com"], "expected --store FILE.duckdb"),
        (["example.com", "--store", "s.duckdb"], "expected the URL of a site or a sitemap"),
        (["https://example.com", "--store", "."], "expected a store, found a folder"),
        (["https://example.com", "--store", "x/s.duckdb"], "its folder 'x' does not exist"),
        (["https://example.com", "--store", "text.txt"], "found another kind of file"),
        (
            ["https://example.com", "--store", "s.duckdb", "--webhook", "hooks/secret"],
            "webhook: expected an http or https URL",
        ),
    ],
)
def test_mistakes_have_one_line_that_helps(run, tmp_path, arguments, message):
    (tmp_path / "text.txt").write_text("not a store", "utf-8")

    ran = run("watch", *arguments)

    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) <= 2
    assert "secret" not in ran.err
    assert not (tmp_path / "s.duckdb").exists()


def test_site_without_a_sitemap_exits_with_2(run, tmp_path):
    with SiteBox() as box:
        ran = run("watch", box.site, "--store", "s.duckdb")

    assert ran.code == 2
    assert list(tmp_path.iterdir()) == []
    assert "nothing could be read" in ran.err


def test_store_of_a_read_gets_the_history_too(box, run, tmp_path):
    run("read", box.site, "-o", "site.duckdb")

    ran = run("watch", box.site, "--store", "site.duckdb")

    assert ran.code == 0
    with Store.open(tmp_path / "site.duckdb", read_only=True) as store:
        assert list(
            store.query("SELECT (SELECT count(*) FROM entries), count(*) FROM history")
        ) == [(2, 2)]


def test_python_has_the_same_result(box, tmp_path):
    found = urlset.watch(box.site, tmp_path / "site.duckdb")

    assert (found.snapshot, found.urls, found.alerts) == (1, 2, ())


def start(box, path, *options):
    arguments = [sys.executable, "-m", "urlset", "watch", box.site, "--store", str(path), *options]
    return subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )


def held_sitemap(box):
    """Hold the next response of the sitemap; return the events of its request and its end."""
    asked, free = threading.Event(), threading.Event()
    play = page(b"<urlset/>")

    async def player(hit, wire):
        asked.set()
        while not free.is_set():
            await wire.wait(0.02)
        return await play(hit, wire)

    box.play("/sitemap.xml", player)
    return asked, free


def test_killed_step_leaves_the_store_whole(box, tmp_path):
    path = tmp_path / "site.duckdb"
    urlset.watch(box.site, path)
    asked, free = held_sitemap(box)
    process = start(box, path)
    assert asked.wait(30)

    process.kill()
    process.communicate()
    free.set()

    put(box, "/a", "/b/1", "/c")
    found = urlset.watch(box.site, path)
    assert (found.snapshot, found.added, found.removed) == (2, 1, 0)


def test_ctrl_c_stores_nothing_and_says_so(box, tmp_path):
    path = tmp_path / "site.duckdb"
    urlset.watch(box.site, path)
    asked, free = held_sitemap(box)
    process = start(box, path)
    assert asked.wait(30)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    free.set()

    assert process.returncode == 130
    assert "Interrupted: no snapshot was stored" in err
    put(box, "/a", "/b/1")
    assert urlset.watch(box.site, path).snapshot == 2


def test_second_watch_on_one_store_says_who_has_it(box, tmp_path):
    path = tmp_path / "site.duckdb"
    urlset.watch(box.site, path)
    asked, free = held_sitemap(box)
    process = start(box, path)
    assert asked.wait(30)

    try:
        with pytest.raises(urlset.StoreError, match=r"in use by another\s+process") as caught:
            urlset.watch(box.site, path)
        assert caught.value.failure == "in-use"
    finally:
        free.set()
        process.communicate()

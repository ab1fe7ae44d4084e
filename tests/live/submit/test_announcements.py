"""Record of announcements: crashes, ledgers, stores, ten minutes, changes that come back."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from datetime import UTC, datetime

import pandas
import polars
import pytest

import urlset
from tests.amounts import amount
from tests.live.submit.fake_engines import HOST, KEY, SITE, Bench, Reply, added, removed
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.changes import ChangedUrl
from urlset.store import ScratchDatabase


class Crash(BaseException):
    """The process is killed: no code of urlset runs any more that could store a result."""


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("block", range(amount(2, 50)))
def test_crash_between_post_and_commit_loses_nothing_and_repeats_once(block, tmp_path):
    """The process dies at random after the engine has received a request: ten seeds each."""
    crashes = 0
    for seed in range(block * 10, block * 10 + 10):
        kills = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        bench = Bench(folder)
        received: Counter[str] = Counter()

        def engine(sent, received=received, kills=kills):
            received.update(sent.json["urlList"])
            if kills.random() < 0.5:
                raise Crash
            return Reply(200)

        bench.web.hosts["api.indexnow.test"] = engine
        everything = set()
        for run in range(3):
            changes = added(f"/{run}-a", f"/{run}-b") if run < 2 else []
            everything |= {change["loc"] for change in changes}
            try:
                bench.submit(changes, preflight=False)
            except Crash:
                crashes += 1
            bench.clock.advance(hours=1)

        assert set(received) == everything, f"seed {seed}: lost"
        assert max(received.values()) <= 2, f"seed {seed}: sent three times"
    assert crashes


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from tests.live.submit.fake_engines import Bench, added

    bench = Bench(Path(sys.argv[1]))
    bench.web.hosts["api.indexnow.test"] = lambda sent: os.kill(os.getpid(), signal.SIGKILL)
    bench.submit(added("/a", "/b"), preflight=False)
"""


def test_killed_process_leaves_announcements_that_are_sent_once_more(tmp_path):
    script = textwrap.dedent(KILLED)
    code = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], check=False, cwd=os.getcwd()
    ).returncode
    assert code == -signal.SIGKILL

    bench = Bench(tmp_path)
    result = bench.submit(added("/a", "/b"), preflight=False)

    assert result.repeated == 2
    assert bench.engine.urls == [f"{SITE}/a", f"{SITE}/b"]


def test_a_value_that_is_no_url_is_reported_once(tmp_path):
    bench = Bench(tmp_path)

    result = bench.submit([{"loc": "nope", "change": "added"}], preflight=False)

    assert result.incomplete == ("expected an http(s) URL, found 'nope'",)
    many = [{"loc": f"nope-{number}", "change": "added"} for number in range(102)]
    reasons = bench.submit(many, preflight=False).incomplete
    assert reasons[0] == ("expected http(s) URLs, found 102 other values; the first 100 are named")
    assert len(reasons) == 101


def test_url_that_changes_again_within_ten_minutes_waits(tmp_path):
    bench = Bench(tmp_path)
    bench.submit(added("/a"), preflight=False)
    bench.clock.advance(minutes=5)

    result = bench.submit(added("/a", lastmod="2026-03-02"), preflight=False)

    assert (result.new, result.sent, result.waiting) == (1, 0, 1)
    assert result.incomplete == ("1 announcement waits for the next run",)
    bench.clock.advance(minutes=6)
    assert bench.submit(preflight=False).sent == 1


def test_announcement_of_a_clock_in_the_future_delays_no_later_one(tmp_path):
    bench = Bench(tmp_path)
    bench.clock.advance(minutes=5_000_000)
    bench.submit(added("/a"), preflight=False)
    bench.clock.advance(minutes=-5_000_000)

    assert bench.submit(added("/a", lastmod="2026-03-02"), preflight=False).sent == 1


def test_page_that_is_removed_and_comes_back_is_announced(tmp_path):
    bench = Bench(tmp_path)
    for changes in (added("/a"), removed("/a"), added("/a")):
        bench.submit(changes, preflight=False)
        bench.clock.advance(days=1)

    assert bench.engine.urls == [f"{SITE}/a"] * 2  # the third set of changes equals the first


def test_undated_change_is_announced_each_time_it_is_in_another_set(tmp_path):
    bench = Bench(tmp_path)
    once = [{"change": "changed", "loc": f"{SITE}/a"}]
    bench.submit(once, preflight=False)
    bench.clock.advance(days=1)
    bench.submit(once, preflight=False)
    bench.clock.advance(days=1)
    bench.submit([*once, *added("/b")], preflight=False)

    assert bench.engine.urls == [f"{SITE}/a", f"{SITE}/a", f"{SITE}/b"]


@pytest.mark.parametrize("missing", [float("nan"), pandas.NaT, pandas.NA, ""])
def test_missing_value_of_pandas_identifies_no_change(missing, tmp_path):
    bench = Bench(tmp_path)
    rows = [
        {"change": "changed", "loc": f"{SITE}/a", "lastmod": missing, "fingerprint": missing},
        {"change": "changed", "loc": f"{SITE}/b", "lastmod": pandas.Timestamp("2026-01-31T12:00Z")},
    ]
    bench.submit(rows, preflight=False)
    bench.clock.advance(days=1)
    bench.submit([*rows, *added("/c")], preflight=False)

    assert bench.engine.urls == [f"{SITE}/{name}" for name in "abac"]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_a_frame_of_changes_is_refused_with_what_to_pass(frame):
    table = frame({"change": ["added"], "loc": [f"{SITE}/a"]})

    with pytest.raises(urlset.SourceError, match=r"found a DataFrame; pass its rows, .to_dicts\("):
        urlset.submit(table, keys={HOST: KEY}, dry_run=True)


def test_moved_url_is_a_removed_and_an_added_one(tmp_path):
    bench = Bench(tmp_path)
    move = {
        "change": "moved",
        "loc": f"{SITE}/new",
        "before": {"loc": f"{SITE}/old"},
        "after": {"loc": f"{SITE}/new", "lastmod": None},
    }
    unknown: dict[str, object] = {
        "change": "unknown",
        "loc": f"{SITE}/x",
        "before": {},
        "after": None,
    }

    bench.submit([move, unknown], preflight=False)

    assert bench.engine.urls == [f"{SITE}/old", f"{SITE}/new"]


def build(folder, names):
    target = folder / "maps"
    urls = [{"loc": f"{SITE}/{name}", "lastmod": "2026-03-01"} for name in names]
    ledger = folder / "ledger.duckdb"
    urlset.build(urls, target, ledger=ledger, force="shrunk")
    return ledger


def test_ledger_begins_with_a_baseline_and_then_announces_changes(tmp_path):
    bench = Bench(tmp_path)
    first = bench.submit(build(tmp_path, "abc"), preflight=False)
    bench.clock.advance(days=1)

    second = bench.submit(build(tmp_path, "bcd"), preflight=False)

    assert (first.baseline, first.new, first.sent) == (3, 0, 0)
    assert sorted(bench.engine.urls) == [f"{SITE}/a", f"{SITE}/d"]
    assert (second.baseline, second.new, second.known) == (0, 2, 2)
    assert bench.submit(tmp_path / "ledger.duckdb", preflight=False).new == 0


def test_removed_urls_that_were_never_announced_are_not_known(tmp_path):
    build(tmp_path, "abc")

    first = Bench(tmp_path).submit(build(tmp_path, "bc"), preflight=False)

    assert (first.baseline, first.new, first.known) == (2, 0, 0)


def test_whole_ledger_is_announced_if_requested(tmp_path):
    bench = Bench(tmp_path)
    ledger = build(tmp_path, "abc")
    bench.submit(ledger, preflight=False)

    result = bench.submit(ledger, preflight=False, announce_all=True)

    assert (result.sent, len(bench.engine.urls)) == (3, 3)
    bench.clock.advance(days=1)
    assert bench.submit(ledger, preflight=False, announce_all=True).sent == 0


def test_store_announces_what_is_listed_no_more(tmp_path):
    bench = Bench(tmp_path)
    store = tmp_path / "site.duckdb"
    for names in ("ab", "bc"):
        store.unlink(missing_ok=True)
        urls = "".join(f"{SITE}/{name}\n" for name in names)
        urlset.read(urls.encode()).to_duckdb(store)
        bench.submit(store, preflight=False)
        bench.clock.advance(days=1)

    assert sorted(bench.engine.urls) == [f"{SITE}/a", f"{SITE}/c"]


def test_removed_urls_that_are_listed_again_before_they_were_sent_are_unchanged(tmp_path):
    bench = Bench(tmp_path)
    bench.submit(build(tmp_path, "abc"), preflight=False)
    bench.site.pages.clear()  # without the key file, everything waits
    waiting = bench.submit(build(tmp_path, "a")).waiting
    bench.clock.advance(days=1)

    back = bench.submit(build(tmp_path, "abc"), preflight=False)

    assert (waiting, back.new, back.known, back.sent) == (2, 0, 3, 0)


def test_key_file_in_a_folder_applies_to_that_folder_only(tmp_path):
    bench = Bench(tmp_path)
    location = f"{SITE}/shop/{KEY}.txt"

    result = bench.submit(added("/shop/a", "/b"), keys={HOST: (KEY, location)}, preflight=False)

    assert bench.engine.urls == [f"{SITE}/shop/a"]
    assert bench.engine.posts[0]["keyLocation"] == location
    assert [(one.url, one.code) for one in result.excluded] == [(f"{SITE}/b", "key-scope")]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "expected a JSON object"),
        ('{"loc": "https://example.com/"}', "expected a change"),
        ('{"change": "added"}', "expected loc"),
        ('["added"]', "expected an object"),
        ('{"change": "added", "loc": 3}', "expected loc"),
    ],
)
def test_line_that_is_no_change_is_an_error_before_anything_is_sent(line, words, tmp_path):
    bench = Bench(tmp_path)
    path = tmp_path / "changes.jsonl"
    path.write_text(f'{{"change": "added", "loc": "{SITE}/a"}}\n{line}\n')

    with pytest.raises(urlset.SourceError, match=f"changes.jsonl:2: {words}"):
        bench.submit(path)
    assert bench.web.log == []


def test_a_sitemap_is_no_file_of_changes(tmp_path):
    bench = Bench(tmp_path)
    path = tmp_path / "sitemap.xml"
    path.write_text(f"<urlset><url><loc>{SITE}/a</loc></url></urlset>")

    with pytest.raises(urlset.SourceError, match="expected changes, found XML; `urlset build"):
        bench.submit(path)


def test_changes_of_several_hosts_are_excluded_at_once(tmp_path):
    urls = [f"https://{host}.example/{n}" for n in range(5) for host in "abc"]
    with ScratchDatabase() as db:
        log = AnnouncementLog(db, tmp_path / "a.duckdb")
        log.stage(ChangedUrl("changed", url) for url in urls)
        found = log.exclude(["c.example", "a.example", "x.example"])
        staged = log.add_changes("https://engine.example/", datetime.now(UTC))

    assert found == {
        f"{host}.example": [f"https://{host}.example/{n}" for n in range(3)] for host in "ac"
    }
    assert staged == (5, 0)

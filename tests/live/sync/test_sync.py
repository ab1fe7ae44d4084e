"""Synchronization of an index with a simulated site."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.amounts import amount
from tests.http_walks import quick
from tests.live.watch.simulated_site import SITE, SimulatedSite
from tests.live_sites import put_page, put_sitemap
from urlset.errors import StoreError
from urlset.live.sync import page_text
from urlset.live.sync.pipeline import Sync
from urlset.live.sync.settings import SyncSettings
from urlset.live.sync.update import PageUpdate


class Index:
    """Index that a synchronization keeps equal to a simulated site."""

    def __init__(self, tmp_path: Path):
        self.site = SimulatedSite(tmp_path / "unused.duckdb")
        self.state = tmp_path / "index.duckdb"
        self.texts: dict[str, str] = {}

    def put(self, pages: dict[str, tuple[str, str | None]]) -> None:
        """Replace the sitemap and the pages; each has a text and a date."""
        self.site.put("/sitemap.xml", [(path, date) for path, (_, date) in pages.items()])
        for path in [path for path in self.site.documents if path.startswith("/p")]:
            self.site.documents[path] = 404
        for path, (text, _) in pages.items():
            self.site.documents[path] = page(text)

    def run(self, **settings: Any) -> Sync:
        """Return one run, a third of a day after the one before."""
        self.site.now += timedelta(hours=8)
        return Sync(
            SITE, self.state, SyncSettings(**settings), drive=self.site.drive,
            now=lambda: self.site.now,
        )  # fmt: skip

    def sync(self, **settings: Any) -> dict[str, list[str]]:
        """Do one run and commit every batch; return the paths by kind of the update."""
        found: dict[str, list[str]] = {}
        self.last = self.run(**settings)
        for batch in self.last:
            for update in batch:
                found.setdefault(update.change, []).append(update.loc.removeprefix(SITE))
                self.apply(update)
            batch.commit()
        return found

    def apply(self, update: PageUpdate) -> None:
        """Do to the index what an update says."""
        if update.change == "removed":
            self.texts.pop(update.loc, None)
        elif update.change != "unknown":
            self.texts[update.loc] = update.text or ""


def page(text: str) -> str:
    return f"<!doctype html><title>Page</title><main><p>{text}</p></main>"


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path)


def test_pages_are_added_changed_and_removed(index):
    index.put({"/p1": ("one", "2026-01-01"), "/p2": ("two", "2026-01-01")})
    assert index.sync() == {"added": ["/p1", "/p2"]}
    assert index.texts == {f"{SITE}/p1": "one", f"{SITE}/p2": "two"}
    assert index.sync() == {}

    index.put({"/p1": ("uno", "2026-01-02"), "/p3": ("three", "2026-01-02")})
    assert index.sync() == {"changed": ["/p1"], "added": ["/p3"], "removed": ["/p2"]}
    assert index.texts == {f"{SITE}/p1": "uno", f"{SITE}/p3": "three"}
    assert index.last.is_complete


def test_a_page_with_the_same_date_is_requested_in_turn_only(index):
    index.put({f"/p{n}": ("text", "2026-01-01") for n in range(10)})
    index.sync()
    index.site.requests.clear()
    index.sync(recheck_pages=0)
    assert not [path for path in index.site.paths if path.startswith("/p")]
    assert index.last.counts["trusted"] == 10

    index.site.requests.clear()
    for _ in range(5):
        index.sync(recheck_pages=2)
    asked = [path for path in index.site.paths if path.startswith("/p")]
    assert sorted(asked) == [f"/p{n}" for n in range(10)]


def test_pages_of_a_clock_in_the_future_are_requested_in_turn_and_removed(index):
    index.put({f"/p{n}": ("text", "2026-01-01") for n in range(4)})
    index.sync()
    index.site.documents["/p3"] = 404
    index.site.now += timedelta(days=3650)
    assert index.sync(recheck_pages=4) == {"unknown": ["/p3"]}
    index.site.now -= timedelta(days=3650)

    index.site.requests.clear()
    found = [index.sync(recheck_pages=1) for _ in range(5)]

    assert {"/p0", "/p1", "/p2", "/p3"} <= set(index.site.paths)
    assert {"removed": ["/p3"]} in found
    assert found[0] == {"unknown": ["/p3"]}, "the time of the wrong clock confirms nothing"


def test_a_new_date_without_new_content_is_no_change(index):
    index.put({"/p1": ("one", "2026-01-01")})
    index.sync()
    index.put({"/p1": ("one", "2026-02-01")})

    assert index.sync() == {}
    assert index.last.counts["unchanged"] == 1
    index.site.requests.clear()
    index.sync(recheck_pages=0)
    assert "/p1" not in index.site.paths  # the new date is stored


def test_a_page_with_another_date_is_not_asked_for_changes_since_a_time(index):
    """Of a file that is older than the one before, Apache and others answer 304."""
    respond = index.site._respond

    def with_time(request):
        response = respond(request)
        if "/p" not in request.url:
            return response
        headers = {"last-modified": "Sun, 01 Feb 2026 00:00:00 GMT"}
        if request.last_modified is not None:
            return response._replace(status=304, headers=headers, body=b"")
        return response._replace(headers=response.headers | headers)

    index.site._respond = with_time
    index.put({"/p1": ("one", "2026-02-01"), "/p2": ("two", "2026-02-01")})
    index.sync()
    index.put({"/p1": ("older", "2026-01-15"), "/p2": ("two", "2026-02-01")})
    index.site.requests.clear()

    assert index.sync() == {"changed": ["/p1"]}
    asked = {each.url.removeprefix(SITE): each.last_modified for each in index.site.requests}
    assert asked["/p1"] is None
    assert asked["/p2"] is not None


def test_what_is_not_committed_comes_again(index):
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(5)})
    with index.run(batch_size=2) as run:
        batch = next(iter(run))
        first = [update.loc for update in batch]
        batch.commit()
    rest = index.sync(batch_size=2)["added"]

    assert len(first) == 2
    assert sorted([*rest, *(url.removeprefix(SITE) for url in first)]) == [
        f"/p{n}" for n in range(5)
    ]


@pytest.mark.promise
def test_a_failing_child_makes_its_pages_unknown_and_never_removed(index):
    index.site.put_index("/sitemap.xml", [("/a.xml", "2026-01-01"), ("/b.xml", "2026-01-01")])
    index.site.put("/a.xml", [("/p1", "2026-01-01")])
    index.site.put("/b.xml", [("/p2", "2026-01-01")])
    index.site.documents |= {"/p1": page("one"), "/p2": page("two")}
    index.sync()
    index.site.documents["/b.xml"] = 503
    index.site.put_index("/sitemap.xml", [("/a.xml", "2026-01-02"), ("/b.xml", "2026-01-02")])

    found = index.sync()
    assert found == {"unknown": ["/p2"]}
    assert not index.last.is_complete
    assert f"{SITE}/p2" in index.texts


def test_a_page_that_may_have_moved_to_a_failing_child_is_not_removed(index):
    """Also after the three runs for which the state of the sitemaps is held back."""
    children = [("/a.xml", None), ("/b.xml", None)]
    index.site.put_index("/sitemap.xml", children)
    index.site.put("/a.xml", [("/p1", None), ("/p2", None), ("/p3", None)])
    index.site.put("/b.xml", [("/p4", None)])
    index.site.documents |= {f"/p{n}": page(f"text {n}") for n in range(1, 5)}
    index.sync()
    index.site.put("/a.xml", [("/p1", None)])
    index.site.documents |= {"/b.xml": 503, "/p3": 404}  # /p2 may be in /b.xml, /p3 is gone

    found = [index.sync() for _ in range(6)]
    removed = [path for run in found for path in run.get("removed", [])]
    assert removed == ["/p3"]
    assert all({"/p2", "/p4"} <= set(run["unknown"]) for run in found)
    index.site.put("/b.xml", [("/p4", None)])
    assert index.sync() == {"removed": ["/p2"]}


def test_pages_of_a_sitemap_that_fails_for_long_are_removed_once_they_are_gone(index):
    """After three runs they are requested in turn; those that exist are kept."""
    index.site.put_index("/sitemap.xml", [("/a.xml", None), ("/b.xml", None)])
    index.site.put("/a.xml", [("/p1", "2026-01-01")])
    index.site.put("/b.xml", [(f"/p{n}", "2026-01-01") for n in range(2, 8)])
    index.site.documents |= {f"/p{n}": page(f"text {n}") for n in range(1, 8)}
    index.sync()
    index.site.documents |= {"/b.xml": 404, "/p2": 404, "/p3": 410}
    paths = [f"/p{n}" for n in range(2, 8)]

    index.site.requests.clear()
    for _ in range(3):
        assert index.sync() == {"unknown": paths}
    assert "/p2" not in index.site.paths
    found = [index.sync(recheck_pages=3) for _ in range(5)]

    assert sorted(path for run in found for path in run.get("removed", [])) == ["/p2", "/p3"]
    assert all({"/p4", "/p5", "/p6", "/p7"} <= set(run["unknown"]) for run in found)
    assert len([path for path in index.site.paths if path in paths]) <= 3 * 5
    index.site.put("/b.xml", [("/p4", "2026-01-01")])
    assert set(index.sync()["removed"]) == {"/p5", "/p6", "/p7"}


def test_an_unlisted_page_that_is_there_between_two_failures_is_not_removed(index):
    index.site.put_index("/sitemap.xml", [("/a.xml", None), ("/b.xml", None)])
    index.site.put("/a.xml", [("/p1", None), ("/p2", None)])
    index.site.put("/b.xml", [("/p3", None)])
    index.site.documents |= {f"/p{n}": page(f"text {n}") for n in range(1, 4)}
    index.sync()
    index.site.put("/a.xml", [("/p1", None)])
    index.site.documents["/b.xml"] = 503
    for _ in range(3):
        index.sync()

    for answer in (404, page("text 2"), 404):
        index.site.documents["/p2"] = answer
        assert "removed" not in index.sync()
    assert index.sync()["removed"] == ["/p2"]


def test_a_page_that_moved_to_a_sitemap_without_dates_is_requested(index):
    index.site.put_index("/sitemap.xml", [("/a.xml", None), ("/b.xml", None)])
    index.site.put("/a.xml", [("/p1", "2026-01-01")])
    index.site.put("/b.xml", [("/p2", None)])
    index.site.documents |= {"/p1": page("one"), "/p2": page("two")}
    index.sync()
    index.site.put("/b.xml", [("/p1", None), ("/p2", None)])
    index.site.documents |= {"/a.xml": 503, "/p1": page("uno")}

    assert index.sync(recheck_pages=0) == {"changed": ["/p1"]}


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503, 400])
def test_a_page_that_fails_is_unknown(index, status):
    index.put({"/p1": ("one", "2026-01-01")})
    index.sync()
    index.put({"/p1": ("one", "2026-01-02")})
    index.site.documents["/p1"] = status

    for _ in range(2):  # also the next time
        [update] = [update for batch in index.run() for update in batch]
        assert (update.change, update.reason) == ("unknown", f"http-{status}")
        assert update.is_known
    index.site.documents["/p1"] = page("two")
    assert index.sync() == {"changed": ["/p1"]}


def test_a_page_that_is_gone_twice_is_removed(index):
    index.put({"/p1": ("one", None), "/p2": ("two", None)})
    index.sync()
    index.site.documents["/p1"] = 410

    assert index.sync() == {"unknown": ["/p1"]}
    assert index.sync() == {"removed": ["/p1"]}
    assert index.site.paths.count("/p1") == 3  # one request in each run
    assert index.sync() == {}
    assert index.last.counts["gone"] == 1


@pytest.mark.parametrize("date", [None, "2026-01-01"])
def test_a_page_that_is_gone_in_one_run_stays(index, date):
    index.put({"/p1": ("one", date)})
    index.sync()
    index.site.documents["/p1"] = 404
    assert index.sync() == {"unknown": ["/p1"]}
    index.site.documents["/p1"] = page("one")
    assert index.sync() == {}

    index.site.documents["/p1"] = 404
    assert index.sync() == {"unknown": ["/p1"]}


def test_a_page_that_is_gone_in_two_runs_within_a_minute_stays(index):
    index.put({"/p1": ("one", None)})
    index.sync()
    index.site.documents["/p1"] = 404
    index.sync()
    index.site.now -= timedelta(hours=8, seconds=-30)  # that of a run, but for half a minute

    assert index.sync() == {"unknown": ["/p1"]}
    assert index.sync() == {"removed": ["/p1"]}


def test_a_page_with_a_date_is_requested_again_until_it_is_removed(index):
    index.put({"/p1": ("one", "2026-01-01")})
    index.sync()
    index.site.documents["/p1"] = 404
    assert index.sync() == {"unknown": ["/p1"]}

    assert index.sync(recheck_pages=0) == {"removed": ["/p1"]}


def test_robots_txt_makes_a_page_unknown(index):
    index.put({"/p1": ("one", None)})
    index.sync()
    index.site.put_robots("User-agent: *", "Disallow: /p1")

    [update] = [update for batch in index.run() for update in batch]
    assert (update.change, update.reason) == ("unknown", "robots")


def test_a_robots_txt_of_another_host_that_cannot_be_read_is_named(index):
    shop = "https://shop.example.com"
    index.site.documents["/sitemap.xml"] = f"<urlset><url><loc>{shop}/p1</loc></url></urlset>"
    index.site.documents[f"{shop}/robots.txt"] = 503

    run = index.run()
    [update] = [update for batch in run for update in batch]
    assert (update.change, update.reason) == ("unknown", "robots")
    assert f"{shop}/robots.txt could not be read" in run.incomplete[0]


def test_an_emptied_sitemap_does_not_remove_everything(index):
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(30)})
    index.sync()
    index.put({"/p0": ("0", "2026-01-01")})

    found = index.sync()
    assert len(found["unknown"]) == 29
    assert "29 of 30 pages are not listed any more" in index.last.incomplete[0]
    assert len(index.sync(max_removed_share=1)["removed"]) == 29


@pytest.mark.parametrize(("share", "removed"), [(None, 2), (0, 0), (0.4, 0), (0.5, 2), (1, 2)])
def test_a_largest_share_that_is_set_holds_for_few_pages(index, share, removed):
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(4)})
    index.sync()
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(2)})

    found = index.sync(max_removed_share=share)

    assert len(found.get("removed", ())) == removed
    assert len(found.get("unknown", ())) == 2 - removed


def test_preferences_about_ai_are_columns(index):
    index.put({"/p1": ("one", None)})
    index.site.put_robots("User-agent: *", "Allow: /", "Content-Signal: search=yes, ai-train=no")

    [update] = [update for batch in index.run() for update in batch]
    values = update.to_dict()
    assert (values["train_ai"], values["search"], values["ai_input"]) == (False, True, None)
    assert values["ai_statements"] == ["robots.txt Content-Signal: search=yes, ai-train=no"]


def test_an_error_of_the_text_function_commits_nothing(index):
    index.put({"/p1": ("one", None)})

    def fail(_data: bytes, _content_type: str | None) -> str:
        raise LookupError("no text")

    with pytest.raises(LookupError):
        list(index.run(text=fail))
    assert index.sync() == {"added": ["/p1"]}


def test_budget_of_requests_is_continued_by_the_next_run(index):
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(10)})
    found = [index.sync(max_requests=4, batch_size=2).get("added", []) for _ in range(3)]

    assert list(map(len, found)) == [4, 4, 2]
    assert len(index.texts) == 10


def test_a_page_that_vanishes_after_a_delivery_without_commit_is_removed(index):
    index.put({"/p1": ("one", "2026-01-01"), "/p2": ("two", "2026-01-01")})
    with index.run() as run:
        for update in next(iter(run)):
            index.apply(update)
    index.put({"/p1": ("one", "2026-01-01")})

    assert index.sync() == {"added": ["/p1"], "removed": ["/p2"]}


def test_a_page_that_is_reverted_after_a_delivery_without_commit_is_delivered(index):
    index.put({"/p1": ("one", "2026-01-01")})
    index.sync()
    index.put({"/p1": ("two", "2026-01-02")})
    with index.run() as run:
        for update in next(iter(run)):
            index.apply(update)
    index.put({"/p1": ("one", "2026-01-01")})

    assert index.sync() == {"changed": ["/p1"]}
    assert index.texts == {f"{SITE}/p1": "one"}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(amount(8, 200)))
def test_nothing_is_lost_when_a_run_is_killed_between_batches(seed, tmp_path):
    """A run ends at a random place: before a batch, after it, or before its commit."""
    draw = random.Random(seed)
    index = Index(tmp_path)
    pages: dict[str, tuple[str, str | None]] = {}
    for day in range(1, 4):
        for number in range(12):
            path = f"/p{number}"
            chance = draw.random()
            if chance < 0.3:
                date = f"2026-01-{day:02}" if draw.random() < 0.8 else None
                pages[path] = (f"text {draw.random()}", date)
            elif chance < 0.4:
                pages.pop(path, None)
        index.put(pages)
        for _ in range(draw.randrange(3)):
            _run_and_kill(index, draw)
    index.sync(max_removed_share=1, recheck_pages=100)

    assert index.texts == {f"{SITE}{path}": text for path, (text, _) in pages.items()}


def _run_and_kill(index: Index, draw: random.Random) -> None:
    run = index.run(batch_size=draw.choice([1, 2, 3, 5]), max_removed_share=1)
    for batch in run:
        if draw.random() < 0.2:
            break
        for update in batch:
            index.apply(update)
            if draw.random() < 0.05:
                run.close()
                return
        if draw.random() < 0.2:
            break
        batch.commit()
    run.close()


def test_signs_that_link_a_heading_to_itself_are_no_text():
    """As Sphinx 7 and Python-Markdown write them."""
    html = (
        '<main><h1>Tea<a class="headerlink" href="#tea" title="Link to this heading">¶</a></h1>'
        '<dt>class Oolong<a class="headerlink" href="#o">\uf0c1</a></dt><p>See ¶ 3 of C#.</main>'
    )

    assert page_text(html.encode(), "text/html; charset=utf-8") == (
        "Tea\nclass Oolong\nSee ¶ 3 of C#."
    )


def test_invalid_settings_are_named(tmp_path):
    with pytest.raises(ValueError, match="batch_size: expected a whole number of at least 1"):
        urlset.sync(SITE, tmp_path / "x.duckdb", batch_size=0)
    with pytest.raises(urlset.SourceError, match="expected the URL of a site"):
        urlset.sync("example", tmp_path / "x.duckdb")


def test_a_closed_run_is_an_error_as_other_closed_results_are(box, tmp_path):
    put_page(box, "/a")
    put_sitemap(box, ["/a"])
    with urlset.sync(box.site, tmp_path / "index.duckdb", policy=quick()) as run:
        batches = iter(run)

    for read in (lambda: list(run), lambda: next(batches), lambda: run.to_jsonl(tmp_path / "x")):
        with pytest.raises(
            StoreError, match="expected an open store or result, found a closed one"
        ):
            read()
    assert not (tmp_path / "x").exists()
    assert not run.is_complete


def test_a_run_that_is_over_has_no_more_batches(box, tmp_path):
    put_page(box, "/a")
    put_sitemap(box, ["/a"])
    with urlset.sync(box.site, tmp_path / "index.duckdb", policy=quick()) as run:
        assert [len(batch) for batch in run] == [1]
        assert list(run) == []

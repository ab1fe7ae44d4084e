"""Crawls that are killed, interrupted and continued: nothing lost, nothing visited twice."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

import urlset
from tests.site_box import SiteBox, page
from urlset.errors import StoreError
from urlset.http import Policy
from urlset.live.crawl import CrawlOptions, crawl_into
from urlset.live.crawl import journal as journal_module
from urlset.live.crawl.journal import Journal
from urlset.live.visits.page_record import PageLinkRow, PageRecord
from urlset.live.visits.page_rows import rows_of
from urlset.live.visits.politeness import Politeness
from urlset.store import Store

PAGES = 150
CONCURRENCY = 4
# Requests that are sent, and responses that wait to be handled.
IN_FLIGHT = 2 * CONCURRENCY + 1
CODE = """
import sys, urlset
policy = urlset.Policy(proxies={}, concurrency=int(sys.argv[3]), per_host=int(sys.argv[3]))
options = {"policy": policy, "confirm_after_s": 0, "read_sitemaps": False}
urlset.crawl(sys.argv[1], sys.argv[2], **options).close()
"""


@pytest.fixture
def box():
    with SiteBox() as box:
        for number in range(PAGES):
            links = "".join(
                f'<a href="/p/{target}">x</a>'
                for target in {(number * 3 + 1) % PAGES, (number + 1) % PAGES}
            )
            box.play(f"/p/{number}", slowly(f"<html><body>{links}".encode()))
        box.put("/", '<html><a href="/p/0">', kind="text/html")
        yield box


def slowly(body):
    known = page(body, kind="text/html")

    async def play(hit, wire):
        await wire.wait(0.002)
        return await known(hit, wire)

    return play


def start(box, path):
    arguments = [sys.executable, "-c", CODE, box.site, str(path), str(CONCURRENCY)]
    return subprocess.Popen(arguments, stderr=subprocess.PIPE)


def page_visits(box):
    return Counter(path for path in box.paths if path.startswith("/p/"))


def test_a_killed_crawl_loses_only_the_requests_in_flight(box, tmp_path):
    """Twenty kills at random moments; then one run to the end."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    path = tmp_path / "site.duckdb"
    kills = 0
    for _ in range(20):
        seen = sum(page_visits(box).values())
        process = start(box, path)
        wanted = seen + chance.randrange(1, 10)
        while process.poll() is None and sum(page_visits(box).values()) < wanted:
            time.sleep(0.001)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
    process = start(box, path)
    _, errors = process.communicate()

    assert process.returncode == 0, errors
    visits = page_visits(box)
    again = sum(count - 1 for count in visits.values())
    with Store.open(path, read_only=True) as store:
        ((stored, crawls),) = store.query("SELECT count(*), max(crawl) FROM pages")
        ((links,),) = store.query("SELECT count(*) FROM links")
        ((complete, requests),) = store.query("SELECT is_complete, request_count FROM crawls")
    assert kills >= 10, seed
    # The requests that were in flight when a session was killed are not known.
    assert PAGES + 1 <= requests <= PAGES + 1 + again, seed
    assert len(visits) == PAGES, seed
    assert (stored, crawls, complete) == (PAGES + 1, 1, True), seed
    assert links == 1 + sum(
        len({(number * 3 + 1) % PAGES, (number + 1) % PAGES}) for number in range(PAGES)
    )
    assert again <= kills * IN_FLIGHT, seed
    assert not os.path.exists(f"{path}.journal")


def test_ctrl_c_leaves_a_store_that_can_be_continued(box, tmp_path):
    path = tmp_path / "site.duckdb"
    policy = urlset.Policy(proxies={}, concurrency=1, per_host=1)
    seen = []

    def stop(event):
        if event.source is not None:
            seen.append(event.source)
        if len(seen) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        urlset.crawl(box.site, path, policy=policy, read_sitemaps=False, progress=stop)

    with urlset.Crawl.open(path) as found:
        assert len(found.pages) == 10
        assert found.finished is None
        assert not found.is_complete
        assert found.incomplete[0].startswith("interrupted: ")
    before = page_visits(box)
    with urlset.crawl(box.site, path, policy=policy, read_sitemaps=False) as found:
        assert found.is_complete
        assert found.number == 1
    stored = {url.removeprefix(box.site) for url in seen}
    assert all(page_visits(box)[name] == before[name] for name in stored if name != "/")


def test_the_command_says_how_to_continue(box, tmp_path):
    path = tmp_path / "site.duckdb"
    command = ["crawl", box.site, "--store", str(path), "--no-sitemaps", "--concurrency", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "urlset", *command], stderr=subprocess.PIPE, text=True
    )
    while not page_visits(box):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()

    assert process.returncode == 130, errors
    assert f"are in {path}; the same command continues" in errors
    done = subprocess.run(
        [sys.executable, "-m", "urlset", *command, "--format", "json", "-q"],
        capture_output=True,
        check=False,
    )
    summary = json.loads(done.stdout)
    assert done.returncode == 0
    assert (summary["pages"], summary["is_complete"]) == (PAGES + 1, True)


def test_a_torn_line_of_the_journal_is_skipped(tmp_path):
    path = tmp_path / "journal"
    journal = Journal(str(path))
    link = PageLinkRow("https://example.com/b", "a", None, True, 2)
    record = PageRecord("https://example.com/ä", {"title": "x\ny", "status": 200}, [link])
    rows = rows_of(record)
    journal.add([rows.line])
    journal.close()
    with path.open("ab") as file:
        file.write(path.read_bytes()[:-20])

    assert list(Journal(str(path)).pages()) == [rows]


def test_an_empty_journal_is_removed(tmp_path):
    journal = Journal(str(tmp_path / "journal"))
    journal.add([rows_of(PageRecord("https://example.com/", {}, [])).line])
    journal.clear()
    journal.close()

    assert list(tmp_path.iterdir()) == []


def refused(box, path):
    with pytest.raises(StoreError) as caught:
        urlset.crawl(box.site, path, read_sitemaps=False)
    return str(caught.value)


def test_a_journal_that_leads_out_of_its_folder_is_not_emptied(box, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "site.duckdb.journal").symlink_to("../victim")

    words = refused(box, folder / "site.duckdb")

    assert "site.duckdb.journal" in words
    assert "leads out of its folder" in words
    assert victim.read_text() == "mine"
    assert os.listdir(folder) == ["site.duckdb.journal"]
    with Store.open(folder / "other.duckdb") as store:  # as an audit does
        os.rename(folder / "site.duckdb.journal", folder / "other.duckdb.journal")
        with pytest.raises(StoreError, match="leads out of its folder"):
            crawl_into(store, box.site, CrawlOptions(), politeness=Politeness(Policy()))
    assert victim.read_text() == "mine"
    assert not box.paths


@pytest.mark.skipif(os.name == "nt", reason="no named pipes in folders")
def test_a_journal_that_is_no_file_is_not_read(box, tmp_path):
    path = tmp_path / "site.duckdb"
    urlset.crawl(box.site, path, read_sitemaps=False, max_pages=1).close()
    with Store.open(path) as store, store.session() as session:
        session.run("UPDATE store.crawls SET finished = NULL")
    journal = tmp_path / "site.duckdb.journal"
    os.mkfifo(journal)
    assert "it is no regular file" in refused(box, path)
    journal.unlink()
    os.mkfifo(tmp_path / "pipe")
    journal.symlink_to("pipe")  # no link out of the folder
    assert "it is no regular file" in refused(box, path)
    journal.unlink()
    journal.symlink_to("/dev/zero")
    assert "leads out of its folder" in refused(box, path)
    journal.unlink()
    journal.mkdir()
    assert "it is no regular file" in refused(box, path)


def test_a_line_of_the_journal_has_a_limit(tmp_path, monkeypatch):
    rows = rows_of(PageRecord("https://example.com/", {"title": "x"}, []))
    long = rows_of(PageRecord("https://example.com/", {"title": "x" * 2_000}, []))
    path = tmp_path / "journal"
    monkeypatch.setattr(journal_module, "MAX_LINE", 2_000)
    journal = Journal(str(path))
    journal.add([rows.line, long.line, rows.line])
    journal.close()

    assert list(Journal(str(path)).pages()) == [rows, rows]
    with path.open("ab") as file:
        file.truncate(1 << 30)  # one endless line, which takes no space

    assert list(Journal(str(path)).pages()) == [rows, rows]


def test_a_nested_line_of_the_journal_is_skipped(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(b"[" * 1_000_000)

    assert list(Journal(str(path)).pages()) == []

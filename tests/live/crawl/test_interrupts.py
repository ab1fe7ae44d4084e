"""Ctrl-C in commands that visit: they end with 130, keep what they have, and leave no worker."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

import urlset
from tests.interrupts import How, LinkedSite, interrupted
from tests.live.visits.test_page_worker import response
from tests.site_box import SiteBox
from urlset.live.visits.page_rows import read_rows
from urlset.live.visits.page_urls import UrlResolver
from urlset.live.visits.page_worker import PageWorker, serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")


def started() -> PageWorker:
    return PageWorker(partial(read_rows, UrlResolver()))


def test_a_message_that_is_cut_off_by_ctrl_c_does_not_hang(monkeypatch):
    worker = started()
    worker.submit(response(1), {"crawl": 1})

    def cut_off(message: object, file: io.RawIOBase, protocol: int) -> None:
        file.write(pickle.dumps(message, protocol)[:20])
        file.flush()
        raise KeyboardInterrupt

    monkeypatch.setattr(pickle, "dump", cut_off)
    submit = partial(worker.submit, values={"crawl": 1})
    with pytest.raises(KeyboardInterrupt):
        list(map(submit, map(response, range(2, 20))))
    found = worker.stop(30.0)

    assert {page.url for page in found} <= {"https://example.com/1"}
    assert worker._process.poll() is not None


def test_pages_that_ctrl_c_kept_from_being_sent_do_not_hang():
    worker = started()
    worker.submit(response(1), {"crawl": 1})
    worker._pending["https://example.com/2"] = response(2), {"crawl": 1}
    worker._unsent.append((response(2), {"crawl": 1}))

    found = worker.stop(30.0)

    assert [page.url for page in found] == ["https://example.com/1"]
    assert worker._process.poll() is not None


def test_the_worker_does_not_get_the_ctrl_c_of_the_terminal():
    worker = started()

    group = os.getpgid(worker._process.pid)
    worker.close()

    assert group == worker._process.pid != os.getpgid(0)


@pytest.mark.parametrize("size", [0, 3, 20, 60, 200])
def test_the_worker_ends_silently_when_its_input_is_cut_off(size, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    messages = pickle.dumps(str) + pickle.dumps([(response(1), {})])

    serve(io.BytesIO(messages[:size]), io.BytesIO())

    assert size < len(messages)


def test_an_interrupted_audit_writes_no_baseline(box: SiteBox, tmp_path: Path):
    site = LinkedSite(box, 250)
    known = tmp_path / "known.json"
    known.write_text("of a complete audit")

    options = ("--write-baseline", str(known))
    ended = interrupted("audit", box, site, tmp_path, at=100, how="process", options=options)

    assert ended.code == 130
    assert "known.json' was not written" in ended.stderr
    assert known.read_text() == "of a complete audit"


CASES: list[tuple[str, int, How]] = [
    ("crawl", 1, "process"),
    ("crawl", 150, "group"),
    ("crawl", 10_000, "group"),  # in the pause before second visits
    ("audit", 1, "twice"),
    ("audit", 150, "group"),
    ("audit", 10_000, "process"),
    ("watch", 1, "group"),
    ("sync", 20, "twice"),
]


@pytest.mark.parametrize(("verb", "at", "how"), CASES)
def test_a_command_ends_with_130(verb: str, at: int, how: How, box: SiteBox, tmp_path: Path):
    site = LinkedSite(box, 250)

    ended = interrupted(verb, box, site, tmp_path, at=at, how=how)

    assert ended.code == 130, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "internal error" not in ended.stderr
    if verb == "crawl" and at > 100:
        with urlset.Store.open(tmp_path / "site.duckdb") as store:
            [(pages,)] = store.query("SELECT count(*) FROM pages")
        assert pages >= 60, "what was found is kept"

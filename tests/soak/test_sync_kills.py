"""Synchronizations that are killed: every change is delivered, none is lost, no page is removed
because something failed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.live.sync.test_sync_process import put, texts_of
from tests.live.watch.simulated_site import SITE, index, sitemap
from tests.site_box import SiteBox
from tests.soak.sync_run import POINTS, run_in_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

CHILDREN = ("/a.xml", "/b.xml", "/c.xml")
CUT_OFF = "cut off"
FAILURES: tuple[str | int, ...] = (
    503,
    403,
    404,
    "",
    "<!doctype html><title>Sorry</title>",
    CUT_OFF,
)
DAYS = 4


class Page(NamedTuple):
    text: str
    date: str | None
    child: str


class ChangingSite:
    """Site whose pages change, move and vanish, and whose child sitemaps and pages fail."""

    def __init__(self, draw: random.Random):
        self.draw = draw
        self.now = datetime(2026, 1, 5, tzinfo=UTC)
        self.pages: dict[str, Page] = {}
        self.failing: dict[str, str | int] = {}
        self.unavailable: set[str] = set()
        self._has_dates = draw.random() < 0.5
        self._dates = dict.fromkeys(CHILDREN, self._date())

    def change(self) -> None:
        """Add, change, move, revert and remove some pages."""
        draw = self.draw
        self.now += timedelta(minutes=7)
        for number in range(15):
            path = f"/p{number}"
            page = self.pages.get(path)
            touched = {page.child} if page else set()
            chance = draw.random()
            if page is None and chance < 0.4:
                self.pages[path] = Page(self._text(), self._date_of_page(), draw.choice(CHILDREN))
            elif page and chance < 0.25:
                self.pages[path] = page._replace(text=self._text(), date=self._date_of_page())
            elif page and chance < 0.35:
                self.pages[path] = page._replace(child=draw.choice(CHILDREN))
            elif page and chance < 0.45:
                del self.pages[path]
            elif page and chance < 0.5:
                self.pages[path] = page._replace(date=self._date())  # nothing but the date
            else:
                continue
            if path in self.pages:
                touched.add(self.pages[path].child)
            for child in touched:
                self._dates[child] = self._date()

    def fail(self) -> None:
        """Let some children and some pages fail, and the others recover."""
        draw = self.draw
        self.failing = {c: draw.choice(FAILURES) for c in CHILDREN if draw.random() < 0.25}
        self.unavailable = {path for path in self.pages if draw.random() < 0.1}
        self._touch_all()

    def recover(self) -> None:
        self.failing, self.unavailable = {}, set()
        self._touch_all()

    def documents(self) -> dict[str, str | int]:
        """Return the documents of the site as it is now."""
        dates = {child: self._dates[child] if self._has_dates else None for child in CHILDREN}
        documents: dict[str, str | int] = {
            "/robots.txt": f"User-agent: *\nSitemap: {SITE}/sitemap.xml",
            "/sitemap.xml": index(dates.items()),
        }
        for child in CHILDREN:
            rows = [(path, page.date) for path, page in self.pages.items() if page.child == child]
            whole = sitemap(rows)
            failure = self.failing.get(child)
            cut = whole[: len(whole) * 2 // 3]
            documents[child] = whole if failure is None else cut if failure == CUT_OFF else failure
        for path, page in self.pages.items():
            html = f"<!doctype html><title>Page</title><main><p>{page.text}</p></main>"
            documents[path] = 503 if path in self.unavailable else html
        return documents

    def _touch_all(self) -> None:
        """Let the index name a new date for each child, so that each is requested."""
        self.now += timedelta(minutes=7)
        self._dates = dict.fromkeys(CHILDREN, self._date())

    def _text(self) -> str:
        return f"Text number {self.draw.randrange(4)}"  # few, so that pages are reverted

    def _date(self) -> str:
        return self.now.isoformat(timespec="seconds")

    def _date_of_page(self) -> str | None:
        return self._date() if self.draw.random() < 0.8 else None


class Runs:
    """Runs on a changing site, with the index that their output makes."""

    def __init__(self, folder: Path, site: ChangingSite):
        self.site = site
        self.texts: dict[str, str] = {}
        self.delivered: Counter[tuple[str, str]] = Counter()
        self.figures: Counter[str] = Counter()
        self._folder = folder
        self._output = folder / "updates.jsonl"
        self._read = 0
        self._points: Counter[str] = Counter(dict.fromkeys(POINTS, 20))

    def run(self, kind: str | None = None) -> dict[str, list[dict[str, Any]]]:
        """Do a run, killed at a point of a kind; apply its updates and return them by path."""
        draw, site = self.site.draw, self.site
        site.now += timedelta(hours=1)
        spec = {
            "documents": site.documents(),
            "now": site.now.isoformat(),
            "state": str(self._folder / "index.duckdb"),
            "output": str(self._output),
            "kind": kind,
            "number": draw.randint(1, max(1, self._points[kind])) if kind else 0,
            "settings": {
                "batch_size": draw.choice([1, 2, 3, 5, 100]),
                "recheck_pages": draw.choice([0, 0, 3]),
                "max_removed_share": 1,
            },
        }
        result = run_in_process(spec, self._folder)
        if isinstance(result, dict):
            self._points = Counter(result)
            self.figures["whole runs"] += 1
        else:
            assert kind or result == "refused"
            self.figures[f"killed at a {kind}" if result == "killed" else result] += 1
        return self._apply()

    def _apply(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        data = self._output.read_text("utf-8") if self._output.exists() else ""
        for line in data[self._read :].splitlines():
            update = json.loads(line)
            path = update["loc"].removeprefix(SITE)
            found.setdefault(path, []).append(update)
            self.figures[update["change"]] += 1
            if update["change"] == "removed":
                assert path not in self.site.pages, f"removed, but listed: {update}"
                self.texts.pop(path, None)
            elif update["change"] != "unknown":
                self.texts[path] = update["text"]
                self.delivered[path, update["text"]] += 1
        self._read = len(data)
        return found

    def check(self, found: dict[str, list[dict[str, Any]]], *, was_refused: bool) -> None:
        """Check the index after a run that was not killed."""
        site = self.site
        for path, page in site.pages.items():
            if page.child in site.failing:
                # Known pages are unknown, and stay. A document that is cut off may list them.
                if path in self.texts and site.failing[page.child] != CUT_OFF and not was_refused:
                    assert [each["change"] for each in found.get(path, [])] == ["unknown"], path
            elif path in site.unavailable:
                continue
            elif not was_refused:
                assert self.texts.get(path) == page.text, path
                assert self.delivered[path, page.text], path
        if not site.failing:
            assert self.texts.keys() <= site.pages.keys()


@pytest.mark.parametrize("seed", range(100))
def test_kills_lose_no_change_and_remove_no_page(seed, tmp_path, record_property):
    draw = random.Random(seed)
    site = ChangingSite(draw)
    runs = Runs(tmp_path, site)
    for _ in range(DAYS):
        site.fail()
        for _ in range(draw.randint(1, 3)):
            site.change()
            runs.run(draw.choice(POINTS))
        refused = runs.figures["refused"]
        runs.check(runs.run(), was_refused=runs.figures["refused"] > refused)
    site.change()
    site.recover()
    for kind in POINTS:
        runs.run(kind)
    runs.check(runs.run(), was_refused=False)

    assert runs.texts == {path: page.text for path, page in site.pages.items()}
    assert sum(n for name, n in runs.figures.items() if name.startswith("killed")) >= 3
    record_property("figures", dict(runs.figures))


@pytest.mark.parametrize("seed", range(10))
def test_a_command_that_is_killed_loses_no_update(seed, tmp_path, record_property):
    """SIGKILL from outside, at a random time, while a server answers."""
    draw = random.Random(seed)
    output = tmp_path / "updates.jsonl"
    kills = 0
    with SiteBox() as box:
        command = [
            *(sys.executable, "-m", "urlset", "sync", box.site),
            *("--store", str(tmp_path / "index.duckdb"), "--output", str(output)),
            *("--batch-size", "3", "--max-removed-share", "1", "--quiet"),
        ]
        texts = {f"p{number}": "text" for number in range(60)}
        put(box, texts)
        began = time.monotonic()
        assert subprocess.run(command, check=False).returncode == 0
        duration = time.monotonic() - began
        for _ in range(5):
            for name in draw.sample(sorted(texts), 30):
                texts[name] = f"text {draw.random()}"
            texts.pop(draw.choice(sorted(texts)))
            put(box, texts)
            process = subprocess.Popen(command)
            try:
                process.wait(draw.uniform(0.1, duration))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.wait(60)
        assert subprocess.run(command, check=False).returncode == 0

    record_property("kills", kills)
    assert texts_of(output) == texts

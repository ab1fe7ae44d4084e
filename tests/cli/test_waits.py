"""What each command says while it waits: for a pause, a delay, or the second visits."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from tests.cli.test_commands import command
from tests.http.test_politeness import PAGES, once_refused, put_site
from tests.site_box import SiteBox, page, urlset_of
from tests.terminals import shown_on_terminal
from urlset.builder import build
from urlset.cli import console
from urlset.inflight import slow_requests

HTML = "text/html"
COMMANDS = {
    "read": ["read", "SITE", "--format", "txt"],
    "check": ["check", "SITE"],
    "crawl": ["crawl", "SITE", "--store", "c.duckdb", "--confirm-after", "0"],
    "audit": ["audit", "SITE", "--confirm-after", "0"],
    "audit-crawl": ["audit", "SITE", "--crawl", "--confirm-after", "0"],
    "diff": ["diff", "before.txt", "SITE", "--live"],
    "watch": ["watch", "SITE", "--store", "w.duckdb"],
    "sync": ["sync", "SITE", "--store", "s.duckdb"],
}


@pytest.fixture
def urlset(capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    monkeypatch.setenv("no_proxy", "*")
    for name, seconds in (("SLOW_S", 0.15), ("LOG_INTERVAL_S", 0.02), ("REFRESH_INTERVAL_S", 0.02)):
        monkeypatch.setattr(console, name, seconds)
    ran: Callable[..., Any] = command(capsys, monkeypatch, tmp_path)
    return ran


def run(urlset: Callable[..., Any], box: SiteBox, name: str) -> str:
    Path("before.txt").write_text("".join(f"{box.url(f'/gone-{n}')}\n" for n in range(2)))
    return str(urlset(*[box.site if word == "SITE" else word for word in COMMANDS[name]]).err)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pause_that_a_host_asks_for_is_reported(
    name: str, box: SiteBox, urlset: Callable[..., Any]
):
    put_site(box)
    box.play("/s2.xml", once_refused(page(urlset_of(box.url("/c"), 1)), "1"))

    shown = run(urlset, box, name)

    host = re.escape(f"{box.host}:{box.port}")
    assert re.search(rf"waiting [01] s because {host} asks for a pause \(Retry-After\)", shown)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_crawl_delay_is_reported(name: str, box: SiteBox, urlset: Callable[..., Any]):
    put_site(box, "Crawl-delay: 0.25")

    shown = run(urlset, box, name)

    host = re.escape(f"{box.host}:{box.port}")
    expected = (
        rf"waiting \d s before the next request to {host} \(--delay, Crawl-delay or its load\)"
    )
    assert re.search(expected, shown)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["audit"], r"waiting [01] s to visit 1 page again \(--confirm-after\)"),
        (["crawl", "--store", "c.duckdb"], r"waiting [01] s to visit pages again"),
        (["audit", "--crawl"], r"waiting [01] s to visit pages again"),
    ],
)
def test_the_pause_before_second_visits_is_reported(
    arguments: list[str], expected: str, box: SiteBox, urlset: Callable[..., Any]
):
    put_site(box)
    box.put(PAGES[0], b"later", 503, kind=HTML)
    verb, *more = arguments

    shown = urlset(verb, box.site, *more, "--confirm-after", "1").err

    assert re.search(expected, shown)


def test_the_source_that_a_build_waits_for_is_named(tmp_path, monkeypatch):
    waited: list[str] = []

    class SlowRows:
        name = "env:SHOP"
        source_type = "table"
        failures: list[str] = []  # noqa: RUF012
        notes: list[str] = []  # noqa: RUF012

        def batches(self) -> Iterator[Any]:
            for number in range(2):
                waited.extend(url for url, _ in slow_requests(0))
                yield pyarrow.record_batch({"loc": [f"https://example.com/{number}"]})

    monkeypatch.chdir(tmp_path)
    build(SlowRows(), "public", base_url="https://example.com/")

    assert waited == ["env:SHOP", "env:SHOP"]
    assert slow_requests(0) == []


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminal there")
def test_a_line_of_progress_is_shortened_to_the_width_of_the_terminal():
    code = (
        "import time\n"
        "from urlset.cli.console import Progress\n"
        "with Progress() as progress:\n"
        "    progress.update('9 pages · http://e' + 90 * 'x' + '/last', ['detail ' + 90 * 'y'])\n"
        "    time.sleep(0.3)\n"
    )
    environment = {**os.environ, "COLUMNS": "40", "TERM": "xterm"}
    shown = shown_on_terminal(
        [sys.executable, "-c", code], streams=["stderr"], environment=environment
    )

    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown))
    assert max(map(len, lines)) <= 40
    assert "9 pages · http://e" in lines[0]
    assert lines[0].endswith("x/last")
    assert lines[1].startswith("  detail yy")


@pytest.mark.parametrize("columns", [40, 60])
def test_help_fits_into_a_narrow_terminal(columns, urlset, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))

    prose, _, examples = urlset("read", "--help").out.partition("Examples:")
    options = examples.partition("Options:")[2]

    assert columns - 10 < max(map(len, prose.splitlines())) <= columns
    assert max(len(line) for line in options.splitlines() if line[:3] != "  -") <= columns
    assert "a match of this" in options

"""Measure crawlers and link checkers on the pages of one server, each in a fresh process."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crawl_data import Pages
from environment import say
from goals import Verdict
from measured import Measured
from nginx import nginx, serving

WORKER = str(Path(__file__).parent / "workers" / "crawls.py")
AUDIT, LINKS, CRAWL = "urlset audit", "urlset audit --crawl", "urlset crawl"
MIN_RATE, MAX_CPU_MS, MAX_PEAK_MB = 3_000, 0.5, 500


class Crawler(NamedTuple):
    """A crawler with its interpreter, its task, the pages that it visits, and what it does."""

    who: str
    python: str | None
    task: str
    pages: Pages
    note: str


def crawlers(whole: Pages, share: Pages, python: str | None) -> list[Crawler]:
    """List the crawlers; each peer visits a part that it can visit in time."""
    return [
        Crawler(AUDIT, sys.executable, "audit", whole, "sitemaps, pages, rules"),
        Crawler(LINKS, sys.executable, "audit_links", whole, "sitemaps, pages, links, rules"),
        Crawler(CRAWL, sys.executable, "crawl", whole, "sitemaps, pages, links"),
        Crawler("Scrapy", python, "scrapy", share, "links; five fields of each page"),
        Crawler("advertools", python, "advertools", share, "links; all fields of each page"),
        Crawler("lychee", python, "lychee", share, "status of each listed URL; no page is read"),
    ]


def race_crawls(listed: list[Crawler], *, rounds: int) -> list[tuple[Crawler, Measured]]:
    """Measure every crawler on one server; return nothing without nginx."""
    program = nginx()
    if program is None:
        return []
    results = [(each, Measured(each.who, each.pages.entries)) for each in listed]
    sites = list(dict.fromkeys(each.pages for each in listed))
    for file in sites[0].folder.rglob("*.html"):  # not the disk is measured
        file.read_bytes()
    with serving(program, sites) as urls:
        for number in range(rounds):
            for each, result in reversed(results) if number % 2 else results:
                if not result.problem:
                    say(f"  round {number + 1} of {rounds}: pages: {each.who}")
                    _measure(each, result, urls[sites.index(each.pages)])
    return results


def text(results: list[tuple[Crawler, Measured]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield ""
    yield "pages of a site, from nginx on this machine, without pauses between requests"
    yield f"  {'who':<22}{'pages':>9}{'pages/s':>9}{'seconds':>9}{'CPU s':>8}{'peak MB':>9}  note"
    for each, result in results:
        if not result.times:
            yield f"  {each.who:<22}omitted: {result.problem:.66}"
            continue
        who = f"{each.who} {result.facts.get('version', '')}".rstrip()
        yield (
            f"  {who:<22}{result.count:>9,}{result.rate:>9,.0f}{result.seconds:>9.1f}"
            f"{result.cpu:>8.1f}{result.peak / 1e6:>9,.0f}  {_note(each, result)}"
        )


def markdown(results: list[tuple[Crawler, Measured]]) -> Iterator[str]:
    """Yield the lines of the table as Markdown."""
    yield "| pages of a site | pages | pages/s | seconds | CPU s | peak MB | note |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for each, result in results:
        if not result.times:
            continue
        who = f"{each.who} {result.facts.get('version', '')}".rstrip()
        yield (
            f"| {who} | {result.count:,} | {result.rate:,.0f} | {result.seconds:.1f} "
            f"| {result.cpu:.1f} | {result.peak / 1e6:,.0f} | {_note(each, result)} |"
        )
    yield ""


def judge(results: list[tuple[Crawler, Measured]]) -> Iterator[Verdict]:
    """Compare audit and crawl of the whole site with their goals."""
    for each, result in results:
        if each.who not in (AUDIT, CRAWL) or not result.times:
            continue
        rate, peak = f"{result.rate:,.0f} pages/s", result.peak / 1e6
        subject = f"{each.task} of {result.count:,} pages"
        yield Verdict(subject, f"≥ {MIN_RATE:,} pages/s", rate, result.rate >= MIN_RATE)
        cpu_ms = result.cpu / result.count * 1e3
        goal, measured = f"≤ {MAX_CPU_MS} ms", f"{cpu_ms:.2f} ms"
        yield Verdict(f"{subject}, CPU of one", goal, measured, cpu_ms <= MAX_CPU_MS)
        goal = f"< {MAX_PEAK_MB} MB"
        yield Verdict(f"{subject}, peak memory", goal, f"{peak:,.0f} MB", peak < MAX_PEAK_MB)


def _measure(each: Crawler, result: Measured, url: str) -> None:
    if each.python is None:
        result.problem = "not there"
        return
    folder = tempfile.mkdtemp(prefix="urlset-bench-")
    try:
        result.run((each.python, WORKER, each.task, url, folder))
    finally:
        shutil.rmtree(folder)


def _note(each: Crawler, result: Measured) -> str:
    found = result.facts.get("pages")
    return each.note if found == result.count else f"WRONG: {found:,} pages; {each.note}"

"""Measure reading of a whole site from one server, each reader in a fresh process."""

from __future__ import annotations

import json
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from environment import say
from nginx import nginx, serving
from race import call, gist
from site_data import Site
from works import USP

WORKER = str(Path(__file__).parent / "workers" / "sites.py")
ARROW, OBJECTS = "urlset → Arrow", "urlset → objects"
SPIDER = "urlset's spider in Scrapy"
TIMEOUT_S = 900.0


class Reader(NamedTuple):
    """A reader of a site: its command and the site; peers read a part of it."""

    who: str
    python: str | None
    task: str
    site: Site


@dataclass
class SiteResult:
    """The results of one reader."""

    reader: Reader
    times: list[float] = field(default_factory=list)
    cpu_times: list[float] = field(default_factory=list)
    peak: int = 0
    problem: str = ""
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Seconds of the median run."""
        return statistics.median(self.times)

    @property
    def rate(self) -> float:
        """URLs per second, median."""
        return self.reader.site.entries / self.seconds


def readers(whole: Site, share: Site, python: str | None) -> list[Reader]:
    """List the readers: urlset reads the whole site, each peer a part that it can read in time."""
    return [
        Reader(ARROW, sys.executable, "arrow", whole),
        Reader(OBJECTS, sys.executable, "objects", whole),
        Reader(SPIDER, sys.executable, "spider", whole),
        Reader("Scrapy's SitemapSpider", python, "scrapy", share),
        Reader("advertools", python, "advertools", share),
        Reader(USP, python, USP, share),
    ]


def race_site(listed: list[Reader], *, rounds: int) -> list[SiteResult]:
    """Measure every reader on one server; return nothing without nginx."""
    program = nginx()
    if program is None:
        return []
    results = [SiteResult(reader) for reader in listed]
    sites = list(dict.fromkeys(reader.site for reader in listed))
    with serving(program, sites) as urls:
        for number in range(rounds):
            for result in reversed(results) if number % 2 else results:
                if not result.problem:
                    say(f"  round {number + 1} of {rounds}: site: {result.reader.who}")
                    _visit(result, urls[sites.index(result.reader.site)])
    return results


def _visit(result: SiteResult, url: str) -> None:
    reader = result.reader
    if reader.python is None:
        result.problem = "not there"
        return
    ended = call((reader.python, WORKER, reader.task, url), TIMEOUT_S)
    try:
        report = json.loads(ended.out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        result.problem = gist(ended.words)
        say(f"    failed: {reader.who}: {result.problem}")
        return
    result.times += report.pop("times")
    result.cpu_times.append(ended.cpu_s)
    result.report = report
    result.peak = max(result.peak, ended.peak)

"""Do one job and print its seconds: ``jobs.py TASK INPUT FOLDER``."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUNS = 10
"""Runs of a command that takes a fraction of a second; the median counts."""

BASE = "https://www.example.com/"


def check_one(path: str, folder: Path) -> dict[str, Any]:
    """Check a document of one entry with the command."""
    argv = [sys.executable, "-P", "-m", "urlset", "check", path]
    walls, cpus = [], []
    for number in range(RUNS + 1):
        began, before = time.perf_counter(), _cpu_of_children_s()
        subprocess.run(argv, check=True, capture_output=True, cwd=folder)
        if number:  # the first one may compile modules
            walls.append(time.perf_counter() - began)
            cpus.append(_cpu_of_children_s() - before)
    return {"seconds": statistics.median(walls), "work_cpu_s": statistics.median(cpus)}


def read_sitemaps(url: str, _folder: Path) -> dict[str, Any]:
    """Read all sitemaps of an index as columns."""
    import urlset
    from urlset.arrow import open_stream

    def work() -> int:
        return sum(batch.num_rows for batch in open_stream(urlset.read(f"{url}/index.xml")))

    return _timed(work)


def check_sitemaps(path: str, _folder: Path) -> dict[str, Any]:
    """Check all sitemaps of a folder."""
    import urlset

    def work() -> int:
        findings = urlset.check(path, base_url=BASE)
        for _ in findings:
            pass
        return sum(record.entries for record in findings.documents)

    return _timed(work)


def read_log(path: str, _folder: Path) -> dict[str, Any]:
    """Read an access log as a source of a build."""
    from urlset.sources import AccessLog

    def work() -> int:
        return sum(batch.num_rows for batch in AccessLog(path, base_url=BASE).batches())

    return _timed(work)


def parse_text(path: str, _folder: Path) -> dict[str, Any]:
    """Parse a text in which no line is a URL."""
    import urlset

    data = Path(path).read_bytes()
    return _timed(lambda: len(urlset.parse(data).entries))


def build_html(path: str, folder: Path) -> dict[str, Any]:
    """Build the sitemaps of a folder of HTML, whose files are in the page cache."""
    for file in Path(path).rglob("*.html"):
        file.read_bytes()
    return _build(path, folder)


def build_rows(path: str, folder: Path) -> dict[str, Any]:
    """Build the sitemaps of a table with images and alternates in JSON."""
    from urlset.sources import Query

    return _build(Query(f"sqlite:///{path}", "SELECT * FROM pages"), folder)


def _build(source: Any, folder: Path) -> dict[str, Any]:
    import urlset

    def work() -> int:
        built = urlset.build(
            source, folder / "maps", base_url=BASE, ledger=folder / "ledger.duckdb"
        )
        return built.urls

    return _timed(work)


def _timed(work: Callable[[], int]) -> dict[str, Any]:
    import urlset.builder
    import urlset.checker
    import urlset.store

    assert urlset.store
    began, cpu = time.perf_counter(), time.process_time()
    entries = work()
    seconds, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    return {"seconds": seconds, "work_cpu_s": cpu_s, "entries": entries}


def _cpu_of_children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


TASKS: dict[str, Callable[[str, Path], dict[str, Any]]] = {
    task.__name__: task
    for task in (
        check_one,
        read_sitemaps,
        check_sitemaps,
        read_log,
        parse_text,
        build_html,
        build_rows,
    )
}


if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))))

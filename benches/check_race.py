"""Measure how the cost of a check grows with the number of sitemaps."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from environment import say
from goals import Verdict
from measured import Measured
from site_data import DOCUMENTS, Site

WORKER = str(Path(__file__).parent / "workers" / "checks.py")
SIZES = (1, 10, 50, DOCUMENTS)
MAX_SECONDS_OF_ONE, MAX_SECONDS, MAX_PEAK_MB = 0.35, 35, 1_000


def race_checks(whole: Site, *, rounds: int) -> list[Measured]:
    """Check the first documents of a site as a folder, with more documents each time."""
    results = [Measured("check", size) for size in SIZES if size <= len(whole.documents)]
    for number in range(rounds):
        for result in results:
            if not result.problem and (number == 0 or result.count < DOCUMENTS):
                say(f"  round {number + 1} of {rounds}: check of {result.count} documents")
                _measure(result, whole)
    return results


def text(results: list[Measured]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield ""
    yield "check of a folder, all rules that are on by default"
    yield f"  {'documents':>9}{'URLs':>12}{'seconds':>9}{'CPU s':>8}{'peak MB':>9}{'findings':>10}"
    for result in results:
        if result.problem:
            yield f"  {result.count:>9}  failed: {result.problem}"
            continue
        yield (
            f"  {result.count:>9}{result.facts['entries']:>12,}{result.seconds:>9.2f}"
            f"{result.cpu:>8.1f}{result.peak / 1e6:>9,.0f}"
            f"{result.facts['findings']:>10,}"
        )


def markdown(results: list[Measured]) -> Iterator[str]:
    """Yield the lines of the table as Markdown."""
    yield "| check: documents | URLs | seconds | CPU s | peak MB |"
    yield "|--:|--:|--:|--:|--:|"
    for result in results:
        if not result.problem:
            yield (
                f"| {result.count} | {result.facts['entries']:,} | {result.seconds:.2f} "
                f"| {result.cpu:.1f} | {result.peak / 1e6:,.0f} |"
            )
    yield ""


def judge(results: list[Measured]) -> Iterator[Verdict]:
    """Compare the results with the goals."""
    for result in results:
        if result.problem:
            continue
        if result.count == 1:
            measured, goal = f"{result.seconds:.2f} s", f"≤ {MAX_SECONDS_OF_ONE} s"
            is_met = result.seconds <= MAX_SECONDS_OF_ONE
            yield Verdict("check of 50,000 URLs", goal, measured, is_met)
        if result.count == DOCUMENTS:
            measured, goal = f"{result.seconds:.1f} s", f"≤ {MAX_SECONDS} s"
            yield Verdict("check of 10 M URLs", goal, measured, result.seconds <= MAX_SECONDS)
            peak = result.peak / 1e6
            goal = f"≤ {MAX_PEAK_MB:,} MB"
            is_met = peak <= MAX_PEAK_MB
            yield Verdict("check of 10 M URLs, peak memory", goal, f"{peak:,.0f} MB", is_met)


def _measure(result: Measured, whole: Site) -> None:
    with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
        for path in whole.documents[: result.count]:
            # Note: a link that leads out of the folder is not followed.
            (Path(folder) / path.name).write_bytes(path.read_bytes())
        result.run((sys.executable, WORKER, folder))

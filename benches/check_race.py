"""How the cost of a check grows with the site: the same sitemaps, more and more of them."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from environment import say
from goals import Verdict
from race import call, gist
from site_data import DOCUMENTS, Site

WORKER = str(Path(__file__).parent / "workers" / "checks.py")
SIZES = (1, 10, 50, DOCUMENTS)
TIMEOUT_S = 900.0
MAX_SECONDS_OF_ONE, MAX_SECONDS, MAX_PEAK_MB = 0.5, 60, 2_000


@dataclass
class Checked:
    """What is known of checks of so many documents."""

    documents: int
    facts: dict[str, Any] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    cpu_times: list[float] = field(default_factory=list)
    peak: int = 0
    problem: str = ""

    @property
    def seconds(self) -> float:
        """Seconds of the run in the middle."""
        return statistics.median(self.times)


def race_checks(whole: Site, *, rounds: int) -> list[Checked]:
    """Check the first documents of a site, as a folder, with more of them each time."""
    results = [Checked(size) for size in SIZES if size <= len(whole.documents)]
    for number in range(rounds):
        for result in results:
            if not result.problem and (number == 0 or result.documents < DOCUMENTS):
                say(f"  round {number + 1} of {rounds}: check of {result.documents} documents")
                _measure(result, whole)
    return results


def text(results: list[Checked]) -> Iterator[str]:
    """Give the lines of the table."""
    yield ""
    yield "check of a folder, all rules that are on by default"
    yield f"  {'documents':>9}{'URLs':>12}{'seconds':>9}{'CPU s':>8}{'peak MB':>9}{'findings':>10}"
    for result in results:
        if result.problem:
            yield f"  {result.documents:>9}  failed: {result.problem}"
            continue
        yield (
            f"  {result.documents:>9}{result.facts['entries']:>12,}{result.seconds:>9.2f}"
            f"{statistics.median(result.cpu_times):>8.1f}{result.peak / 1e6:>9,.0f}"
            f"{result.facts['findings']:>10,}"
        )


def markdown(results: list[Checked]) -> Iterator[str]:
    """Give the lines of the same table for a README."""
    yield "| check: documents | URLs | seconds | CPU s | peak MB |"
    yield "|--:|--:|--:|--:|--:|"
    for result in results:
        if not result.problem:
            cpu = statistics.median(result.cpu_times)
            yield (
                f"| {result.documents} | {result.facts['entries']:,} | {result.seconds:.2f} "
                f"| {cpu:.1f} | {result.peak / 1e6:,.0f} |"
            )
    yield ""


def judge(results: list[Checked]) -> Iterator[Verdict]:
    """Compare what was measured with what we want."""
    for result in results:
        if result.problem:
            continue
        if result.documents == 1:
            told, goal = f"{result.seconds:.2f} s", f"< {MAX_SECONDS_OF_ONE} s"
            is_met = result.seconds < MAX_SECONDS_OF_ONE
            yield Verdict("check of 50,000 URLs", goal, told, is_met)
        if result.documents == DOCUMENTS:
            told, goal = f"{result.seconds:.1f} s", f"< {MAX_SECONDS} s"
            yield Verdict("check of 10 M URLs", goal, told, result.seconds < MAX_SECONDS)
            peak = result.peak / 1e6
            goal = f"< {MAX_PEAK_MB:,} MB"
            is_met = peak < MAX_PEAK_MB
            yield Verdict("check of 10 M URLs, peak memory", goal, f"{peak:,.0f} MB", is_met)


def plain_data(results: list[Checked]) -> list[dict[str, Any]]:
    """Give everything that was measured, for JSON."""
    return [
        {
            "documents": result.documents,
            "problem": result.problem or None,
            "times_s": result.times,
            "cpu_s": result.cpu_times,
            "peak_bytes": result.peak,
            **result.facts,
        }
        for result in results
    ]


def _measure(result: Checked, whole: Site) -> None:
    with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
        for path in whole.documents[: result.documents]:
            # Beware: a link that leads out of the folder is not followed.
            (Path(folder) / path.name).write_bytes(path.read_bytes())
        ended = call((sys.executable, WORKER, folder), TIMEOUT_S)
    try:
        facts = json.loads(ended.out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        result.problem = gist(ended.words)
        return
    result.times.append(facts.pop("seconds"))
    result.cpu_times.append(ended.cpu_s)
    result.peak = max(result.peak, ended.peak)
    result.facts = facts

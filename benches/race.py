"""Run every work with every runner in turn, each in a fresh process, over several rounds.

A round runs all of them once, and every other round runs them backwards, so that a temporary
disturbance of the machine affects all alike. Needs ``os.wait4``: Linux, macOS, BSD.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from environment import say
from works import Runner, Work

RUNS = 200
TIMEOUT_S = 300.0


@dataclass
class Result:
    """The results of one runner at one work."""

    work: Work
    runner: Runner
    times: list[float] = field(default_factory=list)
    peak: int = 0
    spent: float = 0.0
    problem: str = ""
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The size of the XML that was read or written, uncompressed."""
        return int(self.report.get("written") or self.work.bytes)

    @property
    def packed(self) -> int | None:
        """The size of the compressed output, if there is one."""
        size = self.report.get("packed")
        return int(size) if size else None

    @property
    def median(self) -> float:
        """Seconds of the median run."""
        return statistics.median(self.times)

    @property
    def rate(self) -> float:
        """MB (10⁶ bytes) per second, median."""
        return self.bytes / self.median / 1e6

    @property
    def best_rate(self) -> float:
        """MB (10⁶ bytes) per second, fastest run."""
        return self.bytes / min(self.times) / 1e6


Results = dict[tuple[str, str], Result]


def race(works: list[Work], *, rounds: int, seconds: float, budget: float) -> Results:
    """Measure every runner; one that has used its budget of seconds skips the other rounds."""
    results = {(w.name, r.who): Result(w, r) for w in works for r in w.runners}
    for number in range(rounds):
        order = list(results.values())
        for result in reversed(order) if number % 2 else order:
            if result.problem or result.spent > budget:
                continue
            say(f"  round {number + 1} of {rounds}: {result.work.name}: {result.runner.who}")
            _visit(result, seconds)
    return results


def _visit(result: Result, seconds: float) -> None:
    if not result.runner.argv:
        result.problem = "not there"
        return
    ended = call((*result.runner.argv, str(RUNS), str(seconds)))
    try:
        report = json.loads(ended.out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        result.problem = gist(ended.words)
        say(f"    failed: {result.runner.who}: {result.problem}")
        return
    times = report.pop("times")
    result.report = report
    result.times += times
    result.spent += sum(times) + times[0]  # the warm-up, too
    result.peak = max(result.peak, ended.peak)


def gist(words: str) -> str:
    """Return the line with the error: Node prints more lines after it, Python does not."""
    lines = words.strip().splitlines() or ["gave nothing"]
    return next((line for line in reversed(lines) if "Error" in line), lines[-1])


class Ended(NamedTuple):
    """A process that has ended: its output, its time and its memory."""

    out: str
    words: str
    peak: int
    cpu_s: float


def call(argv: tuple[str, ...], timeout_s: float = TIMEOUT_S) -> Ended:
    """Run a process to its end; its peak memory is in bytes.

    Note: on Linux a process starts with the peak of its parent, so the parent must stay small.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as words:
        process = subprocess.Popen(argv, stdout=out, stderr=words, env=_surroundings())
        watch = threading.Timer(timeout_s, process.kill)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        words.seek(0)
        unit = 1 if sys.platform == "darwin" else 1024
        cpu_s = usage.ru_utime + usage.ru_stime
        return Ended(out.read(), words.read(), usage.ru_maxrss * unit, cpu_s)


def _surroundings() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "URLSET_"))}

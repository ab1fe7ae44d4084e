"""Measure whole processes several times: their reported facts, time and memory."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from typing import Any

from race import call, gist
from record import figure

__all__ = ["Measured"]

TIMEOUT_S = 900.0


@dataclass
class Measured:
    """The results of one kind of work on a number of items.

    A worker prints one line of JSON at its end: ``seconds`` of its work, and facts about it.
    """

    name: str
    count: int
    times: list[float] = field(default_factory=list)
    cpu_times: list[float] = field(default_factory=list)
    peak: int = 0
    problem: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Seconds of the median run."""
        return statistics.median(self.times)

    @property
    def cpu(self) -> float:
        """CPU seconds of the median run, including its start."""
        return statistics.median(self.cpu_times)

    @property
    def rate(self) -> float:
        """Items per second."""
        return self.count / self.seconds

    def run(self, argv: tuple[str, ...]) -> None:
        """Run and measure it once more."""
        ended = call(argv, TIMEOUT_S)
        try:
            facts = json.loads(ended.out.strip().splitlines()[-1])
        except (IndexError, ValueError):
            self.problem = gist(ended.words)
            return
        self.times.append(facts.pop("seconds"))
        self.cpu_times.append(ended.cpu_s)
        self.peak = max(self.peak, ended.peak)
        self.facts = facts

    def row(self) -> dict[str, Any]:
        """The figures that are recorded."""
        if self.problem:
            return {"work": self.name, "count": self.count, "problem": self.problem}
        return {
            "work": self.name,
            "count": self.count,
            "seconds": figure(self.times),
            "cpu_s": figure(self.cpu_times),
            "peak_mb": round(self.peak / 1e6),
            **{key: self.facts[key] for key in ("entries", "version") if key in self.facts},
        }

    def plain(self) -> dict[str, Any]:
        """All measurements, for JSON."""
        return {
            "name": self.name,
            "count": self.count,
            "problem": self.problem or None,
            "times_s": self.times,
            "cpu_s": self.cpu_times,
            "peak_bytes": self.peak,
            **self.facts,
        }

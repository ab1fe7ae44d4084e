"""Whole processes, measured several times: what one says of itself, its time, its memory."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from typing import Any

from race import call, gist

__all__ = ["Measured"]

TIMEOUT_S = 900.0


@dataclass
class Measured:
    """What is known of one kind of work on so many things.

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
        """Seconds of the run in the middle."""
        return statistics.median(self.times)

    @property
    def cpu(self) -> float:
        """Seconds of processors that it took, with its start, of the run in the middle."""
        return statistics.median(self.cpu_times)

    @property
    def rate(self) -> float:
        """Things a second."""
        return self.count / self.seconds

    def run(self, argv: tuple[str, ...]) -> None:
        """Measure it once more."""
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

    def plain(self) -> dict[str, Any]:
        """Everything that was measured, for JSON."""
        return {
            "name": self.name,
            "count": self.count,
            "problem": self.problem or None,
            "times_s": self.times,
            "cpu_s": self.cpu_times,
            "peak_bytes": self.peak,
            **self.facts,
        }

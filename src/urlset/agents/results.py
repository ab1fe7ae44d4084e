"""Results of a session, by handle: stores of readings and audits, and findings of checks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from urlset.checker import Finding
from urlset.errors import SourceError, UrlsetError
from urlset.model import ProgressEvent
from urlset.store import Store

Kind = Literal["read", "check", "audit"]

MAX_RESULTS = 10
"""Finished results that are kept; the oldest is closed first."""

MAX_FINDINGS = 1_000
"""Findings of each rule that are kept in memory; all are counted."""


class AgentResult:
    """What a tool found, for further calls.

    Attributes:
        handle: Name for further calls, such as ``audit-1``.
        source: What was read, as it was given.
        store: Store with its tables; None for a check, and until an audit ends.
        findings: Findings by code of the rule, at most :data:`MAX_FINDINGS` of each.
        by_rule: Number of findings of each rule.
        counts: Further numbers.
        incomplete: What could not be read.
        error: Why it failed; None if it did not.
        progress: State of a running audit.
        lock: Held while the store is used, or an audit runs.
    """

    def __init__(self, handle: str, kind: Kind, source: str):
        self.handle = handle
        self.kind = kind
        self.source = source
        self.store: Store | None = None
        self.findings: dict[str, list[Finding]] = {}
        self.by_rule: dict[str, int] = {}
        self.counts: dict[str, str | int | float | bool | None] = {}
        self.incomplete: tuple[str, ...] = ()
        self.error: str | None = None
        self.progress: ProgressEvent | None = None
        self.done: threading.Event = threading.Event()
        self.lock: threading.Lock = threading.Lock()
        self.close_: Callable[[], None] = lambda: None

    def keep(self, findings: Sequence[Finding]) -> None:
        """Keep the first findings of each rule."""
        seen: Counter[str] = Counter()
        for finding in findings:
            seen[finding.code] += 1
            if seen[finding.code] <= MAX_FINDINGS:
                self.findings.setdefault(finding.code, []).append(finding)

    def close(self) -> None:
        """Close the store, and delete a temporary one."""
        with self.lock:
            self.close_()
            self.store = None


class Results:
    """Results by handle."""

    def __init__(self) -> None:
        self._results: dict[str, AgentResult] = {}
        self._numbers: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[AgentResult]:
        return iter([*self._results.values()])

    def add(self, kind: Kind, source: str) -> AgentResult:
        """Return a new result; the oldest finished one is closed if there are too many."""
        with self._lock:
            self._numbers[kind] += 1
            found = AgentResult(f"{kind}-{self._numbers[kind]}", kind, source)
            self._results[found.handle] = found
            finished = [one for one in self if one.done.is_set()]
            old = finished[: max(0, len(finished) - MAX_RESULTS + 1)]
            for each in old:
                del self._results[each.handle]
        for each in old:
            each.close()
        return found

    def get(self, handle: str) -> AgentResult | None:
        """Return the result of a handle; None if there is none."""
        return self._results.get(handle)

    def running(self) -> int:
        """Return the number of audits that run."""
        return sum(not each.done.is_set() for each in self if each.kind == "audit")


@contextmanager
def finished(result: AgentResult) -> Iterator[AgentResult]:
    """Hold a result that is done.

    Raises:
        SourceError: It failed, or is not done.
    """
    if not result.done.is_set():
        raise SourceError(f"{result.handle} is still running; call audit_result first")
    with result.lock:
        if result.error is not None:
            raise SourceError(f"{result.handle} failed: {result.error}")
        yield result


def error_text(error: UrlsetError | ValueError | OSError) -> str:
    """Return the message of an error, for an answer."""
    return str(error) or type(error).__name__


def rows_of_rules(result: AgentResult) -> list[dict[str, Any]]:
    """Return a row for each rule with findings, those with errors and most findings first."""
    levels = ("error", "warning", "info")
    rows = []
    for code, count in result.by_rule.items():
        first = result.findings[code][0] if result.findings.get(code) else None
        level = first.level if first else "info"
        rows.append(
            {
                "code": code,
                "rule": first.rule if first else None,
                "level": level,
                "findings": count,
                "example": first.message if first else None,
            }
        )
    return sorted(rows, key=lambda row: (levels.index(row["level"]), -int(row["findings"] or 0)))

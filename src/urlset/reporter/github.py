"""Format findings as workflow commands of GitHub Actions.

GitHub shows them as annotations next to the changed lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from urlset.checker import Finding
from urlset.terminal_text import sanitize

__all__ = ["report_github"]

_COMMAND = {"error": "error", "warning": "warning", "info": "notice"}


def report_github(findings: Iterable[Finding], *, max_examples: int | None = 20) -> Iterator[str]:
    """Yield a line ``::error file=…,line=…,col=…,title=…::…`` for each finding.

    GitHub shows only ten annotations of each level for a step.

    Args:
        findings: The findings to format.
        max_examples: How many findings of each rule are listed; the rest is counted. None lists
            all.
    """
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.code] += 1
        if max_examples is None or counts[finding.code] <= max_examples:
            yield _command(finding)
    for code, count in sorted(counts.items()):
        if max_examples is not None and count > max_examples:
            yield f"::notice title={code}::{count - max_examples:,} more of {count:,} are not shown"


def _command(finding: Finding) -> str:
    properties = {
        "file": finding.source if finding.source not in (None, "-") else None,
        "line": finding.line,
        "col": finding.column,
        "title": f"{finding.code} {finding.rule}",
    }
    written = ",".join(
        f"{name}={_escape(str(value), is_property=True)}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{_COMMAND[finding.level]} {written}::{_escape(finding.message)}"


def _escape(text: str, *, is_property: bool = False) -> str:
    # https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
    text = sanitize(text).replace("%", "%25")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text

"""Format findings as JUnit XML for build servers (the schema of Jenkins' xUnit plugin).

A document is a test suite. Each rule with findings in the document is a failed test of the suite; a
document without findings has one test, which passed. A document that could not be read is an error
instead of a failure. Findings below the level that makes the check fail are written as output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from urlset.checker import FAILURE_CODES, LEVELS, Finding
from urlset.reader import DocumentRecord
from urlset.terminal_text import sanitize

__all__ = ["report_junit"]


def report_junit(
    findings: Iterable[Finding],
    documents: Sequence[DocumentRecord] = (),
    *,
    fail_level: str = "error",
) -> Iterator[str]:
    """Yield the lines of a report.

    Args:
        findings: The findings, those of a document in sequence.
        documents: The documents that were checked. It is read after the findings, to report the
            documents without findings.
        fail_level: Findings of this level or worse make a test fail.

    >>> list(report_junit([]))[1:]
    ['<testsuites name="urlset">', '</testsuites>']
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="urlset">'
    reported = set()
    bad = LEVELS[: LEVELS.index(fail_level) + 1]
    for source, group in groupby(findings, key=lambda finding: finding.source):
        reported.add(source)
        yield from _suite(source, list(group), bad)
    for document in documents:
        if document.source not in reported and document.kind is not None:
            yield from _suite(document.source, [], bad)
    yield "</testsuites>"


def _suite(source: str | None, findings: list[Finding], bad: Sequence[str]) -> Iterator[str]:
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.code, []).append(finding)
    bad_codes = [code for code, group in by_rule.items() if _fails(group, bad)]
    errors = sum(code in FAILURE_CODES for code in bad_codes)
    name = _attribute(source or "<bytes>")
    counts = (
        f'tests="{len(by_rule) or 1}" failures="{len(bad_codes) - errors}" errors="{errors}" '
        'skipped="0"'
    )
    yield f"  <testsuite name={name} {counts}>"
    if not by_rule:
        yield f'    <testcase name="no findings" classname={name}/>'
    for group in by_rule.values():
        yield from _case(name, group, bad)
    yield "  </testsuite>"


def _case(suite: str, findings: list[Finding], bad: Sequence[str]) -> Iterator[str]:
    first = findings[0]
    yield f"    <testcase name={_attribute(f'{first.code} {first.rule}')} classname={suite}>"
    tag = "error" if first.code in FAILURE_CODES else "failure"
    tag = tag if _fails(findings, bad) else "system-out"
    more = f" ({len(findings):,} findings)" if len(findings) > 1 else ""
    attributes = f" message={_attribute(first.message + more)} type={_attribute(first.level)}"
    lines = "\n".join(map(_line, findings))
    yield f"      <{tag}{'' if tag == 'system-out' else attributes}>{escape(lines)}</{tag}>"
    yield "    </testcase>"


def _fails(findings: list[Finding], bad: Sequence[str]) -> bool:
    return any(finding.level in bad for finding in findings)


def _line(finding: Finding) -> str:
    position = "" if finding.line is None else f"{finding.line}:{finding.column}: "
    return sanitize(f"{position}{finding.level}: {finding.message}")


def _attribute(text: str) -> str:
    return quoteattr(sanitize(text))

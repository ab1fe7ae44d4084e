"""Format findings for machines: JSON, SARIF 2.1.0, JUnit XML, and annotations of GitHub Actions.

The formats are contracts: their names and their order do not change.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from json import JSONEncoder
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from urlset.checker import CATALOGUE, FAILURE_CODES, Finding, Rule, levels_from
from urlset.checker.finding import CountsJson
from urlset.model import Level
from urlset.reader import DocumentRecord
from urlset.reporter.text import line_and_column
from urlset.terminal_text import escape_json, sanitize, template_text
from urlset.urls import split_origin

_encode = JSONEncoder(ensure_ascii=False).encode


def report_json(
    findings: Iterable[Finding], totals_dict: Callable[[], CountsJson]
) -> Iterator[str]:
    """Yield the lines of a JSON object as ``to_dict`` returns it: the findings, then the numbers.

    Args:
        findings: The findings to format.
        totals_dict: Returns the other fields, such as the method of :class:`urlset.Findings`; it is
            called after ``findings`` is exhausted.

    >>> from urlset.checker import check
    >>> findings = check(b"https://example.com/")
    >>> list(report_json(findings, findings.totals_dict))[:3]
    ['{', '"findings": [', '],']
    """
    yield "{"
    yield '"findings": ['
    last = None
    for finding in findings:
        if last is not None:
            yield f"{last},"
        last = escape_json(_encode(finding.to_dict()))
    if last is not None:
        yield last
    yield "],"
    yield escape_json(_encode(totals_dict())).removeprefix("{")


SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_ESCAPED_BYTE = re.compile(r"%5Cx([89a-f][0-9a-f])")
_LONE_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def report_sarif(
    findings: Iterable[Finding], *, version: str, rules: Mapping[str, Rule] = CATALOGUE
) -> Iterator[str]:
    """Yield the lines of a SARIF 2.1.0 log with one run, for code scanners.

    The standard is https://docs.oasis-open.org/sarif/ by OASIS.

    Documents that could not be read are also reported as notifications of the run, and mark it as
    unsuccessful: otherwise an empty list of results would look like a clean check.

    Args:
        findings: The findings to format.
        version: The version of urlset.
        rules: The rules that were checked, by code.
    """
    numbers = {code: number for number, code in enumerate(rules)}
    driver = {"name": "urlset", "version": version, "rules": [*map(_sarif_rule, rules.values())]}
    yield f'{{"$schema": {_encode(SARIF_SCHEMA)}, "version": "2.1.0", "runs": [{{'
    yield f'"tool": {{"driver": {_encode(driver)}}},'
    yield '"columnKind": "unicodeCodePoints",'
    yield '"results": ['
    comma = ""
    failures: list[dict[str, Any]] = []
    for finding in findings:
        result = _sarif_result(finding, numbers[finding.code])
        if finding.code in FAILURE_CODES:
            failures.append(_notification(result))
        yield comma + escape_json(_encode(result))
        comma = ","
    invocation = {
        "executionSuccessful": not any(failure["level"] == "error" for failure in failures),
        "toolExecutionNotifications": failures,
    }
    yield f'],"invocations": [{escape_json(_encode(invocation))}]}}]}}'


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    source = rule.page.source
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": template_text(rule.message)},
        "fullDescription": {"text": rule.page.why},
        "help": {"text": rule.page.fix_hint},
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.level]},
    } | ({"helpUri": source} if source.startswith("https://") else {})


def _sarif_result(finding: Finding, number: int) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if finding.source not in (None, "-"):
        location["artifactLocation"] = {"uri": _uri(finding.source or "")}
    if finding.line is not None:
        location["region"] = {"startLine": finding.line}
        if finding.column is not None:
            location["region"]["startColumn"] = finding.column
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": _SARIF_LEVELS[finding.level],
        "message": {"text": finding.message},
    }
    if "artifactLocation" in location:  # SARIF allows no region without a file
        result["locations"] = [{"physicalLocation": location}]
    return result


def _notification(result: dict[str, Any]) -> dict[str, Any]:
    """Convert a SARIF result to a notification about the run of the tool."""
    rule = {"id": result["ruleId"], "index": result["ruleIndex"]}
    kept = ("level", "message", "locations")
    return {"associatedRule": rule} | {name: result[name] for name in kept if name in result}


def _uri(source: str) -> str:
    """Convert a URL or a path to a URI; characters that URIs exclude are percent-encoded."""
    if source.lower().startswith(("http://", "https://")):
        scheme, authority, rest = split_origin(source)
        rest = quote(_LONE_PERCENT.sub("%25", rest), safe="%/?#:@!$&'()*+,;=")
        return f"{scheme}://{quote(authority, safe='%:@!$&*+,;=[]')}{rest}"
    uri = Path(source).as_uri() if os.path.isabs(source) else quote(source.replace(os.sep, "/"))
    # The names of files are valid Unicode here: a byte that is not UTF-8 is written as \xe9.
    return uri if os.name == "nt" else _ESCAPED_BYTE.sub(r"%\1", uri)


def report_junit(
    findings: Iterable[Finding],
    documents: Sequence[DocumentRecord] = (),
    *,
    fail_level: Level = "error",
    incomplete: Callable[[], Iterable[str]] = tuple,
) -> Iterator[str]:
    """Yield the lines of a JUnit XML report for build servers.

    It follows the schema of Jenkins' xUnit plugin. A document is a test suite. Each rule with
    findings in the document is a failed test of the suite; a document without findings has one
    test, which passed. A document that could not be read is an error instead of a failure. Findings
    below the level that makes the check fail are written as output.

    Args:
        findings: The findings, those of a document in sequence.
        documents: The documents that were checked. It is read after the findings, to report the
            documents without findings.
        fail_level: Findings of this level or worse make a test fail.
        incomplete: Returns why not everything was checked, after the findings were read. Each
            reason is a line of a skipped test, in a suite of its own.

    >>> list(report_junit([]))[1:]
    ['<testsuites name="urlset">', '</testsuites>']
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="urlset">'
    reported = set()
    bad = levels_from(fail_level)
    for source, group in groupby(findings, key=lambda finding: finding.source):
        reported.add(source)
        yield from _test_suite(source, list(group), bad)
    for document in documents:
        if document.source not in reported and document.kind is not None:
            yield from _test_suite(document.source, [], bad)
    if reasons := [sanitize(reason) for reason in incomplete()]:
        yield from _incomplete_suite(reasons)
    yield "</testsuites>"


def _incomplete_suite(reasons: list[str]) -> Iterator[str]:
    """Yield a suite with one test, which says why not everything was checked."""
    from xml.sax.saxutils import escape  # loads TLS

    yield '  <testsuite name="urlset" tests="1" failures="0" errors="0" skipped="1">'
    yield '    <testcase name="is complete" classname="urlset">'
    more = f" ({len(reasons):,} reasons)" if len(reasons) > 1 else ""
    message = _xml_attribute(f"not complete: {reasons[0]}{more}")
    lines = escape("\n".join(reasons))
    yield f"      <skipped message={message}>{lines}</skipped>"
    yield "    </testcase>"
    yield "  </testsuite>"


def _test_suite(source: str | None, findings: list[Finding], bad: Sequence[str]) -> Iterator[str]:
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.code, []).append(finding)
    bad_codes = [code for code, group in by_rule.items() if _fails(group, bad)]
    errors = sum(code in FAILURE_CODES for code in bad_codes)
    name = _xml_attribute(source or "<bytes>")
    counts = (
        f'tests="{len(by_rule) or 1}" failures="{len(bad_codes) - errors}" errors="{errors}" '
        'skipped="0"'
    )
    yield f"  <testsuite name={name} {counts}>"
    if not by_rule:
        yield f'    <testcase name="no findings" classname={name}/>'
    for group in by_rule.values():
        yield from _test_case(name, group, bad)
    yield "  </testsuite>"


def _test_case(suite: str, findings: list[Finding], bad: Sequence[str]) -> Iterator[str]:
    from xml.sax.saxutils import escape  # loads TLS

    first = findings[0]
    yield f"    <testcase name={_xml_attribute(f'{first.code} {first.rule}')} classname={suite}>"
    tag = "error" if first.code in FAILURE_CODES else "failure"
    tag = tag if _fails(findings, bad) else "system-out"
    more = f" ({len(findings):,} findings)" if len(findings) > 1 else ""
    attributes = (
        f" message={_xml_attribute(first.message + more)} type={_xml_attribute(first.level)}"
    )
    lines = "\n".join(map(_junit_line, findings))
    yield f"      <{tag}{'' if tag == 'system-out' else attributes}>{escape(lines)}</{tag}>"
    yield "    </testcase>"


def _fails(findings: list[Finding], bad: Sequence[str]) -> bool:
    return any(finding.level in bad for finding in findings)


def _junit_line(finding: Finding) -> str:
    position = "" if finding.line is None else f"{line_and_column(finding)}: "
    return sanitize(f"{position}{finding.level}: {finding.message}")


def _xml_attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(sanitize(text))


_ANNOTATION_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def report_github(
    findings: Iterable[Finding],
    *,
    max_examples: int | None = 20,
    omitted: Mapping[str, int] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield a line ``::error file=…,line=…,col=…,title=…::…`` for each finding.

    These are workflow commands of GitHub Actions. GitHub shows them as annotations next to the
    changed lines, but only ten annotations of each level for a step.

    Args:
        findings: The findings to format.
        max_examples: How many findings of each rule are listed; the rest is counted. None lists
            all.
        omitted: Number of findings, by code, that are not in ``findings``. It is read after
            ``findings`` is exhausted.
    """
    counts: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for finding in findings:
        counts[finding.code] += 1
        if max_examples is None or shown[finding.code] < max_examples:
            shown[finding.code] += 1
            yield _annotation(finding)
    counts.update(omitted)
    for code, count in sorted(counts.items()):
        if more := count - shown[code]:
            yield f"::notice title={code}::{more:,} more of {count:,} are not shown"


def _annotation(finding: Finding) -> str:
    properties = {
        "file": finding.source if finding.source not in (None, "-") else None,
        "line": finding.line,
        "col": finding.column,
        "title": f"{finding.code} {finding.rule}",
    }
    written = ",".join(
        f"{name}={_escape_annotation(str(value), is_property=True)}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{_ANNOTATION_LEVELS[finding.level]} {written}::{_escape_annotation(finding.message)}"


def _escape_annotation(text: str, *, is_property: bool = False) -> str:
    # https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
    text = sanitize(text).replace("%", "%25")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text

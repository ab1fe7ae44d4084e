"""Format findings as SARIF 2.1.0, the format of code scanners.

The standard is https://docs.oasis-open.org/sarif/ by OASIS.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from json import JSONEncoder
from pathlib import Path
from typing import Any
from urllib.parse import quote

from urlset.checker import CATALOGUE, FAILURE_CODES, Finding, Rule
from urlset.terminal_text import escape_json, template_text
from urlset.urls import split_origin

__all__ = ["report_sarif"]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_LONE_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_LEVEL = {"error": "error", "warning": "warning", "info": "note"}
_encode = JSONEncoder(ensure_ascii=False).encode


def report_sarif(
    findings: Iterable[Finding], *, version: str, rules: Mapping[str, Rule] = CATALOGUE
) -> Iterator[str]:
    """Yield the lines of a SARIF log with one run.

    Documents that could not be read are also reported as notifications of the run, and mark it as
    unsuccessful: otherwise an empty list of results would look like a clean check.

    Args:
        findings: The findings to format.
        version: The version of urlset.
        rules: The rules that were checked, by code.
    """
    numbers = {code: number for number, code in enumerate(rules)}
    driver = {"name": "urlset", "version": version, "rules": [*map(_rule, rules.values())]}
    yield f'{{"$schema": {_encode(SCHEMA)}, "version": "2.1.0", "runs": [{{'
    yield f'"tool": {{"driver": {_encode(driver)}}},'
    yield '"columnKind": "unicodeCodePoints",'
    yield '"results": ['
    comma = ""
    failures: list[dict[str, Any]] = []
    for finding in findings:
        result = _result(finding, numbers[finding.code])
        if finding.code in FAILURE_CODES:
            failures.append(_notification(result))
        yield comma + escape_json(_encode(result))
        comma = ","
    invocation = {
        "executionSuccessful": not any(failure["level"] == "error" for failure in failures),
        "toolExecutionNotifications": failures,
    }
    yield f'],"invocations": [{escape_json(_encode(invocation))}]}}]}}'


def _rule(rule: Rule) -> dict[str, Any]:
    source = rule.page.source
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": template_text(rule.message)},
        "fullDescription": {"text": rule.page.why},
        "help": {"text": rule.page.fix_hint},
        "defaultConfiguration": {"level": _LEVEL[rule.level]},
    } | ({"helpUri": source} if source.startswith("https://") else {})


def _result(finding: Finding, number: int) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if finding.source not in (None, "-"):
        location["artifactLocation"] = {"uri": _uri(finding.source or "")}
    if finding.line is not None:
        location["region"] = {"startLine": finding.line, "startColumn": finding.column}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": _LEVEL[finding.level],
        "message": {"text": finding.message},
    }
    if "artifactLocation" in location:  # SARIF allows no region without a file
        result["locations"] = [{"physicalLocation": location}]
    return result


def _notification(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result as a notification about the run of the tool."""
    rule = {"id": result["ruleId"], "index": result["ruleIndex"]}
    location = {"locations": result["locations"]} if "locations" in result else {}
    return {
        "associatedRule": rule,
        "level": result["level"],
        "message": result["message"],
        **location,
    }


def _uri(source: str) -> str:
    """Return the URI of a URL or a path; characters that a URI excludes are percent-encoded."""
    if source.lower().startswith(("http://", "https://")):
        scheme, authority, rest = split_origin(source)
        rest = quote(_LONE_PERCENT.sub("%25", rest), safe="%/?#:@!$&'()*+,;=")
        return f"{scheme}://{quote(authority, safe='%:@!$&*+,;=[]')}{rest}"
    return Path(source).as_uri() if os.path.isabs(source) else quote(source.replace(os.sep, "/"))

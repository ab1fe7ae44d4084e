"""Reports held against schemas of our own: of SARIF 2.1.0 and of JUnit's XML.

They are narrower than the standards: what urlset does not write, they refuse.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from lxml import etree

from urlset.checker import Finding
from urlset.reader import DocumentRecord
from urlset.reporter import report_junit, report_sarif

__all__ = ["JUNIT", "SARIF", "junit_of", "sarif_of"]

SCHEMAS = Path(__file__).parent / "schemas"
SARIF = Draft202012Validator(json.loads((SCHEMAS / "sarif.json").read_text(encoding="utf-8")))
JUNIT = etree.XMLSchema(etree.parse(str(SCHEMAS / "junit.xsd")))


def sarif_of(findings: Iterable[Finding]) -> dict[str, Any]:
    """A report of findings, after it was held against the schema and what no schema can say."""
    log: dict[str, Any] = json.loads("".join(report_sarif(findings, version="1.0")))
    SARIF.validate(log)
    [run] = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(ids)) == len(ids)
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
    return log


def junit_of(findings: Iterable[Finding], documents: Sequence[DocumentRecord] = ()) -> Any:
    """The root of a report, likewise."""
    root = etree.fromstring("\n".join(report_junit(findings, documents)).encode())
    JUNIT.assertValid(root)
    for suite in root:
        assert int(suite.get("tests")) == len(suite)
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    return root

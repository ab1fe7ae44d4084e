"""Reports are valid by the schemas of SARIF 2.1.0 and JUnit XML."""

import os
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.reporter.report_schemas import JUNIT, SARIF, junit_of, sarif_of
from urlset.checker import check
from urlset.reporter import report_junit

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202e\u200b\ufeff\u2028\x7f\ufffe\uffff\U0001ffff]]>&<!--\"'東京"
SITE: dict[str, bytes] = {
    "https://example.com/robots.txt": b"Sitemap: /a.xml\nDisallow\nSitemap:/\xff.xml\n",
    "https://example.com/a.xml": b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://other.example/?a=1&b</loc><lastmod>2099-01-01</lastmod></url>
<url><loc>https://example.com/\xf0\x9f\xa6\x80</loc><priority>9</priority></url>
</urlset>""",
    "https://example.com/b c/ü[1].xml?a=%zz#f": b"<urlset><url/></urlset>",
}


def test_reports_of_a_site():
    findings = check(SITE)

    [run] = sarif_of(findings)["runs"]

    assert len(run["results"]) == findings.count > 10
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    uris = {place["artifactLocation"]["uri"] for place in places}
    assert "https://example.com/b%20c/%C3%BC%5B1%5D.xml?a=%25zz#f" in uris
    assert any("region" not in place for place in places)
    assert len(junit_of(findings, findings.documents)) == 3


def test_reports_of_hostile_text(tmp_path):
    path = tmp_path / "a\x1b[31m\uffff 東:%.txt"
    path.write_bytes(f"https://example.com/\n{HOSTILE}\n".encode())
    findings = check(path)

    [run] = sarif_of(findings)["runs"]

    assert any(HOSTILE[:6] in result["message"]["text"] for result in run["results"])
    [suite] = junit_of(findings)
    assert "\\x1b[31m\\uffff 東:%.txt" in suite.get("name")


def test_reports_of_a_name_that_is_no_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"a\xff.txt")
    try:
        Path(name).write_bytes(b"x\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    findings = check(Path(name))

    [run] = sarif_of(findings)["runs"]

    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%ff.txt"
    assert junit_of(findings, findings.documents) is not None


def test_reports_of_bytes_have_no_place():
    findings = check(b"<urlset/>")

    [run] = sarif_of(findings)["runs"]

    assert run["results"]
    assert not any("locations" in result for result in run["results"])


def test_reports_of_nothing():
    findings = check(SITE, select=["U019"])

    assert sarif_of(findings)["runs"][0]["results"] == []
    assert len(junit_of(findings, findings.documents)) == len(SITE) - 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), "2.0"),
        (("runs", 0, "columnKind"), "bytes"),
        (("runs", 0, "tool", "driver", "rules", 0, "defaultConfiguration", "level"), "info"),
        (("runs", 0, "tool", "driver", "rules", 0, "helpUri"), "no address"),
        (("runs", 0, "results", 0, "level"), "fatal"),
        (("runs", 0, "results", 0, "ruleIndex"), -1),
        (("runs", 0, "results", 0, "message"), "words"),
        (("runs", 0, "results", 0, "fixes"), []),
        (("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region"), {"startLine": 0}),
        (
            ("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region"),
            {"startLine": 1, "startColumn": None},
        ),
    ],
)
def test_schema_of_sarif_refuses(path, value):
    log: Any = sarif_of(check(SITE))
    within = log
    for step in path[:-1]:
        within = within[step]
    within[path[-1]] = value

    assert not SARIF.is_valid(log)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('errors="0"', ""),
        ('tests="', 'tests="-'),
        ("<failure ", "<problem "),
        ('type="error"', 'type="fatal"'),
        ("<testcase ", '<testcase time="1" '),
    ],
)
def test_schema_of_junit_refuses(old, new):
    text = "\n".join(report_junit(check(SITE, select=["U028"])))
    assert JUNIT.validate(etree.fromstring(text.encode()))
    assert old in text

    changed = text.replace(old, new)
    if new == "<problem ":
        changed = changed.replace("</failure>", "</problem>")

    assert not JUNIT.validate(etree.fromstring(changed.encode()))

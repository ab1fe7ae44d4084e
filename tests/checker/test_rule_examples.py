"""Run the documentation examples of every rule: the bad and the good one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest

from tests.example_site import answered_check, audit_findings, is_answered
from tests.reporter.report_schemas import junit_of, sarif_of
from urlset.checker import CATALOGUE, Finding, Rule, check
from urlset.checker.examples import Example, documents_of

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)

BESIDE = {"L009": {"L002"}, "I006": {"I503"}, "N007": {"X019"}}
"""Errors that a rule cannot do without: what is cut for its size is too large, too."""

# The scope puts the tests of a rule next to each other, so that one process runs its bad example.
# Whichever of them is the first visits the site of a live rule.
ALL = pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, id=code, marks=[pytest.mark.slow] if rule.is_live else [])
        for code, rule in CATALOGUE.items()
    ],
    scope="module",
)


@cache
def found_in_bad(rule: Rule) -> list[Finding]:
    """What is found in the bad example of a rule; several tests look at it."""
    return found(rule.page.bad, rule)


def found(example: Example, rule: Rule) -> list[Finding]:
    """What the rules that are on by default, and this one, find in an example."""
    profile = next(iter(sorted(rule.profiles)), None)
    if rule.is_live:
        return audit_findings(example, rule, moment=MOMENT)
    if is_answered(example):
        return list(answered_check(example, moment=MOMENT))
    return list(
        check(
            documents_of(example),
            extend_select=[rule.code],
            profile=profile,
            now=MOMENT,
        )
    )


@ALL
def test_the_bad_example_is_caught_by_its_rule_and_by_no_other_error(rule: Rule) -> None:
    findings = found_in_bad(rule)
    assert rule.code in [finding.code for finding in findings]
    expected = {rule.code, *BESIDE.get(rule.code, ())}
    others = [f for f in findings if f.code not in expected and f.level == "error"]
    assert others == []


@ALL
def test_the_good_example_is_clean(rule: Rule) -> None:
    assert found(rule.page.good, rule) == []


@ALL
def test_findings_make_reports_that_are_valid(rule: Rule) -> None:
    findings = found_in_bad(rule)

    [run] = sarif_of(findings)["runs"]

    assert [result["ruleId"] for result in run["results"]] == [f.code for f in findings]
    assert junit_of(findings).xpath(f"//testcase[starts-with(@name, '{rule.code} ')]")


@ALL
def test_a_finding_says_what_was_found_and_has_the_name_of_its_rule(rule: Rule) -> None:
    own = [finding for finding in found_in_bad(rule) if finding.code == rule.code]
    for finding in own:
        assert finding.rule == rule.name
        assert finding.message
        assert "{" not in finding.message or "{" not in rule.message.replace("{}", "")
        assert "\n" not in finding.message
        assert finding.source is not None


@ALL
def test_a_page_is_whole(rule: Rule) -> None:
    page = rule.page
    assert page.why.rstrip().endswith(".")
    assert page.fix_hint
    assert not page.fix_hint.endswith(".")
    assert page.source
    assert rule.name == rule.name.lower()
    assert rule.code[0] in "XSTFUDLIHGPRNM"


def test_names_and_codes_are_given_once() -> None:
    names = [rule.name for rule in CATALOGUE.values()]
    assert len(set(names)) == len(names)

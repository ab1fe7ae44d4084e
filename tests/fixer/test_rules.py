"""Fixable rules: the bad example of each page is fixed, and the good one is unchanged."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checker import CATALOGUE, Rule, check
from urlset.checker.examples import documents_of
from urlset.checker.rule import FIX_SAFETY
from urlset.fixer import Fixed, fix
from urlset.fixer.registry import CONTAINER_RULES, FIXERS, ROBOTS_RULES, SPLIT_RULES

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
FIXABLE = {*FIXERS, *ROBOTS_RULES, *SPLIT_RULES, *CONTAINER_RULES}

# Rules whose examples can be fixed only in part, or need facts that are not in the example.
NOT_IN_EXAMPLE = {
    "L008": "a URL that is too long for an engine cannot be made shorter",
    "D503": "the file that the index of the example lists does not exist",
    "H008": "nothing in the example shows the language of the page",
    "F002": "the item of the example has no id that is a URL",
}

# Rules with several repairs, of which the example wants one that loses a value.
IN_PART = {
    "D001": "its example is a date that nobody can read",
    "F003": "its example is a date without a zone",
    "H006": "its example is a region that there is not",
    "S019": "its example is a word that there is not",
    "G031": "its example is a platform that there is not",
}

DECLARED = [rule for rule in CATALOGUE.values() if rule.fix_safety != "none"]
OF_ENGINE = [rule for rule in DECLARED if rule.is_engine_rule]
ALL = pytest.mark.parametrize("rule", DECLARED, ids=lambda rule: rule.code)


SAFE = [rule for rule in DECLARED if rule.fix_safety == "safe"]


def fix_documents(
    documents: dict[str, bytes], rule: Rule, *, unsafe: bool = True
) -> tuple[dict[str, bytes], Fixed]:
    """Documents after the fixes of one rule, and what was done."""
    fixed = fix(
        documents,
        select=[rule.code],
        unsafe=unsafe,
        now=MOMENT,
        profile=next(iter(sorted(rule.profiles)), None),
    )
    return documents | {str(d.key): d.after for d in fixed.documents}, fixed


def codes(documents: dict[str, bytes], rule: Rule) -> list[str]:
    profile = next(iter(sorted(rule.profiles)), None)
    found = check(documents, select=[rule.code], now=MOMENT, profile=profile)
    return [finding.code for finding in found]


@ALL
def test_every_fixable_rule_has_a_fixer(rule: Rule) -> None:
    assert rule.code in FIXABLE


@ALL
def test_the_bad_example_is_fixed(rule: Rule) -> None:
    """Once a rule finds nothing, a second fix has nothing to begin with."""
    if rule.code in NOT_IN_EXAMPLE:
        pytest.skip("not by a program")

    after, fixed = fix_documents(documents_of(rule.page.bad), rule)

    assert codes(after, rule) == [], fixed.remaining


@pytest.mark.parametrize("rule", SAFE, ids=lambda rule: rule.code)
def test_a_safe_fix_drops_nothing_but_white_space_and_comments(rule: Rule) -> None:
    after, fixed = fix_documents(documents_of(rule.page.bad), rule, unsafe=False)

    harmless = ("<!--", "comments and layout")
    assert [drop.what for drop in fixed.dropped if not drop.what.startswith(harmless)] == []
    if rule.code not in NOT_IN_EXAMPLE and rule.code not in IN_PART:
        assert codes(after, rule) == [], "its page says that --fix fixes it"


@pytest.mark.parametrize("rule", OF_ENGINE, ids=lambda rule: rule.code)
def test_a_second_fix_changes_nothing(rule: Rule) -> None:
    once, _ = fix_documents(documents_of(rule.page.bad), rule)
    twice, fixed = fix_documents(once, rule)
    assert twice == once
    assert not fixed.documents


@pytest.mark.parametrize("rule", OF_ENGINE, ids=lambda rule: rule.code)
def test_the_good_example_stays_as_it_is(rule: Rule) -> None:
    good = documents_of(rule.page.good)
    after, fixed = fix_documents(good, rule)
    assert after == good
    assert (fixed.documents, fixed.dropped, fixed.remaining) == ([], [], [])


def test_the_safety_of_fixes_is_of_rules_that_exist() -> None:
    assert FIX_SAFETY.keys() <= CATALOGUE.keys()


def test_a_fixer_is_for_a_rule_that_says_so() -> None:
    none = [c for c in FIXABLE if c in CATALOGUE and CATALOGUE[c].fix_safety == "none"]
    assert none == []

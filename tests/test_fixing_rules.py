"""Every rule that says it can be mended: its bad example is, and its good one is left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checker import CATALOGUE, Rule, check
from urlset.checker.examples import documents_of
from urlset.fixer import Fixed, fix
from urlset.fixer.container import CONTAINERS
from urlset.fixer.registry import ELSEWHERE, FIXERS
from urlset.fixer.split import SPLITS

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
MENDED = {*FIXERS, *ELSEWHERE, *SPLITS, *CONTAINERS}

# Their examples are of what can only be mended in part, or where more has to be known.
NOT_IN_EXAMPLE = {
    "L008": "a URL that is too long for an engine cannot be made shorter",
    "D503": "nothing is known of the file that the index of the example lists",
    "H008": "nothing in the example tells the language of the page",
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


def mended(
    documents: dict[str, bytes], rule: Rule, *, unsafe: bool = True
) -> tuple[dict[str, bytes], Fixed]:
    """Documents after the fixes of one rule, and what was done."""
    fixed = fix(
        documents,
        select=[rule.code],
        unsafe=unsafe,
        moment=MOMENT,
        profile=next(iter(sorted(rule.profiles)), None),
    )
    return documents | {str(d.key): d.after for d in fixed.documents}, fixed


def codes(documents: dict[str, bytes], rule: Rule) -> list[str]:
    profile = next(iter(sorted(rule.profiles)), None)
    found = check(documents, select=[rule.code], moment=MOMENT, profile=profile)
    return [finding.code for finding in found]


@ALL
def test_every_rule_that_says_so_is_mended(rule: Rule) -> None:
    assert rule.code in MENDED


@ALL
def test_the_bad_example_is_mended(rule: Rule) -> None:
    """Once a rule finds nothing, a second fix has nothing to begin with."""
    if rule.code in NOT_IN_EXAMPLE:
        pytest.skip("not by a program")

    after, fixed = mended(documents_of(rule.page.bad), rule)

    assert codes(after, rule) == [], fixed.left


@pytest.mark.parametrize("rule", SAFE, ids=lambda rule: rule.code)
def test_a_safe_fix_drops_nothing_but_white_space_and_comments(rule: Rule) -> None:
    after, fixed = mended(documents_of(rule.page.bad), rule, unsafe=False)

    harmless = ("<!--", "comments, and how it was laid out")
    assert [drop.what for drop in fixed.dropped if not drop.what.startswith(harmless)] == []
    if rule.code not in NOT_IN_EXAMPLE and rule.code not in IN_PART:
        assert codes(after, rule) == [], "its page says that --fix mends it"


@pytest.mark.parametrize("rule", OF_ENGINE, ids=lambda rule: rule.code)
def test_a_second_fix_changes_nothing(rule: Rule) -> None:
    once, _ = mended(documents_of(rule.page.bad), rule)
    twice, fixed = mended(once, rule)
    assert twice == once
    assert not fixed.documents


@pytest.mark.parametrize("rule", OF_ENGINE, ids=lambda rule: rule.code)
def test_the_good_example_stays_as_it_is(rule: Rule) -> None:
    good = documents_of(rule.page.good)
    after, fixed = mended(good, rule)
    assert after == good
    assert (fixed.documents, fixed.dropped, fixed.left) == ([], [], [])


def test_a_fixer_is_for_a_rule_that_says_so() -> None:
    none = [c for c in MENDED if c in CATALOGUE and CATALOGUE[c].fix_safety == "none"]
    assert none == []

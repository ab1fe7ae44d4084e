"""Every rule that says it can be mended: its bad example is, and its good one is left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checker import CATALOGUE, Rule, check
from urlset.checker.examples import documents_of
from urlset.checker.fixing import Fixed, fix
from urlset.checker.fixing.registering import ELSEWHERE, FIXERS
from urlset.checker.fixing.splitting import SPLITS
from urlset.checker.fixing.unpacking import CONTAINERS

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
MENDED = {*FIXERS, *ELSEWHERE, *SPLITS, *CONTAINERS}

# What no edit of a file can mend, though the catalogue has a fix: why.
BY_HAND = {
    "P004": "a packed file has another name, which everything that lists it would have to know",
    "R005": "which host is the right one, its owner knows",
    "S014": "what is mixed has to be two files, of which nobody knows the second's name",
    "U026": "a sitemap of another host has to lie on that host",
    "H501": "the entry that lacks the link may be in a file of somebody else",
    "H502": "whether a page is there, only its server knows",
    "H503": "which of the links are right, only the pages tell",
    "I504": "a file that nothing lists may be there to be forgotten",
    "P501": "which files belong together, only who writes them knows",
    "P503": "which pages are to be listed, only who writes the sitemap knows",
}
# Their examples are of what can only be mended in part, or where more has to be known.
NOT_IN_EXAMPLE = {
    "L008": "a URL that is too long for an engine cannot be made shorter",
    "D503": "nothing is known of the file that the index of the example lists",
    "H008": "nothing in the example tells the language of the page",
    "F002": "the item of the example has no id that is a URL",
}

DECLARED = [rule for rule in CATALOGUE.values() if rule.fixing != "none"]
OF_ENGINE = [rule for rule in DECLARED if rule.is_of_engine]
ALL = pytest.mark.parametrize("rule", DECLARED, ids=lambda rule: rule.code)


def mended(documents: dict[str, bytes], rule: Rule) -> tuple[dict[str, bytes], Fixed]:
    """Documents after the fixes of one rule, and what was done."""
    fixed = fix(
        documents,
        select=[rule.code],
        unsafe=True,
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
    assert rule.code in MENDED or rule.code in BY_HAND


@ALL
def test_the_bad_example_is_mended(rule: Rule) -> None:
    """Once a rule finds nothing, a second fix has nothing to begin with."""
    if rule.code in BY_HAND or rule.code in NOT_IN_EXAMPLE:
        pytest.skip("not by a program")

    after, fixed = mended(documents_of(rule.page.bad), rule)

    assert codes(after, rule) == [], fixed.left


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
    none = [c for c in MENDED if c in CATALOGUE and CATALOGUE[c].fixing == "none"]
    assert none == []

"""Valid but unusual inputs: no rule reports an error or a warning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape

import pytest

from urlset.checker import CATALOGUE, Finding, check
from urlset.checker.examples import documents_of, entry
from urlset.checker.silent_examples import SILENT, Silent
from urlset.fixer import fix

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TOGETHER = ("loc", "lastmod", "hreflang", "entry", "image", "video", "news")
"""Tables whose inputs are entries: checked in one document, so that it takes no minutes."""


def checks() -> Iterator[tuple[str, list[Silent]]]:
    groups: dict[str, list[Silent]] = defaultdict(list)
    for silent in SILENT:
        if silent.table in TOGETHER:
            groups[silent.table].append(silent)
    yield from groups.items()
    for number, silent in enumerate(SILENT):
        if silent.table not in TOGETHER:
            yield f"{silent.code}-{number}", [silent]


CHECKS = dict(checks())


@pytest.mark.parametrize("name", CHECKS)
def test_valid_input_earns_no_error_no_warning_and_no_remark_of_its_rule(name: str) -> None:
    its = CHECKS[name]
    is_alone = its[0].table not in TOGETHER
    example = its[0].example if is_alone else "".join(str(one.example) for one in its)
    codes = {one.code for one in its}

    findings = check(
        documents_of(example),
        now=MOMENT,
        extend_select=sorted(codes),
        ignore=[] if is_alone else ["D009"],  # entries that stand together share a date
    )

    loud = [f for f in findings if f.level != "info" or f.code in own_codes(f, its)]
    assert [(f.code, f.loc, f.message) for f in loud] == []


def own_codes(finding: Finding, its: list[Silent]) -> set[str]:
    """The rules of the inputs that a finding is about."""
    if len(its) == 1:
        return {its[0].code}
    tag = f"<loc>{finding.loc}</loc>"
    return {one.code for one in its if tag in unescape(str(one.example))}


def test_there_are_some_three_hundred_inputs_of_rules_that_exist() -> None:
    assert len(SILENT) >= 280
    assert {silent.code for silent in SILENT} <= set(CATALOGUE)
    assert len({(silent.code, silent.table, silent.text) for silent in SILENT}) == len(SILENT)


STRUCTURAL = "XSLN"
"""Groups about bytes, form, sizes and fetching: what is no such thing is silent by its form."""


def test_rules_that_judge_values_have_an_input_for_which_they_are_silent() -> None:
    known = {silent.code for silent in SILENT}
    judging = {code for code in CATALOGUE if code[0] not in STRUCTURAL}
    assert judging - known == set(WITHOUT)


WITHOUT = {
    "I005": "the index is empty",
    "G057": "the element is there",
    "P001": "the element is there",
    "P002": "all of at least ten values are the same",
    "P004": "the file is large and not packed",
    "R006": "the file is large",
    "R015": "the server does not answer",
    "P502": "fewer URLs than at the audit before",
    "P503": "no sitemap lists the page",
    "P504": "no page links to it",
    "R014": "the file of a key that is given",
    "M007": "the server decides; the decoys of examples/box have it",
    "M008": "the server decides; the decoys of examples/box have it",
    "M009": "the page decides; the decoys of examples/box have it",
    "M010": "no sitemap lists the page",
}
"""Rules among the others about form, repetition or size, and all that they look at: a document that
is not so is no odd input."""


def test_the_fix_of_a_stale_index_writes_no_moment_that_nobody_said() -> None:
    documents = documents_of(
        {
            "index.xml": "<sitemap><loc>https://example.com/a.xml</loc>"
            "<lastmod>2026-11-10</lastmod></sitemap>",
            "a.xml": entry("https://example.com/", lastmod="2026-11-20"),
        }
    )

    fixed = fix(documents, select=["D501"], now=MOMENT)

    [document] = fixed.documents
    assert b"<lastmod>2026-11-20</lastmod>" in document.after


def test_a_variant_of_a_language_that_nobody_registered_is_an_error() -> None:
    links = '<xhtml:link rel="alternate" hreflang="ca-valenciaa" href="https://example.com/ca"/>'

    found = check(documents_of(entry("https://example.com/ca", links)), select=["H006"])

    assert [finding.code for finding in found] == ["H006"]


@pytest.mark.parametrize(
    ("index", "page", "is_stale"),
    [
        ("2026-11-18", "2026-11-20", True),
        ("2026-11-19T08:00:00Z", "2026-11-20", True),
        ("2026-11-19T12:00:00Z", "2026-11-20", False),  # the day has begun on Kiritimati
        ("2026-11-19", "2026-11-20T12:00:01Z", False),  # the day before has not ended on Baker
        ("2026-11-19", "2026-11-20T12:02:00Z", True),
        ("2026-11-19+09:00", "2026-11-19T16:00:00Z", True),
        ("2026", "2026-11-20", False),
    ],
)
def test_dates_are_compared_by_their_precision(index: str, page: str, is_stale: bool) -> None:
    documents = documents_of(
        {
            "index.xml": "<sitemap><loc>https://example.com/a.xml</loc>"
            f"<lastmod>{index}</lastmod></sitemap>",
            "a.xml": entry("https://example.com/", lastmod=page),
        }
    )

    assert bool(check(documents, select=["D501"], now=MOMENT).count) is is_stale


@pytest.mark.parametrize(
    ("first", "second", "differs"),
    [
        ("2026-11-20", "2026-11-19T20:00:00Z", False),
        ("2026-11-20", "2026-11-18T20:00:00Z", True),
        ("2026-11-20", "2026-11-21", True),
        ("2026-11-20T09:00:00+01:00", "2026-11-20T08:00:00Z", False),
    ],
)
@pytest.mark.parametrize("code", ["U024", "U502"])
def test_dates_of_one_page_are_compared_by_their_precision(
    code: str, first: str, second: str, differs: bool
) -> None:
    home = "https://example.com/"
    if code == "U502":
        documents = documents_of(
            {"a.xml": entry(home, lastmod=first), "b.xml": entry(home, lastmod=second)}
        )
    else:
        documents = documents_of(entry(home, lastmod=first) + entry(home, lastmod=second))

    assert bool(check(documents, select=[code], now=MOMENT).count) is differs


def test_hosts_that_are_not_the_same_in_ascii_are_distinguished() -> None:
    documents = documents_of(
        {"https://xn--bcher-kva.example/sitemap.xml": entry("https://bûcher.example/")}
    )

    found = check(documents, select=["U028", "U009"])

    assert [finding.code for finding in found] == ["U009", "U028"]
    assert "bûcher.example" in next(iter(found)).message

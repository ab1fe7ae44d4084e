"""Valid but odd inputs: no rule may call them an error or a warning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape

import pytest

from urlset.checker import CATALOGUE, Finding, check
from urlset.checker.examples import documents_of
from urlset.checker.silent import SILENT, Silent

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
        moment=MOMENT,
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

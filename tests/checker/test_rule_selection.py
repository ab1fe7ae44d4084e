"""Selection of rules by names, and by patterns of the paths of documents."""

from __future__ import annotations

import pytest

from tests.cpu_time import growth
from urlset.checker import CATALOGUE
from urlset.checker.rule_selection import selector
from urlset.cli import main


def test_thousands_of_names_of_rules_take_little_time():
    def select(count: int) -> None:
        selector(["U001", "u001 "] * count, ["U002"] * count)

    assert growth(select, 1_000, 16_000) < 100  # 16 times as long; quadratic is 256


def test_a_name_is_as_long_as_it_is_in_each_spelling():
    is_selected = selector(["U"], [" u00 "], ["U001"])

    found = [is_selected(CATALOGUE[code], None) for code in ("U001", "U002", "U012")]
    assert found == [True, False, True]


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [("old/*.xml", True), ("*.xml", True), ("a.xml", True), ("ld/a.xml", False), ("a.x", False)],
)
def test_pattern_of_paths_matches_a_path_or_its_end(pattern, matched):
    is_selected = selector(None, ignore_in={pattern: ["U001"]})

    assert is_selected(CATALOGUE["U001"], "site/old/a.xml") is not matched
    assert is_selected(CATALOGUE["U001"], None)


def test_the_longest_of_several_patterns_of_paths_counts():
    is_selected = selector(["U001"], ignore_in={"a/*": ["U001"], "*.xml": ["U"]})

    assert [is_selected(CATALOGUE["U001"], path) for path in ("a/b", "b.xml")] == [False, True]


def test_more_than_a_thousand_patterns_of_paths_are_refused():
    with pytest.raises(ValueError, match="expected at most 1,000 patterns of paths, found 1,001"):
        selector(None, ignore_in={f"{n}/*": ["U001"] for n in range(1_001)})


def test_long_patterns_of_paths_are_refused():
    with pytest.raises(ValueError, match="at most 100,000 characters in patterns of paths"):
        selector(None, ignore_in={"*a" * 60_000: ["U001"]})


def test_a_live_rule_that_is_selected_twice_is_mentioned_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sitemap.txt").write_text("https://example.com/a\n")

    main(["check", "sitemap.txt", "--select", "U001,N102,N102"])

    assert capsys.readouterr().err.count("N102: not checked") == 1

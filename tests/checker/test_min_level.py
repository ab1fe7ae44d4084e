"""`min_level`: findings that are less severe are neither yielded nor counted."""

import json
from typing import Any

import pytest

import urlset
from tests.cli.test_commands import NS, command
from urlset.checker import LEVELS
from urlset.partitioned import check as check_in_parts
from urlset.partitioned import plan

VIDEO = (
    "<video:video><video:thumbnail_loc>https://e.com/{0}.jpg</video:thumbnail_loc>"
    "<video:title>{1}</video:title><video:description>{2}</video:description>"
    "<video:content_loc>https://e.com/{0}.mp4</video:content_loc>"
    "<video:family_friendly>perhaps</video:family_friendly></video:video>"
)
DOCUMENT = (
    f'<urlset {NS} xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">'
    "<url><loc>https://e.com/?a&b</loc></url><url><loc>https://e.com/a b</loc></url>"
    f"<url><loc>https://e.com/1</loc>{VIDEO.format(1, 't' * 200, 'd')}</url>"
    f"<url><loc>https://e.com/2</loc>{VIDEO.format(2, 't', 'd' * 3000)}</url></urlset>"
).encode()


@pytest.mark.parametrize("level", LEVELS)
def test_findings_and_counts_are_those_of_the_level_or_worse(level):
    worse = LEVELS[: LEVELS.index(level) + 1]
    everything = urlset.check(DOCUMENT)
    expected = [finding for finding in everything if finding.level in worse]
    found = urlset.check(DOCUMENT, min_level=level)

    assert {finding.level for finding in everything} == {*LEVELS}
    assert [*found] == expected
    assert found.count == len(expected)
    assert {name for name, count in found.by_level.items() if count} == {*worse}
    assert not found.unlisted


def test_a_rule_with_several_levels_is_limited_by_the_level_of_each_finding():
    by_level = {
        level: [
            finding.line for finding in urlset.check(DOCUMENT, min_level=level, select=["G033"])
        ]
        for level in ("error", "info")
    }
    assert len(by_level["error"]) < len(by_level["info"])


def test_findings_beyond_those_that_are_yielded_are_limited_too():
    rows = (f"<url><loc>https://e.com/a b{number}</loc></url>" for number in range(10_500))
    document = f"<urlset {NS}>{''.join(rows)}</urlset>".encode()
    full = urlset.check(document)
    assert full.by_level["error"] > 10_000
    assert sum(full.omitted.values()) > 0

    found = urlset.check(document, min_level="error")
    assert found.by_level == {"error": full.by_level["error"], "warning": 0, "info": 0}
    assert {code for code, count in found.omitted.items() if count} <= {*found.by_rule}


def test_errors_are_listed_if_the_same_rule_found_10_000_others_before_them():
    warnings = [f"https://e.com/a{number}?x=undefined" for number in range(10_100)]
    errors = [f"https://e.com/b{number}/{{slug}}" for number in range(50)]
    document = "\n".join([*warnings, *errors]).encode()

    found = urlset.check(document, min_level="error", select=["U019"])

    assert [finding.level for finding in found] == ["error"] * 50
    assert (found.count, found.omitted, +found.unlisted) == (50, {}, {})


def test_another_text_is_no_level():
    level: Any = None
    with pytest.raises(ValueError, match="expected a level"):
        urlset.check(DOCUMENT, min_level=level)


@pytest.mark.parametrize("level", LEVELS)
def test_a_check_in_parts_has_the_same_limit(tmp_path, level):
    (tmp_path / "a.xml").write_bytes(DOCUMENT)
    (tmp_path / "b.txt").write_text("https://e.com/?a&b\nhttps://e.com/1\n")
    parts = plan(str(tmp_path), part_bytes=1)
    found = [
        pair
        for batch in check_in_parts(parts, min_level=level)
        for pair in zip(*(batch.column(n).to_pylist() for n in ("code", "level")), strict=True)
    ]
    whole = urlset.check(tmp_path, min_level=level)
    assert sorted(found) == sorted((finding.code, finding.level) for finding in whole)


def test_the_command_prints_and_counts_these_findings(capsys, monkeypatch, tmp_path):
    run = command(capsys, monkeypatch, tmp_path)
    (tmp_path / "a.xml").write_bytes(f"<urlset {NS}></urlset>".encode())  # a warning
    (tmp_path / "urlset.toml").write_text('[check]\nfail-level = "info"\n')

    everything = run("check", "a.xml", "--format", "json")
    errors = run("check", "a.xml", "--format", "json", "--min-level", "error")

    assert {f["level"] for f in json.loads(everything.out)["findings"]} >= {"warning"}
    assert json.loads(errors.out)["findings"] == []
    assert (everything.code, errors.code) == (1, 0)


def test_fixes_are_not_limited(capsys, monkeypatch, tmp_path):
    run = command(capsys, monkeypatch, tmp_path)
    url = "<url><loc>https://e.com:443/a</loc></url>"  # a default port: info
    (tmp_path / "a.xml").write_text(f"<urlset {NS}>{url}</urlset>")
    assert {finding.level for finding in urlset.check(tmp_path / "a.xml", select=["U014"])} == {
        "info"
    }

    run("check", "a.xml", "--fix", "--min-level", "error")

    assert "https://e.com/a" in (tmp_path / "a.xml").read_text()

"""Configuration files: search, keys and types, and the precedence of options."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest

from urlset import config
from urlset.cli.app import run
from urlset.cli.check_run import CheckConfig
from urlset.config import load_config
from urlset.errors import ConfigurationError
from urlset.formats.detect import SourceKind

WHOLE = """
[check]
select = ["X", "U012,D"]
ignore = ["D011"]
extend-select = ["U004"]
profile = "yandex"
base-url = "https://example.com/"
fail-level = "warning"
max-examples = 0
baseline = "known.json"

[check.levels]
loc-fragment = "error"

[check.per-path-ignores]
"old/*.xml" = ["X", "D"]

[[check.rules]]
name = "no-preview"
message = "{loc} is a preview"
view = "urls"
where = "host LIKE '%.preview.example.com'"
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


def test_there_need_be_none():
    settings = CheckConfig.load(None, {})

    assert settings.options == {}
    assert (settings.fail_level, settings.max_examples, settings.baseline) == ("error", 20, None)


def test_all_that_it_may_hold(tmp_path: Path):
    (tmp_path / "urlset.toml").write_text(WHOLE)

    settings = CheckConfig.load(None, {})

    options = settings.options
    assert options["select"] == ["X", "U012", "D"]
    assert (options["ignore"], options["extend_select"]) == (["D011"], ["U004"])
    assert (options["profile"], options["base_url"]) == ("yandex", "https://example.com/")
    assert (settings.fail_level, settings.max_examples) == ("warning", None)
    assert settings.baseline == Path("known.json")
    assert options["levels"] == {"loc-fragment": "error"}
    assert options["ignore_in"] == {"old/*.xml": ["X", "D"]}
    assert [rule.name for rule in options["rules"]] == ["no-preview"]


def test_options_come_before_it(tmp_path: Path):
    (tmp_path / "urlset.toml").write_text(WHOLE)

    settings = CheckConfig.load(
        None,
        {
            "select": ["S"],
            "fail_level": "info",
            "max_examples": 3,
            "baseline": Path("other.json"),
        },
    )

    assert (settings.options["select"], settings.options["ignore"]) == (["S"], ["D011"])
    assert (settings.fail_level, settings.max_examples) == ("info", 3)
    assert settings.baseline == Path("other.json")


def test_it_is_looked_for_upwards_to_the_root_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.urlset.check]\nprofile = 'bing'\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # not of ours
    monkeypatch.chdir(inner)

    assert CheckConfig.load(None, {}).options["profile"] == "bing"

    (tmp_path / "a" / ".git").mkdir()
    assert load_config().path is None


def test_a_named_one_may_lie_anywhere(tmp_path: Path):
    path = tmp_path / "else.toml"
    path.write_text("[check]\nprofile = 'baidu'\n")

    assert CheckConfig.load(path, {}).options["profile"] == "baidu"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[check", "expected TOML"),
        ("[check]\nselct = []", "did you mean 'select'"),
        ("[check]\nselect = 'X'", "expected a list, found 'X'"),
        ("[check]\nselect = {}", "expected a list, found {}"),
        ("[check]\nmax-examples = {}", "expected a number of at least 0, found {}"),
        ("[check]\nselect = [1]", "[check] select[1]: expected a string, found 1"),
        ("[check]\nmax-examples = true", "expected a number of at least 0, found True"),
        ("[check]\nprofile = 'gogle'", "expected google, bing, yandex, baidu, found 'gogle'"),
        ("[check]\nfail-level = 'none'", "fail-level: expected error, warning, info"),
        ("[check.levels]\nX001 = 'bad'", "levels.X001: expected error, warning, info, found 'bad'"),
        ("[[check.rules]]\nname = 'a'", "rules[1]: message is missing"),
        ("check = 3", "expected a table, found 3"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, text: str, words: str):
    (tmp_path / "urlset.toml").write_text(text)

    with pytest.raises(ConfigurationError) as caught:
        CheckConfig.load(None, {})

    assert words in str(caught.value)
    assert "urlset.toml" in str(caught.value)


def test_a_named_one_that_is_not_there(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="found none at"):
        CheckConfig.load(tmp_path / "none.toml", {})


# ── sections, and owners ──


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[buid]\nsources = ['a']", "unknown section [buid]; did you mean 'build'?"),
        ("[[rules]]\nname = 'x'", "unknown section [rules]; expected build, check"),
        ("[tool.urlset.check]\nignore = ['X']", "unknown section [tool]"),
        ("sources = ['a.txt']\n[build]\n", "the key 'sources' is outside of a section"),
        ("ignore = []", "the key 'ignore' is outside of a section; move it below [build] or"),
        ("check = true", "[check]: expected a table, found True"),
        ("[audit]\nignore = ['X']", "[audit]; audit reads [check]; expected build, check, diff"),
    ],
)
def test_keys_and_sections_that_are_not_known_are_errors(text, words, tmp_path):
    path = tmp_path / "urlset.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_config(start=tmp_path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_section_of_a_project_file_that_is_not_known_is_an_error(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.black]\n[tool.urlset.chekc]\nignore = ['X']\n")

    with pytest.raises(
        ConfigurationError, match=r"unknown section \[tool\.urlset\.chekc\].*did you mean 'check'"
    ):
        load_config(start=tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ignore = ['X']", "is outside of a section; move it below [tool.urlset.build] or"),
        ("[tool.urlset.check]\nignroe = ['X']", "[tool.urlset.check] has no key 'ignroe'; did"),
        ("[tool.urlset.check]\nignore = 1", "[tool.urlset.check] ignore: expected a list"),
        ("[tool.urlset.audit]\nignore = ['X']", "audit reads [tool.urlset.check]; expected"),
    ],
)
def test_messages_name_the_sections_of_a_project_file_in_full(text, words, tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.urlset]\n{text}\n")

    with pytest.raises(ConfigurationError) as caught:
        load_config(path).check  # noqa: B018 - reads the section

    assert words in str(caught.value)


def owners(monkeypatch: pytest.MonkeyPatch, **numbers: int) -> None:
    """Have files and folders of these names belong to users of these numbers."""
    mine = os.geteuid()
    monkeypatch.setattr(
        config, "_owners", lambda path: {numbers.get(path.name.partition(".")[0], mine)}
    )


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no such owners")
def test_file_of_another_user_above_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "urlset.toml").write_text("[check]\nignore = ['X']\n")
    (tmp_path / "here").mkdir()
    assert load_config(start=tmp_path / "here").path == tmp_path / "urlset.toml"

    owners(monkeypatch, urlset=4321)
    found = load_config(start=tmp_path / "here")
    assert (found.path, found.table) == (None, {})
    assert "is not read: it belongs to another user" in found.notes[0]
    assert f"use load_config({str(tmp_path / 'urlset.toml')!r})" in found.notes[0]
    assert load_config(start=tmp_path).path is None  # e.g. in /tmp
    named = load_config(str(tmp_path / "urlset.toml"))
    assert named.table == {"check": {"ignore": ["X"]}}

    owners(monkeypatch, urlset=4321, here=4321)  # a checkout of another user, as in a container
    assert load_config(start=tmp_path / "here").path == tmp_path / "urlset.toml"
    owners(monkeypatch, urlset=0)
    assert load_config(start=tmp_path / "here").path == tmp_path / "urlset.toml"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no such owners")
def test_sections_that_lead_to_requests_are_read_from_own_files_only(tmp_path, monkeypatch):
    text = "[check]\nignore = ['X']\n[submit]\nendpoints = ['https://evil.example/']\n[diff]\n"
    (tmp_path / "urlset.toml").write_text(text)
    assert load_config(start=tmp_path).submit["endpoints"] == ["https://evil.example/"]

    owners(monkeypatch, urlset=4321, **{tmp_path.name: 4321})
    found = load_config(start=tmp_path)
    assert found.table == {"check": {"ignore": ["X"]}}
    assert "[submit] and [diff]" in found.notes[0]
    assert "use load_config(" in found.notes[0]
    named = load_config(tmp_path / "urlset.toml")
    assert named.submit["endpoints"] == ["https://evil.example/"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no such owners")
def test_own_file_further_above_is_read_and_the_other_reported(tmp_path, monkeypatch, capsys):
    (tmp_path / "pyproject.toml").write_text("[tool.urlset.check]\nfail-level = 'info'\n")
    here = tmp_path / "other" / "here"
    here.mkdir(parents=True)
    (tmp_path / "other" / "urlset.toml").write_text("[check]\nprofile = 'bing'\n")
    (here / "a.txt").write_text("https://example.com/\n")
    owners(monkeypatch, urlset=4321)
    monkeypatch.chdir(here)

    assert load_config().path == tmp_path / "pyproject.toml"
    run(["check", "a.txt"])
    assert f"{tmp_path / 'other' / 'urlset.toml'} is not read" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no such owners")
def test_project_file_of_another_user_without_a_section_is_no_news(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("[tool.black]\n")
    owners(monkeypatch, pyproject=4321)

    assert load_config(start=tmp_path).notes == ()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('{path = "a.txt", kind = "cvs"}', "found 'cvs'; did you mean 'csv'?"),
        ('{path = "a.txt", kin = "csv"}', "has no key 'kin'; did you mean 'kind'?"),
        ('{kind = "csv"}', "[build] sources[1]: expected a path, found none"),
        ('"logs:a.txt"', "found 'logs'; did you mean 'log'?"),
    ],
)
def test_kind_of_a_source_that_is_not_known_is_an_error_with_all_kinds(
    source, words, tmp_path, capsys
):
    (tmp_path / "a.txt").write_text("https://example.com/\n")
    (tmp_path / "urlset.toml").write_text(f"[build]\noutput = 'out'\nsources = [{source}]\n")

    assert run(["build"]) == 2
    found = capsys.readouterr().err
    assert words in found
    if "found '" in words:
        assert ", ".join(get_args(SourceKind)) in found


def test_key_of_a_rule_that_is_not_known_is_an_error(tmp_path, capsys):
    rule = "name = 'x'\nmessage = 'x'\nview = 'urls'\nwher = 'true'\n"
    (tmp_path / "urlset.toml").write_text(f"[[check.rules]]\n{rule}")

    assert run(["check", "a.txt"]) == 2
    assert "unknown key 'wher'; did you mean 'where'?" in capsys.readouterr().err


@pytest.mark.parametrize(("value", "text"), [("100", "100"), ('"100"', "100"), ('"5%"', "5%")])
def test_a_limit_of_removed_urls_is_a_number_or_a_share(tmp_path, value, text):
    (tmp_path / "urlset.toml").write_text(f"[build]\nmax_removed = {value}\n".replace("_", "-"))

    assert load_config(start=tmp_path).build["max_removed"] == text

"""Each option is declared once: in Python, urlset.toml and on the command line it is the same."""

import inspect
import re
import sys
import typing
from pathlib import Path
from typing import Any, Literal, get_origin

import pytest

import urlset
import urlset.live.audit.settings
import urlset.live.crawl.options
import urlset.live.sync.settings
from urlset.cli.app import COMMANDS, run
from urlset.option_schema import Option, options_of

SCHEMAS = {command: options_of(command) for command in ("build", "check", "diff")}
ALL = [(command, option) for command, options in SCHEMAS.items() for option in options]
FUNCTIONS = (
    "audit", "build", "check", "crawl", "diff", "fix", "read", "render", "report", "submit",
    "sync", "watch", "write",
)  # fmt: skip
PYTHON = [
    (name, option)
    for name in FUNCTIONS
    for option in options_of(name)
    if option.is_allowed("python")
]
POSITIONAL = {
    "sources", "target", "source", "site", "before", "after", "entries", "updates", "store",
    "stores",
}  # fmt: skip
"""Parameters that may be given by their place; those of the command line are arguments."""


def label(value: object) -> str:
    return value.name if isinstance(value, Option) else str(value)


def parameters(command: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(getattr(urlset, command)).parameters)


@pytest.mark.parametrize("command", FUNCTIONS)
def test_python_has_the_declared_options_and_no_other(command):
    declared = {option.name for each, option in PYTHON if each == command}
    found = parameters(command)

    assert declared <= set(found)
    assert set(found) - declared <= POSITIONAL
    named = {name for name in found if found[name].kind is inspect.Parameter.KEYWORD_ONLY}
    assert named == declared - {"sources", "target"}


@pytest.mark.parametrize(("command", "option"), PYTHON, ids=label)
def test_default_in_python_is_the_declared_one(command, option):
    default = parameters(command)[option.name].default

    if option.name in ("sources", "target"):
        assert default is inspect.Parameter.empty
    else:
        assert default == option.default


@pytest.mark.parametrize(("command", "option"), PYTHON, ids=label)
def test_type_in_python_is_the_declared_one(command, option):
    if option.name not in ("sources", "target"):
        assert parameters(command)[option.name].annotation == option.parameter_type


@pytest.mark.parametrize(("command", "option"), PYTHON, ids=label)
def test_literals_have_the_declared_choices(command, option):
    """A name such as `IndexMode` in a signature stands for the choices of the declaration."""
    name = option.parameter_type.removesuffix(" | None")
    if option.choices and name != "str":
        module = sys.modules[getattr(urlset, command).__module__]
        assert typing.get_args(getattr(module, name)) == option.choices


@pytest.mark.parametrize("command", SCHEMAS)
def test_the_command_has_the_declared_options(command, capsys):
    assert run([command, "--help"]) == 0
    text = capsys.readouterr().out

    for option in SCHEMAS[command]:
        shown = (option.metavar or "").strip("[]") if option.is_argument else option.flags[0]
        found = re.search(rf"(?m)[ \[]{shown}(?:[ \].,]|$)", text)
        assert bool(found) == option.is_allowed("command"), shown


@pytest.mark.parametrize("command", SCHEMAS)
def test_names_keys_and_flags_are_unique(command):
    options = SCHEMAS[command]

    for values in (
        [option.name for option in options],
        [option.key for option in options if option.is_allowed("file")],
        [flag for option in options if option.is_allowed("command") for flag in option.flags],
    ):
        assert len(set(values)) == len(values)


# ── urlset.toml from Python ──

VALUES: dict[Any, Any] = {str: "a", int: 3, float: 0.5, bool: True, Path: "a"}


def example(option: Option) -> Any:
    if get_origin(option.type) is Literal:
        return option.choices[-1]
    if get_origin(option.type) is list and option.name != "rules":
        return ["a"]
    return {"rules": [], "ignore_in": {"a": ["X"]}, "levels": {"X001": "info"}, "map": "loc=a"}.get(
        option.name, VALUES.get(option.type)
    )


IN_FILE = [(command, option) for command, option in ALL if option.is_allowed("file")]


@pytest.mark.parametrize(("command", "option"), IN_FILE, ids=label)
def test_an_option_of_the_file_arrives_in_python(command, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    value = example(option)
    text = toml(value)
    (tmp_path / "urlset.toml").write_text(f"[{command}]\n{option.key} = {text}\n")

    config = urlset.load_config()
    found = getattr(config, command) | (config.report if command == "check" else {})
    found |= config.diff_limits if command == "diff" else {}

    if option.name == "rules":
        assert "rules" not in found  # empty
    else:
        expected = Path(value) if option.type is Path else value
        assert found[option.name] == expected
        assert type(found[option.name]) is type(expected)


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command, option in ALL if not option.is_allowed("file")],
    ids=label,
)
def test_an_option_that_the_file_must_not_have_is_an_error(command, option, tmp_path):
    file = tmp_path / "urlset.toml"
    file.write_text(f"[{command}]\n{option.key} = true\n")
    config = urlset.load_config(file)

    with pytest.raises(urlset.ConfigurationError, match=f"has no key '{option.key}'"):
        getattr(config, command)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(item)}' for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)


def test_a_build_by_the_file_is_that_of_the_command(tmp_path, monkeypatch, capsys):
    (tmp_path / "pages.csv").write_text("address\nhttps://example.com/a\nhttps://example.com/b\n")
    (tmp_path / "urlset.toml").write_text(
        '[build]\nsources = [{path = "pages.csv", map = {loc = "address"}}]\noutput = "maps"\n'
        'filters = ["drop:b$"]\n'
    )
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)

    made = urlset.build(**urlset.load_config().build)

    assert (made.urls, made.files[0].changed) == (1, True)
    assert (tmp_path / ".urlset" / "ledger.duckdb").exists()
    assert run(["build"]) == 0
    assert "0 files new or changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("section", "key", "value", "words"),
    [
        ("build", "max-urls", "60000", "max-urls: expected a number from 1 to 50,000, found 60000"),
        ("build", "min-hits", "0", "min-hits: expected a number of at least 1, found 0"),
        ("build", "format", "'json'", "format: expected xml, text, found 'json'"),
        ("build", "map", "3", "map: expected a string or a table, found 3"),
        ("build", "map", "{loc = 3}", "map.loc: expected a string, found 3"),
        ("build", "sources", "[3]", "sources[1]: expected a string or a table, found 3"),
        (
            "build",
            "sources",
            "['a', {path = 'a', query = 1}]",
            "[build] sources[2].query: expected a string, found 1",
        ),
        (
            "check",
            "per-path-ignores",
            "{a = 'X'}",
            "per-path-ignores.a: expected a list, found 'X'",
        ),
        ("check", "rules", "[1]", "rules[1]: expected a table, found 1"),
    ],
)
def test_messages_name_file_key_expected_and_found(section, key, value, words, tmp_path):
    file = tmp_path / "urlset.toml"
    file.write_text(f"[{section}]\n{key} = {value}\n")

    with pytest.raises(urlset.ConfigurationError) as caught:
        getattr(urlset.load_config(file), section)

    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{file}: [{section}] ")


# ── Options that several commands have ──

OWN_MAXIMUM = {"max_bytes"}
"""Names whose maximum belongs to the command: the protocol limits the files that are written."""


def test_a_number_has_the_same_range_in_all_commands():
    ranges: dict[str, set[Any]] = {}
    for command in COMMANDS:
        for option in options_of(command):
            if option.type in (int, float) and option.name not in OWN_MAXIMUM:
                limits = option.type, option.unit, option.minimum, option.maximum
                ranges.setdefault(option.name, set()).add(limits)

    assert ranges["max_minutes"] == {(float, "minutes", 0, None)}
    assert ranges["max_requests"] == {(int, "", 1, None)}
    assert {name: found for name, found in ranges.items() if len(found) > 1} == {}


@pytest.mark.parametrize("command", ["audit", "crawl", "sync"])
def test_messages_name_the_parameter_in_python_and_the_flag_on_the_command_line(command, capsys):
    expected = "expected a number of at least 0, found"
    settings = {
        "audit": urlset.live.audit.settings.AuditSettings,
        "crawl": urlset.live.crawl.options.CrawlOptions,
        "sync": urlset.live.sync.settings.SyncSettings,
    }[command]

    with pytest.raises(ValueError, match=f"max_minutes: {expected} -1"):
        settings(max_minutes=-1)
    assert run([command, "https://example.com", "--max-minutes=-1"]) == 2
    assert f"'--max-minutes': {expected} '-1'" in capsys.readouterr().err


@pytest.mark.parametrize("name", urlset.__all__)
def test_the_docstring_describes_each_parameter_once(name):
    found = getattr(urlset, name)
    if not inspect.isfunction(found):
        return
    arguments = (inspect.getdoc(found) or "").partition("Args:\n")[2]
    arguments = re.split(r"(?m)^(?=\S)", arguments)[0]
    described = re.findall(r"(?m)^ {4}(\w+): ", arguments)

    assert sorted(described) == sorted(inspect.signature(found).parameters)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_names_only_arguments_of_its_command(command):
    """An option of several commands names none, such as SOURCE, for others may call it SITE."""
    options = [option for option in options_of(command) if option.is_allowed("command")]
    own = {(option.metavar or "").strip("[]") for option in options if option.is_argument}
    named = {word for option in options for word in re.findall(r"\b[A-Z]{3,}\b", option.help)}

    arguments = {"SOURCE", "SITE", "BEFORE", "AFTER", "CHANGES", "STORE", "DIR"}
    assert named & arguments <= own


@pytest.mark.parametrize(
    "option", [option for _, option in PYTHON if option.is_share], ids=lambda option: option.name
)
def test_a_share_is_a_number_or_a_text_in_python(option):
    assert "float | str" in option.parameter_type
    assert "str" not in option.field_type
    assert [option.converted(given) for given in ("40%", "0.4", 0.4)] == [0.4] * 3
    assert option.converted(None) is None


def test_every_share_is_declared_as_one():
    shares = {option.name for _, option in PYTHON if "%" in (option.metavar or "")}

    assert shares == {"min_share", "max_removed_share", "max_removed"}

"""Public functions: the same thing has the same parameter name and the same type everywhere."""

import inspect
from collections import defaultdict

import pytest

import urlset

FUNCTIONS = [
    function
    for name in urlset.__all__
    if inspect.isfunction(function := getattr(urlset, name)) and not name.startswith("_")
]

DIFFERENT = {
    "format": "`read` detects it; `write`, `render` and `build` have the same two",
    "source": "the input of `read`, `check` and `fix`; for `parse` only its name",
    "hosts": "`read` has None for all hosts; `build` adds hosts to that of the base URL",
    "store": "`audit` may use a temporary one; `watch` needs the history",
    "robots": "`read`: whether to request it; `build` and `write_fixed`: the file to update",
    "exclude": "`read` has one regular expression; `crawl` also takes several",
    "index": "`build` can also write one per section",
    "on_error": "aliases of one Literal",
    "settings": "keyword arguments, which each function names in a type of its own",
}
"""Names whose types differ, with the reason."""

REPLACED = {
    "base": "base_url",
    "moment": "now",
    "limit_bytes": "max_bytes",
    "seen": "progress",
    "callback": "progress",
    "max_urls_per_file": "max_urls",
}
"""Other words for a parameter, and the one to use."""


def parameters() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for function in FUNCTIONS:
        for parameter in inspect.signature(function).parameters.values():
            found[parameter.name][function.__name__] = str(parameter.annotation).replace(
                "str | os.PathLike[str]", "StrPath"
            )
    return found


PARAMETERS = parameters()


def test_parameters_have_the_common_words():
    wrong = {old: PARAMETERS[old] for old in REPLACED if old in PARAMETERS}

    assert wrong == {}, f"use {REPLACED}"


@pytest.mark.parametrize("name", sorted(PARAMETERS.keys() - DIFFERENT.keys()))
def test_parameter_has_one_type_everywhere(name):
    assert len(set(PARAMETERS[name].values())) == 1, PARAMETERS[name]


@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_exceptions_are_exceptions(name):
    assert len(set(PARAMETERS[name].values())) > 1, f"{name} has one type: remove it from DIFFERENT"


def test_common_words_are_in_use():
    """The words of read, parse, write, build, check and fix that mean the same in all of them."""
    assert set(PARAMETERS["base_url"]) == {
        "build", "check", "diff", "fix", "parse", "read", "render", "write"
    }  # fmt: skip
    assert {"read", "parse", "check", "fix", "write", "build"} <= set(PARAMETERS["max_bytes"])
    assert {"check", "fix", "write", "build"} <= set(PARAMETERS["now"])
    assert {"check", "write", "build"} <= set(PARAMETERS["progress"])

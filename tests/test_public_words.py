"""Public functions: the same thing has the same parameter name and the same type everywhere."""

import inspect
import re
from collections import defaultdict
from pathlib import Path

import pytest

import urlset
from urlset.option_schema import options_of
from urlset.option_schema.glossary import MEANINGS, VERBS, Term, glossary

FUNCTIONS = [
    function
    for name in urlset.__all__
    if inspect.isfunction(function := getattr(urlset, name)) and not name.startswith("_")
]

DIFFERENT = {
    "source": "the input of `read`, `check` and `fix`; for `parse` only its name",
    "store": "`audit` may use a temporary one; `watch` needs the history",
    "scope": "each verb has its own choices: `crawl` host or folder, `read` any or sitemap",
    "index": "`build` can also write one per section",
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
        "audit", "build", "check", "diff", "fix", "parse", "read", "render", "write"
    }  # fmt: skip
    assert {"read", "parse", "check", "fix", "write", "build"} <= set(PARAMETERS["max_bytes"])
    assert {"check", "fix", "write", "build"} <= set(PARAMETERS["now"])
    assert {"check", "write", "build"} <= set(PARAMETERS["progress"])


# ── The glossary of the options, also of those that only the command line has ──

GLOSSARY = {term.name: term for term in glossary()}


@pytest.mark.parametrize("term", GLOSSARY.values(), ids=lambda term: term.name)
def test_a_name_has_one_type_unit_and_minimum_in_all_verbs(term: Term):
    assert " or " not in term.kind.replace("true or false", "").replace("text or table", "")
    assert " or " not in term.unit
    assert term.minimum is None or term.minimum == term.minimum, "several minima"


@pytest.mark.parametrize("term", GLOSSARY.values(), ids=lambda term: term.name)
def test_a_name_has_one_meaning_in_all_verbs(term: Term):
    helps = {o.help for verb in term.verbs for o in options_of(verb) if o.name == term.name}

    assert len(helps) == 1 or term.name in MEANINGS, "declare it once, or state its one meaning"


def test_the_glossary_states_no_meaning_that_the_help_states():
    helps = {o.name: o.help for verb in VERBS for o in options_of(verb)}

    assert MEANINGS.keys() <= GLOSSARY.keys()
    assert [name for name in MEANINGS if MEANINGS[name] == helps[name]] == []


def test_names_of_numbers_state_their_unit():
    """Seconds end with `_s` in Python, minutes and bytes with their word."""
    units = {"seconds": "_s", "minutes": "_minutes", "bytes": "_bytes"}

    for term in GLOSSARY.values():
        ending = units.get(term.unit)
        if ending is None:
            assert not term.name.endswith(tuple(units.values())), term.name
        else:
            assert term.name.endswith(ending), term.name


def test_the_kept_file_is_the_store():
    kept = {verb for verb in VERBS for o in options_of(verb) if o.name == "store"}

    assert kept == {"crawl", "audit", "watch", "sync", "submit"}
    assert not {"state", "announcements", "record"} & GLOSSARY.keys()


def test_urls_are_filtered_by_the_same_words():
    assert set(GLOSSARY["include"].verbs) == set(GLOSSARY["exclude"].verbs)
    assert {"read", "crawl", "build", "audit", "diff"} == set(GLOSSARY["include"].verbs)
    assert not {"match", "in_scope", "filter", "pattern_include"} & GLOSSARY.keys()


@pytest.mark.parametrize("verb", ["read", "build", "check", "audit", "diff", "submit", "sync"])
def test_the_names_of_arguments_are_in_the_table_of_names(verb):
    page = (Path(__file__).parents[1] / "docs" / "options.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)`.*?\|[^|]*\| `([A-Z]+)…?` \| ([\w, ]+) \|", page, re.M)

    for option in options_of(verb):
        if option.is_argument:
            named = [name for name, _, verbs in rows if verb in verbs.split(", ")]
            assert option.name in named


@pytest.mark.parametrize("verb", ["read", "build", "check", "crawl", "audit", "diff", "submit"])
def test_the_table_of_a_verb_names_the_option_that_does_what_a_parameter_does(verb):
    page = (Path(__file__).parents[1] / "docs" / "options.md").read_text(encoding="utf-8")
    table = page.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]
    name, flag = {"build": ("auth", "$URLSET_AUTH"), "submit": ("keys", "--keys")}.get(
        verb, ("auth", "--auth-file")
    )

    assert f"| `{name}` |  | `{flag}` |" in table


def test_the_options_page_names_what_writes_entries_in_python():
    page = (Path(__file__).parents[1] / "docs" / "options.md").read_text(encoding="utf-8")

    for flag in ("--output", "--format"):
        row = next(
            line for line in page.partition("## Names")[2].splitlines() if f"| `{flag}` |" in line
        )
        assert "`.to_csv(path)`, `.to_jsonl(path)` (read)" in row

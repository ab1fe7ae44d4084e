"""Sentences of README.md and docs/*.md with "never", "always" or "at most": each names its tests.

The table is ``absolute_words.toml``. A new sentence fails without an entry there: name a test, or
write the sentence without the word. ``about`` is for sentences that claim nothing about urlset.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TABLE = Path(__file__).with_name("absolute_words.toml")

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-|#]|\d+\.) )")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`*\[])|\s\|(?:\s|$)")
_CODE = re.compile(r"`[^`]*`")
_ABSOLUTE = re.compile(r"\b(?:never|always|at\s+most)\b", re.IGNORECASE)


def absolute_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page with an absolute word outside of code."""
    prose = _COMMENT.sub("", _FENCE.sub("", text))
    for block in _BLOCK.split(prose):
        for sentence in _SENTENCE.split(" ".join(block.split())):
            shown = sentence.strip("|-#> ")
            if _ABSOLUTE.search(_CODE.sub("", shown)):
                yield shown


@cache
def table() -> dict[str, dict[str, Any]]:
    """Return the entries of the table by sentence."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["sentence"]
    found = {entry["text"]: entry for entry in entries}
    assert len(found) == len(entries), "a sentence has two entries"
    return found


@cache
def sentences() -> dict[str, str]:
    """Return the sentences of all pages, each with a page that has it."""
    return {
        sentence: page.relative_to(ROOT).as_posix()
        for page in PAGES
        for sentence in absolute_sentences(page.read_text(encoding="utf-8"))
    }


@cache
def test_names(path: str) -> frozenset[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


test_names.__test__ = False  # type: ignore[attr-defined]


def test_each_sentence_names_what_shows_it():
    missing = {text: page for text, page in sentences().items() if text not in table()}

    assert not missing, f"add to {TABLE.name}, or write without the word: {missing}"


def test_the_table_has_no_sentence_that_is_gone():
    assert not [text for text in table() if text not in sentences()]


def test_an_entry_has_tests_or_says_what_it_is_about():
    wrong = [text for text, entry in table().items() if ("tests" in entry) == ("about" in entry)]

    assert not wrong


@pytest.mark.parametrize(
    "name", sorted({name for entry in table().values() for name in entry.get("tests", ())})
)
def test_each_test_of_the_table_exists(name: str):
    path, _, function = name.partition("::")

    assert function in test_names(path)


def test_sentences_are_found_in_text_lists_and_tables_and_not_in_code():
    text = """# It always starts

It never fails. With `--color always` nothing else is
always true: see there.

- An item that never ends; others do
| `a` | always whole | never cut |

```
never
```
"""
    assert list(absolute_sentences(text)) == [
        "It always starts",
        "It never fails.",
        "With `--color always` nothing else is always true: see there.",
        "An item that never ends; others do",
        "always whole",
        "never cut",
    ]

"""Every regular expression of the package takes linear time, also on hostile text."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.hostile.regexes import EXEMPT, ROOT, expressions, files, findings
from tests.hostile.regexes import Expression as Found

PROJECT = ROOT.parents[1]
NAMES = [path.relative_to(ROOT).as_posix() for path in files() if "re." in path.read_text("utf-8")]
GROUPS = [NAMES[number::4] for number in range(4)]
"""Source files that a process measures: it reads the whole package first."""


def all_expressions() -> list[Found]:
    return [found for name in NAMES for found in expressions(ROOT / name)]


@pytest.mark.slow
@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_expressions_take_linear_time(group):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.hostile.regexes", *GROUPS[group]],
        cwd=PROJECT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-2_000:]
    assert json.loads(ran.stdout) == []


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s*$", "search"),
        (r"\S*(?:sitemap|\.xml)\S*", "fullmatch"),
        (r"<!--.*?-->", "finditer"),
        (r"(?:a|a)*b", "match"),
        (r"[a-z]++=", "search"),
        (r"\s*[\d.]*\s*;", "match"),
    ],
)
def test_the_measurement_finds_expressions_that_are_not_linear(pattern, method):
    found = Found("x.py", 1, pattern, re.compile(pattern, re.DOTALL), frozenset({method}))

    assert findings(found)


def test_every_expression_is_known():
    unknown = [str(found) for found in all_expressions() if found.pattern is None]

    assert unknown == [], "add what it is built as to _BUILT of tests/hostile/regexes.py"
    assert len(all_expressions()) > 350


def test_expressions_are_made_by_calls_of_the_module_re():
    odd = [
        path.name
        for path in files()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.ImportFrom) and node.module == "re")
        or (isinstance(node, ast.Import) and any(a.name == "re" and a.asname for a in node.names))
    ]

    assert odd == []


WITH_EXPRESSIONS = frozenset(("fnmatch", "glob", "regex", "re2", "pathlib.glob", "sre_compile"))
"""Modules that make or match regular expressions for their callers."""

USES = {
    ("builder/inputs.py", "glob"): "sources that the user names",
    ("checker/rule_selection.py", "fnmatch"): "per-path-ignores, of limited length",
    ("live/diff/tables.py", "glob"): "glob.escape only",
    ("sources/factory.py", "fnmatch"): "access logs in an option of the user",
    ("sources/factory.py", "glob"): "access logs in an option of the user",
    ("integrations/built_site.py", "fnmatch"): "an option of the site's own configuration",
    ("store/external.py", "glob"): "glob.escape only",
}


def test_modules_that_make_expressions_are_known():
    found = set()
    for path in files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            file = path.relative_to(ROOT).as_posix()
            found |= {(file, name) for name in names if name in WITH_EXPRESSIONS}

    assert found == set(USES)


def test_exceptions_are_in_use():
    sources = {
        (name, ast.unparse(call.args[0]))
        for name in NAMES
        for call in ast.walk(ast.parse((ROOT / name).read_text("utf-8")))
        if isinstance(call, ast.Call) and call.args
    }

    assert set(EXEMPT) <= sources


def possessive_groups(sequence: Any) -> list[str]:
    """Return the possessive repetitions of more than one character or class."""
    found = []
    for kind, value in sequence:
        if kind is sre.POSSESSIVE_REPEAT:
            inner = value[2]
            if len(inner) != 1 or inner[0][0] not in (
                sre.IN, sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.CATEGORY,
            ):  # fmt: skip
                found.append(str(inner))
        if isinstance(value, tuple):
            for item in value:
                if isinstance(item, parser.SubPattern):
                    found += possessive_groups(item)
                elif isinstance(item, list):
                    found += [x for i in item if isinstance(i, parser.SubPattern)
                              for x in possessive_groups(i)]  # fmt: skip
        elif isinstance(value, parser.SubPattern):
            found += possessive_groups(value)
    return found


def test_groups_are_repeated_as_atomic_groups():
    """``(?:…)*+`` matches wrongly in Python 3.11.0 to 3.11.4 (python/cpython#106052)."""
    odd = [
        str(found)
        for found in all_expressions()
        if found.pattern is not None
        and possessive_groups(
            parser.parse(found.pattern.pattern, found.pattern.flags & ~re.UNICODE)
        )
    ]

    assert odd == [], "write (?>(?:…)*)"
    assert possessive_groups(parser.parse(r"(a|(?:ab)*+c)"))

"""Write the signatures of the public functions, and the fields of settings, from the options.

`make docs` writes them into the modules, and `docs/generate.py --check` fails if they are stale.
Everything between the `*` of a signature and its end, the descriptions of these parameters in the
docstring, and the fields of the settings class are generated; the rest is written by hand.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from urlset.option_schema import Option, options_of

SOURCE = Path(__file__).parents[1] / "src" / "urlset"
NOTE = "# These are generated from urlset.option_schema by `make docs`."
WIDTH = 100


class Verb(NamedTuple):
    """Where the options of a function are written.

    Attributes:
        module: File with the function.
        settings: File and name of the class of its settings, if it has one.
        keywords: Name of the class of its keyword arguments, which other functions pass on.
        others: Options that are no fields of the class: the function uses them itself.
    """

    module: str
    settings: tuple[str, str] | None = None
    others: frozenset[str] = frozenset({"progress"})
    keywords: str | None = None


CLIENT = frozenset({"policy", "auth", "progress"})
KEPT = frozenset({"progress", "store", "baseline"})
VERBS = {
    "read": Verb("reader/__init__.py"),
    "build": Verb("builder/__init__.py", ("builder/options.py", "BuildOptions")),
    "check": Verb("checker/__init__.py"),
    "fix": Verb("fixer/__init__.py"),
    "crawl": Verb("live/crawl/runner.py", ("live/crawl/options.py", "CrawlOptions"), CLIENT),
    "audit": Verb("live/audit/pipeline.py", ("live/audit/settings.py", "AuditSettings"), KEPT),
    "diff": Verb("live/diff/pipeline.py"),
    "watch": Verb("live/watch/pipeline.py", ("live/watch/pipeline.py", "StepSettings")),
    "submit": Verb("live/submit/pipeline.py", ("live/submit/settings.py", "SubmitSettings")),
    "sync": Verb(
        "live/sync/__init__.py", ("live/sync/settings.py", "SyncSettings"), keywords="SyncKeywords"
    ),
    "report": Verb("live/report/__init__.py"),
    "write": Verb("writer/__init__.py"),
    "render": Verb("writer/__init__.py"),
}


def generated_modules() -> dict[Path, str]:
    """Return the modules with generated parts, as they must be."""
    texts: dict[Path, str] = {}
    for name, verb in VERBS.items():
        path = SOURCE / verb.module
        texts[path] = with_signature(texts.get(path) or path.read_text("utf-8"), name)
        if verb.settings is not None:
            path = SOURCE / verb.settings[0]
            text = texts.get(path) or path.read_text("utf-8")
            text = with_fields(text, verb.settings[1], fields_of(name))
            if verb.keywords is not None:
                text = with_fields(text, verb.keywords, fields_of(name), is_typed_dict=True)
            texts[path] = text
    return {path: formatted(text, path) for path, text in texts.items()}


def formatted(text: str, path: Path) -> str:
    """Return the text as ruff formats it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(path), "-"]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout


def parameters_of(name: str, positional: Iterable[str]) -> list[Option]:
    """Return the options that are keyword arguments of a function."""
    known = set(positional)
    options = options_of(name)
    return [each for each in options if each.is_allowed("python") and each.name not in known]


def fields_of(name: str) -> list[Option]:
    """Return the options that are fields of the settings of a function."""
    function = find(ast.parse((SOURCE / VERBS[name].module).read_text("utf-8")), name)
    assert isinstance(function, ast.FunctionDef)
    positional = [each.arg for each in function.args.args]
    return [o for o in parameters_of(name, positional) if o.name not in VERBS[name].others]


def with_signature(text: str, name: str) -> str:
    """Return the text of a module with the signature and the docstring of a function."""
    function = find(ast.parse(text), name)
    assert isinstance(function, ast.FunctionDef)
    options = parameters_of(name, [each.arg for each in function.args.args])
    lines = text.splitlines()
    start = next(n for n in range(function.lineno, len(lines)) if lines[n].strip() == "*,")
    end = next(n for n in range(start, len(lines)) if lines[n].startswith(")"))
    wanted = [f"    {o.name}: {o.parameter_type} = {code_of(o.default)}," for o in options]
    docstring = function.body[0]
    assert docstring.end_lineno is not None
    described = with_args(lines[docstring.lineno - 1 : docstring.end_lineno], options)
    return "\n".join(
        [
            *lines[: start + 1],
            f"    {NOTE}",
            *wanted,
            *lines[end : docstring.lineno - 1],
            *described,
            *lines[docstring.end_lineno :],
            "",
        ]
    )


def with_args(lines: list[str], options: list[Option]) -> list[str]:
    """Return the lines of a docstring whose section `Args` describes the options."""
    start = lines.index("    Args:")
    last = next(n for n in range(start + 1, len(lines)) if re.match(r" {0,4}\S", lines[n]))
    end = max(n for n in range(start, last) if lines[n].strip()) + 1
    names = {option.name for option in options}
    kept: list[str] = []
    is_kept = True
    for line in lines[start + 1 : end]:
        if (entry := re.match(r" {8}(\w+): ", line)) is not None:
            is_kept = entry[1] not in names
        if is_kept:
            kept.append(line)
    described = [line for option in options for line in description(option)]
    return [*lines[: start + 1], *kept, *described, *lines[end:]]


def description(option: Option) -> list[str]:
    """Return the lines of a docstring that describe an option."""
    return textwrap.wrap(
        f"{option.name}: {option.description}",
        WIDTH,
        initial_indent=" " * 8,
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )


def with_fields(text: str, name: str, options: list[Option], *, is_typed_dict: bool = False) -> str:
    """Return the text of a module with the fields of a class: settings, or a ``TypedDict``."""
    found = find(ast.parse(text), name)
    assert isinstance(found, ast.ClassDef)
    fields = [each for each in found.body if isinstance(each, ast.AnnAssign)]
    lines = text.splitlines()
    start, end = fields[0].lineno - 1, fields[-1].end_lineno
    if lines[start - 1].strip() == NOTE:
        start -= 1
    if is_typed_dict:
        declared = [f"{option.name}: {option.parameter_type}" for option in options]
    else:
        declared = [field_of(option) for option in options]
    wanted = [f"    {NOTE}", *(f"    {line}" for line in declared)]
    return "\n".join([*lines[:start], *wanted, *lines[end:], ""])


def field_of(option: Option) -> str:
    """Return the line of a field of a settings class."""
    value = code_of(option.default)
    factory = f"lambda: {value}" if isinstance(option.default, Mapping) else option.factory
    if factory:
        value = f"field(default_factory={factory})"
    elif option.is_hidden:
        value = f"field(default={value}, repr=False)"
    return f"{option.name}: {option.field_type} = {value}"


def code_of(value: Any) -> str:
    """Return the code of a default."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        items = "".join(f"{code_of(each)}, " for each in value)
        return f"({items.rstrip() if len(value) == 1 else items.rstrip(', ')})"
    if isinstance(value, Mapping):
        return "MappingProxyType({})"
    if isinstance(value, timedelta):
        return f"timedelta({int(value.total_seconds()) or 0})"
    if isinstance(value, Path):
        return f"Path({code_of(value.as_posix())})"
    return f"{value:_}" if type(value) is int else repr(value)


def find(tree: ast.Module, name: str) -> ast.AST:
    """Return the function or class of a module."""
    return next(find_all(tree, name))


def find_all(tree: ast.Module, name: str) -> Iterator[ast.AST]:
    """Yield the functions and classes of a name at the top level of a module."""
    for each in tree.body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and each.name == name:
            yield each

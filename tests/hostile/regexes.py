# ruff: noqa: E501 - the sources of expressions are in rows
"""Every regular expression of the package, and the time that each takes on hostile texts.

``python -P -m tests.hostile.regexes FILE…`` prints the findings of these source files. It runs in a
process of its own, so that an expression that does not end fails a test instead of the run.
"""

from __future__ import annotations

import ast
import faulthandler
import importlib
import json
import re
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from math import inf
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from tests.cpu_time import cpu_s

ROOT = Path(__file__).parents[2] / "src" / "urlset"
FUNCTIONS = frozenset("compile match search fullmatch sub subn split findall finditer".split())
TINY, SMALL, LARGE = 2_048, 16_384, 262_144
MAX_RATIO = 80
"""Of the times at 256 KB and at 16 KB: 16 is linear, 256 is quadratic."""

UNNOTICEABLE_S = 0.1
"""CPU time of 256 KB below which the ratio is not computed."""

TINY_S = 0.1
LIMIT_S = 0.3
TICK_S = 0.05
UNNOTICED_S = 0.000_5
ROUNDS = 3
SUSPECTS = 3
"""Texts of each expression that are measured at 256 KB: those that took longest at 16 KB."""

MAX_TEXTS = 90
TIMEOUT_S = 300.0

# What the expressions that are built within a function are, as Python in their module.
_URLS = "builder/url_exclusions.py"
_BUILT = {
    ("builder/canonical_urls.py", "anywhere"): "_patterns()[0]",
    ("builder/canonical_urls.py", "in_rest"): "_patterns()[1]",
    (
        "builder/inputs.py",
        "re.escape(settings.name) + _SITEMAP",
    ): "re.compile('sitemap' + _SITEMAP)",
    ("builder/sections.py", "expression + re.escape(self._ending)"): (
        "re.compile('sitemap-(?P<section>[A-Za-z0-9_-]+)-(?P<number>[0-9]+)[.]xml')"
    ),
    (_URLS, "SITEMAP_NAME"): "_sitemap_name()",
    (_URLS, "f'[?&;](?:{TRACKING})(?:=|&|;|#|$)'"): "_tracking()[0]",
    (_URLS, "f'(?:^|[&;])(?:{TRACKING})(?:{value})?(?=[&;]|$)'"): "_tracking()[1]",
    (_URLS, "f'[?&;](?:{either})(?:=|&|;|#|$)'"): "_session()[0]",
    (_URLS, "f'(?:^|[&;])(?:{either})(?:=|&|;|$)'"): "_session()[1]",
    (_URLS, "IN_PATH"): "_session()[2]",
    ("checker/markup_facts.py", "re.escape(prefix + b':')"): "re.compile(b's:')",
    ("checker/markup_facts.py", "b'</(?!%b)(?:%b)[\\\\s/>]' % (most, b'|'.join(ends))"): (
        "_disorder_patterns(b's')[0]"
    ),
    ("checker/markup_facts.py", "others"): "_disorder_patterns(b's')[1]",
    ("fixer/fixers/extensions.py", "pattern"): "re.compile(r'\\d+(\\.\\d+)?', re.ASCII)",
    ("fixer/fixers/structure.py", "b'[\\\\s<\\\\\"\\'/]' + re.escape(prefix) + b':'"): (
        "re.compile(rb'[\\s<\"\\'/]s:')"
    ),
    ("fixer/fixers/urls.py", "f'(?i);{word}=[^/?#;]*'"): "re.compile('(?i);sid=[^/?#;]*')",
    ("fixer/fixers/urls.py", "f'/{word}/'"): "re.compile('/[(]S[(]a[)][)]/')",
    ("fixer/fixers/urls.py", "f'(?i)(^|[&;]){word}(?:=[^&;]*)?(?=[&;]|$)'"): (
        "re.compile('(?i)(^|[&;])sid(?:=[^&;]*)?(?=[&;]|$)')"
    ),
    ("sources/html/files.py", "f'\\\\W*(?:error )?{number}(?: error)?\\\\W*'"): (
        "re.compile(r'\\W*(?:error )?[45]\\d\\d(?: error)?\\W*')"
    ),
    ("sources/html/files.py", "f'(?<![\\\\w.]){number}(?!\\\\w)'"): (
        "re.compile(r'(?<![\\w.])[45]\\d\\d(?!\\w)')"
    ),
    ("writer/file_set.py", "pattern"): "re.compile('sitemap-([1-9][0-9]*)[.]xml')",
    (
        "writer/robots_txt.py",
        "b'(?:\\\\xef\\\\xbb\\\\xbf)?[ \\\\t]*#[ \\\\t]*' + name + b'[ \\\\t]*:[ \\\\t]*sitemaps[ \\\\t]+(begin|end)\\\\b(.*)'",
    ): (
        "re.compile(rb'[ \\t]*#[ \\t]*a[ \\t]*:[ \\t]*sitemaps[ \\t]+(begin|end)\\b(.*)', re.I | re.S)"
    ),
}
EXEMPT = {
    ("builder/canonical_urls.py", "insecure"): "a fixed text: the scheme and the host of base_url",
    ("checker/rule_selection.py", """f"{translate(pattern)}|{translate(f'*/{pattern}')}\""""): (
        "an option of the user: per-path-ignores"
    ),
    ("builder/options.py", "pattern"): "an option of the user: --rewrite",
    ("integrations/file_responses.py",
     "f'{re.escape(name)}[A-Za-z0-9._~-]*\\\\.(?:xml|txt|css)(?:\\\\.gz)?'"): "names of own files",
    ("reader/filters.py", "pattern"): "an option of the user: --include, --exclude",
    ("temp_files.py", "f'{re.escape(prefix)}[a-z0-9_]{{8}}\\\\.part'"): "names of own files",
    ("writer/extensions.py", "pattern"): "measured by the constants of its callers",
}  # fmt: skip
"""Expressions that are not measured, with the reason."""


class Expression(NamedTuple):
    """A call of :mod:`re`: its file, line, source, and the pattern; None if it is not constant."""

    file: str
    line: int
    source: str
    pattern: re.Pattern[Any] | None
    methods: frozenset[str]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.source[:80]}"


def files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in FUNCTIONS:
                yield node


def expressions(path: Path) -> list[Expression]:
    name = path.relative_to(ROOT).as_posix()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = list(calls(tree))
    if not found:
        return []
    parts = ("urlset", *path.relative_to(ROOT).with_suffix("").parts)
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    names = _assigned(tree)
    in_functions = {
        call
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for call in calls(node)
    }
    built: list[re.Pattern[Any] | None] = [
        pattern
        for key, value in vars(module).items()
        if not key.startswith("__")
        for pattern in _patterns_in(value)
    ]
    result = []
    for call in found:
        function = call.func.attr  # type: ignore[attr-defined]
        source = ast.unparse(call.args[0])
        assigned = names.get(id(call), "")
        methods = _methods().get((name, assigned)) or _methods().get(("", assigned), frozenset())
        if function != "compile":
            methods = frozenset({function})
        flags = 0
        position = {"compile": 1, "match": 2, "search": 2, "fullmatch": 2, "findall": 2,
                    "finditer": 2}.get(function)  # fmt: skip
        nodes = [k.value for k in call.keywords if k.arg == "flags"]
        nodes += call.args[position : position + 1] if position else []
        patterns: list[re.Pattern[Any] | None] = [None]
        if (name, source) in EXEMPT:
            continue
        try:
            for node in nodes:
                flags = _value(node, module)
            patterns = [re.compile(_value(call.args[0], module), flags)]
        except NameError:
            if built_by := _BUILT.get((name, source)):
                patterns = [_value(ast.parse(built_by, mode="eval").body, module)]
            elif call not in in_functions:
                patterns = [*_patterns_in(vars(module).get(assigned))] or built
        result += [
            Expression(name, call.lineno, source, pattern, frozenset(methods))
            for pattern in patterns
        ]
    return result


def _patterns_in(value: Any, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in the containers that a module defines."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for inner in value.values():
            yield from _patterns_in(inner, depth - 1)
    elif depth and isinstance(value, list | tuple):
        for inner in value:
            yield from _patterns_in(inner, depth - 1)


def _value(node: ast.expr, module: Any) -> Any:
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), {**vars(module)})


def _assigned(tree: ast.AST) -> dict[int, str]:
    """Return the name that the value of each call gets."""
    return {
        id(inner): target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        for inner in ast.walk(node.value)
    }


@cache
def _methods() -> dict[tuple[str, str], frozenset[str]]:
    """Return the methods that each file, and the package (""), uses of each name of a pattern."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
                owner = node.value
                if isinstance(owner, ast.Subscript):
                    owner = owner.value
                if isinstance(owner, ast.Name | ast.Attribute):
                    used = owner.id if isinstance(owner, ast.Name) else owner.attr
                    for file in (path.relative_to(ROOT).as_posix(), ""):
                        found[file, used].add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


# Hostile texts.

_CANDIDATES = "a1 /x.:-_<>\"'=,;&#%?@+()[]{}*|\\!~^`$A\t\n\rZ9fé\u00a0\u2028\u0663：\uf0c1\0"
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    sre.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    sre.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def _characters(items: Any) -> list[str]:
    """Return up to three characters of a class."""
    is_negated = items[0][0] is sre.NEGATE

    def contains(character: str) -> bool:
        for kind, value in items:
            if kind is sre.LITERAL and chr(value) == character:
                return True
            if kind is sre.RANGE and value[0] <= ord(character) <= value[1]:
                return True
            if kind is sre.CATEGORY and _CATEGORIES[value](character):
                return True
        return False

    found = [c for c in _CANDIDATES if contains(c) is not is_negated]
    first = next((v for k, v in items if k is sre.LITERAL), None)
    if not is_negated and first is not None and chr(first) not in found:
        found.append(chr(first))
    return [*found[:2], *found[-1:]] or ["a"]


def _sample(sequence: Any, choice: int = 0, *, is_short: bool = False) -> str:
    """Return a text that roughly matches a parsed pattern; ``choice`` selects among branches."""
    found = []
    for kind, value in sequence:
        if kind is sre.LITERAL:
            found.append(chr(value))
        elif kind is sre.NOT_LITERAL:
            found.append("a" if value != ord("a") else "b")
        elif kind is sre.IN:
            characters = _characters(value)
            found.append(characters[choice % len(characters)])
        elif kind is sre.ANY:
            found.append("a")
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, inner = value
            count = least if is_short else max(least, min(most, 1))
            found.append(_sample(inner, choice, is_short=is_short) * min(count, 50))
        elif kind is sre.BRANCH:
            branches = value[1]
            found.append(_sample(branches[choice % len(branches)], choice, is_short=is_short))
        elif kind is sre.SUBPATTERN:
            found.append(_sample(value[-1], choice, is_short=is_short))
        elif kind is sre.ATOMIC_GROUP:
            found.append(_sample(value, choice, is_short=is_short))
    return "".join(found)


def _pumps(sequence: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield what precedes each repetition of a pattern, and a text that it repeats."""
    for element in sequence:
        kind, value = element
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            inner = value[2]
            if len(inner) == 1 and inner[0][0] is sre.IN:
                for character in _characters(inner[0][1]):
                    yield prefix, character
            for choice in range(3):
                yield prefix, _sample(inner, choice)
            yield from _pumps(inner, prefix)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, prefix)
                yield prefix, _sample(branch)
        elif kind is sre.SUBPATTERN:
            yield from _pumps(value[-1], prefix)
        elif kind is sre.ATOMIC_GROUP:
            yield from _pumps(value, prefix)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _pumps(value[1], prefix)
        prefix += _sample([element])


def hostile_texts(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """Return hostile texts for a pattern, each as a prefix, what is repeated, and an end."""
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    found: dict[tuple[str, str, str], None] = {}
    for space in (" ", "\n", "a", "1", ",", "<", "&#", "a ", " a", "\t \n"):
        found["", space, ""] = None
    pumps = [(prefix, pump) for prefix, pump in _pumps(parsed, "") if pump]
    for prefix, pump in dict.fromkeys(pumps):
        for end in ("", "\0", "!", " "):
            found[prefix, pump, end] = None
        found["", prefix + pump, "\0"] = None
        found["", pump, "\0"] = None
        if prefix:
            found["", prefix, ""] = None
    for choice in range(3):
        for is_short in (False, True):
            if whole := _sample(parsed, choice, is_short=is_short):
                found["", whole, "\0"] = None
                found["", whole[:-1] or whole, ""] = None
    for (prefix, pump), (_, other) in pairwise(pumps):
        found[prefix, pump + other, "\0"] = None
    return list(found)[:MAX_TEXTS]


def _text(parts: tuple[str, str, str], size: int, pattern: re.Pattern[Any]) -> Any:
    prefix, pump, end = parts
    text = prefix + pump * (size // len(pump)) + end
    return text.encode(errors="replace") if isinstance(pattern.pattern, bytes) else text


def _run(
    expression: Expression,
    text: Any,
    limit_s: float,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the time of the methods on a text; ``inf`` after a limit of CPU time.

    The limit is that of one thread, and exists where signals do.
    """
    assert expression.pattern is not None
    if hasattr(signal, "setitimer"):  # the machine of Python's expressions looks for signals
        end = time.thread_time() + limit_s

        def interrupt(*_: object) -> None:
            if time.thread_time() >= end:
                raise TimeoutError

        signal.signal(signal.SIGVTALRM, interrupt)
        signal.setitimer(signal.ITIMER_VIRTUAL, limit_s, TICK_S)
    begin = clock()
    try:
        _apply(expression.pattern, expression.methods, text)
    except TimeoutError:
        return inf
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return clock() - begin


def _apply(pattern: re.Pattern[Any], methods: frozenset[str], text: Any) -> None:
    for method in methods or FUNCTIONS - {"compile"}:
        if method in ("search", "match", "fullmatch"):
            getattr(pattern, method)(text)
        else:
            for _ in pattern.finditer(text):
                pass


def findings(expression: Expression) -> list[str]:
    """Return the texts on which the time of an expression grows faster than the text."""
    assert expression.pattern is not None
    screened = []
    for parts in hostile_texts(expression.pattern):
        tiny, small = (_text(parts, size, expression.pattern) for size in (TINY, SMALL))
        if (took := _least(expression, tiny, TINY_S)) > TINY_S:
            return [f"{expression}: {took:.2f} s for 2 KB of {parts!r:.200}"]
        if (took := _least(expression, small, LIMIT_S)) > LIMIT_S:
            return [f"{expression}: {took:.2f} s for 16 KB of {parts!r:.200}"]
        screened.append((took, parts))
    for least, parts in sorted(screened, reverse=True)[:SUSPECTS]:
        small, large = (_text(parts, size, expression.pattern) for size in (SMALL, LARGE))
        limit_s = UNNOTICEABLE_S + MAX_RATIO * least + 1
        large_s = _run(expression, large, limit_s)
        if UNNOTICEABLE_S < large_s < inf:  # once more, because other processes share the caches
            large_s = min(large_s, _run(expression, large, limit_s))
        if large_s <= UNNOTICEABLE_S:
            continue
        small_s = cpu_s(partial(_apply, expression.pattern, expression.methods, small))
        if large_s > MAX_RATIO * small_s:
            return [f"{expression}: {small_s:.4f} s, {large_s:.2f} s for {parts!r:.200}"]
    return []


def _least(expression: Expression, text: Any, limit_s: float) -> float:
    """Return the least time of several rounds, by the clock on the wall, which is the finest.

    Other work can make it longer only; a time that is over the limit is measured as CPU time.
    """
    took = inf
    for _ in range(ROUNDS):
        took = min(took, _run(expression, text, limit_s, time.perf_counter))
        if took < UNNOTICED_S:
            return took
        if took == inf:  # it is not shorter in the next round
            return inf
    return took if took <= limit_s else _run(expression, text, limit_s)


def main(names: list[str]) -> None:
    report = []
    for name in names:
        for expression in expressions(ROOT / name):
            if expression.pattern is not None:
                faulthandler.dump_traceback_later(TIMEOUT_S, exit=True)
                sys.stderr.write(f"# {expression}\n")
                sys.stderr.flush()
                report += findings(expression)
                faulthandler.cancel_dump_traceback_later()
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])

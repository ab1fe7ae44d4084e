"""Find the tables that the SQL of the package creates, writes and reads, from its source."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import urlset
from urlset.store import ScratchDatabase, StoreSession, WorkingTable
from urlset.store.session import Session

SRC = Path(urlset.__file__).parent
PACKAGES = sorted(
    ".".join(path.relative_to(SRC).parts[:-1]) for path in SRC.rglob("working_tables.py")
)
"""Packages that declare working tables: ``builder``, ``live.audit``."""

SIDES = ("before", "after")
# Databases and schemas of working tables; other ones, such as `store`, have permanent tables.
_SCHEMA = r"(?:(?:temp|work|scratch|snapshot_store|\{store\})\.)?"
_NAME = r"((?:\{(?:side|other)\}_|[a-z])[a-z_0-9]*)(?![\w.(])"
_CREATE = r"CREATE (?:OR REPLACE )?(?:TEMP )?(?:TABLE|VIEW)"
CREATED = re.compile(rf"{_CREATE} {_SCHEMA}{_NAME}")
WRITE = re.compile(
    r"(?:INSERT INTO|DELETE FROM|UPDATE|ALTER TABLE|DROP TABLE IF EXISTS|DROP TABLE|DROP VIEW"
    rf"|{_CREATE})\s+{_SCHEMA}{_NAME}"
)
READ = re.compile(rf"(?<!DELETE )(?<!DISTINCT )(?:FROM|JOIN)\s+{_SCHEMA}{_NAME}")
COMMON = re.compile(
    r"\b([a-z_]+) ?(?:\([a-z_, ]+\) )?(?:USING KEY \([a-z_, ]+\) )?AS (?:MATERIALIZED )?\("
)
# Methods that write to the table in their first argument.
WRITERS = {"load", "insert_rows", "materialize", "_load"}


class Declaration(NamedTuple):
    """A declared table, with the package that declares it."""

    package: str
    table: WorkingTable

    def modules(self, names: Iterable[str]) -> set[str]:
        """Names of writers or readers, with their packages."""
        folder = SRC / self.package.replace(".", "/")
        own = {path.stem for path in folder.glob("*.py")}
        nested = {
            path.relative_to(folder).with_suffix("").as_posix().replace("/", ".")
            for path in folder.rglob("*.py")
        }
        return {f"{self.package}.{name}" if name in own | nested else name for name in names}


def declarations() -> list[Declaration]:
    """All declared working tables."""
    return [
        Declaration(package, table)
        for package in PACKAGES
        for table in import_module(f"urlset.{package}.working_tables").WORKING_TABLES
    ]


class Uses(NamedTuple):
    """Modules by the name of a table: those that create, write and read it, and CTEs."""

    created: dict[str, set[str]]
    written: dict[str, set[str]]
    read: dict[str, set[str]]
    common: dict[str, set[str]]


def _sql_of(node: ast.Constant | ast.JoinedStr, constants: dict[str, str]) -> str:
    """The text of a string; placeholders that name a working table are filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    text = ""
    for part in node.values:
        match part:
            case ast.Constant(value=str(literal)):
                text += literal
            case ast.FormattedValue(value=ast.Name(id=name)):
                text += constants.get(name, f"{{{name}}}")
            case _:
                text += "{}"
    return text


def _names(name: str) -> Iterator[str]:
    """The names of tables: both sides for a placeholder."""
    placeholder = re.match(r"\{(?:side|other)\}", name)
    for side in SIDES if placeholder else ("",):
        yield name.replace(placeholder[0], side) if placeholder else name


@cache
def uses() -> Uses:
    """The tables that the SQL in the source of the package names, by module."""
    found = Uses(defaultdict(set), defaultdict(set), defaultdict(set), defaultdict(set))
    constants_of: dict[str, dict[str, str]] = defaultdict(dict)
    for package in PACKAGES:
        for name, value in vars(import_module(f"urlset.{package}.working_tables")).items():
            if isinstance(value, WorkingTable):
                constants_of[package][name] = value.name
    for path in sorted(SRC.rglob("*.py")):
        if path.stem == "working_tables":
            continue
        module = ".".join(path.relative_to(SRC).with_suffix("").parts)
        package = next((each for each in PACKAGES if module.startswith(f"{each}.")), "")
        _add_uses(path, module, constants_of[package], found)
    return found


def _add_uses(path: Path, module: str, constants: dict[str, str], found: Uses) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    skipped |= {id(part) for n in nodes if isinstance(n, ast.JoinedStr) for part in n.values}
    for node in nodes:
        match node:
            case ast.Constant() | ast.JoinedStr() if id(node) not in skipped:
                sql = _sql_of(node, constants)
                for pattern, names in (
                    (CREATED, found.created),
                    (WRITE, found.written),
                    (READ, found.read),
                    (COMMON, found.common),
                ):
                    for match in pattern.findall(sql):
                        for name in _names(match):
                            names[name].add(module)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in constants:
                for table in _names(constants[name]):
                    if attribute.startswith("create_"):
                        found.created[table].add(module)
                        found.written[table].add(module)
                    else:
                        found.read[table].add(module)
            case ast.Call(
                func=ast.Attribute(attr=method),
                args=[ast.Constant() | ast.JoinedStr() as first, *_],
            ) if method in WRITERS:
                for table in _names(_sql_of(first, constants)):
                    if table.isidentifier():
                        found.written[table].add(module)
            case _:
                pass


class ObservedColumns:
    """Columns of the tables that statements create while the methods of sessions are patched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.columns: dict[str, set[str]] = defaultdict(set)
        for owner, names in (
            (Session, ("run", "insert")),
            (StoreSession, ("load", "materialize")),
            (ScratchDatabase, ("run_long",)),
        ):
            for name in names:
                monkeypatch.setattr(owner, name, self._observed(getattr(owner, name)))

    def _observed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def method(session: Any, *values: Any, **options: Any) -> Any:
            result = original(session, *values, **options)
            for text in values:
                if not isinstance(text, str):
                    continue
                found = re.search(rf"{_CREATE} ({_SCHEMA}{_NAME})", text)
                if found:
                    self.columns[found[2]].update(session.columns(f"FROM {found[1]}"))
                elif original.__name__ == "load":
                    self.columns[text].update(session.columns(f"FROM {text}"))
            return result

        return method

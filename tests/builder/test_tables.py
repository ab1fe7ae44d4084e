"""The temporary tables of a build are those that `urlset.builder.tables` declares."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import urlset.builder
from urlset.builder import build, incremental, tables
from urlset.builder.tables import STAGING_TABLES, StagingTable
from urlset.errors import SourceError
from urlset.store import ScratchDatabase

BASE = "https://example.com/"
DECLARED = {table.name: table for table in STAGING_TABLES}
CONSTANTS = {
    name: value.name for name, value in vars(tables).items() if isinstance(value, StagingTable)
}
# An Arrow batch that a statement reads, and a common table expression.
OTHERS = {"batch", "keyed"}
WRITE = re.compile(
    r"(?:INSERT INTO|DELETE FROM|UPDATE|ALTER TABLE|DROP TABLE IF EXISTS|DROP TABLE|DROP VIEW"
    r"|CREATE (?:OR REPLACE )?(?:TABLE|VIEW)) ([a-z_]+)\b(?![.(])"
)
READ = re.compile(r"(?<!DELETE )(?<!DISTINCT )(?:FROM|JOIN)\s+([a-z_]+)\b(?![.(])")


def sql_of(node: ast.Constant | ast.JoinedStr) -> str:
    """The text of a string; placeholders that name a staging table are filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    text = ""
    for part in node.values:
        match part:
            case ast.Constant(value=str(literal)):
                text += literal
            case ast.FormattedValue(value=ast.Name(id=name)) if name in CONSTANTS:
                text += CONSTANTS[name]
            case _:
                text += "{}"
    return text


def uses(path: Path) -> Iterator[tuple[str, bool]]:
    """The tables that a module names, each with whether it is written or read."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    skipped |= {id(part) for n in nodes if isinstance(n, ast.JoinedStr) for part in n.values}
    for node in nodes:
        match node:
            case ast.Constant() | ast.JoinedStr() if id(node) not in skipped:
                sql = sql_of(node)
                yield from ((name, True) for name in WRITE.findall(sql))
                yield from ((name, False) for name in READ.findall(sql))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in CONSTANTS:
                yield CONSTANTS[name], attribute.startswith("create_")
            case _:
                pass


def found_uses() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    writers: dict[str, set[str]] = defaultdict(set)
    readers: dict[str, set[str]] = defaultdict(set)
    for path in sorted(Path(urlset.builder.__file__).parent.glob("*.py")):
        for name, is_write in uses(path):
            (writers if is_write else readers)[name].add(path.stem)
    return writers, readers


def test_every_table_in_the_sql_of_the_builder_is_declared():
    writers, readers = found_uses()

    assert len(DECLARED) == len(STAGING_TABLES) == len(CONSTANTS)
    assert (writers.keys() | readers.keys()) - OTHERS == DECLARED.keys()


@pytest.mark.parametrize("table", STAGING_TABLES, ids=str)
def test_writers_and_readers_are_declared(table: StagingTable):
    writers, readers = found_uses()

    assert set(table.writers) == writers[table.name]
    assert set(table.readers) == readers[table.name]


class _Failing:
    """A source that cannot be read."""

    name = "failing"

    def __init__(self):
        self.failures, self.notes = [], []

    def batches(self):
        raise SourceError("cannot be read")


def test_tables_have_the_declared_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    columns: dict[str, set[str]] = defaultdict(set)
    created = re.compile(r"CREATE (?:OR REPLACE )?(?:TABLE|VIEW) ([a-z_]+)\b(?!\.)")

    def observed(name: str) -> None:
        original = getattr(ScratchDatabase, name)

        def method(self: ScratchDatabase, *values: Any) -> None:
            original(self, *values)
            for text in values:
                if isinstance(text, str) and (found := created.search(text)):
                    columns[found[1]].update(self.columns(found[1]))

        monkeypatch.setattr(ScratchDatabase, name, method)

    observed("run")
    observed("insert")
    monkeypatch.setattr(incremental, "PARTITION_ROWS", 3)
    pages, urls = tmp_path / "pages", tmp_path / "urls.txt"
    pages.mkdir()
    (pages / "index.html").write_text("<title>Tea</title><p>Tea")
    rows = [{"loc": f"/p{n}", "images": [{"loc": "/i.png"}]} for n in (0, 1, 2, 2)]
    ledger = tmp_path / "ledger.duckdb"

    for sources in (
        [{"loc": f"/p{n}"} for n in range(8)],
        rows,  # fewer fit into a file of two URLs, and one is listed twice
        pages,
        urls,
        urls,  # the ledger knows its rows now
        _Failing(),
    ):
        urls.write_text(f"{BASE}a\n{BASE}b\n")
        out = tmp_path / "out"
        most = 2 if sources is rows else 50
        build(
            sources,
            out,
            base_url=BASE,
            ledger=ledger,
            min_share=0,
            max_urls=most,
            on_error="skip",
        )

    assert columns.keys() == DECLARED.keys()
    for name, table in DECLARED.items():
        is_varying = name in {"sorted_rows"}  # without the columns that are constant
        assert (
            set(table.columns) <= columns[name]
            if is_varying
            else set(table.columns) == columns[name]
        ), name

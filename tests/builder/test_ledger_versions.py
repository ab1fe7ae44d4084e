"""A ledger of the version before is updated: its content stays, and so does what is published."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from urlset.builder.ledger import TABLES, VERSION, Ledger
from urlset.errors import StoreError
from urlset.store import ScratchDatabase

BASE = "https://example.com/"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADDED: dict[int, dict[str, tuple[str, ...]]] = {
    5: {"sources": ("version", "rows")},
    6: {"builds": ("warnings",)},
}


def build(folder: Path, urls: str, *, hours: int, compact: bool = False, dry_run: bool = False):
    return urlset.build(
        [{"loc": f"/{name}", "lastmod": f"2026-01-{ord(name) - 96:02}"} for name in urls],
        folder / "public",
        base_url=BASE,
        ledger=folder / "ledger.duckdb",
        max_urls=2,
        now=NOON + timedelta(hours=hours),
        grace="7d",
        min_share=0.0,
        compact=compact,
        dry_run=dry_run,
    )


def content(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all tables without the columns that updates add, and the version."""
    added = {name: columns for one in ADDED.values() for name, columns in one.items()}
    with duckdb.connect(str(folder / "ledger.duckdb"), read_only=True) as ledger:
        tables = ledger.execute(
            "SELECT schema_name || '.' || table_name, table_name FROM duckdb_tables()"
        ).fetchall()
        return {
            name: ledger.execute(
                "SELECT COLUMNS(lambda c: c NOT IN "
                f"{(*added.get(name, ()), 'version', '')})::VARCHAR FROM {full} ORDER BY ALL"
            ).fetchall()
            for full, name in tables
        }


def columns(folder: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(folder / "ledger.duckdb"), read_only=True) as ledger:
        return ledger.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE schema_name LIKE 'set%' ORDER BY ALL"
        ).fetchall()


def version(folder: Path) -> Any:
    with duckdb.connect(str(folder / "ledger.duckdb"), read_only=True) as ledger:
        ((schema,),) = ledger.execute(
            "SELECT schema_name FROM duckdb_tables() WHERE table_name = 'settings'"
        ).fetchall()
        ((found,),) = ledger.execute(f"SELECT version FROM {schema}.settings").fetchall()
        return found


def downgrade(folder: Path, *, found: int = 4, has_columns: bool = False) -> None:
    with duckdb.connect(str(folder / "ledger.duckdb")) as ledger:
        ((schema,),) = ledger.execute(
            "SELECT schema_name FROM duckdb_tables() WHERE table_name = 'sources'"
        ).fetchall()
        ledger.execute(f"UPDATE {schema}.settings SET version = {found}")
        for number, tables in ADDED.items():
            for table, columns in tables.items():
                if has_columns or number <= found:
                    continue
                for name in columns:
                    ledger.execute(f"ALTER TABLE {schema}.{table} DROP COLUMN {name}")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Set with two files, an index, URLs that are gone, and a file in its grace period."""
    build(tmp_path, "abcdef", hours=0)
    build(tmp_path, "abcg", hours=1, compact=True)
    return tmp_path


def test_the_columns_of_this_version_are_known():
    present = {(table.name, name) for table in TABLES for name, _, _ in table.columns}
    added = {(t, name) for one in ADDED.values() for t, columns in one.items() for name in columns}

    assert max(ADDED) == VERSION
    assert added <= present


@pytest.mark.parametrize("found", [4, 5])
def test_an_update_keeps_the_content(site: Path, found: int):
    before, shape = content(site), columns(site)
    assert all(before[name] for name in ("urls", "files", "indexes", "gone", "orphans", "builds"))
    downgrade(site, found=found)
    assert columns(site) != shape

    with ScratchDatabase() as database:
        Ledger(database, site / "ledger.duckdb", str(site / "public"), "sitemap")

    assert content(site) == before
    assert sorted(columns(site)) == sorted(shape)
    assert version(site) == VERSION


def test_a_build_after_an_update_is_that_of_a_ledger_of_this_version(tmp_path: Path):
    made = []
    for name in ("new", "old"):
        folder = tmp_path / name
        folder.mkdir()
        build(folder, "abcdef", hours=0)
        build(folder, "abcg", hours=1, compact=True)
        if name == "old":
            downgrade(folder)
        same = build(folder, "abcg", hours=2)
        assert (same.added, same.changed, same.removed, same.changed_files) == (0, 0, 0, ())
        result = build(folder, "abgh", hours=3)
        made.append(
            (
                (result.added, result.changed, result.removed),
                {file.name: file.read_bytes() for file in (folder / "public").iterdir()},
                content(folder),
                columns(folder),
            )
        )

    assert made[0] == made[1]


def test_a_dry_run_does_not_update(site: Path):
    downgrade(site)
    before = (site / "ledger.duckdb").read_bytes()

    result = build(site, "abcg", hours=2, dry_run=True)

    assert (result.added, result.removed, result.changed_files) == (0, 0, ())
    assert (site / "ledger.duckdb").read_bytes() == before


def test_an_update_that_was_ended_is_repeated(site: Path):
    before = content(site)
    downgrade(site, has_columns=True)

    build(site, "abcg", hours=2)

    assert version(site) == VERSION
    after = content(site)
    assert (after["urls"], after["gone"]) == (before["urls"], before["gone"])


@pytest.mark.parametrize("found", [1, VERSION + 1])
def test_a_ledger_of_another_version_is_refused(site: Path, found: int):
    downgrade(site, found=found, has_columns=True)
    before = (site / "ledger.duckdb").read_bytes()

    with pytest.raises(StoreError, match=f"expected a ledger of version {VERSION}, found {found}"):
        build(site, "abcg", hours=2)

    assert (site / "ledger.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("files", "bytes", "NULL"),
        ("files", "lastmod", "'290000-01-01'"),
        ("files", "lastmod", "'-infinity'"),
        ("files", "name", "NULL"),
        ("urls", "size", "NULL"),
        ("builds", "built_at", "'infinity'"),
    ],
)
def test_a_ledger_without_a_valid_value_is_refused(site: Path, table, column, value):
    with duckdb.connect(str(site / "ledger.duckdb")) as database:
        database.execute("SET TimeZone = 'UTC'")
        [(schema,)] = database.execute(
            "SELECT DISTINCT schema_name FROM duckdb_tables() WHERE table_name = 'files'"
        ).fetchall()
        database.execute(f'UPDATE "{schema}".{table} SET {column} = {value}')

    with pytest.raises(StoreError, match=f"found no valid {column} in its table {table}"):
        build(site, "abcg", hours=2)

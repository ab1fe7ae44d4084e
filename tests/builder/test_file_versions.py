"""A build does not read files again whose bytes are those of the last build, and misses no edit."""

import json
import os
import random
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

import urlset
from tests.amounts import amount
from urlset.sources import Table, TextSource

BASE = "https://example.com/"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
Row = dict[str, Any]


def write_csv(path: Path, rows: list[Row]) -> None:
    path.write_text("loc,lastmod\n" + "".join(f"{r['loc']},{r['lastmod']}\n" for r in rows))


def write_json(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def write_list(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(f"{row['loc']}\n" for row in rows))


def write_parquet(path: Path, rows: list[Row]) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def write_arrow(path: Path, rows: list[Row]) -> None:
    pyarrow.feather.write_feather(pyarrow.Table.from_pylist(rows), path, compression="uncompressed")


WRITERS: dict[str, Callable[[Path, list[Row]], None]] = {
    "csv": write_csv,
    "jsonl": write_json,
    "txt": write_list,
    "parquet": write_parquet,
    "arrow": write_arrow,
}


def page(number: int, day: int = 1) -> Row:
    return {"loc": f"{BASE}{number:04}", "lastmod": f"2026-01-{day:02}"}


def pages(count: int) -> list[Row]:
    return [page(number) for number in range(count)]


def build(folder: Path, *sources: Any, hours: float = 0, **options: Any) -> Any:
    return urlset.build(
        list(sources),
        folder / "public",
        ledger=folder / "ledger.duckdb",
        now=NOON + timedelta(hours=hours),
        **{"base_url": BASE, "max_urls": 10, "force": ("shrunk", "zero", "source"), **options},
    )


def listed(folder: Path) -> list[tuple[Any, Any]]:
    return sorted((entry.loc, entry.lastmod) for entry in urlset.read(folder / "public"))


@pytest.fixture
def reads(monkeypatch) -> list[str]:
    """The names of the files whose rows were read."""
    found: list[str] = []

    def noting(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def batches(source: Any) -> Any:
            found.append(source.name)
            return original(source)

        return batches

    for kind in (Table, TextSource):
        monkeypatch.setattr(kind, "batches", noting(kind.batches))
    return found


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_of_the_same_bytes_is_not_read_again(tmp_path: Path, reads, form: str):
    path = tmp_path / f"pages.{form}"
    WRITERS[form](path, pages(25))
    first = build(tmp_path, str(path))
    before = listed(tmp_path)
    assert reads == [str(path)]

    os.utime(path, (1, 1))
    again = build(tmp_path, str(path), hours=1)

    assert reads == [str(path)]
    assert (again.added, again.changed, again.removed, again.changed_files) == (0, 0, 0, ())
    assert (again.notes, again.urls, again.reused) == (first.notes, 25, (str(path),))
    assert listed(tmp_path) == before


def test_a_file_is_not_read_again_without_a_base_url(tmp_path: Path, reads):
    path = tmp_path / "pages.parquet"
    write_parquet(path, pages(25))
    for hours in (0, 1):
        result = build(tmp_path, str(path), hours=hours, base_url=None)
    assert result.reused == (str(path),)


@pytest.mark.parametrize("form", ["csv", "jsonl", "txt", "arrow"])
def test_an_edit_that_keeps_size_and_time_is_noticed(tmp_path: Path, form: str):
    path = tmp_path / f"pages.{form}"
    WRITERS[form](path, pages(25))
    state = path.stat()
    build(tmp_path, str(path))

    edited = [page(2000), *pages(25)[1:]]
    with path.open("r+b") as file:  # the same inode
        WRITERS[form](tmp_path / "new", edited)
        file.write((tmp_path / "new").read_bytes())
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    build(tmp_path, str(path), hours=1)

    assert [loc for loc, _ in listed(tmp_path)] == sorted(row["loc"] for row in edited)


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch):
    path, old, new = (tmp_path / name for name in ("pages.csv", "old", "new"))
    write_csv(path, pages(5))
    write_csv(old, pages(5))
    write_csv(new, pages(6))
    original = TextSource.batches

    def replaced(source: TextSource) -> Any:
        os.replace(new, path)  # after the digest was computed
        return original(source)

    with monkeypatch.context() as patch:
        patch.setattr(TextSource, "batches", replaced)
        build(tmp_path, str(path))
    assert len(listed(tmp_path)) == 6
    os.replace(old, path)  # the bytes of which the digest is
    build(tmp_path, str(path), hours=1)

    assert len(listed(tmp_path)) == 5


def test_a_date_that_was_in_the_future_is_published_later(tmp_path: Path):
    path = tmp_path / "pages.csv"
    path.write_text(f"loc,lastmod\n{BASE}a,2026-12-01\n")
    build(tmp_path, str(path))
    assert listed(tmp_path) == [(f"{BASE}a", None)]

    build(tmp_path, str(path), hours=24 * 20)

    ((_, lastmod),) = listed(tmp_path)
    assert lastmod is not None


@pytest.mark.parametrize("form", ["sqlite", "duckdb"])
def test_a_database_is_read_again(tmp_path: Path, reads, form: str):
    path = tmp_path / f"pages.{form}"
    connection: Any = (sqlite3 if form == "sqlite" else duckdb).connect(path)
    connection.execute(f"CREATE TABLE pages AS SELECT '{BASE}a' AS loc")
    connection.commit()
    connection.close()

    for hours in (0, 1):
        build(tmp_path, str(path), hours=hours)

    assert len(reads) == 2


def test_a_query_is_run_again(tmp_path: Path, reads):
    path = tmp_path / "pages.parquet"
    write_parquet(path, pages(5))
    for hours in (0, 1):
        build(tmp_path, str(path), hours=hours, query="SELECT loc FROM input")
    assert len(reads) == 2


def test_other_options_of_the_same_file_are_applied(tmp_path: Path):
    path = tmp_path / "pages.csv"
    path.write_text(f"a,b\n{BASE}a,{BASE}b\n")
    build(tmp_path, TextSource(str(path), mapping={"loc": "a"}))
    build(tmp_path, TextSource(str(path), mapping={"loc": "b"}), hours=1)
    assert [loc for loc, _ in listed(tmp_path)] == [f"{BASE}b"]


def test_another_version_of_urlset_reads_the_file_again(tmp_path: Path, reads, monkeypatch):
    path = tmp_path / "pages.csv"
    write_csv(path, pages(5))
    build(tmp_path, str(path))
    monkeypatch.setattr("urlset.builder.reuse.user_agent", lambda: "urlset/99")
    build(tmp_path, str(path), hours=1)
    assert len(reads) == 2


def sources_of(ledger: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{ledger}' AS ledger (READ_ONLY)")
        ((schema,),) = connection.execute(
            "SELECT schema_name FROM duckdb_tables() "
            "WHERE database_name = 'ledger' AND table_name = 'urls'"
        ).fetchall()
        return connection.execute(
            f"""SELECT s.name, count(*) FROM ledger.{schema}.urls u
            JOIN ledger.{schema}.sources s ON s.number = u.source GROUP BY s.name ORDER BY 1"""
        ).fetchall()


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_renamed_source_changes_no_row(tmp_path: Path, others: int):
    for number in range(others):
        write_csv(tmp_path / f"other{number}.csv", [page(9000 + number)])
    rest = [str(tmp_path / f"other{number}.csv") for number in range(others)]
    old, new = (tmp_path / name for name in ("old.csv", "new.csv"))
    write_csv(old, pages(25))
    write_csv(new, [*pages(25), page(30)])

    build(tmp_path, str(old), *rest)
    result = build(tmp_path, *rest, str(new), hours=1)

    assert (result.added, result.changed, result.removed) == (1, 0, 0)
    assert len(result.changed_files) == 2  # one sitemap, and the index
    assert sources_of(tmp_path / "ledger.duckdb") == sorted(
        [(str(new), 26), *((name, 1) for name in rest)]
    )


def test_sources_that_replace_each_other_are_read(tmp_path: Path):
    one, two = (tmp_path / name for name in ("one.csv", "two.csv"))
    write_csv(one, pages(5))
    write_csv(two, pages(6))
    for path, count in ((one, 5), (two, 6), (one, 5), (two, 6)):
        build(tmp_path, str(path))
        assert len(listed(tmp_path)) == count


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(amount(4, 100)))
def test_random_edits_are_all_published(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    form = chance.choice(list(WRITERS))
    options = {"gzip": chance.random() < 0.5}
    rows = {number: page(number) for number in range(chance.randrange(1, 60))}
    path = tmp_path / f"pages.{form}"
    WRITERS[form](path, list(rows.values()))

    for step in range(8):
        build(tmp_path, str(path), hours=step, **options)
        fresh = tmp_path / f"fresh{step}"
        fresh.mkdir()
        build(fresh, str(path), hours=step, **options)
        assert listed(tmp_path) == listed(fresh), f"seed {seed}, step {step}, {form}"

        state = path.stat()
        for _ in range(chance.randrange(4)):
            number = chance.randrange(80)
            if number in rows and len(rows) > 1 and chance.random() < 0.5:
                del rows[number]
            else:
                rows[number] = page(number, chance.randrange(1, 29))
        order = list(rows.values())
        if chance.random() < 0.3:
            chance.shuffle(order)
        if chance.random() < 0.2:
            path = path.rename(tmp_path / f"renamed{step}.{form}")
        WRITERS[form](path, order)
        if chance.random() < 0.7:
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

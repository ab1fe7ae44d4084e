"""A store of a stranger: neither its views nor its macros replace what urlset or DuckDB define."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

import urlset
from urlset.cli import main
from urlset.errors import SourceError, StoreError
from urlset.sources import Table
from urlset.store import Store
from urlset.store.inspection import objects_of

URLS = b"https://example.com/a\nhttps://example.com/B?x=1\n"

SHADOWS = {
    "a scalar function": ["CREATE MACRO lower(x) AS 'evil'"],
    "a function in capitals": ["CREATE MACRO \"LOWER\"(x) AS 'evil'"],
    "an aggregate": ["CREATE MACRO count(x) AS 5"],
    "an aggregate that the inspection uses": ["CREATE MACRO list(x) AS 1"],
    "a function that the inspection uses": ["CREATE MACRO concat_ws(a, b, c, d) AS 'x'"],
    "an operator": ["CREATE MACRO \"||\"(a, b) AS 'x'"],
    "a window function": ["CREATE MACRO row_number() AS 1"],
    "a table function": ["CREATE MACRO unnest(x) AS TABLE SELECT 1"],
    "the list of functions": [
        "CREATE TABLE t AS SELECT * FROM duckdb_functions() WHERE NOT internal",
        "UPDATE t SET database_name = 'store'",
        "CREATE MACRO duckdb_functions() AS TABLE FROM t",
        "CREATE MACRO md5(x) AS 'evil'",
    ],
    "the list of views": ["CREATE MACRO duckdb_views() AS TABLE SELECT 1 WHERE false"],
    "the list of columns": ["CREATE MACRO duckdb_columns() AS TABLE SELECT 1 WHERE false"],
    "a view of DuckDB": ["CREATE VIEW duckdb_tables AS SELECT 1 AS a"],
    "a table with the name of a view of DuckDB": ["CREATE TABLE duckdb_views (a INTEGER)"],
    "a schema with the name of the store": ["CREATE SCHEMA store"],
    "a schema with the name of another database": ["CREATE SCHEMA results"],
}


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a store, and change it by SQL."""
    monkeypatch.chdir(tmp_path)

    def make(*statements: str) -> str:
        urlset.read(URLS).to_duckdb("a.duckdb")
        with duckdb.connect("a.duckdb") as connection:
            for statement in statements:
                connection.execute(statement)
        return "a.duckdb"

    return make


@pytest.mark.parametrize("statements", SHADOWS.values(), ids=SHADOWS)
def test_a_store_that_redefines_a_name_of_duckdb_is_refused(statements, changed):
    path = changed(*statements)

    for read_only in (True, False):
        with pytest.raises(StoreError, match="differs from what urlset creates"):
            Store.open(path, read_only=read_only)
    with pytest.raises(SourceError, match="differs from what urlset creates"):
        list(urlset.check(path))


def test_a_store_with_other_names_is_read(changed):
    path = changed(
        "CREATE MACRO mine(x) AS x", "CREATE VIEW v AS SELECT 1 AS a", "CREATE SCHEMA notes"
    )

    assert len(list(urlset.read(path))) == 2


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE VIEW urlset_store AS SELECT content AS version FROM read_text('secret')"],
        ["CREATE VIEW urlset_store AS SELECT 1::UINTEGER AS version FROM read_text('secret')"],
        ["CREATE TABLE urlset_store AS SELECT 'token' AS version"],
        ["CREATE TABLE urlset_store (n INT, version UINTEGER GENERATED ALWAYS AS (n + 1))"],
    ],
    ids=["view of a file", "view that reads a file", "text", "computed"],
)
def test_the_version_of_a_store_comes_from_a_stored_table(statements, changed, capsys):
    Path("secret").write_text("token")
    path = changed("DROP TABLE urlset_store", *statements)

    with pytest.raises(StoreError, match="expected a urlset store") as caught:
        Store.open(path, read_only=True)
    main(["check", path])
    main(["read", path])
    main(["diff", path, path])

    assert "token" not in f"{caught.value}" + "".join(capsys.readouterr())


def test_a_table_of_a_foreign_file_is_converted_by_functions_of_duckdb(tmp_path):
    path = str(tmp_path / "pages.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 'https://example.com/' AS loc")
        connection.execute("CREATE VIEW pages AS FROM t")
        for name in ("duckdb_tables", "duckdb_views"):
            connection.execute(f"CREATE MACRO {name}() AS TABLE SELECT 1 WHERE false")

    for table in ("t", "pages"):
        (batch,) = Table(path, table=table).batches()
        assert batch.column("loc").to_pylist() == ["https://example.com/"]


def test_other_files_of_urlset_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_bytes(URLS)
    assert main(["build", "urls.txt", "--output", "public"]) == 0
    shutil.copy(".urlset/ledger.duckdb", "ledger.duckdb")
    with duckdb.connect("announcements.duckdb") as connection:
        connection.execute("CREATE TABLE announcements (url VARCHAR)")
        connection.execute("CREATE TABLE settings (version INTEGER)")
    capsys.readouterr()

    assert main(["read", "announcements.duckdb"]) == 2
    assert (
        "record of announcements: 'announcements.duckdb'; only `urlset submit` reads it"
        in capsys.readouterr().err
    )
    assert main(["read", "ledger.duckdb"]) == 2
    assert (
        "found the ledger of `urlset build`: 'ledger.duckdb'; to read what was published, name the "
        "folder of the sitemaps"
    ) in capsys.readouterr().err


MISSING = {
    "UPDATE entries SET loc = NULL": "loc in the table entries",
    "UPDATE documents SET url = NULL, kind = NULL": "kind in the table documents",
    "UPDATE documents SET entry_count = NULL": "entry_count in the table documents",
    "INSERT INTO entries (document, entry) VALUES (1, 3)": "loc in the table entries",
    "INSERT INTO problems (document, rule) VALUES (1, 'x')": "code in the table problems",
}


@pytest.mark.parametrize(("statement", "place"), MISSING.items())
def test_a_store_without_a_value_that_is_always_written_is_refused(
    statement, place, changed, capsys
):
    urlset.read(URLS).to_duckdb("base.duckdb")
    path = changed(statement)
    Path("K").write_text("example.com 0123456789abcdef")
    submit = ["submit", path, "--dry-run", "--no-preflight", "--keys", "K", "--all"]

    for arguments in (["read", path], ["check", path], ["diff", path, "base.duckdb"], submit):
        assert main(arguments) == 2
        words = "".join(capsys.readouterr())
        assert "expected a urlset store, found a row without" in words
        assert place in words


@pytest.mark.parametrize(("is_new", "count"), [(True, 0), (False, 1)])
def test_functions_are_listed_once_at_most(is_new, count, tmp_path, monkeypatch):
    path = str(tmp_path / "site.duckdb")
    if not is_new:
        Store.open(path).close()
    Store.open(str(tmp_path / "other.duckdb")).close()
    Store.open(str(tmp_path / "other.duckdb")).close()  # what each process reads once
    listed = []

    def noted(opened, database):
        listed.append(database)
        return objects_of(opened, database)

    monkeypatch.setattr("urlset.store.connection.objects_of", noted)
    Store.open(path).close()

    assert listed == ["store"] * count


def test_a_file_with_nothing_but_a_macro_is_no_empty_store(tmp_path):
    path = str(tmp_path / "site.duckdb")
    with duckdb.connect(path) as file:
        file.execute("CREATE MACRO twice(x) AS 2 * x")

    with pytest.raises(StoreError, match="expected a urlset store, found a DuckDB file"):
        Store.open(path)


def test_dates_of_a_parquet_file_that_are_none(tmp_path):
    path = str(tmp_path / "urls.parquet")
    query = "SELECT 'https://e.com/' AS loc, 'yesterday' AS lastmod"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")

    with pytest.raises(SourceError) as caught:
        list(urlset.read(path))

    assert str(caught.value) == (
        f"cannot read the entries of {path!r}: expected column 'lastmod' as "
        'Timestamp(µs, "UTC"), '
        "found Utf8 (some values do not have that type); cast it first; `urlset build` converts "
        "such columns"
    )

"""Columns of tables: missing, of a wrong type, or unused."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from tests.cli.test_commands import command
from tests.sources.test_query import server  # noqa: F401 - a fixture
from tests.sources.test_tables import parquet
from urlset.errors import EntryError, SourceError
from urlset.option_names import flags_in_messages
from urlset.sources import Query, open_source
from urlset.sources.factory import SourceOptions
from urlset.sources.tables.table import Table

BASE = "https://shop.example/"


@pytest.fixture
def urlset_(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def build(*sources, **options) -> urlset.Build:
    return urlset.build(list(sources), "public", base_url=BASE, ledger="l.duckdb", **options)


# ── sections by a column ─────────────────────────────────────────────────────────────────────


def test_table_without_the_column_of_sections_has_none_and_is_reported():
    parquet("SELECT '/tea' AS loc, 'drinks' AS kind", "a.parquet")
    parquet("SELECT '/about' AS loc", "b.parquet")
    Path("c.csv").write_text("loc\n/legal\n")
    Path("d.jsonl").write_text('{"loc": "/rye", "kind": "bread"}\n{"loc": "/faq"}\n')
    options = SourceOptions(keep=("kind",))
    names = ("a.parquet", "b.parquet", "c.csv", "d.jsonl")

    for _ in range(2):  # the second build takes another way
        result = build(*(open_source(n, options) for n in names), sections=("column:kind",))

        assert [(file.section, file.urls) for file in result.files] == [
            ("", 3),
            ("bread", 1),
            ("drinks", 1),
        ]
        assert [note for note in result.notes if "kind" in note] == [
            "b.parquet: no values in a column 'kind'; it assigns no URL to a section",
            "c.csv: no values in a column 'kind'; it assigns no URL to a section",
        ]


class Counting(Table):
    """A table that counts how often its rows are asked for."""

    asked = 0

    def batches(self) -> Any:
        Counting.asked += 1
        return super().batches()


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "arrow", "sqlite", "duckdb", "list"])
def test_wrong_column_of_the_last_source_is_found_before_the_first_row(form):
    first = Counting(parquet("SELECT '/tea' AS loc", "a.parquet"))
    mapping = {"lastmod": "updatd_at"}
    database = duckdb.connect()
    database.execute("CREATE OR REPLACE TABLE t AS SELECT '/b' AS loc, '2026' AS updated_at")
    if form == "list":
        Path("b.csv").write_text("loc,updated_at\n/b,2026\n")
        wrong: Any = open_source("b.csv", SourceOptions(mapping=mapping))
    elif form in ("parquet", "csv", "jsonl"):
        database.execute(f"COPY t TO 'b.{form}' (FORMAT {form.removesuffix('l')})")
        wrong = Table(f"b.{form}", mapping=mapping)
    elif form == "arrow":
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("arro3.io")
        table = pa.table({"loc": ["/b"], "updated_at": ["2026"]})
        with pa.ipc.new_file("b.arrow", table.schema) as writer:
            writer.write_table(table)
        wrong = Table("b.arrow", mapping=mapping)
    else:
        from tests.sources.test_tables import sqlite

        if form == "sqlite":
            sqlite("b.db")
        else:
            with duckdb.connect("b.db") as connection:
                connection.execute("CREATE TABLE t AS SELECT '/b' AS loc, '2026' AS updated_at")
        wrong = Table("b.db", mapping=mapping)
    Counting.asked = 0

    with pytest.raises(SourceError, match="expected a column 'updatd_at' for lastmod"):
        build(first, wrong)

    assert Counting.asked == 0


def test_wrong_column_of_a_query_is_found_before_the_first_row(server):  # noqa: F811
    first = Counting(parquet("SELECT '/tea' AS loc", "a.parquet"))
    query = "SELECT url AS loc, naive AS lastmod FROM pages"
    Counting.asked = 0

    with pytest.raises(SourceError, match="expected a date, or a time with its zone"):
        build(first, Query(server, query))

    assert Counting.asked == 0


# ── columns that are not used ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_column_that_could_be_used_is_reported_with_its_mapping(form):
    query = (
        "SELECT '/a' AS loc, '2026-01-01' AS lastmod, '2026-01-31' AS updated_at, 7 AS id, "
        "'/a.jpg' AS image_url, '/de/a' AS url_de"
    )
    duckdb.connect().execute(f"COPY ({query}) TO 'a.{form}'")

    notes = build(open_source(f"a.{form}")).notes

    assert notes == (
        f"a.{form}: column 'updated_at' is not used, as lastmod is column 'lastmod'; "
        'map="lastmod=updated_at" would use it',
        f"a.{form}: column 'image_url' is not used; map=\"images=image_url\" would use it",
        f"a.{form}: column 'url_de' is not used; map=\"alternates.de=url_de\" would use it",
    )
    mapping = "lastmod=updated_at,images=image_url,alternates.de="
    assert build(open_source(f"a.{form}", SourceOptions(mapping=mapping))).notes == ()


def test_column_of_a_database_that_could_be_used_is_reported(server):  # noqa: F811
    query = (
        "SELECT url AS loc, at AS updated_at, naive AS modified, i AS changed FROM pages LIMIT 1"
    )

    notes = urlset.build(
        Query(server, query), "public", base_url="https://example.com/", ledger="l.duckdb"
    ).notes

    name = Query(server, "").name
    assert notes == (
        f"{name}: column 'updated_at' is not used; map=\"lastmod=updated_at\" would use it",
        f"{name}: column 'modified' is not used; map=\"lastmod=utc:modified\" would use it",
        f"{name}: column 'changed' is not used; map=\"lastmod=epoch:changed\" would use it",
    )


def test_column_of_instants_in_nanoseconds_is_proposed_without_a_conversion():
    at = "TIMESTAMPTZ '2026-01-31 12:00:00+00'"
    path = parquet(f"SELECT '/a' AS loc, {at}::TIMESTAMPTZ_NS AS updated_at")

    (note,) = build(open_source(path)).notes

    assert 'map="lastmod=updated_at"' in note


def test_column_that_holds_the_urls_is_proposed():
    path = parquet("SELECT 1 AS id, '/a' AS permalink")

    with pytest.raises(SourceError, match='map the column with the URLs: map="loc=permalink"'):
        build(open_source(path))
    with (
        flags_in_messages(),
        pytest.raises(SourceError, match="map the column with the URLs: --map loc=permalink"),
    ):
        build(open_source(path))


def test_a_column_of_urls_that_is_no_text_names_what_the_caller_has():
    path = parquet("SELECT 1 AS loc")
    renames = r"rename the column that holds the URLs \(`urlset build` has --map for it\)"

    for verb, words in (("read", renames), ("diff", renames), ("build", "URLs: --map loc=COLUMN$")):
        with flags_in_messages(verb), pytest.raises(SourceError, match=words):
            list(Table(path).batches())
    with pytest.raises(SourceError, match=r"\(mapping of urlset\.sources\.Table\)"):
        list(Table(path).batches())


@pytest.mark.parametrize("value", ["infinity", "-infinity", "294246-01-01 00:00:00+00"])
def test_moment_beyond_all_calendars_is_refused_with_its_row(value):
    rows = f"VALUES ('/a', TIMESTAMPTZ '2026-01-31 12:00:00+00'), ('/b', '{value}'), ('/c', NULL)"
    path = parquet(f"SELECT * FROM ({rows}) t(loc, lastmod)")

    words = r"a\.parquet, row 2: lastmod: expected a W3C date .*, found '-?\w+"
    with pytest.raises(EntryError, match=words):
        build(open_source(path))

    result = build(open_source(path), on_error="skip")
    assert (result.urls, len(result.rejected)) == (2, 1)
    assert [entry.lastmod_text for entry in urlset.read("public/sitemap.xml")] == [
        "2026-01-31T12:00:00Z",
        None,
    ]


# ── the command ──────────────────────────────────────────────────────────────────────────────


def test_gate_with_json_prints_json(urlset_):
    Path("a.txt").write_text("https://other.example/a\n")

    ran = urlset_("build", "a.txt", "-o", "out", "--base-url", BASE, "--json")

    assert ran.code == 13
    found = json.loads(ran.out)
    assert (found["gate"], found["exit_code"]) == ("hosts", 13)
    assert "expected URLs of shop.example" in found["error"]
    assert "expected URLs of shop.example" in ran.err


def test_json_array_is_a_source_of_the_command(urlset_):
    Path("a.json").write_text('[{"loc": "/a"}, "/b"]')

    ran = urlset_("build", "a.json", "-o", "out", "--base-url", BASE, "--json")

    assert json.loads(ran.out)["urls"] == 2
    query = "SELECT loc || 'x' AS loc FROM input"
    Path("b.json").write_text('[{"loc": "/a"}]')
    ran = urlset_("build", "b.json", "--query", query, "-o", "two", "--base-url", BASE)
    assert Path("two/sitemap.xml").read_text().count("/ax</loc>") == 1


def test_column_of_a_type_that_cannot_be_read_is_an_error_with_advice():
    pa = pytest.importorskip("pyarrow")
    shares = pa.array([0.5]).cast(pa.float16())
    table = pa.table({"loc": [BASE], "share": shares})

    with pytest.raises(SourceError, match=r"; cast the columns of this type to text .* leave them"):
        build(table)

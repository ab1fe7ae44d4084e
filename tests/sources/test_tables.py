"""Tables as sources of a build: every kind of file, every type of column, and hostile ones."""

import gzip
import json
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

import urlset
from urlset.errors import QueryError, SourceError
from urlset.sources.tables.column_plan import ColumnPlan, parse_mapping
from urlset.sources.tables.table import Table
from urlset.store import Store


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rows(source) -> list[dict]:
    """The rows of a source, without what is empty and without the name of the file."""
    found = [row for batch in source.batches() for row in batch.to_struct_array().to_pylist()]
    return [
        {name: value for name, value in row.items() if value not in (None, []) and name != "source"}
        for row in found
    ]


def parquet(query: str, path: str = "a.parquet") -> str:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({query}) TO '{path}'")
    return path


PAGES: list[dict] = [{"loc": "/a", "lastmod_text": "2026-01-31", "priority": 0.5}, {"loc": "/b"}]
CSV = "loc;Last-Mod;Priority\n/a;2026-01-31;0.5\n\n/b;;\n"


# ── kinds of files ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_csv_of_any_delimiter(mark):
    Path("a.csv").write_text(CSV.replace(";", mark))

    assert rows(Table("a.csv")) == PAGES


def test_csv_that_is_packed_and_begins_with_a_mark():
    Path("a.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + CSV.encode()))

    assert rows(Table("a.csv.gz")) == PAGES


def test_json_lines_keep_dates_as_they_stand():
    Path("a.jsonl").write_text(
        '{"url": "/a", "lastmod": "2026-01-31", "priority": 0.5}\n'
        '{"url": "/b", "lastmod": "2026-01-31T10:00:00+02:00", "images": [{"loc": "/i.png"}]}\n'
    )

    first, second = rows(Table("a.jsonl"))

    assert first == PAGES[0]
    assert second["lastmod_text"] == "2026-01-31T10:00:00+02:00"
    assert second["images"][0]["loc"] == "/i.png"


def test_json_lines_keep_dates_in_structs_as_they_stand():
    news = {"name": "n", "publication_date": "2026-01-31T10:00:00Z", "title": "t"}
    Path("a.jsonl").write_text(json.dumps({"loc": "/a", "news": news}) + "\n")

    (row,) = rows(Table("a.jsonl"))

    assert row["news"]["publication_date"] == "2026-01-31T10:00:00Z"


def test_parquet_with_an_instant():
    path = parquet("SELECT '/a' AS url, TIMESTAMPTZ '2026-01-31 12:00:00+02' AS lastmod")

    assert rows(Table(path)) == [{"loc": "/a", "lastmod": datetime(2026, 1, 31, 10, tzinfo=UTC)}]


def test_parquet_with_an_instant_in_nanoseconds_as_pandas_writes_it():
    pa = pytest.importorskip("pyarrow")
    parquet_format = pytest.importorskip("pyarrow.parquet")
    times = pa.array([1_769_853_600_000_000_000, None], pa.timestamp("ns", "America/New_York"))
    parquet_format.write_table(pa.table({"loc": ["/a", "/b"], "lastmod": times}), "a.parquet")

    dated = {"loc": "/a", "lastmod": datetime(2026, 1, 31, 10, tzinfo=UTC)}
    assert rows(Table("a.parquet")) == [dated, {"loc": "/b"}]
    day = {"loc": "/a", "lastmod_text": "2026-01-31"}
    assert rows(Table("a.parquet", mapping="lastmod=date:lastmod")) == [day, {"loc": "/b"}]


@pytest.mark.parametrize("form", ["file", "stream"])
def test_arrow(form):
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("arro3.io")
    table = pa.table({"loc": ["/a", "/b"], "kind": pa.array(["x", "y"]).dictionary_encode()})
    make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with make("a.arrow", table.schema) as writer:
        writer.write_table(table)

    found = rows(Table("a.arrow", keep=("kind",)))

    assert found == [{"loc": "/a", "kind": "x"}, {"loc": "/b", "kind": "y"}]


def sqlite(path: str = "a.db") -> str:
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE pages (id INTEGER, url TEXT, last_mod TEXT, priority REAL)"
        )
        connection.execute("INSERT INTO pages VALUES (1, '/a', '2026-01-31', 0.5)")
        connection.execute("INSERT INTO pages VALUES (2, '/b', NULL, NULL)")
    connection.close()
    return path


def test_sqlite():
    assert rows(Table(sqlite(), keep=("id",))) == [PAGES[0] | {"id": "1"}, PAGES[1] | {"id": "2"}]


def test_sqlite_that_writes_ahead_gets_no_files_beside():
    connection = sqlite3.connect(sqlite())
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()

    assert len(rows(Table("a.db"))) == 2

    assert [path.name for path in Path().iterdir()] == ["a.db"]


def test_sqlite_with_a_column_that_changes_its_type():
    connection = sqlite3.connect("a.db")
    connection.execute("CREATE TABLE t (loc, n)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [("/a", 1)] * 8_192 + [("/b", "x")])
    connection.commit()
    connection.close()

    with pytest.raises(SourceError, match="'n' as in its first rows, found 'x' in row 8,193"):
        rows(Table("a.db", keep=("n",)))


def test_sqlite_replaces_bytes_that_are_not_utf8_in_texts_and_blobs():
    connection = sqlite3.connect("a.db")
    connection.execute("CREATE TABLE t (loc, n)")
    for text in ("CAST(x'61ff' AS TEXT)", "x'c3a9'", "1.5", "NULL", "'é'"):
        connection.execute(f"INSERT INTO t VALUES ('/', {text})")
    connection.commit()
    connection.close()

    found = rows(Table("a.db", keep=("n",)))

    assert [row.get("n") for row in found] == ["a\ufffd", "é", "1.5", None, "é"]


def test_duckdb_and_a_query_over_it():
    with duckdb.connect("a.duckdb") as connection:
        connection.execute("CREATE TABLE pages AS SELECT '/a' AS loc, 'x' AS category")

    assert rows(Table("a.duckdb", keep=("category",))) == [{"loc": "/a", "category": "x"}]
    query = "SELECT loc || '?' AS url FROM pages"
    assert rows(Table("a.duckdb", query=query)) == [{"loc": "/a?"}]


def test_store_goes_by_its_entries():
    data = (
        b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' "
        b"xmlns:x='http://www.w3.org/1999/xhtml'><url><loc>https://e.com/a</loc>"
        b"<lastmod>2026-01</lastmod><x:link rel='alternate' hreflang='de' href='https://e.com/de'/>"
        b"</url><url><loc>https://e.com/b</loc><lastmod>Fri, 02 Jan 2026 10:00:00 GMT</lastmod>"
        b"</url></urlset>"
    )
    with Store.open("a.duckdb") as store:
        store.fill(urlset.read(data))

    first, second = rows(Table("a.duckdb"))

    assert (first["lastmod_text"], first["alternates"][0]["hreflang"]) == ("2026-01", "de")
    assert first["line"] == 1
    assert "lastmod_text" not in second
    assert second["lastmod"] == datetime(2026, 1, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lastmod", "written", "expected"),
    [
        ("TIMESTAMPTZ '2026-01-01 00:00Z'", "2026-01-01", "2026-01-01"),
        ("TIMESTAMPTZ '2026-01-01 00:00Z'", "2026-01", "2026-01"),
        ("TIMESTAMPTZ '2026-01-01 00:00Z'", "2026", "2026"),
        ("TIMESTAMPTZ '2026-01-01 08:00Z'", "2026-01-01T10:00+02:00", "2026-01-01T10:00+02:00"),
        ("TIMESTAMPTZ '2026-03-01 08:00Z'", "2026-01-01", None),  # changed since
        ("TIMESTAMPTZ '2026-03-01 08:00Z'", "soon", None),
        ("NULL::TIMESTAMPTZ", "2026-01-01", "2026-01-01"),
        ("DATE '2026-01-01'", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("DATE '2026-03-01'", "2026-01-01", "2026-03-01"),
        ("'2026-01-01T00:00:00Z'", "2026-01-01", "2026-01-01"),
        ("'2026-03-01'", "2026-01-01", "2026-03-01"),
        ("'2026-01-01'", "2026", "2026-01-01"),  # less precise
        ("'2026-01-01'", "2026-02-30", "2026-01-01"),  # no date
        ("DATE '2026-01-01'", "2026-02-30", "2026-01-01"),
        ("'Tue, 02 Jan 2026 00:00:00 GMT'", "2020-01-01", "Tue, 02 Jan 2026 00:00:00 GMT"),
        ("'yesterday'", "2020-01-01", "yesterday"),
        ("TIMESTAMPTZ 'infinity'", "2020-01-01", "infinity"),
        ("''", "2026-01-01", "2026-01-01"),
    ],
)
def test_lastmod_text_is_the_date_as_written(lastmod, written, expected):
    query = f"SELECT '/a' AS loc, {lastmod} AS lastmod, '{written}' AS lastmod_text"

    assert rows(Table(parquet(query)))[0].get("lastmod_text") == expected


@pytest.mark.parametrize("written", ["'2026-01-31'", "DATE '2026-01-31'"])
def test_lastmod_text_without_lastmod(written):
    path = parquet(f"SELECT '/a' AS loc, {written} AS lastmod_text, 'x' AS more")

    table = Table(path)
    assert rows(table) == [{"loc": "/a", "lastmod_text": "2026-01-31"}]
    assert table.unused_columns == ["more"]
    assert rows(Table(path, mapping="lastmod=")) == [{"loc": "/a"}]
    mapped = rows(Table(path, mapping="page_lastmod=lastmod_text"))
    assert mapped == [{"loc": "/a", "page_lastmod": "2026-01-31"}]


@pytest.mark.parametrize("other", ["7", "true", "['2026-01-31']", "TIMESTAMP '2026-01-31 10:00'"])
def test_a_column_lastmod_text_of_other_types_is_not_used(other):
    path = parquet(f"SELECT '/a' AS loc, {other} AS lastmod_text")

    assert rows(Table(path)) == [{"loc": "/a"}]


@pytest.mark.parametrize("make", [sqlite, None])
def test_table_is_to_be_named_where_there_are_several(make):
    if make:
        with sqlite3.connect(make("a")) as connection:
            connection.execute("CREATE TABLE other (x)")
        connection.close()
    else:
        with duckdb.connect("a") as database:
            database.execute("CREATE TABLE pages AS SELECT '/a' AS url")
            database.execute("CREATE TABLE other AS SELECT 1 AS x")

    with pytest.raises(SourceError, match=r"expected one table in 'a', found other, pages"):
        rows(Table("a"))
    with pytest.raises(SourceError, match="expected a table 'nix'"):
        rows(Table("a", table="nix"))
    assert rows(Table("a", table="pages"))[0]["loc"] == "/a"


# ── columns ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ("lastmod=day", {"lastmod_text": "2026-01-31"}),
        ("lastmod=utc:clock", {"lastmod": datetime(2026, 1, 31, 12, tzinfo=UTC)}),
        ("lastmod=date:clock", {"lastmod_text": "2026-01-31"}),
        ("lastmod=utc:text", {"lastmod": datetime(2026, 1, 31, 12, tzinfo=UTC)}),
        ("lastmod=date:text", {"lastmod_text": "2026-01-31"}),
        ("lastmod=text", {"lastmod_text": "2026-01-31 12:00:00"}),
        ("lastmod=epoch:number", {"lastmod": datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)}),
        ("lastmod=epoch_ms:ms", {"lastmod": datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)}),
        ("lastmod=epoch:ms", {"lastmod_text": "1700000000000"}),
        ("lastmod=utc:word", {"lastmod_text": "soon"}),
        ("priority=word", {"priority": pytest.approx(float("nan"), nan_ok=True)}),
        ("priority=small", {"priority": 0.8}),
        ("section=number", {"section": "1700000000"}),
        ("page_lastmod=utc:clock", {"page_lastmod": "2026-01-31T12:00:00Z"}),
    ],
)
def test_mapping(mapping, expected):
    path = parquet(
        "SELECT '/a' AS url, DATE '2026-01-31' AS day, TIMESTAMP '2026-01-31 12:00:00' AS clock, "
        "'2026-01-31 12:00:00' AS text, 'soon' AS word, 1700000000 AS number, "
        "1700000000000 AS ms, 0.8::FLOAT AS small"
    )

    assert rows(Table(path, mapping=mapping)) == [{"loc": "/a"} | expected]


def test_alternates_of_locale_columns_and_images_of_one():
    path = parquet(
        "SELECT '/a' AS url, '/de' AS de, NULL::VARCHAR AS fr, '/1.png; /2.png;' AS pictures"
    )
    mapping = "alternates.de=de,alternates.fr=fr,alternates.x-default=url,images=split(;):pictures"

    (row,) = rows(Table(path, mapping=mapping))

    assert [(each["hreflang"], each["href"]) for each in row["alternates"]] == [
        ("de", "/de"),
        ("x-default", "/a"),
    ]
    assert [image["loc"] for image in row["images"]] == ["/1.png", "/2.png"]


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ("lastmod=update_at", "expected a column 'update_at' for lastmod, found .* 'updated_at'"),
        ("lastmodd=updated_at", "found 'lastmodd'; is 'lastmod' meant"),
        ("lastmod=updated_at", "type TIMESTAMP; the zone of the time is unknown: map it as utc"),
        ("lastmod=id", "column 'id' of type INTEGER; map it as epoch"),
        ("loc=id", "expected text .* for loc, found column 'id' of type INTEGER"),
        ("news=id", "expected an object, or JSON for news, found column 'id' of type INTEGER"),
        ("loc=", "expected a column for loc, found none"),
        ("loc=epoch:id", "expected epoch: before a column of a date, found it for loc"),
    ],
)
def test_mapping_that_cannot_be_meant(mapping, words):
    path = parquet("SELECT '/a' AS url, 1 AS id, TIMESTAMP '2026-01-31 12:00:00' AS updated_at")

    with pytest.raises(SourceError, match=words):
        rows(Table(path, mapping=mapping))


def test_naive_time_is_refused_as_write_refuses_it():
    path = parquet("SELECT '/a' AS url, TIMESTAMP '2026-01-31 12:00:00' AS lastmod")

    with pytest.raises(SourceError, match="the zone of the time is unknown"):
        rows(Table(path))
    with pytest.raises(urlset.EntryError, match="the zone of the time is unknown"):
        urlset.write([{"loc": "https://e.com/", "lastmod": datetime(2026, 1, 31)}], "out")  # noqa: DTZ001


def test_column_called_loc_of_numbers():
    with pytest.raises(SourceError, match="found column 'loc' of type INTEGER"):
        rows(Table(parquet("SELECT 1 AS loc")))


def test_two_columns_for_one_field():
    with pytest.raises(SourceError, match="one column for lastmod, found LastMod and last_mod"):
        rows(Table(parquet("SELECT '/a' AS url, '' AS \"LastMod\", '' AS last_mod")))


def test_kept_columns_are_text():
    path = parquet("SELECT '/a' AS url, [1, 2] AS list, 1.5 AS number, DATE '2026-01-31' AS day")

    (row,) = rows(Table(path, keep=("list", "number", "day")))

    assert row == {"loc": "/a", "list": "[1,2]", "number": "1.5", "day": "2026-01-31"}


def test_names_with_quotes_are_no_sql():
    path = parquet('SELECT \'/a\' AS "u""r\'l", \'x\' AS "a) b"')

    (row,) = rows(Table(path, mapping={"loc": "u\"r'l", "alternates.de": "a) b"}))

    assert (row["loc"], row["alternates"][0]["href"]) == ("/a", "x")


def test_parse_mapping_keeps_a_comma_that_separates_images():
    assert parse_mapping("images=split(,):a,loc=b") == {"images": "split(,):a", "loc": "b"}
    for text in ("loc", "=loc", "loc=a,loc=b"):
        with pytest.raises(ValueError, match="expected"):
            parse_mapping(text)


def test_column_that_can_hold_no_structs_is_refused_unless_it_is_mapped_away():
    columns = {"loc": "VARCHAR", "news": "BOOLEAN", "source": "VARCHAR"}

    with pytest.raises(SourceError, match=r"found column 'news' of type BOOLEAN; .* none: news="):
        ColumnPlan.of(columns, name="x")
    expressions = ColumnPlan.of(columns, name="x", mapping={"news": ""}).expressions

    assert [name for name, _ in expressions] == ["loc", "source"]
    assert expressions[1][1] == "'x'::VARCHAR"


# ── hostile ones ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.csv", b'loc,x\n/a,"never closed\n/b,2\n', "line 2: Value with unterminated quote"),
        ("a.csv", b"loc,x\n/a,1\n/b\n", "line 3: Expected Number of Columns: 2 Found: 1"),
        ("a.csv", b"loc,loc\n", "'loc' twice"),
        ("a.csv", b"", "an empty file"),
        ("a.csv", b"id,title\n1,x\n", "expected a column 'loc' or 'url', found id, title"),
        ("a.csv.gz", gzip.compress(b"loc\n" + b"/a\n" * 9_999)[:-9], "a.csv.gz"),
        ("a.jsonl", b'{"loc": "/a"}\njunk\n{"loc": "/b"}\n', "line 2: unexpected character"),
        ("a.jsonl", b'{"loc": "/a"}\n' * 9 + b"[1", "line 10: "),
        ("a.jsonl", b'{"loc": "/a\xff"}\n', "line 1: invalid UTF-8"),
        ("a.csv", b"loc\n/a\n/\xff\n", "line 3: Invalid unicode"),
        ("a.parquet", b"PAR1" + b"\0" * 20, "expected a Parquet file"),
        ("a.db", b"SQLite format 3\0" + b"\xff" * 5_000, "expected an SQLite file"),
        ("a.duckdb", b"\0" * 8 + b"DUCK" + b"\xff" * 9_000, "expected a DuckDB file"),
        ("a.feather", b"FEA1" + b"\0" * 20, "Feather version 1"),
        ("a.arrow", b"ARROW1\0\0" + b"\xff" * 50, "expected a file of Arrow"),
        ("a.bin", b"\x89PNG", "another kind of file"),
    ],
)
def test_file_that_is_none(name, data, words):
    if name == "a.arrow":
        pytest.importorskip("arro3.io")
    Path(name).write_bytes(data)

    with pytest.raises(SourceError, match=words):
        rows(Table(name))


def test_parquet_cut_off():
    data = Path(parquet("SELECT '/' || i AS loc FROM range(99999) t(i)")).read_bytes()
    Path("a.parquet").write_bytes(data[:-100])

    with pytest.raises(SourceError, match=r"expected a Parquet file, found 'a\.parquet'"):
        rows(Table("a.parquet"))


def test_csv_with_nuls_passes_them_on_to_be_refused():
    Path("a.csv").write_bytes(b"loc,x\n/a\0b,1\n/c,2\n")

    assert [row["loc"] for row in rows(Table("a.csv"))] == ["/a\0b", "/c"]


@pytest.mark.parametrize("path", [sqlite, lambda: parquet("SELECT '/a' AS url")])
@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM pages",
        "SELECT 1 AS url; DELETE FROM pages",
        "ATTACH 'other.db' AS other",
        "PRAGMA user_version = 3",
        "SELECT nix FROM pages",
        "nonsense",
        "",
    ],
)
def test_query_that_only_reads(path, query):
    file = path()
    before = Path(file).read_bytes()

    with pytest.raises((QueryError, SourceError)):
        rows(Table(file, query=query))

    assert Path(file).read_bytes() == before
    assert [path.name for path in Path().iterdir()] == [file]


def test_duckdb_file_is_not_written():
    with duckdb.connect("a.duckdb") as connection:
        connection.execute("CREATE TABLE pages AS SELECT '/a' AS loc")
    before = Path("a.duckdb").read_bytes()

    with pytest.raises(QueryError, match=r"expected one query .* found DELETE"):
        rows(Table("a.duckdb", query="DELETE FROM pages"))
    rows(Table("a.duckdb"))

    assert Path("a.duckdb").read_bytes() == before
    assert [path.name for path in Path().iterdir()] == ["a.duckdb"]


MEMORY = """
import sys
from urlset.sources.tables.table import Table
table = Table(sys.argv[1], mapping="lastmod=at")
assert sum(batch.num_rows for batch in table.batches()) == 5_000_000
# Not ru_maxrss, which begins with that of the process that started this one.
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(peak[0].split()[1]) >> 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
def test_five_million_rows_pass_in_little_memory():
    path = parquet(
        "SELECT 'https://example.com/products/' || i AS url, "
        "TIMESTAMPTZ '2026-01-01 00:00:00Z' + to_seconds(i) AS at FROM range(5000000) t(i)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", MEMORY, path], capture_output=True, text=True, check=True
    )

    assert int(ran.stdout) < 300


@pytest.mark.parametrize("name", ["a[1].parquet", "a*.parquet", "a?.parquet", "a{b}.parquet"])
def test_a_name_with_signs_of_patterns(name):
    parquet("SELECT '/a' AS loc", "plain.parquet")
    Path("plain.parquet").rename(name)

    assert rows(Table(name)) == [{"loc": "/a"}]

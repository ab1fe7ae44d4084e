"""`urlset read` of tables: CSV, JSON lines, Parquet, Arrow and SQLite."""

import json
import shlex
import sqlite3
from datetime import datetime
from pathlib import Path

import polars
import pytest

import urlset as library
from tests.cli.test_commands import RICH, command
from urlset.cli.console import format_size


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def rows(ran):
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.parametrize(
    ("name", "by_pipe"),
    [
        ("out.csv", False),
        ("out.csv", True),
        ("out.jsonl", False),
        ("out.jsonl", True),
        ("out.parquet", False),
    ],
)
def test_read_takes_what_it_has_written(name, by_pipe, urlset):
    before = rows(urlset("read", "-", "--format", "jsonl", stdin=RICH))
    urlset("read", "-", "--output", name, stdin=RICH)

    data = Path(name).read_bytes() if by_pipe else b""
    ran = urlset("read", "-" if by_pipe else name, "--format", "jsonl", stdin=data)

    assert ran.code == 0
    kept = ("loc", "lastmod", "changefreq", "priority")
    assert [[row[key] for key in kept] for row in rows(ran)] == [
        [row[key] for key in kept] for row in before
    ]
    if name == "out.jsonl":
        assert [row.get("images") for row in rows(ran)] == [row.get("images") for row in before]


def test_read_of_csv_knows_where_a_row_stands_and_what_is_no_url(urlset):
    Path("u.csv").write_text("url;lastmod;priority\nhttps://e.com/a;2026-01-31;high\n/b;;\n")

    alone = urlset("read", "u.csv", "--format", "jsonl")
    based = urlset("read", "u.csv", "--format", "jsonl", "--base-url", "https://e.com/")
    since = urlset("read", "u.csv", "--format", "txt", "--since", "2026-01-01")

    assert rows(alone) == [
        {
            "loc": "https://e.com/a",
            "lastmod": "2026-01-31",
            "changefreq": None,
            "priority": None,
            "source": "u.csv",
            "line": 2,
        }
    ]
    assert alone.code == 1
    assert "u.csv: 1 row excluded: expected a URL in loc, found '/b' in line 3" in alone.err
    assert [row["loc"] for row in rows(based)] == ["https://e.com/a", "https://e.com/b"]
    assert based.code == 0
    assert since.out == "https://e.com/a\n"


def test_read_of_a_file_of_sqlite(urlset):
    with sqlite3.connect("s.db") as connection:
        connection.execute("CREATE TABLE pages (url TEXT, lastmod TEXT)")
        connection.execute("INSERT INTO pages VALUES ('https://e.com/a', '2026-01-31')")
    connection.close()

    ran = urlset("read", "s.db", "--format", "csv")

    assert ran.out.splitlines()[1].startswith("https://e.com/a,2026-01-31,,,")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_read_of_columns_of_others_reports_rows_without_a_url_and_keeps_dates(form, urlset):
    frame = polars.DataFrame(
        {
            "loc": ["https://e.com/a", "https://e.com/b", None, "", "no url"],
            "lastmod": ["2026-01-31", "31/01/2026", None, "", None],
            "images": [["https://e.com/a.jpg"], [], None, None, None],
        }
    )
    write = frame.write_parquet if form == "parquet" else frame.write_ipc
    write(f"u.{form}")

    ran = urlset("read", f"u.{form}", "--format", "jsonl")
    tree = urlset("read", f"u.{form}", "--tree")
    urlset("read", f"u.{form}", "--output", "s.duckdb")
    stored = urlset("read", "s.duckdb", "--format", "txt")

    assert [(row["loc"], row["lastmod"], row.get("images")) for row in rows(ran)] == [
        ("https://e.com/a", "2026-01-31", [{"loc": "https://e.com/a.jpg"}]),
        ("https://e.com/b", None, None),
    ]
    assert ran.code == tree.code == 1
    assert tree.out.splitlines()[0].endswith(format_size(Path(f"u.{form}").stat().st_size))
    assert f"u.{form}: 3 rows excluded: expected a URL in loc, found none" in ran.err
    assert stored.out == "https://e.com/a\nhttps://e.com/b\n"


def test_read_of_parquet_of_others_with_times_without_a_zone_or_numbers(urlset):
    for name, lastmod in (("a", datetime(2026, 1, 31)), ("b", 1_767_225_600)):  # noqa: DTZ001
        frame = polars.DataFrame({"loc": ["https://e.com/a"], "lastmod": [lastmod]})
        frame.write_parquet(f"{name}.parquet")

    times = urlset("read", "a.parquet", "--format", "jsonl")
    numbers = urlset("read", "b.parquet")

    assert [row["lastmod"] for row in rows(times)] == ["2026-01-31T00:00:00Z"]
    assert numbers.code == 2
    assert (
        "expected a date for lastmod, found column 'lastmod' of type BIGINT; cast it "
        "(to_timestamp(…)) or rename it (`urlset build` has --map for it)"
    ) in numbers.err


def test_read_of_parquet_of_urlset_keeps_source_and_line(urlset):
    Path("s.xml").write_bytes(RICH)
    written = rows(urlset("read", "s.xml", "--format", "jsonl"))
    polars.DataFrame(library.read("s.xml")).write_parquet("s.parquet")

    ran = urlset("read", "s.parquet", "--format", "jsonl")

    assert (ran.code, rows(ran)) == (0, written)


def test_read_of_a_list_that_is_called_csv_is_one_of_urls(urlset):
    Path("u.csv").write_text("https://e.com/a\nhttps://e.com/b,c\n")

    ran = urlset("read", "u.csv", "--format", "txt")

    assert ran.out == "https://e.com/a\nhttps://e.com/b,c\n"


@pytest.mark.parametrize("columns", ["name,age", "link,age"])
def test_read_of_a_table_without_urls_is_refused(columns, urlset):
    Path("u.csv").write_text(f"{columns}\nann,7\n")

    ran = urlset("read", "u.csv")

    assert ran.code == 2
    assert ran.out == ""
    found = columns.replace(",", ", ")
    assert f"expected a column 'loc' or 'url', found {found}; rename the one" in ran.err


@pytest.mark.parametrize("line", ["loc,lastmod\n", '{"loc": "https://e.com/b"}\n'])
def test_a_table_is_no_sitemap_for_whoever_takes_sitemaps_only(line, tmp_path, urlset):
    data = f"{line}https://e.com/a,2026-01-31\n".encode()
    (tmp_path / "u.csv").write_bytes(data)
    (tmp_path / "s.xml").write_bytes(RICH)

    checked = urlset("check", "u.csv")
    folder = urlset("read", ".", "--format", "txt")

    assert checked.code == 2
    assert "error N003[sitemap-unreachable]" in checked.out
    assert "expected a sitemap, found a table" in checked.out
    assert folder.out == 'https://e.com/ä\nhttps://e.com/b,"c"\n'
    with pytest.raises(library.SourceError, match="expected a sitemap, found a table"):
        list(library.read(data))


@pytest.mark.parametrize(("name", "kind"), [("t.parquet", "Parquet"), ("t.duckdb", "DuckDB")])
@pytest.mark.parametrize(
    "command",
    [
        ["read", "-"],
        ["check", "-"],
        ["check", "-", "--fix"],
        ["check", "-", "--diff"],
        ["audit", "-"],
        ["diff", "-", "t.txt"],
    ],
)
def test_a_file_that_is_only_read_by_its_path_is_named_on_stdin(name, kind, command, urlset):
    Path("t.txt").write_text("https://e.com/a\n")
    urlset("read", "t.txt", "--output", name)

    data = Path(name).read_bytes()
    if kind == "DuckDB":
        data = bytes(range(0xF8, 0x100)) + data[8:]  # the checksum differs from run to run

    ran = urlset(*command, stdin=data)

    assert ran.code == 2
    assert (
        f"-: expected a sitemap, found a {kind} file, which is read by its path only; save it, and "
        "name the file\n"
    ) in (ran.out if command == ["check", "-"] else ran.err)
    assert "not-a-url" not in ran.out


def test_a_stream_of_a_file_that_is_only_read_by_its_path_is_refused(urlset):
    Path("t.txt").write_text("https://e.com/a\n")
    urlset("read", "t.txt", "--output", "t.parquet")

    with Path("t.parquet").open("rb") as file, pytest.raises(library.SourceError) as failure:
        list(library.read(file))

    assert "found a Parquet file" in str(failure.value)


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_a_fix_of_a_table_on_stdin_says_what_was_found(option, urlset):
    ran = urlset("check", "-", option, stdin=b"loc,lastmod\nhttps://e.com/,2026-01-31\n")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("urlset: -: expected a sitemap, found a table (CSV)")


def test_the_entries_of_a_table_go_into_a_store(urlset):
    Path("u.csv").write_text("url,lastmod\nhttps://e.com/a,2026-01-31\n")

    urlset("read", "u.csv", "--output", "s.duckdb")
    ran = urlset("read", "s.duckdb", "--sql", "SELECT loc, source FROM entries", "--format", "csv")

    assert ran.out == "loc,source\r\nhttps://e.com/a,u.csv\r\n"


@pytest.mark.parametrize(("name", "text"), [("a.csv", "loc\n/a\n"), ("a.jsonl", '{"loc": "/a"}\n')])
def test_a_table_without_a_usable_row_is_read(urlset, tmp_path, name, text):
    (tmp_path / name).write_text(text)

    ran = urlset("read", name)

    assert ran.code == 1
    assert "1 row excluded" in ran.err


COLUMN = "urls.csv: column 'Last Modified' is not used; --map 'lastmod=Last Modified' would use it"


def test_a_column_that_is_not_used_is_named_with_a_mapping_for_the_shell(urlset, tmp_path):
    (tmp_path / "urls.csv").write_text("URL,Last Modified\nhttps://e.com/a,2025-01-01\n")

    read = urlset("read", "urls.csv")
    built = urlset("build", "urls.csv", "-o", "out")
    advice = shlex.split(built.err.partition("; ")[2])[:2]
    mapped = urlset("build", "urls.csv", "-o", "mapped", *advice)

    assert f"{COLUMN} in `urlset build`\n" in read.err
    assert f"{COLUMN}\n" in built.err
    assert (mapped.code, "is not used" in mapped.err) == (0, False), mapped.err
    assert "<lastmod>2025-01-01</lastmod>" in (tmp_path / "mapped/sitemap.xml").read_text()
    assert "is not used" not in urlset("read", "urls.csv", "-q").err


def test_a_long_number_of_a_query_is_rounded_and_never_cut_in_the_middle(urlset):
    numbers = "0.0047123500054769, 1234567.2500000001, 12.5, 1.5e-200 / 3, 12345678901234"
    query = f"SELECT {numbers}".replace("0.0047", "-0.0047")

    table = urlset("read", "-", "--sql", query, stdin=RICH).out.splitlines()
    exact = urlset("read", "-", "--sql", query, "--format", "csv", stdin=RICH).out

    assert table[2].split() == ["-0.00471235", "1234567.25", "12.5", "5e-201", "12345678901234"]
    assert "-0.0047123500054769" in exact

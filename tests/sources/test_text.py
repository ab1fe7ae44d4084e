"""Text files and sitemaps as sources, and the detection of all kinds."""

import gzip
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cpu_time import growth
from tests.sources.test_tables import parquet, rows, sqlite
from urlset.errors import QueryError, SourceError
from urlset.formats.detect import detect_kind
from urlset.sources import factory
from urlset.sources.factory import SourceOptions, StreamSource, open_source
from urlset.sources.sitemaps import Sitemaps
from urlset.sources.tables.table import Table
from urlset.sources.text import TextSource, json_items

NS = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
SITEMAP = f"<urlset {NS}><url><loc>https://e.com/a</loc></url></urlset>".encode()
COMBINED = b'192.0.2.1 - - [31/Jan/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "x"\n'
EXTENDED = b"#Version: 1.0\n#Fields: date time cs-method cs-uri-stem sc-status\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def listed(data: bytes, **options) -> list[dict]:
    Path("list").write_bytes(data)
    return rows(TextSource("list", **options))


# ── lists ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"/a\r\n\r\n# x\n b ", [("/a", 1), ("b", 4)]),
        (b"/a\r/b\r\r/c", [("/a", 1), ("/b", 2), ("/c", 4)]),
        ("/a\n/b".encode("utf-16"), [("/a", 1), ("/b", 2)]),
        (gzip.compress(b"/a\n"), [("/a", 1)]),
        (b'loc,note\n/a,"1\n2"\n/b,3\n', [("/a", 2), ("/b", 4)]),
        (b'"/a"\n3\n{"x": 1}\nnull\n', [("/a", 1), (None, 2), (None, 3), (None, 4)]),
        (b'{"loc": 5}\n{"url": "/b"}\n', [(None, 1), ("/b", 2)]),
        (b'{"url": "/a"}\n\n{"url": "/b"}\n', [("/a", 1), ("/b", 3)]),
    ],
)
def test_lines(data, expected):
    assert [(row.get("loc"), row["line"]) for row in listed(data)] == expected


def test_lines_are_the_same_wherever_the_text_is_cut(monkeypatch):
    data = b"/a\r\n/b\r/c\n\r\n\n/d\r\r\n#x\n/e"
    whole = listed(data)
    assert [row["line"] for row in whole] == [1, 2, 3, 6, 9]

    for size in range(1, 9):
        monkeypatch.setattr("urlset.sources.text._CHUNK_SIZE", size)
        assert listed(data) == whole


def test_csv_takes_all_columns():
    data = b"Loc, LastMod ,changefreq,priority,kind\n/a,2026-01-31,daily,high,x\n/b\n"

    first, second = listed(data, keep=("kind",))

    assert first.pop("priority") != first.get("priority")  # it is there, and no number
    assert first == {
        "loc": "/a", "lastmod_text": "2026-01-31", "changefreq": "daily", "kind": "x", "line": 2
    }  # fmt: skip
    assert second == {"loc": "/b", "line": 3}


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_json_array(piece, monkeypatch):
    monkeypatch.setattr("urlset.sources.text._CHUNK_SIZE", piece)
    data = b'\n[{"loc": "/a", "priority": 0.5},\n  "/b",\n {"url":\n "/c", "priority": 1}\n]\n'

    assert listed(data) == [
        {"loc": "/a", "priority": 0.5, "line": 2},
        {"loc": "/b", "line": 3},
        {"loc": "/c", "priority": 1.0, "line": 4},
    ]
    assert listed(b"[]") == []


def test_json_array_of_numbers_cut_between_pieces(monkeypatch):
    monkeypatch.setattr("urlset.sources.text._CHUNK_SIZE", 2)

    found = list(json_items(io.StringIO("[1234, 56]"), "a.json"))

    assert found == [(1, 1234), (1, 56)]


def test_json_lines_that_read_wrote():
    row = {
        "loc": "/a", "lastmod": None, "changefreq": None, "priority": 0.5, "source": "x", "line": 9,
        "images": [{"loc": "/i.png"}], "alternates": [{"hreflang": "de", "href": "/de"}],
        "videos": [{"title": "t", "prices": [{"value": "1"}]}], "news": {"name": "n"},
    }  # fmt: skip

    (found,) = listed(json.dumps(row).encode() + b"\n")

    assert (found["line"], found["priority"]) == (1, 0.5)
    assert found["images"][0]["loc"] == "/i.png"
    assert found["alternates"][0]["href"] == "/de"
    assert found["videos"][0]["prices"][0]["value"] == "1"
    assert found["news"]["name"] == "n"


def test_json_lines_whose_columns_come_and_go(monkeypatch):
    monkeypatch.setattr("urlset.sources.text.BATCH_ROWS", 1)
    data = b'{"loc": "/a", "at": 1700000000}\n"/b"\n{"loc": "/c", "priority": 1, "at": "x"}\n'

    first, second, third = listed(data, mapping="lastmod=epoch:at")

    assert first["lastmod"].year == 2023
    assert second == {"loc": "/b", "line": 2}
    assert (third["priority"], third["lastmod_text"]) == (1, "x")


CUT_OFF = (
    r"expected \] at the end of the array, found the end of the file: the array is cut off; "
    r"write \S*list again, or end it with \]"
)
BAD = r"invalid JSON \("


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'[{"loc": "/a"} {"loc": "/b"}]', "list:1: expected a comma or ] after an item, found {"),
        (b'[\n{"loc": "/a"},\n{"loc": ', f"list:3: {CUT_OFF}"),
        (b'[{"loc": "/a"}', f"list:1: {CUT_OFF}"),
        (b'[{"loc": "/a"},\n', f"list:2: {CUT_OFF}"),
        (b'["/a",\n"/b', f"list:2: {CUT_OFF}"),
        (b'["/a",\n"/b\\u00', f"list:2: {CUT_OFF}"),
        (b'[{"loc": "/a", "news": nul', f"list:1: {CUT_OFF}"),
        (b'[{"loc": "/a"},\n]', f"list:2: expected an object or a string, found {BAD}E"),
        (b'["/a",\n{"loc"\n: x}]', f"list:3: expected an object or a string, found {BAD}E"),
        (b'["/a\\x"', f"list:1: expected an object or a string, found {BAD}Invalid "),
        (b'["/a"]\n["/b"]', "list:2: expected nothing after the array, found more"),
        (b'["' + b"/" * (1 << 24) + b'"]', "list:1: expected an item of fewer than 16,777,216"),
        (b'{\n "loc": "/a"\n}\n', r"jq -c \."),
        (b'{"loc": "/a"}\nnonsense\n', "list:2: expected a JSON object"),
        (b'{"loc": "/a"}\n' + b"[" * 100_000, "list:2: expected a JSON object"),
        (b"/a\n/caf\xe9\n", "byte 0xe9"),
        (b"/a\0b\n", "binary data"),
        (gzip.compress(b"/a\n" * 1_000)[:-9], "complete gzip data"),
        (b'loc,x\n/a,"never closed\n/b\n', "close each quote that is opened"),
        (b"loc,x\n/a,1,2\n", "list:2: expected 2 cells"),
        (b"loc,loc\n", "'loc' twice"),
        (b"loc,x\n" + b"/" * (1 << 24), "more than 16,777,216 characters"),
        (b"/" * (1 << 24), "more than 16,777,216 characters"),
    ],
)
def test_list_that_cannot_be_read(data, words):
    with pytest.raises(SourceError, match=words):
        listed(data)


# ── sitemaps ─────────────────────────────────────────────────────────────────────────────────


def test_sitemaps_with_dates_that_are_mended():
    dates = ("2026-01-31", "Fri, 02 Jan 2026 10:00:00 GMT", "01/02/2026", "")
    urls = "".join(f"<url><loc>https://e.com/</loc><lastmod>{d}</lastmod></url>" for d in dates)
    Path("a.xml").write_text(f"<urlset {NS}>\n{urls}</urlset>")
    source = Sitemaps("a.xml")

    found = [row for batch in source.batches() for row in batch.to_struct_array().to_pylist()]

    assert [row["lastmod_text"] for row in found] == [
        "2026-01-31",
        "2026-01-02T10:00:00Z",
        None,
        None,
    ]
    assert {(row["source"], row["line"]) for row in found} == {("a.xml", 2)}
    assert source.notes == ["1 unreadable date dropped"]


def test_sitemaps_report_what_is_missing():
    Path("index.xml").write_text(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/a.xml</loc></sitemap>"
        "<sitemap><loc>https://e.com/b.xml</loc></sitemap></sitemapindex>"
    )
    Path("a.xml").write_bytes(SITEMAP)
    source = Sitemaps("index.xml")

    assert [row["loc"] for row in rows(source)] == ["https://e.com/a"]

    (failure,) = source.failures
    assert failure.startswith("https://e.com/b.xml: listed but missing")
    with pytest.raises(SourceError, match="listed but missing"):
        rows(Sitemaps("index.xml", fail_fast=True))
    with pytest.raises(SourceError, match="found nothing at 'none'"):
        rows(Sitemaps("none"))


# ── the choice ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a", b"/a\n", "text"),
        ("a.csv", b"https://e.com/a\n", "text"),
        ("a", b"loc\n/a\n", "csv"),
        ("a.txt", b"id;url\n1;/a\n", "csv"),
        ("a.csv", b"id,address\n1,/a\n", "csv"),
        ("a", b'{"loc": "/a"}\n', "jsonl"),
        ("a", b'"/a"\n', "jsonl"),
        ("a.csv", b'{"loc": "/a"}\n', "jsonl"),
        ("a.json", b'[\n  {"loc": "/a"}\n]\n', "jsonl"),
        ("a", b'["/a"]', "jsonl"),
        ("a", SITEMAP, "sitemap"),
        ("a.csv", gzip.compress(SITEMAP), "sitemap"),
        ("a", b"", "text"),
        ("a", b"PAR1", "parquet"),
        ("a", b"ARROW1\0\0", "arrow"),
        ("a", b"SQLite format 3\0", "sqlite"),
        ("a", b"\0" * 8 + b"DUCK", "duckdb"),
        ("access.log.1", COMBINED, "log"),
        ("a", gzip.compress(COMBINED), "log"),
        ("a", b"www.example.com:443 " + COMBINED, "log"),
        ("a", EXTENDED, "log"),
        ("a", b'{"remote_addr": "192.0.2.1", "request": "GET / HTTP/1.1", "status": 200}', "log"),
        ("a", b"# Fields and more\n/a\n", "text"),
        ("urls.txt", b"", "text"),
        ("a.csv", b" \n", "text"),
        ("a", gzip.compress(b""), "text"),
        ("sitemap.xml", b"", "sitemap"),
        ("Sitemap.XML.gz", gzip.compress(b""), "sitemap"),
    ],
)
def test_kind_by_content(name, data, kind):
    Path(name).write_bytes(data)

    assert detect_kind(name) == kind


def test_kind_of_a_folder():
    Path("pages/deep").mkdir(parents=True)
    Path("pages/sitemap.xml").write_bytes(SITEMAP)
    assert detect_kind("pages") == "sitemap"

    Path("pages/deep/index.HTML").write_bytes(b"")
    assert detect_kind("pages") == "html"

    with pytest.raises(SourceError, match="expected a base URL for a folder of pages"):
        open_source("pages")
    assert isinstance(open_source("sitemap:pages"), Sitemaps)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("none", {}, "expected a source, found nothing at 'none'; check the path"),
        ("none", {"kind": "parquet"}, "expected a source, found nothing at 'none'"),
        ("sitemap.xml/none", {}, "expected a source, found nothing at 'sitemap.xml/none'"),
        ("image", {}, "expected a list of URLs, .* found binary data"),
        ("postgresql://ann:s3cret@db.example/x", {}, "postgresql://ann@db.example/x: .*add query"),
        ("sitemap.xml", {"query": "SELECT 1"}, "expected a table for the query"),
        ("csv:https://e.com/a.csv", {}, "download it first"),
        ("s3://bucket/urls.csv", {}, "found s3://; name a file on this machine"),
        ("sql:sitemap.xml", {}, "expected the URL of a database"),
        ("folder", {}, "in the folder 'folder', found no file in it"),
        ("\0", {}, "null"),
    ],
)
def test_choice_that_cannot_be_made(text, options, words):
    Path("image").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    Path("sitemap.xml").write_bytes(SITEMAP)
    Path("folder").mkdir()

    with pytest.raises(SourceError, match=words) as caught:
        rows(open_source(text, SourceOptions(**options)))

    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("name", ["git", "s3", "ftp"])
def test_a_folder_with_the_name_of_a_scheme_is_a_folder(name):
    Path(name).mkdir()
    (Path(name) / "a.html").write_text("<title>a</title><p>text")

    (row,) = rows(open_source(name, SourceOptions(base_url="https://www.example.com/")))

    assert row["loc"] == "https://www.example.com/a.html"


def test_log_and_pages_need_a_base_url():
    Path("log").write_bytes(COMBINED)
    Path("pages").mkdir()
    Path("pages/a.html").write_text("<title>a</title><p>text")
    for name in ("log", "pages", "log:log", "html:pages"):
        with pytest.raises(SourceError, match="expected a base URL"):
            open_source(name)

        (row,) = rows(open_source(name, SourceOptions(base_url="https://www.example.com/")))

        assert row["loc"].startswith("https://www.example.com/a")


def test_prefix_overrides_what_is_seen():
    Path("a").write_text("address\n/a\n")

    assert [row["loc"] for row in rows(open_source("a"))] == ["address", "/a"]
    options = SourceOptions(mapping={"loc": "address"})
    assert [row["loc"] for row in rows(open_source("csv:a", options))] == ["/a"]
    assert [row["loc"] for row in rows(open_source("a", options))] == ["/a"]


def test_large_lists_are_read_as_tables(monkeypatch):
    Path("a.csv").write_text("loc,kind\n/a,x\n")
    Path("b.jsonl").write_text('{"loc": "/a", "kind": "x"}\n')
    options = SourceOptions(keep=("kind",))
    small = [rows(open_source(name, options)) for name in ("a.csv", "b.jsonl")]
    monkeypatch.setattr(factory, "LARGE", 0)

    for name, before in zip(("a.csv", "b.jsonl"), small, strict=True):
        source = open_source(name, options)

        assert isinstance(source, Table)
        assert rows(source) == [{key: row[key] for key in ("loc", "kind")} for row in before]


@pytest.mark.parametrize(
    "make",
    [
        lambda: b"/a\n",
        lambda: b"loc\n/a\n",
        lambda: b'{"loc": "/a"}\n',
        lambda: gzip.compress(b"url\n/a\n"),
        lambda: SITEMAP,
        lambda: gzip.compress(SITEMAP),
        lambda: Path(parquet("SELECT '/a' AS url")).read_bytes(),
        lambda: Path(sqlite()).read_bytes(),
    ],
)
def test_stdin_may_be_any_of_them_and_leaves_nothing_behind(make, monkeypatch, tmp_path):
    data = make()
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spool))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    source = open_source("-")

    found = [row for batch in source.batches() for row in batch.to_struct_array().to_pylist()]

    assert isinstance(source, StreamSource)
    assert found[0]["loc"].endswith("/a")
    assert found[0]["source"] == "-"
    assert os.listdir(spool) == []


BROKEN = {
    "text": b"/a\n/caf\xe9\n",
    "png": b"\x89PNG\0",
    "parquet": b"PAR1 is not enough",
    "sqlite": b"SQLite format 3\0 is not enough",
    "duckdb": bytes(8) + b"DUCK is not enough",
    "arrow": b"ARROW1\0\0",
    "feather": b"FEA1",
    "html": b"<html>",
    "csv": b"id,x\n",
    "csv-twice": b"loc,loc\na,b\n",
    "json": b"{\n'loc': 1}",
    "log": gzip.compress(b'1.1.1.1 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200\n')[:-9],
}


@pytest.mark.parametrize("query", [None, "FROM input"])
@pytest.mark.parametrize("kind", [None, "parquet", "csv", "jsonl", "sqlite", "arrow", "html"])
@pytest.mark.parametrize("name", BROKEN)
def test_message_about_stdin_does_not_name_the_copy_of_it(name, kind, query, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(BROKEN[name])))
    options = SourceOptions(
        fail_fast=True, mapping={"priority": "x"}, kind=kind, query=query, base_url="https://e.com/"
    )

    with pytest.raises((SourceError, QueryError)) as caught:
        rows(open_source("-", options))

    assert tempfile.gettempdir() not in str(caught.value)


@pytest.mark.parametrize("data", [b"/a\n/caf\xe9\n", b"\x89PNG\0", b"PAR1", b"<html>", b"id,x\n"])
def test_stdin_that_is_none_of_them_is_reported_by_its_name(data, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    options = SourceOptions(fail_fast=True, mapping={"priority": "x"})

    with pytest.raises(SourceError) as caught:
        rows(open_source("-", options))

    assert tempfile.gettempdir() not in str(caught.value)


def test_rows_with_a_key_of_their_own_take_linear_time_and_memory(tmp_path):
    def read(count: int) -> None:
        path = tmp_path / "a.jsonl"
        rows = (f'{{"loc": "https://example.com/{n}", "k{n}": 1}}\n' for n in range(count))
        path.write_text("".join(rows))
        assert sum(batch.num_rows for batch in TextSource(str(path)).batches()) == count

    assert growth(read, 500, 8_000) < 100  # 16 times as long; quadratic is 256


def test_more_than_ten_thousand_keys_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = (f'{{"loc": "https://example.com/{n}", "k{n}": 1}}\n' for n in range(10_001))
    path.write_text("".join(rows))

    with pytest.raises(SourceError, match="expected at most 10,000 different keys"):
        list(TextSource(str(path)).batches())


@pytest.mark.parametrize("size", [0, 1 << 20], ids=["large", "small"])
@pytest.mark.parametrize(
    "text", ["loc,LOC\n/a,/b\n", "loc,title,Title\n/a,A,B\n", "url;a, long, title\n/a;b\n"]
)
def test_a_header_is_read_alike_in_files_of_any_size(text, size, monkeypatch):
    monkeypatch.setattr(factory, "LARGE", size)
    Path("a.csv").write_text(text)

    assert [row["loc"] for row in rows(open_source("a.csv"))] == ["/a"]


@pytest.mark.parametrize("size", [0, 1 << 20], ids=["large", "small"])
def test_a_header_without_a_column_of_urls_is_split_at_its_delimiter(size, monkeypatch):
    monkeypatch.setattr(factory, "LARGE", size)
    Path("a.csv").write_text("name;address\nA;https://e.com/a\n")

    with pytest.raises(SourceError, match=r'found name, address; .* map="loc=address"'):
        rows(open_source("a.csv"))


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("loc,loc", "'loc' twice"),
        ("loc,Title,title", "'Title' and 'title', which differ only in case"),
    ],
)
def test_a_table_says_which_names_are_equal(header, found):
    Path("a.csv").write_text(f"{header}\n/a,b,c\n")

    with pytest.raises(SourceError) as failure:
        rows(Table("a.csv"))

    assert str(failure.value) == f"a.csv: expected unique column names, found {found}"


@pytest.mark.parametrize(
    "text",
    ["name;page;note, loc\nx;/a;b\n", "name;page;note, url\nx;/a;b\n", "page;a, b, c, d\n/a;b\n"],
)
def test_a_mapped_column_tells_the_delimiter(text):
    Path("a.csv").write_text(text)

    assert [row["loc"] for row in rows(Table("a.csv", mapping={"loc": "page"}))] == ["/a"]

"""Images, videos, news and alternates in tables: JSON, text that is JSON, lists and structs."""

import csv
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from tests.sources.test_query import server  # noqa: F401 - a fixture
from urlset.errors import EntryError
from urlset.sources import CandidateRows, Query, open_source
from urlset.sources.tables.table import Table

SHOP = "https://shop.example/"
IMAGES: list[Any] = [
    {"loc": "https://cdn.example/1.jpg", "caption": "One"},
    {"loc": "/2.jpg"},
]
LINKS: list[Any] = [
    {"hreflang": "de", "href": "https://shop.example/de/a"},
    {"hreflang": "en", "href": "https://shop.example/a"},
]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def built(source, folder: str = "public", **options) -> list[urlset.Entry]:
    """What a build publishes of a source, read back."""
    result = urlset.build(source, folder, base_url=SHOP, ledger=f"{folder}.ledger", **options)
    return list(urlset.read(f"{folder}/{result.files[0].name}"))


def expect_images_and_links(entries: list[urlset.Entry]) -> None:
    first, second = entries
    assert [(image.loc, image.caption) for image in first.images] == [
        ("https://cdn.example/1.jpg", "One"),
        ("https://shop.example/2.jpg", None),
    ]
    assert [(link.hreflang, link.href) for link in first.alternates] == [
        ("de", "https://shop.example/de/a"),
        ("en", "https://shop.example/a"),
    ]
    assert (second.images, second.alternates) == ((), ())


def make(form: str) -> Any:
    """A source of two rows, the second one without images and alternates."""
    texts = json.dumps(IMAGES), json.dumps(LINKS)
    rows = [{"loc": "/a", "images": IMAGES, "alternates": LINKS}, {"loc": "/b"}]
    if form == "dicts of JSON lines":
        Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return open_source("a.jsonl")
    if form == "texts of JSON lines":
        first = {"loc": "/a", "images": texts[0], "alternates": texts[1]}
        Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in (first, rows[1])))
        return open_source("a.jsonl")
    if form == "csv":
        cells = ["/a", *('"{}"'.format(text.replace('"', '""')) for text in texts)]
        Path("a.csv").write_text(f"loc,images,alternates\n{','.join(cells)}\n/b,,\n")
        return open_source("a.csv")
    if form == "large csv":
        make("csv")
        return Table("a.csv")
    if form == "large JSON lines":
        make("dicts of JSON lines")
        return Table("a.jsonl")
    if form == "sqlite":
        with closing(sqlite3.connect("a.db")) as connection, connection:
            connection.execute("CREATE TABLE t (loc, images, alternates)")
            connection.execute("INSERT INTO t VALUES ('/a', ?, ?), ('/b', NULL, '[]')", texts)
        return open_source("a.db")
    kind = {"duckdb": "JSON", "duckdb text": "VARCHAR"}.get(form)
    if kind is not None:
        with duckdb.connect("a.duckdb") as database:
            database.execute(f"CREATE TABLE t (loc VARCHAR, images {kind}, alternates {kind})")
            database.execute("INSERT INTO t VALUES ('/a', ?, ?), ('/b', NULL, NULL)", texts)
        return open_source("a.duckdb")
    structs = (
        "[{'loc': 'https://cdn.example/1.jpg', 'caption': 'One'}, "
        "{'loc': '/2.jpg', 'caption': NULL}]",
        "[{'href': 'https://shop.example/de/a', 'hreflang': 'de'}, "
        "{'href': 'https://shop.example/a', 'hreflang': 'en'}]",
    )
    duckdb.connect().execute(
        f"COPY (SELECT '/a' AS loc, {structs[0]} AS images, {structs[1]} AS alternates "
        "UNION ALL SELECT '/b', NULL, NULL) TO 'a.parquet'"
    )
    return open_source("a.parquet")


FORMS = [
    "dicts of JSON lines", "texts of JSON lines", "large JSON lines", "csv", "large csv", "sqlite",
    "duckdb", "duckdb text", "parquet",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_objects_with_missing_keys_and_text_that_is_json_are_taken(form):
    expect_images_and_links(built(make(form)))


@pytest.mark.parametrize("cast", ["", "::jsonb", "::text"])
def test_json_agg_of_postgresql_with_missing_keys(cast, server):  # noqa: F811
    query = f"""
        SELECT loc, (SELECT json_agg(json_build_object('loc', url, 'caption', caption)) FROM
                (VALUES (1, 'https://cdn.example/1.jpg', 'One'), (1, '/2.jpg', NULL))
                AS image(page, url, caption) WHERE page = n){cast} AS images,
            (SELECT json_agg(json_build_object('hreflang', lang, 'href', href)) FROM
                (VALUES (1, 'de', 'https://shop.example/de/a'), (1, 'en', 'https://shop.example/a'))
                AS link(page, lang, href) WHERE page = n){cast} AS alternates
        FROM (VALUES (1, '/a'), (2, '/b')) AS page(n, loc)"""

    expect_images_and_links(built(Query(server, query)))


INVALID = [
    ("alternates", "https://shop.example/de/a", r"alternates: expected JSON \(a list of objects"),
    ("alternates", '[{"lang": "de"}]', r"alternates\[0\]: expected keys of hreflang, href, media"),
    ("alternates", '["https://shop.example/de/a"]', r"alternates\[0\]: expected an object"),
    ("images", '[{"loc": "https://cdn.exam', r"images: expected JSON \(a list of objects with loc"),
    ("images", '[{"url": "/1.jpg"}]', r"images\[0\]: expected keys of loc, .*, found 'url'"),
    ("images", "[[1]]", r"images\[0\]: expected an object with loc"),
    ("images", '[{"loc": ["/1.jpg"]}]', r"images\[0\].loc: expected text, found \['/1.jpg'\]"),
    ("news", "yes", r"news: expected JSON \(an object with name, language, "),
    ("videos", "3", "videos: expected a list of objects with thumbnail_loc"),
]


def make_invalid(form: str) -> Any:
    """A source of a valid row and one for each of :data:`INVALID`."""
    fields = ("alternates", "images", "news", "videos")
    rows = [{"loc": "/valid"}]
    rows += [{"loc": f"/{n}", field: value} for n, (field, value, _) in enumerate(INVALID)]
    cells = [tuple(row.get(name) for name in ("loc", *fields)) for row in rows]
    if form == "sqlite":
        with closing(sqlite3.connect("a.db")) as connection, connection:
            connection.execute(f"CREATE TABLE t (loc, {', '.join(fields)})")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", cells)
        return open_source("a.db")
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    if form == "parquet":
        types = ", ".join(f"'{name}': 'VARCHAR'" for name in ("loc", *fields))
        query = f"FROM read_json('a.jsonl', columns = {{{types}}})"
        duckdb.connect().execute(f"COPY ({query}) TO 'a.parquet'")
        return open_source("a.parquet")
    if form.endswith("csv"):
        with open("a.csv", "w", newline="") as file:
            csv.writer(file).writerows([("loc", *fields), *cells])
        return Table("a.csv") if form == "large csv" else open_source("a.csv")
    return open_source("a.jsonl")


@pytest.mark.parametrize("form", ["csv", "large csv", "jsonl", "sqlite", "parquet"])
def test_nested_value_that_cannot_be_used_is_refused_with_its_row(form):
    result = urlset.build(
        make_invalid(form), "public", base_url=SHOP, ledger="public.ledger", on_error="skip"
    )

    assert result.urls == 1
    assert len(result.rejected) == len(INVALID)
    for number, (rejected, (_, _, words)) in enumerate(zip(result.rejected, INVALID, strict=True)):
        place = {"csv": rf"a\.csv:{number + 3}", "jsonl": rf"a\.jsonl:{number + 2}"}.get(
            form, rf"a\.\w+, row {number + 2}"
        )
        assert rejected.loc == f"/{number}"
        assert re.match(f"{place}: {words}", rejected.reason), rejected.reason


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_first_invalid_row_is_named_and_all_are_counted(form):
    place = r"a\.csv:3" if form == "csv" else r"a\.parquet, row 2"
    words = (
        rf"^{place}: alternates: expected JSON .*\(the first of 9 invalid rows so far\); nothing"
    )

    with pytest.raises(EntryError, match=words):
        built(make_invalid(form))

    assert not Path("public").exists()


@pytest.mark.parametrize(
    ("field", "key", "meant"),
    [
        ("news", "date", "publication_date"),
        ("images", "locc", "loc"),
        ("alternates", "herf", "href"),
    ],
)
def test_unknown_key_names_the_one_that_was_meant(field, key, meant):
    value = {key: "x"} if field == "news" else [{key: "x"}]
    Path("a.jsonl").write_text(json.dumps({"loc": "/a", field: value}))

    with pytest.raises(EntryError, match=f"found {key!r}; did you mean {meant!r}"):
        built("a.jsonl")


def test_key_that_appears_late_in_large_json_lines_is_not_lost():
    plain = [{"loc": f"/{n}"} for n in range(30_000)]
    last = {"loc": "/z", "images": [{"loc": "/z.jpg", "caption": "Z"}], "kind": "late"}
    first = {"loc": "/a", "images": [{"loc": "/a.jpg"}]}
    Path("a.jsonl").write_text("\n".join(map(json.dumps, [*plain, last])))
    Path("b.jsonl").write_text("\n".join(map(json.dumps, [first, *plain, last])))

    for name in ("a.jsonl", "b.jsonl"):
        found = built(Table(name, keep=("kind",)), name[0])
        (entry,) = [entry for entry in found if entry.loc == f"{SHOP}z"]
        assert [image.caption for image in entry.images] == ["Z"]


def test_values_in_structs_are_spelt_as_write_spells_them():
    video = {
        "thumbnail_loc": f"{SHOP}t.jpg", "content_loc": f"{SHOP}v.mp4", "title": "T",
        "description": "D",
        "live": False, "duration": 60, "rating": 4.5, "tags": ["a", "b"],
    }  # fmt: skip
    row = {"loc": "https://shop.example/a", "videos": [video]}
    Path("a.jsonl").write_text(json.dumps(row))
    duckdb.connect().execute("COPY (FROM 'a.jsonl') TO 'a.parquet'")
    urlset.write([row], "written.xml", base_url=SHOP)
    (written,) = urlset.read("written.xml")
    assert written.videos[0].live == "no"

    for name in ("a.jsonl", "a.parquet"):
        (entry,) = built(open_source(name), name.replace(".", "-"))
        assert entry.videos == written.videos


def test_rows_of_python_are_refused_by_their_number():
    rows = CandidateRows(
        [urlset.Entry("/a"), urlset.Entry("/b", changefreq="often"), urlset.Entry("ftp://x")]
    )

    with pytest.raises(EntryError, match=r"^rows, row 2: changefreq: .*\(the first of 2 invalid"):
        built(rows)

"""The same entries from every kind of source yield the same sitemap, or the same error."""

import csv
import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import urlset
from tests.amounts import amount
from urlset.errors import EntryError
from urlset.sources import open_source
from urlset.sources.tables.table import Table

BASE = "https://example.com/"
COLUMNS = ("loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news")

LOCS = st.sampled_from(
    [
        "/a", "b", "https://example.com/c?x=1&y=2", "/käse", "/a|b", "/%zz", "../up", "/a b",
        "javascript:alert(1)", "ftp://example.com/a", "//example.com/d", "/x#part", " /trimmed ",
        "https://ann:pw@example.com/", "/{{slug}}", "/A/./b", "www.example.com/a",
    ]
)  # fmt: skip
DATES = st.sampled_from(
    [None, "2026-01-31", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00+02:00", "2026", "yesterday",
     "2026-13-01", "2026-01-31T10:00:00"]
)  # fmt: skip
ODD_NUMBERS = [
    "-0",
    "-0.0",
    "1e-1",
    "5E-1",
    "0.5\u00a0",
    "0x1",
    "nan",
    "+0.5",
    ".5",
    "1.",
    " 0.5\t",
]
FREQUENCIES = st.sampled_from([None, "daily", "monthly", "often", "Daily"])
PRIORITIES = st.sampled_from([None, "0.5", "1.0", "0", "7", "high", *ODD_NUMBERS])
IMAGES: st.SearchStrategy[Any] = st.sampled_from(
    [
        None, [], [{"loc": "/1.jpg"}], [{"loc": "https://cdn.example.com/ü.jpg", "caption": "Ü"}],
        [{"loc": "/1.jpg", "title": None}, {"loc": "/2.jpg"}], [{"url": "/1.jpg"}],
        [{"caption": "x"}],
        ["/1.jpg"], [{"loc": "javascript:alert(1)"}], {"loc": "/1.jpg"}, [{"loc": 7}],
        "", "[]", "null", [None], [[]], "/1.jpg",
    ]
)  # fmt: skip
ALTERNATES: st.SearchStrategy[Any] = st.sampled_from(
    [
        None, [], [{"hreflang": "de", "href": "/de/a"}], [{"hreflang": "de", "href": "foo bar"}],
        [{"href": "/de/a"}], [{"hreflang": "d_e", "href": "/de/a"}], ["/de/a"],
        "", "[]", "null", [None], [[]],
    ]
)  # fmt: skip
NEWS: st.SearchStrategy[Any] = st.sampled_from(
    [
        None, {"name": "N", "language": "en", "publication_date": "2026-01-31", "title": "T"},
        {"name": "N"}, {"nome": "N"}, [], {}, "", "[]", "{}", "null", [{"name": "N"}],
    ]
)  # fmt: skip
VIDEO = {
    "thumbnail_loc": "/1.jpg", "title": "T", "description": "D", "content_loc": "/1.mp4",
    "tags": ["a", ""],
}  # fmt: skip
VIDEOS: st.SearchStrategy[Any] = st.sampled_from(
    [
        None, [], [VIDEO], VIDEO, [{"title": "T"}], "", "[]", "null", [None],
        [[]],
    ]
)  # fmt: skip
ROWS = st.fixed_dictionaries(
    {
        "loc": LOCS, "lastmod": DATES, "changefreq": FREQUENCIES, "priority": PRIORITIES,
        "images": IMAGES, "videos": VIDEOS, "alternates": ALTERNATES, "news": NEWS,
    }
)  # fmt: skip
GOOD = {
    "loc": "/a", "lastmod": "2026-01-31", "changefreq": None, "priority": "0.5",
    "images": [{"loc": "/1.jpg"}], "alternates": [{"hreflang": "de", "href": "/de/a"}],
    "news": None, "videos": None,
}  # fmt: skip


def as_text(row: dict[str, Any]) -> dict[str, str | None]:
    """A row whose lists and objects are JSON."""
    return {
        name: json.dumps(value) if isinstance(value, list | dict) else value
        for name, value in row.items()
    }


def sources(rows: list[dict[str, Any]], folder: Path) -> Iterator[tuple[str, Any]]:
    """The same rows as every kind of source."""
    texts = [as_text(row) for row in rows]
    cells = [tuple(row[name] for name in COLUMNS) for row in texts]
    with open(folder / "a.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *cells])
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "text.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in texts))
    (folder / "a.json").write_text(json.dumps(rows, indent=1))
    with closing(sqlite3.connect(folder / "a.db")) as connection, connection:
        connection.execute(f"CREATE TABLE t ({', '.join(COLUMNS)})")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", cells)
    types = ", ".join(f"'{name}': 'VARCHAR'" for name in COLUMNS)
    query = f"FROM read_json('{folder}/text.jsonl', columns = {{{types}}})"
    duckdb.connect().execute(f"COPY ({query}) TO '{folder}/a.parquet'")
    with duckdb.connect(str(folder / "a.duckdb")) as database:
        database.execute(f"CREATE TABLE t AS {query}")
    for name in ("a.csv", "a.jsonl", "a.json", "a.db", "a.parquet", "a.duckdb"):
        yield name, open_source(str(folder / name))
    yield "large a.csv", Table(folder / "a.csv")
    yield "large a.jsonl", Table(folder / "a.jsonl")
    relation = duckdb.connect().sql(f"FROM '{folder}/a.parquet'")
    assert relation is not None
    yield "Arrow", relation.to_arrow_table()
    relation = duckdb.connect().sql(f"FROM '{folder}/a.parquet'")
    assert relation is not None
    yield "Arrow stream", relation.to_arrow_reader(2)
    yield "dicts", rows
    yield "iterator of dicts", iter(rows)


def outcome(source: Any, folder: Path) -> Any:
    """The bytes that a build publishes, or the field and the words of its refusal."""
    options: dict[str, Any] = {"base_url": BASE, "ledger": folder / "l.duckdb"}
    try:
        made = urlset.build(
            source, folder / "public", force=frozenset({"hosts", "zero"}), **options
        )
    except EntryError as error:
        # Where it stood is another matter for each of them, and so is the number of invalid rows:
        # each source reports them after its first batch.
        words = str(error).partition(": ")[2].partition(" (the first of ")[0]
        words = words.partition("; nothing was written")[0]
        return error.field, words, ""
    return (folder / "public" / made.files[0].name).read_bytes() if made.files else b""


EMPTY: list[Any] = [None, [], [None], [""], [[]], "", " ", "[]", "[[]]", "null", " null "]
EMPTY_OBJECTS: list[Any] = [{}, "{}"]


@pytest.mark.parametrize("field", ["images", "videos", "news", "alternates"])
def test_empty_values_of_nested_fields_are_no_values_in_every_source(tmp_path, field):
    pytest.importorskip("pyarrow")
    values = [*EMPTY, *(EMPTY_OBJECTS if field == "news" else [])]
    nothing = dict.fromkeys(COLUMNS)
    # Beside another extension, for which the values are converted one by one.
    other = "images" if field == "alternates" else "alternates"
    rows = [
        {**nothing, "loc": f"/{number}", other: GOOD[other], field: value}
        for number, value in enumerate(values)
    ]

    for number, (name, source) in enumerate(sources(rows, tmp_path)):
        own = tmp_path / str(number)
        own.mkdir()
        written = outcome(source, own)
        assert isinstance(written, bytes), (name, written)
        entries = list(urlset.parse(written).entries)
        assert len(entries) == len(values), name
        assert not any(getattr(entry, field) for entry in entries), name


@pytest.mark.parametrize("text", ODD_NUMBERS)
def test_text_that_is_a_priority_is_one_in_every_source(tmp_path, text):
    pytest.importorskip("pyarrow")
    rows = [{**dict.fromkeys(COLUMNS), "loc": "/a", "priority": text}]

    found = {}
    for number, (name, source) in enumerate(sources(rows, tmp_path)):
        own = tmp_path / str(number)
        own.mkdir()
        found[name] = outcome(source, own)

    is_valid = isinstance(found["dicts"], bytes)
    assert is_valid == (text in ("+0.5", ".5", "1.", " 0.5\t"))
    assert {name for name, made in found.items() if isinstance(made, bytes) != is_valid} == set()


def test_number_of_json_with_an_exponent_is_a_priority(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"loc": "/a", "priority": 1e-1}\n{"loc": "/b", "priority": "0.2"}\n')
    (tmp_path / "own").mkdir()

    written = outcome(open_source(str(path)), tmp_path / "own")

    assert [entry.priority for entry in urlset.parse(written).entries] == [0.1, 0.2]


@settings(max_examples=amount(3, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ROWS, min_size=1, max_size=4))
@example([GOOD, {**GOOD, "loc": "/b", "images": None, "alternates": None}])
@example([GOOD, {**GOOD, "loc": "/b", "images": [{"url": "/1.jpg"}]}])
@example([{**GOOD, "images": [{"loc": "javascript:alert(1)"}]}])
@example([{**GOOD, "images": [{"loc": 7}]}])
def test_every_kind_of_source_gives_the_same(tmp_path_factory, rows):
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("rows")
    numbers = itertools.count()

    found = {}
    for name, source in sources(rows, folder):
        own = folder / str(next(numbers))
        own.mkdir()
        found[name] = outcome(source, own)

    # Of several faults in one row, dicts and tables may name another one first.
    rows_alike = {made if isinstance(made, bytes) else made[2:] for made in found.values()}
    assert len(rows_alike) == 1, found
    tables = {made for name, made in found.items() if "dicts" not in name}
    assert len(tables) == 1, found

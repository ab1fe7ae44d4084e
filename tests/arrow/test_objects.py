"""The objects of the library in the hands of others: as dicts, as data frames, by their number."""

import json
import subprocess
import sys
from datetime import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import urlset
from urlset import Alternate, Entry, EntryError, Image, News, SourceError, Video

XML = urlset.render(
    [
        {"loc": "https://e.com/", "lastmod": "2026-01-02", "images": ["https://e.com/1.jpg"]},
        {"loc": "https://e.com/b", "priority": 0.5},
        {"loc": "https://e.com/c"},
    ]
)
WHOLE = Entry(
    "https://e.com/",
    images=(Image("https://e.com/1.jpg", "Tea"),),
    videos=(
        Video("https://e.com/t.jpg", "T", "D", "https://e.com/v.mp4", tags=("a", "b"),
              prices=(urlset.model.Price("1", "EUR"),), tvshow=urlset.model.TvShow("S")),
    ),
    news=News("N", "en", publication_date="2026-01-02", title="T"),
    alternates=(Alternate("de", "https://e.com/de"),),
)  # fmt: skip


def test_entry_as_a_dict_is_deep_and_can_be_written_again():
    made = WHOLE.to_dict()

    assert made["images"][0]["caption"] == "Tea"
    assert made["videos"][0]["tags"] == ["a", "b"]
    assert made["videos"][0]["prices"] == [
        {"value": "1", "currency": "EUR", "type": None, "resolution": None}
    ]
    assert made["videos"][0]["tvshow"]["show_title"] == "S"
    assert made["news"]["name"] == "N"
    assert made["alternates"] == [{"hreflang": "de", "href": "https://e.com/de", "media": None}]
    assert list(made) == list(Entry._fields)
    assert urlset.render([made]) == urlset.render([WHOLE])
    for entry in urlset.parse(XML).entries:
        assert urlset.render(
            [json.loads(json.dumps(entry.to_dict(), default=datetime.isoformat))]
        ) == (urlset.render([entry]))


@pytest.mark.parametrize("kind", ["document", "read", "file"])
def test_entries_are_tables_of_other_libraries(kind, engine, tmp_path):
    (tmp_path / "sitemap.xml").write_bytes(XML)
    entries = {
        "document": urlset.parse(XML, engine=engine.name).entries,
        "read": urlset.read(XML, engine=engine.name),
        "file": urlset.read(tmp_path, engine=engine.name),
    }[kind]

    arrow, frame, polars = entries.to_arrow(), entries.to_pandas(), entries.to_polars()

    assert isinstance(arrow, pa.Table)
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    locs = ["https://e.com/", "https://e.com/b", "https://e.com/c"]
    assert arrow["loc"].to_pylist() == list(frame["loc"]) == polars["loc"].to_list() == locs
    assert list(frame["priority"].dropna()) == [0.5]
    assert polars["images"][0][0]["loc"] == "https://e.com/1.jpg"
    assert urlset.render(polars) == urlset.render(arrow) == XML


def test_tables_have_the_entries_that_were_asked_for():
    entries = urlset.read(XML, include="/[bc]$", limit=1)

    assert entries.to_polars()["loc"].to_list() == ["https://e.com/b"]


def test_table_of_nothing_has_the_columns():
    frame = urlset.read(XML, include="nothing").to_pandas()

    assert list(frame.columns) == list(Entry._fields)
    assert len(frame) == 0


def test_failure_of_a_reading_is_raised_as_it_is(tmp_path):
    with pytest.raises(SourceError, match="nothing\\.xml"):
        urlset.read(str(tmp_path / "nothing.xml")).to_arrow()


def test_library_that_is_missing_is_named():
    code = (
        "import sys; sys.modules['polars'] = None\n"
        "import urlset\n"
        "try:\n    urlset.parse(b'https://e.com/').entries.to_polars()\n"
        "except ImportError as error:\n    print(error)"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout == "expected polars to be installed; pip install polars\n"


def test_rows_of_a_document_have_numbers(engine):
    rows = urlset.parse(XML, engine=engine.name).entries
    listed = list(rows)

    assert len(rows) == 3
    assert [rows[0], rows[2], rows[-1]] == [listed[0], listed[2], listed[2]]
    assert rows[1:] == listed[1:]
    assert rows[::-2] == listed[::-2]
    assert rows[5:] == []
    for number in (3, -4):
        with pytest.raises(IndexError, match=f"one of 3 entries, found {number}"):
            rows[number]
    with pytest.raises(TypeError):
        rows["loc"]  # type: ignore[call-overload]


def test_reading_of_bytes_has_a_length_and_numbers(engine):
    entries = urlset.read(XML, engine=engine.name, include="/b?$")

    assert len(entries) == 2
    assert entries[1].loc == "https://e.com/b"
    assert entries[:1] == [entries[0]]
    assert list(entries) == entries[:]
    assert len(entries.documents) == 1


def test_reading_of_files_has_no_length_and_says_what_to_do(tmp_path):
    (tmp_path / "sitemap.xml").write_bytes(XML)
    entries = urlset.read(str(tmp_path))

    with pytest.raises(TypeError, match=r"list\(entries\), entries\.to_arrow\(\)"):
        len(entries)
    with pytest.raises(TypeError, match="read on demand"):
        entries[0]
    assert entries  # whether there are any is not known yet
    assert len(list(entries)) == 3


def test_dict_of_an_entry_is_judged_like_the_entry():
    bad = WHOLE._replace(images=(Image("javascript:alert(1)"),))

    with pytest.raises(EntryError, match=r"images\[0\]\.loc"):
        urlset.render([bad.to_dict()])

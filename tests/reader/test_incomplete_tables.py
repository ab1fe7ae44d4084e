"""A table or a file of entries says that documents could not be read."""

from __future__ import annotations

import asyncio
import warnings

import arro3.core as arro3
import pytest

import urlset

INDEX = """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://example.com/a.txt</loc></sitemap>
<sitemap><loc>https://example.com/lost.xml</loc></sitemap></sitemapindex>"""

FORMS = {
    "stream": lambda entries, _: arro3.RecordBatchReader.from_stream(entries).read_all(),
    "pandas": lambda entries, _: entries.to_pandas(),
    "polars": lambda entries, _: entries.to_polars(),
    "arrow": lambda entries, _: entries.to_arrow(),
    "parquet": lambda entries, path: entries.to_parquet(path),
    "csv": lambda entries, path: entries.to_csv(path),
    "jsonl": lambda entries, path: entries.to_jsonl(path),
    "json": lambda entries, path: entries.to_json(path),
    "text": lambda entries, path: entries.to_text(path),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sitemap.xml").write_text(INDEX)
    (tmp_path / "a.txt").write_text("https://example.com/a\n")
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_a_table_or_a_file_warns_of_documents_that_could_not_be_read(folder, form):
    entries = urlset.read(folder / "sitemap.xml")

    with pytest.warns(RuntimeWarning) as warned:
        FORMS[form](entries, folder / "out")

    (message,) = (str(each.message) for each in warned)
    assert warned[0].filename == __file__
    assert message.startswith("urlset.read: the result is incomplete: 1 document could not be read")
    assert "https://example.com/lost.xml: listed but missing" in message
    assert [bool(record.error) for record in entries.documents] == [False, False, True]


@pytest.mark.parametrize("form", FORMS)
def test_a_complete_reading_does_not_warn(folder, form):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FORMS[form](urlset.read(folder / "a.txt"), folder / "out")


def test_the_warning_names_bytes_that_are_no_sitemap():
    with pytest.warns(RuntimeWarning, match="could not be read; the document: "):
        urlset.read(b"").to_arrow()


def test_the_warning_may_be_an_error(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Exception, match=r"lost\.xml"):
            urlset.read(folder / "sitemap.xml").to_polars()


def test_a_loop_over_entries_has_their_records_and_no_warning(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [entry.loc for entry in urlset.read(folder / "sitemap.xml")] == [
            "https://example.com/a"
        ]


def test_entries_say_what_could_not_be_read(folder):
    lost = urlset.read(folder / "sitemap.xml")
    whole = urlset.read(folder / "a.txt")

    assert not lost.is_complete  # reads it
    [reason] = lost.incomplete
    assert reason.startswith("https://example.com/lost.xml: listed but missing")
    assert list(whole)
    assert (whole.is_complete, whole.incomplete) == (True, ())


@pytest.mark.parametrize("limit", [1, None])
def test_a_reading_that_is_not_ended_is_not_complete(tmp_path, limit):
    (tmp_path / "a.txt").write_text("https://example.com/a\nhttps://example.com/b\n")
    entries = urlset.read(tmp_path / "a.txt", limit=limit)

    for _ in entries:
        break
    cut = entries.incomplete
    found = list(entries)

    assert cut == ("the reading is not over: not all documents were read",)
    assert (len(found), entries.is_complete) == ((2, True) if limit is None else (1, False))


def ways_to_count(entries):
    """Return functions that read all entries and return their number: iterated, async, Arrow."""

    async def read() -> int:
        return len([entry async for entry in entries])

    def read_stream() -> int:
        return len(arro3.RecordBatchReader.from_stream(entries).read_all())

    return (lambda: len(list(entries)), lambda: asyncio.run(read()), read_stream)


@pytest.mark.parametrize(
    ("name", "filters", "is_complete"),
    [
        ("two.txt", {}, True),
        ("two.txt", {"include": "/[ab]"}, True),
        ("three.txt", {}, False),
        ("three.txt", {"include": "/[ab]"}, True),  # what it left out is filtered
        (".", {}, False),  # other files may follow
    ],
)
def test_a_limit_that_leaves_out_nothing_ends_nothing(tmp_path, name, filters, is_complete):
    (tmp_path / "two.txt").write_text("https://example.com/a\nhttps://example.com/b\n")
    (tmp_path / "three.txt").write_text(
        "https://example.com/a\nhttps://example.com/b\nhttps://example.com/c\n"
    )
    entries = urlset.read(tmp_path / name, limit=2, **filters)

    for count in ways_to_count(entries):
        assert count() == 2
        assert entries.is_complete == is_complete
        assert entries.incomplete == (() if is_complete else ("stopped by limit=2",))


def test_a_reading_that_a_limit_ended_names_it(tmp_path):
    (tmp_path / "a.txt").write_text("https://example.com/a\nhttps://example.com/b\n")
    entries = urlset.read(tmp_path / "a.txt", limit=1)

    for count in ways_to_count(entries):
        assert count() == 1
        assert entries.incomplete == ("stopped by limit=1",)


def test_a_reading_without_all_sitemaps_of_an_index_is_not_complete(folder):
    entries = urlset.read(folder / "sitemap.xml", max_documents=1)

    assert len(list(entries)) == 1
    assert entries.incomplete == ("1 document skipped by max_documents",)
    assert urlset.read(folder / "sitemap.xml", follow_only="a.txt").is_complete


def test_an_asynchronous_reading_says_so_too(folder):
    entries = urlset.read(folder / "a.txt")

    async def read() -> int:
        return len([entry async for entry in entries])

    assert (asyncio.run(read()), entries.is_complete) == (1, True)


def test_what_is_written_of_an_incomplete_reading_is_not_complete(folder, tmp_path):
    entries = urlset.read(folder / "sitemap.xml")
    with pytest.warns(RuntimeWarning):
        written = urlset.write(entries, tmp_path / "maps", base_url="https://example.com/")
    whole = urlset.write(urlset.read(folder / "a.txt"), tmp_path / "whole")

    assert written.incomplete == entries.incomplete
    assert written.summary == "1 URL in 1 file; not complete"
    assert written.to_dict()["is_complete"] is False
    assert whole.is_complete

"""A table or a file of entries says that documents could not be read."""

from __future__ import annotations

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

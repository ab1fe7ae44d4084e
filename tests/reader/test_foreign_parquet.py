"""Parquet files of other programs: rows without a URL are reported, wrong values are errors."""

import duckdb
import pytest

import urlset
from urlset.errors import SourceError
from urlset.reader import Entries

A, B = "https://example.com/a", "https://example.com/b"


@pytest.fixture
def parquet(tmp_path):
    """Return a function that writes the rows of a query, and returns the path of the file."""

    def write(query):
        path = tmp_path / "urls.parquet"
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        return path

    return write


def rows(*urls, column="loc"):
    values = ", ".join("(NULL)" if url is None else f"('{url}')" for url in urls)
    return f"SELECT {column}::VARCHAR AS {column} FROM (VALUES {values}) t({column})"


@pytest.mark.parametrize("missing", [None, "", " ", "\t"])
@pytest.mark.parametrize("column", ["loc", "url"])
def test_rows_without_a_url_are_left_out_and_reported(parquet, missing, column):
    path = parquet(rows(A, missing, B, column=column))
    read = urlset.read(path)

    assert [entry.loc for entry in read] == [A, B]
    assert read.incomplete == (f"{path}: 1 row excluded: expected a URL in loc, found none",)
    assert read.documents[0].unreadable_count == 1
    with pytest.warns(RuntimeWarning, match="1 row excluded: expected a URL in loc"):
        assert urlset.read(path).to_arrow().column("loc").to_pylist() == [A, B]
    checked = urlset.check(path)
    assert not checked.is_complete
    assert not {"U007", "U016"} & checked.by_rule.keys()


def test_a_file_in_which_every_row_has_a_url_is_complete(parquet):
    read = urlset.read(parquet(rows(A, B)))

    assert [entry.loc for entry in read] == [A, B]
    assert read.is_complete


@pytest.mark.parametrize(
    "column",
    [
        "'2026' AS lastmod",
        "20260101 AS lastmod",
        "'high' AS priority",
        "['https://example.com/i.png'] AS images",
        "'x' AS news",
    ],
)
def test_values_that_are_none_of_an_entry_are_one_error_of_every_reader(parquet, column):
    path = parquet(f"SELECT '{A}' AS loc, {column}")

    for use in (list, Entries.to_arrow, Entries.to_polars):
        with pytest.raises(SourceError, match=r"urls\.parquet"):
            use(urlset.read(path))
    with pytest.raises(SourceError, match=r"urls\.parquet"):
        _ = urlset.check(path).by_rule


@pytest.mark.parametrize(
    "column",
    [
        "NULL::INTEGER AS lastmod",
        "DATE '2026-01-02' AS lastmod",
        "TIMESTAMP '2026-01-02 00:00:00' AS lastmod",
        "TIMESTAMP_NS '2026-01-02 00:00:00' AS lastmod",
        "'2026-01-02' AS lastmod",
    ],
)
def test_dates_of_every_type_are_read(parquet, column):
    (entry,) = urlset.read(parquet(f"SELECT '{A}' AS loc, {column}"))

    expected = None if "NULL" in column else "2026-01-02"
    assert (entry.lastmod and f"{entry.lastmod:%Y-%m-%d}") == expected


def test_a_priority_of_four_bytes_keeps_its_decimals(parquet):
    (entry,) = urlset.read(parquet(f"SELECT '{A}' AS loc, 0.8::FLOAT AS priority"))

    assert entry.priority == 0.8

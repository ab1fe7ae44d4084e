"""Frames and series of polars: where they are accepted, and what is said elsewhere."""

import re

import pytest

import urlset

polars = pytest.importorskip("polars")

FRAME = polars.DataFrame({"loc": ["https://example.com/a", "https://example.com/b"]})


def _error(function):
    with pytest.raises((TypeError, urlset.SourceError)) as caught:
        function()
    return str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        urlset.render,
        lambda frame: urlset.write(frame, "public"),
        lambda frame: urlset.build(frame, "public", base_url="https://example.com/"),
        lambda frame: urlset.build([frame], "public", base_url="https://example.com/"),
        lambda frame: urlset.diff(frame, FRAME),
        lambda frame: urlset.diff(FRAME, frame),
    ],
)
def test_a_lazy_frame_is_collected_first(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    message = _error(lambda: function(FRAME.lazy()))

    assert message.endswith("found LazyFrame; .collect() of it is a table")


@pytest.mark.parametrize("verb", ["read", "check", "fix", "audit"])
@pytest.mark.parametrize("given", [FRAME, FRAME.lazy(), FRAME["loc"]])
def test_a_frame_is_no_document(verb, given):
    message = _error(lambda: getattr(urlset, verb)(given))

    assert message == (
        "expected a path, a URL, '-', bytes or an open binary file, found "
        f"{type(given).__name__}; it has rows, of which urlset.write makes a document"
    )


def test_a_series_of_urls_is_written_like_a_list():
    assert urlset.render(FRAME["loc"]) == urlset.render(FRAME["loc"].to_list())


def test_a_series_of_structures_is_a_table(tmp_path):
    series = FRAME.to_struct("rows")

    built = urlset.build(series, tmp_path, base_url="https://example.com/")

    assert built.urls == len(FRAME)
    assert urlset.render(series) == urlset.render(FRAME)


@pytest.mark.parametrize("inputs", [FRAME["loc"], [FRAME["loc"]]])
def test_a_build_takes_no_series_because_its_urls_would_be_read(inputs, tmp_path):
    message = _error(lambda: urlset.build(inputs, tmp_path, base_url="https://example.com/"))

    assert message == "expected a table, found Series; .to_frame('loc') of it is a table"


def test_a_diff_of_tables_needs_only_a_column_of_urls():
    later = polars.DataFrame({"url": ["https://example.com/b"], "title": ["B"]})

    with urlset.diff(FRAME, later) as found:
        assert [(each.change, each.loc) for each in found] == [("removed", "https://example.com/a")]


def test_a_diff_reports_rows_of_a_table_without_a_url():
    with urlset.diff(FRAME, polars.DataFrame({"loc": ["https://example.com/b", "x"]})) as found:
        assert [(each.change, each.loc) for each in found] == [("unknown", "https://example.com/a")]
        assert found.incomplete == ("after: 1 entry has no readable URL: 1 URL unknown",)


def test_a_diff_of_a_table_without_a_column_of_urls_names_its_side():
    message = _error(lambda: urlset.diff(FRAME, polars.DataFrame({"x": [1]})))

    assert re.match(r"after: expected a column 'loc' or 'url', found x; rename", message)

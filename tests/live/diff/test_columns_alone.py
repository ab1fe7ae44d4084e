"""A column of a data frame, or a list of URLs, is no state: the message says how it becomes one."""

from typing import Any

import pytest

import urlset
from urlset.errors import SourceError

URLS: Any = ["https://example.com/a", "https://example.com/b"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_series_becomes_a_table_as_the_message_says(library):
    series = pytest.importorskip(library).Series(URLS)
    table = series.to_frame(name="loc")

    with pytest.raises(SourceError, match=r"found str in a Series; .*\.to_frame\(name='loc'\)"):
        urlset.diff(series, table)
    assert len(urlset.diff(table, table)) == 0


def test_urls_become_entries_as_the_message_says():
    entries = [urlset.Entry(url) for url in URLS]

    with pytest.raises(SourceError, match=r"found str; urlset\.Entry\(url\) makes an entry"):
        urlset.diff(entries, URLS)
    assert len(urlset.diff(entries, entries)) == 0

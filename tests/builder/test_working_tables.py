"""The temporary tables of a build have the columns that are declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.working_tables import ObservedColumns
from urlset.builder import build, incremental
from urlset.builder.working_tables import WORKING_TABLES
from urlset.errors import SourceError

BASE = "https://example.com/"
DECLARED = {table.name: table for table in WORKING_TABLES}


class _Failing:
    """A source that cannot be read."""

    name = "failing"

    def __init__(self):
        self.failures, self.notes = [], []

    def batches(self):
        raise SourceError("cannot be read")


def test_tables_have_the_declared_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    columns = ObservedColumns(monkeypatch).columns
    monkeypatch.setattr(incremental, "PARTITION_ROWS", 3)
    pages, urls = tmp_path / "pages", tmp_path / "urls.txt"
    pages.mkdir()
    (pages / "index.html").write_text("<title>Tea</title><p>Tea")
    extensions = {
        "images": [{"loc": "/i.png"}],
        "videos": [
            {"thumbnail_loc": "/i.png", "title": "Tea", "description": "Tea", "player_loc": "/v"}
        ],
        "news": {"name": "N", "language": "en", "publication_date": "2026-01-31", "title": "Tea"},
        "alternates": [{"hreflang": "de", "href": "/de"}],
        "extra": '<a:b xmlns:a="https://a.example/">1</a:b>',
    }
    rows = [{"loc": f"/p{n}", **extensions} for n in (0, 1, 2, 2)]
    ledger = tmp_path / "ledger.duckdb"

    for sources in (
        [{"loc": f"/p{n}"} for n in range(8)],
        rows,  # fewer fit into a file of two URLs, and one is listed twice
        pages,
        pages,  # the ledger knows its files now
        urls,
        urls,  # the ledger knows its rows now
        _Failing(),
    ):
        urls.write_text(f"{BASE}a\n{BASE}b\n")
        out = tmp_path / "out"
        most = 2 if sources is rows else 50
        build(
            sources,
            out,
            base_url=BASE,
            ledger=ledger,
            min_share=0,
            max_urls=most,
            on_error="skip",
        )

    assert columns.keys() == DECLARED.keys()
    for name, table in DECLARED.items():
        is_varying = name in {"sorted_rows"}  # without the columns that are constant
        assert (
            set(table.columns) <= columns[name]
            if is_varying
            else set(table.columns) == columns[name]
        ), name

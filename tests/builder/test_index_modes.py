"""The option ``index``: an index if one is needed, also for one file, or one for each section."""

from pathlib import Path
from typing import Literal

import pytest

import urlset

ROWS = [{"loc": "/a"}, {"loc": "/blog/b"}, {"loc": "/blog/c"}]


@pytest.mark.parametrize(
    ("index", "max_urls", "indexes"),
    [
        ("auto", 10, set()),
        ("auto", 2, {"sitemap.xml"}),
        ("always", 10, {"sitemap.xml"}),
        ("always", 2, {"sitemap.xml"}),
    ],
)
def test_an_index_is_written_if_one_is_needed_or_always(
    index: Literal["auto", "always"], max_urls: int, indexes: set[str], tmp_path: Path
):
    made = urlset.build(
        ROWS,
        tmp_path / "out",
        base_url="https://example.com/",
        ledger=tmp_path / "ledger.duckdb",
        index=index,
        max_urls=max_urls,
    )

    assert {file.name for file in made.indexes} == indexes


def test_each_section_has_an_index_of_its_own(tmp_path: Path):
    made = urlset.build(
        ROWS,
        tmp_path / "out",
        base_url="https://example.com/",
        ledger=tmp_path / "ledger.duckdb",
        index="section",
        sections="blog=/blog/",
    )

    assert len(made.indexes) == 2
    assert any("blog" in file.name for file in made.indexes)

"""``read_sitemap`` of Daft: equal to one reading, with filters, limits and failures as rows."""

import random
from collections import Counter

import pytest

import urlset
from tests.partitioned.test_partitioned import random_tree, write_tree
from tests.site_box import urlset_of

daft = pytest.importorskip("daft", reason="no daft")
pytestmark = pytest.mark.filterwarnings("ignore")

HOST = "https://example.com"


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_equal_one_reading(tmp_path, seed):
    from urlset.integrations.daft import read_sitemap

    chosen = random.Random(seed)
    write_tree({**random_tree(chosen), "z.xml": urlset_of(HOST, 1)}, tmp_path / "tree")
    whole = urlset.read(tmp_path / "tree")
    expected = Counter((entry.loc, entry.source, entry.line) for entry in whole)
    size = chosen.choice([1, 500, 10**6])

    pages = read_sitemap(tmp_path / "tree", part_bytes=size).select("loc", "source", "line")
    documents = read_sitemap(tmp_path / "tree", part_bytes=size, table="documents")

    rows = pages.to_pylist()
    assert Counter((row["loc"], row["source"], row["line"]) for row in rows) == expected
    errors = Counter((row["source"], row["error"]) for row in documents.to_pylist())
    assert errors == Counter((record.source, record.error) for record in whole.documents)


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        entries = "".join(
            f"<url><loc>https://{'ab'[index % 2]}.example.com/{number}/{index}</loc>"
            f"<lastmod>2026-0{1 + index % 9}-01</lastmod></url>"
            for index in range(200)
        )
        (tmp_path / f"{number}.xml").write_bytes(
            b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            + entries.encode()
            + b"</urlset>"
        )
    return tmp_path


def test_filters_and_columns_are_applied_in_the_task(folder):
    from urlset.integrations.daft import read_sitemap

    may = daft.lit("2026-05-01T00:00:00Z").cast(daft.DataType.timestamp("us", "UTC"))
    pages = read_sitemap(folder, part_bytes=1)

    found = pages.where((daft.col("host") == "b.example.com") & (daft.col("lastmod") >= may))

    expected = [
        entry.loc
        for entry in urlset.read(folder)
        if entry.loc.startswith("https://b.") and (entry.lastmod_text or "") >= "2026-05"
    ]
    assert sorted(found.select("loc").to_pydict()["loc"]) == sorted(expected)
    assert found.select("loc").column_names == ["loc"]
    counts = pages.groupby("host").agg(daft.col("loc").count()).to_pydict()
    assert dict(zip(counts["host"], counts["loc"], strict=True)) == {
        "a.example.com": 300,
        "b.example.com": 300,
    }


def test_a_task_ends_at_the_limit(folder):
    from urlset.integrations.daft import read_sitemap

    pages = read_sitemap(folder, part_bytes=1)

    assert pages.limit(7).count_rows() == 7
    assert pages.where(daft.col("host") == "a.example.com").limit(150).count_rows() == 150


def test_invalid_arguments_raise_before_anything_is_read(tmp_path):
    from urlset.integrations.daft import read_sitemap

    (tmp_path / "a.xml").write_bytes(urlset_of(HOST, 1))

    with pytest.raises(ValueError, match="did you mean 'entries'"):
        read_sitemap(tmp_path, table="entry")  # type: ignore[arg-type]
    with pytest.raises(urlset.SourceError):
        read_sitemap(tmp_path / "none")

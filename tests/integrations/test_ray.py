"""``read_sitemap`` of Ray Data: equal to one reading, with failures as rows."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import urlset
from tests.partitioned.test_partitioned import random_tree, write_tree
from tests.site_box import urlset_of

pytest.importorskip("ray", reason="no ray")
pytestmark = pytest.mark.filterwarnings("ignore")

HOST = "https://example.com"


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_equal_one_reading(ray, tmp_path, seed):
    from urlset.integrations.ray import read_sitemap

    chosen = random.Random(seed)
    write_tree({**random_tree(chosen), "z.xml": urlset_of(HOST, 1)}, tmp_path / "tree")
    whole = urlset.read(tmp_path / "tree")
    expected = Counter((entry.loc, entry.source, entry.line) for entry in whole)
    size = chosen.choice([1, 500, 10**6])

    pages = read_sitemap(tmp_path / "tree", part_bytes=size)
    documents = read_sitemap(tmp_path / "tree", part_bytes=size, table="documents")

    rows = pages.select_columns(["loc", "source", "line"]).take_all()
    assert Counter((row["loc"], row["source"], row["line"]) for row in rows) == expected
    assert {*rows[0]} == {"loc", "source", "line"}
    errors = Counter((row["source"], row["error"]) for row in documents.take_all())
    assert errors == Counter((record.source, record.error) for record in whole.documents)


def test_unknown_columns_raise_before_anything_is_read(ray, tmp_path):
    from urlset.integrations.ray import read_sitemap

    (tmp_path / "a.xml").write_bytes(urlset_of(HOST, 1))

    with pytest.raises(ValueError, match="did you mean 'loc'"):
        read_sitemap(tmp_path, columns=["lok"])
    with pytest.raises(urlset.SourceError):
        read_sitemap(tmp_path / "none")

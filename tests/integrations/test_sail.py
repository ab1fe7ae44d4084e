"""Sail, an engine with the interface of Spark that needs no Java, reads and checks sitemaps."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.partitioned.test_check import MOMENT, whole
from tests.partitioned.test_partitioned import write_tree
from tests.site_box import index_of, urlset_of

pytest.importorskip("pysail", reason="no pysail")
spark_server: Any = pytest.importorskip("pysail.spark", reason="no pysail")

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

HOST = "https://example.com"


@pytest.fixture(scope="module")
def sail() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    from urlset.integrations.spark import register

    server = spark_server.SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    try:
        session: Any = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        register(session)
    except Exception as error:
        server.stop()
        if "unsupported PySpark version" in str(error):
            pytest.skip(f"this pysail: {error}")
        raise
    yield session
    session.stop()
    server.stop()


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    tree = {f"{name}.xml": urlset_of(f"{HOST}/{name}", 3) for name in "ab"}
    index = index_of(f"{HOST}/{name}.xml" for name in ("a", "b", "gone"))
    write_tree({**tree, "c.xml": tree["a.xml"], "index.xml": index}, tmp_path / "maps")
    return tmp_path / "maps"


def test_entries_and_failures_equal_one_reading(sail: Any, maps: Path):
    reader = sail.read.format("sitemap").option("part_bytes", 1)

    entries = reader.schema("loc string, lastmod timestamp, source string").load(str(maps))
    documents = reader.schema("source string, error string").option("table", "documents")

    expected = urlset.read(maps)
    assert Counter(map(tuple, entries.collect())) == Counter(
        (entry.loc, entry.lastmod, entry.source) for entry in expected
    )
    errors = Counter(map(tuple, documents.load(str(maps)).collect()))
    assert errors == Counter((record.source, record.error) for record in expected.documents)


def test_findings_equal_one_check(sail: Any, maps: Path):
    from urlset.integrations.spark import check

    found = check(sail, maps, now=MOMENT, base_url=f"{HOST}/", part_bytes=1, buckets=2)

    assert Counter(map(tuple, found.collect())) == whole(maps, base_url=f"{HOST}/")


@pytest.mark.parametrize(
    ("option", "path", "message"),
    [("table", "none", "found nothing at"), ("tabel", "maps", "did you mean 'table'")],
)
def test_invalid_input_is_an_error_that_says_what_to_do(
    sail: Any, maps: Path, option: str, path: str, message: str
):
    reader = sail.read.format("sitemap").schema("loc string").option(option, "entries")

    with pytest.raises(Exception, match=message):
        reader.load(str(maps.parent / path)).count()

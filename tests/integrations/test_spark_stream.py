"""``spark.readStream.format("sitemap")``: new and changed documents, each once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.spark_sessions import spark_session
from tests.partitioned.test_partitioned import write_tree
from tests.site_box import index_of, urlset_of

# Spark leaves sockets to the garbage collector.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

HOST = "https://example.com"


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[Any]:
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


def run(spark: Any, folder: Path, work: Path, table: str = "entries", **options: str) -> list[Any]:
    """Process what is there, from the checkpoint of the run before; return all rows so far."""
    schema = "loc string, source string" if table == "entries" else "source string, error string"
    stream = spark.readStream.format("sitemap").schema(schema).option("table", table)
    frame = stream.options(**options).load(str(folder))
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(work / "log"))
    query = writer.trigger(availableNow=True).start(str(work / "rows"))
    assert query.awaitTermination(120)
    assert query.exception() is None
    return [tuple(row) for row in spark.read.schema(schema).parquet(str(work / "rows")).collect()]


def test_a_changed_folder_is_read_from_where_the_last_run_ended(spark, tmp_path):
    maps = tmp_path / "maps"
    tree = {f"{name}.xml": urlset_of(f"{HOST}/{name}", 2) for name in "abc"}
    index = index_of(f"{HOST}/{name}" for name in [*tree, "gone.xml"])
    write_tree({**tree, "index.xml": index, "broken.xml": b"<html>not found</html>"}, maps)

    first = run(spark, maps, tmp_path)
    again = run(spark, maps, tmp_path)
    (maps / "b.xml").write_bytes(urlset_of(f"{HOST}/b/new", 3))
    (maps / "d.xml").write_bytes(urlset_of(f"{HOST}/d", 1))
    (maps / "a.xml").unlink()
    second = run(spark, maps, tmp_path)

    assert len(first) == len(again) == 6
    assert len(second) == 6 + 3 + 1
    new = {Path(source).name for _, source in set(second) - set(first)}
    assert new == {"b.xml", "d.xml"}


def test_documents_that_fail_are_rows_of_the_stream(spark, tmp_path):
    index = index_of(f"{HOST}/{name}.xml" for name in ("a", "gone", "broken"))
    tree = {"a.xml": urlset_of(HOST, 1), "index.xml": index, "broken.xml": b"<html>404</html>"}
    write_tree(tree, tmp_path / "maps")

    first = run(spark, tmp_path / "maps", tmp_path, "documents")
    write_tree({**tree, "gone.xml": urlset_of(HOST, 2)}, tmp_path / "maps")
    second = run(spark, tmp_path / "maps", tmp_path, "documents")

    errors = [Path(source).name for source, error in first if error]
    assert sorted(errors) == ["broken.xml", "gone.xml"]
    assert (str(tmp_path / "maps" / "gone.xml"), None) in second


@pytest.mark.skipif("not __import__('pyspark').__version__ >= '4.2'", reason="4.2 has the limit")
def test_a_step_reads_at_most_so_many_documents(spark, tmp_path):
    tree = {f"{n}.xml": urlset_of(f"{HOST}/{n}", 1) for n in range(5)}
    write_tree(tree, tmp_path / "maps")
    stream = spark.readStream.format("sitemap").schema("loc string").option("max_files", 2)
    steps: list[int] = []

    frame = stream.load(str(tmp_path / "maps"))
    query = frame.writeStream.foreachBatch(lambda batch, _: steps.append(batch.count())).start()
    query.processAllAvailable()
    query.stop()

    assert steps == [2, 2, 1]

"""``spark.read.format("sitemap")``: equal to one reading, with failures as rows."""

import pickle
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.integrations.spark_sessions import AnalysisException, functions, spark_session
from tests.partitioned.test_partitioned import random_tree, write_tree
from tests.site_box import SiteBox, index_of, urlset_of
from urlset.integrations.spark import FilteringSparkReader, SparkSource

HOST = "https://example.com"
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"

# Spark leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[Any]:
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


def dated(host: str, dates: list[str]) -> bytes:
    rows = [f"<url><loc>{host}/{d}</loc><lastmod>{d}</lastmod></url>" for d in dates]
    return f"<urlset>{''.join(rows)}<url><loc>{host}/undated</loc></url></urlset>".encode()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    dates = ["2026-01-01", "2026-02-01", "2026-03-01T12:00:00Z"]
    files = {"a.xml": dated(HOST, dates), "b.xml": dated("https://b.example.com", dates)}
    files["broken.xml"] = b"<html>not found</html>"
    index = index_of(f"{HOST}/{name}" for name in [*files, "gone.xml"])
    write_tree({**files, "index.xml": index}, tmp_path / "tree")
    return tmp_path / "tree"


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_equal_one_reading(spark, tmp_path, seed):
    chosen = random.Random(seed)
    write_tree({**random_tree(chosen), "z.xml": urlset_of(HOST, 1)}, tmp_path / "tree")
    whole = urlset.read(tmp_path / "tree")
    expected = Counter((e.loc, e.lastmod, e.source, e.line, len(e.images)) for e in whole)
    reader = spark.read.format("sitemap").option("part_bytes", chosen.choice([1, 500, 10**6]))

    found = reader.load(str(tmp_path / "tree"))
    documents = reader.option("table", "documents").load(str(tmp_path / "tree"))

    rows = found.select("loc", "lastmod", "source", "line", functions.size("images")).collect()
    utc = [(r[0], r[1] and r[1].replace(tzinfo=UTC), *r[2:]) for r in rows]
    assert Counter(utc) == expected
    errors = Counter(map(tuple, documents.select("source", "error").collect()))
    assert errors == Counter((record.source, record.error) for record in whole.documents)


def test_columns_are_those_of_the_schema(spark, tree):
    schema = "host string, lastmod date, loc string, line int"

    frame = spark.read.format("sitemap").schema(schema).load(str(tree / "a.xml"))

    assert frame.columns == ["host", "lastmod", "loc", "line"]
    first, *_, last = frame.collect()
    assert tuple(first) == ("example.com", date(2026, 1, 1), f"{HOST}/2026-01-01", 1)
    assert last["lastmod"] is None


def test_failures_are_rows_and_fail_no_job(spark, tree):
    reader = spark.read.format("sitemap")

    entries = reader.schema("loc string").load(str(tree / "index.xml"))
    documents = reader.option("table", "documents").schema("source string, error string")

    assert entries.count() == 8
    errors = {
        row["source"]: row["error"] for row in documents.load(str(tree / "index.xml")).collect()
    }
    assert len(errors) == 5
    assert {name.rpartition("/")[2] for name, error in errors.items() if error} == {
        "broken.xml", "gone.xml",
    }  # fmt: skip


def test_each_table_has_its_columns(spark, tree):
    for table in ("sitemaps", "problems", "robots"):
        frame = spark.read.format("sitemap").option("table", table).load(str(tree / "index.xml"))
        assert frame.count() == {"sitemaps": 4, "problems": frame.count(), "robots": 0}[table]


def test_several_paths_and_filters_of_options(spark, tree):
    paths = [str(tree / "a.xml"), str(tree / "b.xml")]
    reader = spark.read.format("sitemap").schema("loc string")

    assert reader.load(paths).count() == 8
    assert (
        reader.option("hosts", "example.com,x.org").option("include", "undated").load(paths).count()
        == 1
    )


def test_sites_of_two_hosts_are_two_tasks_and_one_host_is_one(spark):
    with SiteBox("127.0.0.1") as a, SiteBox("127.0.0.2") as b:
        urls = []
        for box in (a, b):
            box.put_index("/i.xml", ["/1.xml", "/2.xml", "/gone.xml"])
            urls += [box.put_urlset("/1.xml", 2), box.put_urlset("/2.xml", 3), box.url("/i.xml")]
        reader = spark.read.format("sitemap").option("retries", "0").option("user_agent", "Bot/1")

        frame = reader.schema("loc string, source string").load(urls)

        assert frame.count() == 2 * (2 * 5)
        assert frame.rdd.getNumPartitions() == 2
        assert {hit.headers["user-agent"] for hit in a.hits} == {"Bot/1"}


@pytest.mark.parametrize(
    ("options", "schema", "path", "message"),
    [
        ({}, None, "none.xml", "expected a file or a folder, found nothing at"),
        ({"tabel": "documents"}, None, "a.xml", "unknown option 'tabel'; did you mean 'table'"),
        ({"table": "entry"}, None, "a.xml", "option table: found 'entry'; did you mean 'entries'"),
        ({"follow": "perhaps"}, None, "a.xml", "option follow: expected true or false"),
        ({"parts": "many"}, None, "a.xml", "option parts: expected a whole number, found 'many'"),
        ({"parts": "0"}, None, "a.xml", "parts: expected 1 or more"),
        ({}, "lok string", "a.xml", "the column 'lok', .* did you mean 'loc'"),
        ({}, "loc timestamp", "a.xml", "the column 'loc' as timestamp, expected string"),
        ({}, "line tinyint", "a.xml", "the column 'line' as tinyint, expected bigint or int"),
        ({"table": "documents"}, "host string", "a.xml", "which the table documents does not have"),
        ({}, None, None, "expected a path or URL: load"),
    ],
)  # fmt: skip
def test_invalid_input_is_one_error_of_the_driver(spark, tree, options, schema, path, message):
    reader = spark.read.format("sitemap").options(**options)
    reader = reader if schema is None else reader.schema(schema)

    with pytest.raises(AnalysisException, match=message):
        reader.load(None if path is None else str(tree / path)).count()


def test_an_executor_without_urlset_says_what_to_install():
    from pyspark import cloudpickle

    source = SparkSource({"path": "https://example.com/"})
    reader = source.reader(source.schema())
    data = cloudpickle.dumps(reader)
    assert pickle.loads(data).schema == reader.schema
    code = "import sys, pickle; sys.modules['urlset'] = None; pickle.load(sys.stdin.buffer)"

    run = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=False)

    last = run.stderr.decode().splitlines()[-1]
    assert "an executor of Spark cannot read sitemaps" in last
    assert "pip install 'urlset[spark]' on every executor" in last


class GreaterThan:
    def __init__(self, attribute, value):
        self.attribute = attribute
        self.value = value


def named(name: str, column: str, value: Any) -> Any:
    """Return a filter as Spark 4.1 and newer have them, also with 4.0."""
    return type(name, (GreaterThan,), {})((column,), value)


def test_filters_that_are_exact_are_taken_over():
    source = SparkSource({"path": "x", "pushdown": "true", "hosts": "a.org,b.org"})
    reader = source.reader(source.schema())
    assert isinstance(reader, FilteringSparkReader)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    strict = named("GreaterThan", "lastmod", moment)
    others = [named("LessThan", "lastmod", moment), named("EqualTo", "loc", "x")]
    others.append(named("StringContains", "host", "x"))

    left = list(
        reader.pushFilters(
            [
                named("GreaterThanOrEqual", "lastmod", date(2025, 1, 1)),
                strict,
                named("In", "host", ("b.org", "c.org", None)),
                named("EqualTo", "source", "a.xml"),
                *others,
            ]
        )
    )

    assert left == [strict, *others]
    assert reader.filters == {"since": moment, "hosts": {"b.org"}, "sources": {"a.xml"}}


def test_pushdown_does_not_change_the_result(spark, tree):
    schema = "loc string, lastmod timestamp, host string, source string"
    column = functions.col
    moment = functions.lit("2026-02-01").cast("timestamp")
    conditions = [
        (column("lastmod") >= moment) & (column("host") == "b.example.com"),
        column("lastmod") > moment,
        column("source").isin(str(tree / "a.xml"), "x"),
        column("lastmod").isNull(),
        (column("host") == "example.com") | (column("lastmod") < moment),
    ]
    plain = spark.read.format("sitemap").schema(schema)
    pushed = spark.read.format("sitemap").schema(schema).option("pushdown", "true")
    spark.conf.set(PUSHDOWN, "true")
    if spark.version < "4.1":
        pytest.skip("Spark 4.0 pushes no filters")
    try:
        for condition in conditions:
            expected = plain.load(str(tree)).filter(condition)
            found = pushed.load(str(tree)).filter(condition)
            assert found.count() == expected.count() > 0
        plan = pushed.load(str(tree)).filter(conditions[0])._jdf.queryExecution().toString()
        assert "b.example.com" not in plan.split("Physical Plan")[1]
    finally:
        spark.conf.unset(PUSHDOWN)
    with pytest.raises(AnalysisException, match="PUSHDOWN_DISABLED"):
        pushed.load(str(tree)).count()

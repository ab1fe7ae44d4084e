"""A check on Spark finds what one check of the whole source finds."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.spark_sessions import spark_session
from tests.partitioned.test_check import COLUMNS, MOMENT, random_set, whole
from tests.partitioned.test_partitioned import write_tree
from urlset.errors import SourceError
from urlset.integrations.spark import check as check_on_spark
from urlset.integrations.spark.executor import task

# Spark leaves sockets to the garbage collector.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

BASE = "https://example.com/"


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[Any]:
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


def on_spark(spark: Any, source: Any, **options: Any) -> Counter[tuple[Any, ...]]:
    found = check_on_spark(spark, source, now=MOMENT, **options)
    assert found.columns == COLUMNS
    return Counter(map(tuple, found.collect()))


@pytest.mark.parametrize("seed", range(3))
def test_random_sets_equal_one_check(spark, tmp_path: Path, seed: int):
    chosen = random.Random(seed)
    write_tree(random_set(chosen), tmp_path / "set")

    expected = whole(tmp_path / "set", base_url=BASE)
    found = on_spark(spark, tmp_path / "set", base_url=BASE, part_bytes=1500, buckets=2)

    assert found == expected


def test_unknown_options_and_missing_sources_are_errors_of_the_driver(spark, tmp_path: Path):
    with pytest.raises(TypeError, match="did you mean 'part_bytes'"):
        check_on_spark(spark, tmp_path, part_byte=1)
    with pytest.raises(SourceError, match="found nothing at"):
        check_on_spark(spark, tmp_path / "none")
    with pytest.raises(ValueError, match="expected the name or the code of a rule"):
        check_on_spark(spark, b"https://example.com/", select=["U9999"])


def test_an_executor_without_urlset_says_what_to_install():
    from pyspark import cloudpickle

    data = cloudpickle.dumps(task(len))
    code = "import sys, pickle; sys.modules['urlset'] = None; pickle.load(sys.stdin.buffer)([])"

    run = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=False)

    assert "run pip install 'urlset[spark]' on every executor" in run.stderr.decode()

"""Sitemaps built on a standalone cluster of Spark while an executor is killed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.integrations.test_spark_builds import build_on, build_whole, rows_of
from tests.integrations.test_spark_cluster import WORKERS, cluster, kill_executor, wait_for
from tests.partitioned.test_builds import contents

__all__ = ["cluster"]

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Spark leaves sockets to the garbage collector
    pytest.mark.slow,
]


def test_executor_killed_during_a_build_changes_nothing(cluster, tmp_path):
    spark, workers = cluster
    assert len(workers) == WORKERS
    rows = rows_of(6, 3000)
    build_on(spark, rows[:20], tmp_path, force="shrunk")  # executors are started
    (tmp_path / "again").mkdir()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(build_on, spark, rows, tmp_path / "again")
        staged = tmp_path / "again" / "ledgers"
        wait_for(lambda: running.done() or list(staged.glob("run-*/section=*")))
        kill_executor(workers[0])
        found = running.result(180)

    build_whole(rows, tmp_path)
    assert found.urls == len(rows)
    assert contents(tmp_path / "again" / "parts") == contents(tmp_path / "whole")

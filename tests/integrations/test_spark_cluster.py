"""A standalone cluster of Spark on loopback: equal results, also if an executor is killed."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.integrations.spark_sessions import pyspark, spark_session
from tests.partitioned.test_check import MOMENT, in_parts
from tests.partitioned.test_partitioned import random_tree, write_tree
from tests.site_box import SiteBox, held, page, urlset_of
from urlset.integrations.spark import check as check_on_spark
from urlset.partitioned import plan

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Spark leaves sockets to the garbage collector
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to find executors"),
]

HOME = Path(pyspark.__file__).parent
WORKERS = 2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[tuple[Any, list[int]]]:
    """A session on a master with two workers, and the process ids of the workers."""
    folder = tmp_path_factory.mktemp("cluster")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    common = ["--host", "127.0.0.1", "--webui-port", "0"]
    worker = ["org.apache.spark.deploy.worker.Worker", *common, "--cores", "1", "--memory", "700M"]
    commands = [["org.apache.spark.deploy.master.Master", *common, "--port", str(port)]]
    commands += [[*worker, "--work-dir", f"{folder}/{number}", master] for number in range(WORKERS)]
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with ExitStack() as stack, open(folder / "log.txt", "wb") as log:
        pids = []
        for command in commands:
            process = subprocess.Popen(
                [HOME / "bin" / "spark-class", *command], stdout=log, stderr=log, env=env
            )
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
            pids.append(process.pid)
        wait_for(lambda: can_connect(port))
        settings = {"executor_memory": "512m", "executor_cores": "1"}
        yield (stack.enter_context(spark_session(folder, master, **settings)), pids[1:])


def can_connect(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition: Callable[[], Any]) -> Any:
    end = time.monotonic() + 120
    while not (found := condition()):
        assert time.monotonic() < end, "the cluster did not get there in two minutes"
        time.sleep(0.05)
    return found


def children(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:  # it ended
            continue
        if int(text.rpartition(")")[2].split()[1]) == pid:
            found.append(int(path.parent.name))
    return found


def kill_executor(worker: int) -> None:
    """Kill the executor of a worker, and one of an earlier test that is about to end."""
    found = children(worker)
    assert found
    for killed in found:
        os.kill(killed, signal.SIGKILL)
    wait_for(lambda: not set(found) & set(children(worker)))


def test_parts_on_two_workers_equal_one_reading(cluster, tmp_path):
    spark, _ = cluster
    chosen = random.Random(24)
    for number in range(10):
        write_tree(random_tree(chosen), tmp_path / "tree" / str(number))
    whole = urlset.read(tmp_path / "tree")
    expected = Counter((entry.loc, entry.source, entry.line) for entry in whole)
    reader = spark.read.format("sitemap").option("part_bytes", 500)

    frame = reader.schema("loc string, source string, line long").load(str(tmp_path / "tree"))
    errors = reader.option("table", "documents").schema("source string, error string")

    assert frame.rdd.getNumPartitions() > WORKERS
    assert Counter(map(tuple, frame.collect())) == expected
    found = Counter(map(tuple, errors.load(str(tmp_path / "tree")).collect()))
    assert found == Counter((record.source, record.error) for record in whole.documents)


def test_executor_killed_during_a_read_changes_nothing(cluster):
    spark, workers = cluster
    is_free = Event()
    with SiteBox("127.0.0.1") as a, SiteBox("127.0.0.2") as b, ThreadPoolExecutor(1) as pool:
        for box in (a, b):
            box.put_index("/i.xml", ["/1.xml", "/2.xml", "/gone.xml"])
            box.put_urlset("/1.xml", 3)
            box.play("/2.xml", held(is_free, page(urlset_of(box.url("/2.xml"), 4))))
        urls = [box.url("/i.xml") for box in (a, b)]
        reader = spark.read.format("sitemap").schema("loc string, source string")
        frame = reader.option("retries", "0").load(urls)
        running = pool.submit(frame.collect)
        try:
            wait_for(lambda: "/2.xml" in a.paths and "/2.xml" in b.paths)
            kill_executor(workers[0])
        finally:
            is_free.set()
        found = Counter(map(tuple, running.result(180)))

        expected = Counter(
            (entry.loc, entry.source) for url in urls for entry in urlset.read(url, policy=quick())
        )
        assert found == expected
        assert sum(found.values()) == 14
        # Each site was read by Spark, one of them twice, and then here.
        assert sorted([a.paths.count("/i.xml"), b.paths.count("/i.xml")]) == [2, 3]


def test_executor_killed_during_a_check_changes_nothing(cluster):
    spark, workers = cluster
    is_free = Event()
    with SiteBox("127.0.0.1") as a, SiteBox("127.0.0.2") as b, ThreadPoolExecutor(1) as pool:
        for box in (a, b):
            box.put_index("/i.xml", ["/1.xml", "/2.xml", "/gone.xml"])
            box.put_urlset("/1.xml", 3)
            box.play("/2.xml", held(is_free, page(urlset_of(box.url("/1.xml"), 3))))
        urls = [box.url("/i.xml") for box in (a, b)]
        options: dict[str, Any] = {"now": MOMENT, "buckets": 2}

        def check() -> Counter[Any]:
            found = check_on_spark(spark, urls, policy=quick(), **options)
            return Counter(map(tuple, found.collect()))

        running = pool.submit(check)
        try:
            wait_for(lambda: "/2.xml" in a.paths and "/2.xml" in b.paths)
            kill_executor(workers[0])
        finally:
            is_free.set()
        found = running.result(300)

        assert found == in_parts(plan(urls, policy=quick()), buckets=2)
        assert {row[1] for row in found} >= {"N001", "U501"}
        # Each site was read by Spark, one of them twice, and then here.
        assert sorted([a.paths.count("/i.xml"), b.paths.count("/i.xml")]) == [2, 3]

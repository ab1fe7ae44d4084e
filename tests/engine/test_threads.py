"""One engine in several threads: equal results, shared objects, no deadlock."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest

from urlset.engine import Engine, available, get
from urlset.model import Entry

THREADS = 8

LARGE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
    + "".join(
        f"<url><loc>https://example.com/{n}</loc><lastmod>2026-01-{n % 28 + 1:02}</lastmod>"
        f"<priority>0.{n % 10}</priority>"
        f"<image:image><image:loc>https://example.com/{n}.png</image:loc></image:image></url>\n"
        for n in range(300)
    )
    + "<url><loc>/relative &nbsp; b</loc><lastmod>yesterday</lastmod></url></urlset>"
).encode()


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """Return the results of one call in each thread, which all begin together."""
    barrier = Barrier(THREADS)

    def begin(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def everything(engine: Engine, text: bytes) -> tuple[Any, ...]:
    """Return what the functions of an engine make of a document."""
    parsed = engine.parse(text, "https://example.com/", "s", [])
    rows = list(parsed.entries)
    columns = engine.columns(parsed.entries)
    plain = engine.user_columns([{"loc": row.loc, "priority": row.priority} for row in rows])
    renderer = engine.renderer("urlset", 50_000, 50_000_000, 1_000)
    renderer.add(columns, 0)
    packed = engine.gzip(text)
    return (
        rows,
        parsed.diagnostics,
        [plain.loc(row) for row in range(len(plain))],
        renderer.finish(),
        list(engine.written_urls().add(columns, 0, len(columns))),
        engine.is_utf8(text),
        engine.gunzip(packed, len(text) + 1),
        [list(column) for column in engine.element_spans(text)[:2]],
        len(engine.columns(rows)),
    )


def test_threads_have_the_results_of_one(engine):
    expected = everything(engine, LARGE)

    found = at_once(lambda _: [everything(engine, LARGE) for _ in range(3)])

    assert all(result == expected for results in found for result in results)


def test_threads_read_the_same_columns(engine):
    parsed = engine.parse(LARGE, None, "s", [])
    expected = list(parsed.entries)

    assert all(rows == expected for rows in at_once(lambda _: list(parsed.entries)))


def processors() -> int:
    """Return how many processors this process may use, on Linux; 1 elsewhere."""
    if sys.platform != "linux":
        return 1
    allowed = len(os.sched_getaffinity(0))
    with suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        allowed = min(allowed, int(quota) // int(period))
    return allowed


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
@pytest.mark.skipif(processors() < 2, reason="there is one processor, or no /proc")
def test_several_threads_parse_a_large_document():
    body = LARGE[LARGE.index(b"<url>") : LARGE.rindex(b"<url>")]
    large = LARGE.replace(body, body * 300)
    engine, is_over = get("native"), Event()

    def count_threads() -> int:
        most = 0
        while not is_over.is_set():
            most = max(most, len(os.listdir("/proc/self/task")))
        return most

    with ThreadPoolExecutor(1) as pool:
        counted = pool.submit(count_threads)
        before = len(os.listdir("/proc/self/task"))
        try:
            lengths = [len(engine.parse(large, None, None, []).entries) for _ in range(5)]
        finally:
            is_over.set()
        assert counted.result() > before
    assert lengths == [300 * 300] * 5


def test_threads_check_documents_larger_than_the_remembered_one(engine):
    """Of documents above a megabyte, the native engine remembers the last one that is UTF-8."""
    texts = [
        LARGE.replace(b"</urlset>", b"<!-- %d %s --></urlset>" % (number, b"x" * (1 << 20)))
        for number in range(THREADS)
    ]

    def read(number: int) -> list[int]:
        text = texts[number % 3]
        return [
            len(engine.parse(text, None, None, []).entries) if engine.is_utf8(text) else -1
            for _ in range(5)
        ]

    assert at_once(read) == [[300] * 5] * THREADS


def test_threads_add_to_one_renderer(engine):
    if engine.name != "native":
        pytest.skip("the renderer of the reference engine belongs to one thread")
    renderer = engine.renderer("urlset", 50_000, 50_000_000, 1_000)
    parts = [
        engine.columns([Entry(loc=f"https://example.com/{thread}/{n}") for n in range(500)])
        for thread in range(THREADS)
    ]

    def add(number: int) -> int:
        end: int = renderer.add(parts[number], 0)
        assert renderer.finish().endswith(b"</urlset>\n")
        return end

    assert at_once(add) == [500] * THREADS
    assert renderer.count == 500 * THREADS
    parsed = engine.parse(renderer.finish(), None, None, [])
    assert len({entry.loc for entry in parsed.entries}) == 500 * THREADS


# While `finish` copies the document, it is detached from the interpreter. A thread that waits for
# the renderer must be, too, or both wait forever. With the GIL this hung in one run of two.
TWO_USERS = """
import threading
from urlset.engine import get
from urlset.model import Entry
engine = get("native")
renderer = engine.renderer("text", 200_000, 50_000_000, 1_000)
row = Entry(loc="https://example.com/" + "x" * 2000)
renderer.add(engine.columns([row] * 5_000), 0)
done = threading.Event()
def count():
    while not done.is_set():
        renderer.count
thread = threading.Thread(target=count, daemon=True)
thread.start()
for _ in range(20):
    assert len(renderer.finish()) > 10_000_000
done.set()
thread.join()
print("finished")
"""


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
def test_waiting_for_a_renderer_does_not_block_its_user():
    ran = subprocess.run(
        [sys.executable, "-c", TWO_USERS], capture_output=True, text=True, timeout=120, check=False
    )

    assert ran.stdout == "finished\n", ran.stderr


def test_dicts_that_another_thread_changes_are_read_whole(engine):
    rows: list[dict[str, Any]] = [{"loc": f"https://example.com/{n}"} for n in range(200)]

    def use(number: int) -> set[int]:
        sizes = set()
        for _ in range(20):
            if number % 2:
                for row in rows:
                    row["priority"] = 0.5
                    row.pop("priority", None)
            else:
                sizes.add(len(engine.user_columns(rows)))
        return sizes

    assert set().union(*at_once(use)) == {200}


def test_threads_unpack_at_once(engine):
    packed = [gzip.compress(LARGE * (number + 1)) for number in range(THREADS)]

    found = at_once(lambda number: engine.gunzip(packed[number], 10**9))

    assert found == [LARGE * (number + 1) for number in range(THREADS)]

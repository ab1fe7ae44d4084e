"""The native engine in threads and processes that start and end.

Each test runs in processes of its own, so that a crash of the interpreter fails the test.
mimalloc 3.3 ended half of such processes with SIGSEGV (microsoft/mimalloc#1287).
"""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.guard

HEAD = """
import asyncio, gc, gzip, os, sys, tempfile, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import urlset

ENTRIES = 200
XML = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + b"".join(
    b"<url><loc>https://example.com/%d</loc><lastmod>2026-01-01</lastmod></url>" % i
    for i in range(ENTRIES)
) + b"</urlset>"
PACKED = gzip.compress(XML)
done = []

def parse(i=0):
    document = urlset.parse(PACKED if i % 3 == 0 else XML)
    assert [entry.loc for entry in document.entries][-1] == f"https://example.com/{ENTRIES - 1}"
    done.append(i)
    return document

def render(i=0):
    assert b"/page-%d<" % i in urlset.render([{"loc": f"https://example.com/page-{i}"}])
    done.append(i)

def in_threads(work, rounds, count):
    for number in range(rounds):
        threads = [
            threading.Thread(target=work, args=(number * count + k,)) for k in range(count)
        ]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
"""

PROGRAMS = {
    "parse": "in_threads(parse, 40, 25); assert len(done) == 1000",
    "render": "in_threads(render, 40, 25); assert len(done) == 1000",
    "parse-and-render": """
in_threads(lambda i: (parse(i), render(i)), 20, 25); assert len(done) == 1000
""",
    "write": """
folder = Path(tempfile.mkdtemp())
def write(i):
    rows = ({"loc": f"https://example.com/{i}/{k}"} for k in range(50))
    urlset.write(rows, folder / str(i), base_url="https://example.com/")
    done.append(i)
in_threads(write, 8, 8); assert len(done) == 64
""",
    "read": """
folder = Path(tempfile.mkdtemp()); (folder / "sitemap.xml").write_bytes(XML)
def read(i):
    assert sum(1 for _ in urlset.read(str(folder / "sitemap.xml"))) == ENTRIES
    done.append(i)
in_threads(read, 8, 8); assert len(done) == 64
""",
    "check": """
def check(i):
    list(urlset.check(XML)); done.append(i)
in_threads(check, 3, 6); assert len(done) == 18
""",
    "build": """
folder = Path(tempfile.mkdtemp())
def build(i):
    rows = [{"loc": f"https://example.com/{i}/{k}"} for k in range(50)]
    urlset.build(
        rows, folder / str(i), base_url="https://example.com/", ledger=folder / f"{i}.duckdb"
    )
    done.append(i)
in_threads(build, 3, 4); assert len(done) == 12
""",
    "executors": """
for _ in range(60):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(parse, range(16)))
assert len(done) == 960
""",
    "to-thread": """
async def main():
    await asyncio.gather(*(asyncio.to_thread(parse, i) for i in range(32)))
for _ in range(20): asyncio.run(main())
assert len(done) == 640
""",
    "fork-after-parse": """
import warnings; warnings.simplefilter("ignore", DeprecationWarning)
for number in range(25):
    in_threads(parse, 1, 8)
    child = os.fork()
    if child == 0:
        in_threads(lambda i: (parse(i), render(i)), 2, 8)
        os._exit(0 if done else 3)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
""",
    "fork-in-a-thread": """
import warnings; warnings.simplefilter("ignore", DeprecationWarning)
def fork(i):
    parse(i)
    child = os.fork()
    if child == 0:
        parse(i); render(i); os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    done.append(i)
in_threads(fork, 6, 4); assert len(done) == 48
""",
    "large-documents": """
large = XML.replace(b"</urlset>", b"") + XML[XML.index(b"<url>"):-9] * 100 + b"</urlset>"
def parse_large(i):
    assert len(urlset.parse(large).entries) == 101 * ENTRIES
    done.append(i)
in_threads(parse_large, 10, 8); in_threads(parse_large, 200, 1)
assert len(done) == 280
""",
    "fork-while-large-documents-are-parsed": """
import warnings; warnings.simplefilter("ignore", DeprecationWarning)
large = XML.replace(b"</urlset>", b"") + XML[XML.index(b"<url>"):-9] * 100 + b"</urlset>"
is_over = threading.Event()
def parse_on():
    while not is_over.is_set(): urlset.parse(large)
urlset.parse(large)  # the modules are imported before a fork
threads = [threading.Thread(target=parse_on) for _ in range(2)]
for thread in threads: thread.start()
for _ in range(25):
    child = os.fork()
    if child == 0:
        os._exit(0 if len(urlset.parse(large).entries) == 101 * ENTRIES else 3)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
is_over.set()
for thread in threads: thread.join()
""",
    "objects-outlive-their-thread": """
kept = []
in_threads(lambda i: kept.append(parse(i)), 10, 20)
rows = [document.entries for document in kept]; kept.clear(); gc.collect()
assert all(row[7].loc == "https://example.com/7" for row in rows)
in_threads(lambda i: rows.pop(), 5, 20)
assert len(rows) == 100 and rows[0][0].loc == "https://example.com/0"
""",
    "entries-outlive-their-document": """
entries = []
in_threads(lambda i: entries.extend(list(parse(i).entries)[:3]), 10, 20)
gc.collect(); in_threads(parse, 4, 20)
assert {entry.loc for entry in entries} == {f"https://example.com/{k}" for k in range(3)}
""",
    "arrow-in-another-thread": """
from arro3.core import RecordBatchReader
streams, counts = [], []
in_threads(lambda i: streams.append(RecordBatchReader.from_stream(parse(i).entries)), 8, 16)
gc.collect()
def count(i):
    counts.append(sum(batch.num_rows for batch in streams.pop()))
in_threads(count, 8, 16)
assert counts == [ENTRIES] * 128
""",
    "exit-with-live-threads": """
started = threading.Barrier(9)
def forever():
    started.wait()
    while True: parse(); render()
for _ in range(8): threading.Thread(target=forever, daemon=True).start()
started.wait(); parse()
""",
}
RUNS = 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_and_processes_that_start_and_end_are_safe(name):
    if "fork" in name and not hasattr(__import__("os"), "fork"):
        pytest.skip("this platform has no fork")
    command = [sys.executable, "-P", "-X", "faulthandler", "-c", HEAD + PROGRAMS[name]]
    for _ in range(RUNS):
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert (ran.returncode, ran.stderr) == (0, "")

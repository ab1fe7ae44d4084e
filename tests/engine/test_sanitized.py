"""What `make sanitize` runs with an engine that is built under a sanitizer, and others run as well.

Objects outlive what they were made of, threads share them, processes fork while threads work, and
damaged documents pass every function.
"""

import gc
import gzip
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arro3.core as arro3
import pytest

from urlset.engine import available

if "native" not in available():
    pytest.skip("the native engine is not built", allow_module_level=True)

import urlset
from urlset.arrow import entries_to_stream
from urlset.arrow.frames import IndexedRows
from urlset.engine import _native, get

native = get("native")
ROUNDS = 200
SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
    + "".join(
        f"<url><loc>https://example.com/{n}</loc><lastmod>2026-01-{n % 28 + 1:02}</lastmod>"
        f"<image:image><image:loc>https://example.com/{n}.png</image:loc></image:image></url>"
        for n in range(40)
    )
    + "</urlset>"
).encode()
PAGE = "<html><head><title>T</title></head><body><a href='/a' rel=x>A &amp; B</a></body></html>"
LOG = b'1.2.3.4 - - [10/Oct/2026:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 2 "-" "x"\n' * 20


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return data with some bytes replaced, removed or repeated."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(found) + 1)
        length = chance.randint(0, 40)
        found[at : at + length] = chance.choice(
            [b"", chance.randbytes(length), bytes(found[at : at + length]) * 2, b"<", b"]]>", b"&"]
        )
    return bytes(found)


def use_all(data: bytes) -> None:
    """Pass data to every function of the engine that reads it."""
    text = data.decode("utf-8", "replace")
    parsed = native.parse(text.encode(), "https://example.com/", "s", [])
    rows = list(parsed.entries)
    renderer = native.renderer("urlset", 50_000, 50_000_000, 1_000)
    renderer.add(native.columns(parsed.entries), 0)
    renderer.finish()
    document = renderer.document()
    native.gzip(document)
    native.parse(document, None, None, [])
    assert len(bytes(document)) == len(document)
    assert len(native.columns(rows)) == len(rows)
    native.element_spans(text.encode())
    native.gunzip(data, 1 << 16)
    page = _native.scan_page(text)
    if page is not None:
        page.elements()
        page.lines()
        page.anchors(10)
    for has_links in (False, True):
        native.visited_page(
            data,
            "https://e.com/a",
            "https://e.com",
            frozenset({"robots"}),
            lambda _: None,
            has_links,
        )
    if rows:
        found = parsed.entries
        assert isinstance(found, IndexedRows)
        arro3.RecordBatchReader.from_stream(found.joined([found])).read_all()
    logs = _native.LogAggregator(False)
    logs.add(data)
    logs.finish()


@pytest.mark.parametrize("data", [SITEMAP, gzip.compress(SITEMAP), PAGE.encode(), LOG])
def test_damaged_data_passes_every_function(data):
    chance = random.Random(len(data))

    for _ in range(ROUNDS):
        use_all(damaged(data, chance))


def test_objects_outlive_the_document():
    def made() -> list[Any]:
        text = bytes(bytearray(SITEMAP))
        parsed = native.parse(text, None, "s", [])
        rows = parsed.entries
        page = _native.scan_page("".join(list(PAGE)))
        return [iter(rows), rows, native.columns(rows), page, arro3.Table.from_arrow(rows)]

    kept = [made() for _ in range(20)]
    gc.collect()

    for rows, again, columns, page, table in kept:
        first = next(rows)
        assert first.loc == "https://example.com/0"
        assert first.images[0].loc == "https://example.com/0.png"
        assert len(list(again)) == len(columns) == 40
        assert table["loc"][39].as_py() == "https://example.com/39"
        assert page.anchors(5) == [("/a", "x")]


def in_threads(work: Callable[[int], object], count: int = 8) -> list[BaseException]:
    failed: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - whatever a thread raises fails the test
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def test_threads_share_objects_and_drop_them():
    parsed = native.parse(SITEMAP, None, "s", [])
    columns = native.columns(parsed.entries)
    known = native.written_urls()
    renderer = native.renderer("urlset", 1 << 30, 1 << 40, 1_000)

    def work(number: int) -> None:
        chance = random.Random(number)
        for _ in range(10):
            known.add(columns, 0, len(columns))
            renderer.add(columns, 0)
            renderer.finish()
            use_all(damaged(SITEMAP, chance))
            assert native.is_utf8(SITEMAP + b" " * (1 << 20))

    assert in_threads(work) == []
    assert renderer.count == 8 * 10 * 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_of_a_process_with_threads_use_the_engine():
    large = SITEMAP.replace(b"</urlset>", b"<!--%s--></urlset>" % (b"x" * (1 << 20)))
    stop = threading.Event()

    def busy(_: int) -> None:
        while not stop.is_set():
            urlset.parse(large)

    workers = threading.Thread(target=in_threads, args=(busy, 3))
    workers.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                count = sum(1 for _ in urlset.parse(large).entries)
                os._exit(0 if count == 40 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        workers.join()


def test_threads_share_a_set_of_known_rows():
    rows = list(native.parse(SITEMAP, None, "s", []).entries)
    known = native.known_rows(len(rows))
    assert known is not None
    assert known.add(entries_to_stream(rows), 1)

    def work(number: int) -> None:
        for _ in range(20):
            found = [*known.unknown(entries_to_stream(rows[number * 5 : number * 5 + 5]), 1)]
            assert found in ([], [0, 1, 2, 3, 4])  # the second time they were found before

    assert in_threads(work) == []
    assert [*known.not_found()] == []


def test_threads_scan_files_that_change(tmp_path):
    paths = [str(tmp_path / f"{number}.html") for number in range(20)]
    chance = random.Random(1)
    for path in paths:
        Path(path).write_bytes(PAGE.encode())

    def work(number: int) -> None:
        for _ in range(20):
            if number:
                found = native.scan_files(paths, 10_000, "https://example.com", None, ["found"])
                assert len(list(found)) == len(paths)
            else:
                for path in paths:
                    Path(path).write_bytes(damaged(PAGE.encode(), chance))

    assert in_threads(work, 4) == []

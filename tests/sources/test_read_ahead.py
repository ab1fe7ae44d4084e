"""Files are scanned in threads; the rows are in the order of the files, whatever happens to one."""

import os
import threading
from collections.abc import Iterator

import pytest

from tests.builder.test_build import BASE
from tests.engine.test_well_formed_pages import END, START
from tests.sources.test_folder import make
from urlset.sources import HtmlFolder
from urlset.sources.html.read_ahead import (
    BATCH_BYTES,
    BATCH_FILES,
    MAX_THREADS,
    PENDING,
    PENDING_BYTES,
    scan_ahead,
)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("urlset-pages")]


def test_results_are_in_order_however_long_they_take():
    is_second_done = threading.Event()

    def scan(items):
        if items[0] == 1:
            is_second_done.wait(0 if os.cpu_count() == 1 else 60)
        is_second_done.set()
        return [item * 2 for item in items]

    def size(item):
        return None if item % 3 == 0 else BATCH_BYTES // 7

    found = list(scan_ahead(iter(range(2_000)), size, scan))

    assert found == [(item, None if item % 3 == 0 else item * 2) for item in range(2_000)]
    assert not threads()


@pytest.mark.parametrize(
    ("size", "most"),
    [(1, (PENDING + 1) * BATCH_FILES), (BATCH_BYTES // 4, 4 * (PENDING_BYTES // BATCH_BYTES + 1))],
)
def test_only_some_batches_are_read_ahead(size, most):
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for item in range(100_000):
            taken = item
            yield item

    results = scan_ahead(items(), lambda _: size, list)
    next(results)

    assert taken < max(most, (MAX_THREADS + 1) * 4)
    results.close()
    assert not threads()


def test_an_error_of_a_thread_is_raised_and_ends_the_others():
    def scan(items):
        raise ValueError(items[0])

    with pytest.raises(ValueError, match="0"):
        list(scan_ahead(iter(range(1_000)), lambda _: 1, scan))

    assert not threads()


def test_an_interruption_ends_the_threads():
    def items() -> Iterator[int]:
        yield from range(1_000)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(scan_ahead(items(), lambda _: 1, list))

    assert not threads()


def test_a_file_that_is_deleted_meanwhile_is_unreadable(tmp_path, monkeypatch):
    page = f"{START}Tea{END}"
    make(tmp_path, {f"{number:03}.html": page for number in range(3)})
    source = HtmlFolder(tmp_path, BASE)
    scan = source._scan

    def delete_first(files):
        (tmp_path / "001.html").unlink(missing_ok=True)
        return scan(files)

    monkeypatch.setattr(source, "_scan", delete_first)

    [batch] = source.batches()

    assert batch["reason"].to_pylist() == [None, "unreadable: no such file or directory", None]
    assert len(source.failures) == 1


def test_both_engines_read_the_same_rows(tmp_path, monkeypatch):
    paragraph = "<p>Tea <a href='/a?sid=1'>x</a>"
    pages = {f"{number:03}.html": f"{START}{number}{paragraph}{END}" for number in range(300)}
    pages |= {"404.html": f"{START}404{END}", "part.html": "<p>Tea", "empty.html": " "}
    pages["moved.html"] = START.replace("</head>", '<link rel="canonical" href="/x"></head>') + END
    make(tmp_path, pages)

    def rows():
        [batch] = HtmlFolder(tmp_path, BASE).batches()
        return {name: batch[name].to_pylist() for name in batch.schema.names}

    native = rows()
    monkeypatch.setenv("URLSET_ENGINE", "reference")

    assert rows() == native

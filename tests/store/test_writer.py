"""Writing of documents in batches: by a thread into a temporary store, at once into a file."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import urlset
from urlset.errors import StoreError
from urlset.store import Store, writer

URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of 12 sitemaps with three URLs each, of which batches have two."""
    monkeypatch.setattr(writer, "MAX_ROWS", 6)
    for number in range(12):
        urls = "".join(f"<url><loc>https://e.com/{number}/{i}</loc></url>" for i in range(3))
        (tmp_path / f"sitemap-{number:02}.xml").write_text(URLSET.format(urls))
    return tmp_path


def rows(store: Store) -> list[tuple[object, ...]]:
    return [*store.query("SELECT document, entry, loc FROM entries ORDER BY ALL")]


def test_a_temporary_store_has_the_rows_of_a_file(folder, tmp_path_factory):
    with (
        Store.open(tmp_path_factory.mktemp("store") / "a.duckdb") as kept,
        Store.with_details() as temporary,
    ):
        for store in (kept, temporary):
            store.fill(urlset.read(folder))

        assert rows(temporary) == rows(kept)
        assert len(rows(temporary)) == 36


def test_full_batches_of_a_temporary_store_are_written_by_one_thread(folder, monkeypatch):
    threads = []
    write = writer.StoreWriter._write

    def recorded(self: writer.StoreWriter, batch: writer._Batch) -> None:
        threads.append(threading.current_thread().name)
        write(self, batch)

    monkeypatch.setattr(writer.StoreWriter, "_write", recorded)

    with Store.with_details() as store:
        store.fill(urlset.read(folder))

    # The last batch may be empty: the main thread writes it.
    assert threads == ["urlset-writer_0"] * 6 + ["MainThread"]
    assert not any(thread.name.startswith("urlset-writer") for thread in threading.enumerate())


def test_an_error_of_the_thread_is_raised_once_and_nothing_more_is_written(folder, monkeypatch):
    calls = []

    def full(self: writer.StoreWriter, batch: writer._Batch) -> None:
        calls.append(batch)
        raise StoreError("no space left")

    monkeypatch.setattr(writer.StoreWriter, "_write", full)

    with Store.with_details() as store, pytest.raises(StoreError, match="no space left"):
        store.fill(urlset.read(folder))

    assert len(calls) == 1


@pytest.mark.parametrize("after", range(1, 12))
def test_an_interruption_keeps_what_was_added(folder, after):
    def read_until_interrupted(store: Store) -> None:
        with store.writer(None) as target:
            for number, (record, document, found) in enumerate(urlset.read(folder).batches(), 1):
                target.add(record, document, found)
                if number == after:
                    raise KeyboardInterrupt

    with Store.with_details() as store:
        with pytest.raises(KeyboardInterrupt):
            read_until_interrupted(store)

        assert len(rows(store)) == 3 * after


def test_ctrl_c_while_the_last_batch_waits_for_the_thread_loses_nothing(folder, monkeypatch):
    write = writer.StoreWriter._write

    def interrupted(self: writer.StoreWriter, batch: writer._Batch) -> None:
        if threading.current_thread() is not threading.main_thread():
            os.kill(os.getpid(), signal.SIGINT)  # the main thread adds a document, or waits
            time.sleep(0.05)
        write(self, batch)

    def read_all(store: Store, numbers: list[int]) -> None:
        with store.writer(None) as target:
            for record, document, found in urlset.read(folder).batches():
                numbers.append(target.add(record, document, found))

    monkeypatch.setattr(writer.StoreWriter, "_write", interrupted)
    added: list[int] = []

    with Store.with_details() as store:
        with pytest.raises(KeyboardInterrupt):
            read_all(store, added)

        found = {number for number, _, _ in store.query("SELECT document, entry, loc FROM entries")}

    assert found >= {*added}

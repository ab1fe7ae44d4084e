"""A dry run of a synchronization reports what a run would deliver, and changes no file."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import urlset
from tests.http_walks import quick
from tests.interrupts import LinkedSite, interrupted
from tests.live.sync.test_sync import Index
from tests.live.sync.test_sync_process import put
from tests.site_box import SiteBox
from urlset.cli import main
from urlset.errors import StoreError
from urlset.live.sync.update import PageUpdate

KILLED = """
import os, signal, sys, urlset
with urlset.sync(sys.argv[1], sys.argv[2], batch_size=1) as run:
    next(run._batches).commit()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def files_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the modification time of all files below a folder."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def delivered(index: Index, *, dry_run: bool) -> list[PageUpdate]:
    """Return the updates of one run whose batches are committed."""
    index.last = index.run(dry_run=dry_run, batch_size=2)
    found = []
    for batch in index.last:
        found += batch.updates
        batch.commit()
    return found


@pytest.fixture
def index(tmp_path: Path) -> Index:
    folder = tmp_path / "site"
    folder.mkdir()
    return Index(folder)


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, which is empty."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def test_first_dry_run_creates_no_store(index, temp):
    index.put({"/p1": ("one", "2026-01-01"), "/p2": ("two", None), "/p3": ("three", None)})

    found = delivered(index, dry_run=True)

    assert [update.change for update in found] == ["added"] * 3
    assert not list(index.state.parent.iterdir())
    assert not list(temp.iterdir())
    assert found == delivered(index, dry_run=False)


def test_dry_run_reports_the_updates_of_the_next_run(index, temp):
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(6)})
    delivered(index, dry_run=False)
    index.put({f"/p{n}": (str(n + n % 2), "2026-01-02") for n in range(2, 8)})
    before = files_of(index.state.parent)

    found = delivered(index, dry_run=True)
    first = index.last

    assert files_of(index.state.parent) == before
    assert not list(temp.iterdir())
    assert {update.change for update in found} == {"added", "changed", "removed"}
    assert found == delivered(index, dry_run=False)
    assert first.counts == index.last.counts


def test_dry_run_without_changes(index):
    index.put({"/p1": ("one", "2026-01-01")})
    delivered(index, dry_run=False)
    before = files_of(index.state.parent)

    found = delivered(index, dry_run=True)

    assert found == []
    assert files_of(index.state.parent) == before
    assert index.last.counts["unchanged"] == 1


def test_result_says_that_it_was_a_dry_run(index):
    index.put({"/p1": ("one", "2026-01-01")})

    delivered(index, dry_run=True)
    dry = index.last
    delivered(index, dry_run=False)

    assert dry.is_dry_run
    assert dry.to_dict()["is_dry_run"] is True
    assert dry.summary.endswith("0 trusted; nothing was stored: this was a dry run")
    assert not index.last.is_dry_run
    assert index.last.to_dict()["is_dry_run"] is False
    assert "dry run" not in index.last.summary


def test_batches_that_are_not_committed_change_no_file(index, temp):
    index.put({f"/p{n}": (str(n), "2026-01-01") for n in range(5)})
    delivered(index, dry_run=False)
    index.put({f"/p{n}": (f"new {n}", "2026-01-02") for n in range(5)})
    before = files_of(index.state.parent)

    with index.run(dry_run=True, batch_size=2) as run:
        next(iter(run))

    assert files_of(index.state.parent) == before
    assert not list(temp.iterdir())
    assert len(delivered(index, dry_run=False)) == 5


def test_path_is_not_written(index, tmp_path):
    index.put({"/p1": ("one", "2026-01-01")})

    index.run(dry_run=True).to_jsonl(tmp_path / "updates.jsonl")
    with (tmp_path / "open.jsonl").open("wb") as file:
        index.run(dry_run=True).to_jsonl(file)

    assert not (tmp_path / "updates.jsonl").exists()
    [line] = (tmp_path / "open.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["change"] == "added"


def test_store_of_another_process_and_missing_folder_are_errors_of_a_dry_run(index):
    index.put({"/p1": ("one", "2026-01-01")})
    delivered(index, dry_run=False)

    with urlset.Store.open(index.state), pytest.raises(StoreError, match="open in this process"):
        delivered(index, dry_run=True)
    index.state = index.state.parent / "missing" / "index.duckdb"
    with pytest.raises(StoreError, match="does not exist"):
        delivered(index, dry_run=True)


def test_copy_that_does_not_fit_is_an_error(index, temp, monkeypatch):
    index.put({"/p1": ("one", "2026-01-01")})
    delivered(index, dry_run=False)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", fail)
    with pytest.raises(StoreError, match=r"cannot copy .*index.duckdb.*: No space left on device"):
        delivered(index, dry_run=True)
    assert not list(temp.iterdir())


def test_command_prints_the_updates_and_changes_no_file(box, tmp_path, capsys):
    folder = tmp_path / "site"
    folder.mkdir()
    store, output = str(folder / "index.duckdb"), folder / "updates.jsonl"
    command = ["sync", box.site, "--store", store, "--output", str(output)]
    put(box, {"a": "one", "b": "two"})
    for is_first in (True, False):
        before = files_of(folder)
        capsys.readouterr()

        assert main([*command, "--dry-run"]) == 0

        ran = capsys.readouterr()
        assert files_of(folder) == before
        assert len(ran.out.splitlines()) == 2
        counts = "2 added, 0 changed" if is_first else "0 added, 2 changed"
        last = ran.err.splitlines()[-1]
        assert last.startswith(counts)
        assert last.endswith("nothing was stored: this was a dry run")
        assert main(command) == 0
        assert output.read_text("utf-8").splitlines()[-2:] == ran.out.splitlines()
        put(box, {"a": "uno", "b": "due"})

    assert {hit.method for hit in box.hits} <= {"GET", "HEAD"}


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
@pytest.mark.parametrize(("at", "has_store"), [(1, False), (40, False), (40, True)])
def test_interrupted_dry_run_changes_no_file(at, has_store, box: SiteBox, temp, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    site = LinkedSite(box, 250)
    if has_store:
        assert main(["sync", box.site, "--store", str(folder / "site.duckdb"), "--no-text"]) == 1
    before = files_of(folder)

    ended = interrupted(
        "sync", box, site, folder, at=at, how="process",
        options=("--dry-run", "--batch-size", "10", "--delay", "0.02"),
    )  # fmt: skip

    assert ended.code == 130, ended.stderr
    assert "Interrupted: nothing was stored, because this was a dry run" in ended.stderr
    assert files_of(folder) == before
    assert not list(temp.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_an_interrupted_run_names_its_store_and_is_continued(box: SiteBox, tmp_path):
    site, store, output = LinkedSite(box, 250), tmp_path / "site.duckdb", tmp_path / "a.jsonl"

    ended = interrupted(
        "sync", box, site, tmp_path, at=40, how="process",
        options=("--output", str(output), "--batch-size", "10", "--delay", "0.02"),
    )  # fmt: skip

    expected = f"Interrupted: the batches delivered so far are in {store}; the same command"
    assert (ended.code, expected in ended.stderr) == (130, True), ended.stderr
    before = {json.loads(line)["loc"] for line in output.read_text("utf-8").splitlines()}
    with urlset.sync(box.site, store, policy=quick()) as run:
        rest = {update.loc for batch in run for update in batch}
    assert len(before) >= 10
    assert len(before & rest) <= 10  # a batch may be written and not be recorded
    assert len(before | rest) == 50


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_dry_run_reads_what_a_killed_run_committed(box, tmp_path):
    store = tmp_path / "index.duckdb"
    put(box, {"a": "one", "b": "two"})
    killed = subprocess.run([sys.executable, "-c", KILLED, box.site, str(store)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert Path(f"{store}.wal").exists()
    before = files_of(tmp_path)

    with urlset.sync(box.site, store, dry_run=True, policy=quick()) as run:
        found = [update.loc for batch in run for update in batch]

    assert files_of(tmp_path) == before
    assert found == [box.url("/b")]

"""Locked temporary folders: removed on close, and by another process after a kill."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from urlset.store import FileKind, ScratchDatabase
from urlset.temp_files import STALE_S, LockedTempDir

KILLED = (
    "import os; from urlset.temp_files import LockedTempDir; s = LockedTempDir();"
    " os.kill(os.getpid(), 9)"
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_scratch_goes_when_it_is_closed(place):
    with LockedTempDir() as scratch:
        Path(scratch.path, "rows").write_bytes(b"1")

    assert os.listdir(place) == []


@pytest.mark.skipif(sys.platform == "win32", reason="without locks, no descriptor is open")
def test_a_scratch_that_nobody_closes_leaves_no_descriptor_open(place):
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        LockedTempDir()

    assert (os.listdir(place), len(os.listdir("/dev/fd"))) == ([], before)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of other systems")
def test_what_a_killed_process_left_goes_and_what_is_held_stays(place):
    made = subprocess.run([sys.executable, "-c", KILLED], check=False, env=environment())
    assert made.returncode == -signal.SIGKILL
    (left,) = os.listdir(place)
    with LockedTempDir() as held, LockedTempDir():
        assert left not in os.listdir(place)
        assert Path(held.path).is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of other systems")
def test_what_has_no_lock_goes_after_a_day_and_what_is_no_folder_never(place):
    young, old, link = (place / f"urlset-{name}.tmp" for name in ("young", "old", "link"))
    young.mkdir()
    old.mkdir()
    link.symlink_to(place / "elsewhere")
    seen = old.stat().st_mtime
    os.utime(old, (seen - STALE_S - 10, seen - STALE_S - 10))

    with LockedTempDir():
        pass

    assert sorted(os.listdir(place)) == ["urlset-link.tmp", "urlset-young.tmp"]


def test_a_borrowed_file_has_what_was_committed_and_not_tidied_up(tmp_path):
    path = str(tmp_path / "kept.duckdb")
    with ScratchDatabase() as bench:
        bench.attach(path, "kept", FileKind("a file", schema="main", table="numbers"))
        bench.run("CREATE TABLE kept.numbers AS SELECT 7 AS n")

    with ScratchDatabase() as bench:
        bench.attach_copy(path, "kept")
        assert bench.fetch_one("SELECT n FROM kept.numbers") == (7,)


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

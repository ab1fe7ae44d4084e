"""The engines return the same states of files, those that the system returns."""

import os
import sys
from pathlib import Path

import pytest

from urlset import engine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="inode numbers of POSIX")


def expected(path: str) -> engine.FileState | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Return paths of everything that may be in a folder of a site."""
    (tmp_path / "page.html").write_text("<p>Tea.")
    (tmp_path / "empty.html").touch()
    (tmp_path / "tee-ü.html").write_text("ü")
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "link.html").symlink_to("page.html")
    (tmp_path / "loop.html").symlink_to("loop.html")
    (tmp_path / "nowhere.html").symlink_to("missing.html")
    os.mkfifo(tmp_path / "pipe.html")
    for number, moment in enumerate((0, -86_400 * 10**9, 253_402_300_799 * 10**9, 999_999_999)):
        old = tmp_path / f"old-{number}.html"
        old.touch()
        os.utime(old, ns=(moment, moment))
    names = [*os.listdir(tmp_path), "missing.html", "page.html/below.html", "n" * 300]
    if sys.platform != "darwin":  # its file names are UTF-8
        raw = os.fsdecode(b"caf\xe9.html")
        (tmp_path / raw).write_text("")
        names.append(raw)
    return [os.path.join(tmp_path, name) for name in names]


@pytest.mark.parametrize("name", engine.available())
def test_states_are_those_of_the_system(name: str, paths: list[str]) -> None:
    found = engine.get(name).file_states(paths)
    assert len(found) == len(paths)
    for path, state in zip(paths, found, strict=True):
        # An engine may leave a time that its numbers cannot hold to os.stat.
        beyond = state is None and "old-2" in path
        assert beyond or state == expected(path), path
    assert sum(state is None for state in found) <= 6
    assert engine.get(name).file_states([]) == []

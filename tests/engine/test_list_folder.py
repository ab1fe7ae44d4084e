"""The engines list a folder alike: its names, folders and pages, as the system returns them."""

import os
import stat
import sys
from pathlib import Path

import pytest

from urlset import engine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")

ENDINGS = (".html", ".straße")
LATE = 10_413_792_000 * 10**9
"""The year 2300, in nanoseconds: more than 63 bits hold."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with everything that may be in a folder of a site."""
    (tmp_path / "page.html").write_text("<p>Tea.")
    for name in ("empty.html", "UPPER.HTML", "style.css", "html", ".html", ".git", "tee-ü.html"):
        (tmp_path / name).touch()
    for name in ("a.STRASSE", "b.STRAßE", "c.straße"):
        (tmp_path / name).touch()
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "to-page.html").symlink_to("page.html")
    (tmp_path / "to-style.css").symlink_to("style.css")
    (tmp_path / "to-folder").symlink_to("sub")
    (tmp_path / "loop.html").symlink_to("loop.html")
    (tmp_path / "nowhere.html").symlink_to("missing.html")
    (tmp_path / "nowhere").symlink_to("missing")
    os.mkfifo(tmp_path / "pipe.html")
    for number, moment in enumerate((0, -86_400 * 10**9, 999_999_999)):
        old = tmp_path / f"old-{number}.html"
        old.touch()
        os.utime(old, ns=(moment, moment))
    if sys.platform != "darwin":  # its file names are UTF-8
        (tmp_path / os.fsdecode(b"caf\xe9.html")).write_text("")
    return tmp_path


def expected(path: str) -> tuple[str | None, int, int, str | None] | None:
    """Return what os.stat says of a file: kind, size, time and state; None for no page."""
    is_page = path.lower().endswith(ENDINGS)
    try:
        found = os.stat(path)
    except OSError:
        return (None, 0, 0, None) if is_page else None
    if stat.S_ISDIR(found.st_mode):
        return "folder", 0, 0, None
    state = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"
    kind = "file" if stat.S_ISREG(found.st_mode) else "other"
    return (kind, found.st_size, found.st_mtime_ns, state) if is_page else None


def assert_listed(name: str, folder: Path) -> list[engine.ListedFile]:
    names, files = engine.get(name).list_folder(str(folder), ENDINGS)
    visible = (file for file in os.listdir(folder) if not file.startswith("."))
    assert names == sorted(visible, key=os.fsencode)
    wanted = [
        (name, os.path.islink(folder / name), *found)
        for name in names
        if (found := expected(str(folder / name))) is not None
    ]
    assert [tuple(file) for file in files] == wanted
    return files


@pytest.mark.parametrize("name", engine.available())
def test_files_are_those_of_the_system(name: str, folder: Path) -> None:
    files = assert_listed(name, folder)
    kinds = [kind for _, _, kind, *_ in files]
    assert [kinds.count(kind) for kind in ("folder", "other", None)] == [3, 1, 2]
    assert {name for name, is_link, *_ in files if is_link} == {
        "to-page.html", "to-folder", "loop.html", "nowhere.html",
    }  # fmt: skip


@pytest.mark.parametrize("name", engine.available())
def test_times_beyond_63_bits(name: str, folder: Path) -> None:
    os.utime(folder / "page.html", ns=(LATE, LATE))
    if os.stat(folder / "page.html").st_mtime_ns != LATE:
        pytest.skip("this file system has no such times")
    assert_listed(name, folder)


@pytest.mark.parametrize("name", engine.available())
def test_one_folder_of_many_files(name: str, tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / f"{number}.html").touch()
    assert len(assert_listed(name, tmp_path)) == 3_000
    assert engine.get(name).list_folder(str(tmp_path), ())[1] == []


@pytest.mark.parametrize("name", engine.available())
@pytest.mark.parametrize("path", ["missing", "page.html", "n" * 300, "a\0b"])
def test_errors_are_those_of_the_system(name: str, path: str, folder: Path) -> None:
    with pytest.raises((OSError, ValueError)) as wanted:
        os.listdir(folder / path)
    with pytest.raises(wanted.type) as found:
        engine.get(name).list_folder(str(folder / path), ENDINGS)
    assert getattr(found.value, "strerror", None) == getattr(wanted.value, "strerror", None)

"""The walk over folders: the same as that of Python, but not as deep as its stack."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import urlset
from urlset.folder_walk import MAX_DEPTH, walk

posix = pytest.mark.skipif(os.name == "nt", reason="paths of thousands of characters")
SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/a</loc></url></urlset>"
)


def nest(top: Path, depth: int, name: str) -> None:
    """Create folders in each other, with a sitemap in the last one; paths may be too long."""
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    file = os.open("sitemap.xml", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(file, SITEMAP.encode())
    os.close(file)
    os.close(here)


@pytest.fixture
def deep(tmp_path, request):
    folder = tmp_path / "site"
    depth, name = request.param
    nest(folder, depth, name)
    (folder / "sitemap.xml").write_text(SITEMAP)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)  # shutil.rmtree is recursive, too


@posix
@pytest.mark.parametrize("deep", [(1_500, "a"), (60, "a" * 200)], indirect=True)
@pytest.mark.parametrize(
    "command", ["read site", "check site", "check site --fix", "diff site site"]
)
def test_folders_that_are_too_deep_end_no_command(deep, command):
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", *command.split()],
        cwd=deep.parent, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert "internal error" not in ran.stdout + ran.stderr
    assert ran.returncode in (0, 1)


@posix
@pytest.mark.parametrize("deep", [(1_500, "a")], indirect=True)
def test_a_folder_that_is_too_deep_is_listed_as_not_read(deep):
    entries = urlset.read(deep)

    assert [entry.loc for entry in entries] == ["https://example.com/a"]
    [error] = [record.error for record in entries.documents if record.error]
    assert "more than 200 folders deep; not searched" in error


def test_folders_up_to_the_limit_are_searched(tmp_path):
    inner = tmp_path.joinpath(*["a"] * (MAX_DEPTH - 1))
    inner.mkdir(parents=True)
    (inner / "sitemap.xml").write_text(SITEMAP)

    assert len(list(urlset.read(tmp_path))) == 1


def test_the_order_is_that_of_python(tmp_path):
    for name in ("b/x.xml", "b/a/y.xml", "a/z.xml", ".git/w.xml", "c.xml", "B/v.xml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    if os.name != "nt":
        (tmp_path / "link").symlink_to("b")

    expected = []
    for folder, folders, names in os.walk(tmp_path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        expected.append((folder, sorted(names)))

    assert list(walk(str(tmp_path))) == expected


def test_a_folder_that_does_not_exist_is_an_error(tmp_path):
    found: list[OSError] = []

    assert list(walk(str(tmp_path / "none"), found.append)) == []
    assert [error.filename for error in found] == [str(tmp_path / "none")]

"""What the sdist and the pure wheel contain."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.packaging.scripts import ROOT, load

contents = load("contents")
recipes = load("recipes")

try:
    TRACKED = contents.tracked()
except (OSError, subprocess.CalledProcessError):
    pytest.skip("no git, or no repository: an sdist lists no files", allow_module_level=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist and the pure wheel of a copy of the sources."""
    folder = tmp_path_factory.mktemp("built")
    for name in TRACKED:
        (folder / "urlset" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "urlset" / name)
    build = [sys.executable, "-W", "ignore", "setup.py", "--quiet", "sdist", "bdist_wheel"]
    environment = {**os.environ, "URLSET_NATIVE": "0"}
    done = subprocess.run(
        build, cwd=folder / "urlset", env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {file.suffix: file for file in (folder / "urlset" / "dist").iterdir()}


def test_pure_wheel_has_every_file_and_no_other(built):
    assert built[".whl"].name.endswith("-py3-none-any.whl")
    assert contents.problems(built[".whl"], TRACKED) == []


def test_pure_wheel_has_types_and_styles(built):
    names = contents.names_in(built[".whl"])

    assert "urlset/py.typed" in names
    assert {Path(name).suffix for name in names} >= {".py", ".pyi", ".css", ".js"}
    assert any(re.fullmatch(r"urlset-.*\.dist-info/licenses/LICENSE", name) for name in names)
    assert any(name.endswith(".data/data/share/man/man1/urlset.1") for name in names)


def test_sdist_has_every_file_and_no_built_one(built):
    assert contents.problems(built[".gz"], TRACKED) == []


def test_recipes_of_the_sdist_name_its_hash(built, tmp_path):
    """The sdist contains both files without the hash; completed for it, they are the same."""
    sdist = built[".gz"]
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    with tarfile.open(sdist) as archive:
        (top,) = {Path(name).parts[0] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")

    here = recipes.write(sdist, tmp_path / "here")
    there = recipes.write(sdist, tmp_path / "there", tmp_path / top)

    assert [file.read_bytes() for file in here] == [file.read_bytes() for file in there]
    for file in here:
        assert digest in file.read_text(encoding="utf-8")
        assert "0" * 64 not in file.read_text(encoding="utf-8")


def test_missing_and_surplus_files_are_reported(built, tmp_path):
    wheel = tmp_path / built[".whl"].name
    shutil.copy(built[".whl"], wheel)
    with contents.zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("urlset/__pycache__/x.cpython-311.pyc", "")
        archive.writestr("tests/test_x.py", "")
        archive.writestr("urlset/engine/_native.abi3.so", "")

    assert contents.problems(wheel, [*TRACKED, "src/urlset/new.py"]) == [
        "missing: urlset/new.py",
        "unknown: tests/test_x.py",
        "must not be in it: urlset/__pycache__/x.cpython-311.pyc",
        "unknown: urlset/engine/_native.abi3.so",
    ]

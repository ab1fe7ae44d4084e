"""What the sdist and the pure wheel contain."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.scripts import ROOT, load

contents = load("contents")

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

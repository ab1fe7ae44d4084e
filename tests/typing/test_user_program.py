"""The types of the public API, as mypy and pyright see them in a program of a user."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("user_program.py")
WRONG = """
import urlset

urlset.reed("site")
urlset.parse("text")
urlset.check("site", base_ulr="https://example.com/")
urlset.audit("https://example.com", samples=3)
document = urlset.parse(b"")
document.problem
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project of a user, with the program."""
    shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    return tmp_path


def run(folder: Path, *command: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def mypy(folder: Path, name: str) -> str:
    cache = ROOT / ".mypy_cache" / "user_program"
    return run(folder, "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", name)


def test_program_of_a_user_passes_mypy(folder):
    assert "Success: no issues found" in mypy(folder, "user_program.py")


def test_mypy_reports_mistakes_of_a_user(folder):
    report = mypy(folder, "wrong.py")

    assert 'Module has no attribute "reed"' in report
    assert 'incompatible type "str"; expected "bytes"' in report
    assert 'Unexpected keyword argument "base_ulr"' in report
    assert 'Unexpected keyword argument "samples"' in report
    assert '"Document" has no attribute "problem"' in report


def test_program_of_a_user_passes_pyright(folder):
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed (pip install pyright; it needs Node.js)")
    # The sources are named, because pyright does not follow the hooks of editable installs.
    settings = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "extraPaths": [str(ROOT / "src")],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")

    report = run(folder, "pyright", "--pythonpath", sys.executable, "user_program.py")

    assert "0 errors" in report, report


def test_nearly_every_public_type_is_known(folder):
    """What remains are the base classes of adapters, whose hosts have no types."""
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed (pip install pyright; it needs Node.js)")
    report = run(
        folder, "pyright", "--verifytypes", "urlset", "--ignoreexternal", "--outputjson",
        "--pythonpath", sys.executable,
    )  # fmt: skip
    found = json.loads(report)["typeCompleteness"]
    unknown = [
        symbol["name"]
        for symbol in found["symbols"]
        if symbol["isExported"]
        and not symbol["isTypeKnown"]
        and not symbol["name"].startswith("urlset.integrations.")
    ]

    assert found["completenessScore"] > 0.99, unknown

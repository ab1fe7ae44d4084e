"""Which Pythons and systems are promised, tested in CI and served by wheels: the same ones."""

import re
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.packaging.scripts import ROOT
from tests.packaging.test_workflows import RELEASE, load

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
WHEELS = PYPROJECT["tool"]["cibuildwheel"]
TEST_JOBS = ("test", "windows", "free-threaded")
RUNNERS = {
    "ubuntu-latest": ("linux", "x86_64"),
    "ubuntu-24.04-arm": ("linux", "aarch64"),
    "macos-latest": ("macos", "arm64"),
    "macos-15-intel": ("macos", "x86_64"),
    "windows-latest": ("windows", "AMD64"),
}
"""Runners of GitHub, with the names of cibuildwheel for their systems and processors."""

FREE_THREADING = "Programming Language :: Python :: Free Threading"


class Row(NamedTuple):
    """A row of the matrix of a job."""

    job: str
    system: tuple[str, str]
    python: str


def rows(name: str, job: dict[str, Any]) -> list[Row]:
    """Return the rows of the matrix of a job, which is a list or has one axis."""
    matrix = job["strategy"]["matrix"]
    axes = matrix.get("include") or [{"os": os} for os in matrix["os"]]
    assert job["runs-on"] == "${{ matrix.os }}", name
    return [Row(name, RUNNERS[axis["os"]], axis.get("python", "")) for axis in axes]


TESTED = [row for name in TEST_JOBS for row in rows(name, load("ci")["jobs"][name])]
BUILT = rows("native", RELEASE["native"])


def promised() -> set[str]:
    """Return the versions of Python in the classifiers."""
    prefix = "Programming Language :: Python :: "
    names = {name.removeprefix(prefix) for name in PROJECT["classifiers"]}
    return {name for name in names if re.fullmatch(r"3\.\d+", name)}


def minor(version: str) -> int:
    return int(version.removesuffix("t").partition(".")[2])


def identifiers() -> set[str]:
    """Return the names of the interpreters that wheels are built with, such as ``cp314t``."""
    return {pattern.partition("-")[0] for pattern in WHEELS["build"]}


def test_versions_are_those_that_the_project_accepts_and_without_a_gap():
    accepted = SpecifierSet(PROJECT["requires-python"])
    minors = sorted(map(minor, promised()))

    assert minors == list(range(minors[0], minors[-1] + 1))
    assert all(f"3.{number}.0" in accepted for number in minors)
    assert f"3.{minors[0] - 1}.99" not in accepted


def test_every_version_in_the_classifiers_is_tested_and_no_other():
    tested = {row.python for row in TESTED if not row.python.endswith("t")}

    assert tested == promised()


def test_every_system_with_a_wheel_is_tested():
    assert {row.system for row in TESTED} == {row.system for row in BUILT} == set(RUNNERS.values())


def test_oldest_and_newest_version_are_tested_on_windows():
    versions = sorted(promised(), key=minor)
    windows = [row.python for row in TESTED if row.system[0] == "windows"]

    assert windows == [versions[0], versions[-1]]


def test_stable_wheel_begins_with_the_oldest_version():
    oldest = min(map(minor, promised()))

    assert {name for name in identifiers() if not name.endswith("t")} == {f"cp3{oldest}"}
    assert f'"py_limited_api": "cp3{oldest}"' in (ROOT / "setup.py").read_text(encoding="utf-8")


def test_free_threaded_wheels_are_tested_and_in_the_classifiers():
    wheels = {name for name in identifiers() if name.endswith("t")}
    tested = {f"cp3{minor(row.python)}t" for row in TESTED if row.python.endswith("t")}

    assert wheels == tested
    assert bool(wheels) == any(name.startswith(FREE_THREADING) for name in PROJECT["classifiers"])


def test_free_threaded_tests_have_every_requirement_but_the_one_without_a_wheel():
    scripts = [step.get("run", "") for step in load("ci")["jobs"]["free-threaded"]["steps"]]
    (installed,) = (script for script in scripts if "aiohttp" in script)
    required = {Requirement(line).name for line in PROJECT["dependencies"]}

    assert set(installed.split()[4:]) == required - {"duckdb"}
    assert any(fnmatch("cp314t-manylinux_x86_64", pattern) for pattern in WHEELS["test-skip"])


def test_musl_has_no_wheel_while_a_requirement_has_none():
    """DuckDB has none, so the wheel could not be tested. The image says the same."""
    assert any(fnmatch("cp311-musllinux_x86_64", pattern) for pattern in WHEELS["skip"])
    assert "DuckDB has no wheel for musl" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("system", sorted(RUNNERS.values()), ids="-".join)
def test_cibuildwheel_builds_each_interpreter_on_each_system(system):
    """The tool itself selects from pyproject.toml. It is pinned in release.yml."""
    command = shutil.which("cibuildwheel")
    if command is None:
        pytest.skip("cibuildwheel is not installed")
    platform, processor = system
    options = ("--platform", platform, "--archs", processor, "--print-build-identifiers", ".")
    done = subprocess.run([command, *options], cwd=ROOT, capture_output=True, text=True, check=True)

    names = done.stdout.split()

    assert {name.partition("-")[0] for name in names} == identifiers()
    assert len(names) == len(identifiers())


def test_cibuildwheel_has_one_exact_version():
    scripts = " ".join(step.get("run", "") for step in RELEASE["native"]["steps"])

    assert re.search(r"pip install cibuildwheel==\d+\.\d+\.\d+$", scripts, re.MULTILINE)


def test_page_of_stability_lists_the_same_platforms():
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (Linux|macOS|Windows)\S* ?.*?\| (\S+) \| (.*?) \|", page, re.MULTILINE)

    assert {(name.lower(), processor) for name, processor, _ in table} == set(RUNNERS.values())
    for _, _, versions in table:
        assert versions.split(", ") == sorted(promised(), key=minor)
    free = {row.python for row in TESTED if row.python.endswith("t")}
    assert set(re.findall(r"\b3\.\d+t\b", page)) == free

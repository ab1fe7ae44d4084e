"""Installs the project as a stranger would, on a machine without Rust."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow

# What this process knows of Rust, of its own environment and of our switches must not help.
PRIVATE = ("CARGO", "RUST", "PYTHON", "VIRTUAL_ENV", "URLSET_", "PYO3_", "MAKE")

READ_ONE = """
import sys, urlset
print([entry.loc for entry in urlset.read(sys.argv[1])])
"""

# As rustup's on a machine that cannot fetch crates: it knows its version, and fails to build.
FAILING_CARGO = """#!/bin/sh
case "$*" in
    --version) echo "cargo 1.95.0" ;;
    -Vv) printf 'rustc 1.95.0\\nrelease: 1.95.0\\nhost: x86_64-unknown-linux-gnu\\n' ;;
    *) echo "error: no crates today" >&2; exit 101 ;;
esac
"""


class Machine:
    """A copy of the sources and an empty virtual environment; nothing else is on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "urlset"
        self.bin = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        copy_sources(self.project)
        self.run(sys.executable, "-m", "venv", folder / "venv").check_returncode()

    def run(self, *command: str | Path, path: Path | None = None, **environ: str):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(PRIVATE)}
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**inherited, "PATH": str(path or self.bin), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )

    def pip(self, *arguments: str | Path, path: Path | None = None, **environ: str):
        options = ("--disable-pip-version-check", "--no-input")
        return self.run(
            self.bin / "python", "-m", "pip", *arguments, *options, path=path, **environ
        )


def copy_sources(target: Path) -> None:
    """Copies what git would commit, or everything where there is no git, as in an sdist."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        files = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        private = shutil.ignore_patterns(".*", "target", "build", "dist", "*.so", "__pycache__")
        shutil.copytree(ROOT, target, ignore=private)
        return
    for name in files.stdout.split("\0"):
        if name and (ROOT / name).is_file():  # a deleted file is listed until that is committed
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    machine = Machine(tmp_path_factory.mktemp("machine"))
    # Names without versions: a bound of ours that nothing satisfies must fail below, not skip here.
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = metadata["build-system"]["requires"] + metadata["project"]["dependencies"]
    names = [re.split(r"[^\w.-]", line)[0] for line in wanted]
    target = machine.folder / "probe"
    probe = machine.pip("download", "--no-deps", "--retries=1", "--dest", target, *names)
    if probe.returncode:
        pytest.skip(f"pip cannot fetch {', '.join(names)}: no package index within reach")
    return machine


@pytest.fixture(scope="module")
def urlset_there(machine: Machine) -> Path:
    """The command `urlset`, installed with pip without cargo or rustc on PATH."""
    installed = machine.pip("install", machine.project)
    assert installed.returncode == 0, installed.stdout
    return machine.bin / "urlset"


def test_install_without_rust_serves_the_reference_engine(machine: Machine, urlset_there: Path):
    version = machine.run(urlset_there, "--version")

    assert version.returncode == 0, version.stdout
    assert "reference" in version.stdout


def test_install_without_rust_reads_a_sitemap(machine: Machine, urlset_there: Path):
    sitemap = machine.folder / "sitemap.xml"
    sitemap.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "<url><loc>https://example.com/?a=1&amp;b=2</loc></url>\n"
        "</urlset>\n",
        encoding="utf-8",
    )

    read = machine.run(machine.bin / "python", "-c", READ_ONE, sitemap)

    assert read.returncode == 0, read.stdout
    assert read.stdout.strip() == "['https://example.com/?a=1&b=2']"


def test_install_without_rust_passes_the_smoke_test(machine: Machine, urlset_there: Path):
    smoke = machine.project / "packaging" / "smoke.py"

    used = machine.run(machine.bin / "python", smoke, "reference")

    assert used.returncode == 0, used.stdout


def test_install_brings_the_style_sheet(machine: Machine, urlset_there: Path):
    code = "from urlset.writer.stylesheet import css; print(css().decode())"

    shown = machine.run(machine.bin / "python", "-c", code)

    assert shown.returncode == 0, shown.stdout
    assert "sitemapindex" in shown.stdout


@pytest.fixture
def failing_cargo(machine: Machine, tmp_path: Path) -> Path:
    """A folder for PATH with a Rust toolchain that cannot build anything."""
    if os.name == "nt":
        pytest.skip("the cargo of this test is a shell script")
    for name in ("cargo", "rustc"):
        (tmp_path / name).write_text(FAILING_CARGO, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def test_install_where_cargo_fails_goes_on_and_says_so(machine: Machine, failing_cargo: Path):
    built = machine.pip(
        "wheel",
        *("--verbose", "--no-deps", "--wheel-dir", failing_cargo, machine.project),
        path=failing_cargo,
    )

    assert built.returncode == 0, built.stdout
    assert "error: no crates today" in built.stdout
    assert built.stdout.count("the reference engine will be used") == 1
    assert list(failing_cargo.glob("urlset-*.whl"))


def test_install_where_cargo_fails_and_is_required_fails(machine: Machine, failing_cargo: Path):
    built = machine.pip(
        "wheel",
        *("--no-deps", "--wheel-dir", failing_cargo, machine.project),
        path=failing_cargo,
        URLSET_NATIVE="1",
    )

    assert built.returncode != 0
    assert "error: no crates today" in built.stdout

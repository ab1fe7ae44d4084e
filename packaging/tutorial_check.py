"""Install a wheel without a compiler, and follow the tutorial to its end: ``make tutorial``.

``python packaging/tutorial_check.py [WHEEL]``; without a wheel, the pure one is built first. The
environment is new, and its folder is the only one on PATH beside those of the shell's own tools: no
cargo, no compiler, no git. The commands of docs/tutorial.md are run as they stand there, and their
output is compared. Needs the libraries of the tests for the comparison, not for the commands.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.docs.tutorial import run_tutorial  # noqa: E402 - the folder is on no path before

TOOLS = ("sh", "rm", "mkdir")
"""Programs that the commands of the tutorial need beside Python and urlset."""


def main() -> int:
    """Build, install, follow; print the time of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path, nargs="?", help="the wheel to install")
    given: Path | None = parser.parse_args().wheel
    with tempfile.TemporaryDirectory(prefix="urlset-tutorial-") as name:
        folder = Path(name)
        programs = folder / "tools"
        programs.mkdir()
        for tool in TOOLS:
            (programs / tool).symlink_to(shutil.which(tool) or tool)
        started = time.monotonic()
        wheel = given.resolve() if given else built(folder / "dist")
        say(f"{wheel.name}", started)
        started = time.monotonic()
        home = folder / "venv"
        venv.create(home, with_pip=True)
        bin_folder = home / ("Scripts" if os.name == "nt" else "bin")
        path = f"{bin_folder}{os.pathsep}{programs}"
        clean = {
            key: os.environ[key]
            for key in ("HOME", "TMPDIR", "PIP_INDEX_URL", "LANG")
            if key in os.environ
        }
        run(
            [
                bin_folder / "python",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                str(wheel),
            ],
            {**clean, "PATH": path},
        )
        say("installed", started)
        started = time.monotonic()
        site = folder / "tutorial"
        site.mkdir()
        os.chdir(site)
        os.environ.clear()
        os.environ.update(clean, PATH=path, COLUMNS="80", no_proxy="127.0.0.1")
        count = run_tutorial(site, bin_folder, in_process=False)
        say(f"{count} commands of the tutorial", started)
        os.chdir(ROOT)
    return 0


def built(folder: Path) -> Path:
    """Build the pure wheel and return its path."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        ".",
    ]
    run(command, {**os.environ, "URLSET_NATIVE": "0"}, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def run(command: list[str | Path], environment: dict[str, str], folder: Path | None = None) -> None:
    """Run a command; its failure ends the check."""
    subprocess.run(command, env=environment, cwd=folder, check=True)


def say(what: str, started: float) -> None:
    """Print what was done, and how long it took."""
    print(f"{what}: {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())

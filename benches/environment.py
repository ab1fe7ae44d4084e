"""Install the peers and build the scanner, once.

All files are under ``.cache``. A peer that cannot be installed is omitted with a message.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from data import CACHE

HERE = Path(__file__).parent
PEERS = HERE / "peers.txt"
PACKAGE = HERE / "package.json"
SCANNER = HERE / "scanner"


def say(message: str) -> None:
    """Print progress on stderr."""
    print(message, file=sys.stderr, flush=True)


def python() -> str | None:
    """Make the Python environment of the peers and return its interpreter."""
    folder = CACHE / "venv"
    interpreter = folder / "bin" / "python"
    if _is_fresh(folder, PEERS):
        return str(interpreter)
    say("Installing the Python peers …")
    if not run(sys.executable, "-m", "venv", "--clear", str(folder)):
        return None
    pip = (str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if run(*pip, "--retries", "1", "--requirement", str(PEERS)):
        _stamp(folder, PEERS)
        return str(interpreter)
    lines = [line.partition("#")[0].strip() for line in PEERS.read_text().splitlines()]
    for line in filter(None, lines):
        run(*pip, "--retries", "0", line)
    return str(interpreter)


def node() -> str | None:
    """Install the JavaScript peer and return the file from which it can be required."""
    folder = CACHE / "node"
    if _is_fresh(folder, PACKAGE):
        return str(folder / PACKAGE.name)
    if not (shutil.which("node") and shutil.which("npm")):
        say("sitemap.js is left out: node and npm are not both there.")
        return None
    say("Installing sitemap.js …")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(PACKAGE, folder)
    if not run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)):
        return None
    _stamp(folder, PACKAGE)
    return str(folder / PACKAGE.name)


def scanner() -> str | None:
    """Build the bare scanner and return its path."""
    if not shutil.which("cargo"):
        say("The bare scanner is left out: cargo is not there.")
        return None
    manifest, target = SCANNER / "Cargo.toml", CACHE / "scanner"
    say("Building the bare scanner …")
    flags = ("--quiet", "--release")
    paths = ("--manifest-path", str(manifest), "--target-dir", str(target))
    if not run("cargo", "build", *flags, *paths):
        return None
    return str(target / "release" / "bare-scanner")


def debian_package(name: str) -> Path | None:
    """Return the folder with the files of a Debian package, which is fetched and not installed.

    None if that is not possible.
    """
    folder = CACHE / name
    if folder.exists():
        return folder
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        say(f"Debian's {name} is left out: this is no Debian to get it from.")
        return None
    say(f"Fetching Debian's {name} …")
    with tempfile.TemporaryDirectory() as there:
        fetch = ("apt-get", "download", "--quiet", name)
        if not run(*fetch, cwd=there):
            # The list of packages may be missing or old, and only root may renew it.
            if os.geteuid() != 0 or not run("apt-get", "update", "--quiet"):
                return None
            if not run(*fetch, cwd=there):
                return None
        (package,) = Path(there).glob(f"{name}_*.deb")
        unfinished = folder.with_name(f"{name}.unfinished")
        if not run("dpkg", "--extract", str(package), str(unfinished)):
            return None
        unfinished.replace(folder)
    return folder


def run(*argv: str, cwd: str | None = None) -> bool:
    """Run a command; if it fails, print its last line of output."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        say(f"  failed: {' '.join(argv[:4])} …: {words[-1] if words else done.returncode}")
    return done.returncode == 0


def _is_fresh(folder: Path, recipe: Path) -> bool:
    stamp = folder / "made-from"
    return stamp.exists() and stamp.read_bytes() == recipe.read_bytes()


def _stamp(folder: Path, recipe: Path) -> None:
    shutil.copy(recipe, folder / "made-from")

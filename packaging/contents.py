"""List what is missing from an sdist or a wheel, and what must not be in it.

python packaging/contents.py FILE...
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
_DATA = (".css", ".js", ".py", ".pyi", ".txt", ".typed")
_NOT_IN_SDIST = (".ci/", "benches/", "rust/fuzz/", ".gitattributes", ".gitignore")
_FORBIDDEN_FOLDERS = re.compile(r"(^|/)(__pycache__|target)/|^rust/fuzz/")
_FORBIDDEN = (".pyc", ".pyo", ".DS_Store", ".orig", ".rej")
_ENGINE = (".so", ".pyd")
_METADATA = re.compile(r"urlset-[^/]+\.(dist-info|data/data/share)/")


def tracked(root: Path = ROOT) -> list[str]:
    """Return the files of the project, as git lists them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name and Path(root, name).is_file()]


def names_in(archive: Path) -> list[str]:
    """Return the files in a wheel, or in an sdist without its top folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return [name for name in wheel.namelist() if not name.endswith("/")]
    with tarfile.open(archive) as sdist:
        return [member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()]


def problems(archive: Path, sources: Iterable[str]) -> list[str]:
    """Return one line for each file that is missing from an archive or too much in it."""
    names = set(names_in(archive))
    is_wheel = archive.suffix == ".whl"
    expected = set(wheel_files(sources) if is_wheel else sdist_files(sources))
    found = [f"missing: {name}" for name in sorted(expected - names)]
    for name in sorted(names - expected):
        suffix = PurePosixPath(name).suffix
        if (
            suffix in _FORBIDDEN
            or "__pycache__" in name
            or "/target/" in name
            or name.startswith("rust/fuzz/")
        ):
            found.append(f"must not be in it: {name}")
        elif is_wheel and not _METADATA.match(name) and not _is_engine(archive, name):
            found.append(f"unknown: {name}")
        elif not is_wheel and suffix in _ENGINE:
            found.append(f"must not be in it: {name}")
    return found


def _is_engine(wheel: Path, name: str) -> bool:
    """Return whether a file is the native engine, or a library of it, in a native wheel."""
    is_library = name.startswith(("urlset/engine/_native.", "urlset.libs/"))
    return is_library and not wheel.name.endswith("-none-any.whl")


def wheel_files(sources: Iterable[str]) -> list[str]:
    """Return the files that each wheel has."""
    return [
        name.removeprefix("src/")
        for name in sources
        if name.startswith("src/") and name.endswith(_DATA)
    ]


def sdist_files(sources: Iterable[str]) -> list[str]:
    """Return the files that the sdist has: it can build the engine and run the tests."""
    return [name for name in sources if not name.startswith(_NOT_IN_SDIST)]


def main() -> int:
    """Print the problems of the files that the command line names; return 1 if there are any."""
    sources = tracked()
    found = {name: problems(Path(name), sources) for name in sys.argv[1:]}
    for name, lines in found.items():
        print(f"{name}: {len(lines) or 'no'} problems", *lines, sep="\n  ")
    return any(found.values())


if __name__ == "__main__":
    sys.exit(main())

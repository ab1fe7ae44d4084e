"""Write and check the Homebrew formula and the conda recipe.

    python packaging/recipes.py                  print what disagrees with the project
    python packaging/recipes.py --lock           write version and resources (``make lock``)
    python packaging/recipes.py SDIST FOLDER     write both files with the hash of the sdist

The committed files name the version and the locked requirements, and zeros for the hash of the
sdist: the sdist contains them, so they cannot contain its hash. ``make release-check`` completes
them. Their addresses are those of the public index, whatever index a machine is configured for.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tarfile
import tomllib
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import versions

ROOT = Path(__file__).parents[1]
FORMULA, RECIPE = "packaging/homebrew/urlset.rb", "packaging/conda/recipe.yaml"
LOCK = "requirements/base.txt"
INDEX = "https://pypi.org/simple/"
FILES = "https://files.pythonhosted.org/packages/"
# Locked requirements of the build. Homebrew and conda have a build environment of their own.
BUILD_ONLY = {"setuptools", "setuptools-rust", "semantic-version"}
CONDA_NAMES = {"duckdb": "python-duckdb"}

_URL = re.compile(r"(/urlset-)(\d[\w.]*?)(\.tar\.gz)")
_CONTEXT = re.compile(r'(\n  version: ")([^"]*)(")')
_SHA256 = re.compile(r'(\n  sha256:? ")([0-9a-f]{64})(")')
_RESOURCES = re.compile(r"(  # Resources: .*\n)((?:.*\n)*?)(  # End of resources\.\n)")
_RESOURCE = re.compile(r'  resource "(.+)" do\n    url "(.+)"\n    sha256 "(.+)"\n  end\n')
_LOCKED = re.compile(r"([a-z0-9-]+)==([^\s;]+)(?: ; (.*?))? \\\n")


class Refusal(Exception):
    """The files cannot be written for this sdist, or from this lock file."""


class Locked(NamedTuple):
    """A locked version, with the hashes of all its files."""

    version: str
    hashes: frozenset[str]


class Resource(NamedTuple):
    """The sdist of a requirement, as a formula states it."""

    name: str
    url: str
    sha256: str

    def __str__(self) -> str:
        """Return the lines of the formula."""
        name, url, sha256 = self
        return f'  resource "{name}" do\n    url "{url}"\n    sha256 "{sha256}"\n  end\n'


OTHER_SYSTEMS = ("sys_platform == 'win32'", "python_full_version < '3.13'")
"""Markers that are false for the formula: it is for macOS and Linux, with Python 3.13."""


def locked(root: Path = ROOT) -> dict[str, Locked]:
    """Return the locked versions that an installation on macOS and Linux needs."""
    text = Path(root, LOCK).read_text(encoding="utf-8")
    found: dict[str, Locked] = {}
    for entry in re.split(r"\n(?=[a-z])", text):
        if (match := _LOCKED.match(entry)) is None or match[1] in BUILD_ONLY:
            continue
        name, version, marker = match.groups()
        if marker is not None:
            if marker not in OTHER_SYSTEMS:
                raise Refusal(
                    f"{LOCK}: {name}: expected a marker of {', '.join(OTHER_SYSTEMS)}, "
                    f"found {marker}"
                )
            continue
        found[name] = Locked(version, frozenset(re.findall(r"sha256:([0-9a-f]{64})", entry)))
    return found


def resources(formula: str) -> list[Resource]:
    """Return the resources of a formula."""
    return [Resource(*found) for found in _RESOURCE.findall(formula)]


def problems(root: Path = ROOT) -> list[str]:
    """Return one line for each fact that differs from pyproject.toml or from the lock file."""
    formula = Path(root, FORMULA).read_text(encoding="utf-8")
    recipe = Path(root, RECIPE).read_text(encoding="utf-8")
    wanted, had = locked(root), {resource.name: resource for resource in resources(formula)}
    found = [
        f"{FORMULA}: {name}: {'missing' if name in wanted else 'not in ' + LOCK} (run `make lock`)"
        for name in sorted(set(wanted) ^ set(had))
    ]
    for name in sorted(set(wanted) & set(had)):
        version, hashes = wanted[name]
        if not had[name].url.endswith(f"-{version}.tar.gz"):
            found.append(f"{FORMULA}: {name}: expected version {version}, found {had[name].url}")
        if had[name].sha256 not in hashes:
            found.append(f"{FORMULA}: {name}: its hash is not in {LOCK} (run `make lock`)")
    metadata = tomllib.loads(Path(root, "pyproject.toml").read_text(encoding="utf-8"))
    for requirement in (
        *metadata["build-system"]["requires"],
        *metadata["project"]["dependencies"],
    ):
        name, _, bound = requirement.partition(">=")
        stated_so = f"{CONDA_NAMES.get(name, name)} >={bound}"
        if f"    - {stated_so}\n" not in recipe:
            found.append(f"{RECIPE}: expected '{stated_so}', as in pyproject.toml")
    return found


def update(root: Path = ROOT) -> None:
    """Write the version and the resources into the committed files."""
    version = versions.project_version(root)
    block = "".join(f"{resource}\n" for resource in published(locked(root)))
    for name, pattern in ((FORMULA, _URL), (RECIPE, _CONTEXT)):
        file = Path(root, name)
        text = pattern.sub(rf"\g<1>{version}\g<3>", file.read_text(encoding="utf-8"), count=1)
        if name == FORMULA:
            text = _RESOURCES.sub(lambda found: found[1] + block[:-1] + found[3], text)
        file.write_text(text, encoding="utf-8")


def published(wanted: dict[str, Locked]) -> Iterable[Resource]:
    """Yield the sdist of each locked version, which the public index lists."""
    for name, (version, hashes) in sorted(wanted.items()):
        request = urllib.request.Request(
            f"{INDEX}{name}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"}
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            files = json.load(response)["files"]
        sdists = [
            (file["url"], file["hashes"]["sha256"])
            for file in files
            if file["filename"].endswith(f"-{version}.tar.gz")
            and file["hashes"].get("sha256") in hashes
        ]
        if len(sdists) != 1:
            raise Refusal(f"{name} {version}: expected one sdist in {INDEX}, found {len(sdists)}")
        ((url, digest),) = sdists
        if not url.startswith(FILES):
            raise Refusal(f"{name} {version}: expected a public address, {FILES}…, found {url}")
        yield Resource(name, url, digest)


def completed(sdist: Path, root: Path = ROOT) -> dict[str, str]:
    """Return the text of both files with the hash of an sdist, by their names.

    Raises:
        Refusal: The file is not the sdist of the version that both files state.
    """
    version = versions.project_version(root)
    expected = f"urlset-{version}"
    if sdist.name != f"{expected}.tar.gz":
        raise Refusal(f"expected the file {expected}.tar.gz, found {sdist.name}")
    with tarfile.open(sdist) as archive:
        member = archive.extractfile(f"{expected}/PKG-INFO")
        metadata = member.read().decode() if member else ""
    if not re.search(rf"^Version: {re.escape(version)}$", metadata, re.MULTILINE):
        raise Refusal(f"{sdist.name}: expected version {version} in PKG-INFO, found another")
    if found := versions.problems(root) + problems(root):
        raise Refusal("; ".join(found))
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    return {
        Path(name).name: _SHA256.sub(
            rf"\g<1>{digest}\g<3>", Path(root, name).read_text(encoding="utf-8"), count=1
        )
        for name in (FORMULA, RECIPE)
    }


def write(sdist: Path, folder: Path, root: Path = ROOT) -> list[Path]:
    """Write both complete files into a folder."""
    texts = completed(sdist, root)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def main() -> int:
    """Check, update or complete the files; return 1 if they disagree with something."""
    try:
        match sys.argv[1:]:
            case []:
                pass
            case ["--lock"]:
                update()
            case [sdist, folder] if not sdist.startswith("-"):
                print(*write(Path(sdist), Path(folder)), sep="\n")
            case _:
                print(__doc__, file=sys.stderr)
                return 2
        found = versions.problems() + problems()
    except Refusal as error:
        found = [str(error)]
    print(*(f"recipes: {line}" for line in found), sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

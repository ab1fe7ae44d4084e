"""Check the places that state the version of urlset.

    python packaging/versions.py [TAG]

``pyproject.toml`` is the source. The formats of the others cannot refer to it, so they repeat it. A
release also states the tag in git, and has a date in CHANGELOG.md.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def project_version(root: Path = ROOT) -> str:
    """Return the version in pyproject.toml."""
    project = tomllib.loads(Path(root, "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def stated(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each other place states, or an empty string where it is missing."""
    cargo = tomllib.loads(Path(root, "rust", "Cargo.toml").read_text(encoding="utf-8"))
    return {
        "rust/Cargo.toml": str(cargo["workspace"]["package"]["version"]),
        "CITATION.cff": first(root, "CITATION.cff", r"^version: (\S+)$"),
        "packaging/homebrew/urlset.rb": first(
            root, "packaging/homebrew/urlset.rb", r'^  url "\S+/urlset-(\S+)\.tar\.gz"$'
        ),
        "packaging/conda/recipe.yaml": first(
            root, "packaging/conda/recipe.yaml", r'^  version: "(.*)"$'
        ),
        "server.json": first(root, "server.json", r'^  "version": "(.*)",$'),
        # The newest section that is not "Unreleased".
        "CHANGELOG.md": first(root, "CHANGELOG.md", r"^## \[?(\d[^\s\]]*)"),
    }


def first(root: Path, name: str, pattern: str) -> str:
    """Return what the first group of a pattern matches in a file."""
    found = re.search(pattern, Path(root, name).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def problems(root: Path = ROOT, tag: str | None = None) -> list[str]:
    """Return one line for each place that differs, and for what a tag lacks."""
    version = project_version(root)
    found = [
        f"{place}: expected version {version}, found {other or 'none'}"
        for place, other in stated(root).items()
        if other != version
    ]
    if tag is not None:
        if tag != f"v{version}":
            found.append(f"tag: expected v{version}, found {tag}")
        date = first(root, "CHANGELOG.md", rf"^## \[{re.escape(version)}\] - (.*)$")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
            found.append(f"CHANGELOG.md: expected a date for version {version}, found {date!r}")
    return found


def main() -> int:
    """Print the version, and the problems; return 1 if there are any."""
    found = problems(tag=sys.argv[1] if len(sys.argv) > 1 else None)
    print(project_version(), *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

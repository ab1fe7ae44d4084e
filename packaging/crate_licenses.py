"""Write the licences of the crates that are compiled into the native engine.

    python packaging/crate_licenses.py OUTPUT

Apache, BSD, MIT and similar licences ask that their text accompanies binaries. The list comes from
``cargo metadata`` for the crates that the binding uses on any platform, development and build-time
crates excluded.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

MANIFEST = Path(__file__).parents[1] / "rust" / "Cargo.toml"
ROOT_CRATE = "urlset-binding"
_NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")


def crates(manifest: Path = MANIFEST) -> list[dict[str, Any]]:
    """Return the packages that the binding links, its own ones excluded, by name and version."""
    command = ["cargo", "metadata", "--format-version=1", "--manifest-path", str(manifest)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    metadata = json.loads(found.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == ROOT_CRATE]
    seen = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    linked = [packages[key] for key in seen if packages[key]["source"] is not None]
    return sorted(linked, key=lambda package: (package["name"], package["version"]))


def license_text(package: dict[str, Any]) -> str:
    """Return the texts of the licence files of a crate, or an empty string if it has none."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(
        path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(_NAMES)
    )
    return "\n\n".join(path.read_text(encoding="utf-8", errors="replace").strip() for path in files)


def document(packages: list[dict[str, Any]]) -> str:
    """Return the list of crates with their licences, and each different text once."""
    lines = ["The native engine of urlset contains these crates:", ""]
    texts: dict[str, list[str]] = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        lines.append(f"- {name}: {package['license'] or 'see its text'}")
        texts.setdefault(license_text(package), []).append(name)
    for text, names in texts.items():
        if text:
            lines += ["", "-" * 80, ", ".join(names), "-" * 80, "", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the file that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python packaging/crate_licenses.py OUTPUT")
    packages = crates()
    if missing := [package["name"] for package in packages if not package["license"]]:
        sys.exit(f"these crates declare no licence: {', '.join(missing)}")
    Path(sys.argv[1]).write_text(document(packages), encoding="utf-8")
    print(f"{len(packages)} crates")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Write the software bill of materials of the native engine, as wheels contain it (PEP 770).

    python packaging/sbom.py [WHEEL...]

It lists the crates of ``rust/Cargo.lock`` and nothing else: those of any platform and those that
only run while the engine is built are among them, as the lock file does not tell them apart.
``setup.py`` writes it into native wheels. It has no times and no random numbers, so equal lock
files result in equal bytes. The command prints it, or compares those in wheels with it.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[1] / "rust" / "Cargo.lock"
ROOT_CRATE = "urlset-binding"
FILE = "sboms/urlset.cyclonedx.json"
"""Its path below ``*.dist-info``."""

_ENGINE = re.compile(r"/_native\.(?:.*\.)?(?:so|pyd)$")
_MEMBER = re.compile(r"[^/]+\.dist-info/sboms/(.+)")


def document(lock: Path = LOCK) -> str:
    """Return the CycloneDX document of a lock file.

    The packages of the workspace are the subject, so they are not listed as components.
    """
    packages = tomllib.loads(lock.read_text(encoding="utf-8"))["package"]
    (root,) = (package for package in packages if package["name"] == ROOT_CRATE)
    subject = f"pkg:pypi/urlset@{root['version']}"
    own = [package for package in packages if "source" not in package]
    crates = [package for package in packages if "source" in package]
    direct = {reference for package in own for reference in _references(package, packages)}
    names = {_purl(package) for package in own}
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "pre-build"}],
            "component": {
                "type": "library",
                "bom-ref": subject,
                "name": "urlset",
                "version": root["version"],
                "purl": subject,
            },
        },
        "components": sorted(map(_component, crates), key=lambda crate: str(crate["bom-ref"])),
        "dependencies": [
            {"ref": subject, "dependsOn": sorted(direct - names)},
            *sorted(
                (
                    {"ref": _purl(crate), "dependsOn": sorted(_references(crate, packages))}
                    for crate in crates
                ),
                key=lambda each: str(each["ref"]),
            ),
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def _component(crate: dict[str, Any]) -> dict[str, object]:
    return {
        "type": "library",
        "bom-ref": _purl(crate),
        "name": crate["name"],
        "version": crate["version"],
        "hashes": [{"alg": "SHA-256", "content": crate["checksum"]}],
        "purl": _purl(crate),
    }


def _purl(crate: dict[str, Any]) -> str:
    """Return the package URL of a crate; "+" of a version is escaped, as the specification asks."""
    return f"pkg:cargo/{crate['name']}@{crate['version'].replace('+', '%2B')}"


def _references(crate: dict[str, Any], packages: list[dict[str, Any]]) -> set[str]:
    """Return what a crate requires; cargo writes the version where a name is not enough."""
    found = set()
    for entry in crate.get("dependencies", ()):
        name, _, rest = entry.partition(" ")
        version = rest.partition(" ")[0]
        (package,) = (
            each for each in packages if each["name"] == name and version in ("", each["version"])
        )
        found.add(_purl(package))
    return found


def problems(wheel: Path, lock: Path = LOCK) -> list[str]:
    """Return one line for each thing that is wrong with the bill of materials in a wheel.

    A wheel without the engine has none. Tools that repair wheels add a document of their own for
    libraries that they copy into it.
    """
    with zipfile.ZipFile(wheel) as archive:
        found = {
            matched[0]: archive.read(name).decode()
            for name in archive.namelist()
            if (matched := _MEMBER.fullmatch(name))
        }
        is_native = any(_ENGINE.search(name) for name in archive.namelist())
    inside = {name: text for name, text in found.items() if name.endswith(f".dist-info/{FILE}")}
    if not is_native:
        return [f"{name}: a wheel without crates lists some" for name in inside]
    if not inside:
        return [f"{FILE} is missing"]
    ((name, text),) = inside.items()
    return [] if text == document(lock) else [f"{name} is not that of {lock.name}"]


def main() -> int:
    """Print the document, or the problems of wheels; return 1 if there are any."""
    wheels = sys.argv[1:]
    if not wheels:
        print(document(), end="")
        return 0
    found = [f"{wheel}: {problem}" for wheel in wheels for problem in problems(Path(wheel))]
    print(*found or ["no problems"], sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

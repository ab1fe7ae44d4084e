"""Write the exact versions for development, with hashes: ``make lock``.

``requirements/base.txt`` has what urlset and its build require, ``requirements/dev.txt`` also what
the tests require. ``requirements/site.txt`` is what builds the documentation site, in an
environment of its own. They serve every platform and Python 3.11 and newer. They contain no
addresses: each machine downloads from the index that it is configured for; the hashes ensure equal
files. The Homebrew formula is brought up to date, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

import recipes

ROOT = Path(__file__).parents[1]
HEADER = "# Written by `make lock` from pyproject.toml. Do not edit.\n"
OPTIONS = (
    "--universal",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-annotate",
    "--no-header",
    "--quiet",
)


def requirements(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the requirements of each lock file, as pyproject.toml states them."""
    metadata = tomllib.loads(Path(root, "pyproject.toml").read_text(encoding="utf-8"))
    project = metadata["project"]
    base = [*project["dependencies"], *metadata["build-system"]["requires"]]
    extras = project["optional-dependencies"]
    return {"base": base, "dev": [*base, *extras["dev"]], "site": extras["site"]}


def main() -> int:
    """Resolve and write the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    options = parser.parse_args()
    metadata = tomllib.loads(Path(ROOT, "pyproject.toml").read_text(encoding="utf-8"))
    oldest = metadata["project"]["requires-python"].removeprefix(">=")
    with tempfile.TemporaryDirectory(prefix="urlset-lock-") as folder:
        venv.create(Path(folder, "venv"), with_pip=True)
        python = Path(folder, "venv", "Scripts" if os.name == "nt" else "bin", "python")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        subprocess.run([*pip, "uv"], check=True)
        # The larger file first: the smaller one has the same versions.
        constraints: list[str] = []
        for name, wanted in reversed(requirements().items()):
            source, target = Path(folder, f"{name}.in"), ROOT / "requirements" / f"{name}.txt"
            source.write_text("\n".join(wanted) + "\n", encoding="utf-8")
            result = Path(folder, f"{name}.txt")
            if target.exists() and not options.upgrade:
                result.write_bytes(target.read_bytes())  # uv keeps the versions that fit
            command = (python, "-m", "uv", "pip", "compile", *OPTIONS, "--python-version", oldest)
            bounds = () if name == "site" else constraints
            arguments = (*bounds, "--output-file", str(result), str(source))
            subprocess.run([*command, *arguments], check=True)
            text = HEADER + result.read_text(encoding="utf-8").removeprefix(HEADER)
            target.write_text(text, encoding="utf-8")
            if name == "dev":
                constraints = ["--constraints", str(result)]
            print(f"{target.relative_to(ROOT)}: {text.count('==')} versions")
    recipes.update()  # the formula names the locked sdists
    return 0


if __name__ == "__main__":
    sys.exit(main())

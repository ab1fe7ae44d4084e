"""Run a container image of urlset, and check what it promises.

    python packaging/image_check.py [--engine docker] IMAGE

The engine is docker, podman, or such a command with options. Every container has a read-only root,
no network and no capabilities, and a folder of the host as its working directory. Checks that

- the image runs as a user without rights, and files that it writes belong to that user;
- the native engine is used;
- ``check``, ``read`` and ``build`` work, from a file and from stdin, with their exit codes;
- the default command shows the help; nothing else is in the image's environment of Python.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

USER = 65532
SITE = "https://example.com/"
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/a</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""
LIMITS = (
    *("--rm", "--interactive", "--read-only", "--network", "none"),
    *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
)


class Image:
    """An image, and the engine that runs it."""

    def __init__(self, engine: str, name: str):
        self.engine = shlex.split(engine)
        self.name = name

    def settings(self) -> dict[str, object]:
        """Return the configuration of the image."""
        found = subprocess.run(
            [*self.engine, "image", "inspect", self.name], stdout=subprocess.PIPE, check=True
        )
        settings: dict[str, object] = json.loads(found.stdout)[0]["Config"]
        return settings

    def run(self, folder: Path, *arguments: str, text: str = "", code: int = 0) -> str:
        """Run a container with a folder; return its output."""
        mounts = ("--tmpfs", "/tmp", "--volume", f"{folder}:/work")
        done = subprocess.run(
            [*self.engine, "run", *LIMITS, *mounts, self.name, *arguments],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        what = f"urlset {' '.join(arguments)}"
        expect(done.returncode == code, f"{what}: exit code {done.returncode}", done.stdout)
        print(f"  {what.rstrip()}: exit code {code}")
        return done.stdout


def expect(is_met: bool, what: str, found: object = "") -> None:
    """End with a message if an expectation is not met."""
    if not is_met:
        sys.exit(f"image: {what}\n{found}".rstrip())


def main() -> int:
    """Run all checks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", default="docker", help="docker, podman, or with options")
    parser.add_argument("image")
    options = parser.parse_args()
    image = Image(options.engine, options.image)
    expect(image.settings()["User"] == f"{USER}:{USER}", "another user", image.settings())
    with tempfile.TemporaryDirectory(prefix="urlset-image-") as name:
        folder = Path(name)
        folder.chmod(0o777)  # the user of the image is another one than ours
        use(image, folder)
    return 0


def use(image: Image, folder: Path) -> None:
    """Use the image as its readers do."""
    folder.joinpath("sitemap.xml").write_text(SITEMAP, encoding="utf-8")
    folder.joinpath("damaged.xml").write_text(SITEMAP.replace("</url>", ""), encoding="utf-8")
    folder.joinpath("urls.txt").write_text(f"{SITE}a\n{SITE}b\n", encoding="utf-8")
    version = image.run(folder, "--version")
    expect("native engine" in version, "expected the native engine", version)
    expect("Usage" in image.run(folder), "expected the help without arguments")
    image.run(folder, "check", "sitemap.xml", "--base-url", SITE)
    image.run(folder, "check", "damaged.xml", "--base-url", SITE, code=1)
    image.run(folder, "check", "--no-such-option", code=2)
    locs = image.run(folder, "read", "-", text=SITEMAP)
    expect(f"{SITE}a" in locs, "read: expected the URL of stdin", locs)
    image.run(folder, "build", "urls.txt", "--output", "site", "--base-url", SITE)
    built = folder / "site" / "sitemap.xml"
    expect(f"{SITE}b" in built.read_text(encoding="utf-8"), "build: a URL is missing")
    expect(built.stat().st_uid == USER, "build: another owner", built.stat())
    image.run(folder, "check", "site", "--base-url", SITE)


if __name__ == "__main__":
    sys.exit(main())

"""Build the documentation of each release and of HEAD: ``make site-versions``, in build/versions.

Each minor version has a folder with the pages of its newest release, ``dev`` has those of HEAD. The
theme offers them in a menu, from versions.json. The root leads to the newest release, and has the
schemas at their addresses. Only the newest release is for search engines: the pages of the others
say ``noindex``, and robots.txt names one sitemap.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import NamedTuple

from urlset.output_schemas import SITE_URL

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "versions"
RELEASE = re.compile(r"v(\d+)\.(\d+)\.(\d+)", re.ASCII)
DEV = "dev"


class Version(NamedTuple):
    """A version of the documentation: its folder, its title, and the revision that it is of."""

    name: str
    title: str
    revision: str


def main() -> int:
    """Build all versions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--site-url", default=os.environ.get("SITE_URL") or SITE_URL)
    options = parser.parse_args()
    site = build(options.site_url, versions(git("tag", "--list", "v*").split()))
    print(f"built {', '.join(found.name for found in site.iterdir() if found.is_dir())}")
    return 0


def versions(tags: Iterable[str]) -> list[Version]:
    """Return the newest release of each minor version, the newest one first, and then ``dev``.

    >>> [found.revision for found in versions(["v0.9.1", "v0.10.0", "v0.9.2", "v1.0.0rc1", "vx"])]
    ['v0.10.0', 'v0.9.2', 'HEAD']
    """
    newest: dict[tuple[int, int], int] = {}
    for found in filter(None, map(RELEASE.fullmatch, tags)):
        major, minor, patch = map(int, found.groups())
        newest[major, minor] = max(patch, newest.get((major, minor), 0))
    return [
        *(
            Version(f"{major}.{minor}", f"{major}.{minor}.{patch}", f"v{major}.{minor}.{patch}")
            for (major, minor), patch in sorted(newest.items(), reverse=True)
        ),
        Version(DEV, "development", "HEAD"),
    ]


def build(site_url: str, found: list[Version], work: Path = WORK) -> Path:
    """Build versions below a folder, and return the folder of the site; the first is the newest."""
    site = work / "site"
    shutil.rmtree(work, ignore_errors=True)
    site.mkdir(parents=True)
    for version in found:
        with checkout(version.revision, work / "source") as folder:
            # Each version is built by its own program.
            command = [
                sys.executable, str(folder / "docs" / "build_site.py"), "--versions",
                "--site-url", f"{site_url}{version.name}/",
            ]  # fmt: skip
            program = os.pathsep.join([str(ROOT / ".venv" / "site" / "bin"), os.environ["PATH"]])
            environment = {**os.environ, "PATH": program, "PYTHONPATH": str(folder)}
            subprocess.run(command, check=True, env=environment, cwd=folder)
            shutil.move(folder / "build" / "site", site / version.name)
    for version in found[1:]:
        hide(site / version.name)
    newest = found[0].name
    shutil.copytree(site / newest / "schemas", site / "schemas")
    for path in (site / "schemas").iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(f"{site_url}{newest}/", site_url), encoding="utf-8")
    menu = [
        {
            "version": version.name,
            "title": version.title,
            "aliases": ["latest"] if version is found[0] else [],
        }
        for version in found
    ]
    (site / "versions.json").write_text(f"{json.dumps(menu, indent=1)}\n", encoding="utf-8")
    address = escape(f"{site_url}{newest}/")
    (site / "index.html").write_text(
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>urlset</title>\n'
        f'<link rel="canonical" href="{address}">\n'
        f'<meta http-equiv="refresh" content="0; url={newest}/">\n'
        f'<p><a href="{newest}/">The documentation of urlset</a></p>\n</html>\n',
        encoding="utf-8",
    )
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {site_url}{newest}/sitemap.xml\n"
    (site / "robots.txt").write_text(robots, encoding="utf-8")
    return site


def hide(folder: Path) -> None:
    """Mark the pages of a version as not for search engines, and remove their sitemap."""
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        mark = '<head>\n<meta name="robots" content="noindex">'
        path.write_text(text.replace("<head>", mark, 1), encoding="utf-8")
    for name in ("sitemap.xml", "robots.txt"):
        (folder / name).unlink(missing_ok=True)


@contextmanager
def checkout(revision: str, folder: Path) -> Iterator[Path]:
    """Check a revision out, for as long as the block runs; dates of pages need its history."""
    git("worktree", "add", "--quiet", "--force", "--detach", str(folder), revision)
    try:
        yield folder
    finally:
        git("worktree", "remove", "--force", str(folder))


def git(*arguments: str) -> str:
    """Run git in the repository, and return its output."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())

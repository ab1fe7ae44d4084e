"""Small projects of MkDocs, Sphinx and Pelican, built by the hosts themselves."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import urlset


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a project."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in a folder; return its status and its output."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "COLUMNS": "400"},  # some hosts wrap their messages
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )


def mkdocs(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build a MkDocs project into ``site``."""
    return run(folder, "mkdocs", "build", *options)


def sphinx(folder: Path, *options: str, builder: str = "html") -> subprocess.CompletedProcess[str]:
    """Build a Sphinx project into ``out``."""
    return run(folder, "sphinx", "-b", builder, *options, ".", "out")


def pelican(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build a Pelican project into ``output``."""
    return run(folder, "pelican", "-v", "-s", "pelicanconf.py", *options)


def entries(path: Path) -> dict[str, urlset.Entry]:
    """Return the entries of a sitemap, by URL."""
    found = urlset.parse(path.read_bytes())
    assert not found.problems
    return {entry.loc: entry for entry in found.entries}


def commit(folder: Path, date: str) -> None:
    """Commit all files of a folder, on a date."""
    env = {
        **os.environ,
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
        **{
            f"GIT_{who}_{what}": "ann@example.com"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Tea"]):
        subprocess.run(["git", *command], cwd=folder, env=env, check=True)

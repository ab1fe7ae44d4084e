"""Revisions of git as states: which files are read, and that a repository cannot run anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import urlset
from urlset.live.diff.states import split_revision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

SITE = "https://example.com"


def git(*words: str, **more: str) -> str:
    named = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words]
    return subprocess.run(
        named, check=True, capture_output=True, text=True, env={**os.environ, **more}
    ).stdout


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with two commits of public/sitemap.txt; it is the working folder."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    root = tmp_path / "repository"
    (root / "public").mkdir(parents=True)
    monkeypatch.chdir(root)
    git("init", "-q")
    for paths in (["/a", "/b"], ["/b", "/c"]):
        (root / "public" / "sitemap.txt").write_text("".join(f"{SITE}{p}\n" for p in paths))
        (root / "public" / "photo.svg").write_text("<svg/>")
        git("add", ".")
        git("commit", "-qm", "x")
    return root


def changes(before: str, after: str) -> dict[str, str]:
    with urlset.diff(before, after) as found:
        return {change.loc.removeprefix(SITE): change.change for change in found}


EXPECTED = {"/a": "removed", "/c": "added"}


def test_folder_file_and_working_tree(repository, monkeypatch):
    assert changes("HEAD~1:public/", "HEAD:public") == EXPECTED
    assert changes("HEAD~1:public/sitemap.txt", "public/") == EXPECTED
    assert changes("HEAD~1:", "HEAD:") == EXPECTED
    monkeypatch.chdir(repository / "public")
    assert changes("HEAD~1:./sitemap.txt", "sitemap.txt") == EXPECTED


def test_names_of_documents_are_those_of_git(repository):
    with urlset.diff("HEAD~1:public/", "public/") as found:
        [removed] = found.of("removed")

    assert removed.before is not None
    assert removed.before.source == "HEAD~1:public/sitemap.txt"


@pytest.mark.parametrize("name", ["HEAD~9:public/", "HEAD:none", "nobranch:public/"])
def test_missing_revision_is_an_error(repository, name):
    with pytest.raises(urlset.SourceError, match="expected a file, a folder or REVISION:PATH"):
        changes(name, "public/")


def test_nothing_that_the_repository_configures_is_run(repository, tmp_path):
    marker = tmp_path / "ran"
    script = repository / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "filter.x.smudge", "filter.x.clean",
                 "diff.x.textconv", "core.sshCommand", "core.editor"):  # fmt: skip
        git("config", name, str(script))
    (repository / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n")
    for hook in ("post-checkout", "pre-commit", "post-index-change"):
        path = repository / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        shutil.copy(script, path)

    assert changes("HEAD~1:public/", "HEAD:public/") == EXPECTED
    assert not marker.exists()


def test_links_and_names_outside_of_the_folder_are_not_written(repository, tmp_path):
    (repository / "public" / "link.txt").symlink_to("/etc/hostname")
    git("add", ".")
    git("commit", "-qm", "link")
    blob = git("hash-object", "-w", "public/sitemap.txt").strip()
    entry = f"100644 blob {blob}\t..\n"
    made = subprocess.run(
        ["git", "mktree"], input=entry, capture_output=True, text=True, check=False
    )

    assert changes("HEAD:public/", "HEAD~1:public/") == {}
    if made.returncode == 0:
        with pytest.raises(urlset.SourceError):
            changes(f"{made.stdout.strip()}:", "public/")


def test_kind_of_a_source_before_a_file_is_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("site.duckdb").write_bytes(b"")

    with pytest.raises(urlset.SourceError, match=r"; name the file as 'site.duckdb'$"):
        changes("crawl:site.duckdb", "site.duckdb")


def test_names_that_are_no_revisions():
    assert split_revision("https://example.com/") is None
    assert split_revision("C:/public") is None
    assert split_revision("-x:public/") is None
    assert split_revision("v1.0:docs") == ("v1.0", "docs")


def test_file_of_that_name_wins(repository):
    Path("HEAD~1:public").mkdir()
    Path("HEAD~1:public/sitemap.txt").write_text(f"{SITE}/other\n")

    assert changes("HEAD~1:public", "HEAD:public/")["/other"] == "removed"

"""Attacks by a checkout: what its git configuration names does not run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import urlset
from urlset.sources.git import git_dates, repository

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the trap is a script of sh")

COMMANDS = {
    "fsmonitor": "[core]\nfsmonitor = {trap}\n",
    "fsmonitor of version 2": "[core]\nfsmonitor = {trap}\nfsmonitorHookVersion = 2\n",
    "ssh": "[core]\nsshCommand = {trap}\n[remote \"origin\"]\nurl = ssh://a/b\n",
    "pager": "[core]\npager = {trap}\n[pager]\nlog = {trap}\ndiff = {trap}\n",
    "editor": "[core]\neditor = {trap}\n[sequence]\neditor = {trap}\n",
    "askpass": "[core]\naskPass = {trap}\n",
    "hooks": "[core]\nhooksPath = {hooks}\n",
    "proxy": "[core]\ngitProxy = {trap}\n",
    "alternates": "[core]\nalternateRefsCommand = {trap}\n",
    "external diff": "[diff]\nexternal = {trap}\n",
    "diff driver": "[diff \"evil\"]\ncommand = {trap}\ntextconv = {trap}\nxfuncname = x\n",
    "filter": "[filter \"evil\"]\nclean = {trap}\nsmudge = {trap}\nrequired = true\n",
    "filter process": "[filter \"evil\"]\nprocess = {trap}\nrequired = true\n",
    "merge driver": "[merge \"evil\"]\ndriver = {trap}\n",
    "aliases": "[alias]\nlog = !{trap}\nls-files = !{trap}\nrev-parse = !{trap}\nx = !{trap}\n",
    "signatures": "[gpg]\nprogram = {trap}\n[log]\nshowSignature = true\n",
    "signatures of ssh": "[gpg]\nformat = ssh\n[gpg \"ssh\"]\nprogram = {trap}\n"
    "[log]\nshowSignature = true\n",
    "credentials": "[credential]\nhelper = !{trap}\n",
    "promisor": "[extensions]\npartialClone = origin\n[remote \"origin\"]\npromisor = true\n"
    "url = ext::{trap}\nuploadpack = {trap}\n[protocol \"ext\"]\nallow = always\n",
    "include": "[include]\npath = {included}\n",
    "conditional include": "[includeIf \"gitdir:/\"]\npath = {included}\n",
    "pack objects": "[uploadpack]\npackObjectsHook = {trap}\n",
    "trailers": "[trailer \"x\"]\ncmd = {trap}\n",
    "submodules": "[submodule \"x\"]\nupdate = !{trap}\n[submodule]\nrecurse = true\n",
    "maintenance": "[gc]\nauto = 1\nrecentObjectsHook = {trap}\n",
}  # fmt: skip


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a repository with two commits, and set its configuration."""
    folder = tmp_path / "site"
    folder.mkdir()
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{tmp_path}/sprung'\ncat 2>/dev/null\n")
    trap.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"):
        (hooks / name).symlink_to(trap)
    (tmp_path / "included").write_text(f"[core]\nfsmonitor = {trap}\n[diff]\nexternal = {trap}\n")
    git(folder, "init", "-q", "-b", "main")
    for text in ("one", "two"):
        (folder / "sitemap.txt").write_text(f"https://example.com/{text}\n")
        (folder / "a.html").write_text(f"<title>{text}</title>")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", text)
    monkeypatch.chdir(folder)

    def configure(text: str) -> Path:
        names = {"trap": trap, "hooks": hooks, "included": tmp_path / "included"}
        with (folder / ".git" / "config").open("a") as file:
            file.write(text.format(**names))
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
        os.utime(folder / "a.html")  # git compares the content
        (folder / "sitemap.txt").write_text("https://example.com/three\n")
        return tmp_path / "sprung"

    return configure


def test_the_trap_is_one(checkout):
    sprung = checkout("[core]\nfsmonitor = {trap}\n")
    subprocess.run(["git", "status"], check=False, capture_output=True)

    assert sprung.exists()


@pytest.mark.parametrize("text", COMMANDS.values(), ids=COMMANDS)
def test_commands_of_a_repository_do_not_run(text, checkout):
    sprung = checkout(text)

    found = git_dates(os.getcwd())
    changes = list(urlset.diff("HEAD~1:sitemap.txt", "sitemap.txt"))

    assert found.date_of("a.html") is not None
    assert len(changes) == 2
    assert not sprung.exists()


ENDLESS = ("info/grafts", "shallow", "objects/info/alternates", "refs/heads/main", "commondir")


@pytest.mark.parametrize(
    "name", ["HEAD", "config", "info/exclude", "index", "packed-refs", *ENDLESS]
)
def test_a_file_of_a_repository_that_is_a_pipe_delays_no_command(name, checkout, monkeypatch):
    monkeypatch.setattr(repository, "MAX_SILENCE_S", 0.5)
    checkout("")
    path = Path(".git", name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    found = git_dates(os.getcwd())

    assert "git wrote nothing for 0.5 seconds" in "".join(found.notes)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
@pytest.mark.parametrize("name", ["the order of a diff", *ENDLESS])
def test_a_file_of_a_repository_without_an_end_takes_little_memory(name, checkout, monkeypatch):
    monkeypatch.setattr(repository, "_MAX_DATA_BYTES", 300 << 20)
    monkeypatch.setattr(repository, "MAX_SILENCE_S", 60.0)
    checkout("[diff]\norderFile = /dev/zero\n" if name == "the order of a diff" else "")
    if name in ENDLESS:
        Path(".git", name).unlink(missing_ok=True)
        Path(".git", name).symlink_to("/dev/zero")

    found = git_dates(os.getcwd())

    assert "wrote nothing" not in "".join(found.notes)
    assert name in ENDLESS or found.date_of("a.html") is not None


def test_a_bare_repository_in_a_folder_is_not_used(checkout, tmp_path):
    sprung = checkout("")
    bare = tmp_path / "site" / "pages"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    with (bare / "config").open("a") as file:
        file.write(f"[core]\nbare = false\nworktree = /\nfsmonitor = {tmp_path / 'trap'}\n")
    (bare / "b.html").write_text("<title>b</title>")

    git_dates(str(bare))

    assert not sprung.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc of Linux")
def test_a_file_of_the_index_behind_a_link_to_proc_has_an_end(checkout, tmp_path):
    checkout("")
    name = subprocess.run(
        ["git", "hash-object", "a.html"], check=True, capture_output=True, text=True
    ).stdout.strip()
    git(tmp_path / "site", "update-index", "--add", "--cacheinfo", f"100644,{name},proc/pagemap")
    (tmp_path / "site" / "proc").symlink_to("/proc/self")
    (tmp_path / "site" / "a.html").write_text("<title>two</title>")

    found = git_dates(os.getcwd())

    assert found.date_of("a.html") is not None

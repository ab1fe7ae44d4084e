"""Code of the working directory never runs: no module, no program and no filter of git."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.site_box import SiteBox
from urlset.live.visits.page_rows import read_rows
from urlset.live.visits.page_urls import UrlResolver
from urlset.live.visits.page_worker import PageWorker
from urlset.sources.git import git_dates
from urlset.sources.git.repository import GitError, run_git, stream_git

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "urlset").rglob("*.py"))
MODULES = (
    "urlset/__init__.py", "pickle.py", "json.py", "queue.py", "re.py", "logging.py", "site.py",
    "sitecustomize.py", "usercustomize.py", "encodings.py", "duckdb.py", "aiohttp/__init__.py",
)  # fmt: skip
POSIX = pytest.mark.skipif(os.name == "nt", reason="the trap is a script of sh")


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """Folder with modules and programs that write the file ``sprung``."""
    folder = tmp_path / "checkout"
    for name in MODULES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').write({name!r})\n")
    for name in ("git", "git.exe", "python", "python3"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{tmp_path}/sprung'\n")
        (folder / name).chmod(0o755)
    return folder


def sprung(folder: Path) -> str:
    file = folder.parent / "sprung"
    return file.read_text() if file.exists() else ""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "urlset", *words],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_the_trap_is_one(trap):
    subprocess.run([sys.executable, "-m", "urlset", "--version"], cwd=trap, check=False,
                   capture_output=True)  # fmt: skip

    assert sprung(trap)


@pytest.mark.parametrize(("command", "pages"), [("crawl", 130), ("audit", 530)])
def test_a_command_with_a_worker_runs_nothing_of_its_folder(trap, command, pages):
    with SiteBox() as box:
        links = [f"/{number}" for number in range(pages)]
        box.put("/", "".join(f'<a href="{link}">x</a>' for link in links), kind="text/html")
        for link in links:
            box.put(link, f"<title>{link}</title>", kind="text/html")
        rows = "".join(f"{box.url(link)}\n" for link in links)
        box.put("/sitemap.txt", rows, kind="text/plain")
        box.put_robots("User-agent: *", "Allow: /", f"Sitemap: {box.url('/sitemap.txt')}")
        output = ("--store", "x.duckdb") if command == "crawl" else ()

        ran = run(trap, command, box.site, "--confirm-after", "0", "--delay", "0", *output)

        assert sum(path in set(links) for path in box.paths) >= pages
    assert ran.returncode in (0, 1), ran.stderr
    assert "internal error" not in ran.stderr
    assert sprung(trap) == ""


def test_the_worker_process_starts_and_runs_nothing_of_its_folder(trap, monkeypatch):
    monkeypatch.chdir(trap)
    worker = PageWorker(partial(read_rows, UrlResolver()))
    code = worker._process.poll()
    worker.close()

    assert code is None
    assert worker._process.returncode == 0  # it was alive, and ended with its input
    assert sprung(trap) == ""


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("check", "sitemap.txt"),
        ("read", "sitemap.txt", "--format", "jsonl"),
        ("build", "pages", "--base-url", "https://example.com/", "--output", "public",
         "--git-root", "."),
        ("diff", "HEAD:sitemap.txt", "sitemap.txt"),
        ("check", "sitemap.txt", "--fix"),
    ],
    ids=lambda words: " ".join(words[:1] + words[-1:]),
)  # fmt: skip
def test_a_command_runs_nothing_of_its_folder(trap, words, monkeypatch):
    (trap / "sitemap.txt").write_text("https://example.com/a\n")
    (trap / "pages").mkdir()
    (trap / "pages" / "a.html").write_text("<title>a</title>")
    git(trap, "init", "-q")
    git(trap, "add", "-f", "sitemap.txt", "pages")
    git(trap, "commit", "-qm", "x")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))

    ran = run(trap, *words)

    assert ran.returncode in (0, 1), ran.stderr
    assert "internal error" not in ran.stderr
    assert "see `urlset" not in ran.stderr  # the command and its options exist
    assert sprung(trap) == ""


@POSIX
@pytest.mark.parametrize("first", ["", ".", "bin", "./"])
def test_git_is_not_searched_relative_to_the_working_directory(trap, monkeypatch, first):
    (trap / "bin").mkdir()
    (trap / "git").rename(trap / "bin" / "git") if first == "bin" else None
    monkeypatch.chdir(trap)
    monkeypatch.setenv("PATH", first + os.pathsep + os.environ["PATH"])

    assert run_git(".", "--version").startswith(b"git version")
    monkeypatch.setenv("PATH", first)
    with pytest.raises(GitError, match="not installed"):
        run_git(".", "--version")
    assert sprung(trap) == ""


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@POSIX
@pytest.mark.parametrize("kind", ["clean", "process", "smudge", "textconv", "required"])
@pytest.mark.parametrize("changed", [False, True], ids=["unchanged", "changed"])
def test_a_filter_does_not_run_for_files_as_new_as_the_index(tmp_path, kind, changed):
    folder = tmp_path / "site"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text("one\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    script = tmp_path / "filter"
    script.write_text(f"#!/bin/sh\necho {kind} >> '{tmp_path}/sprung'\ncat\n")
    script.chmod(0o755)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")
    section = "diff" if kind == "textconv" else "filter"
    key = "clean" if kind == "required" else kind
    git(folder, "config", f"{section}.evil.{key}", str(script))
    if kind == "required":
        git(folder, "config", "filter.evil.required", "true")
    status = (folder / "a.md").stat()
    if changed:
        (folder / "a.md").write_text("two\n")  # the same size, and below the same time
        os.utime(folder / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    index = folder / ".git" / "index"
    os.utime(index, ns=(status.st_mtime_ns, status.st_mtime_ns))

    found = git_dates(str(folder))

    assert (found.date_of("a.md") is None) is changed
    assert found.date_of("b.md") is not None
    assert not (tmp_path / "sprung").exists()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("one\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


@POSIX
@pytest.mark.parametrize("key", ["diff.orderFile", "core.attributesFile", "mailmap.file"])
def test_a_setting_that_names_a_file_without_an_end_is_not_read(repository, key, monkeypatch):
    monkeypatch.setattr("urlset.sources.git.repository.MAX_SILENCE_S", 20)
    git(repository, "config", key, "/dev/zero")

    assert git_dates(str(repository)).date_of("a.md") is not None


@pytest.mark.parametrize("length", [1, 70_000, 1_000_000])
def test_a_long_text_of_git_is_one_token(repository, length):
    text = "é" * length
    (repository / "message").write_text(text, encoding="utf-8")
    git(repository, "commit", "--allow-empty", "-qF", "message")

    found = list(stream_git(str(repository), "log", "-1", "--format=%x00%s%x00b%x00"))

    assert found == [b"", text.encode(), b"b", b"\n"]


def test_line_ends_alone_are_no_change(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.md").write_bytes(b"one\ntwo\n")
    (tmp_path / "b.md").write_bytes(b"x\ry\n" * 9)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    (tmp_path / "a.md").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "b.md").write_bytes(b"x\ny\n" * 9)

    found = git_dates(str(tmp_path))

    assert found.date_of("a.md") is not None
    assert found.date_of("b.md") is None


def test_no_other_module_starts_a_process():
    starts = re.compile(r"subprocess|multiprocessing|os\.(?:system|popen|exec|spawn|posix_spawn)")
    found = {
        path.relative_to(ROOT / "src" / "urlset").as_posix()
        for path in SOURCES
        if any(
            starts.search(ast.unparse(node))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute)
        )
    }

    assert found == {"live/visits/page_worker.py", "sources/git/repository.py"}


@pytest.mark.parametrize("name", ["Dockerfile", "action.yml", "examples", "docs", "README.md"])
def test_documents_and_images_start_python_without_the_working_directory(name):
    path = ROOT / name
    files = [f for f in path.rglob("*") if f.suffix in (".md", ".py")] if path.is_dir() else [path]
    starts = [
        (file.name, line.strip())
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"-m[\", ]+(?:pip|urlset)\b", line) and not re.match(r"\s*&&|\s*#|RUN", line)
    ]

    assert [start for start in starts if "-P" not in start[1]] == []
    assert starts or name in ("README.md", "docs")


STEPS = re.findall(
    r"shell: bash\n(?:.*\n)*?      env:\n((?: {8}.*\n)+)",
    (ROOT / "action.yml").read_text(encoding="utf-8"),
)


@pytest.mark.parametrize("step", STEPS)
def test_each_step_of_the_action_has_a_safe_path(step):
    assert 'PYTHONSAFEPATH: "1"' in step

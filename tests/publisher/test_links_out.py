"""Nothing is written through a link that leads out of its folder, nor to a name that does."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import urlset
from urlset.cli.app import run
from urlset.errors import StoreError, TargetError, UrlsetError
from urlset.store import Store, write_parquet

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Make a repository with links to files of a home folder, which must not change."""
    home, repository = tmp_path / "home", tmp_path / "repository"
    home.mkdir()
    repository.mkdir()
    (home / ".bashrc").write_text("alias ll='ls -l'\n")
    monkeypatch.chdir(repository)
    Path("urls.txt").write_text("https://example.com/\n")
    Path("public").mkdir()
    yield home
    assert (home / ".bashrc").read_text() == "alias ll='ls -l'\n"
    assert os.listdir(home) == [".bashrc"]


TARGETS = [".bashrc", "new"]
BUILD = ["build", "urls.txt", "--output", "public"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("link", "arguments"),
    [
        ("public/robots.txt", [*BUILD, "--robots", "public/robots.txt"]),
        ("public/sitemap.xml", BUILD),
        ("public/sitemap.css", [*BUILD, "--stylesheet", "sitemap.css"]),
        ("changes.jsonl", [*BUILD, "--changes", "changes.jsonl"]),
        (".urlset/ledger.duckdb", BUILD),
        (".urlset/ledger.duckdb.wal", BUILD),
        ("out.jsonl", ["read", "urls.txt", "--output", "out.jsonl"]),
        ("out.parquet", ["read", "urls.txt", "--output", "out.parquet"]),
        ("out.duckdb", ["read", "urls.txt", "--output", "out.duckdb"]),
        ("out.duckdb.wal", ["read", "urls.txt", "--output", "out.duckdb"]),
        ("report.json", ["check", "urls.txt", "--format", "json", "--output", "report.json"]),
        ("known.json", ["check", "urls.txt", "--write-baseline", "known.json"]),
    ],
)
def test_link_out_of_the_folder_is_not_written_through(link, arguments, target, home, capsys):
    Path(link).parent.mkdir(exist_ok=True)
    Path(link).symlink_to(home / target)

    # A style sheet that is there already is the owner's, and not written.
    is_kept = link == "public/sitemap.css" and target == ".bashrc"
    assert run(arguments) == (0 if is_kept else 2)

    words = capsys.readouterr().err
    assert is_kept or "leads out of its folder" in words or "another kind of file" in words
    assert Path(link).is_symlink()
    assert not list(Path("public").glob("sitemap*.xml")) or "robots" not in link


@pytest.mark.parametrize("name", ["config", "new"])
@pytest.mark.parametrize("target", [".git", ".GIT", "module/.git"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "urls.txt", "--output", ".", "--ledger", "../ledger.duckdb"],
        [*BUILD, "--robots", "sitemap.xml"],
        ["read", "urls.txt", "--output", "sitemap.xml", "--format", "txt"],
        ["check", "sitemap.xml", "--fix"],
    ],
)
def test_link_into_the_folder_of_git_is_not_written_through(arguments, target, name, capsys):
    Path(target).mkdir(parents=True)
    Path(target, "config").write_text("[core]\n")
    Path("sitemap.xml").symlink_to(Path(target, name))

    assert run(arguments) == 2

    assert "leads out of its folder" in capsys.readouterr().err
    assert Path("sitemap.xml").is_symlink()
    assert Path(target, "config").read_text() == "[core]\n"
    assert os.listdir(target) == ["config"]


def test_folder_of_the_ledger_is_no_link_out_of_the_repository(home, capsys):
    Path(".urlset").symlink_to(home)

    assert run(BUILD) == 2
    assert "leads out of its folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".robots.txt.new", ".changes.jsonl.new"])
def test_names_of_temporary_files_cannot_be_guessed(name, home):
    for folder in (".", "public"):
        Path(folder, name).symlink_to(home / ".bashrc")

    more = ["--robots", "public/robots.txt", "--changes", "changes.jsonl"]
    assert run([*BUILD, *more]) == 0
    assert "Sitemap:" in Path("public/robots.txt").read_text()
    assert Path("changes.jsonl").read_text().startswith('{"change": "added"')


def test_library_writes_through_no_link_either(home):
    Path("a.parquet").symlink_to(home / ".bashrc")
    Path("a.duckdb").symlink_to(home / "new")
    Path("public/sitemap.xml").symlink_to(home / ".bashrc")
    entries = urlset.read("urls.txt")

    with pytest.raises(TargetError, match="leads out of its folder"):
        write_parquet(entries, "a.parquet")
    with pytest.raises(StoreError, match="leads out of its folder"):
        Store.open("a.duckdb")
    with pytest.raises(TargetError, match="leads out of its folder"):
        urlset.write(entries, "public", base_url="https://example.com/")


def test_links_within_the_folder_and_to_the_folder_are_followed():
    Path("site").symlink_to("public")
    Path("public/real.txt").write_text("User-agent: *\nDisallow: /x\n")
    Path("public/robots.txt").symlink_to("real.txt")

    assert run(["build", "urls.txt", "--output", "site", "--robots", "site/robots.txt"]) == 0
    assert "Sitemap: https://example.com/sitemap.xml" in Path("public/real.txt").read_text()
    assert Path("public/robots.txt").is_symlink()


NAMES = ["../x", "..", ".", "a/b", "/etc/x", "..\\x", "a\0b", "", "-", "é", "con", "x" * 300]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_section_of_a_column_does_not_lead_out(name, tmp_path):
    before = set(tmp_path.rglob("*"))
    locs = {"https://example.com/": name, "https://example.com/b": "b"}
    rows = [{"loc": loc, "kind": kind} for loc, kind in locs.items()]

    with suppress(UrlsetError, ValueError):
        urlset.build(rows, "public", base_url="https://example.com/", sections="column:kind")

    new = set(tmp_path.rglob("*")) - before
    public, memory = tmp_path / "repository" / "public", tmp_path / "repository" / ".urlset"
    assert all(path.parent == public or memory in (path, path.parent) for path in new)


@pytest.mark.parametrize("option", ["--name", "--name-pattern", "--stylesheet"])
@pytest.mark.parametrize("value", ["../x-{name}-{section}-{number}", "/tmp/x{number}", "a/b", ".."])
def test_names_of_files_do_not_lead_out(option, value, tmp_path):
    value = value if option == "--name-pattern" else value.partition("{")[0]
    before = set(tmp_path.rglob("*"))

    code = run([*BUILD, "--section", "path:1", option, value])

    new = set(tmp_path.rglob("*")) - before
    public, memory = tmp_path / "repository" / "public", tmp_path / "repository" / ".urlset"
    assert all(path.parent == public or memory in (path, path.parent) for path in new)
    assert code == 2 or option == "--stylesheet"  # of which any URL may be named


# ── the folder of the ledger ──


def test_folder_of_the_ledger_is_kept_out_of_version_control():
    assert run(BUILD) == 0
    assert Path(".urlset/.gitignore").read_text() == "*\n"

    Path(".urlset/.gitignore").unlink()  # who wants it there has it there
    assert run(BUILD) == 0
    assert not Path(".urlset/.gitignore").exists()


def test_other_folder_of_a_ledger_is_left_alone():
    assert run([*BUILD, "--ledger", "memory/ledger.duckdb"]) == 0
    assert os.listdir("memory") == ["ledger.duckdb"]


def test_version_of_the_package():
    from importlib.metadata import version

    assert urlset.__version__ == version("urlset")

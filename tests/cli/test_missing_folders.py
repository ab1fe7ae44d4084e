"""Outputs in a folder that does not exist, or that is a file; a working directory that is gone."""

import errno
import os
import subprocess
import sys

import pytest

import urlset as library
from tests.site_box import SiteBox
from urlset.cli import main
from urlset.cli.app import COMMANDS

PAGE = "https://example.com/a\n"
OUTPUTS = [
    "read list.txt -o {0}/x.csv",
    "read list.txt -o {0}/x.jsonl",
    "read list.txt -o {0}/x.parquet",
    "read list.txt -o {0}/x.duckdb",
    "build SITE -o out --ledger l.duckdb --changes {0}/x.jsonl",
    "build SITE -o out --ledger l.duckdb --excluded {0}/x.csv",
    "build SITE --base-url SITE -o out --ledger l.duckdb --robots {0}/robots.txt",
    "check list.txt -o {0}/x.txt",
    "check list.txt --report {0}/x.html",
    "check list.txt --write-baseline {0}/x.json",
    "crawl SITE --store {0}/x.duckdb",
    "crawl SITE --store s.duckdb --report {0}/x.html",
    "audit SITE -o {0}/x.txt",
    "audit SITE --store {0}/x.duckdb",
    "audit SITE --report {0}/x.html",
    "audit SITE --write-baseline {0}/x.json",
    "diff list.txt list.txt -o {0}/x.txt",
    "diff list.txt list.txt --report {0}/x.html",
    "watch SITE --store {0}/x.duckdb",
    "watch SITE --store s.duckdb --report {0}/x.html",
    "sync SITE --store {0}/x.duckdb",
    "sync SITE --store s.duckdb -o {0}/x.jsonl",
    "submit --new-key {0}",
]


@pytest.mark.parametrize(
    ("folder", "reason"), [("none", "does not exist; create it"), ("list.txt", "is a file;")]
)
@pytest.mark.parametrize("command", OUTPUTS)
def test_a_folder_that_is_no_folder(command, folder, reason, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text(PAGE)
    with SiteBox() as box:
        words = command.format(folder).replace("SITE", box.site).split()

        code = main(words)

        assert box.hits == []
    error = capsys.readouterr().err
    assert code == 2
    assert f"its folder {folder!r} {reason}" in error
    assert "Traceback" not in error
    assert [path.name for path in tmp_path.iterdir()] == ["list.txt"]


def test_folder_of_a_build_below_a_file_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text(PAGE)

    code = main("build list.txt -o list.txt/out --base-url https://example.com/".split())

    assert code == 2
    assert capsys.readouterr().err == (
        "urlset: cannot create list.txt/out: a folder above it is a file; name another folder; "
        "what was published before is unchanged\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such permissions")
@pytest.mark.parametrize(
    ("place", "words", "message"),
    [
        (
            "maps",
            "--ledger l.duckdb",
            "cannot lock maps: Permission denied; change the permissions, or name another folder; "
            "what was published before is unchanged",
        ),
        (
            ".urlset",
            "",
            "cannot write '.urlset/ledger.duckdb': its folder cannot be created: Permission "
            "denied; change the permissions, or name another file",
        ),
    ],
)
def test_a_build_without_permission_says_what_to_do(
    place, words, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text(PAGE)
    (tmp_path / "maps").mkdir()

    def refuse(call):
        def refused(path, *args, **options):
            if place in os.fspath(path).split(os.sep):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return call(path, *args, **options)

        return refused

    for name in ("open", "mkdir"):  # root has every permission
        monkeypatch.setattr(os, name, refuse(getattr(os, name)))
    code = main(f"build list.txt -o maps --base-url https://example.com/ {words}".split())

    assert (code, capsys.readouterr().err) == (2, f"urlset: {message}\n")


def test_python_names_the_folder_too(tmp_path):
    with (
        library.sync("https://example.com/", tmp_path / "s.duckdb") as run,
        pytest.raises(library.TargetError, match="none' does not exist; create it"),
    ):
        run.to_jsonl(tmp_path / "none" / "x.jsonl")
    with pytest.raises(library.TargetError, match="none' does not exist; create it"):
        library.Baseline().write(tmp_path / "none" / "b.json")


@pytest.mark.parametrize("value", ["site", "store", "quiet"])
def test_a_value_may_be_the_name_of_an_argument(value, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / value).mkdir()

    assert main(["sync", "https://example.com/", "--store", "s.duckdb", "-o", value]) == 2
    assert f"cannot write '{value}': it is a folder" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove a working directory")
@pytest.mark.parametrize("command", [*COMMANDS])
def test_a_removed_working_directory_is_named(command, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    code = main([command, "https://example.com/"])

    assert code == 2
    assert capsys.readouterr().err == (
        "urlset: expected a working directory, found one that was removed; change to another (cd)\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove a working directory")
def test_help_needs_no_working_directory(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    script = f"cd '{folder}' && rmdir '{folder}' && '{sys.executable}' -m urlset help read"

    ran = subprocess.run(script, shell=True, capture_output=True, text=True)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Usage: urlset read")


def test_changes_of_a_build_may_be_in_its_new_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text(PAGE)
    words = "build list.txt -o out --changes out/c.jsonl --excluded out/e.jsonl"

    assert main([*words.split(), "--base-url", "https://example.com/"]) == 0
    assert {path.name for path in (tmp_path / "out").glob("*.jsonl")} == {"c.jsonl", "e.jsonl"}

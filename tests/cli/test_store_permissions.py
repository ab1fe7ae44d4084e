"""Stores, ledgers and records that cannot be opened: a folder, a path below a file, no permission.

The message says what, where, and what to do; it never advises to remove a readable file.
"""

from __future__ import annotations

import os

import pytest

from tests.cli.test_commands import command

STORES = [
    ("crawl", "https://example.com", "--store"),
    ("audit", "https://example.com", "--store"),
    ("watch", "https://example.com", "--store"),
    ("sync", "https://example.com", "--no-text", "--store"),
    ("read", "urls.txt", "--output"),
    ("build", "urls.txt", "--output", "public", "--base-url", "https://example.com", "--ledger"),
    ("submit", "changes.jsonl", "--store"),
]
KEY = "73134416ae45434d98edc086e0bf6740"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    (tmp_path / "urls.txt").write_text("https://example.com/a\n")
    (tmp_path / "changes.jsonl").write_text("")
    (tmp_path / "folder.duckdb").mkdir()
    (tmp_path / "kept.duckdb").write_bytes(b"")
    return command(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize("verb", STORES, ids=lambda verb: verb[0])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder.duckdb", "; name a file in it"),
        (
            os.path.join("urls.txt", "s.duckdb"),
            "its folder 'urls.txt' is a file; name another one",
        ),
    ],
)
def test_a_folder_and_a_path_below_a_file_are_no_store(run, verb, path, message):
    ran = run(*verb, path)

    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert message in ran.err
    assert repr(path) in ran.err
    assert "remove" not in ran.err


@pytest.mark.parametrize("verb", STORES, ids=lambda verb: verb[0])
@pytest.mark.parametrize(("path", "advice"), [("new.duckdb", ", or name"), ("kept.duckdb", "")])
def test_a_store_without_permission_is_named(run, monkeypatch, verb, path, advice):
    access = os.access  # the tests may run as root, who may write anywhere

    def is_allowed(path, mode):
        return access(path, mode) and not (mode & os.W_OK)

    monkeypatch.setattr(os, "access", is_allowed)
    ran = run(*verb, path)

    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert repr(path) in ran.err
    assert f"; check its permissions{advice}" in ran.err
    assert "remove" not in ran.err

"""``urlset submit`` on a night without changes, and with a file that does not exist."""

import pytest

from tests.cli.test_commands import command


@pytest.fixture
def submit(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("URLSET_INDEXNOW_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    run = command(capsys, monkeypatch, tmp_path)
    return lambda *arguments: run("submit", *arguments)


def test_no_changes_need_no_key(submit, tmp_path):
    (tmp_path / "changes.jsonl").write_bytes(b"")

    ran = submit("changes.jsonl")

    assert (ran.code, "0 new changes" in ran.err) == (0, True), ran.err


def test_changes_need_a_key(submit, tmp_path):
    (tmp_path / "changes.jsonl").write_text('{"change": "added", "loc": "https://e.com/a"}\n')

    ran = submit("changes.jsonl")

    assert ran.code == 2
    assert "expected a key of IndexNow" in ran.err


def test_a_missing_file_is_named_before_the_key(submit):
    ran = submit("missing.jsonl")

    assert ran.code == 2
    assert "found nothing at 'missing.jsonl'" in ran.err

"""``urlset submit`` without changes, without a file, and with invalid options."""

import pytest

import urlset
from tests.cli.test_commands import command
from tests.live.submit.fake_engines import KEY


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


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--dry-run"], "2 URLs would be recorded as known"),
        ([], "2 URLs recorded as known"),
    ],
)
def test_a_dry_run_records_nothing_as_known(submit, tmp_path, monkeypatch, options, text):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    ledger = tmp_path / "ledger.duckdb"
    urls = [{"loc": f"https://e.com/{name}"} for name in "ab"]
    urlset.build(urls, tmp_path / "maps", ledger=ledger)

    for _ in range(2 if options else 1):
        ran = submit(str(ledger), "--store", "submit.duckdb", "--no-preflight", *options)

        assert ran.code == 0, ran.err
        assert text in ran.err
        assert ("a run without --dry-run" in ran.err) == bool(options)


def test_a_missing_file_is_named_before_the_key(submit):
    ran = submit("missing.jsonl")

    assert ran.code == 2
    assert "found nothing at 'missing.jsonl'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "bing"], "--to: expected indexnow or google, found 'bing'"),
        (["--to", "google"], "--property: expected a property as Search Console shows it"),
        (["--endpoint", "engine"], "--endpoint: expected a URL as https://"),
        (["--to", "google", "--sitemap", "a.xml"], "--sitemap: expected a URL, found 'a.xml'"),
    ],
)
def test_messages_of_the_command_name_its_options(submit, arguments, message):
    ran = submit("changes.jsonl", *arguments)

    assert (ran.code, message in ran.err) == (2, True), ran.err

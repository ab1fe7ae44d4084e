"""Hostile engines and sites, and secrets: nothing is followed, read without end, or shown."""

import json
import logging

import pytest

from tests.cli.test_commands import command
from tests.live.submit.fake_engines import ENDPOINT, HOST, KEY, SITE, Bench, Reply, Web, added
from tests.live.submit.test_search_console import Google, error
from urlset.cli.command_model import describe_commands
from urlset.http import Request, Secrets, drive_in_thread
from urlset.live.submit.sender import request_text
from urlset.live.visits.drive import RequestWalk

CANARY = "canary-5f3a-secret"


@pytest.fixture
def bench(tmp_path):
    web = Web()
    with web.served() as policy:
        yield Bench(tmp_path, policy, web)


def test_endpoint_that_redirects_to_the_metadata_address_is_not_followed(bench):
    location = "http://169.254.169.254/latest/meta-data/"
    bench.engine.replies = [Reply(307, headers={"Location": location})]

    result = bench.submit(added("/a"), preflight=False)

    assert bench.web.sent_to("169.254.169.254") == []
    assert "redirects are not followed" in result.results[0].error
    assert result.waiting == 1


def test_endless_answer_is_cut(bench):
    bench.engine.replies = [Reply(200, b"x" * 20_000_000)]

    assert bench.submit(added("/a"), preflight=False).sent == 1


def test_message_with_control_characters_is_escaped_on_the_terminal(bench, capsys):
    from urlset.cli.console import print_error

    bench.engine.replies = [Reply.of({"errorCode": "\x1b[2J", "message": "\x1b[31mred\u202e"}, 400)]

    result = bench.submit(added("/a"), preflight=False)
    print_error(result.results[0].error)

    assert result.results[0].error_code == "http-400"
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"errorCode": {"a": 1}, "message": ["x"]}',
        b'{"error": {"errors": "x"}}',
        b"\xff\xfe\x00",
        b"null",
        b'{"message": "' + b"x" * 60_000 + b'"}',
    ],
)
def test_odd_bodies_are_refusals(bench, body):
    bench.engine.replies = [Reply(400, body, {"content-type": "application/json"})]

    result = bench.submit(added("/a"), preflight=False)

    assert result.results[0].error_code == "http-400"
    assert len(result.results[0].error) < 700


def test_changes_of_a_private_host_are_not_requested_with_a_key_for_any_host(bench):
    changes = [{"change": "added", "loc": "http://169.254.169.254/latest/"}]

    result = bench.submit(changes, keys=KEY)

    assert bench.web.sent_to("169.254.169.254") == []
    assert result.has_failures


def test_secrets_are_sent_but_not_shown(bench, caplog):
    caplog.set_level(logging.DEBUG, logger="urlset")
    secrets = Secrets(headers={"Authorization": CANARY}, query={"apikey": CANARY})
    request = Request(ENDPOINT, scope="anywhere", secrets=secrets)

    [response] = drive_in_thread(RequestWalk([request]), bench.policy)

    [sent] = bench.web.log
    assert sent.headers["authorization"] == CANARY
    assert sent.url.endswith(f"?apikey={CANARY}")
    text = request_text(request, bench.policy)
    for shown in (repr(request), repr(response), caplog.text, text):
        assert CANARY not in shown


def test_canary_is_in_no_output(tmp_path, caplog):
    """The secret is in the environment only: not in logs, results, errors, stores or repr."""
    caplog.set_level(logging.DEBUG, logger="urlset")
    bench = Google(tmp_path)
    secret = "ya29-secret-canary"
    replies = [
        error(403, "forbidden", f"refused {secret}"),
        Reply(500, f"<html>{secret}"),
        Reply(302, "", {"Location": f"http://evil.test/?{secret}"}),
    ]
    shown = [repr(bench)]
    for reply in replies:
        bench.console.replies = [reply] * 4
        result = bench.submit(added("/a"), sitemaps=f"{SITE}/sitemap.xml")
        shown += [repr(result), json.dumps(result.to_dict())]
        shown += [repr(bench.submit(added("/b"), sitemaps=f"{SITE}/s2.xml", dry_run=True))]

    for text in (*shown, caplog.text):
        assert secret not in text
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


# ── the command ──


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    for name in ("URLSET_INDEXNOW_KEY", "URLSET_GOOGLE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    return command(capsys, monkeypatch, tmp_path)


def test_new_key_is_a_file_without_a_line_break(run, tmp_path):
    (tmp_path / "public").mkdir()

    ran = run("submit", "--new-key", "public")

    [file] = (tmp_path / "public").iterdir()
    assert ran.code == 0
    assert ran.out == f"public/{file.name}\n"
    assert file.read_bytes().decode() == file.stem
    assert len(file.stem) == 32
    assert file.stem in ran.err


def test_without_a_key_the_command_says_how_to_create_one(run, tmp_path):
    (tmp_path / "changes.jsonl").write_text('{"change": "added", "loc": "https://example.com/a"}\n')
    ran = run("submit", "changes.jsonl")

    assert ran.code == 2
    assert "urlset submit --new-key" in ran.err


def test_wrong_key_is_not_shown(run, monkeypatch):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", f"{CANARY}!")

    ran = run("submit", "changes.jsonl")

    assert (ran.code, CANARY in ran.err) == (2, False)
    assert "8 to 128 letters" in ran.err


def test_missing_file_of_changes(run, monkeypatch):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)

    ran = run("submit", "changes.jsonl")

    assert ran.code == 2
    assert "found nothing at 'changes.jsonl'" in ran.err


def test_the_login_in_a_url_is_not_shown(run, monkeypatch):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)

    ran = run("submit", f"http://me:{CANARY}@127.0.0.1:1/")

    assert (ran.code, CANARY in ran.err) == (2, False)
    assert "found nothing at 'http://127.0.0.1:1/'" in ran.err


def test_empty_file_of_changes_is_a_success(run, monkeypatch, tmp_path):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    (tmp_path / "changes.jsonl").touch()

    ran = run("submit", "changes.jsonl")

    assert (ran.code, ran.out) == (0, "")
    assert "0 new changes" in ran.err


def test_empty_store_is_not_an_empty_list_of_changes(run, monkeypatch, tmp_path):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    (tmp_path / "site.duckdb").touch()

    ran = run("submit", "site.duckdb")

    assert ran.code == 2
    assert "expected a ledger or a store, found an empty file: 'site.duckdb'" in ran.err


def test_dry_run_prints_the_request(run, monkeypatch, tmp_path):
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    (tmp_path / "changes.jsonl").write_text(json.dumps(added("/a")[0]))

    ran = run("submit", "changes.jsonl", "--dry-run")

    assert ran.code == 0
    assert ran.out.startswith("POST /indexnow HTTP/1.1\nHost: api.indexnow.org\n")
    assert ran.out.endswith(f'{{"host":"{HOST}","key":"{KEY}","urlList":["{SITE}/a"]}}\n')
    assert not (tmp_path / ".urlset").exists()


def test_no_option_takes_a_token():
    """A command line is visible to other users: options for secrets take files."""
    words = ("key", "token", "secret", "password", "credential", "auth", "webhook-url")
    found = {
        (command.name, name): option.value
        for command in describe_commands()
        for option in command.options
        for name in option.names
        if any(word in name for word in words) and option.value
    }

    assert ("submit", "--google-credentials") in found
    public = {("audit", "--indexnow-key")}  # each visitor of the site can read it
    assert {
        key for key, value in found.items() if value not in ("FILE", "PATH", "FOLDER")
    } <= public

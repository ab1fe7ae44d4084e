"""Options that have no effect without another one are refused, with the name of that one."""

import pytest

import urlset
from tests.cli.test_commands import command
from urlset.cli.options import _NEEDS
from urlset.option_names import flags_in_messages, option


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    for name in ("URLSET_WEBHOOK", "URLSET_INDEXNOW_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "a.txt").write_text("https://example.com/a\n")
    (tmp_path / "token").write_text("x")
    (tmp_path / "a.warc").write_bytes(b"WARC/1.0\r\n")
    urlset.read(b"https://example.com/a").to_duckdb(tmp_path / "a.duckdb")
    (tmp_path / "urlset.toml").write_text("")
    return command(capsys, monkeypatch, tmp_path)


CASES = [
    ("build a.txt --output maps --cache-control no-store", "--cache-control: expected a bucket"),
    ("check http://[::1] --base-url https://e.com/", "--base-url: expected a file or a folder"),
    ("check a.txt --diff --output a", "--output: expected no --diff"),
    ("check a.txt --diff --report r.html", "--report: expected no --diff"),
    ("check a.txt --diff --statistics", "--statistics: expected no --diff"),
    ("check a.txt --diff --write-baseline b.json", "--write-baseline: expected no --diff"),
    *(
        (
            f"crawl http://[::1] --store s.duckdb --why u {flag} {value}",
            f"{name}: expected no --why",
        )
        for flag, value, name in [
            ("--scope", "folder", "--scope"),
            ("--include", "x", "--include"),
            ("--exclude", "x", "--exclude"),
            ("--max-pages", "3", "--max-pages"),
            ("--max-minutes", "3", "--max-minutes"),
            ("--no-sitemaps", "", "--sitemaps"),
            ("--no-links", "", "--links"),
            ("--confirm-after", "3", "--confirm-after"),
            ("--report", "r.html", "--report"),
        ]
    ),
    ("crawl http://[::1] --store s.duckdb --no-links --max-depth 3", "--max-depth: expected no --"),
    ("diff a.duckdb http://[::1] --base-url https://e.com/", "--base-url: expected a file or a f"),
    ("read a.duckdb --base-url https://e.com/", "--base-url: expected a file or a folder"),
    ("check a.duckdb a.warc --base-url https://e.com/", "--base-url: expected a file or a folder"),
    ("diff a.txt a.txt --format json --max-examples 3", "--max-examples: expected --format text"),
    ("read http://[::1] --base-url https://e.com/", "--base-url: expected a file or a folder"),
    ("read a.txt --sql-timeout 3", "--sql-timeout: expected --sql QUERY, too"),
    ("diff a.txt a.txt --max-requests 3", "--max-requests: expected --live, too"),
    ("diff a.txt a.txt --no-moves --min-confidence 0.5", "--min-confidence: expected no --no-mov"),
    ("audit a.txt --seed 3", "--seed: expected --sample N, too"),
    ("read a.txt --no-follow --max-documents 3", "--max-documents: expected no --no-follow"),
    ("read a.txt --no-follow --follow-only x", "--follow-only: expected no --no-follow"),
    ("watch http://[::1] --store s.duckdb --webhook-format json", "--webhook-format: expected --w"),
    ("submit a.txt --property https://e.com/", "--property: expected --to google, too"),
    ("submit a.txt --sitemap https://e.com/s.xml", "--sitemap: expected --to google, too"),
    ("submit a.txt --resubmit", "--resubmit: expected --to google, too"),
    ("submit a.txt --status", "--status: expected --to google, too"),
    ("submit a.txt --inspect 3", "--inspect: expected --to google, too"),
    ("submit a.txt --inspect-store s.duckdb", "--inspect-store: expected --inspect N, too"),
    ("submit a.txt --google-credentials token", "--google-credentials: expected --to google, too"),
    ("submit a.txt --to google --keys token", "--keys: expected --to indexnow, too"),
    ("submit a.txt --to google --endpoint https://e.com/", "--endpoint: expected --to indexnow"),
    ("submit a.txt --to google --all", "--all: expected --to indexnow, too"),
    ("submit a.txt --to google --no-preflight", "--preflight: expected --to indexnow, too"),
    ("submit a.txt --no-preflight --preflight-pages 3", "--preflight-pages: expected no --no-pre"),
]


@pytest.mark.parametrize(("words", "message"), CASES)
def test_an_option_without_effect_is_refused(run, words, message):
    ran = run(*words.split())

    assert ran.code == 2
    assert ran.err.startswith(f"urlset: {message}")
    assert ran.err.count("\n") == 1


def test_each_option_that_needs_another_has_a_case():
    with flags_in_messages():
        needed = {(verb, option(name)) for verb, name in _NEEDS}

    assert needed == {(words.split()[0], message.split(":")[0]) for words, message in CASES}


@pytest.mark.parametrize(
    "words",
    [
        "diff a.txt a.txt --min-confidence 0.5",
        "read a.txt --max-documents 3",
        "read a.txt --base-url https://example.com/",
        "read a.duckdb a.txt --base-url https://example.com/",
        "diff a.duckdb a.txt --base-url https://example.com/",
        "diff a.duckdb a.duckdb --live --base-url https://example.com/",
        "read a.txt http://[::1] --limit 1 --base-url https://example.com/",
    ],
)
def test_an_option_with_effect_is_accepted(run, words):
    assert run(*words.split()).code == 0


def test_the_configuration_counts(run, tmp_path):
    (tmp_path / "urlset.toml").write_text("[diff]\nmoves = false\n")

    assert run("diff", "a.txt", "a.txt", "--min-confidence", "0.5").code == 2
    assert run("diff", "a.txt", "a.txt", "--moves", "--min-confidence", "0.5").code == 0

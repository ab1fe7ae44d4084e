"""`urlset read` and `urlset check` of a site: output, requests and exit codes."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests import site_box
from tests.cli.test_commands import command
from tests.cli.test_process import posix
from tests.reader.test_site import small_site
from tests.site_box import SiteBox, index_of
from tests.waits import SOON_S
from urlset.cli import console
from urlset.http import Policy
from urlset.reader import read


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("URLSET_AUTH", raising=False)
    return command(capsys, monkeypatch, tmp_path)


def test_site_is_read_and_what_failed_is_listed(box: SiteBox, urlset):
    small_site(box)

    ran = urlset("read", box.site, "--format", "txt")

    assert ran.code == 1
    assert sorted(ran.out.replace(box.site, "").split()) == [
        "/a.xml/0",
        "/a.xml/1",
        "/a.xml/2",
        "/b.xml/0",
        "/b.xml/1",
    ]
    assert f"urlset: {box.site}/gone.xml: HTTP 404 Not Found\n" in ran.err
    last = ran.err.splitlines()[-1]
    assert re.fullmatch(
        r"5 entries from 3 documents, including 1 index, [\d.]+ \w+ in [\d.]+ s; not complete",
        last,
    ), last


def test_nothing_found_is_a_failure_with_a_reason(box: SiteBox, urlset):
    ran = urlset("read", box.site)

    assert ran.code == 2
    assert "no sitemap found: tried 14 URLs" in ran.err


def test_tree_shows_the_hierarchy_with_counts(box: SiteBox, urlset):
    small_site(box)
    box.put_index("/b.xml", ["/c.xml", "/s.xml"])
    box.put_urlset("/c.xml", 1_200)

    ran = urlset("read", box.site, "--tree", "--concurrency", "1")

    assert ran.code == 1
    size = re.search(r"[\d.]+ KB", ran.out)
    assert size is not None
    assert (
        ran.out
        == f"""{box.site}/robots.txt
└── /s.xml  index · 3 sitemaps · 1,203 entries
    ├── /a.xml  urlset · 3 entries · {len(site_box.urlset_of(box.url("/a.xml"), 3))} bytes
    ├── /gone.xml  failed: HTTP 404 Not Found
    └── /b.xml  index · 2 sitemaps · 1,200 entries
        ├── /s.xml  failed: an index lists itself, or an index above it; not followed again
        └── /c.xml  urlset · 1,200 entries · {size[0]}
"""
    )


def test_tree_of_files(urlset, tmp_path):
    (tmp_path / "s.xml").write_bytes(index_of(["http://e.com/a.txt", "http://e.com/lost.xml"]))
    (tmp_path / "a.txt").write_text("http://e.com/1\n")

    ran = urlset("read", "s.xml", "--tree")

    first, second, third = ran.out.splitlines()
    assert first == "s.xml  index · 2 sitemaps · 1 entry"
    assert second == "├── ./a.txt  text · 1 entry · 15 bytes"
    assert third.startswith("└── http://e.com/lost.xml  failed: listed but missing")


def test_filters_of_the_command(box: SiteBox, urlset):
    small_site(box)
    url = box.url("/a.xml")

    def read(*options: str) -> list[str]:
        out: str = urlset("read", url, "--format", "txt", *options).out
        return out.replace(url, "").split()

    assert read("--include", "[01]$") == ["/0", "/1"]
    assert read("--exclude", "[01]$") == ["/2"]
    assert read("--hosts", f"example.com,127.0.0.1:{box.port}", "--limit", "1") == ["/0"]
    assert read("--hosts", "example.com") == []
    assert read("--scope", "sitemap") == ["/0", "/1", "/2"]


def test_skipped_children_are_reported(box: SiteBox, urlset):
    index = index_of([box.url("/a.xml"), box.url("/b.xml")])
    box.put("/s.xml", index.replace(b"</loc>", b"</loc><lastmod>2020-01-01</lastmod>", 1))
    box.put_urlset("/b.xml")

    ran = urlset("read", box.url("/s.xml"), "--since", "2026-01-01", "--tree")

    assert ran.code == 0
    assert "/a.xml  skipped: not changed since: lastmod in its index is 2020-01-01" in ran.out
    assert "1 document skipped by --since" in ran.err
    ran = urlset("read", box.url("/s.xml"), "--max-documents", "0")
    assert ran.code == 0
    assert "2 documents skipped by --max-documents; not complete" in ran.err
    ran = urlset("read", box.url("/s.xml"), "--max-documents", "0", "-q")
    assert ran.err == "urlset: 2 documents skipped by --max-documents\n"
    ran = urlset("read", box.url("/s.xml"), "--follow-only", "b.xml")
    assert "1 document skipped by --follow-only" in ran.err


def test_disallowed_sitemaps_are_reported(box: SiteBox, urlset):
    small_site(box)
    box.put_robots("User-agent: *", "Disallow: /b", "Sitemap: /s.xml")

    ran = urlset("read", box.site, "--format", "txt")

    assert "robots.txt disallows 1 sitemap that it declares" in ran.err
    assert "/b.xml" in ran.err


def test_headers_and_name_are_sent(box: SiteBox, urlset):
    box.put_urlset("/s.xml")

    urlset("read", box.url("/s.xml"), "--user-agent", "Me/1", "--header", "Accept-Language: de")

    (hit,) = box.hits
    assert (hit.headers["user-agent"], hit.headers["accept-language"]) == ("Me/1", "de")


def test_secrets_come_from_the_environment_or_from_a_file(
    box: SiteBox, urlset, monkeypatch, tmp_path
):
    url = box.put_urlset("/s.xml")
    monkeypatch.setenv("URLSET_AUTH", "me:s3cret")
    (tmp_path / "token").write_text("Bearer t0ken\n")
    (tmp_path / "pair").write_text("\ufeffme:s3cret\n", encoding="utf-8")  # as Notepad writes it

    urlset("read", url)
    urlset("check", url, "--auth-file", "token")
    urlset("check", url, "--auth-file", "pair")

    sent = [hit.headers["authorization"] for hit in box.hits if hit.path == "/s.xml"]
    assert sent == ["Basic bWU6czNjcmV0", "Bearer t0ken", "Basic bWU6czNjcmV0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--header", "nonsense"], "expected a line like"),
        (["--auth-file", "lost"], "--auth-file lost: cannot be read: No such file or directory\n"),
        (["--auth-file", "header"], "--auth-file header: expected `user:password`"),
        (["--auth-file", "pair"], "--auth-file pair: expected a bearer token or a user"),
        (["--header", "Authorization: Basic x"], "--auth-file is for its site alone"),
        (["--hosts", "a b"], "--hosts: expected a host"),
        (["--exclude", "("], "--exclude: expected a regular expression"),
        (["--user-agent", ""], "urlset: --user-agent: expected a name, found an empty text"),
        (["--user-agent", "a\nb: c"], "--user-agent: control character in the name"),
        (["--header", "a: b\x01c"], "--header: control character in the header 'a'"),
    ],
)
def test_misuse_is_reported(box: SiteBox, urlset, tmp_path, options, message):
    (tmp_path / "header").write_text("Authorization: Basic bWU6czNjcmV0")
    (tmp_path / "pair").write_text("Bearer me:s3cret")

    ran = urlset("read", box.site, *options)

    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not box.hits


def test_secret_that_is_none_is_not_shown(box: SiteBox, urlset, monkeypatch):
    monkeypatch.setenv("URLSET_AUTH", "s3cret")

    ran = urlset("read", box.site)

    assert ran.code == 2
    assert "s3cret" not in ran.err


def test_timeout_is_kept(box: SiteBox, urlset):
    url = box.play("/s.xml", site_box.silent)

    began = time.monotonic()
    ran = urlset("read", url, "--timeout", "0.3")

    assert ran.code == 2
    assert time.monotonic() - began < SOON_S


def test_delay_is_kept(box: SiteBox, urlset):
    small_site(box)

    began = time.monotonic()
    urlset("read", box.url("/s.xml"), "--delay", "0.1")

    late = [hit.at - began - 0.1 * number for number, hit in enumerate(box.hits)]
    assert len(late) > 2
    assert min(late) > -0.01, late


def test_check_reports_findings_and_failures(box: SiteBox, urlset):
    small_site(box)
    box.play("/b.xml", site_box.cut(site_box.urlset_of("http://e.com", 50), 1_000))

    ran = urlset("check", box.site)

    assert ran.code == 1
    assert "N001[sitemap-http-error]" in ran.out
    assert "/gone.xml: HTTP 404 Not Found" in ran.out
    assert "N008[sitemap-truncated-transfer]" in ran.out
    assert "X009" in ran.out


def test_build_takes_a_site(box: SiteBox, urlset, tmp_path):
    small_site(box)
    box.put_index("/s.xml", ["/a.xml", "/b.xml"])

    ran = urlset("build", box.site, "--output", "public")

    assert ran.code == 0
    assert (tmp_path / "public" / "sitemap.xml").read_text().count("<loc>") == 5


def test_ctrl_c_ends_at_once_with_what_was_read(box: SiteBox, tmp_path):
    box.put_index("/s.xml", ["/a.xml", "/silent.xml"])
    box.put_urlset("/a.xml", 3)
    box.play("/silent.xml", site_box.silent)
    process = subprocess.Popen(
        [sys.executable, "-m", "urlset", "read", box.url("/s.xml"), "--format", "txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "no_proxy": "*"},
        text=True,
    )
    while "/silent.xml" not in box.paths:
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.3)

    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)

    assert time.monotonic() - began < SOON_S  # with the end of Python itself
    assert process.returncode == 130
    assert out.split() == [box.url(f"/a.xml/{n}") for n in range(3)]
    assert "Interrupted: 3 entries" in err


def test_cache_of_the_command(box: SiteBox, urlset):
    url = box.put("/s.xml", site_box.urlset_of("http://e.com", 3), etag='"1"')

    urlset("read", url, "--cache", "kept")
    box.put("/s.xml", b"", 304)
    ran = urlset("read", url, "--cache", "kept", "--format", "txt")

    assert ran.code == 0
    assert ran.out.split() == [f"http://e.com/{n}" for n in range(3)]
    assert "0 bytes in" in ran.err


@posix
def test_terminal_shows_live_progress(box: SiteBox):
    small_site(box)
    box.play("/b.xml", site_box.slow(0.6, site_box.page(site_box.urlset_of("http://e.com", 5))))
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "urlset", "read", box.site, "--format", "txt"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "no_proxy": "*", "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    process.communicate(timeout=30)
    shown = b""
    with contextlib.suppress(OSError):  # on Linux the end of a terminal is an error
        while piece := os.read(ours, 65_536):
            shown += piece
    os.close(ours)

    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).decode()
    assert process.returncode == 1
    assert re.search(r"3 of 4 documents, 3 entries, \d+ bytes, [\d.]+ \w+/s", text), text
    assert f"failed: {box.site}/gone.xml: HTTP 404" in text


def test_command_without_order(box: SiteBox, urlset):
    box.put_index("/s.xml", ["/slow.xml", "/quick.xml"])
    box.play("/slow.xml", site_box.slow(0.5, site_box.page(site_box.urlset_of("http://slow", 1))))
    box.put("/quick.xml", site_box.urlset_of("http://quick", 1))

    ordered = urlset("read", box.url("/s.xml"), "--format", "txt")
    unordered = urlset("read", box.url("/s.xml"), "--format", "txt", "--unordered")

    assert ordered.out.split() == ["http://slow/0", "http://quick/0"]
    assert unordered.out.split() == ["http://quick/0", "http://slow/0"]


@pytest.mark.parametrize("option", ["-q", "--quiet"])
@pytest.mark.parametrize("form", ["txt", "parquet", "duckdb"])
def test_quiet_prints_errors_and_data_alone(box: SiteBox, urlset, tmp_path, option, form):
    box.put_robots("Sitemap: /s.xml", "User-agent: *", "Disallow: /s.xml")
    box.put_index("/s.xml", ["/a.xml", "/gone.xml"])
    box.put("/a.xml", site_box.urlset_of("http://e.com", 2))

    run = urlset("read", box.site, option, "--output", tmp_path / f"urls.{form}")

    assert run.err == f"urlset: {box.url('/gone.xml')}: HTTP 404 Not Found\n"
    assert (run.out, run.code) == ("", 1)
    assert len(list(read(tmp_path / f"urls.{form}"))) == 2


def test_progress_in_a_log_says_something_new_or_nothing(monkeypatch, capsys):
    monkeypatch.setattr(console, "LOG_INTERVAL_S", 0.0)
    monkeypatch.setattr(console.Progress, "_run", lambda _: None)

    with console.Progress() as progress:
        for text in ("one", "one", "one", "two", "one"):
            progress.update(text)
            progress._next_update = 0.0

    assert capsys.readouterr().err.split() == ["one", "two", "one"]


@pytest.mark.parametrize("words", [[], ["--output", "site.duckdb"]])
def test_hosts_without_a_match_name_the_hosts_that_were_found(box: SiteBox, urlset, words):
    url = box.put_urlset("/s.xml", 2)
    host = box.site.split("/")[2]

    ran = urlset("read", url, "--hosts", "127.0.0.1", *words)

    assert ran.code == 0
    assert f"--hosts 127.0.0.1: no URL has such a host; found {host}\n" in ran.err
    assert "no URL has" not in urlset("read", url, "--hosts", host).err
    assert "no URL has" not in urlset("read", url, "--hosts", host, "--include", "x$").err
    assert "no URL has" not in urlset("read", url, "--include", "x$").err


def test_three_hosts_are_named(urlset, tmp_path):
    (tmp_path / "urls.txt").write_text("".join(f"https://e{n}.com/\n" for n in range(5)))

    ran = urlset("read", "urls.txt", "--hosts", "example.com")

    assert "found e0.com, e1.com, e2.com, …\n" in ran.err


@pytest.mark.parametrize("verb", ["read", "crawl", "audit", "watch", "sync"])
def test_a_site_without_a_scheme_is_named_with_one(urlset, verb):
    store = [] if verb in ("read", "audit") else ["--store", "s.duckdb"]

    ran = urlset(verb, "127.0.0.1:8917", *store)

    assert ran.code == 2
    assert ran.err.endswith("write http://127.0.0.1:8917\n")


def test_a_policy_refuses_an_empty_user_agent():
    with pytest.raises(ValueError, match="user_agent: expected a name, found an empty text"):
        Policy(user_agent=" ")

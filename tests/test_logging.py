"""Logging through the standard library: the library is silent, ``-v`` and ``-vv`` print records."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests import site_box
from tests.http_walks import RequestList, quick
from tests.live_sites import put_site
from tests.site_box import SiteBox
from urlset.cli.app import run
from urlset.http import Request, drive_in_thread

PAGES = "https://example.com/a\nhttps://example.com/b\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.txt").write_text(PAGES)


def build(*options: str) -> int:
    return run(["build", "pages.txt", "-o", "out", "--base-url", "https://example.com/", *options])


def test_library_prints_no_records_by_default():
    code = "import urlset; list(urlset.read(b'https://example.com/'))"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert (ran.stdout, ran.stderr) == ("", "")


def test_read_logs_documents_at_debug(caplog):
    with caplog.at_level(logging.DEBUG, "urlset"):
        list(urlset.read("pages.txt"))

    assert ("urlset.read", logging.DEBUG, "pages.txt: text, 2 entries") in caplog.record_tuples


def test_build_logs_its_stages_at_info(caplog):
    with caplog.at_level(logging.INFO, "urlset"):
        urlset.build("pages.txt", "out", base_url="https://example.com/")

    stages = [r.getMessage().split(":")[0] for r in caplog.records if r.name == "urlset.build"]
    assert stages == [
        "sources read",
        "rows resolved and checked",
        "rows assigned to files",
        "files written",
        "published",
    ]


def test_http_logs_requests_and_retries(box: SiteBox, caplog):
    url = box.play("/a.xml", site_box.in_turn(site_box.cut(b"x" * 9, 3), site_box.page(b"whole")))

    with caplog.at_level(logging.DEBUG, "urlset.http"):
        list(drive_in_thread(RequestList(Request(url, scope="anywhere")), quick(retries=1)))

    found = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert [level for level, _ in found] == ["DEBUG", "INFO", "DEBUG"]
    assert found[1][1].startswith(f"{url} failed (")
    assert ", attempt 1; retry in " in found[1][1]
    assert found[2][1].startswith(f"GET {url}: 200, 5 bytes in ")


@pytest.mark.parametrize("status", [200, 403, 404])
def test_http_logs_the_status(box: SiteBox, caplog, status: int):
    url = box.put("/a.xml", "something", status)

    with caplog.at_level(logging.DEBUG, "urlset.http"):
        list(drive_in_thread(RequestList(Request(url, scope="anywhere")), quick()))

    assert caplog.records[0].getMessage().startswith(f"GET {url}: {status}, 9 bytes in ")


def test_read_logs_no_kind_of_what_could_not_be_read(box: SiteBox, caplog):
    with caplog.at_level(logging.DEBUG, "urlset.read"), pytest.raises(urlset.SourceError):
        list(urlset.read(box.site, policy=quick()))

    assert caplog.records[-1].getMessage().startswith(f"{box.site}/: no sitemap found: ")


VISITS = {
    "crawl": ("sitemaps read", "2 pages visited", "links and depths computed"),
    "audit": (
        "sitemaps read",
        "listed pages visited",
        "failed pages visited again",
        "redirects to failed pages restored",
        "targets visited",
        "error pages searched",
        "probes sent",
        "3 requests sent",
        "visits judged",
    ),
    "watch": ("sitemaps read", "snapshot 1 judged"),
    "sync": ("2 pages to request", "2 pages requested"),
}


@pytest.mark.parametrize("verb", VISITS)
def test_live_verbs_log_stages_at_info_and_pages_at_debug(
    verb: str, box: SiteBox, caplog, tmp_path: Path
):
    put_site(box, {"/": ["/tea"], "/tea": []})
    options: dict[str, Any] = {"store": tmp_path / "s.duckdb", "policy": quick()}
    if verb == "audit":
        options |= {"llms_txt": False, "confirm_after_s": 0.0}

    with caplog.at_level(logging.DEBUG, f"urlset.{verb}"):
        result = getattr(urlset, verb)(box.site, **options)
        if verb == "sync":
            for batch in result:
                batch.commit()
        if verb != "watch":
            result.close()

    found = [record for record in caplog.records if record.name == f"urlset.{verb}"]
    stages = [r.getMessage().rpartition(": ")[0] for r in found if r.levelno == logging.INFO]
    others = {r.getMessage() for r in found if r.levelno == logging.DEBUG}
    assert tuple(stages) == VISITS[verb]
    expected = {
        "crawl": {f"{box.site}/: ok", f"{box.site}/tea: ok"},
        "audit": {f"{box.site}/: ok", f"{box.site}/tea: ok"},
        "watch": {f"{box.url('/sitemap.xml')}: read"},
        "sync": {f"{box.site}/: added", f"{box.site}/tea: added"},
    }
    assert others >= expected[verb]


@pytest.mark.parametrize(
    ("option", "has_stages", "has_documents"),
    [("-q", False, False), ("-v", True, False), ("-vv", True, True), ("--verbose", True, False)],
)
def test_verbose_prints_records(option, has_stages, has_documents, capsys):
    assert build(option) == 0
    built = capsys.readouterr()
    assert run(["read", "pages.txt", option, "--format", "txt"]) == 0
    read = capsys.readouterr()

    assert ("urlset.build: files written: " in built.err) is has_stages
    assert ("urlset.read: pages.txt: text, 2 entries" in read.err) is has_documents
    assert (built.out, read.out) == ("out/sitemap.xml\n" if option != "-q" else "", PAGES)


def test_verbose_ends_with_the_command(capsys):
    build("-v")
    capsys.readouterr()

    logging.getLogger("urlset.build").info("after the command")

    assert capsys.readouterr().err == ""
    logger = logging.getLogger("urlset")
    assert (logger.level, [type(h) for h in logger.handlers]) == (0, [logging.NullHandler])


@pytest.mark.parametrize("command", ["read", "build", "check", "rules"])
def test_every_command_has_quiet_and_verbose(command, capsys):
    assert run([command, "--help"]) == 0

    text = capsys.readouterr().out
    assert "-q, --quiet" in text
    assert "-v, --verbose" in text

"""Documents that cannot be read are findings in every report, over HTTP and on disk."""

import gzip
import json
from pathlib import Path

import pytest
from lxml import etree

from tests import site_box
from tests.cli.test_commands import command
from tests.reporter.report_schemas import JUNIT, SARIF
from tests.site_box import SiteBox
from urlset.checker import check
from urlset.errors import SourceError
from urlset.reader.files import load_file

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
DATE = "<lastmod>2026-01-05T08:00:00Z</lastmod>"


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    return command(capsys, monkeypatch, tmp_path)


def index_of(*locs: str) -> bytes:
    children = "".join(f"<sitemap><loc>{loc}</loc>{DATE}</sitemap>\n" for loc in locs)
    return f"{DECLARATION}<sitemapindex {NS}>\n{children}</sitemapindex>\n".encode()


def urlset_of(*locs: str) -> bytes:
    entries = "".join(f"<url><loc>{loc}</loc>{DATE}</url>\n" for loc in locs)
    return f"{DECLARATION}<urlset {NS}>\n{entries}</urlset>\n".encode()


def errors(ran) -> list[tuple[str, str | None, int | None]]:
    rows = json.loads(ran.out)["findings"]
    return [(row["code"], row["source"], row["line"]) for row in rows if row["level"] == "error"]


FORMATS = {
    "text": lambda out: out.count(" N001[sitemap-http-error] "),
    "json": lambda out: sum(row["code"] == "N001" for row in json.loads(out)["findings"]),
    "github": lambda out: out.count("title=N001 sitemap-http-error"),
    "sarif": lambda out: sum(
        result["ruleId"] == "N001" for result in json.loads(out)["runs"][0]["results"]
    ),
    "junit": lambda out: len(
        etree.fromstring(out.encode()).xpath("//testcase[starts-with(@name, 'N001 ')]/error")
    ),
}


@pytest.mark.parametrize("format", FORMATS)
def test_child_that_answers_404_is_in_every_report(format: str, box: SiteBox, urlset):
    box.put_robots(f"Sitemap: {box.url('/index.xml')}")
    box.put("/index.xml", index_of(box.url("/a.xml"), box.url("/gone.xml")))
    box.put("/a.xml", urlset_of(box.url("/")))

    ran = urlset("check", box.url("/index.xml"), "--format", format)

    assert FORMATS[format](ran.out) == 1
    assert "HTTP 404 Not Found" in ran.out
    assert ran.code == 1


def test_child_that_fails_is_reported_where_the_index_lists_it(box: SiteBox, urlset):
    box.put_robots(f"Sitemap: {box.url('/index.xml')}")
    box.put("/index.xml", index_of(box.url("/a.xml"), box.url("/gone.xml")))
    box.put("/a.xml", urlset_of(box.url("/")))

    ran = urlset("check", box.url("/index.xml"), "--format", "json")

    assert errors(ran) == [("N001", box.url("/index.xml"), 4)]


@pytest.mark.parametrize(
    ("player", "code"),
    [
        (site_box.page(b"", 410), "N001"),
        (site_box.page(b"oops", 500), "N001"),
        (site_box.page(b"", 401), "N012"),
        (site_box.page(b"", 403), "N012"),
        (site_box.silent, "N003"),
        (site_box.reset, "N003"),
        (site_box.redirect("/gone.xml"), "N001"),
        (site_box.redirect("/b.xml"), "N003"),
        (site_box.redirect("/index.xml"), "I502"),
        (site_box.cut(urlset_of(*[f"http://e.com/{n}" for n in range(50)]), 900), "N008"),
        (site_box.page(b""), "X001"),
        (site_box.page("<!doctype html><html></html>"), "X019"),
        (site_box.page(site_box.gz(urlset_of("http://e.com/"))[:40]), "X025"),
    ],
)
def test_child_that_fails_over_http_is_a_finding(player, code: str, box: SiteBox, urlset):
    box.put_robots(f"Sitemap: {box.url('/index.xml')}")
    box.put("/index.xml", index_of(box.url("/a.xml"), box.url("/b.xml")))
    box.put("/a.xml", urlset_of(box.url("/")))
    box.play("/b.xml", player)
    seconds = "1" if player is site_box.silent else "60"

    ran = urlset("check", box.url("/index.xml"), "--format", "json", "--timeout", seconds)

    assert code in [found for found, _, _ in errors(ran)]
    assert ran.code == 1


@pytest.mark.parametrize(
    ("player", "code"),
    [
        (site_box.page(b"", 410), "N001"),
        (site_box.page(b"", 403), "N012"),
        (site_box.reset, "N003"),
        (site_box.redirect("/index.xml"), "I502"),
        (site_box.cut(urlset_of(*[f"http://e.com/{n}" for n in range(50)]), 900), "N008"),
    ],
)
@pytest.mark.slow
def test_failure_is_the_same_finding_from_a_store(player, code: str, box: SiteBox, urlset):
    box.put_robots(f"Sitemap: {box.url('/index.xml')}")
    box.put("/index.xml", index_of(box.url("/a.xml"), box.url("/b.xml")))
    box.put("/a.xml", urlset_of(box.url("/")))
    box.play("/b.xml", player)
    urlset("read", box.url("/index.xml"), "--output", "site.duckdb")

    ran = urlset("check", "site.duckdb", "--format", "json")

    assert code in [found for found, _, _ in errors(ran)]
    assert ran.code == 1


@pytest.mark.parametrize("option", ["--ignore", "--baseline"])
def test_failure_that_is_accepted_gives_exit_code_0(option: str, box: SiteBox, urlset):
    box.put_robots(f"Sitemap: {box.url('/index.xml')}")
    box.put("/index.xml", index_of(box.url("/a.xml"), box.url("/gone.xml")))
    box.put("/a.xml", urlset_of(box.url("/")))
    if option == "--baseline":
        urlset("check", box.url("/index.xml"), "--write-baseline", "known.json")
    value = "known.json" if option == "--baseline" else "sitemap-http-error"

    ran = urlset("check", box.url("/index.xml"), option, value)

    assert ran.code == 0
    assert "No findings" in ran.out
    assert "1 document could not be read" in ran.err


def test_failure_is_selected_whatever_else_is(box: SiteBox, urlset):
    box.put("/index.xml", index_of(box.url("/gone.xml")))

    ran = urlset("check", box.url("/index.xml"), "--format", "json", "--select", "X")

    assert [code for code, _, _ in errors(ran)] == ["N001"]
    assert ran.code == 1


def test_sitemap_that_robots_txt_declares_and_that_fails_is_reported_there(box: SiteBox, urlset):
    box.put_robots("User-agent: *", f"Sitemap: {box.url('/gone.xml')}")
    box.put("/sitemap.xml", urlset_of(box.url("/")))
    box.put_robots(
        "User-agent: *", f"Sitemap: {box.url('/gone.xml')}", f"Sitemap: {box.url('/sitemap.xml')}"
    )

    ran = urlset("check", box.site, "--format", "json")

    assert errors(ran) == [("N001", box.url("/robots.txt"), 2)]


def test_robots_txt_that_fails_is_a_finding(box: SiteBox, urlset):
    box.put("/robots.txt", b"", 503)
    box.put("/a.xml", urlset_of(box.url("/")))

    ran = urlset("check", box.url("/a.xml"), "--format", "json")

    assert errors(ran) == [("R015", box.url("/robots.txt"), None)]
    assert ran.code == 1


def test_sarif_of_a_failed_document_is_not_a_successful_run(box: SiteBox, urlset):
    box.put("/index.xml", index_of(box.url("/gone.xml")))

    log = json.loads(urlset("check", box.url("/index.xml"), "--format", "sarif").out)

    SARIF.validate(log)
    [invocation] = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    [notification] = invocation["toolExecutionNotifications"]
    assert notification["associatedRule"]["id"] == "N001"
    assert "HTTP 404" in notification["message"]["text"]


def test_sarif_of_a_document_with_faults_is_a_successful_run(urlset):
    log = json.loads(urlset("check", "-", "--format", "sarif", stdin=b"<urlset>").out)

    SARIF.validate(log)
    assert log["runs"][0]["results"]
    assert log["runs"][0]["invocations"] == [
        {"executionSuccessful": True, "toolExecutionNotifications": []}
    ]


def test_missing_argument_is_a_finding_in_every_report(urlset):
    Path("a.xml").write_bytes(urlset_of("https://e.com/"))
    sources = ("a.xml", "none.xml")

    found = json.loads(urlset("check", *sources, "--format", "json").out)["findings"]
    junit = etree.fromstring(urlset("check", *sources, "--format", "junit").out.encode())
    log = json.loads(urlset("check", *sources, "--format", "sarif").out)

    [row] = [row for row in found if row["level"] == "error"]
    assert (row["code"], row["source"]) == ("N003", "none.xml")
    assert "found nothing at 'none.xml'" in row["message"]
    JUNIT.assertValid(junit)
    [suite] = junit.findall("testsuite[@name='none.xml']")
    assert suite.get("errors") == "1"
    [skipped] = junit.findall("testsuite[@name='urlset']/testcase[@name='is complete']/skipped")
    assert skipped.get("message").startswith("not complete: expected a")
    assert "none.xml" in skipped.text
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_missing_argument_can_be_ignored_if_another_was_read(urlset):
    Path("a.xml").write_bytes(urlset_of("https://e.com/"))

    ran = urlset("check", "a.xml", "none.xml", "--ignore", "N003")

    assert ran.code == 0
    assert "1 document could not be read; not listed" in ran.err


@pytest.mark.parametrize("options", [(), ("--ignore", "N003")])
def test_nothing_that_could_be_read_gives_exit_code_2(options, urlset):
    assert urlset("check", "none.xml", *options).code == 2


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("empty.xml", b"", "X001"),
        ("page.xml", b"<!doctype html><html></html>", "X019"),
        (
            "cut.xml.gz",
            gzip.compress(urlset_of(*[f"https://e.com/{n}" for n in range(99)]))[:99],
            "X025",
        ),
        ("none.xml", None, "I503"),
        ("about.html", None, "I503"),
        ("table.xml", b"url,title\nhttps://e.com/,Home\nhttps://e.com/a,A\n", "N003"),
    ],
)
def test_child_that_fails_on_a_disk_is_a_finding(
    name: str, data: bytes | None, code: str, tmp_path
):
    (tmp_path / "index.xml").write_bytes(index_of(f"https://e.com/{name}"))
    if data is not None:
        (tmp_path / name).write_bytes(data)

    findings = list(check(tmp_path / "index.xml"))

    assert code in [finding.code for finding in findings if finding.level == "error"]


def test_child_that_may_not_be_read_is_a_finding(tmp_path, monkeypatch):
    (tmp_path / "index.xml").write_bytes(index_of("https://e.com/a.xml"))
    (tmp_path / "a.xml").write_bytes(urlset_of("https://e.com/"))
    refuse_to_open(monkeypatch, "a.xml")

    [finding] = check(tmp_path / "index.xml")

    assert (finding.code, finding.line, finding.loc) == ("N003", 3, "https://e.com/a.xml")
    assert finding.source == str(tmp_path / "index.xml")
    assert "may not" in finding.message


def test_robots_txt_that_may_not_be_read_is_a_finding(tmp_path, monkeypatch):
    (tmp_path / "sitemap.xml").write_bytes(urlset_of("https://e.com/"))
    (tmp_path / "robots.txt").write_bytes(b"Sitemap: https://e.com/sitemap.xml\n")
    refuse_to_open(monkeypatch, "robots.txt")

    [finding] = check(tmp_path, base_url="https://e.com/")

    assert (finding.code, finding.source) == ("R015", "https://e.com/robots.txt")


def refuse_to_open(monkeypatch, name: str) -> None:
    """Refuse a file as the system does without permission, which root always has."""

    def refuse(path: str, max_bytes: int) -> bytes:
        if path.endswith(name):
            raise SourceError(f"expected a file that may be read, found one that may not: {path!r}")
        return load_file(path, max_bytes)

    monkeypatch.setattr("urlset.reader.files.load_file", refuse)


def test_children_that_lead_out_of_the_folder_or_to_one_file_are_findings(tmp_path):
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "index.xml").write_bytes(
        index_of("https://e.com/a/x.xml", "https://e.com/b/x.xml", "https://e.com/out.xml")
    )
    (folder / "x.xml").write_bytes(urlset_of("https://e.com/"))
    (tmp_path / "secret.xml").write_bytes(urlset_of("https://e.com/secret"))
    (folder / "out.xml").symlink_to(tmp_path / "secret.xml")

    findings = check(folder / "index.xml", select=["N"])

    assert [(finding.code, finding.line) for finding in findings] == [("N003", 4), ("N003", 5)]


def test_index_that_leads_back_without_urls_is_a_cycle(tmp_path):
    (tmp_path / "a.xml").write_bytes(index_of("https://e.com/b.xml"))
    (tmp_path / "b.xml").write_bytes(index_of("https://e.com/a.xml"))

    codes = [finding.code for finding in check(tmp_path / "a.xml") if finding.level == "error"]

    assert "I502" in codes


def test_index_that_is_no_file_says_that_its_children_were_not_checked(urlset):
    ran = urlset("check", "-", "--format", "json", stdin=index_of("https://e.com/a.xml"))

    [row] = json.loads(ran.out)["findings"]
    assert (row["code"], row["level"]) == ("N003", "info")
    assert "1 of its sitemaps were not checked" in row["message"]
    assert ran.code == 0


def test_failures_of_a_check_are_counted(tmp_path):
    (tmp_path / "index.xml").write_bytes(index_of("https://e.com/a.xml", "https://e.com/b.xml"))

    findings = check(tmp_path / "index.xml")

    assert findings.by_rule == {"I503": 2}
    assert not findings.ok
    assert [record.failure for record in findings.failed_documents] == ["missing", "missing"]

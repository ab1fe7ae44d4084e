"""`urlset crawl` and `urlset audit` with unusual input: messages and exit codes."""

import json
import os

import pytest

from tests.cli.test_commands import command
from tests.live_sites import put_sitemap, sitemap_of
from tests.site_box import SiteBox, page, redirect

HTML = "text/html; charset=utf-8"


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    return command(capsys, monkeypatch, tmp_path)


@pytest.fixture
def site(box: SiteBox):
    box.put("/", '<a href="/Tea">x</a><a href="/coffee">x</a><a href="/rye">x</a>', kind=HTML)
    for name in ("Tea", "coffee", "rye"):
        box.put(f"/{name}", f"<title>{name}</title><p>{name}", kind=HTML)
    box.put_urlset("/sitemap.xml")
    return box


@pytest.mark.parametrize(
    ("options", "visited"),
    [
        (["--include", "(?i)TEA"], ["/", "/Tea"]),
        (["--include", "(?i)TEA", "--include", "RYE"], ["/", "/Tea"]),
        (["--include", "(?i)TEA", "--include", "(?s)rye"], ["/", "/Tea", "/rye"]),
        (["--exclude", "(?x) t e a  # lower case"], ["/", "/Tea", "/coffee", "/rye"]),
        (["--exclude", "(?i)TEA", "--exclude", "e$"], ["/"]),
    ],
)
def test_patterns_keep_their_flags(site, urlset, options, visited):
    ran = urlset(
        "crawl", site.site, "--store", "site.duckdb", "--no-sitemaps", "--delay", "0", *options
    )

    assert ran.code == 0, ran.err
    pages = {path for path in site.paths if path != "/robots.txt"}
    assert sorted(pages) == visited


@pytest.mark.parametrize("pattern", ["(x", "a{99999999999}", "(" * 3000])
def test_an_invalid_pattern_is_misuse(urlset, pattern):
    ran = urlset("crawl", "http://127.0.0.1:1/", "--store", "site.duckdb", "--exclude", pattern)

    assert ran.code == 2
    assert ran.err.startswith("urlset: --exclude: expected a regular expression, found")

    ran = urlset("audit", "http://127.0.0.1:1/", "--exclude", pattern)

    assert ran.code == 2
    assert "--exclude: expected a regular expression, found" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crawl", "--store", "-"], "--store: expected the path of a store (.duckdb), found -"),
        (
            ["crawl", "--store", "text.txt"],
            "expected a store (a DuckDB file), found another kind of",
        ),
        (
            ["crawl", "--store", "folder"],
            "expected a store, found a folder: 'folder'; name a file in",
        ),
        (["crawl", "--store", "none/a"], "cannot write 'none/a': its folder 'none' does not exist"),
        (
            ["crawl", "--store", "s", "--report", "-"],
            "--report: expected the path of a file, found -; stdout has",
        ),
        (
            ["crawl", "--store", "s", "--report", "folder"],
            "--report: cannot write 'folder': it is a folder; name",
        ),
        (
            ["crawl", "--store", "s", "--why", "x", "--report", "r"],
            "--report: expected no --why, which visits no",
        ),
        (["audit", "--store", "-"], "--store: expected the path of a store (.duckdb), found -"),
        (["audit", "--store", "text.txt"], "expected a store (a DuckDB file), found another kind"),
        (["audit", "--store", "folder"], "expected a store, found a folder: 'folder'; name a file"),
        (["audit", "--report", "-"], "--report: expected the path of a file, found -; stdout has"),
        (["audit", "--report", "folder"], "--report: cannot write 'folder': it is a folder; name"),
        (["audit", "--report", "none/a"], "--report: cannot write 'none/a': its folder 'none' doe"),
        (["audit", "--write-baseline", "folder"], "--write-baseline: cannot write 'folder': it is"),
        (["audit", "--baseline", "none"], "expected a baseline at 'none', found No such file"),
        (["audit", "--output", "folder"], "cannot write 'folder': it is a folder; name a file in"),
        (["audit", "--logs", "none"], "none: cannot be read to its end: No such file or directory"),
        (["check", "--report", "folder"], "--report: cannot write 'folder': it is a folder; name"),
        (["check", "--write-baseline", "-"], "--write-baseline: expected the path of a file"),
        (["watch", "--store", "-"], "--store: expected the path of a store (.duckdb), found -"),
        (
            ["watch", "--store", "s", "--report", "-"],
            "--report: expected the path of a file",
        ),
        (
            ["watch", "--store", "s", "--report", "none/a"],
            "--report: cannot write 'none/a': its fo",
        ),
        (["sync", "--store", "-"], "--store: expected the path of a store (.duckdb), found -"),
        (["submit", "--store", "-"], "--store: expected the path of a store (.duckdb), found -"),
        (["diff", "x", "--report", "-"], "--report: expected the path of a file, found -; stdout"),
        (["diff", "x", "--report", "none/a"], "--report: cannot write 'none/a': its folder 'none'"),
        (
            ["build", "--output", "o", "--ledger", "-"],
            "--ledger: expected the path of a file, foun",
        ),
        (
            ["build", "--output", "o", "--robots", "-"],
            "--robots: expected the path of a file, foun",
        ),
        (
            ["build", "--output", "o", "--changes", "-"],
            "--changes: expected the path of a file, fo",
        ),
        (
            ["build", "--output", "o", "--excluded", "-"],
            "--excluded: expected the path of a file, ",
        ),
    ],
)
def test_a_file_that_cannot_be_written_is_reported_before_the_first_request(
    box, urlset, tmp_path, arguments, message
):
    os.mkdir("folder")
    (tmp_path / "text.txt").write_text("hello")

    ran = urlset(arguments[0], box.site, *arguments[1:])

    assert ran.code == 2
    assert message in ran.err
    assert box.paths == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected a sitemap, found an empty file"),
        (b"\x00\xff\x8f\x01" * 99, "expected a sitemap (XML, text, RSS or Atom), found something"),
        (b"<html><p>x</html>", "expected a sitemap, found an HTML page"),
        (None, "expected a file or a folder, found nothing at 'sitemap.xml'; check the path"),
    ],
)
def test_an_audit_of_a_file_that_is_no_sitemap_is_a_failure(urlset, tmp_path, data, message):
    if data is not None:
        (tmp_path / "sitemap.xml").write_bytes(data)

    ran = urlset("audit", "sitemap.xml")

    assert ran.code == 2
    assert message in ran.err


def test_an_audit_of_a_document_that_is_no_sitemap_is_a_failure(box, urlset):
    box.put("/a.pdf", b"%PDF-1.4", kind="application/pdf")

    ran = urlset("audit", box.url("/a.pdf"), "-q")

    assert ran.code == 2
    assert ran.err.startswith(f"urlset: {box.url('/a.pdf')}: expected a sitemap")


@pytest.mark.parametrize(
    ("words", "code"),
    [(("audit", "--format", "json"), 0), (("sync", "--store", "s.duckdb", "-o", "s.jsonl"), 1)],
    ids=["audit", "sync"],
)
def test_quiet_says_what_is_not_complete(box, urlset, words, code):
    box.put_robots(f"Sitemap: {box.put_urlset('/s.xml', 3)}")
    for number in range(3):
        box.put(f"/s.xml/{number}", f"<title>{number}</title>{number}", kind="text/html")

    ran = urlset(words[0], box.site, *words[1:], "-q", "--max-requests", "2")

    assert "not complete: limit of requests (max-requests)\n" in ran.err
    assert ran.code == code


@pytest.mark.parametrize(
    ("words", "stream"),
    [
        ("read {site} --format txt", "err"),
        ("check {site}", "out"),
        ("check {site} --ignore N,R", "out"),
        ("check {site} --format json", "out"),
        ("crawl {site} --store c.duckdb", "out"),
        ("crawl {site} --store c.duckdb --format json", "out"),
        ("crawl {site} --store c.duckdb --format json -q", "err"),
        ("audit {site}", "out"),
        ("audit {site} --format json", "out"),
        ("audit {site} --format json", "err"),
        ("diff {site} {site}", "out"),
        ("diff {site} {site} --format markdown", "out"),
        ("diff {site} {site} --format jsonl", "err"),
        ("diff {site} {site} --format jsonl -q", "err"),
        ("watch {site} --store w.duckdb", "out"),
        ("sync {site} --store s.duckdb", "err"),
    ],
)
def test_a_sitemap_that_is_missing_makes_each_result_not_complete(site, urlset, words, stream):
    site.put_index("/sitemap.xml", ["/pages.xml", "/none.xml"])
    site.put("/pages.xml", sitemap_of([site.url("/rye")]))

    ran = urlset(*words.format(site=site.site).split())

    said = {"out": ran.out, "err": ran.err}[stream].lower()
    assert "not complete" in said, ran.err
    if "-q" in words:
        assert "/none.xml: http 404" in said


def test_a_crawl_of_a_site_that_does_not_respond_says_so(urlset):
    ran = urlset("crawl", "http://127.0.0.1:1/", "--store", "site.duckdb", "-q")

    assert ran.code == 2
    assert ran.err.startswith("urlset: http://127.0.0.1:1/: no page was visited: robots.txt: ")
    assert "robots: 1 URL not visited, because robots.txt could not be read\n" in ran.out
    assert "robots.txt: robots.txt" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("form", "place"),
    [("text", "/sitemap.xml:3: error"), ("junit", "3: error: "), ("github", "line=3,title=")],
)
def test_an_audit_names_no_column_of_an_entry(site, urlset, form, place):
    put_sitemap(site, ["/Tea", "/gone"])
    words = ["audit", site.url("/sitemap.xml"), "--no-llms-txt", "--select", "N"]

    [finding] = json.loads(urlset(*words, "--format", "json").out)["findings"]
    ran = urlset(*words, "--format", form)
    sarif = json.loads(urlset(*words, "--format", "sarif").out)

    [result] = sarif["runs"][0]["results"]
    assert (finding["line"], finding["column"]) == (3, None)
    assert place in ran.out
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_pages_of_a_private_host_that_was_not_named_state_the_reason(site, urlset):
    with SiteBox() as other:
        other.put("/s.xml", sitemap_of([other.url("/x")]))
        target = other.url("/s.xml").replace("127.0.0.1", "localhost")
        site.play("/sitemap.xml", redirect(target))

        ran = urlset("audit", site.site, "--select", "N116", "--format", "json", "--delay", "0")
        [finding] = json.loads(ran.out)["findings"]

    assert other.paths == ["/s.xml"]
    named = site.site.partition("//")[2].rstrip("/")
    assert finding["message"] == (
        f"{other.url('/x')} could not be judged: {other.url('/robots.txt')} could not be read "
        f"(not requested: its address is private or special, and you named {named}, another port "
        "of its host; a sitemap must not lead to such addresses), so that nothing may be visited"
    )


def test_another_port_of_a_private_host_that_was_named_is_called_so(site, urlset):
    with SiteBox() as other:
        site.put("/sitemap.xml", sitemap_of([other.url("/x")]))

        ran = urlset("audit", site.site, "--select", "N116", "--format", "json", "--delay", "0")
        [finding] = json.loads(ran.out)["findings"]

    assert other.paths == []
    named = site.site.removeprefix("http://")
    assert f"special, and you named {named}, another port of its host;" in finding["message"]


def test_a_crawl_without_one_of_the_sitemaps_fails(site, urlset):
    site.play("/loop.xml", redirect("/loop.xml"))
    site.put_index("/sitemap.xml", ["/pages.xml", "/loop.xml"])
    site.put("/pages.xml", sitemap_of([site.url("/rye")]))
    words = ["crawl", site.site, "--store", "site.duckdb", "--delay", "0"]

    ran = urlset(*words)

    assert ran.code == 1, ran.err
    assert "sitemaps: 1 not read" in ran.out
    assert f"\n  sitemaps: {site.url('/loop.xml')}: " in ran.out
    assert urlset(*words, "--no-sitemaps").code == 0


def test_a_crawl_names_ten_sitemaps_that_it_could_not_read(site, urlset):
    site.put_index("/sitemap.xml", ["/pages.xml", *(f"/{n}.xml" for n in range(12))])
    site.put("/pages.xml", sitemap_of([site.url("/rye")]))
    for n in range(12):
        site.play(f"/{n}.xml", page(b"", 403))

    ran = urlset("crawl", site.site, "--store", "s.duckdb", "--delay", "0", "--format", "json")

    reasons = [one for one in json.loads(ran.out)["incomplete"] if one.startswith("sitemaps: ")]
    assert reasons[0] == "sitemaps: 12 not read, or not completely"
    assert reasons[1].startswith(f"sitemaps: {site.url('/0.xml')}: HTTP 403")
    assert len(reasons) == 12
    assert reasons[-1] == "sitemaps: … and 2 more, in the table documents"


@pytest.mark.parametrize(("options", "code"), [(["--include", "/typo/"], 1), ([], 0)])
def test_an_audit_of_no_listed_url_fails(site, urlset, options, code):
    site.put_urlset("/sitemap.xml", 1)
    ran = urlset("audit", site.url("/sitemap.xml"), "--no-llms-txt", "--ignore", "N", *options)

    assert ran.code == code, ran.err
    text = "No listed URL is selected by --include and --exclude."
    assert (text in ran.out) == bool(options)


@pytest.mark.parametrize("words", [["audit", "--no-llms-txt"], ["sync", "--store", "s.duckdb"]])
def test_ignored_robots_is_noted_with_disallowed_pages_are_not_visited(site, urlset, words):
    put_sitemap(site, ["/Tea"])
    words = [words[0], site.url("/sitemap.xml"), *words[1:], "--ignore-robots"]

    text = "pages that robots.txt disallows are not visited"
    assert text in urlset(*words).err
    assert text not in urlset(*words, "--quiet").err


def test_an_audit_with_a_baseline_reports_only_new_findings(site, urlset):
    site.put("/gone", "", status=404, kind=HTML)
    put_sitemap(site, ["/Tea", "/gone"])
    words = ["audit", site.url("/sitemap.xml"), "--no-llms-txt", "--select", "N"]

    recorded = urlset(*words, "--write-baseline", "known.json")
    known = urlset(*words, "--baseline", "known.json")
    again = urlset(*words, "--baseline", "known.json", "--write-baseline", "new.json")
    site.put("/lost", "", status=404, kind=HTML)
    put_sitemap(site, ["/Tea", "/gone", "/lost"])
    new = urlset(*words, "--baseline", "known.json")

    assert (recorded.code, known.code, again.code, new.code) == (0, 0, 0, 1), known.err
    assert "1 finding written to the baseline" in recorded.err
    assert "1 finding in the baseline, not listed" in known.err
    assert "1 finding written to the baseline" in again.err  # all findings, not only new ones
    assert "/gone" not in new.out
    assert "/lost" in new.out

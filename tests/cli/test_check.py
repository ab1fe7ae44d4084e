"""`urlset check`: formats, levels, selections and exit codes."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_commands import NS, SITE, command
from tests.site_box import page, urlset_of
from urlset import inflight
from urlset.cli import console

HINT = b"\xef\xbb\xbfhttps://e.com/\n"  # a byte order mark: info
WARNING = f"<urlset {NS}></urlset>".encode()
ERROR = f"<urlset {NS}><url><loc>https://e.com/?a&b</loc></url></urlset>".encode()
CLEAN = ERROR.replace(b"&", b"&amp;").replace(
    b"</loc>", b"</loc><lastmod>2026-11-20T08:00:00Z</lastmod>"
)


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("data", "level", "code"),
    [
        (CLEAN, "info", 0),
        (HINT, "info", 1),
        (HINT, "warning", 0),
        (HINT, "error", 0),
        (WARNING, "info", 1),
        (WARNING, "warning", 1),
        (WARNING, "error", 0),
        (ERROR, "info", 1),
        (ERROR, "warning", 1),
        (ERROR, "error", 1),
    ],
)
@pytest.mark.parametrize("format", ["text", "json", "github", "sarif"])
def test_check_exit_code(data, level, code, format, urlset):
    ran = urlset("check", "-", "--fail-level", level, "--format", format, stdin=data)

    assert ran.code == code
    assert ran.err == ""


def test_check_exit_code_is_1_for_an_error_unless_an_option_says_otherwise(urlset):
    assert urlset("check", "-", stdin=HINT).code == 0
    assert urlset("check", "-", stdin=WARNING).code == 0
    assert urlset("check", "-", stdin=ERROR).code == 1


def test_check_broken_example(urlset):
    ran = urlset("check", SITE / "broken.xml")

    assert ran.code == 1
    codes = set(re.findall(r": (?:error|warning|info) ([A-Z]\d\d\d)\[", ran.out))
    assert len(codes) >= 10
    assert re.search(r"broken\.xml:5:48: error X003\[unescaped-ampersand\] ", ran.out)
    assert ran.out.splitlines()[-1].startswith("21 findings in 1 document")


def test_check_clean_example(urlset):
    ran = urlset("check", SITE / "sitemap.xml", "--select", "X,S,T,F")

    assert (ran.code, ran.out) == (0, "No findings in 6 documents, 14 entries.\n")


def test_check_json_of_several_sources_is_one_object(urlset):
    Path("a.xml").write_bytes(ERROR)
    Path("b.xml").write_bytes(ERROR)

    ran = urlset("check", "a.xml", "b.xml", "--format", "json", "--select", "X")

    assert [finding["source"] for finding in json.loads(ran.out)["findings"]] == ["a.xml", "b.xml"]


def test_check_json_of_a_clean_one_states_that_it_is_complete(urlset):
    found = json.loads(urlset("check", "-", "--format", "json", stdin=CLEAN).out)

    assert found == {
        "findings": [],
        "summary": "0 errors, 0 warnings, 0 info",
        "is_complete": True,
        "incomplete": [],
        "by_level": {"error": 0, "warning": 0, "info": 0},
        "by_rule": {},
        "known": 0,
    }


def test_check_json_states_what_was_not_read_and_what_is_known(urlset):
    Path("a.xml").write_bytes(ERROR)
    Path("b.xml").write_bytes(ERROR)
    urlset("check", "a.xml", "--write-baseline", "known.json", "--select", "X")
    words = ("a.xml", "b.xml", "none.xml", "--select", "X", "--baseline", "known.json")

    found = json.loads(urlset("check", *words, "--format", "json").out)
    counted = json.loads(urlset("check", *words, "--statistics", "--format", "json").out)

    assert [finding["code"] for finding in found["findings"]] == ["X003", "N003"]
    assert (found["by_rule"], found["known"]) == ({"N003": 1, "X003": 1}, 1)
    assert found["by_level"] == {"error": 2, "warning": 0, "info": 0}
    assert found["summary"] == "2 errors, 0 warnings, 0 info; not complete"
    assert not found["is_complete"]
    [reason] = found["incomplete"]
    assert "'none.xml'" in reason
    assert {row["code"]: row["count"] for row in counted.pop("rules")} == found["by_rule"]
    assert counted == {name: found[name] for name in found if name != "findings"}


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "X"], {"X003"}),
        (["--select", "X003,D001"], {"X003", "D001"}),
        (["--select", "X003", "--select", "D001"], {"X003", "D001"}),
        (["--ignore", "unescaped-ampersand, D001"], set()),
    ],
)
def test_check_select_and_ignore(options, codes, urlset):
    data = ERROR.replace(b"</loc>", b"</loc><lastmod>x</lastmod>")

    ran = urlset("check", "-", "--format", "json", *options, stdin=data)

    assert {finding["code"] for finding in json.loads(ran.out)["findings"]} == codes
    assert ran.code == bool(codes)


@pytest.mark.parametrize(("option", "shown"), [([], 20), (["--max-examples", "3"], 3)])
def test_check_shows_some_and_counts_all(option, shown, urlset):
    ran = urlset("check", "-", *option, stdin=b"https://e.com/\n" + b"x\n" * 3_000)

    assert ran.out.count(" T001[text-not-a-url] ") == shown
    assert f"… {3_000 - shown:,} more of 3,000: T001[text-not-a-url]\n" in ran.out
    assert "3,000 findings in 1 document, 1 entry: 3,000 errors." in ran.out


def test_check_shows_all_on_demand(urlset):
    ran = urlset("check", "-", "--max-examples", "0", stdin=b"https://e.com/\n" + b"x\n" * 300)

    assert ran.out.count(" T001[text-not-a-url] ") == ran.out.count("^") == 300


def test_check_counts_what_is_not_listed(urlset):
    data = b"https://e.com/\n" + b"x\n" * 10_005

    ran = urlset("check", "-", "--format", "json", stdin=data)

    found = json.loads(ran.out)
    assert len(found["findings"]) == 10_000
    assert found["by_rule"] == {"T001": 10_005}
    assert "5 more findings not listed" in ran.err
    assert "10,005 findings" in urlset("check", "-", stdin=data).out


def test_check_is_text_for_80_columns(urlset):
    loc = "https://e.com/" + "x" * 1_000 + "&y"
    data = f"<urlset {NS}><url><loc>{loc}</loc></url></urlset>"

    ran = urlset("check", "-", stdin=data.encode())

    lines = [line for line in ran.out.splitlines() if line.startswith("    ")]
    assert len(lines) == 2
    assert max(map(len, lines)) <= 80


def test_check_part_that_fails_is_listed(urlset):
    Path("i.xml").write_bytes(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/a.xml</loc></sitemap></sitemapindex>".encode()
    )

    ran = urlset("check", "i.xml", "none.xml", "--format", "json", "--ignore", "I503,D503")

    assert ran.code == 1
    found = json.loads(ran.out)
    assert [row["source"] for row in found["findings"]] == ["none.xml"]
    assert [text.split(":")[0] for text in found["incomplete"][:1]] == ["https"]
    assert len(found["incomplete"]) == 2
    assert "https://e.com/a.xml: listed but missing" in ran.err
    assert "'none.xml'" in ran.err


def test_check_html_is_a_finding(urlset):
    ran = urlset("check", "-", stdin=b"<!doctype html><html></html>")

    assert ran.code == 1
    assert "X019[html-document]" in ran.out


def test_check_empty_file_is_a_finding(urlset):
    ran = urlset("check", "-", stdin=b"")

    assert ran.code == 1
    assert "X001[empty-file]" in ran.out


def test_check_base_url(urlset):
    data = f"<urlset {NS}><url><loc>/a</loc></url></urlset>".encode()

    ran = urlset(
        "check",
        "-",
        "--format",
        "json",
        "--base-url",
        "https://e.com/",
        "--select",
        "U001",
        stdin=data,
    )

    assert [finding["loc"] for finding in json.loads(ran.out)["findings"]] == ["https://e.com/a"]


def test_check_output(urlset):
    ran = urlset("check", "-", "--format", "sarif", "--output", "a.sarif", stdin=ERROR)

    assert (ran.code, ran.out) == (1, "")
    assert json.loads(Path("a.sarif").read_text())["runs"][0]["results"]


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_check_colours(environment, is_coloured, urlset, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    ran = urlset("check", "-", "--select", "X", stdin=ERROR)

    assert ("\x1b[1;31merror\x1b[0m" in ran.out) == is_coloured
    assert ("\x1b" in ran.out) == is_coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ran.out)
    assert plain.startswith("-:1:87: error X003[unescaped-ampersand] ")


def test_check_output_has_no_colours(urlset, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")

    urlset("check", "-", "--output", "a.txt", stdin=ERROR)

    assert "\x1b" not in Path("a.txt").read_text()


def test_progress_reports_documents_and_entries(urlset, box, monkeypatch):
    monkeypatch.setattr("urlset.cli.console.LOG_INTERVAL_S", 0.0)
    monkeypatch.setattr("urlset.cli.console.REFRESH_INTERVAL_S", 3600.0)
    monkeypatch.setenv("no_proxy", "*")
    url = box.put_index("/s.xml", ["/a.xml", "/gone.xml", "/b.xml"])
    box.put("/a.xml", urlset_of("http://e.com/?a&b", 2))
    box.put_urlset("/b.xml", 3)

    ran = urlset("check", url, "--concurrency", "1")

    assert ran.err.replace(box.site, "").splitlines()[:4] == [
        "1 document, 0 entries · /s.xml",
        "2 documents, 2 entries · /a.xml",
        "3 documents, 2 entries · /gone.xml",
        "4 documents, 5 entries · /b.xml",
    ]


@pytest.mark.parametrize("command", ["check", "read"])
def test_progress_names_what_is_waited_for(urlset, box, monkeypatch, command):
    monkeypatch.setattr("urlset.cli.console.LOG_INTERVAL_S", 0.02)
    monkeypatch.setattr("urlset.cli.console.REFRESH_INTERVAL_S", 0.01)
    monkeypatch.setattr("urlset.cli.console.SLOW_S", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    url = box.put_index("/s.xml", ["/a.xml", "/slow.xml"])
    box.put_urlset("/a.xml")
    answer = page(urlset_of("http://e.com", 2))

    async def when_it_was_reported(hit, wire):
        while f"waiting for {box.url('/slow.xml')}, 0 s" not in said:
            await wire.wait(0.01)
        return await answer(hit, wire)

    said = ""
    real = console.print_info

    def say(text):
        nonlocal said
        said += f"{text}\n"
        real(text)

    monkeypatch.setattr(console, "print_info", say)
    box.play("/slow.xml", when_it_was_reported)

    # One after another, so that nothing else comes that would tell it.
    ran = urlset(command, url, "--timeout", "9", "--concurrency", "1")

    assert ran.code == (command == "check")  # a box on loopback is not what rules expect of a site
    assert not inflight._requests


def test_baseline_of_the_configuration_can_be_written_first(urlset):
    Path("urlset.toml").write_text('[check]\nbaseline = "known.json"\nselect = ["X"]\n')

    assert urlset("check", "-", "--write-baseline", "known.json", stdin=ERROR).code == 0
    ran = urlset("check", "-", stdin=ERROR)

    assert ran.code == 0
    assert "1 finding in the baseline" in ran.err


def test_baseline_knows_a_finding_of_a_document_when_its_number_grows(urlset):
    def undated(count: int) -> bytes:
        urls = "".join(f"<url><loc>https://e.com/{n}</loc></url>" for n in range(count))
        return f"<urlset {NS}>{urls}</urlset>".encode()

    options = ("check", "-", "--select", "D011", "--fail-level", "info")
    assert urlset(*options, "--write-baseline", "known.json", stdin=undated(2)).code == 0

    ran = urlset(*options, "--baseline", "known.json", stdin=undated(3))

    assert ran.code == 0
    assert "1 finding in the baseline" in ran.err


def fragments(start: int, stop: int) -> bytes:
    return b"".join(b"https://e.com/%d#top\n" % n for n in range(start, stop))


def test_baseline_knows_also_what_is_not_given(urlset):
    options = ("check", "-", "--select", "U012", "--fail-level", "warning")
    wrote = urlset(*options, "--write-baseline", "known.json", stdin=fragments(0, 10_005))
    assert "10,005 findings written to the baseline" in wrote.err
    against = (*options, "--baseline", "known.json")

    same = urlset(*against, stdin=fragments(0, 10_005))
    mended = urlset(*against, stdin=fragments(7, 10_005))  # others are among the first 10,000
    more = urlset(*against, stdin=fragments(0, 10_008))
    fewer = urlset(*against, stdin=fragments(0, 3))

    assert (same.code, mended.code, more.code, fewer.code) == (0, 0, 1, 0)
    assert "10,005 findings in the baseline" in same.err
    assert "9,998 findings in the baseline" in mended.err
    assert "10,005 findings in the baseline" in more.err
    assert "3 findings in 1 document" in more.out
    assert "3 more of 3: U012" in more.out


def test_baseline_of_several_documents_keeps_them_apart(urlset):
    for name, stop in (("a.txt", 10_003), ("b.txt", 2)):
        Path(name).write_bytes(fragments(0, stop))
    options = ("check", "a.txt", "b.txt", "--select", "U012", "--fail-level", "warning")
    urlset(*options, "--write-baseline", "known.json")
    Path("b.txt").write_bytes(fragments(1, 4))

    ran = urlset(*options, "--baseline", "known.json")

    assert ran.code == 1
    assert "2 findings in 2 documents" in ran.out
    assert "10,004 findings in the baseline" in ran.err


def test_baseline_that_cannot_be_written_is_reported(urlset):
    ran = urlset("check", "-", "--write-baseline", "none/known.json", stdin=ERROR)

    assert ran.code == 2
    assert (
        "--write-baseline: cannot write 'none/known.json': its folder 'none' does not exist"
        in ran.err
    )


def test_levels_of_what_is_not_listed_are_true(urlset):
    # A feed's URLs on other hosts are warnings, by a rule of errors: no such count makes it fail.
    items = "".join(f"<item><link>https://x{n}.com/</link></item>" for n in range(10_005))
    data = f'<rss version="2.0"><channel>{items}</channel></rss>'.encode()

    ran = urlset("check", "-", "--base-url", "https://e.com/f.xml", "--select", "U028", stdin=data)

    assert (ran.code, "10,005 warnings" in ran.out) == (0, True)


@pytest.mark.parametrize(
    ("base", "below", "outside"),
    [
        ("https://e.com", "https://e.com/c", None),
        ("https://e.com/", "https://e.com/c", None),
        ("https://e.com/shop/", "https://e.com/shop/c", "https://e.com/a"),
        ("https://e.com/shop/map.xml", "https://e.com/shop/c", "https://e.com/a"),
        ("https://e.com/shop", "https://e.com/c", None),
    ],
)
def test_a_file_is_checked_as_if_it_lay_at_the_base_url(base, below, outside, urlset, tmp_path):
    locs = "".join(f"<url><loc>{loc}</loc></url>" for loc in ("https://e.com/a", "c"))
    path = tmp_path / "sitemap.xml"
    path.write_text(f"<urlset {NS}>{locs}</urlset>")

    told = urlset("check", path, "--base-url", base, "--format", "json", "--select", "U029")
    read = urlset("read", path, "--base-url", base, "--format", "txt")

    assert [finding["loc"] for finding in json.loads(told.out)["findings"]] == (
        [outside] if outside else []
    )
    assert read.out.split() == ["https://e.com/a", below]


def test_a_file_at_a_base_url_that_ends_with_a_slash_is_known_by_its_name(urlset, tmp_path):
    index = f"<sitemapindex {NS}><sitemap><loc>https://e.com/m/s.xml</loc></sitemap></sitemapindex>"
    (tmp_path / "s.xml").write_text(index)

    told = urlset("check", tmp_path / "s.xml", "--base-url", "https://e.com/m/", "--select", "I")

    assert "I003[index-self-reference]" in told.out


def test_statistics_count_the_findings_of_each_rule(urlset, tmp_path):
    page = "<url><loc>https://e.com/{}?a&b</loc><lastmod/></url>\n"
    pages = "".join(page.format(n) for n in range(12)) + "<url><loc>https://e.com/x y</loc></url>"
    (tmp_path / "sitemap.xml").write_text(f"<urlset {NS}>{pages}</urlset>")

    text = urlset("check", "sitemap.xml", "--statistics", "--select", "X,S,U")
    data = urlset("check", "sitemap.xml", "--statistics", "--select", "X,S,U", "--format", "json")

    assert text.code == data.code == 1
    assert text.out.splitlines() == [
        "12 warning S009[empty-element]",
        "12 error   X003[unescaped-ampersand]",
        " 1 error   U006[loc-inner-whitespace]",
    ]
    assert json.loads(data.out)["rules"][0] == {
        "rule": "empty-element",
        "code": "S009",
        "level": "warning",
        "count": 12,
    }
    assert urlset("check", "sitemap.xml", "--statistics", "--format", "sarif").code == 2


def test_a_rule_with_many_findings_has_them_together_behind_the_others(urlset, tmp_path):
    page = "<url><loc>https://e.com/{}?a&b</loc></url>\n"
    pages = "".join(page.format(n) for n in range(12)) + "<url><loc>https://e.com/x y</loc></url>"
    (tmp_path / "sitemap.xml").write_text(f"<urlset {NS}>{pages}</urlset>")

    ran = urlset("check", "sitemap.xml", "--select", "X,U", "--max-examples", "2")

    heads = [line for line in ran.out.splitlines() if not line.startswith(" ")]
    assert [line.split(":")[0] for line in heads[:2]] == [
        "sitemap.xml",
        "X003[unescaped-ampersand] 12 findings",
    ]
    assert "U006" in heads[0]
    assert heads[4] == "… 10 more of 12: X003[unescaped-ampersand]"


def test_info_findings_of_one_rule_are_one_line(urlset, tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.xml").write_bytes(b"\xef\xbb\xbf" + f"<urlset {NS}/>".encode())

    ran = urlset("check", ".", "--select", "X013")
    every = urlset("check", ".", "--select", "X013", "--max-examples", "0")

    assert ran.out.count("X013[utf8-bom]") == 1
    assert "(and 2 more)" in ran.out
    assert "3 info" in ran.out
    assert every.out.count("info X013[utf8-bom]") == 3


def test_quiet_prints_findings_and_errors_alone(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_text(f"<urlset {NS}><url><loc>https://e.com/?a&b</loc></url></urlset>")

    found = urlset("check", "sitemap.xml", "--select", "X003", "-q")
    fixed = urlset("check", "sitemap.xml", "--select", "X003", "--fix", "--quiet")
    path.write_bytes(path.read_bytes() + b"\0")
    refused = urlset("check", "sitemap.xml", "--select", "X", "--fix", "--quiet")

    assert found.code == 1
    assert "X003" in found.out
    assert "in 1 document" not in found.out
    assert (fixed.code, fixed.out, fixed.err) == (0, "", "")
    assert "not fixed" in refused.err


def test_a_document_that_is_not_well_formed_prints_that_other_findings_are_hidden(urlset, tmp_path):
    page = "<url><loc>https://e.com/</loc><lastmod>2024-8-18</lastmod></url>"
    (tmp_path / "sitemap.xml").write_text(f"<urlset {NS}>{page}</url>{page}</urlset>")

    ran = urlset("check", "sitemap.xml")
    assert "X002" in ran.out
    assert "D001" not in ran.out
    assert "checked only in part, because of X002[not-well-formed]" in ran.err

    fixed = urlset("check", "sitemap.xml", "--fix", "--unsafe-fixes")
    assert fixed.code == 0
    assert "nothing to fix" in urlset("check", "sitemap.xml", "--fix", "--unsafe-fixes").err


# ── --report ──


def test_check_report_is_written_beside_the_other_output(urlset, tmp_path):
    ran = urlset("check", "-", "--format", "json", "--report", "report.html", stdin=ERROR)

    assert "report written to 'report.html'" in ran.err
    page = (tmp_path / "report.html").read_text("utf-8")
    codes = {finding["code"] for finding in json.loads(ran.out)["findings"]}
    assert ran.code == 1
    assert set(re.findall(r'<details class="rule [a-z]+" id="rule-([A-Z0-9]+)"', page)) == codes


def test_check_report_has_the_charts_of_each_source_and_one_list_of_findings(urlset, tmp_path):
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(CLEAN)

    urlset("check", "a.xml", "b.xml", "none.xml", "--report", "report.html")

    page = (tmp_path / "report.html").read_text("utf-8")
    assert re.findall(r'<h2 class="source"><bdi>([^<]*)', page) == ["a.xml", "b.xml"]
    assert page.count('id="dates-1"') == page.count('id="dates-2"') == 1
    assert page.count('id="rule-N003"') + page.count('id="rule-I503"') == 1


def test_check_report_omits_the_findings_of_the_baseline(urlset, tmp_path):
    urlset("check", "-", "--write-baseline", "known.json", stdin=ERROR)

    urlset("check", "-", "--baseline", "known.json", "--report", "report.html", stdin=ERROR)

    page = (tmp_path / "report.html").read_text("utf-8")
    assert '<details class="rule' not in page
    assert re.search(r"[1-9] findings? in the baseline are not shown", page)


def test_check_report_in_a_missing_folder_fails_before_reading(urlset):
    ran = urlset("check", "-", "--report", "none/report.html", stdin=ERROR)

    assert (ran.code, ran.out) == (2, "")
    assert "--report: cannot write 'none/report.html': its folder 'none' does not" in ran.err


def test_an_index_that_lists_itself_is_no_document_that_could_not_be_read(urlset, tmp_path):
    path = tmp_path / "i.xml"
    path.write_text(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/i.xml</loc></sitemap></sitemapindex>"
    )

    ran = urlset("check", str(path), "--select", "I003", "--base-url", "https://e.com/i.xml")

    assert (ran.code, "I003" in ran.out) == (1, True)
    assert "could not be read" not in ran.err

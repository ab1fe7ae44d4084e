"""What a reader of the report sees first: the worst, what to do, findings before charts."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest

import urlset
from tests.example_site import audited
from tests.reporter.live_site import Found
from tests.reporter.test_html_report import part_of, report_of
from urlset.checker import rule_texts
from urlset.checker.examples import Piece, entry
from urlset.checker.examples import page as html_page
from urlset.html_report import ExampleLog, SourceFigures
from urlset.html_report.charts import HALF_PAGE, PHONE, bin_labels
from urlset.live.audit.judgement import RuleSet
from urlset.live.audit.settings import AuditSettings
from urlset.live.audit.verdict_shares import VerdictShare, summary_sentence
from urlset.live.visits.sample import Interval
from urlset.model import Level

SITE = "https://example.com"
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
CHARTS = SourceFigures(SITE, "One URL.", [], [], None, ["Not complete: robots: 1 URL."], "SELECT 1")


def log_of(*found: tuple[str, Level, str, str | None]) -> ExampleLog:
    log = ExampleLog()
    for code, level, message, url in found:
        log.add(Found(code, level, message, url))
    return log


def shown(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html.replace("</a>", " ")))


def steps_of(page: str) -> list[str]:
    return [shown(item) for item in re.findall(r"<li>(.*?)</li>", part_of(page, r"<ol>(.*?)</ol>"))]


def test_first_step_of_one_finding_is_the_finding_and_the_fix():
    log = log_of(("N102", "error", f"{SITE}/a/tea returns HTTP 404", f"{SITE}/a/tea"))

    assert steps_of(report_of(log)) == [
        f"{SITE}/a/tea returns HTTP 404  Restore the page, or remove its entry."
    ]


def test_first_step_of_several_findings_has_their_number():
    found: list[tuple[str, Level, str, str | None]] = [
        ("N105", "error", f"{SITE}/{n} forbids indexing", f"{SITE}/{n}") for n in range(3)
    ]

    [step] = steps_of(report_of(log_of(*found)))

    assert step == (
        "Listed pages that forbid indexing (noindex): 3  "
        "Remove noindex from the page or from its headers, or remove the entry."
    )


def test_a_sitemap_that_cannot_be_read_comes_before_more_frequent_errors_of_pages():
    pages: list[tuple[str, Level, str, str | None]] = [
        ("N102", "error", f"{SITE}/{n} returns HTTP 404", f"{SITE}/{n}") for n in range(9)
    ]
    log = log_of(*pages, ("X019", "error", "This is an HTML page, not a sitemap", None))

    page = report_of(log)

    first, second = steps_of(page)
    assert page.index('id="rule-X019"') < page.index('id="rule-N102"')
    assert "This is an HTML page, not a sitemap" in first
    assert "404" in second


def test_each_rule_of_an_audit_has_a_title_in_words():
    texts = rule_texts(RuleSet(AuditSettings()).rules)

    names = {text.name.replace("-", " ").capitalize() for text in texts.values()}
    assert len(texts) > 40
    for text in texts.values():
        assert "…" not in text.title
        assert "{" not in text.title
        assert text.title not in names, text.code


def test_a_closed_finding_shows_its_first_message():
    log = log_of(("N110", "warning", f"{SITE}/a: lastmod is 2031-05-01", f"{SITE}/a"))

    summary = part_of(report_of(log), r'id="rule-N110"><summary>(.*?)</summary>')

    assert "lastmod is 2031-05-01" in shown(summary)


def test_a_message_without_a_url_is_preceded_by_it():
    log = log_of(("D007", "warning", '"2031-05-01" is in the future', f"{SITE}/a"))

    page = report_of(log)

    assert f'{SITE}/a: "2031-05-01" is in the future' in steps_of(page)[0]
    assert f"{SITE}/a: " in shown(part_of(page, r'<span class="such">(.*?)</span>'))


def test_a_message_that_names_another_url_is_preceded_by_its_own():
    text = "URL is on http://other.example, the sitemap is on https://example.com"

    [step] = steps_of(report_of(log_of(("U028", "error", text, "http://other.example/a"))))

    assert step.startswith(f"http://other.example/a: {text}")


def test_the_summary_counts_sitemaps_that_could_not_be_read():
    example: dict[str, Piece] = {
        "sitemap.xml": f"<sitemap><loc>{SITE}/good.xml</loc></sitemap>"
        f"<sitemap><loc>{SITE}/login.xml</loc></sitemap>",
        "good.xml": entry(f"{SITE}/tea"),
        "login.xml": "<!doctype html><title>Sign in</title>",
        "tea": html_page("Tea"),
    }

    with audited(example, datetime(2026, 11, 21, 12, tzinfo=UTC)) as found:
        assert found.summary == (
            "The one listed URL is fine. 1 sitemap could not be read completely. "
            "The audit is not complete."
        )


@pytest.mark.parametrize(("level", "order"), [("error", 1), ("warning", 1), ("info", -1)])
def test_findings_come_before_charts_on_the_page_and_in_the_menu(level, order):
    page = report_of(log_of(("N102", level, "gone", SITE)), [CHARTS])

    menu = part_of(page, r"<nav(.*?)</nav>")
    for text, charts, findings in (
        (page, '<section id="charts"', '<section id="findings"'),
        (menu, "#charts", "#findings"),
    ):
        assert (text.index(charts) - text.index(findings)) * order > 0


@pytest.mark.parametrize(
    ("listed", "start"),
    [(1, "Of 1 listed URL 0 % are fine"), (2, "Of 1 checked URL, of 2 listed, 0 % are fine")],
)
def test_the_summary_of_one_url_is_singular(listed, start):
    gone = VerdictShare("gone", 1, Interval(1, 1, 1), 1, "/", 1)

    assert summary_sentence(listed, 1, [gone], is_sampled=False) == f"{start}; 1 is gone."


def test_the_summary_names_the_worst_verdicts_first_and_counts_all():
    counts = {"fine": 60, "canonicalised": 20, "noindex": 9, "gone": 5, "server-error": 3}
    counts |= {"redirect-loop": 1, "unknown": 2}
    shares = [
        VerdictShare(verdict, n, Interval(n / 100, n / 100, n / 100), n, "/", 1)
        for verdict, n in counts.items()
    ]

    assert summary_sentence(100, 100, shares, is_sampled=False) == (
        "Of 100 listed URLs 60.0 % are fine; 3 return a server error; 1 redirects to no page; "
        "5 are gone; 9 forbid indexing; 22 have other faults or could not be judged."
    )


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 8, 13, 30, 75])
@pytest.mark.parametrize("name", ["13 Nov 2026", "Nov 2026", "2026-11-13"])
def test_dates_at_the_axis_do_not_overlap(count, name):
    labels = bin_labels([name] * count, 6)

    assert 1 <= len(labels) <= 6
    assert not labels[0].is_minor
    for width, drawn in (
        (HALF_PAGE, labels),
        (PHONE, [label for label in labels if not label.is_minor]),
    ):
        end = 0.0
        for label in drawn:
            share = 0.0 if label.at < 0.14 else 1.0 if label.at > 0.86 else 0.5
            left = label.at * width - share * len(name) * 6.7
            assert left >= end
            end = left + len(name) * 6.7
        assert end <= width


def test_the_heading_of_an_audit_is_its_first_clause():
    sentence = "Of 9 listed URLs 50.0 % are fine; 3 are gone; 1 forbids indexing."

    page = report_of(ExampleLog(), sentence=sentence)
    check = report_of(ExampleLog(), kind="diff", sentence=sentence)

    assert part_of(page, "<h1>(.*?)</h1>") == "Of 9 listed URLs 50.0\u202f% are fine."
    assert part_of(page, '<p class="rest">(.*?)</p>') == "3 are gone; 1 forbids indexing."
    assert part_of(check, "<h1>(.*?)</h1>") == sentence.replace(" %", "\u202f%")


def test_dates_do_not_break():
    """A browser may break "2026-11-25" after its hyphens, and the date of the report at spaces."""
    text = "lastmod is 2026-11-25, the page says 2026-11-24T08:00:00+01:00"
    log = log_of(("D007", "warning", text, f"{SITE}/2026-11-25/a-2026-11-25.html"))

    page = report_of(log)

    dates = re.findall('<span class="date">(.*?)</span>', part_of(page, "<ol>(.*?)</ol>"))
    assert dates == ["2026-11-25", "2026-11-24T08:00:00+01:00"]
    assert '<span class="date">2026-11-25</span></a>' not in page  # a URL breaks anywhere
    assert " " not in part_of(page, "<time[^>]*>(.*?)</time>")
    assert ".date { white-space: nowrap; }" in page


def test_each_part_of_a_chart_has_a_colour(tmp_path):
    """A rectangle without a rule in the style sheet is black."""
    pages = {
        "a.xml": "".join(f"<url><loc>{SITE}/old/{n}-tea</loc></url>" for n in range(30)),
        "b.xml": "".join(f"<url><loc>{SITE}/new/{n}-tea</loc></url>" for n in range(25))
        + "".join(f"<url><loc>{SITE}/old/{n}-tea</loc></url>" for n in range(25, 28)),
    }
    for name, rows in pages.items():
        xmlns = "http://www.sitemaps.org/schemas/sitemap/0.9"
        (tmp_path / name).write_text(f'<urlset xmlns="{xmlns}">{rows}</urlset>')
    with urlset.diff(tmp_path / "a.xml", tmp_path / "b.xml") as found:
        found.report(tmp_path / "diff.html")
    diff = (tmp_path / "diff.html").read_text()
    with audited({"sitemap.xml": entry(f"{SITE}/a"), "a": html_page("A")}, MOMENT) as audit:
        audit.report(tmp_path / "audit.html")

    assert 'id="patterns"' in diff
    for page in (diff, (tmp_path / "audit.html").read_text()):
        roles = {
            role
            for found in re.findall(r'<rect[^>]*class="([^"]+)"', page)
            for role in found.split()
        }
        styled = set(re.findall(r"(?:rect)?\.([a-z0-9-]+)", part_of(page, "<style>(.*?)</style>")))
        assert roles
        assert roles <= styled

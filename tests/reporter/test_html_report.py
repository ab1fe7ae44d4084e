"""The HTML report: limits of size, foreign text, its policy, and that its SQL gives its numbers."""

import base64
import gzip
import hashlib
import json
import random
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import pairwise

import pytest

import urlset
from tests.reporter.live_site import BASE, Found, fill, findings
from urlset.checker import CATALOGUE, rule_texts
from urlset.html_report import (
    ExampleLog,
    LastmodTrial,
    ReportInput,
    RuleChange,
    html_report,
    take_figures,
)
from urlset.html_report.page import MAX_HTML_BYTES
from urlset.html_report.tables import MAX_DATA_BYTES
from urlset.live.figures.page_figures import OUTCOME_SQL
from urlset.store import Store

MOMENT = datetime(2026, 11, 22, 15, 30, tzinfo=UTC)
COUNT = 2_000


def report_of(log, sources=(), **more) -> str:
    values = {"kind": "audit", "site": BASE, "moment": MOMENT, "rules": rule_texts(CATALOGUE)}
    return html_report(ReportInput(log=log, sources=sources, **{**values, **more}))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("store") / "site.duckdb") as store:
        fill(store, COUNT)
        yield store


@pytest.fixture(scope="module")
def figures(store):
    with store.session() as session:
        return take_figures(session, BASE)


@pytest.fixture(scope="module")
def log(store):
    log = ExampleLog()
    for found in findings(store):
        log.add(found)
    return log


@pytest.fixture(scope="module")
def page(log, figures):
    return report_of(
        log,
        [figures],
        lastmod_trial=[LastmodTrial("/shop/", 100, 70, 20, 5, 5, 10)],
        changes=[RuleChange("N001", 3, 1, 8)],
    )


def part_of(page: str, pattern: str) -> str:
    """Return what the group of a pattern matches."""
    found = re.search(pattern, page, re.DOTALL)
    assert found is not None, pattern
    return found[1]


class Elements(HTMLParser):
    """Start tags with their attributes, and the text of the page."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in names]


def data_of(page: str):
    packed = json.loads(part_of(page, r'id="data">(.*?)</script>'))
    return json.loads(gzip.decompress(base64.b64decode(packed)))


# ── numbers ──


def test_a_chart_without_a_place_is_the_last(log, figures):
    other = figures.figures[0]._replace(key="other", title="A chart of its own")
    html = report_of(log, [figures._replace(figures=[other, *figures.figures])])

    assert html.count("A chart of its own") == 1
    assert html.index("A chart of its own") > max(html.index(f.about) for f in figures.figures)


def test_every_figure_has_its_sql_in_the_page(page, figures):
    texts = "".join(Elements(page).text)

    assert len(figures.figures) == 7
    for figure in figures.figures:
        assert figure.sql in texts
    assert figures.sql in texts


def test_sql_in_the_page_returns_the_numbers_of_the_page(store, figures):
    """A user can run the SQL: it needs nothing but the tables of the store."""
    rows = list(store.query(OUTCOME_SQL))
    outcome = {
        name: sum(row[at] for row in rows)
        for at, name in enumerate(
            ("fine", "redirect", "not-indexable", "error", "unknown"), start=2
        )
    }

    shown = {role or label: number for label, number, role in figures.numbers}
    assert shown.pop("listed URLs") == f"{COUNT:,}" == f"{sum(row[1] for row in rows):,}"
    assert shown == {name: f"{count:,}" for name, count in outcome.items()}
    for figure in figures.figures:
        assert list(store.query(figure.sql)), figure.key


def test_outcome_is_that_of_the_pages(store, figures):
    (fine,) = next(
        iter(
            store.query(
                "SELECT count(*) FROM pages WHERE is_listed AND verdict = 'ok' AND is_indexable"
            )
        )
    )

    assert f"{fine:,}" in [number for label, number, _ in figures.numbers if label == "fine"]
    assert f"{100 * fine / COUNT:.1f}" in figures.sentence


def test_titles_are_answers(figures):
    titles = {figure.key: figure.title.replace("\u202f", " ") for figure in figures.figures}

    assert titles["verdicts"].startswith("/shop/ has the most faults: ")
    assert titles["folders"].startswith("/search/")
    assert titles["speed"].startswith("/search/ is the slowest section")
    assert titles["coverage"].endswith("not listed")
    assert "14 Sep 2026" in titles["dates"]
    assert titles["languages"].endswith("pages in fr omit most")


def test_pairwise_hreflang_is_what_the_site_omits(store, figures):
    figure = next(figure for figure in figures.figures if figure.key == "languages")
    clusters = COUNT // 40
    missing = {(row[0], row[1]): row[3] for row in figure.rows if row[3]}

    assert missing == {("fr", "es"): clusters, ("de", "en"): clusters // 10}


def test_an_incomplete_crawl_is_not_a_proof_of_orphans():
    with Store.open() as store:
        fill(store, 400, is_complete=False)
        with store.session() as session:
            found = take_figures(session, BASE)

    coverage = next(figure for figure in found.figures if figure.key == "coverage")
    assert "not seen linked" in coverage.title
    assert found.notes == ["Not complete: --max-pages 50000 was reached; 312 pages are unknown."]


def test_a_listed_url_that_was_not_visited_is_no_fault():
    with Store.open() as store:
        fill(store, 400)
        with store.session() as session:
            session.run("DELETE FROM pages WHERE verdict <> 'ok' OR NOT is_indexable")
            found = take_figures(session, BASE)

    assert "100\u202f% are fine" in found.sentence
    assert "checked listed URLs" in found.sentence
    assert ("listed URLs", "400", "") in found.numbers


def test_a_listed_pdf_is_fine():
    """It answers 200, nothing forbids indexing, and it has no canonical URL."""
    with Store.open() as store:
        fill(store, 400)
        with store.session() as session:
            before = take_figures(session, BASE)
            session.run(
                "UPDATE pages SET is_html = false, is_indexable = false, canonical = NULL "
                "WHERE is_indexable AND hash(url) % 3 = 0"
            )
            after = take_figures(session, BASE)

    assert after.numbers == before.numbers


def test_folders_of_one_page_are_pages():
    with Store.open() as store:
        fill(store, 400)
        with store.session() as session:
            session.run("UPDATE pages SET url = url || '/' WHERE section = 'blog'")
            session.run("UPDATE pages SET url = replace(url, '/page-', '-page-')")
            session.run("DELETE FROM entries")
            session.run("DELETE FROM frontier")
            found = take_figures(session, BASE)

    figure = next(figure for figure in found.figures if figure.key == "folders")
    labels = [str(row[0]) for row in figure.rows]
    assert "/blog/" in labels
    assert not [label for label in labels if label.startswith("/blog/") and "page-" in label]


def test_a_sample_is_drawn_without_the_urls_that_were_not_visited():
    with Store.open() as store:
        fill(store, 2_000)
        with store.session() as session:
            session.run("DELETE FROM pages WHERE is_listed AND hash(url) % 10 > 1")
            found = take_figures(session, BASE)

    verdicts = next(figure for figure in found.figures if figure.key == "verdicts")
    assert "not-visited" not in verdicts.chart
    assert re.search(r"\d+ of 680<", verdicts.chart)
    assert "checked listed URLs" in found.sentence


def test_a_listed_url_that_is_written_differently_is_the_same_page():
    with Store.open() as store:
        fill(store, 400)
        with store.session() as session:
            session.run(
                "UPDATE entries SET loc = replace(replace(loc, 'https://shop', 'HTTPS://Shop'), "
                "'page', '%70age') || '#top'"
            )
            session.run("DELETE FROM frontier")
            found = take_figures(session, BASE)

    assert ("listed URLs", "400", "") in found.numbers
    assert "not-visited" not in [role for _, _, role in found.numbers]
    assert "checked listed" not in found.sentence


def test_a_store_of_sitemaps_has_charts_of_its_dates_only(tmp_path):
    (tmp_path / "sitemap.xml").write_text(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<url><loc>https://example.com/a/1</loc><lastmod>2026-01-02</lastmod></url>"
        "<url><loc>https://example.com/b/1#x</loc><lastmod>2026-03-04</lastmod></url></urlset>"
    )
    path = tmp_path / "report.html"

    urlset.check(str(tmp_path / "sitemap.xml")).report(path)

    page = path.read_text("utf-8")
    assert re.findall(r'<figure class="[^"]*" id="([a-z-]+)"', page) == [
        "sections-of-files",
        "dates",
    ]
    assert "<h1>2 entries in 1 document: 1 warning" in page, re.findall("<h1>.*", page)
    assert 'id="rule-U012"' in page


# ── size ──


def test_page_and_data_stay_below_their_limits_with_every_rule():
    """The worst case: each rule has 1,000 findings with long URLs that cannot be compressed."""
    log, dice = ExampleLog(), random.Random(5)
    for rule in CATALOGUE.values():
        for _ in range(300):
            url = f"https://example.com/{dice.randbytes(150).hex()}"
            log.add(Found(rule.code, rule.level, f"message {url}", url))
        log.add_omitted(rule.level, rule.code, 5_000_000)

    page = report_of(log)

    data = len(part_of(page, r'id="data">(.*?)</script>'))
    assert data <= MAX_DATA_BYTES + 2
    assert len(page.encode()) - data <= MAX_HTML_BYTES
    assert page.count('<details class="rule') == len(CATALOGUE)
    assert "5,000,300" in page


def test_page_without_findings_or_tables():
    page = report_of(ExampleLog(), kind="check")

    assert "no findings" in page
    assert data_of(page) == {}


def test_data_has_the_examples_that_the_page_has_not(page, log):
    data = data_of(page)

    for code, columns in data.items():
        assert columns["url"][:10] == [example.url for example in log.examples[code][:10]]
        assert len(columns["url"]) == min(1_000, len(log.examples[code]))
        assert {len(values) for values in columns.values()} == {len(columns["url"])}


def test_report_is_the_same_for_the_same_input(log, figures):
    assert report_of(log, [figures]) == report_of(log, [figures])


# ── foreign text ──


HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\u202ereversed\u2066isolated\u200b",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "\x00\x1b[2J\ud800",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_foreign_text_is_only_text(text):
    log = ExampleLog()
    for _ in range(20):
        log.add(Found("U012", "error", f"message {text}", f"https://example.com/{text}", text))

    page = report_of(log, site=text, sentence=f"sentence {text}", notes=[f"note {text}"])

    elements = Elements(page)
    assert len(elements.named("script")) == 2
    assert not elements.named("img", "iframe", "object", "embed", "base", "form")
    assert not [name for _, found in elements.tags for name in found if name.startswith("on")]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00\x1b]", page)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00\x1b]", json.dumps(data_of(page)))
    page.encode()  # no surrogates


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "//example.com/", "vbscript:x", " javascript:x"],
)
def test_only_web_urls_are_links(url):
    log = ExampleLog()
    log.add(Found("U012", "error", url, url, url, None))

    links = Elements(report_of(log, site=url)).named("a")

    assert all(re.match("#|https://", link["href"] or "") for link in links)


def test_links_send_no_referrer(page):
    links = [link for link in Elements(page).named("a") if not (link["href"] or "").startswith("#")]

    assert links
    assert all(link["rel"] == "noreferrer" for link in links)


# ── policy ──


def test_policy_allows_this_style_and_this_script_only(page):
    policy = part_of(page, r'Content-Security-Policy" content="([^"]+)"')
    rules = dict(part.split(" ", 1) for part in policy.split("; "))

    def digest(pattern: str) -> str:
        (text,) = re.findall(pattern, page, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules == {
        "default-src": "'none'",
        "style-src": digest("<style>(.*?)</style>"),
        "script-src": digest("<script>(.*?)</script>"),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_page_requests_nothing(page):
    elements = Elements(page)
    (icon,) = elements.named("link")

    assert icon == {"rel": "icon", "href": "data:,"}
    assert not [found for _, found in elements.tags if "src" in found or "style" in found]
    style = part_of(page, "<style>(.*?)</style>")
    assert re.findall(r"url\(([^)]*)\)", style) == ["#hatch"]
    assert "@import" not in style


# ── structure ──


def test_headings_descend_one_by_one(page):
    levels = [int(tag[1]) for tag, _ in Elements(page).tags if re.fullmatch("h[1-6]", tag)]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_identifiers_are_unique(page):
    found = [attributes["id"] for _, attributes in Elements(page).tags if "id" in attributes]

    assert len(found) == len(set(found))


def test_each_chart_has_a_table(page):
    for figure in re.findall("<figure.*?</figure>", page, re.DOTALL):
        assert "<table>" in figure or '<table class="matrix">' in figure
        assert "<details><summary>Numbers and SQL" in figure


# ── colours ──


def palette(scheme: str) -> dict[str, list[float]]:
    style = part_of(report_of(ExampleLog()), "<style>(.*?)</style>")
    part = style.split("@media (prefers-color-scheme: dark)")[scheme == "dark"].split("}")[0]
    return {
        name: [int(value[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        for name, value in re.findall(r"--([a-z0-9-]+): #([0-9a-f]{6});", part)
    }


def linear(colour):
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour]


def contrast(one, other):
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    light, dark = sorted(
        (
            sum(f * v for f, v in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True))
            for c in (one, other)
        ),
        reverse=True,
    )
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme):
    colours = palette(scheme)

    for text in ("text", "soft", "accent", "error", "warning"):
        for ground in ("page", "card"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for text, ground in [
        ("text", "code"),
        ("text", "heat-0"),
        ("text", "heat-1"),
        ("text", "heat-2"),
        ("on-heat-3", "heat-3"),
        ("on-heat-4", "heat-4"),
    ]:
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


# Machado, Oliveira, Fernandes 2009, severity 1.0, for linear RGB.
VISION = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def lab(colour) -> list[float]:
    x, y, z = (
        sum(f * v for f, v in zip(row, colour, strict=True))
        for row in (
            (0.4339, 0.3762, 0.1899),  # scaled to the white of D65
            (0.2126, 0.7152, 0.0722),
            (0.0178, 0.1095, 0.8728),
        )
    )
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_of_outcomes_differ_for_every_vision(scheme, vision):
    """A difference of 2.3 in CIELAB is just noticeable; areas need far more. Unknown is hatched."""
    colours = palette(scheme)
    seen = {}
    for name in ("fine", "part", "redirect", "error"):
        mixed = [
            min(1.0, max(0.0, sum(f * v for f, v in zip(row, linear(colours[name]), strict=True))))
            for row in VISION[vision]
        ]
        seen[name] = lab(mixed)

    for one in seen:
        for other in seen:
            if one < other:
                pairs = zip(seen[one], seen[other], strict=True)
                distance = sum((a - b) ** 2 for a, b in pairs) ** 0.5
                assert distance >= 20, (one, other, distance)

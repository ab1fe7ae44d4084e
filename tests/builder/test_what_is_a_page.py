"""What a build does right that producers of sitemaps were seen to do wrong: what is a page."""

import pytest

from tests.builder.test_build import BASE, Site
from tests.cli.test_commands import command
from tests.sources.test_folder import PAGE, make
from urlset.builder import Filter, build
from urlset.sources import AccessLog, Candidate, HtmlFolder, Query

NOINDEX = '<meta name="robots" content="noindex">'

ERROR = "<!doctype html><title>Tea</title><h1>Page not found</h1>"


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def of_source(site, source, **options):
    return build(source, site.out, base_url=BASE, ledger=site.ledger, **options)


def paths(site):
    return [loc.removeprefix(BASE) for loc in site.locs()]


def hits(target, status=200, count=1):
    line = '192.0.2.1 - - [01/Nov/2026:12:00:00 +0000] "GET {} HTTP/1.1" {} 512 "{}ref" "Moz/5.0"\n'
    return line.format(target, status, BASE) * count


# pysitemap's: a 404 is as good as a page.
def test_an_error_page_is_not_listed(site):
    files = {"a.html": PAGE, "404.html": ERROR, "500/index.html": ERROR}
    folder = make(site.folder / "site", files)

    made = of_source(site, HtmlFolder(folder, BASE))

    assert paths(site) == ["a.html"]
    assert made.excluded_counts == {"error page": 2}


def test_a_keep_filter_outweighs_a_guess_but_not_the_page_s_own_word(site):
    files = {"404.html": ERROR, "part.html": "<p>Tea", "b.html": f"<!doctype html>{NOINDEX}<p>Tea"}
    folder = make(site.folder / "site", files)
    filters = [Filter.of("drop:nothing"), Filter.of("keep:html")]

    made = of_source(site, HtmlFolder(folder, BASE), filters=filters)

    assert paths(site) == ["404.html", "part.html"]
    assert made.excluded_counts == {"noindex": 1}


def test_a_guess_of_one_source_does_not_hide_what_another_one_knows(site):
    rows = [Candidate("/a", reason="error page")], [Candidate("/a", reason="noindex")]

    made = site.build(*rows, [Candidate("/b")], filters=[Filter.of("keep:.")])

    assert made.excluded_counts == {"noindex": 1}


# Nikola's: looks at the first kilobyte.
@pytest.mark.parametrize("before", [0, 1_000, 1_024, 30_000])
def test_noindex_counts_wherever_it_stands_in_the_head(before, site):
    style = f"<style>/*{'x' * before}*/</style>"
    files = {"a.html": PAGE, "b.html": f"<!doctype html><head>{style}{NOINDEX}</head><p>Of tea."}

    made = of_source(site, HtmlFolder(make(site.folder / "site", files), BASE))

    assert paths(site) == ["a.html"]
    assert made.excluded_counts == {"noindex": 1}


# Others': noindex in a text about noindex.
def test_noindex_in_the_text_of_a_page_does_not_count(site):
    files = {
        "a.html": f"{PAGE}<pre>&lt;meta name=robots content=noindex&gt;</pre><!-- {NOINDEX} -->"
    }

    of_source(site, HtmlFolder(make(site.folder / "site", files), BASE))

    assert paths(site) == ["a.html"]


# sphinx-sitemap's, MkDocs': there is no way to leave them out.
def test_pages_for_machines_can_be_left_out(site):
    files = dict.fromkeys(["a.html", "genindex.html", "search.html", "old/research.html"], PAGE)
    filters = (Filter.of(r"drop:/(genindex|search)\.html$"),)

    made = of_source(site, HtmlFolder(make(site.folder / "site", files), BASE), filters=filters)

    assert paths(site) == ["a.html", "old/research.html"]
    assert made.excluded_counts == {r"filter 1: drop:/(genindex|search)\.html$": 2}


# python-sitemap's: files of certain kinds are listed without a look.
def test_pictures_and_style_sheets_are_no_pages(site):
    names = ["a.html", "a.jpg", "a.css", "a.js", "a.pdf", "robots.txt", ".well-known/x.html"]

    of_source(site, HtmlFolder(make(site.folder / "site", dict.fromkeys(names, PAGE)), BASE))

    assert paths(site) == ["a.html"]


# python-sitemap's, next-sitemap's: a canonical elsewhere says what a page is called.
def test_a_page_that_says_it_is_another_is_left_out(site):
    canonical = f'<link rel="canonical" href="{BASE}a.html">'
    files = {"a.html": PAGE, "print.html": f"<!doctype html><head>{canonical}</head><p>Of tea."}

    made = of_source(site, HtmlFolder(make(site.folder / "site", files), BASE))

    assert paths(site) == ["a.html"]
    assert made.excluded_counts == {"canonical": 1}


# fastapi-sitemap's: frozen as it was at the start.
def test_a_page_that_came_later_is_in_the_next_build(site):
    folder = make(site.folder / "site", {"a.html": PAGE})
    of_source(site, HtmlFolder(folder, BASE))
    make(folder, {"b.html": PAGE})

    assert of_source(site, HtmlFolder(folder, BASE)).added == 1
    assert paths(site) == ["a.html", "b.html"]


# Google Sitemap Generator's: rejects the combined format.
def test_a_log_in_the_combined_format_is_read(urlset, site):
    (site.folder / "access.log").write_text(hits("/a") + hits("/b"))

    ran = urlset("build", "access.log", "-o", "public", "--base-url", BASE)

    assert ran.code == 0
    assert paths(site) == ["a", "b"]


def test_a_query_in_a_log_is_not_published_unasked(site):
    path = site.folder / "access.log"
    path.write_text(hits("/a?sid=5f4dcc3b5aa765d61d83&page=2") + hits("/b;jsessionid=5F4DCC3B5AA7"))

    of_source(site, AccessLog(str(path), BASE))
    assert paths(site) == ["a", "b"]

    of_source(site, AccessLog(str(path), BASE, keep_parameters=("page",)))
    assert paths(site) == ["a?page=2", "b"]


# pysitemap's again; Google Sitemap Generator's: a single 404 removes a page of a thousand hits.
def test_what_was_never_there_is_no_page_and_one_404_removes_none(site):
    path = site.folder / "access.log"
    path.write_text(
        hits("/a", count=1_000) + hits("/a", 404) + hits("/never", 404) + hits("/in", 403)
        + hits("/gone", count=20) + hits("/gone", 410, count=20)
    )  # fmt: skip

    made = of_source(site, AccessLog(str(path), BASE))

    assert paths(site) == ["a"]
    assert made.excluded_counts == {"410 since 2026-11-01": 1}


# python-sitemap's: the password lies in a file of the program.
def test_the_password_of_a_database_is_in_nothing_that_is_left_or_said(site, urlset, monkeypatch):
    monkeypatch.setenv("SHOP", "postgresql://ann:sekrit@127.0.0.1:1/shop")

    ran = urlset("build", "env:SHOP", "--query", "SELECT 1", "-o", "public", "--base-url", BASE)

    assert ran.code == 2
    assert "sekrit" not in ran.out + ran.err
    assert "sekrit" not in Query("postgresql://ann:sekrit@db.example/shop", "SELECT 1").name
    assert all(b"sekrit" not in p.read_bytes() for p in site.folder.rglob("*") if p.is_file())

"""Coverage of an audit: how other pages lead to listed ones, and when links are not all known."""

from __future__ import annotations

import re

import pytest

import urlset
from tests.live_sites import audit, crawl, found, html, put_page, put_sitemap
from tests.site_box import redirect
from urlset.sources import open_source

APP = '<script src="/app.js"></script>'
REFRESH = '<meta http-equiv="refresh" content="0; url=/">'
DATA = '<script type="application/ld+json">{"@type": "WebPage"}</script>'
CLASSES = ("/linked", "/by-sitemap", "/by-next", "/by-nofollow", "/by-hreflang", "/page-2", "/lost")


def put_classes(box) -> None:
    """Put a site with a page of each class into the box."""
    put_sitemap(box, ["/", "/sitemap.html", *CLASSES])
    box.put(
        "/",
        html(
            "Home",
            "/linked",
            "/sitemap.html",
            head='<link rel="next" href="/by-next">'
            '<link rel="alternate" hreflang="de" href="/by-hreflang">',
            body='<a rel="nofollow" href="/by-nofollow">a</a> <a rel="next" href="/page-2">b</a>'
            '<a rel="nofollow" href="/linked">c</a>',
        ),
        kind="text/html",
    )
    put_page(box, "/sitemap.html", "/by-sitemap", "/linked")
    for path in CLASSES:
        put_page(box, path)


def test_pages_have_the_class_of_the_best_link_to_them(box):
    put_classes(box)

    with audit(box, crawl=True) as result:
        rows = list(result.table("coverage"))
        names = result.table("coverage").columns

    table = {row[0].removeprefix(box.site): dict(zip(names, row, strict=True)) for row in rows}
    assert {path: row["linked_by"] for path, row in table.items()} == {
        "/": None,
        "/linked": "link",
        "/sitemap.html": "link",
        "/by-sitemap": "html-sitemap",
        "/by-next": "pagination",
        "/page-2": "pagination",
        "/by-nofollow": "nofollow",
        "/by-hreflang": "hreflang",
        "/lost": None,
    }
    # rel="next" of a link is a link, that of a head is none; nor is hreflang.
    assert [path for path, row in table.items() if row["is_linked"]] == [
        path for path in table if path not in ("/", "/by-next", "/by-hreflang", "/lost")
    ]
    assert result.coverage.weakly_linked == {
        "html-sitemap": 1,
        "pagination": 2,
        "nofollow": 1,
        "hreflang": 1,
    }
    assert (
        "Of 9 listed URLs, other pages lead to 1 only from an HTML sitemap, 2 only by pagination, "
        "1 only by nofollow links, 1 only by hreflang."
    ) in result.notes


def test_orphans_that_a_head_names_say_so(box):
    put_classes(box)

    with audit(box, crawl=True) as result:
        texts = {
            str(finding.loc).removeprefix(box.site): finding.message.replace(box.site, "")
            for finding in result.findings
            if finding.rule == "orphan-url"
        }

    assert texts == {
        "/lost": "No page links to /lost",
        "/by-hreflang": "No page links to /by-hreflang; only hreflang names it",
        "/by-next": 'No page links to /by-next; only rel="next" or rel="prev" of a head names it',
    }


def test_the_report_has_the_classes_and_their_query_runs_on_the_store(box, tmp_path):
    put_classes(box)
    store = tmp_path / "site.duckdb"

    with audit(box, crawl=True, store=store) as result:
        result.report(tmp_path / "report.html")

    text = (tmp_path / "report.html").read_text()
    figure = re.search(r'<figure[^>]* id="weak-links".*?</figure>', text, re.DOTALL)
    assert figure is not None
    rows = re.findall(r"<tr><td><bdi>(.*?)</bdi></td><td[^>]*>(\d+)</td></tr>", figure[0])
    assert rows == [
        ("only from an HTML sitemap", "1"),
        ("only by pagination", "2"),
        ("only by nofollow links", "1"),
        ("only by hreflang", "1"),
    ]
    [query] = re.findall(r"SELECT linked_by,.*?ORDER BY ALL", figure[0], re.DOTALL)
    with urlset.Store.open(store, read_only=True) as opened:
        classes = set(opened.query(query))
    assert ("pagination", True, 2) in classes


def test_an_equal_page_with_a_slash_has_the_class_of_its_link(box):
    put_sitemap(box, ["/", "/tea/"])
    put_page(box, "/", body='<a rel="nofollow" href="/tea">tea</a>')
    put_page(box, "/tea")
    put_page(box, "/tea/")

    with audit(box, crawl=True) as result:
        assert result.coverage.weakly_linked == {"nofollow": 1}
        assert not found(result, box)


def test_a_listed_url_that_fails_or_redirects_is_linked(box):
    put_sitemap(box, ["/", "/gone", "/old", "/lost", "/lost-too"])
    put_page(box, "/", "/gone", "/old")
    box.put("/gone", "", 404)
    box.play("/old", redirect("/new"))
    box.put("/lost-too", "", 404)
    put_page(box, "/lost")
    put_page(box, "/new")

    with audit(box, crawl=True) as result:
        linked = {row[0].removeprefix(box.site): row[2] for row in result.table("coverage")}

    assert linked == {
        "/": False,
        "/gone": True,
        "/old": True,
        "/lost": False,
        "/lost-too": False,
        "/new": True,
    }


def test_without_a_crawl_links_are_unknown(box):
    put_classes(box)

    with audit(box) as result:
        rows = {row[2:] for row in result.table("coverage")}

    assert rows == {(None, None, None)}
    assert result.coverage.link_classes == ()


# Links that scripts add.


def put_scripted(box, count: int, *, head: str = APP, links: tuple[str, ...] = ("/", "/p/0")):
    """Put ten pages into the box, some of them with few links, and one that nothing links to."""
    paths = [f"/p/{number}" for number in range(8)]
    put_page(box, "/", *paths)
    put_page(box, "/lost", "/", *paths)
    for number, path in enumerate(paths):
        if number < count:
            put_page(box, path, *links, head=head)
        else:
            put_page(box, path, "/", *paths, head=head)
    put_sitemap(box, ["/", "/lost", *paths])


@pytest.mark.parametrize(("count", "is_suspected"), [(2, False), (3, True), (8, True)])
def test_many_pages_with_scripts_and_few_links_make_orphans_unknown(box, count, is_suspected):
    put_scripted(box, count)

    with audit(box, crawl=True) as result:
        [reason] = result.coverage.reasons or [""]
        text = f"scripts: {count} of 10 pages have scripts and fewer than 3 links"
        assert reason == f"{text}; links that scripts add are not seen" * is_suspected
        assert result.coverage.is_complete == (not is_suspected)
        orphans = {path for rule, path in found(result, box) if rule == "orphan-url"}
        assert orphans == (set() if is_suspected else {"/lost"})
        assert any("not linked is unknown: scripts" in n for n in result.notes) == is_suspected


@pytest.mark.parametrize(
    "parts",
    [{"head": ""}, {"head": DATA}, {"links": ("/", "/p/0", "/p/1")}, {"head": APP + REFRESH}],
    ids=["no scripts", "data only", "three links", "redirects"],
)
def test_pages_whose_links_are_all_there_are_not_suspected(box, parts):
    put_scripted(box, 8, **parts)

    with audit(box, crawl=True) as result:
        assert result.coverage.is_complete
        assert ("orphan-url", "/lost") in found(result, box)


def test_a_crawl_states_that_scripts_may_add_links(box, tmp_path):
    put_scripted(box, 5)

    with crawl(box, tmp_path / "site.duckdb") as result:
        assert not result.is_complete
        assert [reason.partition(":")[0] for reason in result.incomplete] == ["scripts"]
        assert result.verdicts == {"ok": 10}
    # Every page was visited: a build from the crawl lacks none.
    pages = open_source(f"crawl:{tmp_path / 'site.duckdb'}")
    list(pages.batches())
    assert pages.failures == []
    [note] = pages.notes
    assert note.startswith("the crawl does not know all links (scripts: 5 of 10 pages")


def test_the_report_of_a_site_with_scripts_claims_no_missing_link(box, tmp_path):
    put_scripted(box, 8)

    with audit(box, crawl=True) as result:
        result.report(tmp_path / "report.html")

    text = (tmp_path / "report.html").read_text()
    assert "1 listed page is not seen linked" in text
    assert "is not linked" not in text


def test_the_report_states_a_reason_once(box, tmp_path):
    put_sitemap(box, ["/", "/a"])
    box.put_robots("User-agent: *", "Disallow: /b", f"Sitemap: {box.url('/sitemap.xml')}")
    put_page(box, "/", "/a", "/b")
    put_page(box, "/a")

    with audit(box, crawl=True) as result:
        result.report(tmp_path / "report.html")

    text = (tmp_path / "report.html").read_text()
    notes = re.search(r'<div class="notes">(.*?)</div>', text)
    assert notes is not None
    assert notes[1].count("robots: 1 URL") == 1


def test_return_link_that_a_script_may_add_is_unknown(box):
    heads = {
        path: "".join(
            f'<link rel="alternate" hreflang="{tag}" href="{box.url(href)}">'
            for tag, href in (("en", "/a"), ("de", path))
        )
        for path in ("/b", "/c")
    }
    put_sitemap(box, ["/a", "/b", "/c", "/d"])
    both = heads["/b"] + heads["/c"].partition(">")[2].replace('"de"', '"fr"')
    put_page(box, "/a", head=both)
    put_page(box, "/b", head=APP)
    put_page(box, "/c")
    put_page(box, "/d")

    with audit(box) as result:
        judged = {
            str(dict(f.parameters)["other"]).removeprefix(box.site): (f.level, f.basis)
            for f in result.findings
            if f.rule == "hreflang-html-no-return"
        }

    assert judged == {"/b": ("warning", "unknown"), "/c": ("error", "observed")}


@pytest.mark.parametrize(("head", "is_same"), [(APP, False), ("", True)])
def test_pages_that_scripts_build_are_no_duplicates(box, head, is_same):
    put_sitemap(box, ["/a", "/b"])
    for path in ("/a", "/b"):
        box.put(path, html("App", head=head, body="<div id=app></div>"), kind="text/html")

    with audit(box) as result:
        assert found(result, box) == ({("duplicate-content", "/b")} if is_same else set())


def test_a_page_that_redirects_its_readers_is_no_orphan(box, tmp_path):
    put_page(box, "/", "/a", "/b")
    put_page(box, "/a", "/", "/b")
    put_page(box, "/b", "/", "/a")
    put_page(box, "/lost", "/a", "/b")
    put_page(box, "/moved", "/a", head=REFRESH)
    put_sitemap(box, ["/", "/a", "/b", "/lost", "/moved"])

    with audit(box, crawl=True) as result:
        rules = {(rule, path) for rule, path in found(result, box) if path in ("/lost", "/moved")}
        assert rules == {("orphan-url", "/lost"), ("meta-refresh", "/moved")}
        assert "Of 5 listed URLs 80.0 % are fine; 1 redirects" in result.summary
        result.report(tmp_path / "report.html")
        text = (tmp_path / "report.html").read_text("utf-8")
        assert '<div class="redirect"><dt>redirect</dt><dd>1</dd>' in text


@pytest.mark.parametrize("other", ["/b", "mailto:a@example.com"])
def test_pages_are_not_called_unlinked_after_a_page_with_too_many_links(other, box):
    put_sitemap(box, ["/", "/a", "/b", "/hidden"])
    rest = f'<a href="{other}">' + "<a href=/a>" * 9_999 + '<a href="/hidden">'
    put_page(box, "/", "/a", "/b", body=f'{rest}<a href="/hidden">')
    for path in ("/a", "/b", "/hidden"):
        put_page(box, path, "/", "/a", "/b")

    with audit(box, crawl=True) as result:
        coverage = result.coverage
        rules = {rule for rule, url in found(result, box) if url == "/hidden"}

    assert not coverage.is_complete
    assert coverage.reasons == ("link-limit: 1 URL of which only the first 10,000 links were read",)
    assert not {rule for rule in rules if "link" in rule or "orphan" in rule}


def test_links_of_a_page_below_the_limit_are_complete(box, tmp_path):
    put_sitemap(box, ["/", "/a", "/b"])
    put_page(box, "/", body="<a href=/a>" * 9_998 + "<a href=/b>")
    for path in ("/a", "/b"):
        put_page(box, path, "/", "/a", "/b")

    with crawl(box, tmp_path / "a.duckdb") as result:
        assert result.incomplete == ()
        assert result.is_complete

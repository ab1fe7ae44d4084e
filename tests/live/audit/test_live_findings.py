"""Defects that users of other auditors and link checkers reported, each as a test of ours."""

from __future__ import annotations

import gzip
import re

import pytest

import urlset
from tests.http_walks import quick
from tests.live_sites import (
    SITEMAPS,
    XHTML,
    audit,
    crawl,
    found,
    html,
    put_page,
    put_site,
    put_sitemap,
)
from tests.site_box import SiteBox, in_turn, page, redirect, reset

HTML = "text/html; charset=utf-8"


def rules(result, box: SiteBox, *names: str) -> set[str]:
    """Return the paths for which one of these rules has a finding."""
    return {path for rule, path in found(result, box) if rule in names}


# False orphans.


def test_partial_crawl_reports_no_orphan(box):
    paths = [f"/p{number}" for number in range(30)]
    put_site(box, {"/": paths, **{path: [] for path in paths}})

    result = audit(box, crawl=True, max_requests=10)

    assert rules(result, box, "orphan-url") == set()
    shown = " ".join((*result.incomplete, result.summary))
    assert "max-requests: " in shown
    assert "max-pages" not in shown


def test_crawl_with_a_page_that_fails_says_that_orphans_are_not_certain(box):
    put_site(box, {"/": ["/menu"], "/menu": ["/tea"], "/tea": []})
    box.put("/menu", "", 503)

    result = audit(box, crawl=True)

    orphans = [finding for finding in result.findings if finding.rule == "orphan-url"]
    assert {finding.basis for finding in orphans} == {"unknown"}
    assert rules(result, box, "orphan-url") == {"/tea"}
    assert rules(result, box, "url-unknown", "url-server-error") == {"/menu"}


def test_orphans_are_named_although_robots_txt_disallows_a_linked_page(box):
    put_site(
        box, {"/": ["/menu", "/search"], "/menu": [], "/tea": [], "/search": []}, ["/", "/tea"]
    )
    box.put_robots("User-agent: *", "Disallow: /search", f"Sitemap: {box.url('/sitemap.xml')}")

    result = audit(box, crawl=True)

    [orphan] = [finding for finding in result.findings if finding.rule == "orphan-url"]
    assert (orphan.loc, orphan.basis) == (box.url("/tea"), "unknown")
    assert "is seen to link" in orphan.message
    assert orphan.message.endswith("1 URL was not read, and may link to it")


def test_page_linked_without_its_slash_is_no_orphan(box):
    put_site(box, {"/": ["/guide", "/tea/"], "/guide/": [], "/tea": []})
    put_page(box, "/guide")
    put_page(box, "/tea/")

    assert rules(audit(box, crawl=True), box, "orphan-url") == set()


def test_page_linked_through_a_redirect_is_no_orphan(box):
    put_site(box, {"/": ["/old"], "/new": []})
    box.play("/old", redirect("/new", 301))

    assert rules(audit(box, crawl=True), box, "orphan-url") == set()


def test_link_of_a_page_to_itself_does_not_count(box):
    put_site(box, {"/": ["/tea"], "/tea": [], "/lost": ["/lost", "/lost#top", "/lost/"]})

    assert rules(audit(box, crawl=True), box, "orphan-url") == {"/lost"}


def test_home_page_is_found_by_its_path_and_is_no_orphan(box):
    put_site(box, {"/a": [], "/": ["/a", "/b"], "/b": []})

    assert rules(audit(box, crawl=True), box, "orphan-url") == set()


def test_listed_page_that_the_links_did_not_reach_is_visited_before_it_is_judged(box):
    put_site(box, {"/": ["/a"], "/a": [], "/lost": [], "/gone": []})
    box.put("/gone", "", 404)

    result = audit(box, crawl=True)

    assert rules(result, box, "orphan-url") == {"/lost"}, "an orphan answers 200"
    assert rules(result, box, "url-client-error") == {"/gone"}


# Pages that are missing from the sitemap.


def test_page_that_should_not_be_listed_is_not_missing(box):
    noindex = '<meta name="robots" content="noindex">'
    other = '<link rel="canonical" href="/tea">'
    refresh = '<meta http-equiv="refresh" content="0; url=/tea">'
    links = ["/tea", "/basket", "/tea?sort=price", "/old", "/moved", "/none", "/tea.zip"]
    put_site(box, {"/": links, "/tea": []})
    put_page(box, "/basket", head=noindex)
    put_page(box, "/tea?sort=price", head=other)
    box.play("/old", redirect("/tea", 301))
    put_page(box, "/moved", head=refresh)
    box.put("/tea.zip", "PK", kind="application/zip")

    assert rules(audit(box, crawl=True), box, "not-in-sitemap") == set()


@pytest.mark.slow
def test_a_page_that_only_reloads_itself_is_indexable(box):
    put_site(box, {"/": ["/tea", "/live"], "/tea": []})
    put_page(box, "/live", head='<meta http-equiv="refresh" content="60; url=./live#now">')

    assert rules(audit(box, crawl=True), box, "not-in-sitemap") == {"/live"}


def test_indexable_page_that_no_sitemap_lists_is_reported_with_the_page_that_links_to_it(box):
    put_site(box, {"/": ["/tea"], "/tea": ["/hidden"]})
    put_page(box, "/hidden")

    result = audit(box, crawl=True)

    [finding] = [f for f in result.findings if f.rule == "not-in-sitemap"]
    assert finding.loc == box.url("/hidden")
    assert dict(finding.parameters)["referrer"] == box.url("/tea")


def test_sample_judges_only_what_it_visited_and_counts_the_whole_sitemap(box):
    paths = [f"/p{number}" for number in range(200)]
    put_site(box, {path: [] for path in paths})

    result = audit(box, sample=20)

    pages = {hit.path for hit in box.hits if hit.path.startswith("/p")}
    assert len(pages) == 20
    assert rules(result, box, "not-in-sitemap", "orphan-url", "url-client-error") == set()
    assert "200" in str(result), "the denominator is the number of listed URLs"


# Pages that could not be looked at.


@pytest.mark.parametrize("status", [401, 403, 407, 429, 451, 503])
def test_refused_page_is_unknown_and_not_broken(box, status):
    put_site(box, {"/": [], "/tea": []})
    box.put("/tea", "No.", status)

    result = audit(box)

    [finding] = [f for f in result.findings if f.loc == box.url("/tea")]
    assert finding.basis == "unknown"
    assert finding.level != "error"


def test_challenge_of_a_firewall_is_unknown_whatever_its_status(box):
    put_site(box, {"/": [], "/a": [], "/b": []})
    box.put("/a", "<title>Just a moment", 403, kind=HTML, cf_mitigated="challenge")
    box.put("/b", "<title>Just a moment", 200, kind=HTML, cf_mitigated="challenge")

    assert rules(audit(box), box, "url-unknown") == {"/a", "/b"}


@pytest.mark.parametrize("failure", [page("", 429), page("", 500), page("", 503), reset])
def test_page_that_fails_once_is_fine(box, failure):
    put_site(box, {"/": [], "/tea": []})
    box.play("/tea", in_turn(failure, page(html("tea"), kind=HTML)))

    assert found(audit(box, retries=0), box) == set()


def test_page_that_refuses_head_is_fine(box):
    put_site(box, {"/": ["/tea"], "/tea": []})
    methods = []
    answer = page(html("tea"), kind=HTML)

    async def play(hit, wire):
        methods.append(hit.method)
        return await answer(hit, wire)

    box.play("/tea", play)

    assert found(audit(box, crawl=True), box) == set()
    assert set(methods) == {"GET"}


def test_server_that_fails_for_some_pages_ends_the_audit_in_time(box):
    put_site(box, {"/": [], **{f"/p{number}": [] for number in range(20)}})
    for number in range(10):
        box.play(f"/p{number}", reset)

    result = audit(box, retries=0)

    assert rules(result, box, "url-unreachable", "url-unknown") == {f"/p{n}" for n in range(10)}


# Sitemaps that are read in part.


def test_xml_error_in_entry_100_of_200_is_no_success(box):
    rows = [f"<url><loc>{box.url(f'/p{number}')}</loc></url>\n" for number in range(200)]
    rows[99] = "<url><loc>no end</lo\n"
    for number in range(200):
        put_page(box, f"/p{number}")
    box.put("/sitemap.xml", f'<urlset xmlns="{SITEMAPS}">\n{"".join(rows)}</urlset>')
    box.put_robots("Sitemap: /sitemap.xml")

    result = audit(box)

    visited = {path for path in box.paths if path.startswith("/p")}
    assert {f"/p{number}" for number in range(99)} <= visited
    assert {f"/p{number}" for number in range(101, 200)} <= visited, "entries after the error"
    assert [f for f in result.findings if (f.source or "").endswith("/sitemap.xml")]


def test_prefixed_elements_and_gzip_are_read(box):
    put_page(box, "/tea")
    put_page(box, "/coffee")
    text = (
        f'<s:urlset xmlns:s="{SITEMAPS}"><s:url><s:loc>{box.url("/tea")}</s:loc></s:url></s:urlset>'
    )
    box.put("/a.xml", text)
    packed = text.replace("/tea", "/coffee").encode()
    box.put("/b.xml.gz", gzip.compress(packed), kind="application/gzip")
    box.put_robots("Sitemap: /a.xml", "Sitemap: /b.xml.gz")

    audit(box)

    assert {"/tea", "/coffee"} <= set(box.paths)


def test_sitemap_that_fails_leaves_the_audit_running_and_is_reported(box):
    put_page(box, "/tea")
    put_sitemap(box, ["/tea"], "/good.xml")
    box.play("/bad.xml", reset)
    box.put_robots("Sitemap: /bad.xml", "Sitemap: /good.xml")

    result = audit(box, retries=0)

    assert rules(result, box, "sitemap-unreachable") == {"/bad.xml"}
    assert "/tea" in box.paths


def test_every_url_of_many_sitemaps_counts(box):
    for number in range(12):
        paths = [f"/s{number}/p{each}" for each in range(120)]
        put_sitemap(box, paths, f"/s{number}.xml")
    box.put_index("/sitemap.xml", [f"/s{number}.xml" for number in range(12)])
    box.put_robots("Sitemap: /sitemap.xml")

    result = audit(box, sample=10)

    assert "1,440" in str(result)


def test_site_without_robots_txt_is_audited(box):
    put_site(box, {"/": [], "/tea": []})
    box.put("/robots.txt", "", 404)

    audit(box)

    assert "/tea" in box.paths


# Canonical URLs and hreflang.


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("/%7Etea", "/~tea"),
        ("/~tea", "/%7etea"),
        ("/caf%C3%A9", "/café"),
        ("/tea", "/./tea"),
        ("/tea", "HTTP://LOCALHOST:{port}/tea"),
        ("/tea", "/tea#top"),
    ],
)
def test_canonical_that_differs_in_form_only_is_the_page_itself(path, canonical):
    with SiteBox("localhost") as box:
        put_sitemap(box, [path])
        href = canonical.replace("{port}", str(box.port))
        for spelling in (path, path.replace("%7E", "~")):  # a server serves both alike
            put_page(box, spelling, head=f'<link rel="canonical" href="{href}">')

        assert found(audit(box), box) == set()


def test_empty_path_of_the_home_page_is_its_slash(box):
    put_page(box, "/", head=f'<link rel="canonical" href="{box.site}">')
    put_sitemap(box, ["/"])

    assert found(audit(box), box) == set()


def alternates(box: SiteBox, **paths: str) -> str:
    return "".join(
        f'<link rel="alternate" hreflang="{language}" href="{box.url(path)}">'
        for language, path in paths.items()
    )


def test_hreflang_link_to_itself_is_no_return_link(box):
    put_sitemap(box, ["/a", "/b"])
    put_page(box, "/a", head=alternates(box, en="/a", de="/b"))
    put_page(box, "/b")

    assert rules(audit(box), box, "hreflang-html-no-return") == {"/a"}


def test_hreflang_link_from_a_third_page_is_no_return_link(box):
    put_sitemap(box, ["/a", "/b", "/c"])
    put_page(box, "/a", head=alternates(box, en="/a", de="/b"))
    put_page(box, "/b", head=alternates(box, de="/b", fr="/c"))
    put_page(box, "/c", head=alternates(box, fr="/c", de="/b", en="/a"))

    assert rules(audit(box), box, "hreflang-html-no-return") == {"/a", "/c"}


def test_hreflang_is_complete_if_sitemap_and_html_are_so_together(box):
    rows = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{box.url(path)}"/>'
        for language, path in (("en", "/a"), ("de", "/b"))
    )
    box.put(
        "/sitemap.xml",
        f'<urlset xmlns="{SITEMAPS}" xmlns:xhtml="{XHTML}"><url><loc>{box.url("/a")}</loc>{rows}'
        f"</url><url><loc>{box.url('/b')}</loc></url></urlset>",
    )
    box.put_robots("Sitemap: /sitemap.xml")
    put_page(box, "/a")
    put_page(box, "/b", head=alternates(box, en="/a", de="/b"))

    assert rules(audit(box), box, "hreflang-html-no-return", "hreflang-no-return-link") == set()


def test_hreflang_target_that_could_not_be_read_is_unknown(box):
    put_sitemap(box, ["/a", "/b"])
    put_page(box, "/a", head=alternates(box, en="/a", de="/b"))
    box.put("/b", "", 429)

    result = audit(box)

    assert rules(result, box, "hreflang-html-no-return", "hreflang-target-bad") == set()
    assert rules(result, box, "url-unknown") == {"/b"}


# Manners, and the second run.


def test_second_audit_asks_only_whether_pages_changed(box, tmp_path):
    paths = [f"/p{number}" for number in range(10)]
    put_sitemap(box, paths)
    sizes = []

    for path in paths:
        fresh, same = page(html(path), kind=HTML, etag='"1"'), page("", 304, etag='"1"')

        async def play(hit, wire, fresh=fresh, same=same):
            is_known = hit.headers.get("if-none-match") == '"1"'
            sizes.append(is_known)
            return await (same if is_known else fresh)(hit, wire)

        box.play(path, play)
    store = str(tmp_path / "site.duckdb")

    with audit(box, store=store) as first:
        assert found(first, box) == set()
    assert not any(sizes)
    sizes.clear()
    second = audit(box, store=store)

    assert len(sizes) == 10
    assert all(sizes)
    assert found(second, box) == set()


def test_robots_txt_is_requested_by_the_agent_that_it_is_obeyed_for(box):
    put_site(box, {"/": ["/tea"], "/tea": []})

    audit(box, crawl=True)

    agents = {hit.path: hit.headers["user-agent"] for hit in box.hits}
    assert len(set(agents.values())) == 1
    assert "/robots.txt" in agents
    assert re.match("urlset/", agents["/tea"])


def test_redirects_are_recorded_hop_by_hop(box, tmp_path):
    put_sitemap(box, ["/a"])
    box.play("/a", redirect("/b", 301))
    box.play("/b", redirect("/c", 302))
    put_page(box, "/c")
    store = str(tmp_path / "site.duckdb")

    audit(box, store=store)

    with urlset.Store.open(store, read_only=True) as opened:
        [(status, hops, final)] = opened.query(
            "SELECT status, redirects, final_url FROM pages WHERE url LIKE '%/a'"
        )
    assert (status, final) == (301, box.url("/c"))
    assert [(hop["url"], hop["status"]) for hop in hops] == [
        (box.url("/a"), 301),
        (box.url("/b"), 302),
    ]


# Redirects that end nowhere: an audit that follows links says the same as one that does not.


@pytest.mark.parametrize("follows_links", [False, True])
def test_redirects_that_end_nowhere_say_why(box, follows_links):
    with SiteBox("localhost") as other:
        put_site(box, {"/": ["/circle", "/script", "/to-script", "/long/0", "/over", "/gone"]})
        put_sitemap(box, ["/", "/circle", "/script", "/to-script", "/long/0", "/over", "/gone"])
        box.play("/circle", redirect("/back"))
        box.play("/back", redirect("/circle"))
        box.play("/script", redirect("javascript:alert(1)"))
        box.play("/to-script", redirect("/script"))
        for number in range(12):
            box.play(f"/long/{number}", redirect(f"/long/{number + 1}"))
        box.play("/over", redirect(other.url("/over")))
        other.play("/over", redirect(box.url("/over")))
        box.play("/gone", redirect(other.url("/gone")))

        result = audit(box, crawl=follows_links, policy=quick(allow_private=True, per_host=8))

    texts = {
        str(f.loc).removeprefix(box.site): f"{f.rule}: {f.message.replace(box.site, '')}"
        for f in result.findings
    }
    no_page = "redirects, but not to an http or https URL"
    assert texts["/circle"].endswith("never arrives: redirects in a circle: back to /circle")
    assert texts["/script"].startswith("redirect-loop")
    assert texts["/script"].endswith(no_page)
    assert texts["/to-script"].endswith(f"/script {no_page}")
    assert texts["/long/0"].endswith("never arrives: more than 10 redirects")
    assert texts["/over"].endswith("never arrives: redirects in a circle: back to /over")
    assert texts["/gone"].endswith("(HTTP 302), which returns HTTP 404")


# One verdict for a page that fails twice.


@pytest.mark.parametrize("failure", [500, 502, 503, 429, 403, 404, 418, "reset", "challenge"])
def test_crawl_and_audit_have_the_same_verdict(box, tmp_path, failure):
    put_site(box, {"/": ["/tea", "/menu"], "/tea": [], "/menu": []})
    if failure == "reset":
        box.play("/tea", reset)
    elif failure == "challenge":
        box.play("/tea", page(b"", 503, **{"cf-mitigated": "challenge"}))
    else:
        box.put("/tea", "", failure)
    query = "SELECT verdict, unknown_reason FROM pages WHERE ends_with(url, '/tea')"

    with crawl(box, tmp_path / "crawl.duckdb") as crawled:
        verdicts = [*crawled.query(query)]
    for is_crawl in (False, True):
        store = tmp_path / f"{is_crawl}.duckdb"
        audit(box, store=store, crawl=is_crawl).close()
        with urlset.Store(store) as kept:
            verdicts += kept.query(query)

    assert len(verdicts) == 3
    assert len(set(verdicts)) == 1

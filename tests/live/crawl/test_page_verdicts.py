"""Defects that users of other crawlers reported, each as a test of ours."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

import urlset
from tests.cli.test_process import posix
from tests.http_walks import quick
from tests.live_sites import crawl, html, put_page, put_site, put_sitemap
from tests.site_box import SiteBox, page, redirect, reset

HTML = "text/html; charset=utf-8"


def paths(result, box: SiteBox, where: str = "true") -> set[str]:
    """Return the paths of the visited pages that fulfil a condition."""
    rows = result.query(f"SELECT url FROM pages WHERE {where}")
    return {row[0].removeprefix(box.site) for row in rows}


def test_only_get_is_used_since_servers_answer_head_in_another_way(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})

    with crawl(box, tmp_path / "s.duckdb") as result:
        assert paths(result, box) == {"/", "/tea"}
    assert {hit.method for hit in box.hits} == {"GET"}


def test_robots_txt_is_requested_by_the_same_agent_as_the_pages(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})

    crawl(box, tmp_path / "s.duckdb").close()

    agents = {hit.headers["user-agent"] for hit in box.hits}
    assert len(agents) == 1
    assert "/robots.txt" in box.paths


def test_robots_txt_that_is_forbidden_means_no_rules(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})
    box.put("/robots.txt", "", 403)

    with crawl(box, tmp_path / "s.duckdb") as result:
        assert paths(result, box, "verdict = 'ok'") == {"/", "/tea"}


def test_site_without_robots_txt_is_crawled(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})
    box.put("/robots.txt", "", 404)

    with crawl(box, tmp_path / "s.duckdb") as result:
        assert paths(result, box, "verdict = 'ok'") == {"/", "/tea"}
        assert result.is_complete


def test_broken_link_is_reported_with_the_pages_that_have_it(box, tmp_path):
    put_site(box, {"/": ["/a", "/b"], "/a": ["/gone"], "/b": ["/gone", "/gone#x"]})
    box.put("/gone", "", 404)

    with crawl(box, tmp_path / "s.duckdb") as result:
        evidence = result.why(box.url("/gone"))

    assert evidence is not None
    assert evidence["status"] == 404
    assert evidence["referrer"] in {box.url("/a"), box.url("/b")}
    assert evidence["referrer_count"] == 2
    assert {each["url"] for each in evidence["referrers"]} == {box.url("/a"), box.url("/b")}


def test_every_url_keeps_all_the_ways_by_which_it_was_found(box, tmp_path):
    put_site(box, {"/": ["/tea", "/old"], "/tea": []})
    box.play("/old", redirect("/tea"))
    put_page(box, "/variant", head='<link rel="canonical" href="/tea">')
    put_page(box, "/", "/tea", "/old", "/variant")

    with crawl(box, tmp_path / "s.duckdb") as result:
        evidence = result.why(box.url("/tea"))

    assert evidence is not None
    assert {"link", "sitemap", "redirect", "canonical"} <= set(evidence["origins"])
    assert evidence["sitemaps"] == [box.url("/sitemap.xml")]


def test_crawl_that_was_stopped_is_not_called_complete_and_goes_on(box, tmp_path):
    names = [f"/p{number}" for number in range(20)]
    put_site(box, {"/": names, **{name: [] for name in names}}, listed=["/"])
    store = tmp_path / "s.duckdb"

    with crawl(box, store, max_pages=5) as result:
        assert not result.is_complete
        assert result.incomplete
        first = paths(result, box)
    with crawl(box, store) as result:
        assert result.is_complete
        assert paths(result, box) == {"/", *names}

    requests = [path for path in box.paths if path.startswith("/p")]
    assert len(requests) == len(set(requests)), "no page twice"
    assert len(first) == 5


@pytest.mark.promise
def test_interruption_loses_nothing_that_was_visited(box, tmp_path):
    names = [f"/p{number}" for number in range(40)]
    put_site(box, {"/": names, **{name: [] for name in names}})
    store = tmp_path / "s.duckdb"

    def stop(progress):
        if progress.urls >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crawl(box, store, progress=stop, concurrency=2, per_host=2)
    before = set(box.paths)
    with crawl(box, store) as result:
        assert result.is_complete
        assert paths(result, box) == {"/", *names}

    again = [path for path in box.paths if path in before and path.startswith("/p")]
    assert len(again) - len(set(again)) <= 10, "only what was in flight"


@posix
def test_killed_crawl_loses_only_what_was_in_flight(box, tmp_path):
    names = [f"/p{number}" for number in range(60)]
    put_site(box, {"/": names, **{name: [] for name in names}})
    store = tmp_path / "s.duckdb"
    code = (
        "import os, urlset\n"
        "def stop(progress):\n"
        "    if progress.urls >= 30:\n"
        "        os.kill(os.getpid(), 9)\n"
        "policy = urlset.Policy(proxies={}, concurrency=2, per_host=2)\n"
        f"urlset.crawl({box.site!r}, {str(store)!r}, policy=policy, progress=stop)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == -9

    with crawl(box, store) as result:
        assert result.is_complete
        assert paths(result, box) == {"/", *names}

    requests = [path for path in box.paths if path.startswith("/p")]
    assert len(requests) - len(set(requests)) <= 10


def test_second_crawl_visits_pages_that_the_sitemap_no_longer_lists(box, tmp_path):
    put_site(box, {"/": ["/tea", "/coffee"], "/tea": [], "/coffee": []})
    store = tmp_path / "s.duckdb"
    crawl(box, store).close()
    put_sitemap(box, ["/", "/tea"])
    put_page(box, "/coffee", body="Something new")
    before = len(box.paths)

    crawl(box, store).close()

    assert "/coffee" in box.paths[before:]


def test_page_with_more_links_than_any_queue_does_not_block(box, tmp_path):
    names = [f"/p{number}" for number in range(1_500)]
    put_site(box, {"/": names}, listed=["/"])
    box.otherwise = page(html("p", *names[:50]), kind=HTML)

    with crawl(box, tmp_path / "s.duckdb", concurrency=1) as result:
        assert len(paths(result, box)) == 1_501


def test_sitemap_that_fails_does_not_stop_the_crawl(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})
    box.play("/sitemap.xml", reset)

    with crawl(box, tmp_path / "s.duckdb", retries=0) as result:
        assert paths(result, box, "verdict = 'ok'") == {"/", "/tea"}
        assert (
            not result.is_complete
            or not result.query("SELECT 1 FROM pages WHERE is_listed").fetchall()
        )


def test_pages_that_only_the_sitemap_knows_are_visited(box, tmp_path):
    put_site(box, {"/": [], "/hidden": ["/deeper"]})
    put_page(box, "/deeper")

    with crawl(box, tmp_path / "s.duckdb") as result:
        assert paths(result, box) == {"/", "/hidden", "/deeper"}


def test_flaky_page_is_visited_again(box, tmp_path):
    put_site(box, {"/": ["/tea"], "/tea": []})
    good, bad = page(html("tea"), kind=HTML), page("", 500)

    async def play(hit, wire):
        return await (bad if hit.number == 1 else good)(hit, wire)

    box.play("/tea", play)

    with crawl(box, tmp_path / "s.duckdb", retries=0) as result:
        assert paths(result, box, "verdict = 'ok'") == {"/", "/tea"}
        assert result.is_complete


def test_delay_that_robots_txt_asks_for_is_kept(box, tmp_path):
    put_site(box, {"/": ["/a", "/b"], "/a": [], "/b": []})
    box.put_robots("User-agent: *", "Crawl-delay: 0.4")

    crawl(box, tmp_path / "s.duckdb", read_sitemaps=False).close()

    times = [hit.at for hit in box.hits if hit.path != "/robots.txt"]
    assert len(times) == 3
    assert min(b - a for a, b in itertools.pairwise(times)) >= 0.2


def test_stopped_crawl_is_a_fair_sample_of_the_sections(box, tmp_path):
    listed = [f"/{section}/{number}" for section in "abcd" for number in range(50)]
    put_site(box, {path: [] for path in listed})

    with crawl(box, tmp_path / "s.duckdb", max_pages=40, concurrency=2) as result:
        rows = list(
            result.query("SELECT section, count(*) FROM pages WHERE is_listed GROUP BY section")
        )

    assert len(rows) == 4
    counts = [row[1] for row in rows]
    assert max(counts) - min(counts) <= 2


def test_build_from_a_crawl_lists_only_pages_that_may_be_indexed(box, tmp_path):
    noindex = '<meta name="robots" content="noindex">'
    other = '<link rel="canonical" href="/tea">'
    put_site(box, {"/": ["/tea", "/basket", "/tea?v=2", "/old", "/gone"], "/tea": []}, listed=["/"])
    put_page(box, "/basket", head=noindex)
    put_page(box, "/tea?v=2", head=other)
    box.play("/old", redirect("/tea"))
    box.put("/gone", "", 404)
    store = tmp_path / "s.duckdb"
    crawl(box, store).close()

    urlset.build(f"crawl:{store}", tmp_path / "maps", base_url=box.site, policy=quick())
    written = (tmp_path / "maps" / "sitemap.xml").read_bytes()

    assert {entry.loc for entry in urlset.parse(written).entries} == {box.url("/"), box.url("/tea")}
    assert b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"' in written

"""Crawl of a small site: pages, links, evidence, completeness, and a second run."""

from typing import Any

import pytest

import urlset
from tests.site_box import SiteBox, page
from urlset.errors import SourceError, StoreError
from urlset.live.crawl import frontier

HTML = "text/html; charset=utf-8"
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


def put_pages(box, **pages):
    """Put HTML pages: ``a="/b /c"`` is a page /a with links to /b and /c."""
    for name, targets in pages.items():
        path = "/" if name == "home" else f"/{name}"
        links = "".join(f'<a href="{target}">x</a>' for target in targets.split())
        body = f"<html><title>{name}</title><body>{links}"
        box.put(path, body, kind=HTML, etag=f'"{name}"')


def put_sitemap(box, *paths):
    locs = "".join(f"<url><loc>{box.url(path)}</loc></url>" for path in paths)
    box.put("/sitemap.xml", SITEMAP.format(locs))


def crawl(box, output=None, **options):
    options = {"confirm_after_s": 0, **options}
    return urlset.crawl(box.site, output, policy=urlset.Policy(proxies={}), **options)


@pytest.fixture
def box():
    with SiteBox() as box:
        yield box


def paths(crawl, query):
    return [row[0].split("/", 3)[3] for row in crawl.query(query)]


def visits(box):
    """Return the paths of requests that only the crawl makes."""
    return [path for path in box.paths if "sitemap" not in path and path != "/robots.txt"]


def test_pages_that_are_linked_are_visited(box):
    put_pages(box, home="/a", a="/b", b="/ /a", c="")

    with crawl(box) as found:
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "a", "b"]
        assert found.is_complete
        assert found.incomplete == ()
        depths = found.query("SELECT depth FROM pages ORDER BY url")
        assert [row[0] for row in depths] == [0, 1, 2]


def test_listed_pages_are_visited_in_turn_over_the_sections(box):
    put_pages(box, home="")
    put_sitemap(box, "/a/1", "/a/2", "/a/3", "/b/1", "/b/2", "/c/1")

    with crawl(box, max_pages=4) as found:
        visited = paths(found, "SELECT url FROM pages WHERE is_listed")

    assert sorted(visited) == ["a/1", "b/1", "c/1"]


def test_a_url_has_its_evidence(box):
    put_pages(box, home="/a /b", a="/b", b="")
    put_sitemap(box, "/b")

    with crawl(box) as found:
        evidence = found.why(box.url("/b"))
        unknown = found.why(box.url("/other"))

    assert evidence is not None
    assert sorted(evidence["origins"]) == ["link", "sitemap"]
    assert (evidence["referrer_count"], evidence["depth"]) == (2, 1)
    assert evidence["sitemaps"] == [box.url("/sitemap.xml")]
    assert {row["url"] for row in evidence["referrers"]} == {box.url("/"), box.url("/a")}
    assert unknown is None


def test_spellings_of_one_url_are_visited_once(box):
    put_pages(box, home="/~x /%7Ex /%7ex#top /y/../~x")
    box.put("/~x", "<html>", kind=HTML)

    with crawl(box) as found:
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "~x"]

    assert box.paths.count("/~x") == 1


@pytest.mark.promise
def test_robots_txt_is_obeyed(box):
    put_pages(box, home="/open /closed/a", open="")
    box.put_robots("User-agent: *", "Disallow: /closed/")

    with crawl(box) as found:
        (row,) = found.query("SELECT url, status FROM pages WHERE verdict = 'disallowed'")

        assert row == (box.url("/closed/a"), None)
        assert found.incomplete == ("robots: 1 URL disallowed by robots.txt",)

    assert "/closed/a" not in box.paths


def test_a_robots_txt_read_by_a_clock_in_the_future_is_read_again(box, tmp_path):
    put_pages(box, home="/a", a="")
    box.put_robots("User-agent: *", "Disallow: /a")
    with crawl(box, tmp_path / "c.duckdb"):
        pass
    with urlset.Store.open(tmp_path / "c.duckdb") as store, store.session() as session:
        session.run("UPDATE store.robots SET read_at = now() + INTERVAL 10 YEAR")
    box.put_robots("User-agent: *", "Allow: /")

    with crawl(box, tmp_path / "c.duckdb", read_sitemaps=False) as found:
        assert found.verdicts["ok"] == 2


def test_a_robots_txt_that_fails_disallows_everything_for_now(box):
    put_pages(box, home="/a")
    box.put("/robots.txt", b"", 503)

    with urlset.crawl(
        box.site, policy=urlset.Policy(proxies={}, backoff_s=0.01), read_sitemaps=False
    ) as found:
        assert found.verdicts == {"unknown": 1}
        assert "503" in found.incomplete[1]
        assert list(found.query("SELECT excluded_by FROM frontier")) == [("robots",)]

    assert visits(box) == []


def test_redirects_are_recorded_hop_by_hop(box):
    put_pages(box, home="/one", end="")
    box.play("/one", page(b"", 301, location="/two"))
    box.play("/two", page(b"", 302, location="/end"))

    with crawl(box) as found:
        (row,) = found.query(
            "SELECT verdict, status, final_url, final_status, redirects FROM pages "
            "WHERE ends_with(url, '/one')"
        )

    hops = [{"url": box.url("/one"), "status": 301}, {"url": box.url("/two"), "status": 302}]
    assert row == ("redirect", 301, box.url("/end"), 200, hops)
    assert box.paths.count("/end") == 1


def test_a_redirect_loop_is_found(box):
    put_pages(box, home="/one /self")
    box.play("/one", page(b"", 301, location="/two"))
    box.play("/two", page(b"", 301, location="/one"))
    box.play("/self", page(b"", 301, location="/self"))

    with crawl(box) as found:
        loops = paths(found, "SELECT url FROM pages WHERE verdict = 'redirect-loop' ORDER BY url")

    assert loops == ["one", "self", "two"]
    assert box.paths.count("/one") == 1


@pytest.mark.parametrize("status", [401, 403, 407, 429, 451, 503])
def test_a_refusal_is_unknown_and_not_broken(box, status):
    put_pages(box, home="/a")
    box.put("/a", b"no", status)

    with crawl(box) as found:
        query = "SELECT verdict, unknown_reason, attempts FROM pages WHERE ends_with(url, '/a')"
        assert list(found.query(query)) == [("unknown", f"http-{status}", 2)]
        assert found.incomplete == ("failed: 1 URL without a usable response",)


def test_a_server_error_is_confirmed_by_a_second_visit(box):
    put_pages(box, home="/down /moment", moment="")
    box.put("/down", b"", 500)
    good = box.players["/moment"]

    async def once(hit, wire):
        return await (page(b"", 503) if hit.number == 1 else good)(hit, wire)

    box.play("/moment", once)

    with crawl(box) as found:
        query = "SELECT verdict, status FROM pages WHERE url <> ? ORDER BY url"
        rows = list(found.store.query(query, [box.url("/")]))

    assert rows == [("server-error", 500), ("ok", 200)]
    assert (box.paths.count("/down"), box.paths.count("/moment")) == (2, 2)


def test_a_missing_page_is_gone_after_one_visit(box):
    put_pages(box, home="/lost")

    with crawl(box) as found:
        assert found.verdicts == {"gone": 1, "ok": 1}

    assert box.paths.count("/lost") == 1


def test_other_hosts_are_not_visited(box):
    put_pages(box, home="https://other.example/ //other.example/b mailto:me@example.com /a", a="")

    with crawl(box) as found:
        assert found.verdicts == {"ok": 2}
        assert found.is_complete
        (row,) = found.query("SELECT excluded_by FROM frontier WHERE url LIKE '%other.example/'")
        assert row == ("scope: other host",)


@pytest.mark.parametrize(
    ("options", "expected", "reason"),
    [
        ({"max_depth": 1}, ["", "a", "b"], "max-depth: 1 URL deeper than the limit"),
        ({"max_pages": 2}, ["", "a"], "max-pages: 2 URLs not visited"),
        ({"exclude": "/a$"}, ["", "b"], "exclude: 1 URL with a match of exclude"),
        ({"include": "/a$"}, ["", "a"], "include: 2 URLs without a match of include"),
        ({"max_minutes": 0}, [], "max-minutes: 1 URL not visited"),
    ],
)
def test_a_limit_is_a_reason_why_a_crawl_is_not_complete(box, options, expected, reason):
    put_pages(box, home="/a /b", a="/c", b="", c="")

    with crawl(box, **options) as found:
        assert paths(found, "SELECT url FROM pages ORDER BY url") == expected
        assert found.incomplete == (reason,)
        assert not found.is_complete


@pytest.mark.parametrize("options", [{"include": "/a$"}, {"exclude": "/$|/b$"}])
@pytest.mark.parametrize("follow_links", [False, True])
def test_the_start_is_visited_whatever_the_patterns_select(box, options, follow_links):
    put_pages(box, home="/a /b", a="", b="")
    box.put("/sitemap.txt", box.url("/a"), kind="text/plain")

    with crawl(box, follow_links=follow_links, **options) as found:
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "a"]


def test_a_folder_is_a_scope(box):
    put_pages(box, home="")
    box.put("/docs/", '<a href="a">a</a><a href="/other">o</a>', kind=HTML)
    box.put("/docs/a", "<html>", kind=HTML)

    with urlset.crawl(
        box.url("/docs/"), policy=urlset.Policy(proxies={}), scope="folder", confirm_after_s=0
    ) as found:
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["docs/", "docs/a"]


def test_a_second_run_asks_for_changes_only(box, tmp_path):
    put_pages(box, home="/a", a="/b", b="")

    def revalidated(body, tag):
        async def play(hit, wire):
            same = hit.headers.get("if-none-match") == tag
            known = page(b"", 304, etag=tag) if same else page(body, kind=HTML, etag=tag)
            return await known(hit, wire)

        return play

    for path, links in {"/": '<a href="/a">', "/a": '<a href="/b">', "/b": ""}.items():
        box.play(path, revalidated(f"<title>{path}</title><body>{links}".encode(), f'"{path}"'))
    crawl(box, tmp_path / "site.duckdb").close()
    with crawl(box, tmp_path / "site.duckdb") as found:
        rows = list(
            found.query("SELECT title, crawl, is_from_cache, depth FROM pages ORDER BY url")
        )

        # The home page is that of the search for sitemaps, which has no condition.
        assert rows == [("/", 2, False, 0), ("/a", 2, True, 1), ("/b", 2, True, 2)]
        assert found.is_complete
        assert found.number == 2


@pytest.mark.parametrize(("status", "expected"), [(404, (False, None)), (500, (True, 1))])
def test_a_page_is_listed_until_the_sitemap_is_gone(box, tmp_path, status, expected):
    put_pages(box, home="/a", a="")
    put_sitemap(box, "/", "/a")
    crawl(box, tmp_path / "site.duckdb").close()
    box.put("/sitemap.xml", "", status)

    with crawl(box, tmp_path / "site.duckdb") as found:
        rows = list(found.query("SELECT DISTINCT is_listed FROM pages"))
        documents = list(found.query("SELECT document FROM documents"))

    assert (rows[0][0], documents[0][0] if documents else None) == expected


def test_a_changed_page_keeps_its_previous_fingerprint(box, tmp_path):
    output = tmp_path / "site.duckdb"
    put_pages(box, home="")
    box.put("/", "<html><body><p>one two three", kind=HTML)
    with crawl(box, output) as found:
        ((before,),) = found.query("SELECT fingerprint FROM pages")
    box.put("/", "<html><body><p>four five six", kind=HTML)

    with crawl(box, output) as found:
        ((after, previous),) = found.query("SELECT fingerprint, previous_fingerprint FROM pages")

    assert previous == before != after


def test_a_raised_limit_continues_the_crawl(box, tmp_path):
    put_pages(box, home="/a", a="/b", b="/c", c="")
    output = tmp_path / "site.duckdb"
    crawl(box, output, max_pages=2).close()

    with crawl(box, output, max_pages=4) as found:
        assert found.is_complete
        assert found.number == 1

    assert [visits(box).count(path) for path in ("/a", "/b", "/c")] == [1, 1, 1]


def test_a_store_of_another_site_is_not_used(box, tmp_path):
    put_pages(box, home="")
    crawl(box, tmp_path / "site.duckdb").close()

    with pytest.raises(StoreError, match="name another file"):
        urlset.crawl("https://other.example/", tmp_path / "site.duckdb")


@pytest.mark.parametrize("site", ["ftp://example.com/", "example.com", ""])
def test_a_start_that_is_no_url_is_reported(site):
    with pytest.raises(SourceError, match="expected an http or https URL"):
        urlset.crawl(site)


@pytest.mark.parametrize("options", [{"max_pages": -1}, {"include": "("}, {"scope": "all"}])
def test_invalid_options_are_reported(options):
    with pytest.raises(ValueError, match="expected"):
        urlset.crawl("https://example.com/", **options)


def test_the_tables_are_arrow_streams(box):
    put_pages(box, home="/a", a="")

    with crawl(box) as found:
        assert found.pages.to_polars()["url"].to_list() == [box.url("/"), box.url("/a")]
        assert found.links.to_arrow().num_rows == 1
        assert len(found.frontier) == 2
        assert repr(found) == f"<Crawl of {box.url('/')}: 2 pages>"
        assert "<table>" in found._repr_html_()


def test_facts_of_pages_are_stored(box):
    body = b"""<html lang=de><head><title>T</title>
    <link rel=canonical href="/other"><meta name=bingbot content="noindex, nofollow">
    <link rel=alternate hreflang=en href=/en><meta property="article:modified_time"
    content="2026-01-02T03:04:05Z"></head><body><main><p>Text <img src=/i.png></main>"""
    box.put("/", body, kind=HTML, link="</fr>; rel=alternate; hreflang=fr")

    with crawl(box, follow_links=False) as found:
        ((row),) = found.pages
        values = dict(zip(found.pages.columns, row, strict=True))

    assert values["language"] == "de"
    assert values["canonical"] == box.url("/other")
    assert values["canonicals"] == [{"url": box.url("/other"), "origin": "head"}]
    assert values["robots"] == ["bingbot: noindex", "bingbot: nofollow"]
    assert values["is_noindex"] is True
    assert values["is_indexable"] is False
    assert [(a["hreflang"], a["origin"]) for a in values["alternates"]] == [
        ("en", "head"),
        ("fr", "header"),
    ]
    assert values["lastmod"].isoformat() == "2026-01-02T03:04:05+00:00"
    assert values["images"] == [box.url("/i.png")]


def test_the_host_to_which_the_start_redirects_is_visited_and_no_other(box):
    with SiteBox() as other, SiteBox() as third:
        other.put("/", f'<a href="/a">a</a><a href="{third.url("/x")}">x</a>', kind="text/html")
        other.put("/a", "<title>a</title>a", kind="text/html")
        box.put("/", b"", 301, location=other.url("/"))

        policy = urlset.Policy(proxies={}, allow_private=True)
        with urlset.crawl(box.site, policy=policy, confirm_after_s=0) as found:
            assert found.verdicts["ok"] == 2

        assert {"/", "/a"} <= set(other.paths)
        assert third.paths == []


def test_listed_pages_of_the_host_to_which_the_start_redirects_are_visited(box, tmp_path):
    policy = urlset.Policy(proxies={}, allow_private=True)
    options: dict[str, Any] = {"policy": policy, "confirm_after_s": 0, "exclude": "odd"}
    store = tmp_path / "site.duckdb"
    with SiteBox() as other:
        put_pages(other, home="/tea", tea="", alone="", odd="")
        put_sitemap(other, "/", "/tea", "/alone", "/odd")
        box.put("/robots.txt", f"Sitemap: {other.url('/sitemap.xml')}", kind="text/plain")
        box.put("/", b"", 301, location=other.url("/"))

        with urlset.crawl(box.site, store, max_pages=2, **options) as first:
            assert first.verdicts == {"redirect": 1, "ok": 1}
        with urlset.crawl(box.site, store, **options) as found:
            rows = set(found.query("SELECT url, verdict, is_listed FROM pages"))
            query = "SELECT url, excluded_by FROM frontier WHERE state = 'excluded'"
            excluded = list(found.query(query))

        assert rows == {
            (box.url("/"), "redirect", False),
            (other.url("/"), "ok", True),
            (other.url("/tea"), "ok", True),
            (other.url("/alone"), "ok", True),
        }
        assert [visits(other).count(path) for path in ("/tea", "/alone")] == [1, 1]
        assert excluded == [(other.url("/odd"), "exclude")]


OTHER_OPTIONS = [
    ({}, {"exclude": "/x"}, ["", "a", "a/b", "b"]),
    ({}, {"include": r"\d/[ab]$"}, ["", "a", "b"]),
    ({"exclude": "/x"}, {}, ["", "a", "a/b", "b", "x", "x/y"]),
    ({"include": "/x"}, {"exclude": "/x"}, ["", "a", "a/b", "b", "x"]),
    ({"max_depth": 1}, {"max_depth": 2}, ["", "a", "a/b", "b", "x", "x/y"]),
    ({}, {"max_depth": 1}, ["", "a", "b", "x"]),
]


@pytest.mark.parametrize(("first", "then", "expected"), OTHER_OPTIONS)
def test_a_crawl_is_continued_with_other_options(box, tmp_path, first, then, expected):
    """They decide about all URLs that are not visited yet, with those found before."""
    put_pages(box, home="/a /b /x", a="/a/b", b="", x="/x/y")
    box.put("/a/b", "<html>", kind=HTML)
    box.put("/x/y", "<html>", kind=HTML)
    crawl(box, tmp_path / "c.duckdb", max_pages=2 if "include" in first else 1, **first).close()

    with crawl(box, tmp_path / "c.duckdb", **then) as found:
        assert found.number == 1
        assert paths(found, "SELECT url FROM pages ORDER BY url") == expected
        waiting = found.query("SELECT count(*) FROM frontier WHERE state = 'waiting'")
        assert list(waiting) == [(0,)]
        assert len(visits(box)) == len(expected)
        ((requests,),) = found.query("SELECT request_count FROM crawls")
        assert requests == len(expected)


def test_links_of_pages_that_were_visited_without_them_are_followed(box, tmp_path):
    put_pages(box, home="/a /b", a="", b="", c="")
    put_sitemap(box, "/c")
    crawl(box, tmp_path / "c.duckdb", max_pages=1, follow_links=False).close()

    with crawl(box, tmp_path / "c.duckdb") as found:
        assert found.number == 1
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "a", "b", "c"]
        assert found.is_complete


def test_listed_pages_are_excluded_by_other_options(box, tmp_path):
    put_pages(box, home="", a="", x="")
    put_sitemap(box, "/a", "/x")
    crawl(box, tmp_path / "c.duckdb", max_pages=1).close()

    with crawl(box, tmp_path / "c.duckdb", exclude="/x") as found:
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "a"]
        assert found.incomplete == ("exclude: 1 URL with a match of exclude",)

    with crawl(box, tmp_path / "c.duckdb") as found:
        assert found.number == 2
        assert found.is_complete


def test_a_search_for_sitemaps_that_failed_is_a_reason(box, tmp_path):
    """The listed URLs of before are kept, and not known to be all."""
    put_pages(box, home="", a="")
    put_sitemap(box, "/a")
    crawl(box, tmp_path / "c.duckdb").close()
    box.put("/sitemap.xml", b"", 503)
    policy = urlset.Policy(proxies={}, retries=0)

    with urlset.crawl(box.site, tmp_path / "c.duckdb", confirm_after_s=0, policy=policy) as found:
        assert not found.is_complete
        (reason,) = found.incomplete
        assert reason.startswith(f"sitemaps: {box.url('/')}: no sitemap found: tried ")
        assert f"1 failed ({box.url('/sitemap.xml')}: HTTP 503" in reason
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "a"]

    put_sitemap(box, "/a")
    with crawl(box, tmp_path / "c.duckdb") as found:
        assert found.is_complete


def test_a_search_for_sitemaps_that_failed_is_repeated_when_the_crawl_is_continued(box, tmp_path):
    put_pages(box, home="/a", a="", b="")
    box.put("/sitemap.xml", b"", 503)
    policy = urlset.Policy(proxies={}, retries=0)
    options: dict[str, Any] = {"confirm_after_s": 0, "policy": policy}
    urlset.crawl(box.site, tmp_path / "c.duckdb", max_pages=1, **options).close()
    put_sitemap(box, "/b")

    with urlset.crawl(box.site, tmp_path / "c.duckdb", **options) as found:
        assert found.number == 1
        assert found.is_complete
        assert paths(found, "SELECT url FROM pages ORDER BY url") == ["", "a", "b"]


@pytest.mark.parametrize("settings", [None, "", "[]", "{", "[" * 100_000, '{"exclude": {}}'])
def test_settings_of_a_store_that_are_not_ours_are_other_options(box, tmp_path, settings):
    put_pages(box, home="/a", a="")
    crawl(box, tmp_path / "c.duckdb", max_pages=1).close()
    with urlset.Store.open(tmp_path / "c.duckdb") as store, store.session() as session:
        session.run("UPDATE store.crawls SET settings = ?", (settings,))

    with crawl(box, tmp_path / "c.duckdb") as found:
        assert found.verdicts == {"ok": 2}


def test_other_options_apply_to_many_waiting_urls(box, tmp_path):
    """More than are read at once."""
    put_pages(box, home="")
    count = 3 * frontier.MAX_ADDED + 1
    box.put("/sitemap.txt", "\n".join(box.url(f"/x/{n}") for n in range(count)).encode())
    crawl(box, tmp_path / "c.duckdb", max_pages=1).close()

    with crawl(box, tmp_path / "c.duckdb", exclude="/x/") as found:
        states = found.query("SELECT state, excluded_by, count(*) FROM frontier GROUP BY ALL")
        assert set(states) == {("done", None, 1), ("excluded", "exclude", count)}

"""The store, filled from a site in a box: what came over HTTP, robots.txt, every request."""

import urllib.parse
from contextlib import nullcontext
from typing import Any

import pytest

import urlset
from tests import site_box
from tests.http_walks import quick
from tests.reader.test_site import small_site
from tests.site_box import SiteBox
from urlset.store import Store


@pytest.fixture
def store():
    with Store.open() as store:
        yield store


def asked(store: Store, query: str, box: SiteBox) -> list[tuple[object, ...]]:
    """The rows of an answer, with paths in place of the URLs of the box."""
    return [
        tuple(v.removeprefix(box.site) if isinstance(v, str) else v for v in row)
        for row in store.query(query)
    ]


def test_documents_have_the_facts_of_http(store, box: SiteBox, engine):
    small_site(box)
    body = site_box.urlset_of(box.url("/a.xml"), 3)
    headers: Any = {"etag": '"1"', "last_modified": "Sat, 31 Jan 2026 10:00:00 GMT"}
    box.play("/old.xml", site_box.redirect("/a.xml"))
    box.put("/a.xml", body, kind="text/xml", **headers)
    box.put_index("/s.xml", ["/old.xml", "/gone.xml", "/b.xml"])

    store.fill(urlset.read(box.site, policy=quick(), engine=engine.name))

    query = (
        "SELECT source, url, parent, how, declared_by, status, content_type, etag, last_modified, "
        "wire_size, error, seconds > 0, is_from_cache FROM documents ORDER BY source"
    )
    rows = {str(row[0]): row[1:] for row in asked(store, query, box)}
    assert rows["/old.xml"] == (
        *("/a.xml", "/s.xml", "index", "/robots.txt", 200, "text/xml"),
        *('"1"', headers["last_modified"], len(body), None, True, False),
    )
    assert rows["/gone.xml"][4:5] == (404,)
    assert rows["/gone.xml"][9] == "HTTP 404 Not Found"
    assert rows["/s.xml"][:4] == ("/s.xml", "/robots.txt", "robots", "/robots.txt")


def test_robots_has_its_lines_its_text_and_its_problems(store, box: SiteBox):
    text = "User-agent: *\nCrawl-delay: 0\n\nsite-map: /s.xml\nSitemap: /t.xml # 'x'\n"
    box.put("/robots.txt", text, kind="text/plain")
    box.put_urlset("/s.xml")
    box.put_urlset("/t.xml")

    store.fill(urlset.read(box.site, policy=quick()))

    [row] = store.query("SELECT url, state, status, size, text, sitemaps, error FROM robots")
    assert row[1:5] == ("read", 200, len(text), text)
    assert [tuple(line.values()) for line in row[5]] == [
        (box.url("/s.xml"), 4),
        (box.url("/t.xml"), 5),
    ]
    assert row[6] is None
    problems = asked(
        store, "SELECT document, source, code, line FROM problems WHERE code LIKE 'R%'", box
    )
    assert (None, "/robots.txt", "R003", 4) in problems


@pytest.mark.parametrize(("status", "state"), [(404, "absent"), (500, "unreachable")])
def test_robots_that_is_not_there(store, box: SiteBox, status, state):
    box.put("/robots.txt", "Sitemap: /no.xml", status)
    box.put_urlset("/sitemap.xml")

    # A robots.txt that cannot be read disallows the search (RFC 9309, section 2.3.1.4).
    is_read = nullcontext() if status == 404 else pytest.raises(urlset.SourceError)
    with is_read:
        store.fill(urlset.read(box.site, policy=quick(retries=0)))

    query = "SELECT state, status, text, len(sitemaps), error IS NULL FROM robots"
    assert list(store.query(query)) == [(state, status, None, 0, state == "absent")]


def test_fetches_has_a_row_for_every_url_that_was_asked_for(store, box: SiteBox):
    small_site(box)
    box.play("/b.xml", site_box.in_turn(site_box.page(b"", 503), site_box.redirect("/c.xml")))
    box.put_urlset("/c.xml", 2)

    store.fill(urlset.read(box.site, policy=quick()))

    query = (
        "SELECT source, why, url, status, len(redirects), attempts, error, wire_size > 0, "
        "seconds >= 0 FROM fetches ORDER BY source"
    )
    assert asked(store, query, box) == [
        ("/", "home", "/", 404, 0, 1, "status", True, True),
        ("/a.xml", "index", "/a.xml", 200, 0, 1, None, True, True),
        ("/b.xml", "index", "/c.xml", 200, 1, 2, None, True, True),
        ("/gone.xml", "index", "/gone.xml", 404, 0, 1, "status", True, True),
        ("/robots.txt", "robots.txt", "/robots.txt", 200, 0, 1, None, True, True),
        ("/s.xml", "robots", "/s.xml", 200, 0, 1, None, True, True),
    ]


def test_what_no_answer_came_for_is_reported(store, box: SiteBox):
    box.put_index("/s.xml", ["/a.xml", "/cut.xml"])
    box.play("/a.xml", site_box.hang_up)
    box.play("/cut.xml", site_box.cut(site_box.urlset_of("http://e.com", 9), 300))

    store.fill(urlset.read(box.url("/s.xml"), policy=quick(retries=0)))

    fetches = asked(store, "SELECT source, status, is_whole, error FROM fetches", box)
    assert sorted(fetches, key=str)[:2] == [
        ("/a.xml", None, False, "connect"),
        ("/cut.xml", 200, False, "cut"),
    ]
    query = "SELECT source, entry_count > 0, error IS NULL FROM documents WHERE depth = 1"
    assert sorted(asked(store, query, box), key=str) == [
        ("/a.xml", False, False),
        ("/cut.xml", True, False),
    ]


def test_second_reading_replaces_the_first_with_its_cache(store, box: SiteBox, tmp_path):
    url = box.put("/s.xml", site_box.urlset_of("http://e.com", 3), etag='"1"')
    box.put_robots(f"Sitemap: {url}")
    store.fill(urlset.read(box.site, policy=quick(), cache=tmp_path))
    box.put("/s.xml", b"", 304)
    box.put_robots(f"Sitemap: {url}", "# longer")

    store.fill(urlset.read(box.site, policy=quick(), cache=tmp_path))

    query = "SELECT status, wire_size, is_from_cache, entry_count FROM documents"
    assert list(store.query(query)) == [(200, 0, True, 3)]
    assert list(store.query("SELECT count(*), bool_or(text LIKE '%longer') FROM robots")) == [
        (1, True)
    ]
    query = "SELECT count(*), count(DISTINCT source) FROM fetches"
    assert list(store.query(query)) == [(3, 3)]
    assert list(store.query("SELECT count(*), count(DISTINCT loc) FROM entries")) == [(3, 3)]


def test_rules_over_files_can_be_asked(store, box: SiteBox):
    """What the next rules need: duplicates over files, scope, stale dates, return links."""
    box.put_robots("Sitemap: /deep/s.xml")
    box.put_index("/deep/s.xml", ["/deep/a.xml", "/deep/b.xml"])
    box.put("/deep/a.xml", site_box.urlset_of(box.url("/deep/a.xml"), 2))
    box.put("/deep/b.xml", site_box.urlset_of(box.url("/deep/a.xml"), 1))
    host = urllib.parse.urlsplit(box.site).hostname

    store.fill(urlset.read(box.site, policy=quick()))

    twice = "SELECT loc, list(source ORDER BY source) FROM entries GROUP BY loc HAVING count(*) > 1"
    [(loc, sources)] = store.query(twice)
    assert loc == box.url("/deep/a.xml/0")
    assert sources == [box.url("/deep/a.xml"), box.url("/deep/b.xml")]
    outside = (
        "SELECT count(*) FROM entries JOIN documents USING (document) "
        "WHERE NOT starts_with(entries.loc, url_folder(documents.url))"
    )
    assert list(store.query(outside)) == [(0,)]
    assert list(store.query("SELECT DISTINCT url_host(url) FROM documents")) == [(host,)]

"""The robots.txt of each host of a site walk: requests, rules and declarations."""

from tests import site_box
from tests.http_walks import quick
from tests.site_box import SiteBox, index_of, urlset_of
from urlset.http import Response, drive_in_thread
from urlset.reader import DocumentRecord, read
from urlset.reader.site_walk import SiteWalk


def walk(*urls: str, **options: object) -> tuple[SiteWalk, dict[str, DocumentRecord]]:
    made = SiteWalk(urls, robots=True, **options)  # type: ignore[arg-type]
    records = {str(v.record.source): v.record for v in drive_in_thread(made, quick())}
    return made, records


def test_sitemap_that_a_robots_txt_declares_and_forbids(box: SiteBox):
    box.put_robots("User-agent: *", "Disallow: /b", "Sitemap: /s.xml")
    url = box.put_index("/s.xml", ["/a.xml", "/b.xml"])
    a, b = box.put_urlset("/a.xml"), box.put_urlset("/b.xml")

    made, records = walk(url)

    robots = box.url("/robots.txt")
    assert {u: (r.how, r.declared_by, r.disallowed_by) for u, r in records.items()} == {
        url: ("given", robots, None),
        a: ("index", robots, None),
        b: ("index", robots, robots),
    }
    assert box.paths[:2] == ["/robots.txt", "/s.xml"]
    assert [line.url for line in made.robots_cache.files[box.site].sitemaps] == [url]
    assert [(t.url, t.how, t.outcome) for t in made.attempts] == [(robots, "robots", "found")]


def test_each_host_is_asked_once_and_before_its_documents(box: SiteBox):
    with SiteBox() as other:
        children = [f"/{n}.xml" for n in range(5)]
        for child in children:
            box.put_urlset(child)
            other.put_urlset(child)
        other.put_robots("User-agent: *", "Disallow: /3", "Sitemap: /4.xml")
        first = box.put_index("/s.xml", [*children, *map(other.url, children)])
        second = box.put_urlset("/t.xml")

        made, records = walk(first, second)

        robots = other.url("/robots.txt")
        assert box.paths[0] == other.paths[0] == "/robots.txt"
        assert box.paths.count("/robots.txt") == other.paths.count("/robots.txt") == 1
        assert (len(box.paths), len(other.paths)) == (8, 6)
        assert records[other.url("/3.xml")].disallowed_by == robots
        assert [u for u, r in records.items() if r.declared_by] == [other.url("/4.xml")]
        assert {o: r.state for o, r in made.robots_cache.files.items()} == {
            box.site: "absent",
            other.site: "read",
        }


def test_robots_txt_that_fails_is_reported_and_its_documents_are_read(box: SiteBox):
    box.put("/robots.txt", b"oops", 500)
    url = box.put_urlset("/s.xml", 2)

    _, records = walk(url)

    assert (records[url].entries, records[url].disallowed_by) == (2, None)
    assert str(records[box.url("/robots.txt")].error).startswith("HTTP 500")


def test_crawl_delay_of_the_host_is_kept():
    made = SiteWalk(["https://example.com/s.xml", "https://other.example/s.xml"], robots=True)
    answers = {
        "https://example.com/robots.txt": b"User-agent: *\nCrawl-delay: 2.5",
        "https://other.example/robots.txt": b"",
    }

    delays = {}
    while request := made.next_request():
        delays[request.url] = request.delay_s
        body = answers.get(request.url, urlset_of("https://example.com", 1))
        list(made.handle(Response(request, request.url, 200, body=body)))

    assert delays == {
        "https://example.com/robots.txt": 0.0,
        "https://example.com/s.xml": 2.5,
        "https://other.example/robots.txt": 0.0,
        "https://other.example/s.xml": 0.0,
    }


def test_documents_wait_for_the_robots_txt_of_their_host():
    made = SiteWalk([f"https://example.com/{n}.xml" for n in range(3)], robots=True)

    robots = made.next_request()
    assert robots is not None
    assert (robots.url, made.next_request()) == ("https://example.com/robots.txt", None)
    list(made.handle(Response(robots, robots.url, 404)))
    asked = [request.url for request in iter(made.next_request, None)]

    assert asked == [f"https://example.com/{n}.xml" for n in range(3)]


def test_robots_txt_of_a_site_is_asked_for_once(box: SiteBox):
    box.put_robots("Sitemap: /s.xml")
    box.put_urlset("/s.xml", 2)

    entries = read(box.site, read_robots=True, policy=quick())

    assert len(list(entries)) == 2
    assert box.paths.count("/robots.txt") == 1


def test_location_rule_holds_for_a_sitemap_alone(box: SiteBox):
    # What lies above its folder is in scope if a robots.txt declares the sitemap (A.6).
    url = box.put("/maps/s.xml", urlset_of(box.site, 2))
    box.put_robots("Sitemap: /maps/s.xml")

    assert len(list(read(url, scope="sitemap", read_robots=True, policy=quick()))) == 2
    assert list(read(url, scope="sitemap", policy=quick())) == []
    assert box.paths.count("/robots.txt") == 1


def test_robots_txt_comes_from_the_cache_the_second_time(box: SiteBox, tmp_path):
    url = box.put_urlset("/s.xml")
    answer = site_box.page("User-agent: *\nDisallow: /s", kind="text/plain", etag='"1"')
    box.play("/robots.txt", site_box.in_turn(answer, site_box.page(b"", 304)))

    def disallowed() -> list[bool]:
        entries = read(url, read_robots=True, cache=tmp_path / "kept", policy=quick())
        return [bool(record.disallowed_by) for record in entries.documents]

    assert disallowed() == disallowed() == [True]
    assert box.hits[2].headers["if-none-match"] == '"1"'


def test_many_hosts_do_not_stop_each_other(box: SiteBox):
    with SiteBox() as slow:
        slow.play("/robots.txt", site_box.slow(0.5, site_box.page(b"", 404)))
        slow.put_urlset("/last.xml")
        box.put_urlset("/first.xml")
        index = index_of([slow.url("/last.xml"), box.url("/first.xml")])

        made = SiteWalk([box.put("/s.xml", index)], robots=True)
        order = [str(v.record.source) for v in drive_in_thread(made, quick())]

    assert order == [box.url("/s.xml"), box.url("/first.xml"), slow.url("/last.xml")]

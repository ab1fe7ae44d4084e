"""Records of a site walk: formats, HTTP facts, order, URL spellings and limits."""

import pytest

from tests import site_box
from tests.http_walks import Result, quick
from tests.site_box import SiteBox, gz, index_of, page, redirect, urlset_of
from urlset.errors import SourceError
from urlset.http import Request, Response, drive_in_thread
from urlset.model import Sitemap
from urlset.reader import Visit
from urlset.reader.discovery import Discovery
from urlset.reader.filters import ChildFilter
from urlset.reader.site_walk import SiteWalk, walk_from


def test_every_format_by_content(box: SiteBox):
    rss = '<rss version="2.0"><channel><item><link>http://e.com/r</link></item></channel></rss>'
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://e.com/a"/></entry></feed>'
    plain = urlset_of("http://e.com", 1)
    children = {
        "/rss": page(rss, kind="text/html"),
        "/atom": page(atom, kind="application/octet-stream"),
        "/text": page("http://e.com/t\n", kind=None),
        "/gzip-without-the-name": page(gz(plain), kind="text/plain"),
        "/name.xml.gz": page(plain),
        "/twice.gz": page(gz(gz(plain)), content_encoding="gzip"),
        "/chunks": site_box.chunked(plain, 10),
    }
    for path, player in children.items():
        box.play(path, player)
    box.put_index("/s.xml", children)

    found = Result(box)

    kinds = {
        str(r.source).removeprefix(box.site): (r.kind, r.entries, r.error) for r in found.records
    }
    assert kinds == {
        "/s.xml": ("index", 0, None),
        "/rss": ("rss", 1, None),
        "/atom": ("atom", 1, None),
        "/text": ("text", 1, None),
        **dict.fromkeys(list(children)[3:], ("urlset", 1, None)),
    }


def test_records_hold_the_facts(box: SiteBox):
    box.put("/s.xml", gz(urlset_of("http://e.com", 5)), kind="x/y", etag='"7"')

    record = Result(box).records[0]

    assert (record.kind, record.entries, record.encoding) == ("urlset", 5, "utf-8")
    assert record.size > record.packed_size > 0
    fetched = record.fetched
    assert fetched is not None
    assert (fetched.status, fetched.wire_size, fetched.attempts) == (200, record.packed_size, 1)
    assert (fetched.content_type, fetched.etag, fetched.is_whole) == ("x/y", '"7"', True)
    assert fetched.started is not None
    assert fetched.seconds > 0


def test_lastmod_of_the_index_is_kept(box: SiteBox):
    box.put_urlset("/a.xml")
    index = index_of([box.url("/a.xml")])
    box.put("/s.xml", index.replace(b"</loc>", b"</loc><lastmod>2026-01-02</lastmod>"))

    child = Result(box).records[1]

    assert child.lastmod is not None
    assert child.lastmod.isoformat() == "2026-01-02T00:00:00+00:00"


@pytest.mark.parametrize(
    "spelling", ["HTTP://127.0.0.1:{port}/%61.xml", "http://127.0.0.1:{port}/a.xml#x"]
)
def test_spellings_of_one_url_are_one_document(box: SiteBox, spelling: str):
    box.put_index("/s.xml", ["/a.xml", spelling.format(port=box.port)])
    box.put_urlset("/a.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (2, 2, {})


def test_two_children_that_lead_to_one_are_read_once(box: SiteBox):
    box.put_index("/s.xml", ["/1", "/2", "/a.xml"])
    for n in "12":
        box.play(f"/{n}", redirect("/a.xml"))
    box.put_urlset("/a.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.errors) == (2, {})
    assert sum(r.same_as is not None for r in found.records) in (1, 2)


def test_child_that_leads_back_to_its_index(box: SiteBox):
    box.put_index("/s.xml", ["/a"])
    box.play("/a", redirect("/s.xml"))

    assert Result(box).errors == {"/a": "redirects to an index above it; not followed again"}


def test_children_may_be_left_alone(box: SiteBox):
    box.put_index("/s.xml", ["/a.xml"])

    walk = SiteWalk([box.url("/s.xml")], children=ChildFilter(follow=False))

    assert [v.record.sitemaps for v in drive_in_thread(walk, quick())] == [1]


def test_number_of_documents_is_bounded(box: SiteBox):
    box.put_index("/s.xml", [f"/{n}" for n in range(10)])
    box.otherwise = page(urlset_of("http://e.com", 1))

    walk = SiteWalk([box.url("/s.xml")], max_documents=4)
    records = [v.record for v in drive_in_thread(walk, quick())]

    assert sum(r.entries for r in records) == 4
    assert [r.error for r in records if r.error] == [
        "more documents than are allowed; not read"
    ] * 6


def test_index_of_20_000_children(box: SiteBox):
    box.put("/s.xml", index_of([f"{box.site}/{n}" for n in range(20_000)]))
    body = urlset_of("http://e.com", 1)
    walk = SiteWalk([box.url("/s.xml")])

    # Without the network: what is tested is the walk, which must not slow down as it grows.
    entries, requests = 0, 0
    while request := walk.next_request():
        requests += 1
        data = box_index(box) if requests == 1 else body
        for visit in walk.handle(Response(request, request.url, 200, body=data)):
            entries += visit.record.entries

    assert (entries, requests) == (20_000, 20_002)


def box_index(box: SiteBox) -> bytes:
    return index_of([f"{box.site}/{n}" for n in range(20_000)])


def test_children_come_in_their_order_and_depth_first(box: SiteBox):
    walk = SiteWalk(["http://e.com/s.xml"])
    documents = {
        "http://e.com/s.xml": index_of(["http://e.com/a", "http://e.com/b"]),
        "http://e.com/a": index_of(["http://e.com/a1", "http://e.com/a2"]),
    }

    order: list[str] = []
    while request := walk.next_request():
        order.append(request.url.removeprefix("http://e.com/"))
        body = documents.get(request.url, urlset_of("http://e.com", 1))
        list(walk.handle(Response(request, request.url, 200, body=body)))

    assert order == ["s.xml", "robots.txt", "a", "a1", "a2", "b"]


@pytest.mark.parametrize("ordered", [False, True])
def test_an_unchanged_index_is_not_parsed_and_its_children_are_read(ordered: bool):
    walk = SiteWalk(["http://e.com/s.xml"], ordered=ordered)
    children = [
        Sitemap("http://e.com/a&b"),
        Sitemap("http://e.com/c"),
        Sitemap("http://e.com/s.xml"),
    ]

    found: list[Visit] = []
    while request := walk.next_request():
        response = Response(request, request.url, 304)
        if request.url.endswith("/s.xml"):
            found += walk.handle_unchanged(response, children)
        elif request.url.endswith("/c"):
            found += walk.handle_unchanged(response)
        else:
            body = urlset_of("http://e.com", 1)
            found += walk.handle(Response(request, request.url, 200, body=body))
    walk.close()

    documents = {record.source: document for record, document in found if record.error is None}
    assert {
        source: document and len(document.entries) for source, document in documents.items()
    } == {
        "http://e.com/s.xml": None,
        "http://e.com/a&b": 1,
        "http://e.com/c": None,
    }
    assert [record.failure for record, _ in found if record.error] == ["cycle"]


def test_whole_site_with_a_crowd_of_children(box: SiteBox):
    children = [f"/{n}.xml" for n in range(300)]
    box.put_index("/s.xml", children)
    for path in children:
        box.put_urlset(path, 3)
    box.put_robots("Sitemap: /s.xml")

    walk = SiteWalk(Discovery(box.site))
    locs = [
        entry.loc
        for visit in drive_in_thread(walk, quick())
        if visit.document
        for entry in visit.document.entries
    ]

    assert len(locs) == len(set(locs)) == 900


@pytest.mark.parametrize(
    ("url", "is_site"),
    [
        ("https://e.com", True),
        ("HTTPS://E.com:443/#top", True),
        ("https://me:pw@e.com/robots.txt", True),
        ("https://e.com/?sitemap=1", False),
        ("https://e.com/a/robots.txt", False),
        ("https://e.com/sitemap.xml", False),
    ],
)
def test_url_of_a_site_or_of_a_sitemap(url: str, is_site: bool):
    walk = walk_from(url)

    assert (walk.discovery is not None) == is_site
    asked = walk.next_request()
    assert asked is not None
    assert asked.url == ("https://e.com/robots.txt" if is_site else url)


@pytest.mark.parametrize("make", [walk_from, lambda url: SiteWalk([url])])
def test_not_a_url(make):
    with pytest.raises(SourceError, match="expected an http or https URL"):
        make("sitemap.xml")


def test_private_seed_leads_to_its_neighbours(box: SiteBox):
    assert Request(box.site).scope == "public"  # unless somebody says so
    box.put_index("/s.xml", [f"http://localhost:{box.port}/a.xml"])
    box.put_urlset("/a.xml")

    assert Result(box).errors == {}

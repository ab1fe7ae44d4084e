"""A site from end to end: FIELD 2.4 row by row with the ideal result, and what lies beside it."""

import time

import pytest

from tests import site_box
from tests.site_box import SiteBox, gz, index_of, page, quick, redirect, urlset_of
from urlset.errors import SourceError
from urlset.fetcher import Request, Response, drive_in_thread
from urlset.finder import Finder
from urlset.walker import SiteRecord, SiteWalk


class Result:
    """What a walk came to."""

    def __init__(self, box: SiteBox, *starts: str, limit: int = 104_857_600, **policy: object):
        self.walk = SiteWalk([box.url(start) for start in starts or ("/s.xml",)], limit=limit)
        self.records: list[SiteRecord] = []
        self.locs: list[str] = []
        for record, document in drive_in_thread(self.walk, quick(**policy)):
            self.records.append(record)
            self.locs += [entry.loc for entry in document.entries] if document else []
        self.requests = len(box.hits)
        self.errors = {r.source.removeprefix(box.site): r.error for r in self.records if r.error}


def test_urlset(box: SiteBox):
    box.put_urlset("/s.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (2, 1, {})


def test_index_lists_itself(box: SiteBox):
    box.put_index("/s.xml", ["/s.xml", "/ok.xml"])
    box.put_urlset("/ok.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests) == (2, 2)
    assert found.errors == {
        "/s.xml": "an index lists itself, or an index above it; not followed again"
    }


def test_two_indexes_list_each_other(box: SiteBox):
    box.put_index("/s.xml", ["/b.xml", "/one.xml"])
    box.put_index("/b.xml", ["/s.xml", "/two.xml"])
    box.put_urlset("/one.xml", 1)
    box.put_urlset("/two.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests) == (3, 4)
    assert list(found.errors) == ["/s.xml"]


def test_endless_chain_of_indexes(box: SiteBox):
    async def more(hit, wire) -> bool:
        return await page(index_of([f"{box.site}{hit.path}x"]))(hit, wire)

    box.otherwise = more

    found = Result(box)

    assert (found.locs, found.requests) == ([], 11)
    assert list(found.errors.values()) == ["more than 10 indexes deep; not read"]


def test_failed_children_do_not_end_the_rest(box: SiteBox):
    box.put_index("/s.xml", ["/gone.xml", "/ok.xml", "/cut.xml", "/ok2.xml"])
    box.put_urlset("/ok.xml")
    box.put("/cut.xml", urlset_of(box.site, 2)[:-40])
    box.put_urlset("/ok2.xml")

    found = Result(box)

    assert (len(found.locs), found.requests) == (3, 5)
    assert found.errors == {
        "/gone.xml": "HTTP 404 Not Found",
        "/cut.xml": found.errors["/cut.xml"],
    }
    assert str(found.errors["/cut.xml"]).startswith("the document is cut off after ")


def test_index_of_an_index(box: SiteBox):
    box.put_index("/s.xml", ["/b.xml", "/one.xml"])
    box.put_index("/b.xml", ["/gone.xml", "/two.xml"])
    box.put_urlset("/one.xml", 1)
    box.put_urlset("/two.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests) == (3, 5)
    assert found.errors == {"/gone.xml": "HTTP 404 Not Found"}
    (gone,) = (r for r in found.records if r.error)
    assert (gone.parent, gone.depth, gone.fetched and gone.fetched.status) == (
        box.url("/b.xml"),
        2,
        404,
    )


def test_empty_child(box: SiteBox):
    box.put_index("/s.xml", ["/empty.xml", "/ok.xml"])
    box.put("/empty.xml", b"")
    box.put_urlset("/ok.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests) == (2, 3)
    assert found.errors == {"/empty.xml": "expected a sitemap, found an empty file"}


def test_two_503_then_right(box: SiteBox):
    busy, ok = page(b"", 503), page(urlset_of(box.site, 2))
    box.play("/s.xml", site_box.in_turn(busy, busy, ok))

    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (2, 3, {})


def test_429_with_retry_after_then_right(box: SiteBox):
    busy, ok = page(b"", 429, retry_after="1"), page(urlset_of(box.site, 2))
    box.play("/s.xml", site_box.in_turn(busy, ok))

    began = time.monotonic()
    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (2, 2, {})
    assert time.monotonic() - began > 0.9


def test_connection_cut_half_way(box: SiteBox):
    data = urlset_of("http://e.com", 2000)
    at = data.index(b"<url><loc>http://e.com/1010<") + 9
    box.play("/s.xml", site_box.cut(data, at))

    found = Result(box)

    assert found.locs == [f"http://e.com/{n}" for n in range(1010)]
    assert found.errors == {
        "/s.xml": f"the transfer was cut off after {at:,} of {len(data):,} bytes (3 attempts); "
        "what came is read"
    }


def test_same_child_in_two_indexes(box: SiteBox):
    box.put_index("/s.xml", ["/a.xml", "/b.xml"])
    box.put_index("/a.xml", ["/ok.xml"])
    box.put_index("/b.xml", ["/ok.xml"])
    box.put_urlset("/ok.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (2, 4, {})


def test_child_redirects(box: SiteBox):
    box.put_index("/s.xml", ["/old.xml"])
    box.play("/old.xml", redirect("/new.xml", 301))
    box.put("/new.xml", b"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>")

    found = Result(box)

    assert (found.locs, found.errors) == ([box.url("/a"), box.url("/b")], {})
    fetched = found.records[1].fetched
    assert fetched is not None
    assert (fetched.url, fetched.redirects) == (box.url("/new.xml"), (box.url("/old.xml"),))


def test_redirect_loop(box: SiteBox):
    box.put_index("/s.xml", ["/a"])
    box.play("/a", redirect("/b"))
    box.play("/b", redirect("/a"))

    found = Result(box)

    assert (found.locs, found.requests) == ([], 3)
    assert found.errors == {"/a": f"redirects in a circle: back to {box.url('/a')}"}


def test_index_lists_a_file(box: SiteBox):
    box.put_index("/s.xml", ["file:///etc/passwd", "/ok.xml"])
    box.put_urlset("/ok.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests) == (2, 2)
    assert "U002" in {p.code for p in found.records[0].problems}


def test_relative_children(box: SiteBox):
    box.put("/x/s.xml", index_of(["/1.xml", "2.xml", f"//127.0.0.1:{box.port}/3.xml"]))
    for path in ("/1.xml", "/x/2.xml", "/3.xml"):
        box.put_urlset(path)

    found = Result(box, "/x/s.xml")

    assert (len(found.locs), found.requests, found.errors) == (3, 4, {})


def test_child_on_another_host(box: SiteBox):
    box.put_index("/s.xml", ["/one.xml", f"http://localhost:{box.port}/two.xml"])
    box.put_urlset("/one.xml", 1)
    box.put_urlset("/two.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (3, 3, {})


def gigabyte() -> bytes:
    return gz(b" " * (1 << 20)) * 1024  # members one after another: a bomb that is made at once


def test_gzip_bomb(box: SiteBox):
    box.put_index("/s.xml", ["/bomb.xml.gz", "/ok.xml"])
    box.put("/bomb.xml.gz", gz(urlset_of("http://e.com", 1)[:-9]) + gigabyte())
    box.put_urlset("/ok.xml", 2)

    found = Result(box, limit=1_000_000)

    assert (len(found.locs), found.requests) == (3, 3)
    assert list(found.errors) == ["/bomb.xml.gz"]
    assert found.records[-1].size <= 1_000_000


def test_content_encoding_bomb(box: SiteBox):
    bomb = gz(urlset_of("http://e.com", 1)[:-9]) + gigabyte()
    box.put("/s.xml", bomb, content_encoding="gzip")

    began = time.monotonic()
    found = Result(box, limit=1_000_000)

    assert found.locs == ["http://e.com/0"]
    assert found.errors == {
        "/s.xml": "more than the 1,000,000 bytes that are allowed; cut there; what came is read"
    }
    assert time.monotonic() - began < 3


def test_server_never_answers(box: SiteBox):
    box.play("/s.xml", site_box.silent)

    found = Result(box, retries=0, read_timeout_s=0.2)

    assert found.errors == {"/s.xml": "no answer came for 0.2 s"}


def test_one_entry_now_and_then_for_ever(box: SiteBox):
    start, entry = urlset_of("", 0)[:-9], b"<url><loc>http://e.com/</loc></url>"
    box.play("/s.xml", site_box.endless(start, entry, 0.05))

    found = Result(box, total_timeout_s=0.6)

    assert len(found.locs) >= 3
    assert "not done within 0.6 s" in str(found.errors["/s.xml"])


# Beside the table.


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

    kinds = {r.source.removeprefix(box.site): (r.kind, r.entries, r.error) for r in found.records}
    assert kinds == {
        "/s.xml": ("index", 0, None),
        "/rss": ("rss", 1, None),
        "/atom": ("atom", 1, None),
        "/text": ("text", 1, None),
        **{path: ("urlset", 1, None) for path in list(children)[3:]},
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

    assert Result(box).errors == {"/a": "leads to an index above it; not followed again"}


def test_children_may_be_left_alone(box: SiteBox):
    box.put_index("/s.xml", ["/a.xml"])

    walk = SiteWalk([box.url("/s.xml")], follow=False)

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
    while request := walk.ask():
        requests += 1
        data = box_index(box) if requests == 1 else body
        for visit in walk.answer(Response(request, request.url, 200, body=data)):
            entries += visit.record.entries

    assert (entries, requests) == (20_000, 20_001)


def box_index(box: SiteBox) -> bytes:
    return index_of([f"{box.site}/{n}" for n in range(20_000)])


def test_children_come_in_their_order_and_depth_first(box: SiteBox):
    walk = SiteWalk(["http://e.com/s.xml"])
    documents = {
        "http://e.com/s.xml": index_of(["http://e.com/a", "http://e.com/b"]),
        "http://e.com/a": index_of(["http://e.com/a1", "http://e.com/a2"]),
    }

    order: list[str] = []
    while request := walk.ask():
        order.append(request.url.removeprefix("http://e.com/"))
        body = documents.get(request.url, urlset_of("http://e.com", 1))
        list(walk.answer(Response(request, request.url, 200, body=body)))

    assert order == ["s.xml", "a", "a1", "a2", "b"]


def test_whole_site_with_a_crowd_of_children(box: SiteBox):
    children = [f"/{n}.xml" for n in range(300)]
    box.put_index("/s.xml", children)
    for path in children:
        box.put_urlset(path, 3)
    box.put_robots("Sitemap: /s.xml")

    walk = SiteWalk(Finder(box.site))
    locs = [
        entry.loc
        for visit in drive_in_thread(walk, quick())
        if visit.document
        for entry in visit.document.entries
    ]

    assert len(locs) == len(set(locs)) == 900


def test_not_a_url():
    with pytest.raises(SourceError, match="expected an http or https URL"):
        SiteWalk(["sitemap.xml"])


def test_private_seed_leads_to_its_neighbours(box: SiteBox):
    assert Request(box.site).reach == "public"  # unless somebody says so
    box.put_index("/s.xml", [f"http://localhost:{box.port}/a.xml"])
    box.put_urlset("/a.xml")

    assert Result(box).errors == {}

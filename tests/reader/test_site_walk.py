"""Site walk from end to end: FIELD 2.4 row by row with the ideal result, and related cases."""

import subprocess
import sys
import time

from tests import site_box
from tests.http_walks import Result, quick
from tests.site_box import SiteBox, gz, index_of, page, redirect, urlset_of
from urlset.http import drive_in_thread
from urlset.reader.discovery import Discovery
from urlset.reader.site_walk import SiteWalk


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
        "the part that arrived is read"
    }


def test_same_child_in_two_indexes(box: SiteBox):
    box.put_index("/s.xml", ["/a.xml", "/b.xml"])
    box.put_index("/a.xml", ["/ok.xml"])
    box.put_index("/b.xml", ["/ok.xml"])
    box.put_urlset("/ok.xml", 2)

    found = Result(box)

    assert (len(found.locs), found.requests, found.errors) == (2, 4, {})


RELATIVE = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>one.html</loc></url><url><loc>two.html</loc></url></urlset>"""


def test_declared_sitemaps_of_equal_bytes_are_read_where_their_urls_differ(box: SiteBox):
    """Relative URLs: the same bytes in two folders list other pages."""
    paths = ["/de/s.xml", "/en/s.xml", "/en/t.xml"]
    box.put_robots(*(f"Sitemap: {path}" for path in paths))
    for path in paths:
        box.put(path, RELATIVE)

    walk = SiteWalk(Discovery(box.url("/")))
    found = list(drive_in_thread(walk, quick()))

    assert [
        (str(record.source).removeprefix(box.site), document and len(document.entries))
        for record, document in found
    ] == [("/de/s.xml", 2), ("/en/s.xml", 2), ("/en/t.xml", None)]
    assert found[2][0].same_as == box.url("/en/s.xml")
    locs = [entry.loc for _, document in found if document for entry in document.entries]
    assert locs == [
        box.url(path) for path in ("/de/one.html", "/de/two.html", "/en/one.html", "/en/two.html")
    ]


def test_declared_sitemaps_of_equal_bytes_with_full_urls_are_read_once(box: SiteBox):
    box.put_robots("Sitemap: /a/s.xml", "Sitemap: /b/s.xml")
    for path in ("/a/s.xml", "/b/s.xml"):
        box.put(path, urlset_of(box.url("/"), 2))

    found = list(drive_in_thread(SiteWalk(Discovery(box.url("/"))), quick()))

    assert [document and len(document.entries) for _, document in found] == [2, None]


def test_declared_indexes_of_equal_bytes_are_read_where_their_children_differ(box: SiteBox):
    box.put_robots("Sitemap: /a/s.xml", "Sitemap: /b/s.xml")
    for folder in "ab":
        box.put(f"/{folder}/s.xml", index_of(["part.xml"]))
        box.put_urlset(f"/{folder}/part.xml", 2)

    found = list(drive_in_thread(SiteWalk(Discovery(box.url("/"))), quick()))

    assert sum(len(document.entries) for _, document in found if document) == 4


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

    found = Result(box, limit=1_000_000)

    assert found.locs == ["http://e.com/0"]
    assert found.errors == {
        "/s.xml": "more than the 1,000,000 bytes that are allowed; cut there; "
        "the part that arrived is read"
    }


def test_server_never_answers(box: SiteBox):
    box.play("/s.xml", site_box.silent)

    found = Result(box, retries=0, read_timeout_s=0.2)

    assert found.errors == {"/s.xml": "no response for 0.2 s"}


def test_one_entry_now_and_then_for_ever(box: SiteBox):
    start, entry = urlset_of("", 0)[:-9], b"<url><loc>http://e.com/</loc></url>"
    box.play("/s.xml", site_box.endless(start, entry, 0.05))

    found = Result(box, total_timeout_s=0.6)

    assert len(found.locs) >= 3
    assert "not complete within 0.6 s" in str(found.errors["/s.xml"])


# FIELD 2.4, the single measurements below the table.


def test_connection_cut_at_a_well_known_path(box: SiteBox):
    # USP: an exception, and the whole site is lost.
    data = urlset_of("http://e.com", 50)
    box.play("/sitemap.xml", site_box.cut(data, 1_000))
    box.put_urlset("/sitemap_index.xml", 2)

    walk = SiteWalk(Discovery(box.site))
    records = [visit.record for visit in drive_in_thread(walk, quick())]

    found = {str(r.source).removeprefix(box.site): (r.entries, r.error) for r in records}
    assert found["/sitemap_index.xml"] == (2, None)
    entries, error = found["/sitemap.xml"]
    assert entries > 10
    assert str(error).startswith("the transfer was cut off after 1,000 of ")


def test_text_in_chunks_of_every_size_keeps_its_lines_apart(box: SiteBox):
    # Crawlee for JavaScript: where a chunk ends behind a line, two URLs become one.
    locs = [f"http://e.com/{n:03}" for n in range(8)]
    text = "".join(f"{loc}\n" for loc in locs).encode()
    sizes = range(1, len(text) + 1, 3)
    paths = [f"/{size}.txt" for size in sizes]
    for path, size in zip(paths, sizes, strict=True):
        box.play(path, site_box.chunked(text, size))
    box.put_index("/s.xml", paths)

    found = Result(box)

    assert found.locs == locs * len(paths)
    assert found.errors == {}


def test_gz_that_fails_once_is_asked_for_by_its_own_name(box: SiteBox):
    # Crawlee for JavaScript: /s.xml.gz is asked for as /s.xml the second time.
    packed = page(gz(urlset_of("http://e.com", 2)))
    box.play("/s.xml.gz", site_box.in_turn(page(b"", 500), packed))

    found = Result(box, "/s.xml.gz")

    assert (len(found.locs), found.errors) == (2, {})
    assert box.paths == ["/s.xml.gz"] * 2


def test_cut_transfer_that_is_whole_the_next_time_gives_each_entry_once(box: SiteBox):
    # Crawlee for Python: 1,501 entries, of which 1,000 are different.
    data = urlset_of("http://e.com", 1_000)
    box.play("/s.xml", site_box.in_turn(site_box.cut(data, len(data) // 2), page(data)))

    found = Result(box)

    assert found.locs == [f"http://e.com/{n}" for n in range(1_000)]
    assert found.errors == {}


def test_import_leaves_the_logging_of_its_host_alone():
    # advertools: `import advertools` sets the level of everybody's log to INFO.
    code = (
        "import logging, urlset, urlset.cli.read, urlset.http.client, urlset.reader.site_walk;"
        "print(logging.root.level, logging.root.handlers)"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "30 []\n"

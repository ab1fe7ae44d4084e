"""Responses that are no new version of a page, and pages whose directives change."""

import gzip
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from tests.live_sites import put_site
from tests.site_box import SiteBox, redirect
from urlset.errors import StoreError
from urlset.http import Policy

PAGE = "<!doctype html><title>Tea</title>{head}<main><p>{text}</p></main>"
POLICY = Policy(retries=0, obey_robots=False)


class Site:
    def __init__(self, box: SiteBox, tmp_path):
        self.box = box
        self.state = tmp_path / "index.duckdb"
        box.put_urlset("/sitemap.xml", 1)
        self.path = "/sitemap.xml/0"
        self.page()

    def page(self, text="Of many kinds.", head=""):
        self.box.put(self.path, PAGE.format(text=text, head=head), kind="text/html")

    def sync(self):
        updates: list[urlset.PageUpdate] = []
        url = self.box.url("/sitemap.xml")
        with urlset.sync(url, self.state, policy=POLICY, recheck_pages=100) as run:
            for batch in run:
                updates += batch
                batch.commit()
        return [(update.change, update.reason, update.text) for update in updates]


@pytest.fixture
def site(box, tmp_path):
    site = Site(box, tmp_path)
    listed = [entry.loc for entry in urlset.read(box.url("/sitemap.xml"))]
    site.path = listed[0].removeprefix(box.site)
    site.page()
    return site


BROKEN: dict[str, dict[str, Any]] = {
    "http-206": {"body": b"<!doctype html><title>Te", "status": 206, "kind": "text/html"},
    "http-202": {"body": b"x", "status": 202, "kind": "text/html"},
    "http-204": {"body": b"", "status": 204, "kind": "text/html"},
    "empty": {"body": b"", "kind": "text/html"},
    "empty but for blanks": {"body": b" \n\t\n", "kind": "text/html"},
    "empty after decoding": {
        "body": gzip.compress(b""),
        "kind": "text/html",
        "content_encoding": "gzip",
    },
    "not-html": {"body": b'{"error": "overloaded"}', "kind": "application/json"},
    "not-html octet-stream": {"body": b"\0\1\2", "kind": "application/octet-stream"},
    "encoding": {"body": b"\x0b\x0e\x80<!doctype", "kind": "text/html", "content_encoding": "br"},
}


@pytest.mark.parametrize("name", BROKEN)
def test_response_without_the_page_is_unknown_and_then_the_page_is_unchanged(site, name):
    assert site.sync() == [("added", None, "Of many kinds.")]

    site.box.put(site.path, **BROKEN[name])
    assert site.sync() == [("unknown", name.split()[0], None)]

    site.page()
    assert site.sync() == []


def test_first_delivery_of_a_document_that_is_not_html(site):
    site.box.put(site.path, b'{"tea": 1}', kind="application/json")

    assert site.sync() == [("added", None, "")]


HEADS = {
    "noindex": '<meta name="robots" content="noindex">',
    "canonical": '<link rel="canonical" href="/other">',
    "preferences": '<meta name="robots" content="noai">',
}


@pytest.mark.parametrize("name", HEADS)
def test_page_that_withdraws_is_changed_with_its_reason(site, name):
    site.sync()

    site.page(head=HEADS[name])
    assert [update[:2] for update in site.sync()] == [("changed", name)]
    assert site.sync() == []

    site.page()
    assert [update[:2] for update in site.sync()] == [("changed", name)]


HEADERS = {
    "noindex": b"X-Robots-Tag: noindex",
    "canonical": b"Link: <https://example.com/other>; rel=canonical",
    "preferences by X-Robots-Tag": b"X-Robots-Tag: noai",
    "preferences by Content-Usage": b"Content-Usage: train-ai=n",
}


class Unchanged:
    """Page whose content does not change, and whose headers do; it counts the full responses."""

    def __init__(self, text="Of many kinds."):
        self.header = b"X-A: b"
        self.whole = 0
        self._body = PAGE.format(text=text, head="").encode()

    async def __call__(self, hit, wire):
        head = b'ETag: "a"\r\nContent-Type: text/html\r\n' + self.header + b"\r\n"
        if "if-none-match" in hit.headers:
            await wire.send(b"HTTP/1.1 304 Not Modified\r\n" + head + b"\r\n")
            return True
        self.whole += 1
        length = b"Content-Length: %d\r\n\r\n" % len(self._body)
        await wire.send(b"HTTP/1.1 200 OK\r\n" + head + length + self._body)
        return True


@pytest.fixture
def unchanged(site):
    page = Unchanged()
    site.box.play(site.path, page)
    return page


@pytest.mark.parametrize("name", HEADERS)
def test_page_that_withdraws_by_a_header_of_a_304_is_changed(site, unchanged, name):
    site.sync()
    assert site.sync() == []
    assert unchanged.whole == 1

    unchanged.header = HEADERS[name]
    assert site.sync() == [("changed", name.split()[0], "Of many kinds.")]
    assert unchanged.whole == 2
    assert site.sync() == []

    unchanged.header = b"X-A: b"
    found = site.sync()
    if name in ("noindex", "canonical"):
        assert found == [("changed", name, "Of many kinds.")]
    assert site.sync() == []


def test_a_page_that_redirects_has_the_content_of_its_target(site, unchanged):
    site.sync()
    site.box.play(site.path, redirect(site.box.play("/other", Unchanged("Of few kinds."))))

    redirected = site.sync()
    assert site.sync() == []
    site.box.play(site.path, unchanged)

    assert redirected == [("changed", "content", "Of few kinds.")]
    assert site.sync() == [("changed", "content", "Of many kinds.")]


@pytest.mark.parametrize("name", ["noindex", "canonical"])
def test_crawl_and_audit_read_the_headers_of_a_304(site, unchanged, name, tmp_path):
    def facts(store):
        with urlset.Store.open(tmp_path / store, read_only=True) as opened:
            query = "SELECT is_noindex, canonical FROM pages WHERE url LIKE '%/sitemap.xml/0'"
            return list(opened.query(query))

    def visit():
        urlset.crawl(site.box.site, tmp_path / "crawl.duckdb", policy=POLICY, confirm_after_s=0)
        audit = {"policy": POLICY, "store": tmp_path / "audit.duckdb", "confirm_after_s": 0}
        urlset.audit(site.box.url("/sitemap.xml"), **audit)
        return facts("crawl.duckdb"), facts("audit.duckdb")

    assert visit() == ([(False, None)],) * 2
    unchanged.whole = 0
    assert visit() == ([(False, None)],) * 2
    assert unchanged.whole == 0

    unchanged.header = HEADERS[name]
    expected = (name == "noindex", "https://example.com/other" if name == "canonical" else None)
    assert visit() == ([expected],) * 2
    assert unchanged.whole == 2
    assert visit() == ([expected],) * 2


def test_page_that_redirects_to_one_that_robots_txt_disallows_is_unknown(site):
    site.box.put_robots("User-agent: *", "Disallow: /secret")
    site.box.play(site.path, redirect("/secret"))

    assert site.sync() == [("unknown", "robots", None)]
    assert "/secret" not in site.box.paths


def test_reason_names_content_and_directives(site):
    site.sync()

    site.page("Another text.", HEADS["noindex"] + HEADS["canonical"])

    assert [update[:2] for update in site.sync()] == [("changed", "content, noindex, canonical")]


def test_change_of_directives_that_is_not_committed_is_delivered_again(site):
    site.sync()
    site.page(head=HEADS["noindex"])
    with urlset.sync(site.box.url("/sitemap.xml"), site.state, policy=POLICY) as run:
        assert [update.change for batch in run for update in batch] == ["changed"]

    [(change, reason, _)] = site.sync()
    assert change == "changed"
    assert "noindex" in reason


SITEMAP_FAULTS = {
    206: "instead of the whole document",
    202: "instead of the whole document",
    204: "instead of the whole document",
}


@pytest.mark.parametrize("status", SITEMAP_FAULTS)
def test_partial_sitemap_is_unread_and_removes_nothing_from_a_watch(box, tmp_path, status):
    lines = [box.url(f"/{n}") for n in range(30)]
    box.put("/sitemap.txt", "\n".join(lines), kind="text/plain")
    store = tmp_path / "watch.duckdb"
    urlset.watch(box.url("/sitemap.txt"), store, policy=POLICY)

    body = "" if status == 204 else "\n".join(lines[:25])
    box.put("/sitemap.txt", body, status=status, kind="text/plain")
    step = urlset.watch(box.url("/sitemap.txt"), store, policy=POLICY)

    assert (step.removed, step.unknown, step.is_complete) == (0, 30, False)
    assert SITEMAP_FAULTS[status] in step.incomplete[0]


@pytest.mark.parametrize("status", [202, 204, 206])
def test_crawl_does_not_call_an_incomplete_page_ok(box, tmp_path, status):
    box.put("/", '<a href="/a">a</a>', kind="text/html")
    box.put("/a", b"" if status == 204 else b"<html>half", status=status, kind="text/html")
    with urlset.crawl(
        box.url("/"), tmp_path / "c.duckdb", policy=Policy(retries=0), confirm_after_s=0
    ):
        pass
    with urlset.Store.open(tmp_path / "c.duckdb", read_only=True) as store:
        query = "SELECT verdict, unknown_reason FROM pages WHERE url LIKE '%/a'"
        assert list(store.query(query)) == [("unknown", f"http-{status}")]


@pytest.mark.parametrize("encoding", ["utf-8", "none", "br"])
def test_sitemap_in_plain_text_is_read_whatever_encoding_its_header_names(box, encoding):
    url = box.url("/s.xml")
    text = f"<urlset><url><loc>{url}/1</loc></url></urlset>"
    box.put("/s.xml", text, content_encoding=encoding)

    assert [entry.loc for entry in urlset.read(url)] == [f"{url}/1"]


def test_compressed_sitemap_in_an_encoding_that_was_not_requested_is_not_read(box):
    url = box.put("/s.txt", gzip.compress(b"x")[2:], content_encoding="br", kind="text/plain")

    entries = urlset.read(url)

    assert list(entries) == []
    assert "Content-Encoding br" in (entries.documents[0].error or "")


def test_pages_that_never_answer_do_not_stop_a_run_with_a_limit(
    box: SiteBox, tmp_path: Path
) -> None:
    put_site(box, {"/x": [], "/y": []}, listed=["/a", "/b", "/x", "/y"])
    for path in ("/a", "/b"):
        box.put(path, "unavailable", 503, kind="text/html")
    delivered: set[str] = set()
    for _ in range(2):
        url = box.url("/sitemap.xml")
        with urlset.sync(url, tmp_path / "sync.duckdb", max_requests=2, policy=POLICY) as run:
            for batch in run:
                delivered |= {update.loc for update in batch if update.change == "added"}
                batch.commit()

    assert delivered == {box.url("/x"), box.url("/y")}
    with urlset.Store.open(tmp_path / "sync.duckdb") as store:
        rows = store.query("SELECT url FROM undelivered_pages ORDER BY url")
        assert [url for (url,) in rows] == [box.url("/a"), box.url("/b")]


@pytest.mark.parametrize(
    "directives",
    ["", "x", "1", "{}", "[]", "[true, false, null, 1]", "[true, false, null, []]", "[" * 100_000],
)
def test_directives_of_a_store_that_are_none_are_unknown(site, directives):
    site.sync()
    with duckdb.connect(str(site.state)) as database:
        database.execute("UPDATE synced_pages SET directives = ?", [directives])

    assert site.sync() == []


def test_a_date_of_a_store_that_python_has_not_is_a_clear_error(site):
    site.sync()
    with duckdb.connect(str(site.state)) as database:
        database.execute("UPDATE history SET lastmod = '290000-01-01'::TIMESTAMPTZ")

    with pytest.raises(StoreError, match="expected times of the years 1 to 9999 in the store"):
        site.sync()

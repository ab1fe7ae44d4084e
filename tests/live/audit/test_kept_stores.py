"""A store that several audits and crawls of one site share: what one stores, the next one reads."""

from __future__ import annotations

from collections.abc import Generator
from hashlib import sha256
from pathlib import Path

import pytest

import urlset
from tests.live_sites import audit, crawl, found, html, put_sitemap
from tests.site_box import Hit, Player, SiteBox, Wire, page, redirect

HTML = "text/html; charset=utf-8"


@pytest.fixture
def box() -> Generator[SiteBox]:
    with SiteBox() as served:
        yield served


def put_tagged(box: SiteBox, path: str, *links: str, body: str = "") -> str:
    """Put a page with an entity tag, which is answered with 304 if a request has it."""
    text = html(path.strip("/") or "Home", *links, body=body)
    return box.play(path, tagged(text))


def tagged(text: str) -> Player:
    """Serve a page, or 304 without a body to a client that has it."""
    tag = f'"{sha256(text.encode()).hexdigest()[:16]}"'

    async def play(hit: Hit, wire: Wire) -> bool:
        is_known = hit.headers.get("if-none-match") == tag
        answer = page("", 304, etag=tag) if is_known else page(text, kind=HTML, etag=tag)
        return await answer(hit, wire)

    return play


def links_of(path: Path) -> set[tuple[str, str]]:
    with urlset.Store.open(path, read_only=True) as store:
        return set(store.query("SELECT url, target FROM links WHERE kind = 'a'"))


def test_a_crawl_has_the_links_of_pages_that_an_audit_has_stored(box: SiteBox, tmp_path: Path):
    store = tmp_path / "site.duckdb"
    home = put_tagged(box, "/", "/tea", "/hidden")
    tea = put_tagged(box, "/tea", "/")
    hidden = put_tagged(box, "/hidden", "/")
    put_sitemap(box, ["/", "/tea"])

    audit(box, store=store).close()
    with audit(box, store=store, crawl=True, select=("orphan-url", "not-in-sitemap")) as whole:
        findings = found(whole, box)

    assert findings == {("not-in-sitemap", "/hidden")}
    assert links_of(store) == {(home, tea), (home, hidden), (tea, home), (hidden, home)}


def test_a_crawl_transfers_no_page_again_whose_links_are_stored(box: SiteBox, tmp_path: Path):
    store = tmp_path / "site.duckdb"
    put_tagged(box, "/", "/tea")
    put_tagged(box, "/tea")
    put_sitemap(box, ["/", "/tea"])

    crawl(box, store).close()
    box.hits.clear()
    crawl(box, store).close()

    conditional = {hit.path for hit in box.hits if "if-none-match" in hit.headers}
    assert conditional == {"/", "/tea"}


def test_links_of_a_page_that_an_audit_found_changed_are_those_of_the_next_crawl(
    box: SiteBox, tmp_path: Path
):
    store = tmp_path / "site.duckdb"
    home = put_tagged(box, "/", "/tea", "/coffee")
    tea, coffee = put_tagged(box, "/tea"), put_tagged(box, "/coffee")
    put_sitemap(box, ["/", "/tea", "/coffee"])
    crawl(box, store).close()
    assert links_of(store) == {(home, tea), (home, coffee)}

    put_tagged(box, "/", "/coffee")
    audit(box, store=store).close()
    crawl(box, store).close()

    assert links_of(store) == {(home, coffee)}


def test_a_whole_audit_reads_the_pages_of_which_a_store_has_the_head_only(
    box: SiteBox, tmp_path: Path
):
    store = tmp_path / "site.duckdb"
    put_tagged(box, "/", "/lost")
    box.play("/lost", tagged("<title>Page not found</title><h1>404: page not found</h1>"))
    put_sitemap(box, ["/", "/lost"])

    audit(box, store=store, head_only=True).close()
    with audit(box, store=store) as whole:
        pages = whole.table("pages").to_arrow().to_pylist()

    assert {page["url"]: page["verdict"] for page in pages}[box.url("/lost")] == "soft-404"
    assert all(page["fingerprint"] is not None for page in pages)


def test_a_page_that_redirects_now_is_no_unchanged_one(box: SiteBox, tmp_path: Path):
    store, text = tmp_path / "site.duckdb", html("Tea")
    box.play("/old", tagged(text))
    new = box.play("/new", tagged(text))  # the same text and tag
    put_sitemap(box, ["/old"])
    audit(box, store=store).close()
    box.play("/old", redirect(new, 301))

    with audit(box, store=store, select="url-redirect") as again:
        assert found(again, box) == {("url-redirect", "/old")}

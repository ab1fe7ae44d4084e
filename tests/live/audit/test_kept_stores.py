"""A store that several audits and crawls of one site share: what one stores, the next one reads."""

from __future__ import annotations

from collections.abc import Callable, Generator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.live_sites import audit, crawl, found, html, put_page, put_site, put_sitemap, sitemap_of
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
    assert conditional == {"/tea"}
    assert box.paths.count("/") == 1, "the home page is that of the search for sitemaps"


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


@pytest.fixture
def other() -> Generator[SiteBox]:
    with SiteBox() as served:
        put_site(served, {"/": ["/milk"], "/milk": []})
        yield served


def put_list(box: SiteBox, path: Path) -> str:
    """Write a sitemap of one page of a site to a file."""
    path.write_text(sitemap_of([box.url("/tea")]))
    return str(path)


@pytest.mark.parametrize("options", [{}, {"crawl": True}])
@pytest.mark.parametrize("first", [audit, crawl])
def test_the_store_of_another_site_is_refused_before_any_request(
    box: SiteBox, other: SiteBox, tmp_path: Path, first: Callable[..., Any], options: dict[str, Any]
):
    store = tmp_path / "site.duckdb"
    put_site(box, {"/": ["/tea"], "/tea": []})
    (audit(box, store=store) if first is audit else crawl(box, store)).close()
    before = store.read_bytes()

    with pytest.raises(urlset.StoreError, match="expected a store with audits") as refused:
        audit(other, store=store, **options)

    assert f"{other.site}/" in str(refused.value)
    assert f"found {first.__name__}s of {box.site}/" in str(refused.value)
    assert other.hits == []
    assert store.read_bytes() == before


@pytest.mark.parametrize("kind", ["file", "file with a base URL", "bytes"])
def test_a_file_that_lists_another_site_is_refused(
    box: SiteBox, other: SiteBox, tmp_path: Path, kind: str
):
    store = tmp_path / "site.duckdb"
    put_site(box, {"/": ["/tea"], "/tea": []})
    audit(box, store=store).close()
    path = put_list(other, tmp_path / "other.xml")
    start = Path(path).read_bytes() if kind == "bytes" else path
    base = {"base_url": f"{other.site}/"} if kind == "file with a base URL" else {}

    with pytest.raises(urlset.StoreError, match=f"found audits of {box.site}/"):
        audit(other, store=store, start=start, **base)

    assert other.hits == []
    with urlset.Store.open(store, read_only=True) as kept:
        assert list(kept.query("SELECT DISTINCT source FROM entries")) == [
            (box.url("/sitemap.xml"),)
        ]


def test_a_store_is_that_of_a_site_however_the_site_is_named(box: SiteBox, tmp_path: Path):
    store = tmp_path / "site.duckdb"
    put_site(box, {"/": ["/tea"], "/tea": []})
    path = put_list(box, tmp_path / "sitemap.xml")
    sources: list[dict[str, Any]] = [
        {"start": path},
        {"start": box.site},
        {"start": path, "base_url": f"{box.site}/"},
        {"start": box.url("/sitemap.xml")},
        {"crawl": True},
        {"start": Path(path).read_bytes()},
    ]

    for options in sources:
        audit(box, store=store, **options).close()

    with urlset.Store.open(store, read_only=True) as kept:
        assert list(kept.query("SELECT DISTINCT site FROM crawls")) == [(f"{box.site}/",)]


@pytest.mark.parametrize("names_sitemap", [False, True])
def test_a_sitemap_on_another_host_than_its_pages_is_audited_again(
    box: SiteBox, other: SiteBox, tmp_path: Path, names_sitemap: bool
):
    store = tmp_path / "site.duckdb"
    put_page(box, "/tea")
    other.put("/sitemap.xml", sitemap_of([box.url("/tea")]))
    start = other.url("/sitemap.xml") if names_sitemap else other.site

    audit(other, store=store, start=start).close()
    audit(other, store=store, start=start).close()

    other.put("/more.xml", sitemap_of([other.url("/milk")]))
    with pytest.raises(urlset.StoreError, match="name another file"):
        audit(other, store=store, start=other.url("/more.xml"))


def test_an_audit_uses_the_store_of_a_reading_of_another_site(
    box: SiteBox, other: SiteBox, tmp_path: Path
):
    store = tmp_path / "site.duckdb"
    put_site(box, {"/": ["/tea"], "/tea": []})
    urlset.read(other.site, policy=quick()).to_duckdb(store)

    with audit(box, store=store) as whole:
        assert box.url("/tea") in whole.table("pages").to_arrow()["url"].to_pylist()

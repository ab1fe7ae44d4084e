"""The Scrapy spider: documents, rules, provenance, and crawls through Scrapy's downloader."""

import gzip
import logging
import re
import zlib
from typing import Any

import pytest

pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install scrapy")

from scrapy.http import Request, Response
from scrapy.utils.test import get_crawler

import urlset
from tests.engine import (
    test_tolerance_bytes,
    test_tolerance_entries,
    test_tolerance_feeds,
    test_tolerance_gzip,
    test_tolerance_markup,
    test_tolerance_names,
)
from urlset.engine import get
from urlset.integrations.scrapy import SitemapSpider

SITE = "https://example.com/"
SITEMAP = f"{SITE}sitemap.xml"
CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
TOLERANCES = (
    test_tolerance_bytes,
    test_tolerance_entries,
    test_tolerance_feeds,
    test_tolerance_gzip,
    test_tolerance_markup,
    test_tolerance_names,
)
parse = urlset.parse


def respond(
    body: bytes, url: str = SITEMAP, *, content_type: str | None = None, meta: Any = None
) -> Response:
    headers = {} if content_type is None else {"Content-Type": content_type}
    return Response(url, body=body, headers=headers, request=Request(url, meta=meta))


def ignore(self: SitemapSpider, response: Response) -> None:
    """Callback for pages."""


def spider_of(**attributes: Any) -> SitemapSpider:
    spider: Any = type("Spider", (SitemapSpider,), {"name": "tea", **attributes})
    made = spider.from_crawler(get_crawler(spider))
    assert isinstance(made, SitemapSpider)
    return made


def requests_of(response: Response, **attributes: Any) -> list[Request]:
    return list(spider_of(**attributes)._parse_sitemap(response))


def urls_of(response: Response, **attributes: Any) -> list[str]:
    return [request.url for request in requests_of(response, **attributes)]


def urlset_of(*locs: str) -> bytes:
    rows = "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs)
    return f'<urlset xmlns="{CORE}">\n{rows}</urlset>'.encode()


# Each input of the tests of tolerances goes through the spider, too.


@pytest.fixture
def engine(request: pytest.FixtureRequest):
    """The engine that the spider uses."""
    return get(None)


def through_spider(data: bytes, **options: Any) -> urlset.Document:
    """Parse a document, and assert that the spider requests what it lists."""
    options.pop("engine", None)
    document = parse(data, **options)
    url = options.get("base_url") or options.get("source") or SITEMAP
    url = url if url.startswith("http") else SITEMAP
    if url.endswith("/robots.txt"):
        return document
    meta = {"download_maxsize": options["max_bytes"]} if "max_bytes" in options else None
    response = respond(data, url, content_type=options.get("content_type"), meta=meta)
    whole = parse(data, **{**options, "base_url": url, "source": url})
    is_read = whole.kind in ("urlset", "index", "text", "rss", "atom")
    listed = [*whole.sitemaps, *whole.entries] if is_read else []
    expected = [Request(row.loc).url for row in listed if re.match("https?://", row.loc, re.I)]
    assert urls_of(response) == expected
    return document


ROWS = {
    name: function
    for module in TOLERANCES
    for name, function in vars(module).items()
    if name.startswith("test_row_")
}


class TestTolerances:
    """The tests of the reader's tolerances, with the spider between them and the parser."""

    @pytest.fixture(autouse=True)
    def _through_spider(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(urlset, "parse", through_spider)

    locals().update({name: staticmethod(function) for name, function in ROWS.items()})


def test_every_row_of_documents_goes_through_the_spider():
    assert len({name[9:11] for name in ROWS}) == 55


def test_the_content_decides_and_not_the_content_type():
    body = urlset_of(f"{SITE}a")

    for kind in ("text/html", "text/plain", "application/octet-stream", None):
        assert urls_of(respond(body, f"{SITE}map.php?x=1", content_type=kind)) == [f"{SITE}a"]


def test_text_and_feeds_are_read():
    assert urls_of(respond(f"{SITE}a\n{SITE}b\n".encode())) == [f"{SITE}a", f"{SITE}b"]
    rss = f"<rss><channel><item><link>{SITE}c</link></item></channel></rss>"
    assert urls_of(respond(rss.encode())) == [f"{SITE}c"]


def test_rules_choose_callbacks_and_follow_chooses_sitemaps():
    def tea(response):
        pass

    rules = [("/tea/", tea), ("/milk/", "parse")]
    found = requests_of(
        respond(urlset_of(f"{SITE}tea/1", f"{SITE}milk/1", f"{SITE}x")),
        sitemap_rules=rules,
        parse=ignore,
    )

    assert [(each.url, each.callback == tea) for each in found] == [
        (f"{SITE}tea/1", True),
        (f"{SITE}milk/1", False),
    ]
    index = urlset_of(f"{SITE}a.xml", f"{SITE}b.xml").replace(b"url>", b"sitemap>")
    index = index.replace(b"urlset", b"sitemapindex")
    assert urls_of(respond(index), sitemap_follow=["/a"]) == [f"{SITE}a.xml"]


def test_meta_has_the_provenance():
    body = (
        f'<urlset xmlns="{CORE}">\n<url><loc>/a</loc><lastmod>2026-01-18</lastmod></url></urlset>'
    )

    (found,) = requests_of(
        respond(
            body.encode(), meta={"sitemap": {"source": f"{SITE}i.xml", "how": "index", "depth": 1}}
        )
    )

    assert found.url == f"{SITE}a"
    assert found.meta["sitemap"] == {
        "source": SITEMAP,
        "parent": f"{SITE}i.xml",
        "how": "index",
        "line": 2,
        "lastmod": "2026-01-18",
    }


def test_the_filter_gets_the_keys_of_scrapy_and_the_entry():
    body = (
        f'<urlset xmlns="{CORE}" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>{SITE}a'
        "</loc><lastmod>2026-01</lastmod><priority>0.8</priority><changefreq>daily</changefreq>"
        f'<xhtml:link rel="alternate" hreflang="de" href="{SITE}de"/></url></urlset>'
    )
    seen = []

    def sitemap_filter(self, entries):
        assert entries.type == "urlset"
        for entry in entries:
            seen.append(entry)
            yield entry

    assert urls_of(respond(body.encode()), sitemap_filter=sitemap_filter) == [f"{SITE}a"]
    (row,) = seen
    assert row.pop("entry").lastmod.year == 2026
    assert row == {
        "loc": f"{SITE}a",
        "lastmod": "2026-01",
        "priority": "0.8",
        "changefreq": "daily",
        "alternate": [f"{SITE}de"],
    }


@pytest.mark.parametrize(
    "loc", ["file:///etc/passwd", "s3://bucket/x", "data:,x", "ftp://example.com/x", "FILE:///x"]
)
def test_hostile_schemes_are_not_requested(loc):
    assert urls_of(respond(urlset_of(loc, f"{SITE}a"))) == [f"{SITE}a"]
    index = f'<sitemapindex xmlns="{CORE}"><sitemap><loc>{loc}</loc></sitemap></sitemapindex>'
    assert urls_of(respond(index.encode())) == []
    assert urls_of(respond(f"Sitemap: {loc}\n".encode(), f"{SITE}robots.txt")) == []
    alternate = (
        f'<urlset xmlns="{CORE}" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>'
        f'{SITE}a</loc><xhtml:link rel="alternate" hreflang="de" href="{loc}"/></url></urlset>'
    )
    assert urls_of(respond(alternate.encode()), sitemap_alternate_links=True) == [f"{SITE}a"]


def test_a_gzip_bomb_is_cut_off_at_the_limit():
    bomb = gzip.compress(urlset_of(*[f"{SITE}{n}" for n in range(100)]) + b" " * 50_000_000)

    found = urls_of(respond(bomb, meta={"download_maxsize": 1_000}))

    assert 0 < len(found) < 30  # whole entries of the first 1,000 bytes


def test_a_gzip_bomb_in_layers_is_cut_off():
    body = urlset_of(f"{SITE}a")
    for _ in range(3):
        body = gzip.compress(body)

    assert urls_of(respond(body)) == [f"{SITE}a"]
    assert urls_of(respond(gzip.compress(body))) == []


def test_truncated_documents_yield_no_invented_url():
    body = urlset_of(f"{SITE}a", f"{SITE}bcdef")

    assert urls_of(respond(body[: body.index(b"def")])) == [f"{SITE}a"]


def test_indexes_are_followed_to_a_limited_depth():
    index = f'<sitemapindex xmlns="{CORE}"><sitemap><loc>{SITE}b.xml</loc></sitemap></sitemapindex>'

    (child,) = requests_of(respond(index.encode(), meta={"sitemap": {"depth": 9}}))

    assert child.meta["sitemap"]["depth"] == 10
    assert requests_of(respond(index.encode(), meta={"sitemap": {"depth": 10}})) == []


def test_html_with_status_200_is_reported(caplog, monkeypatch):
    # Pelican, once imported, makes new loggers drop a warning with the text of an earlier one.
    monkeypatch.setattr(logging.getLogger("scrapy.spiders.sitemap"), "filters", [])
    assert urls_of(respond(b"<!doctype html><title>Tea</title><a href='/x'>x</a>")) == []
    assert f"Ignoring invalid sitemap: <200 {SITEMAP}>" in caplog.text


def test_robots_txt_in_odd_spellings():
    robots = b"\xef\xbb\xbfSite-map : /a.xml\nSITEMAP: https://example.com/b.xml # main\n"

    assert urls_of(respond(robots, f"{SITE}robots.txt")) == [f"{SITE}a.xml", f"{SITE}b.xml"]


def crawl(site: dict[str, bytes], *urls: str, **attributes: Any) -> tuple[list[str], list[str]]:
    """Run a spider against responses; return the requested URLs and those of pages."""
    requested: list[str] = []
    pages: list[str] = []
    spider = spider_of(sitemap_urls=urls, parse=ignore, **attributes)
    queue = list(spider.start_requests())
    while queue:
        request = queue.pop(0)
        requested.append(request.url)
        assert len(requested) < 100
        if request.callback == spider.parse:
            pages.append(request.url)
            continue
        body = site.get(request.url)
        response = Response(
            request.url, status=404 if body is None else 200, body=body or b"", request=request
        )
        if body is None and "handle_httpstatus_all" not in request.meta:
            queue += _failed(request, response)
        else:
            queue += request.callback(response) or ()
    return requested, pages


def _failed(request: Request, response: Response) -> Any:
    from scrapy.spidermiddlewares.httperror import HttpError
    from twisted.python.failure import Failure

    failure = Failure(HttpError(response, "Ignoring non-200 response"))
    failure.request = request  # type: ignore[attr-defined] # as Scrapy does
    return request.errback(failure) if request.errback else ()


def test_a_site_is_searched_by_robots_txt():
    requested, pages = crawl(
        {
            f"{SITE}robots.txt": b"Sitemap: /maps.xml",
            SITE: b"<title>Tea</title>",
            f"{SITE}maps.xml": urlset_of(f"{SITE}a"),
        },
        SITE,
    )

    assert pages == [f"{SITE}a"]
    assert requested == [f"{SITE}robots.txt", SITE, f"{SITE}maps.xml", f"{SITE}a"]


def test_a_site_is_searched_by_well_known_paths():
    requested, pages = crawl(
        {
            SITE: b"<title>Tea</title>",
            f"{SITE}sitemap_index.xml": urlset_of(f"{SITE}a"),
            f"{SITE}sitemap.xml": b"<!doctype html><title>Not found</title>",
        },
        "https://example.com",
    )

    assert pages == [f"{SITE}a"]
    assert requested[:2] == [f"{SITE}robots.txt", SITE]
    assert f"{SITE}sitemap-index.xml" in requested


def test_a_site_without_a_sitemap_is_reported(caplog):
    requested, pages = crawl({SITE: b"<title>Tea</title>"}, SITE)

    assert not pages
    assert len(requested) == 14
    assert "no sitemap found: tried 14 URLs" in caplog.text


def test_zlib_bodies_are_read():
    assert urls_of(respond(zlib.compress(urlset_of(f"{SITE}a")))) == [f"{SITE}a"]


def test_a_sitemap_that_was_redirected_is_the_base_of_its_urls():
    response = Response(
        "https://www.example.com/maps/1.xml",
        body=urlset_of("a"),
        request=Request("https://www.example.com/maps/1.xml", meta={"redirect_urls": [SITEMAP]}),
    )

    assert urls_of(response) == ["https://www.example.com/maps/a"]


def test_a_robots_txt_in_an_index_is_read():
    index = f"<sitemapindex xmlns='{CORE}'><sitemap><loc>/robots.txt</loc></sitemap></sitemapindex>"

    _, pages = crawl(
        {
            SITEMAP: index.encode(),
            f"{SITE}robots.txt": b"Sitemap: /b.xml\n",
            f"{SITE}b.xml": urlset_of(f"{SITE}a"),
        },
        SITEMAP,
    )

    assert pages == [f"{SITE}a"]

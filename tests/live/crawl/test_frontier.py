"""Reads of the frontier's tables: none that cannot find anything, and none that is missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import urlset
from tests.site_box import SiteBox, in_turn, page
from urlset.live.crawl import frontier
from urlset.live.crawl.frontier import Discovered, Frontier
from urlset.live.crawl.journal import Journal
from urlset.live.crawl.options import CrawlOptions, Scope
from urlset.live.schemas import VISIT_SCHEMA
from urlset.live.visits.page_record import disallowed_record
from urlset.robots import Robots
from urlset.store import Store

SITE = "https://example.com/"
ROBOTS = Robots(f"{SITE}robots.txt")


@pytest.fixture
def urls() -> Iterator[Frontier]:
    options = CrawlOptions()
    with Store.open(None) as store:
        store.add(VISIT_SCHEMA)
        with store.session() as session:
            yield Frontier(session, 1, Journal(None), Scope(SITE, options), options)


def test_tables_that_have_not_changed_are_not_read_again(
    urls: Frontier, monkeypatch: pytest.MonkeyPatch
):
    reads: list[Frontier] = []
    refill = Frontier._refill

    def counted(self: Frontier) -> None:
        reads.append(self)
        refill(self)

    monkeypatch.setattr(Frontier, "_refill", counted)
    urls.add([Discovered(f"{SITE}{name}", "sitemap") for name in "ab"], is_exempt=True)

    first, second = urls.next_job(), urls.next_job()
    assert first is not None
    assert second is not None
    assert len(reads) == 1
    assert [urls.next_job() for _ in range(5)] == [None] * 5
    assert len(reads) == 2, "none is waiting, until a page is visited or a URL is added"

    urls.finish(disallowed_record(first.url, ROBOTS))
    assert [urls.next_job() for _ in range(5)] == [None] * 5
    assert len(reads) == 3
    urls.add([Discovered(f"{SITE}c", "sitemap")], is_exempt=True)
    third = urls.next_job()
    assert third is not None
    assert third.url == f"{SITE}c"


def test_a_page_to_be_visited_again_is_found_after_its_record_was_written(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(frontier, "MAX_RECORDS", 1)  # written before the next URL is asked for
    with SiteBox() as box:
        box.put("/robots.txt", "")
        box.play("/", in_turn(page(b"", 500), page(b"<html><title>x</title>")))
        policy = urlset.Policy(proxies={}, retries=0)

        with urlset.crawl(box.site, policy=policy, confirm_after_s=0) as found:
            assert found.verdicts == {"ok": 1}

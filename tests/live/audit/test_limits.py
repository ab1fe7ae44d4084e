"""Limits of an audit, and its end when nothing responds any more."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.example_site import SimulatedServer, audited
from tests.http_walks import quick
from tests.live.audit.test_audit import MOMENT, RecordingServer, audit_with
from tests.live_sites import audit, put_page, sitemap_of
from tests.site_box import SiteBox, hang_up, slow
from urlset.checker.examples import page, site
from urlset.http import Request, Response
from urlset.live.audit import pipeline
from urlset.live.crawl.crawled_pages import CrawledPages
from urlset.live.visits.politeness import Budget

HTML = "text/html"


def put_site(box: SiteBox, pages: int) -> None:
    links = "".join(f'<a href="/p/{n}">x</a>' for n in range(pages))
    box.put("/", links, kind=HTML)
    for n in range(pages):
        box.put(f"/p/{n}", f"<title>{n}</title>{n}", kind=HTML)
    box.put_urlset("/p", pages)
    box.put("/robots.txt", f"Sitemap: {box.url('/p')}", kind="text/plain")


def page_requests(box: SiteBox) -> list[str]:
    return [path for path in box.paths if path == "/" or path.startswith("/p/")]


def options(**changes: Any) -> dict[str, Any]:
    return {"crawl": True, "confirm_after_s": 0.0, "policy": quick(), **changes}


@pytest.mark.parametrize("limit", [5, 12, 40])
def test_a_crawl_and_the_visits_share_a_limit_of_requests(limit: int):
    with SiteBox() as box:
        put_site(box, 20)
        with urlset.audit(box.site, **options(max_requests=limit)) as found:
            assert found.is_complete == (limit == 40)
            assert found.request_count <= limit
        pages = [path for path in page_requests(box) if "urlset-" not in path]
        assert min(limit, 21) <= len(set(pages)) <= len(pages) <= limit + 1  # / is looked at first


def test_the_limit_of_time_covers_the_reading_of_sitemaps(monkeypatch: pytest.MonkeyPatch):
    ticks = count()
    monkeypatch.setattr(pipeline, "Budget", partial(Budget, clock=lambda: float(next(ticks))))
    locs = "".join(f"<sitemap><loc>https://example.com/{n}.xml</loc></sitemap>" for n in range(9))
    xmlns = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    example = {
        "sitemap.xml": f"<sitemapindex {xmlns}>{locs}</sitemapindex>",
        **{
            f"{n}.xml": f"<urlset {xmlns}><url><loc>https://example.com/{n}</loc></url></urlset>"
            for n in range(9)
        },
    }

    with audited(example, MOMENT, max_minutes=3 / 60) as found:
        assert len(found.documents) == 3
        assert found.incomplete == ("limit of time (max-minutes)",)


@pytest.mark.parametrize("verb", ["crawl", "audit", "sync"])
def test_pages_that_wait_for_their_delay_at_the_limit_of_time_are_not_requested(
    verb: str, tmp_path: Path
):
    """The next thirty requests wait in the client; the delays would take nine seconds."""
    limits: dict[str, Any] = {"max_minutes": 1 / 60, "policy": quick(delay_s=0.3)}
    with SiteBox() as box:
        put_site(box, 40)
        if verb == "crawl":
            with urlset.crawl(box.site, tmp_path / "site.duckdb", **limits) as found:
                assert found.incomplete[0].startswith("max-minutes: ")
                ((requests,),) = found.query("SELECT request_count FROM crawls")
                assert requests <= len(box.paths)
        elif verb == "audit":
            with urlset.audit(box.site, **limits) as found:
                assert "limit of time (max-minutes)" in found.incomplete
                assert found.request_count <= len(box.paths)
        else:
            with urlset.sync(box.site, tmp_path / "site.duckdb", **limits) as run:
                assert sum(len(batch.updates) for batch in run) < 40
                assert "limit of time (max-minutes)" in run.incomplete

        assert len(page_requests(box)) < 10


def test_the_limit_of_time_of_a_crawl_counts_the_sitemaps(tmp_path: Path):
    with SiteBox() as box:
        put_site(box, 5)
        box.play("/p", slow(0.5, box.players["/p"]))

        with urlset.crawl(
            box.site, tmp_path / "site.duckdb", max_minutes=0.2 / 60, policy=quick()
        ) as found:
            assert found.incomplete[0].startswith("max-minutes: ")
        assert "/p/1" not in box.paths


def test_an_audit_without_time_for_a_sitemap_is_blind(monkeypatch: pytest.MonkeyPatch):
    locs = "".join(f"<sitemap><loc>https://example.com/{n}.xml</loc></sitemap>" for n in range(9))
    xmlns = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    example = {"sitemap.xml": f"<sitemapindex {xmlns}>{locs}</sitemapindex>"}

    with audited(example, MOMENT, max_minutes=0) as found:
        assert found.is_blind
        assert found.summary.startswith("No listed URL was read. ")


def test_a_crawl_ends_when_the_host_is_down_and_the_same_call_continues(tmp_path: Path):
    path = tmp_path / "site.duckdb"
    with SiteBox() as box:
        put_site(box, 200)
        players = dict(box.players)
        for n in range(20, 200):
            box.play(f"/p/{n}", hang_up)
        crawl = partial(
            urlset.crawl,
            box.site,
            path,
            confirm_after_s=0,
            policy=quick(concurrency=4, per_host=4),
            read_sitemaps=False,
        )
        with crawl() as found:
            assert found.incomplete[0].startswith("no-response: the last 50 requests failed: ")
            assert found.finished is None
        source = CrawledPages(str(path))
        assert list(source.batches())
        assert (
            "without some pages (no-response: the last 50 requests failed: " in source.failures[0]
        )
        assert not [note for note in source.notes if "no-response" in note]
        assert len(set(page_requests(box))) < 100  # those in flight are counted, too

        box.players = players
        with crawl() as found:
            assert (found.number, found.is_complete, found.incomplete) == (1, True, ())
            assert len(found.pages) == 201


def test_visits_end_when_nothing_responds_any_more(tmp_path: Path):
    names = [f"p{n}" for n in range(200)]
    example = site(*names, **{name: page(name) for name in names})

    class Dying(RecordingServer):
        is_dead = True

        def response(self, request: Request) -> Response:
            found = super().response(request)
            if self.is_dead and len(self.requests) > 20:
                return Response(request, request.url, error="connect", message="refused")
            return found

    server = Dying(example)
    with audit_with(server, example, str(tmp_path / "site.duckdb"), media=False) as found:
        stopped, unjudged = found.incomplete
        assert stopped == "no response: the last 50 requests failed"
        assert unjudged.endswith("could not be judged")
        assert len(server.requests) < 120
    server.is_dead = False
    with audit_with(server, example, str(tmp_path / "site.duckdb"), media=False) as found:
        assert found.is_complete
        assert found.visited == 200


def test_the_report_names_the_date_of_the_audit_before(tmp_path: Path):
    example = site("tea", tea=page("Tea"))
    for _ in range(2):
        with audit_with(SimulatedServer(example), example, str(tmp_path / "a.duckdb")) as found:
            found.report(tmp_path / "report.html")

    text = (tmp_path / "report.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "since the previous audit" not in text
    assert f"since {found.started:%-d %B %Y}" in text or f"since {found.started:%Y-%m-%d}" in text


def test_the_report_counts_the_coverage_as_the_summary_does(tmp_path: Path):
    with SiteBox() as box:
        put_site(box, 5)
        box.put("/p/4", '<meta name="robots" content="noindex">', kind=HTML)
        box.put("/", '<a href="/p/0">x</a><a href="/p/1/">x</a><a href="/x">x</a>', kind=HTML)
        box.put("/p/1/", "the same", kind=HTML)
        box.put("/x", "not listed", kind=HTML)
        with urlset.audit(box.site, **options()) as found:
            found.report(tmp_path / "report.html")

    assert found.coverage.sentences() == [
        "Of 5 listed URLs 2 are linked; of 3 linked URLs 2 are listed."
    ]
    text = (tmp_path / "report.html").read_text()
    assert "3 listed pages are not linked; 1 linked page is not listed" in text


@pytest.mark.parametrize("folder", ["public", "httpdocs"])
def test_the_host_of_the_urls_of_a_file_may_be_private(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    Path(folder).mkdir()
    with SiteBox() as box:
        put_page(box, "/a")
        Path(folder, "sitemap.xml").write_text(sitemap_of([box.url("/a")]))

        with audit(box, start=f"{folder}/sitemap.xml") as found:
            assert found.summary == "The one listed URL is fine."

"""Audits of simulated sites: second visits, conditional requests, samples, limits, changes."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import urlset
import urlset.checker
from tests.example_site import ALL, Answered, SimulatedServer, audited
from urlset.checker.examples import (
    HOME,
    ExampleResponse,
    Piece,
    entry,
    hreflang,
    page,
    redirect,
    site,
)
from urlset.http import Policy, Request, Response, Walk
from urlset.live.audit import Audit, AuditSettings
from urlset.live.audit.pipeline import audit_entries
from urlset.live.visits import page_worker
from urlset.reader import Entries

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TEA, COFFEE = page("Tea"), page("Coffee")


class RecordingServer(SimulatedServer):
    """Server that records requests for pages, and fails for the first of some URLs."""

    def __init__(self, example: dict[str, Any], first: dict[str, int] | None = None):
        super().__init__(example)
        self.requests: list[Request] = []
        self._first = {f"{HOME}{path}": status for path, status in (first or {}).items()}

    def response(self, request: Request) -> Response:
        self.requests.append(request)
        status = self._first.pop(request.url, None)
        if status is not None:
            return Response(request, request.url, status=status, error="status", message="busy")
        if request.etag == '"1"':
            return Response(request, request.url, status=304, headers={"etag": '"1"'})
        return super().response(request)


def audit_with(
    server: SimulatedServer, example: Any, path: str | None = None, **settings: Any
) -> Audit:
    start = f"{HOME}sitemap.xml"
    options = AuditSettings(now=MOMENT, confirm_after_s=0, confirm_delay_s=0, **settings)
    entries = Entries(
        Answered(start, example), source=start, entry_filter=ALL, limit=None, fail_fast=False
    )
    return audit_entries(entries, options, path=path, drive=server.drive)


def codes(found: Audit) -> list[str]:
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_a_response_that_was_refused_once_says_nothing(status: int):
    example = site(tea=TEA, coffee=COFFEE)
    server = RecordingServer(example, {"tea": status})

    with audit_with(server, example) as found:
        assert found.findings == []
        assert found.summary == "All 2 listed URLs are fine."


@pytest.mark.parametrize(
    ("status", "code"),
    [(403, "N107"), (407, "N116"), (429, "N116"), (451, "N116"), (503, "N116"), (500, "N103")],
)
def test_a_refusal_that_stays_is_unknown_and_never_broken(status: int, code: str):
    example = site(tea=TEA, coffee=ExampleResponse(status=status))

    with audited(example, MOMENT) as found:
        [finding] = found.findings

    assert finding.code == code
    assert finding.basis == ("observed" if code == "N103" else "unknown")


def test_a_timeout_is_unknown():
    example = site(tea=TEA, coffee=ExampleResponse(error="timeout"))

    with audited(example, MOMENT) as found:
        assert codes(found) == ["N116"]


def test_a_host_that_never_answers_is_unknown():
    example = site(tea=ExampleResponse(error="connect"))

    with audited(example, MOMENT) as found:
        assert codes(found) == ["N116"]


def test_robots_txt_is_obeyed():
    example = {**site(tea=TEA, coffee=COFFEE), "robots.txt": "User-agent: *\nDisallow: /coffee"}
    server = RecordingServer(example)

    with audit_with(server, example) as found:
        verdicts: dict[str, str] = dict(found.store.query("SELECT url, verdict FROM pages"))

    assert verdicts == {f"{HOME}tea": "ok", f"{HOME}coffee": "disallowed"}
    assert f"{HOME}coffee" not in [request.url for request in server.requests]


def test_canonicals_are_compared_after_normalisation():
    head = '<link rel="canonical" href="HTTPS://EXAMPLE.com:443/%7Etea">'
    example = {**site("~tea"), "~tea": page("Tea", head)}

    with audited(example, MOMENT) as found:
        assert found.findings == []


def test_one_self_reference_does_not_satisfy_hreflang():
    """A lists A and B, and B lists nothing: the link to B is not mutual."""
    example = site(tea=page("Tea", hreflang("en=tea", "de=tee")), tee=page("Tee"))

    with audited(example, MOMENT) as found:
        assert [(f.code, f.loc) for f in found.findings] == [("N124", f"{HOME}tea")]


def test_orphans_of_a_crawl_with_gaps_are_named_with_the_number_of_the_gaps():
    example = {
        **site("", "tea", "coffee", "broken", tea=TEA, coffee=COFFEE),
        "": page("Shop", body='<a href="/tea">Tea</a> <a href="/broken">x</a>'),
        "broken": ExampleResponse(status=500),
    }

    with audited(example, MOMENT, crawl=True) as found:
        [orphan] = [f for f in found.findings if f.code == "P504"]
        assert (orphan.loc, orphan.basis) == (f"{HOME}coffee", "unknown")
        assert orphan.message == (
            "No page is seen to link to https://example.com/coffee; "
            "1 URL was not read, and may link to it"
        )
        assert not found.coverage.is_complete
        assert found.coverage.reasons


def test_slash_variants_and_redirects_count_as_links():
    example = {
        **site("", "tea/", "coffee", **{"tea/": TEA, "coffee": COFFEE}),
        "": page("Shop", body='<a href="/tea">Tea</a> <a href="/old-coffee">Coffee</a>'),
        "tea": redirect("/tea/"),
        "old-coffee": redirect("/coffee"),
    }

    with audited(example, MOMENT, crawl=True) as found:
        assert found.coverage.is_complete
        assert codes(found) == []


def test_a_link_to_itself_is_no_link():
    example = {
        **site("", "tea", tea=page("Tea", body='<a href="/tea">Tea</a>')),
        "": page("Shop"),
    }

    with audited(example, MOMENT, crawl=True) as found:
        assert [(f.code, f.loc, f.basis) for f in found.findings] == [
            ("P504", f"{HOME}tea", "complete")
        ]


def test_noindex_and_canonicalised_pages_need_no_entry():
    example = {
        **site("", "tea", tea=TEA),
        "": page("Shop", body='<a href="/tea">1</a> <a href="/cart">2</a> <a href="/tea-2">3</a>'),
        "cart": page("Cart", '<meta name="robots" content="noindex">'),
        "tea-2": page("Tea", '<link rel="canonical" href="/tea">'),
    }

    with audited(example, MOMENT, crawl=True) as found:
        assert found.findings == []


def test_a_finding_is_fixed_only_if_its_rule_and_its_sitemap_were_judged_again(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    children = [f"<sitemap><loc>{HOME}{name}.xml</loc></sitemap>" for name in ("a", "b")]
    example: dict[str, Piece] = {
        "sitemap.xml": "".join(children),
        "a.xml": entry(f"{HOME}tea"),
        "b.xml": entry(f"{HOME}coffee"),
        "tea": TEA,
    }
    unread = {**example, "b.xml": ExampleResponse("no", 503)}
    mended = {**example, "coffee": COFFEE}
    with audit_with(SimulatedServer(example), example, path) as found:
        assert [(f.code, f.loc) for f in found.findings] == [("N102", f"{HOME}coffee")]

    with audit_with(SimulatedServer(example), example, path, select=("N101",)) as found:
        assert found.changes == (0, 0, 0)
    with audit_with(SimulatedServer(unread), unread, path) as found:
        assert found.changes is not None
        assert found.changes.fixed == 0
    with audit_with(SimulatedServer(example), example, path) as found:
        assert found.changes is not None
        assert found.changes.remaining == 1
    with audit_with(SimulatedServer(mended), mended, path) as found:
        assert [f.code for f in found.findings] == []
        assert found.changes is not None
        assert found.changes.fixed >= 1


def test_a_second_audit_asks_for_changes_and_compares(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    tea = page("Tea", etag='"1"')
    before: dict[str, Piece] = site("tea", "coffee", "milk", tea=tea, milk=page("Milk"))
    after: dict[str, Piece] = site("tea", "coffee", "milk", tea=tea, coffee=COFFEE)
    with audit_with(SimulatedServer(before), before, path) as found:
        assert found.changes is None
        assert [f.loc for f in found.findings] == [f"{HOME}coffee"]

    server = RecordingServer(after)
    with audit_with(server, after, path) as found:
        assert found.changes == (1, 1, 0)
        assert [f.loc for f in found.findings] == [f"{HOME}milk"]
        query = "SELECT is_from_cache, verdict FROM pages WHERE url LIKE '%/tea'"
        assert list(found.store.query(query)) == [(True, "ok")]
        assert "1 new, 1 fixed, 0 still there" in found.notes[-1]
    [request] = [request for request in server.requests if request.url == f"{HOME}tea"]
    assert request.etag == '"1"'


def test_content_that_changes_under_an_old_date_is_late(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    names = [f"blog/{n}" for n in range(6)]
    before: dict[str, Piece] = site(**{name: page(name, body="<p>old") for name in names})
    after: dict[str, Piece] = site(**{name: page(name, body="<p>new") for name in names})
    audit_with(SimulatedServer(before), before, path).close()

    with audit_with(SimulatedServer(after), after, path) as found:
        [trial] = found.lastmod

    assert (trial.section, trial.dates, trial.late) == ("/blog/", 6, 6)
    assert "N127" in codes(found)


def test_a_date_in_the_future_is_reported_by_one_rule():
    dated = page("Tea", '<meta property="article:modified_time" content="2026-05-01T08:00:00Z">')
    example: dict[str, Piece] = {
        "sitemap.xml": entry(f"{HOME}tea", lastmod="2031-05-01"),
        "tea": dated,
    }
    past = {**example, "sitemap.xml": entry(f"{HOME}tea", lastmod="2026-10-01")}

    with audited(example, MOMENT) as found:
        assert {"D007", "N110"} & set(codes(found)) == {"D007"}
    with audited(past, MOMENT) as found:
        assert {"D007", "N110"} & set(codes(found)) == {"N110"}


def test_disallowed_urls_are_not_counted_as_visited():
    example = site(tea=TEA, coffee=COFFEE, milk=page("Milk"))
    example["robots.txt"] = b"User-agent: *\nDisallow: /tea\n"
    server = RecordingServer(example)

    with audit_with(server, example, max_requests=1) as found:
        visited = [request.url for request in server.requests if "robots" not in request.url]
        assert len(visited) == 1
        assert (found.visited, found.listed) == (1, 3)
        assert found.summary.startswith("Of 2 checked URLs, of 3 listed, 50.0 % are fine")


def test_last_modified_of_rendering_is_no_witness():
    now = "Sat, 21 Nov 2026 12:00:00 GMT"
    names = [f"blog/{n}" for n in range(6)]
    example = site(**{name: page(name, last_modified=now, date=now) for name in names})

    with audited(example, MOMENT) as found:
        assert found.findings == []
        assert sum(trial.dates for trial in found.lastmod) == 0


def test_a_sample_visits_its_share_of_each_section():
    names = [f"{section}/{n}" for section in ("shop", "blog") for n in range(40)]
    example = site(**{name: page(name) for name in names})

    with audited(example, MOMENT, sample=20) as found:
        sections: dict[str, int] = dict(
            found.store.query("SELECT section, count(*) FROM pages GROUP BY ALL")
        )
        assert sections == {"/shop/": 10, "/blog/": 10}
        assert found.is_sampled
        assert (found.listed, found.visited) == (80, 20)
        assert found.summary.startswith("Of 80 listed URLs about 100.0 % (")


def test_json_separates_counted_verdicts_from_estimates():
    names = [f"{section}/{n}" for section in ("shop", "blog") for n in range(40)]
    example = site(**{name: page(name) for name in names})

    with audited(example, MOMENT, sample=20) as found:
        sample = found.to_dict()
        [share] = found.verdicts
    with audited(example, MOMENT, max_requests=5) as found:
        ended = found.to_dict()
    with audited(example, MOMENT, sample=100) as found:
        whole = found.to_dict()

    assert (sample["sampled"], sample["verdicts"]) == (20, {"fine": 20})
    assert sample["estimates"] == {"fine": {"urls": 80, "low": 70, "high": 80}}
    assert (share.visited, share.estimated_urls) == (20, 80)
    assert (ended["listed"], ended["visited"], ended["verdicts"]) == (80, 5, {"fine": 5})
    assert (ended["sampled"], ended["estimates"]) == (None, None)
    assert (whole["sampled"], whole["verdicts"], whole["estimates"]) == (80, {"fine": 80}, None)


def test_patterns_select_the_listed_urls_that_are_visited_and_counted():
    example = site(
        *(f"shop/{n}" for n in range(5)),
        "shop/old.pdf",
        "blog/1",
        "blog/2",
        **{f"shop/{n}": page(f"Tea {n}") for n in range(4)},
        **{"blog/1": page("Coffee")},
    )
    server = RecordingServer(example)

    with audit_with(
        server, example, include=["/shop/"], exclude=["[.]pdf$"], media=False, targets=False
    ) as found:
        visited = {path for (path,) in found.store.query("SELECT url FROM pages")}
        assert visited == {f"{HOME}shop/{n}" for n in range(5)}
        assert (found.listed, found.visited, found.is_sampled) == (5, 5, False)
        assert found.summary.startswith("Of 5 listed URLs 80.0 % are fine; 1 is gone")
        assert "Only URLs that include and exclude select were visited" in " ".join(found.notes)
        assert found.incomplete == ()
    assert not [r.url for r in server.requests if "/blog/" in r.url and r.purpose == "page"]


def test_a_sample_is_one_of_the_urls_that_patterns_select():
    names = [f"{section}/{n}" for section in ("shop", "blog") for n in range(40)]
    example = site(**{name: page(name) for name in names})

    with audited(example, MOMENT, sample=10, include=["/shop/1", "/blog/2"]) as found:
        assert (found.listed, found.visited) == (22, 10)


def test_pages_of_an_earlier_audit_do_not_count_if_no_pattern_selects_them(tmp_path: Path):
    example = site(tea=TEA, coffee=COFFEE)
    path = str(tmp_path / "site.duckdb")
    audit_with(RecordingServer(example), example, path).close()

    with audit_with(RecordingServer(example), example, path, include=["tea"]) as found:
        assert (found.listed, found.visited) == (1, 1)


def test_an_invalid_pattern_is_an_error_before_the_first_request():
    with pytest.raises(ValueError, match="include: expected a regular expression"):
        urlset.audit("https://example.com/", include="(")


def test_entries_without_a_readable_url_are_noted():
    example = site("tea", tea=TEA)
    listed = f"{entry(f'{HOME}tea')}<url><loc>https:///coffee</loc></url>"
    example["sitemap.xml"] = listed

    with audited(example, MOMENT) as found:
        assert (found.listed, found.visited) == (1, 1)
        assert "1 listed entry has no readable URL, and could not be visited" in str(found.notes)


def test_a_limit_of_requests_is_stated():
    example = site(tea=TEA, coffee=COFFEE)

    with audited(example, MOMENT, max_requests=1) as found:
        assert found.visited == 1
        assert "not complete: limit of requests (max-requests)" in found.summary


def test_ctrl_c_ends_the_visits_and_judges_the_rest():
    example = site("coffee", "tea", tea=TEA)

    class Interrupted(SimulatedServer):
        def drive(self, walk: Walk[Any], policy: Policy) -> Generator[Any]:
            for number, result in enumerate(super().drive(walk, policy)):
                yield result
                if number == 0:
                    raise KeyboardInterrupt

    with audit_with(Interrupted(example), example) as found:
        assert found.incomplete == ("interrupted",)
        assert found.visited == 1


def test_a_worker_that_reads_the_pages_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    example = site(
        tea=TEA,
        coffee=COFFEE,
        old=redirect("tea"),
        busy=ExampleResponse(status=500),
        gone=ExampleResponse(status=404),
    )
    tables = []
    for first in (1, 1_000):
        monkeypatch.setattr(page_worker, "WORKER_FROM", first)
        with audit_with(RecordingServer(example), example) as found:
            query = "SELECT * EXCLUDE (seconds, first_byte_s) FROM pages ORDER BY url"
            tables.append((codes(found), list(found.store.query(query))))

    assert tables[0] == tables[1]
    assert {"N103", "N101"} <= set(tables[0][0])


def test_an_error_in_a_sitemap_is_reported_and_the_other_urls_are_visited():
    entries = "".join(f"<url><loc>{HOME}{n}</loc></url>\n" for n in range(200))
    broken = entries.replace(f"<loc>{HOME}100</loc>", f"<loc>{HOME}100</lok>")
    example: dict[str, Piece] = {
        "sitemap.xml": broken,
        **{str(n): page(f"Tea {n}") for n in range(200)},
    }

    with audited(example, MOMENT) as found:
        assert found.visited >= 199
        assert {"X002", "X009"} & set(codes(found))


def test_an_unknown_setting_is_an_error():
    with pytest.raises(TypeError, match="no argument 'samples'; did you mean 'sample'"):
        urlset.audit(b"https://example.com/", samples=3)  # type: ignore[call-arg]


def test_a_custom_rule_queries_live_views():
    [own] = [
        urlset.custom_rule(
            1,
            {
                "name": "short-title",
                "message": "{loc} has the title {title}",
                "view": "listed_pages",
                "where": "length(title) < 4",
            },
        )
    ]
    example = site(tea=TEA, coffee=COFFEE)

    with audited(example, MOMENT, rules=[own]) as found:
        assert [f.message for f in found.findings] == [f"{HOME}tea has the title Tea"]
    assert urlset.check(b"https://example.com/tea", rules=[own]).by_rule.get("Z001") is None


def test_tables_are_arrow_and_the_report_is_written(tmp_path: Path):
    example = site(tea=TEA, coffee=ExampleResponse(status=404))

    with audited(example, MOMENT) as found:
        assert len(found.tables["pages"]) == 2
        found.report(tmp_path / "report.html")
        assert "N102" in found._repr_html_()
        assert "1 is gone" in repr(found)

    assert "1 is gone" in (tmp_path / "report.html").read_text(encoding="utf-8")

"""Results of all verbs: what they have in common, and that an error never looks complete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import urlset
from tests.builder.test_unread_sources import Failing
from tests.live.submit.fake_engines import Bench, Reply, added
from tests.site_box import SiteBox, page
from urlset.live.submit.changes import open_input
from urlset.live.sync.pipeline import NOT_OVER
from urlset.result import Result
from urlset.sources import Candidate, CandidateRows
from urlset.store import ScratchDatabase

Make = Callable[[SiteBox, Path], Result]


def check(box: SiteBox, folder: Path) -> Result:
    return urlset.check(box.url("/sitemap.xml"))


def fix(box: SiteBox, folder: Path) -> Result:
    (folder / "a.xml").write_bytes(b"<urlset><url><loc>https://e.com/\xff?a&b</loc></url></urlset>")
    return urlset.fix(folder / "a.xml")


def build(box: SiteBox, folder: Path) -> Result:
    return urlset.build(
        [CandidateRows([Candidate("/a")], "list"), Failing([], "shop")],
        folder / "public",
        base_url="https://example.com/",
        ledger=folder / "ledger.duckdb",
        on_error="skip",
    )


def crawl(box: SiteBox, folder: Path) -> Result:
    return urlset.crawl(box.url("/"), folder / "crawl.duckdb")


def audit(box: SiteBox, folder: Path) -> Result:
    return urlset.audit(box.url("/sitemap.xml"))


def watch(box: SiteBox, folder: Path) -> Result:
    return urlset.watch(box.url("/"), folder / "watch.duckdb")


def sync(box: SiteBox, folder: Path) -> Result:
    run = urlset.sync(box.url("/"), folder / "sync.duckdb")
    run.to_jsonl(folder / "updates.jsonl")
    return run


def diff(box: SiteBox, folder: Path) -> Result:
    return urlset.diff(box.url("/sitemap.xml"), box.url("/sitemap.xml"))


def submit(box: SiteBox, folder: Path) -> Result:
    bench = Bench(folder)
    bench.engine.replies = [Reply.of({"errorCode": "KeyNotFound"}, 403)]
    return bench.submit(added("/a"), preflight=False)


VERBS = [check, fix, build, crawl, audit, watch, sync, diff, submit]


@pytest.fixture
def site(box: SiteBox) -> SiteBox:
    """Site of which one of two sitemaps cannot be read."""
    box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")
    box.put("/", "<title>Tea</title><p>Tea", kind="text/html")
    box.put("/a.xml", _urlset(box.url("/p")))
    box.put("/p", "<title>Page</title><p>Page about tea", kind="text/html")
    box.put_index("/sitemap.xml", ["/a.xml", "/none.xml"])
    box.play("/none.xml", page(b"nothing here", 404, kind="text/html"))
    return box


def _urlset(*urls: str) -> str:
    rows = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'


@pytest.mark.parametrize("make", VERBS, ids=lambda make: make.__name__)
def test_what_is_missing_is_incomplete_also_after_close(make: Make, site, tmp_path):
    result = make(site, tmp_path)
    named = repr(result)
    open_state = result.to_dict()
    result.close()

    assert result.incomplete
    assert all(isinstance(reason, str) for reason in result.incomplete)
    assert not result.is_complete
    assert "complete" in result.summary or "could not be read" in result.summary
    assert result.to_dict() == open_state == json.loads(json.dumps(open_state))
    assert list(open_state)[:3] == ["summary", "is_complete", "incomplete"]
    assert open_state["incomplete"] == list(result.incomplete)
    assert result.subject
    kind = type(result).__name__
    assert named.startswith(f"<{kind} {result.subject}: ")
    assert repr(result) == f"<{kind} {result.subject}: {result.summary}>"
    assert not hasattr(result, "_repr_html_") or make is diff or result._repr_html_()
    result.close()


def test_a_submission_that_the_engine_refuses_is_not_complete(box, tmp_path):
    result = submit(box, tmp_path)

    assert isinstance(result, urlset.Submission)
    assert (result.sent, result.waiting, result.is_complete) == (0, 1, False)
    assert result.incomplete == (result.results[0].error,)


def test_a_synchronization_is_not_complete_before_its_end(site, tmp_path):
    site.put("/sitemap.xml", _urlset(site.url("/p"), site.url("/q"), site.url("/")))
    site.put("/q", "<title>Q</title><p>Q", kind="text/html")
    run = urlset.sync(site.url("/"), tmp_path / "sync.duckdb", batch_size=1)
    assert run.incomplete == (NOT_OVER,)
    for batch in run:
        batch.commit()
        break
    run.close()
    assert (run.is_complete, run.incomplete) == (False, (NOT_OVER,))

    run = urlset.sync(site.url("/"), tmp_path / "sync.duckdb")
    for batch in run:
        batch.commit()
    assert (run.is_complete, run.incomplete) == (True, ())


def test_unknown_pages_of_a_synchronization_are_incomplete(site, tmp_path):
    site.put("/sitemap.xml", _urlset(site.url("/p")))
    site.put("/p", "error", 503)
    run = urlset.sync(site.url("/"), tmp_path / "sync.duckdb")
    for batch in run:
        batch.commit()

    assert run.counts["unknown"] == 1
    assert run.incomplete == ("1 page unknown",)


def test_an_audit_names_sitemaps_that_could_not_be_read(site):
    with urlset.audit(site.url("/sitemap.xml")) as found:
        [reason] = found.incomplete
        assert reason.startswith(f"{site.url('/none.xml')}: ")
        assert found.summary.count("none.xml") == 0
        assert "1 sitemap could not be read completely" in found.summary


def test_an_audit_names_a_robots_txt_that_could_not_be_read_as_no_sitemap(site):
    site.put("/robots.txt", "error", 500)
    site.put("/sitemap.xml", _urlset(site.url("/p")))
    with urlset.audit(site.url("/sitemap.xml"), confirm_after_s=0) as found:
        assert " robots.txt could not be read completely." in found.summary
        assert "1 sitemap" not in found.summary


def test_a_crawl_names_a_robots_txt_that_could_not_be_read_as_no_sitemap(site, tmp_path):
    site.put("/robots.txt", "error", 500)
    with urlset.crawl(site.url("/"), tmp_path / "crawl.duckdb", confirm_after_s=0) as found:
        [count, *_] = [each for each in found.incomplete if each.startswith("sitemaps: ")]
        assert count == "sitemaps: robots.txt not read, which may name sitemaps"


def test_a_submission_names_a_robots_txt_that_could_not_be_read_as_no_sitemap(site, tmp_path):
    site.put("/robots.txt", "error", 500)
    site.put("/sitemap.xml", _urlset(site.url("/p")))
    with urlset.Store.open(tmp_path / "read.duckdb") as store:
        store.fill(urlset.read(site.url("/sitemap.xml"), read_robots=True))
    with ScratchDatabase() as db:
        note = open_input(tmp_path / "read.duckdb", db).note or ""
    assert "read.duckdb: robots.txt could not be read, so that no URL counts as removed" in note


def test_pages_of_an_audit_that_could_not_be_judged_are_incomplete(site, tmp_path):
    site.put("/sitemap.xml", _urlset(site.url("/p"), site.url("/q"), site.url("/r")))
    site.put("/p", "<title>Page</title><p>Page about tea", kind="text/html")
    site.put("/q", "error", 503)
    site.put("/r", "error", 503)
    store = tmp_path / "audit.duckdb"
    with urlset.audit(site.url("/sitemap.xml"), store=store, confirm_after_s=0) as found:
        assert found.by_rule["N116"] == 2
    assert (found.is_complete, found.incomplete) == (False, ("2 URLs could not be judged",))
    assert urlset.report([store]).sites[0].incomplete == ("2 URLs could not be judged",)


def test_an_audit_without_a_verdict_has_its_cause_also_after_close(site):
    site.put("/sitemap.xml", _urlset(site.url("/p")))
    site.put("/p", "login", 401)
    with urlset.audit(site.url("/sitemap.xml"), confirm_after_s=0) as found:
        before = found.summary
    assert found.is_blind
    assert found.summary == before
    assert "http-401 for 1 of 1" in before


def test_a_diff_names_what_was_not_read_also_if_no_url_is_unknown(site):
    with urlset.diff(site.url("/sitemap.xml"), site.url("/sitemap.xml")) as found:
        assert found.counts.unknown == 0
        [(detail, count)] = found.unread
        assert (count, found.incomplete) == (0, (detail,))
        assert detail.startswith(site.url("/none.xml"))


def test_a_killed_crawl_is_not_complete(site, tmp_path):
    with urlset.crawl(site.url("/"), tmp_path / "crawl.duckdb"):
        pass
    connection = duckdb.connect(str(tmp_path / "crawl.duckdb"))
    connection.execute("UPDATE crawls SET finished = NULL, is_complete = NULL, reasons = NULL")
    connection.close()
    with urlset.Crawl.open(tmp_path / "crawl.duckdb") as found:
        assert not found.is_complete
        assert found.incomplete == ("unvisited: the crawl was killed",)


def test_counts_of_a_baseline_are_those_of_an_evaluation():
    text = b"https://example.com/ https://example.com/a"
    baseline = urlset.Baseline()
    baseline.record(urlset.check(text, select=["T"]))

    for name in ("known", "unmatched", "by_rule"):
        found = urlset.check(text, select=["T"], baseline=baseline)
        getattr(found, name)
        assert found.unmatched is not None
        assert (found.known, len(found.unmatched), found.count) == (1, 0, 0)


def test_a_baseline_records_a_check_with_what_it_only_counted():
    text = "\n".join(f"https://example.com/{number}#a" for number in range(10_005)).encode()
    baseline = urlset.Baseline()
    recorded = baseline.record(urlset.check(text, select=["U012"]))

    assert len(recorded) == 10_000
    assert len(baseline) == 10_005
    assert urlset.check(text, select=["U012"], baseline=baseline).count == 0


def test_an_iteration_that_ends_early_is_no_comparison_with_a_baseline():
    text = b"https://example.com/ https://example.com/a\nhttps://example.com/ https://example.com/b"
    baseline = urlset.Baseline()
    baseline.record(urlset.check(text, select=["T"]))
    found = urlset.check(f"{text.decode()}\na b".encode(), select=["T"], baseline=baseline)
    rows = iter(found)
    next(rows)
    rows.close()

    assert found.known == 2
    assert "not evaluated" not in repr(found)


def test_the_summary_of_findings_evaluates_them_and_repr_does_not():
    found = urlset.check(b"https://example.com/ https://example.com/a", select=["T"])

    assert found.is_complete
    assert "not evaluated yet" in repr(found)
    assert found.summary == "1 error, 0 warnings, 0 info"
    assert repr(found) == "<Findings of bytes: 1 error, 0 warnings, 0 info>"


def test_a_finding_has_a_basis_as_in_the_json_of_an_audit():
    [finding] = urlset.check(b"https://example.com/ https://example.com/a", select=["T"])

    assert finding.to_dict()["basis"] is None


def test_a_step_of_a_watch_writes_its_report(site, tmp_path):
    found = urlset.watch(site.url("/"), tmp_path / "watch.duckdb", report=tmp_path / "now.html")
    found.report(tmp_path / "later.html")

    assert (tmp_path / "later.html").read_bytes() == (tmp_path / "now.html").read_bytes()

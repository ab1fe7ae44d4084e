"""Ctrl-C during an audit: nothing is lost, and the same call continues."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.live.audit.test_audit import RecordingServer, audit_with
from tests.site_box import SiteBox
from urlset.checker.examples import page, site
from urlset.http import Policy, Walk
from urlset.live.audit import pipeline
from urlset.model import ProgressEvent

NAMES = ("tea", "coffee", "rye", "oats")
EXAMPLE = site(*NAMES, **{name: page(name) for name in NAMES})


class Interrupted(RecordingServer):
    """Server that is interrupted after two pages."""

    def drive(self, walk: Walk[Any], policy: Policy) -> Generator[Any]:
        for number, result in enumerate(super().drive(walk, policy)):
            yield result
            if number == 1:
                raise KeyboardInterrupt


def visited(server: RecordingServer) -> set[str]:
    paths = {request.url.rpartition("/")[2] for request in server.requests}
    return paths & set(NAMES)


def test_the_same_call_continues_an_audit(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    first, second, third = Interrupted(EXAMPLE), RecordingServer(EXAMPLE), RecordingServer(EXAMPLE)
    with audit_with(first, EXAMPLE, path, media=False) as found:
        assert (found.visited, found.incomplete) == (2, ("interrupted",))

    with audit_with(second, EXAMPLE, path, media=False) as found:
        assert (found.visited, found.is_complete, found.changes) == (4, True, None)
        rows = list(found.store.query("SELECT crawl, finished IS NULL, reasons FROM crawls"))

    with audit_with(third, EXAMPLE, path, media=False) as found:
        assert found.changes is not None

    assert rows == [(1, False, [])]
    assert visited(first) | visited(second) == set(NAMES)
    assert len(visited(second)) < 4
    assert visited(third) == set(NAMES), "a finished audit is repeated"


@pytest.mark.parametrize("crawl", [False, True])
def test_an_audit_that_ends_while_it_judges_is_continued_without_a_visit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crawl: bool
):
    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with SiteBox() as box:
        for n in range(4):
            box.put(f"/{n}", f'<title>{n}</title>{n} <a href="/3">x</a>', kind="text/html")
        box.put("/", '<title>x</title><a href="/3">x</a>', kind="text/html")
        box.put("/sitemap.xml", urlset.render([box.url(f"/{n}") for n in range(3)]).decode())
        options: dict[str, Any] = {
            "store": tmp_path / "site.duckdb",
            "crawl": crawl,
            "confirm_after_s": 0.0,
            "policy": quick(),
        }
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "judge", fail)
            with pytest.raises(KeyboardInterrupt):
                urlset.audit(box.site, **options)
        visits = [path for path in box.paths if path[1:].isdigit()]

        with urlset.audit(box.site, **options) as found:
            rows = list(
                found.store.query("SELECT crawl, finished IS NULL, is_complete FROM crawls")
            )
            changes = found.changes
        assert [path for path in box.paths if path[1:].isdigit()] == visits
        assert len(visits) >= 3
        assert (rows, changes) == ([(1, False, True)], None)

        with urlset.audit(box.site, **options) as found:
            assert found.changes is not None
        assert len([path for path in box.paths if path[1:].isdigit()]) == 2 * len(visits)


def test_continuing_keeps_the_listing_of_the_audit_before(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    with audit_with(RecordingServer(EXAMPLE), EXAMPLE, path):
        pass
    shorter = site(*NAMES[:3], **{name: page(name) for name in NAMES})
    with audit_with(Interrupted(shorter), shorter, path):
        pass

    with audit_with(RecordingServer(shorter), shorter, path) as found:
        [(count,)] = found.store.query("SELECT count(*) FROM previous_listing")
    assert count == 4


def test_ctrl_c_during_the_crawl_of_an_audit_ends_it(tmp_path: Path):
    path = tmp_path / "site.duckdb"
    with SiteBox() as box:
        links = "".join(f'<a href="/{n}">x</a>' for n in range(9))
        box.put("/", links, kind="text/html")
        for n in range(9):
            box.put(f"/{n}", f"<title>{n}</title>{n}", kind="text/html")
        box.put_urlset("/sitemap.xml", 2)

        def stop(event: ProgressEvent) -> None:
            if event.urls == 3:
                raise KeyboardInterrupt

        options: dict[str, Any] = {
            "store": path,
            "crawl": True,
            "confirm_after_s": 0.0,
            "policy": quick(concurrency=1, per_host=1),
        }
        with urlset.audit(box.site, progress=stop, **options) as found:
            assert [text.partition(":")[0] for text in found.incomplete] == ["interrupted"]
            assert found.is_interrupted
            crawled = box.paths.copy()
            [(pages,)] = found.store.query("SELECT count(*) FROM pages")
        assert pages <= 5, "the visits of the audit were skipped"

        with urlset.audit(box.site, **options) as found:
            assert found.is_complete
            [(number,)] = found.store.query("SELECT count(*) FROM crawls")
        assert number == 1
        again = [path for path in crawled if path[1:].isdigit() and box.paths.count(path) > 1]
        assert len(again) <= 1, "only the request in flight is repeated"

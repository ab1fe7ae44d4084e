"""Every temporary table of the package is declared, and only its writers and readers use it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import urlset
from tests.live.submit.fake_engines import Bench, added
from tests.live.sync.test_sync import Index
from tests.live.watch.simulated_site import SITE, SimulatedSite
from tests.live_sites import SITEMAPS, audit, crawl, put_site
from tests.site_box import SiteBox
from tests.working_tables import Declaration, ObservedColumns, declarations, uses
from urlset.builder.ledger import TABLES as LEDGER_TABLES
from urlset.checker.views import VIEWS as RULE_VIEWS
from urlset.live.schemas import (
    HISTORY_TABLES,
    INSPECTION_TABLES,
    LIVE_TABLES,
    LIVE_VIEWS,
    SYNC_TABLES,
)
from urlset.live.submit.announcement_tables import TABLES as ANNOUNCEMENT_TABLES
from urlset.store import TABLES, VIEWS

DECLARED = declarations()
NAMES = {name for each in DECLARED for name in each.table.names}
PERMANENT = {
    table.name
    for tables in (
        TABLES, VIEWS, LIVE_TABLES, LIVE_VIEWS, HISTORY_TABLES, SYNC_TABLES, INSPECTION_TABLES,
        ANNOUNCEMENT_TABLES, LEDGER_TABLES,
    )
    for table in tables
} | RULE_VIEWS.keys()  # fmt: skip
# Arrow objects that a statement reads, the version of a store, and a table of SQLite.
OTHERS = {"incoming", "urlset_store", "sqlite_master"}


def test_every_table_that_sql_creates_is_declared():
    assert uses().created.keys() - NAMES - PERMANENT - OTHERS == set()


def test_every_name_that_sql_reads_is_known():
    known = NAMES | PERMANENT | OTHERS
    unknown = {
        name: modules
        for name, modules in uses().read.items()
        if name not in known and modules - uses().common[name]
    }

    assert unknown == {}


def test_a_name_is_declared_once():
    counts = Counter(name for each in DECLARED for name in each.table.names)

    assert [name for name, count in counts.items() if count > 1] == []
    assert set() == NAMES & PERMANENT


def test_no_common_table_expression_has_the_name_of_a_working_table():
    assert {name: uses().common[name] for name in NAMES if uses().common[name]} == {}


@pytest.mark.parametrize("declared", DECLARED, ids=lambda each: each.table.name)
def test_only_the_declared_modules_write_and_read_a_table(declared: Declaration):
    table = declared.table

    for name in table.names:
        assert uses().written[name] == declared.modules(table.writers), name
        assert uses().read[name] - uses().common[name] <= declared.modules(table.readers), name
    readers = set().union(*(uses().read[name] for name in table.names))
    assert readers == declared.modules(table.readers)


@pytest.mark.slow
def test_tables_have_the_declared_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    seen = ObservedColumns(monkeypatch).columns

    _watch_and_sync(tmp_path)
    _compare(tmp_path)
    _submit(tmp_path)
    _check(tmp_path)
    with SiteBox() as box:
        _crawl_and_audit(box, tmp_path)

    columns = {name: set(each.table.columns) for each in DECLARED for name in each.table.names}
    others = {each.table.name for each in DECLARED if each.package == "builder"}
    # A build has a test of its own, and what is evaluated decides about the last four.
    expected = columns.keys() - others - {"rule_matches", "shuffled", "result", "input"}
    assert {name: seen[name] for name in expected} == {name: columns[name] for name in expected}


def _watch_and_sync(folder: Path) -> None:
    site = SimulatedSite(folder / "watch.duckdb")
    site.put("/sitemap.xml", [(f"/p{n}", "2026-01-01") for n in range(5)])
    site.step()
    site.put("/sitemap.xml", [(f"/p{n}", "2026-01-02") for n in range(1, 6)])
    site.step()
    name = folder / "watch.duckdb"
    with urlset.diff(f"{name}@1", f"{name}@2") as found:
        assert found.counts.added == 1
    index = Index(folder)
    index.put({f"/p{n}": (f"Text of page {n}.", "2026-01-01") for n in range(4)})
    index.sync()
    index.put({f"/p{n}": (f"Text of page {n}.", "2026-01-01") for n in range(1, 4)})
    index.sync()


def _compare(folder: Path) -> None:
    def site(name: str, files: dict[str, list[str]], *, missing: str = "") -> Path:
        (folder / name).mkdir()
        for file, paths in files.items():
            rows = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
            text = f'<urlset xmlns="{SITEMAPS}">{rows}</urlset>'
            if file != missing:
                (folder / name / file).write_text(text)
        rows = "".join(f"<sitemap><loc>{SITE}/{file}</loc></sitemap>" for file in files)
        text = f'<sitemapindex xmlns="{SITEMAPS}">{rows}</sitemapindex>'
        (folder / name / "sitemap.xml").write_text(text)
        return folder / name

    numbers = range(30)
    files = {"post-sitemap1.xml": [f"/a/green-tea-{n}" for n in numbers], "b.xml": ["/b"]}
    moved = {"post-sitemap1.xml": [f"/b/green-tea-{n}s" for n in numbers], "b.xml": ["/c"]}
    before, after = site("before", files), site("after", moved)
    for states in ((before, after), (after, before)):
        with urlset.diff(*states) as found:
            assert len(found)
    lacking = site("lacking", files, missing="post-sitemap1.xml")
    for states in ((before, lacking), (lacking, before)):
        with urlset.diff(*states) as found:
            assert found.incomplete
    table = folder / "urls.csv"
    table.write_text(f"loc,lastmod\n{SITE}/a,1 Jan 2026\n{SITE}/b,2 Jan 2026\n")
    with urlset.diff(table, before, include="e") as found:
        assert len(found)


def _submit(folder: Path) -> None:
    bench = Bench(folder)
    bench.submit(added("/a", "/b"), preflight=False)
    bench.submit([*added("/c"), {"change": "added", "loc": "https://other.example/"}])


def _check(folder: Path) -> None:
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /a*b\nAllow: /a-b\n")
    (folder / "sitemap.xml").write_text(
        f'<urlset xmlns="{SITEMAPS}"><url><loc>{SITE}/a%20b</loc></url></urlset>'
    )
    assert list(urlset.check(folder / "sitemap.xml", base_url=f"{SITE}/", select=["R", "X"]))


def _crawl_and_audit(box: SiteBox, folder: Path) -> None:
    pages = {"/": ["/a", "/b/1"], "/a": ["/b/2"], "/b/1": [], "/b/2": [], "/b/3": ["/"]}
    put_site(box, pages)
    box.put("/llms.txt", "# Tea\n\n- [A](/a): about a\n")
    log = folder / "access.log"
    log.write_text('1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "x"\n')
    store = folder / "site.duckdb"
    with crawl(box, folder / "crawl.duckdb") as found:
        assert found.is_complete
    with urlset.diff(str(folder / "crawl.duckdb"), str(folder / "before")) as compared:
        assert len(compared)
    for options in ({"crawl": True}, {"sample": 2, "logs": [str(log)], "include": ["/"]}):
        with audit(box, store=store, llms_txt=True, **options) as audited:
            assert audited.listed
    for states in ((store, folder / "before"), (folder / "before", store)):
        with urlset.diff(*map(str, states)) as compared:
            assert len(compared)

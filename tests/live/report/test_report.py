"""Report on several sites: its numbers are those of the runs that wrote the stores."""

import hashlib
import json
import re
from html import unescape

import duckdb
import pytest

import urlset
from tests.cli.test_commands import command
from tests.http_walks import quick
from tests.site_box import SiteBox
from urlset.live.figures.page_figures import OUTCOMES
from urlset.live.report.result import Report
from urlset.live.report.site_state import SiteRule, SiteState


@pytest.fixture(scope="module")
def box():
    """Site that lists three pages, one that is gone, and one that forbids indexing."""
    with SiteBox() as site:
        site.put_urlset("/sitemap.xml", 4)
        site.put_robots(f"Sitemap: {site.url('/sitemap.xml')}")
        for number in range(3):
            head = "<meta name=robots content=noindex>" if number == 2 else ""
            text = f"<html>{head}<title>Page {number}</title><p>Text of page {number}</p></html>"
            site.put(f"/sitemap.xml/{number}", text, kind="text/html")
        yield site


@pytest.fixture(scope="module")
def stores(box: SiteBox, tmp_path_factory):
    """Folder with the stores of an audit (run twice), a crawl, a step of watch, and read."""
    folder = tmp_path_factory.mktemp("stores")
    for _ in range(2):
        with urlset.audit(box.site, store=folder / "audit.duckdb", policy=quick()) as found:
            found.report(folder / "audit.html")
    urlset.crawl(box.url("/sitemap.xml/0"), folder / "crawl.duckdb", policy=quick()).close()
    urlset.watch(box.site, folder / "watch.duckdb", policy=quick()).close()
    with urlset.Store.open(folder / "read.duckdb") as store:
        store.fill(urlset.read(box.site, policy=quick()))
    return folder


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def all_stores(folder):
    return [folder / f"{name}.duckdb" for name in ("audit", "crawl", "watch", "read")]


def rows_of(page: str) -> dict[str, list[str]]:
    """Return the rows of the table of sites, by what wrote their store."""
    part = page[page.index('id="sections-title"') :]
    table = part[part.index("<table") : part.index("</table>")]
    found = [
        [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<td.*?>(.*?)</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]
    ]
    return {row[2]: row for row in found}


def test_urls_that_an_audit_excludes_are_not_listed(box, tmp_path):
    store = tmp_path / "audit.duckdb"
    urlset.audit(box.site, store=store, include="/[01]$", policy=quick()).close()

    [state] = urlset.report([store]).sites

    assert (state.listed, state.visited, state.outcomes["not-visited"]) == (2, 2, 0)


def test_counts_are_those_of_the_audit(box, stores):
    with urlset.audit(box.site, policy=quick()) as audit:
        expected = audit.by_level
        assert (audit.listed, audit.visited) == (4, 4)
    (site,) = urlset.report(stores / "audit.duckdb").sites

    assert (site.site, site.kinds) == (f"{box.site}/", ("audit",))
    assert (site.listed, site.visited, site.fine) == (4, 4, 2)
    assert site.outcomes["not-indexable"] == site.outcomes["error"] == 1
    assert {level: site.count_of(level) or 0 for level in expected} == expected
    assert expected["error"] == 2
    assert (site.new, site.fixed, site.alerts) == (0, 0, None)
    assert site.incomplete == ()


def test_stores_of_other_verbs_have_what_they_know(box, stores):
    found = urlset.report(all_stores(stores))
    states = {site.kinds[0]: site for site in found.sites}

    assert [*states] == ["audit", "crawl", "watch", "read"]
    assert {kind: site.listed for kind, site in states.items()} == dict.fromkeys(states, 4)
    assert [states[kind].rules for kind in ("crawl", "watch", "read")] == [None] * 3
    assert (states["watch"].alerts, states["watch"].visited, states["read"].alerts) == (
        0,
        None,
        None,
    )
    assert states["crawl"].visited == 4
    assert {states[kind].site for kind in ("audit", "watch", "read")} == {f"{box.site}/"}
    assert states["crawl"].site == box.url("/sitemap.xml/0")
    assert found.summary == "2 sites in 4 stores, 1 of 1 audited with errors"
    assert all(site.examined is not None for site in found.sites)


def test_sites_without_an_audit_are_not_counted_as_free_of_errors():
    def site(name, rules):
        return SiteState(
            "s.duckdb", name, ("audit",), None, 4, 4, {}, None, rules, None, ()
        )  # fmt: skip

    sites = [site("https://a.example/", ()), site("https://b.example/", None)]

    assert Report(sites).summary == "2 sites, none of 1 audited with errors"
    assert Report(sites[:1]).summary == "1 site, none with errors"
    assert Report(sites[1:]).summary == "1 site"


def test_a_site_with_errors_in_two_stores_is_one_site():
    rule = SiteRule("N102", "url-client-error", "error", 1, 0, "")
    site = SiteState(
        "s.duckdb", "https://a.example/", ("audit",), None, 4, 4, {}, 2, (rule,), None, ()
    )

    found = Report([site, site._replace(store="t.duckdb")])

    assert found.summary == "1 site in 2 stores, 1 with errors, 1 with open alerts"


def test_the_page_counts_the_urls_of_a_site_with_two_stores_once(box, stores, tmp_path):
    with urlset.report([stores / "audit.duckdb", stores / "watch.duckdb"]) as found:
        found.report(tmp_path / "report.html")
        assert {state.listed for state in found.sites} == {4}

    page = (tmp_path / "report.html").read_text("utf-8")
    text = " ".join(unescape(re.sub("<.*?>", " ", page)).split())
    assert "<title>Report of 1 site</title>" in page
    assert "sites 1 URLs listed 4 visited 4 " in text


def test_the_counts_of_a_site_with_two_stores_are_those_of_one(tmp_path):
    rule = SiteRule("N102", "url-client-error", "error", 2, 0, "")
    fine = dict.fromkeys(OUTCOMES, 0) | {"fine": 100}
    part = fine | {"fine": 10, "not-visited": 60, "gone": 30}
    site = SiteState(
        "s.duckdb", "https://a.example/", ("audit",), None, 100, 100, fine, 3, (rule,), None, ()
    )

    Report([site, site._replace(store="t.duckdb", visited=40, outcomes=part)]).report(
        tmp_path / "report.html"
    )

    page = (tmp_path / "report.html").read_text("utf-8")
    text = " ".join(unescape(re.sub("<.*?>", " ", page)).split())
    assert "sites 1 URLs listed 100 visited 100 errors 2 warnings 0 open alerts 3 " in text
    assert "100 % of the visited URLs are fine" in text


def test_a_sitemap_that_a_crawl_could_not_read_is_one_reason(box, tmp_path):
    with SiteBox() as site:
        site.put("/", "<title>Home</title>", kind="text/html")
        site.put_robots(f"Sitemap: {site.url('/gone.xml')}")
        urlset.crawl(site.site, tmp_path / "crawl.duckdb", policy=quick()).close()
        (state,) = urlset.report(tmp_path / "crawl.duckdb").sites

    (reason,) = [each for each in state.incomplete if "/gone.xml: " in each]
    assert reason.startswith("sitemaps: ")


def test_one_store_of_two_verbs_is_one_site(box, stores, tmp_path):
    path = tmp_path / "both.duckdb"
    urlset.audit(box.site, store=path, policy=quick()).close()
    urlset.watch(box.site, path, policy=quick()).close()

    (site,) = urlset.report([path]).sites

    assert (site.kinds, site.listed, site.alerts) == (("audit", "watch"), 4, 0)
    assert site.count_of("error") == 2


def test_a_store_of_sync_has_no_alerts(box, tmp_path):
    with urlset.sync(box.site, tmp_path / "sync.duckdb", policy=quick()) as found:
        for batch in found:
            batch.commit()

    (site,) = urlset.report(tmp_path / "sync.duckdb").sites

    assert (site.kinds, site.alerts) == (("sync",), None)


def test_the_page_has_a_row_for_each_store_and_links_reports(stores, tmp_path):
    urlset.report(all_stores(stores)).report(tmp_path / "index.html")
    page = (tmp_path / "index.html").read_text()
    rows = rows_of(page)

    assert [*rows] == ["audit", "crawl", "watch", "read"]  # the one with errors first
    assert rows["audit"][3:] == ["4", "4", "2", "2", *rows["audit"][7:8], "0", "0", "", "yes"]
    assert rows["read"][3:] == ["4", "", "", "", "", "", "", "", "yes"]
    links = re.findall(r'<td><a href="([^"]+)"', page)
    assert [(tmp_path / link).resolve() for link in links] == [(stores / "audit.html").resolve()]
    assert "N102" in page
    assert "returns HTTP 404" in page


def test_the_command_writes_what_the_function_returns(stores, run, tmp_path):
    paths = [str(path) for path in all_stores(stores)]

    printed = run("report", *paths)
    as_json = run("report", *paths, "--format", "json")
    page = run("report", *paths, "--output", str(tmp_path / "index.html"))

    lines = [line.split() for line in printed.out.splitlines()]
    assert lines[0][:4] == ["listed", "visited", "fine", "errors"]
    assert [line[:4] for line in lines[1:3]] == [["4", "4", "2", "2"], ["4", "4", "2", "–"]]
    assert printed.out.splitlines()[-1] == "2 sites in 4 stores, 1 of 1 audited with errors."
    assert json.loads(as_json.out) == urlset.report(paths).to_dict()
    assert page.out == ""
    assert "<!doctype html>" in (tmp_path / "index.html").read_text()
    assert printed.code == as_json.code == page.code == 0


def test_a_store_that_cannot_be_read_does_not_hide_the_others(stores, run, tmp_path):
    (tmp_path / "junk.duckdb").write_bytes(b"junk" * 4096)
    with urlset.Store.open(tmp_path / "empty.duckdb"):
        pass
    paths = [stores / "read.duckdb", tmp_path / "junk.duckdb", tmp_path / "none.duckdb"]

    found = urlset.report(paths)
    ran = run("report", *map(str, paths))

    assert len(found.sites) == 1
    assert ["junk.duckdb" in text for text in found.incomplete] == [True, False]
    assert found.summary.endswith("not complete")
    assert ran.code == 1
    assert "none.duckdb" in ran.err
    with pytest.raises(urlset.StoreError, match="empty"):
        urlset.report([tmp_path / "empty.duckdb"])
    assert run("report", str(tmp_path / "junk.duckdb")).code == 2
    with pytest.raises(ValueError, match="stores: expected"):
        urlset.report([])


def test_entries_without_a_name_are_a_site(tmp_path):
    with urlset.Store.open(tmp_path / "read.duckdb") as store:
        store.fill(urlset.read(b"https://example.com/ https://example.com/tea"))

    (site,) = urlset.report(tmp_path / "read.duckdb").sites

    assert (site.site, site.listed, site.kinds) == ("-", 2, ("read",))


def test_html_needs_a_file(stores, run):
    ran = run("report", str(stores / "read.duckdb"), "--format", "html")

    assert ran.code == 2
    assert "--output FILE" in ran.err


def test_stores_are_not_changed_and_nothing_is_requested(box, stores, tmp_path):
    def digests():
        return [hashlib.sha256(path.read_bytes()).digest() for path in all_stores(stores)]

    before, requests = digests(), len(box.hits)
    urlset.report(all_stores(stores)).report(tmp_path / "index.html")

    assert digests() == before
    assert len(box.hits) == requests


def test_an_interrupted_run_is_not_complete(box, tmp_path):
    path = tmp_path / "cut.duckdb"
    urlset.audit(box.site, store=path, max_requests=1, policy=quick()).close()

    found = urlset.report([path])

    assert found.sites[0].incomplete
    [site] = found.to_dict()["sites"]
    assert site["is_complete"] is False
    assert found.sites[0].visited == 1
    assert found.is_complete  # the store was read
    found.report(tmp_path / "index.html")
    assert rows_of((tmp_path / "index.html").read_text())["audit"][-1] == "no"


def test_texts_of_a_store_are_data(stores, run, tmp_path):
    path = tmp_path / "hostile.duckdb"
    path.write_bytes((stores / "audit.duckdb").read_bytes())
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE crawls SET site = '<script>x</script>' || chr(27) || '[31m'")
        db.execute("UPDATE crawls SET reasons = ['<img src=x>'], is_complete = false")
        db.execute("UPDATE audit_findings SET message = '<b onclick=x>' || repeat('y', 1000000)")
        db.execute("INSERT INTO audit_findings (code, rule, level) VALUES ('<b>', 'r', 'error')")
        db.execute("INSERT INTO audit_findings (code, rule, level) VALUES ('Z1', 'r', '<i>')")

    urlset.report([path]).report(tmp_path / "index.html")
    page = (tmp_path / "index.html").read_text()
    printed = run("report", str(path)).out

    assert "<script>x" not in page
    assert "<img" not in page
    assert "<b onclick" not in page
    assert "<i>" not in page
    assert len(page) < 400_000
    assert "\x1b" not in printed + page


def test_a_store_that_is_named_twice_is_one_site(stores, monkeypatch):
    monkeypatch.chdir(stores)

    assert len(urlset.report(["read.duckdb", "./read.duckdb"]).sites) == 1


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("folder", "a folder: .*; name the stores in it"),
        ("none.duckdb", "nothing at .*; check the path"),
        ("https://example.com/", "a URL: .*--store FILE` makes a store"),
    ],
)
def test_what_is_no_store_is_named(tmp_path, name, found):
    (tmp_path / "folder").mkdir()
    path = name if "//" in name else tmp_path / name

    with pytest.raises(urlset.StoreError, match=f"expected a store .*, found {found}"):
        urlset.report(path)


def test_what_is_no_path_is_refused():
    with pytest.raises(TypeError, match="stores: expected paths of stores, found int"):
        urlset.report(iter(["a.duckdb", 3]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"stores: expected .* or a list of them, found .'a"):
        urlset.report(["a.duckdb", 3])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "words",
    [
        ("report", "{}", "-o", "{}"),
        ("report", "{}", "--format", "html", "-o", "{}"),
        ("read", "{}", "--format", "csv", "-o", "{}"),
        ("diff", "{}", "{}", "--format", "jsonl", "-o", "{}"),
        ("diff", "{}", "{}", "--report", "{}"),
        ("check", "{}", "--report", "{}"),
    ],
)
def test_no_text_replaces_a_store(stores, run, tmp_path, words):
    path = tmp_path / "site.duckdb"
    path.write_bytes((stores / "read.duckdb").read_bytes())

    ran = run(*(word.format(path) for word in words))

    assert ran.code == 2
    assert "name another file" in ran.err
    assert path.read_bytes() == (stores / "read.duckdb").read_bytes()

"""Unchanged HTML files are not read again; each kind of change is detected."""

import os
import time
from datetime import timedelta

import pytest

from tests.builder.test_build import BASE, Site
from tests.cli.test_commands import command
from tests.engine.test_well_formed_pages import END, START
from tests.sources.test_folder import make
from urlset import engine as engines
from urlset.arrow.batches import column_values
from urlset.builder import build
from urlset.html import read_page
from urlset.sources import HtmlFolder

HEAD = "<!doctype html><title>{}</title>"
PAGES = {
    "index.html": HEAD.format("A") + "<p>Tea",
    "dated.html": HEAD.format("B") + "<meta name=last-modified content=2026-01-31><p>Tea",
    "hidden.html": HEAD.format("C") + "<meta name=robots content=noindex><p>Tea",
    "moved.html": HEAD.format("D") + "<meta http-equiv=refresh content='0; url=/'><p>Tea",
    "copy.html": HEAD.format("E") + "<link rel=canonical href=/dated.html><p>Tea",
    "other.html": HEAD.format("F") + "<link rel=canonical href=/other><p>Tea",
    "part.html": "<p>Tea",
    "404.html": HEAD.format("404") + "<h1>Not found</h1>",
    "rich.html": HEAD.format("G")
    + "<link rel=alternate hreflang=de href=/de><p>Tea <img src=/i.png>",
}


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture
def reads(monkeypatch):
    """The URLs of the pages that were read."""
    found = []

    def read(data, url, **options):
        found.append(url.removeprefix(BASE))
        return read_page(data, url, **options)

    monkeypatch.setattr("urlset.sources.html.folder.read_page", read)
    return found


def of_folder(site, folder, options=None, **settings):
    site.now += timedelta(hours=1)
    source = HtmlFolder(folder, BASE, **(options or {}))
    return build(source, site.out, base_url=BASE, ledger=site.ledger, now=site.now, **settings)


def test_unchanged_files_are_not_read_again_and_give_the_same(site, reads):
    folder = make(site.folder / "site", PAGES)
    options = {"images": True, "alternates": True}
    first = of_folder(site, folder, options)
    before = site.bytes()
    assert sorted(reads) == sorted(name.replace("index.html", "") for name in PAGES)
    reads.clear()

    again = of_folder(site, folder, options)

    assert reads == ["404.html"]  # what may be an error page is always looked at
    assert (again.changed_files, site.bytes()) == ((), before)
    assert (again.excluded_counts, again.notes) == (first.excluded_counts, first.notes)
    assert b"i.png" in before["sitemap.xml"]


class Kept:
    """A cache that keeps what it is given, and finds nothing."""

    def __init__(self):
        self.rows = []

    def find(self, _rules, _files):
        return {}

    def keep(self, _rules, rows):
        self.rows += rows


@pytest.mark.parametrize("evidence", [("page",), ("content",), ()])
def test_engines_give_the_same_rows_and_facts(engine, tmp_path, evidence):
    title = "<title>T</title>"
    heads = {
        "index.html": title,
        "about/index.html": title.replace("T", "Tea, foundation"),
        "moved.html": title + '<meta http-equiv="refresh" content="0; url=/x.html">',
        "slash.html": title + '<meta http-equiv="refresh" content="0; url=slash/">',
        "reload.html": title + '<meta http-equiv="refresh" content="5">',
        "missing.html": title.replace("T", "Page not found"),
        "caf\u00e9 \u2014 1.html": title,
        "robots.html": title + '<meta name="robots" content="noindex">',
        "404.html": title,
    }
    pages = {
        name: START.replace(title, head) + f"<h1>Page not found</h1>{name}{END}"
        for name, head in heads.items()
    }
    folder = make(tmp_path / "site", pages)
    for path in folder.rglob("*.html"):
        os.utime(path, (1_767_225_600, 1_767_225_600))

    def found_by(name):
        source, cache = HtmlFolder(folder, BASE, evidence=evidence, engine=name), Kept()
        source.use_cache(cache)
        rows = [
            {column: column_values(batch, column) for column in batch.schema.names}
            for batch in source.batches()
        ]
        return rows, cache.rows, source.notes

    assert found_by(engine.name) == found_by("reference")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_page_that_is_too_large_is_noted_in_each_build(engine, site, monkeypatch):
    if engine not in engines.available():
        pytest.skip("the native engine is not installed")
    monkeypatch.setenv("URLSET_ENGINE", engine)
    for module in ("urlset.html.facts", "urlset.sources.html.folder"):
        monkeypatch.setattr(f"{module}.MAX_BYTES", 200)
    page = f"{START}{'Tea and more. ' * 20}{END}"
    folder = make(site.folder / "site", {"large.html": page, "small.html": f"{START}Tea{END}"})

    first = of_folder(site, folder)
    scanned = []

    def scan(paths, *_, **__):
        scanned.extend(paths)
        return [None] * len(paths)

    monkeypatch.setattr("urlset.sources.html.folder.scan_files", scan)
    again = of_folder(site, folder)

    for made in (first, again):
        assert made.urls == 2
        assert any("only the beginning was read, e.g. large.html" in note for note in made.notes)
    assert (again.changed_files, scanned) == ((), [])


@pytest.mark.parametrize("change", ["text", "time", "file", "name"])
def test_whatever_changes_a_file_lets_it_be_read_again(change, site, reads):
    folder = make(site.folder / "site", PAGES)
    of_folder(site, folder)
    path = folder / "index.html"
    status = path.stat()
    reads.clear()

    if change == "text":  # with the size and the time that it had
        path.write_text(path.read_text().replace("Tea", "Pot"))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif change == "time":
        os.utime(path, (1_767_323_046, 1_767_323_046))
    elif change == "file":
        (folder / "new").write_text(path.read_text())
        os.utime(folder / "new", ns=(status.st_atime_ns, status.st_mtime_ns))
        os.replace(folder / "new", path)
    else:
        path.rename(folder / "start.html")
    made = of_folder(site, folder)

    assert [name for name in reads if name != "404.html"] == (
        ["start.html"] if change == "name" else [""]
    )
    assert made.changed == (change == "text")


def test_files_are_read_again_for_other_options_and_on_request(site, reads):
    folder = make(site.folder / "site", {"a.html": PAGES["index.html"]})
    of_folder(site, folder)

    for options in ({"images": True}, {"strip_html": True}, {"evidence": ("content",)}):
        reads.clear()
        of_folder(site, folder, options, force=frozenset({"shrunk"}))
        assert len(reads) == 1, options
    reads.clear()
    of_folder(site, folder, {"evidence": ("content",)}, trust_mtime=False)
    assert reads == ["a.html"]


def test_a_file_that_was_just_written_is_read_again(site, reads):
    folder = make(site.folder / "site", {"a.html": PAGES["index.html"]})
    soon = time.time() + 3_600  # the clock of the disk is ahead
    os.utime(folder / "a.html", (soon, soon))
    of_folder(site, folder)

    of_folder(site, folder)

    assert reads == ["a.html", "a.html"]


def test_a_page_with_a_date_to_come_is_read_again(site, reads):
    page = HEAD.format("A") + "<meta name=last-modified content=2999-01-31><p>Tea"
    folder = make(site.folder / "site", {"a.html": page})

    of_folder(site, folder)
    of_folder(site, folder)

    assert reads == ["a.html", "a.html"]


def test_files_that_are_gone_are_forgotten_and_a_dry_run_keeps_nothing(site, reads):
    folder = make(site.folder / "site", {f"{name}.html": PAGES["index.html"] for name in "abc"})
    of_folder(site, folder, dry_run=True)
    of_folder(site, folder)
    assert len(reads) == 6
    data = {name: (folder / name).read_bytes() for name in ("a.html",)}
    (folder / "a.html").unlink()
    of_folder(site, folder)
    reads.clear()

    make(folder, {name: content.decode() for name, content in data.items()})
    of_folder(site, folder)

    assert reads == ["a.html"]


def test_facts_that_are_damaged_are_read_again(site, reads):
    import duckdb

    folder = make(site.folder / "site", {"a.html": PAGES["index.html"]})
    of_folder(site, folder)
    with duckdb.connect(site.ledger) as ledger:
        names = "SELECT schema_name FROM duckdb_tables() WHERE table_name = 'pages'"
        ((schema,),) = ledger.sql(names).fetchall()
        ledger.sql(f"UPDATE {schema}.pages SET facts = '[1'")

    of_folder(site, folder)

    assert reads == ["a.html", "a.html"]


def test_the_command_reads_all_files_on_request(capsys, monkeypatch, tmp_path, reads):
    urlset = command(capsys, monkeypatch, tmp_path)
    make(tmp_path / "site", {"a.html": PAGES["index.html"]})

    for options in ((), (), ("--no-trust-mtime",), ("--trust-mtime",)):
        ran = urlset("build", "site", "-o", "out", "--base-url", BASE, *options)
        assert ran.code == 0

    assert len(reads) == 2

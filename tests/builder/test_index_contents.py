"""What a build does right that producers of sitemaps were seen to do wrong: indexes."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest

import urlset
from tests.builder.test_build import BASE, NOON, Site, pages
from urlset import parse
from urlset.builder import Filter, build
from urlset.builder.file_mark import digest_of
from urlset.builder.ledger import Ledger
from urlset.dates import format_date
from urlset.sources import Candidate, CandidateRows
from urlset.store import ScratchDatabase

HOUR = timedelta(hours=1)


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


def dates(site, name="sitemap.xml"):
    """When each file of an index changed, in hours after noon."""
    sitemaps = parse((site.out / name).read_bytes()).sitemaps
    return [sitemap.lastmod and (sitemap.lastmod - NOON) / HOUR for sitemap in sitemaps]


def listed(site, name="sitemap.xml"):
    sitemaps = parse((site.out / name).read_bytes()).sitemaps
    return [sitemap.loc.removeprefix(BASE) for sitemap in sitemaps]


# sitemap.js', Flask-Sitemap's, next-sitemap's (#731), xml_sitemap_writer's.
@pytest.mark.parametrize("gzip", [False, True])
def test_every_file_in_the_index_has_a_date(site, gzip):
    site.build(pages(*range(9)), max_urls=3, gzip=gzip)

    assert dates(site, f"sitemap.xml{'.gz' if gzip else ''}") == [1, 1, 1]


# laravel-sitemap's, sitemap_generator's, pelican-sitemap's: now, for each file.
def test_the_index_reports_when_each_file_changed_not_when_the_tool_ran(site):
    site.build(pages(*range(9)), max_urls=3)
    site.build(pages(*range(9)), max_urls=3)
    assert dates(site) == [1, 1, 1]

    site.build(pages(*range(8)) + pages(8, lastmod_text="2026-11-20"), max_urls=3)

    assert dates(site) == [1, 1, 3]


# Django's: the newest of a section, for each page of it.
def test_files_of_one_section_have_dates_of_their_own(site):
    rows = [f"/blog/{number}" for number in range(6)]
    options = {"sections": ("blog=/blog/",), "max_urls": 2}
    site.build(rows, **options)

    site.build([*rows[:3], Candidate(rows[3], lastmod_text="2026-11-20"), *rows[4:]], **options)

    assert dates(site) == [1, 2, 1]


# streaming-sitemaps': an old entry that changes is not told to the index, nor is its file dirty.
def test_the_index_hears_of_a_change_in_an_old_file(site):
    site.build(pages(*range(9)), max_urls=3)
    site.build(pages(0, lastmod_text="2026-11-20") + pages(*range(1, 9)), max_urls=3)

    assert dates(site) == [2, 1, 1]
    assert site.entries("sitemap-1.xml")["p000"].lastmod_text == "2026-11-20"


# streaming-sitemaps' again: the time of the upload.
def test_a_file_that_is_packed_anew_and_comes_out_the_same_keeps_its_date(site):
    site.build(pages(*range(9)), max_urls=3)

    made = site.build(pages(*range(9)), max_urls=3, compact=True)

    assert made.changed_files == ()
    assert dates(site) == [1, 1, 1]


# @nuxtjs/sitemap's: dates of chunks are kept by hand, and entries move from one to the next.
def test_a_url_that_is_taken_away_changes_the_date_of_its_own_file_alone(site):
    site.build(pages(*range(9)), max_urls=3)

    site.build(pages(0, 2, 3, 4, 5, 6, 7, 8), max_urls=3)

    assert dates(site) == [2, 1, 1]


def test_the_date_of_a_file_is_not_that_of_its_newest_page(site):
    site.build(pages(*range(4), lastmod_text="2026-01-31"), max_urls=2)

    assert dates(site) == [1, 1]


# Flask-Sitemap's: page 999 is an empty 200, and page 0 an error.
def test_page_999_of_a_set_is_not_an_empty_200(site):
    site.build(pages(*range(9)), max_urls=3)
    site.build(pages(0, 1, 2, 3, 4, 5), max_urls=3)

    assert site.names() == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
    assert all(b"<loc>" in data for data in site.bytes().values())


# Django's: the second page of a section that has one.
@pytest.mark.parametrize("index", ["auto", "always", "section"])
def test_every_file_that_an_index_names_is_there_and_has_urls(index, site):
    rows = [*(f"/blog/{number}" for number in range(5)), "/shop/1", "/a"]

    made = site.build(rows, sections=("blog=/blog/", "shop=/shop/"), max_urls=2, index=index)

    names = [name for index in made.indexes for name in listed(site, index.name)]
    assert sorted(names) == sorted(file.name for file in made.files)
    assert sorted(loc for name in names for loc in site.locs(name)) == sorted(
        f"{BASE}{row[1:]}" for row in rows
    )


# Pelican's and others': an index of one file, or of none.
def test_a_section_without_urls_is_in_no_index(site):
    site.build(["/blog/1", "/shop/1"], sections=("blog=/blog/", "shop=/shop/"))

    made = site.build(
        ["/blog/1", "/shop/1"],
        sections=("blog=/blog/", "shop=/shop/"),
        filters=(Filter.of("drop:/shop/"),),
    )

    assert listed(site) == ["sitemap-blog-1.xml"]
    assert made.removed_files == ("sitemap-shop-1.xml",)


class Shelf:
    """A target in memory where every file of a large set lies already."""

    location = "memory"
    is_remote = False
    child = b"as it was published"

    def __init__(self, count: int):
        self.children = {f"sitemap-{number}.xml" for number in range(1, count + 1)}
        self.new: dict[str, bytes] = {}

    def __enter__(self) -> Shelf:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def names(self) -> list[str]:
        return sorted(self.children)

    def read(self, name: str) -> bytes | None:
        return self.child if name in self.children else None

    def modified(self, _name: str) -> datetime | None:
        return None

    def stage(self, name: str, data: bytes) -> None:
        self.new[name] = data

    def has_staged(self, name: str, data: bytes) -> bool:
        return self.new[name] == data


@contextmanager
def _kept(bench, path):
    """A ledger whose file has all of it when this ends."""
    ledger = Ledger(bench, path, Shelf.location, "sitemap")
    with bench.transaction():
        yield ledger


def remember(path, count: int, site) -> None:
    """Write a ledger of so many files, of one URL each, that were published at noon."""
    site.build(["/00001"])
    size = len(f"<url><loc>{BASE}00001</loc></url>\n")
    with ScratchDatabase() as bench, _kept(bench, path) as ledger:
        numbers = f"range(1, {count + 1}) t(n)"
        bench.run(f"""INSERT INTO {ledger.table("urls")} (loc, file, section, size)
            SELECT '{BASE}' || format('{{:05}}', n), n, '', {size} FROM {numbers}""")
        bench.run(f"""INSERT INTO {ledger.table("files")}
            SELECT n, '', n, 'sitemap-' || n || '.xml', 1, 100, 100, 0,
                '{digest_of(Shelf.child)}', TIMESTAMPTZ '{format_date(NOON)}' FROM {numbers}""")
        bench.run(f"UPDATE {ledger.table('settings')} SET shape = '2 xml '")


# sitemap_generator's: an error; streaming-sitemaps': not even that; Google Sitemap Generator's: a
# thousand. "Each Sitemap index file […] must have no more than 50,000 Sitemaps" (sitemaps.org).
def test_50_001_files_have_two_indexes_and_one_of_them_is_new(site, monkeypatch):
    count = 50_000
    shelf = Shelf(count)
    path = site.folder / "large.duckdb"
    remember(path, count, site)
    monkeypatch.setattr("urlset.builder.pipeline.open_target", lambda *_, **__: shelf)
    rows = CandidateRows(f"{BASE}{number:05}" for number in range(1, count + 2))

    made = build(rows, "", base_url=BASE, ledger=path, max_urls=1, dry_run=True, now=NOON + HOUR)

    assert (len(made.files), made.added, made.changed, made.removed) == (50_001, 1, 0, 0)
    assert [(index.name, index.urls) for index in made.indexes] == [
        ("sitemap.xml", 50_000),
        ("sitemap-index-2.xml", 1),
    ]
    assert made.addresses == (f"{BASE}sitemap.xml", f"{BASE}sitemap-index-2.xml")
    assert sorted(shelf.new) == ["sitemap-50001.xml", "sitemap-index-2.xml", "sitemap.xml"]
    indexes = [parse(shelf.new[index.name]) for index in made.indexes]
    assert [index.problems for index in indexes] == [[], []]
    assert {sitemap.lastmod for sitemap in indexes[0].sitemaps} == {NOON}
    assert [(s.loc, s.lastmod) for s in indexes[1].sitemaps] == [
        (f"{BASE}sitemap-50001.xml", NOON + HOUR)
    ]


def test_an_index_is_read_by_ourselves_as_the_whole_set(site):
    site.build(pages(*range(9)), max_urls=2)

    assert len(list(urlset.read(site.out / "sitemap.xml"))) == 9

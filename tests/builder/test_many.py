"""Builds of very many files: what they cost does not grow with the number of files."""

import os
import re

import pytest

from tests.builder.test_build import BASE, Site
from urlset import engine as engines
from urlset.builder import incremental, render
from urlset.model import Entry, Image
from urlset.publisher import open_target
from urlset.sources import Candidate
from urlset.store import ScratchDatabase


@pytest.fixture(params=engines.available())
def site(tmp_path, request):
    return Site(tmp_path, request.param)


def rows(*numbers, sections, day=1):
    """Pages with an even share for each section, in an order of no meaning."""
    return [
        Candidate(
            f"{BASE}{number * 7_919 % 1_000:03}",
            lastmod_text=f"2026-01-{day:02}",
            section=f"s{number % sections}",
        )
        for number in numbers
    ]


def lists(site):
    """What each file lists, in the order in which it does."""
    return {
        name: re.findall(rb"<url><loc>([^<]+)", data)
        for name, data in site.bytes().items()
        if name != "sitemap.xml"
    }


def test_statements_do_not_grow_with_the_sections(site, monkeypatch):
    counts, count = [], 0
    for name in ("run", "rows", "insert", "batches"):
        plain = getattr(ScratchDatabase, name)

        def counted(*args, plain=plain):
            nonlocal count
            count += 1
            return plain(*args)

        monkeypatch.setattr(ScratchDatabase, name, counted)

    for sections in (5, 80):
        site.ledger = site.folder / f"{sections}.duckdb"
        site.out = site.folder / f"out-{sections}"
        for numbers in (range(160), range(240)):  # the second fills files that are there
            count = 0
            site.build(rows(*numbers, sections=sections), sections=("column:section",))
            counts.append(count)

    assert counts[:2] == counts[2:]


@pytest.mark.parametrize("size", [1, 7, 50_000])
def test_files_are_the_same_however_many_come_by_one_query(site, monkeypatch, size):
    monkeypatch.setattr(render, "ROWS", size)
    options = {"sections": ("column:section",), "max_urls": 9, "force": ("shrunk",)}

    site.build(rows(*range(100), sections=12), **options)
    kept = rows(*range(0, 100, 3), sections=12, day=2) + rows(*range(100, 260), sections=14)
    site.build(kept, **options)

    listed = lists(site)
    wanted: dict[str, list[bytes]] = {f"s{n}": [] for n in range(14)}
    for row in kept:
        wanted[row.section].append(row.loc.encode())
    for section, locs in wanted.items():
        files = [some for name, some in listed.items() if name.startswith(f"sitemap-{section}-")]
        assert all(some == sorted(some) and len(some) <= 9 for some in files)
        assert sorted(loc for some in files for loc in some) == sorted(locs)


def test_extensions_stay_with_their_urls_in_many_files(site):
    images = [
        Candidate.of(
            Entry(f"{BASE}{n:03}", images=(Image(f"{BASE}{n:03}.jpg"),) if n % 3 else ()),
            section=f"s{n % 20}",
        )
        for n in range(100)
    ]
    site.build(images[:60], sections=("column:section",))
    site.build(images, sections=("column:section",))

    entry = re.compile(rb"<url><loc>\S+?/(\d+)</loc>(?:<image:image><image:loc>\S+?/(\d+)\.jpg)?")
    found = [pair for data in site.bytes().values() for pair in entry.findall(data)]
    assert len(found) == 100
    assert all(image == (loc if int(loc) % 3 else b"") for loc, image in found)


def test_files_are_on_the_disk_before_the_first_takes_its_place(tmp_path, monkeypatch):
    steps = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor):
        steps.append(("sync", os.fstat(descriptor).st_ino))
        sync(descriptor)

    def replaced(old, new):
        steps.append(("replace", os.stat(old).st_ino))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    names = [f"{number}.xml" for number in range(20)]
    with open_target(tmp_path / "out", "sitemap") as target:
        for name in names:
            target.stage(name, name.encode())
        target.swap(names, [])

    first = steps.index(next(step for step in steps if step[0] == "replace"))
    placed = {inode for what, inode in steps if what == "replace"}
    assert len(placed) == len(names)
    assert placed <= {inode for what, inode in steps[:first] if what == "sync"}


@pytest.mark.parametrize("sections", [1, 3])
@pytest.mark.parametrize("together", [1, 7, 100])
def test_what_is_sorted_in_parts_is_as_if_it_were_not(site, monkeypatch, together, sections):
    pages = rows(*range(240), sections=sections)
    options = {"sections": ("column:section",), "max_urls": 50}
    site.build(pages, **options)
    whole = lists(site)

    monkeypatch.setattr(incremental, "PARTITION_ROWS", together)
    site.ledger, site.out = site.folder / "parts.duckdb", site.folder / "parts"
    made = site.build(pages, **options)

    assert made.urls == 240
    assert lists(site) == whole


@pytest.mark.parametrize("evidence", [None, "2026-01-20"])
def test_what_is_joined_in_parts_is_as_if_it_were_not(site, monkeypatch, evidence):
    def pages(*numbers, day):
        return [p._replace(page_lastmod=evidence) for p in rows(*numbers, sections=1, day=day)]

    monkeypatch.setattr(incremental, "PARTITION_ROWS", 9)
    first = site.build(pages(*range(60), day=1), max_urls=25)
    again = site.build(pages(*range(60), day=1), max_urls=25)
    other = site.build([*pages(*range(5, 30), day=1), *pages(*range(30, 70), day=2)], max_urls=25)

    assert (first.added, len(again.changed_files)) == (60, 0)
    assert (other.added, other.changed, other.removed, other.urls) == (10, 30, 5, 65)

"""Dates of creation, stale sitemaps beside a set, and folders without pages."""

import gzip
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builder.test_build import Site
from tests.cli.test_commands import command
from urlset.builder import EVIDENCE
from urlset.sources import Candidate

CREATED = (*EVIDENCE, "created")
BASE = ("--base-url", "https://example.com/")


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def dates(site):
    return {name: found.lastmod_text for name, found in site.entries().items()}


def test_a_page_that_is_new_since_the_last_build_has_that_moment_on_request(site):
    site.build(["/a"], lastmod=CREATED)
    site.build(["/a", "/b"], lastmod=CREATED)
    made = site.build(["/a", "/b", "/c"], lastmod=CREATED)
    again = site.build(["/a", "/b", "/c"], lastmod=CREATED)

    assert dates(site) == {"a": None, "b": "2026-11-21T14:00:00Z", "c": "2026-11-21T15:00:00Z"}
    assert (made.added, made.changed) == (1, 0)
    assert again.changed_files == ()
    site.build(["/a", "/b", "/c"])
    assert set(dates(site).values()) == {None}


def test_better_evidence_comes_before_the_moment_of_creation(site):
    site.build(["/a"], lastmod=CREATED)
    rows = ["/a", Candidate("/b", git_lastmod="2026-01-31"), Candidate("/c", fingerprint="1")]
    site.build(rows, lastmod=CREATED)
    site.build([*rows[:2], Candidate("/c", fingerprint="2")], lastmod=CREATED)

    assert dates(site) == {"a": None, "b": "2026-01-31", "c": "2026-11-21T15:00:00Z"}


def test_a_page_that_comes_back_was_not_created_then(site):
    site.build(["/a", "/b", "/c"], lastmod=CREATED)
    site.build(["/a", "/c", "/d"], lastmod=CREATED)
    site.build(["/a", "/c"], lastmod=CREATED)

    for _ in range(2):
        site.build(["/a", "/b", "/c", "/d"], lastmod=CREATED)
        assert dates(site) == {"a": None, "b": None, "c": None, "d": "2026-11-21T14:00:00Z"}


def test_what_was_adopted_has_no_moment_of_creation(site):
    site.build(["/a", "/b"])
    site.ledger.unlink()

    site.build(["/a", "/b", "/c"], lastmod=CREATED)
    site.build(["/a", "/b", "/c"], lastmod=CREATED, later=timedelta(days=1))

    assert set(dates(site).values()) == {None}


@pytest.mark.parametrize("name", ["sitemap.xml.gz", "sitemap.txt", "sitemap_index.xml"])
def test_a_sitemap_of_another_tool_that_stays_is_reported(name, site):
    site.out.mkdir()
    (site.out / name).write_bytes(gzip.compress(b"<urlset/>"))

    first, again = site.build(["/a"]), site.build(["/a"])

    for made in (first, again):
        assert made.notes == (
            f"{name} was written by another tool and remains next to this set, where it may still "
            "be read; remove it",
        )
    assert name in site.names()


def test_the_same_sitemap_in_another_packing_is_not_reported(site):
    site.build(["/a"])
    data = (site.out / "sitemap.xml").read_bytes()
    (site.out / "sitemap.xml.gz").write_bytes(gzip.compress(data))

    assert site.build(["/a"]).notes == ()
    assert "sitemap.xml.gz was written by another" in site.build(["/a", "/b"]).notes[0]


def test_files_of_this_set_and_of_others_are_no_stale_ones(site):
    site.build(["/a"], name="shop")
    site.build(["/a", "/b"], max_urls=1)
    made = site.build(["/a", "/b"], max_urls=1, gzip=True, grace=timedelta(days=1))

    assert "sitemap.xml" in site.names()  # it waits for the end of its grace
    assert made.notes == ()


def test_a_folder_without_pages_is_reported_as_such(urlset):
    Path("empty/.git").mkdir(parents=True)
    Path("empty/.git/index.html").write_text("x")
    Path("styles").mkdir()
    Path("styles/a.css").write_text("a {}")
    shutil.copytree("styles", "more/styles")

    empty, styles = (urlset("build", name, "-o", "out", *BASE) for name in ("empty", "more"))

    assert (empty.code, styles.code) == (2, 2)
    assert "expected pages (.html, .htm, .xhtml) or sitemaps in the folder 'empty'" in empty.err
    assert "found no file in it; build the site first" in empty.err
    assert "found 1 other file in it; build the site first" in styles.err

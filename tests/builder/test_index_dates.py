"""The date of a sitemap in its index is never older than its bytes, whatever the ledger knows."""

import os
import shutil
from datetime import timedelta

import pytest

import urlset
from tests.builder.test_build import BASE, NOON, Site, pages


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


def dates(site):
    document = urlset.parse((site.out / "sitemap.xml").read_bytes())
    return {s.loc.removeprefix(BASE): s.lastmod for s in document.sitemaps}


def written(site, made):
    """Set the modification times of the files that a build wrote to the time of the build."""
    for file in made.changed_files:
        os.utime(site.out / file.name, (site.now.timestamp(),) * 2)


def test_a_ledger_older_than_the_files_gives_no_older_date(site):
    written(site, site.build(pages(1, 2, 3, 4), max_urls=3))
    old = site.folder / "old.duckdb"
    shutil.copy(site.ledger, old)
    written(site, site.build(pages(1, 2, 3, 4, 5), max_urls=3))
    before = dates(site)
    assert before == {"sitemap-1.xml": NOON + timedelta(hours=1), "sitemap-2.xml": site.now}
    shutil.copy(old, site.ledger)

    made = site.build(pages(1, 2, 3, 4, 5), max_urls=3)

    assert dates(site) == before
    assert made.changed_files == ()


def test_a_set_that_goes_back_to_what_an_old_ledger_knows_is_new_again(site):
    site.build(pages(1, 2, 3, 4), max_urls=3)
    old = site.folder / "old.duckdb"
    shutil.copy(site.ledger, old)
    site.build(pages(1, 2, 3, 4, 5), max_urls=3)
    shutil.copy(old, site.ledger)

    site.build(pages(1, 2, 3, 4), max_urls=3)

    assert dates(site)["sitemap-2.xml"] == site.now


def test_a_file_that_is_missing_in_the_target_keeps_the_date_of_its_bytes(site):
    site.build(pages(1, 2, 3, 4), max_urls=3)
    before = dates(site)
    shutil.rmtree(site.out)

    site.build(pages(1, 2, 3, 4), max_urls=3)

    assert dates(site) == before


def test_a_removal_changes_the_date(site):
    site.build(pages(1, 2, 3, 4, 5), max_urls=3)

    site.build(pages(1, 2, 3, 4), max_urls=3)

    assert dates(site) == {"sitemap-1.xml": NOON + timedelta(hours=1), "sitemap-2.xml": site.now}

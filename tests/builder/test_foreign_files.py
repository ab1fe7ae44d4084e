"""Sitemaps of other tools in the folder: copied before they are replaced, or reported."""

import gzip

import pytest

from tests.builder.test_build import Site, pages


@pytest.fixture
def site(tmp_path):
    found = Site(tmp_path, None)
    found.out.mkdir()
    return found


def replaced(name, copy=None):
    copy = copy or f"{name}.bak"
    return f"{name} was not written by urlset and is replaced; {copy} is a copy of it"


def test_parts_of_another_tool_are_copied_and_reported(site):
    for name in ("sitemap-1.xml", "sitemap-2.xml"):
        site.foreign(name, "<loc>https://example.com/other</loc>")
    before = site.bytes()

    made = site.build(pages(1, 2, 3, 4), max_urls=3)

    after = site.bytes()
    assert {name: after[f"{name}.bak"] for name in before} == before
    assert after["sitemap-1.xml"] != before["sitemap-1.xml"]
    assert list(made.notes) == [replaced("sitemap-1.xml"), replaced("sitemap-2.xml")]
    assert site.build(pages(1, 2, 3, 4, 5), max_urls=3).notes == ()
    assert sorted(site.bytes()) == sorted(after)


def test_a_single_sitemap_is_copied(site):
    site.foreign("sitemap.xml", "<loc>https://example.com/other</loc>")
    before = site.bytes()

    made = site.build(pages(1))

    assert site.bytes()["sitemap.xml.bak"] == before["sitemap.xml"]
    assert replaced("sitemap.xml") in made.notes


def test_an_earlier_copy_is_not_overwritten(site):
    site.foreign("sitemap.xml", "<loc>https://example.com/other</loc>")
    (site.out / "sitemap.xml.bak").write_bytes(b"mine")

    made = site.build(pages(1))

    assert (site.out / "sitemap.xml.bak").read_bytes() == b"mine"
    assert b"other" in (site.out / "sitemap.xml.bak2").read_bytes()
    assert replaced("sitemap.xml", "sitemap.xml.bak2") in made.notes


def test_a_file_that_another_tool_wrote_over_ours_is_copied(site):
    site.build(pages(1))
    site.foreign("sitemap.xml", "<loc>https://example.com/other</loc>")

    made = site.build(pages(1))

    assert b"other" in (site.out / "sitemap.xml.bak").read_bytes()
    assert made.notes == (replaced("sitemap.xml"),)
    assert site.locs() == ["https://example.com/p001"]


@pytest.mark.parametrize("options", [{}, {"gzip": True}, {"format": "text"}])
def test_files_of_a_build_are_not_copied(site, options):
    site.build(pages(1, 2, 3, 4), max_urls=3, **options)
    site.build(pages(1, 2, 3, 5), max_urls=3, **options)
    site.build(pages(1, 2, 3, 5, 6, 7, 8), max_urls=3, **options)

    assert not [name for name in site.names() if ".bak" in name]


def test_a_lost_ledger_makes_no_copies(site):
    site.build(pages(1, 2, 3, 4), max_urls=3)
    site.ledger.unlink()

    site.build(pages(1, 2, 3, 5), max_urls=3)

    assert not [name for name in site.names() if ".bak" in name]


def test_adopted_files_are_not_copied(site):
    site.foreign("sitemap.xml", "<loc>https://example.com/p001</loc>")

    site.build(pages(1, 2), adopt=True)

    assert site.names() == ["sitemap.xml"]


def test_a_dry_run_copies_nothing(site):
    site.foreign("sitemap.xml", "<loc>https://example.com/other</loc>")
    before = site.bytes()

    made = site.build(pages(1), dry_run=True)

    assert site.bytes() == before
    assert replaced("sitemap.xml") in made.notes


@pytest.mark.parametrize(
    "name", ["page-sitemap.xml", "sitemap-image.xml", "sitemap-old.xml.gz", "Sitemap_2.txt"]
)
def test_other_sitemaps_in_the_folder_are_reported(site, name):
    (site.out / name).write_bytes(gzip.compress(b"<urlset/>") if "gz" in name else b"<urlset/>")
    (site.out / "about-sitemaps.html").write_text("x")

    made = site.build(pages(1))

    assert made.notes == (
        f"{name} was written by another tool and remains next to this set, where it may still "
        "be read; remove it",
    )

"""What a build does right that producers of sitemaps were seen to do wrong: robots.txt."""

import os

import pytest

from tests.builder.test_build import BASE, Site, pages
from urlset.errors import TargetError
from urlset.sources import Candidate

RULES = b"User-agent: *\nDisallow: /private/\n"


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


def named(site):
    """The sitemaps that a reader finds in robots.txt."""
    text = (site.folder / "robots.txt").read_bytes()
    return [
        line.split(b": ", 1)[1].decode() for line in text.splitlines() if line[:8] == b"Sitemap:"
    ]


def in_sections(*sections):
    return [Candidate(f"/{section}/1", section=section) for section in sections]


# Google Sitemap Generator's: the address alone.
def test_a_line_for_robots_begins_with_its_word(site):
    site.build(pages(1), robots=site.folder / "robots.txt")

    assert named(site) == [f"{BASE}sitemap.xml"]


# sitemap_generator's: to be written by hand.
def test_the_lines_of_robots_are_those_of_the_indexes_and_no_others(site):
    robots = site.folder / "robots.txt"
    robots.write_bytes(RULES)

    site.build(pages(*range(4)), max_urls=2, robots=robots)
    assert named(site) == [f"{BASE}sitemap.xml"]
    assert robots.read_bytes().startswith(RULES)

    site.build(pages(*range(4)), max_urls=2, gzip=True, robots=robots)
    assert named(site) == [f"{BASE}sitemap.xml.gz"]
    assert robots.read_bytes().startswith(RULES)


# Google Sitemap Generator's: its clean-up counts in one loop and looks in another.
def test_lines_of_sets_that_are_gone_are_taken_away_however_many_there_are(site):
    robots = site.folder / "robots.txt"
    robots.write_bytes(RULES + b"Sitemap: https://example.com/mine.xml\n")
    options = {"index": "section", "robots": robots, "sections": ("column:section",)}

    site.build(in_sections("a", "b", "c", "d"), **options)
    assert named(site) == [
        f"{BASE}{name}.xml" for name in ("mine", "sitemap-a", "sitemap-b", "sitemap-c", "sitemap-d")
    ]

    site.build(in_sections("b", "d"), **options)
    assert named(site) == [f"{BASE}{name}.xml" for name in ("mine", "sitemap-b", "sitemap-d")]


def test_robots_is_not_written_twice_and_not_at_all_where_nothing_changed(site):
    robots = site.folder / "robots.txt"
    site.build(pages(1), robots=robots)
    before = robots.stat().st_ino, robots.read_bytes()

    site.build(pages(1, 2), robots=robots)

    assert (robots.stat().st_ino, robots.read_bytes()) == before


# A robots.txt that names what is not there yet.
def test_robots_is_written_after_the_publication_and_not_without_one(site):
    robots = site.folder / "robots.txt"
    robots.write_bytes(RULES)

    with pytest.raises(ValueError, match="expected"):
        site.build([Candidate("mailto:a@example.com")], robots=robots)
    assert robots.read_bytes() == RULES

    site.build(pages(1), robots=robots, dry_run=True)
    assert robots.read_bytes() == RULES


def test_robots_that_somebody_wrote_into_is_not_written_over(site):
    robots = site.folder / "robots.txt"
    site.build(pages(1), robots=robots)
    edited = robots.read_bytes().replace(b"sitemap.xml", b"other.xml")
    robots.write_bytes(edited)

    with pytest.raises(TargetError, match="edited"):
        site.build(pages(1, 2), robots=robots)

    assert robots.read_bytes() == edited


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder"),
        ("missing/robots.txt", "its folder .*missing' does not exist"),
        ("shut/robots.txt", "may not be written"),
        ("wide.txt", "found UTF-16 or no text at all"),
        ("torn.txt", "found begin in line 1"),
        ("pipe", "it is a device or a pipe; name a file"),
    ],
)
@pytest.mark.parametrize("is_dry", [False, True])
def test_robots_that_cannot_be_written_is_reported_before_anything_is_published(
    name, words, is_dry, site, tmp_path
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "shut").mkdir(mode=0o500)
    (tmp_path / "wide.txt").write_bytes("User-agent: *".encode("utf-16"))
    (tmp_path / "torn.txt").write_bytes(b"# urlset: sitemaps begin\n")
    os.mkfifo(tmp_path / "pipe")
    if name == "shut/robots.txt" and os.access(tmp_path / "shut", os.W_OK):
        pytest.skip("this user may write anywhere")

    with pytest.raises(TargetError, match=f"{words}.*nothing was published"):
        site.build(pages(1), robots=tmp_path / name, dry_run=is_dry)

    assert not list(site.out.glob("sitemap*"))


def test_robots_may_lie_in_the_folder_that_the_first_publication_makes(site):
    assert not site.out.exists()

    site.build(pages(1), robots=site.out / "robots.txt")

    assert b"Sitemap: https://example.com/sitemap.xml" in (site.out / "robots.txt").read_bytes()

"""What a build does right that producers of sitemaps were seen to do wrong: limits of a file."""

import gzip
import random

import pytest

from tests.builder.test_build import BASE, Site, pages
from urlset import engine as engines
from urlset import parse
from urlset.errors import EntryError
from urlset.model import Alternate, Image, News
from urlset.sources import Candidate

MOST = 52_428_800
LANGUAGES = [
    f"{language}-{country}"
    for language in ("de", "en", "es", "fr", "it", "pt")
    for country in ("AT", "CH", "DE", "GB", "US")
]


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.fixture(params=engines.available())
def each(tmp_path, request):
    """A site for each engine."""
    return Site(tmp_path, request.param)


def in_30_languages(count):
    """Pages of a shop, each with the addresses of all its languages, as of 4,500 bytes."""
    for number in range(count):
        part = f"catalogue/section-{number % 97}/product-{number:05}-with-a-name-of-some-length"
        links = tuple(Alternate(code, f"{BASE}{code}/{part}.html") for code in LANGUAGES)
        day = f"2026-10-{number % 28 + 1:02}"
        yield Candidate(f"{BASE}en-GB/{part}.html", alternates=links, lastmod_text=day)


def of_all_sorts():
    """Entries whose bytes nobody guesses: entities, letters of many bytes, images, odd dates."""
    chance = random.Random(5)
    for number in range(150):
        yield Candidate(
            f"{BASE}{number:03}?{'&' * chance.randrange(60)}{'é' * chance.randrange(60)}",
            lastmod_text=chance.choice([None, "2026-01-31", "2026-01-31T10:00:00.5-05:00"]),
            priority=chance.choice([None, 0.0, 0.123, 1.0]),
            changefreq=chance.choice([None, "daily"]),
            images=tuple(Image(f"{BASE}{n}.png?{'<' * n}") for n in range(chance.randrange(3))),
        )


def assert_exactly_split(site, made, limit):
    """No file is larger, and none but the last of the set could have held the next entry."""
    files = [(site.out / file.name).read_bytes() for file in made.files]
    firsts = [data[data.index(b"<url>") : data.index(b"</url>") + 7] for data in files]
    for number, data in enumerate(files):
        assert made.files[number].bytes == len(data) <= limit
        if number + 1 < len(files):
            assert len(data) + len(firsts[number + 1]) > limit


# sitemap.js', and that of all who count entries alone: one file of 63.7 MB.
@pytest.mark.slow
def test_20_000_urls_with_30_alternates_each_stay_under_52_428_800_bytes(site):
    made = site.build(in_30_languages(20_000))

    assert sum(file.urls for file in made.files) == 20_000
    assert len(made.files) == 2
    assert_exactly_split(site, made, MOST)
    for file in made.files:
        document = parse((site.out / file.name).read_bytes())
        assert (document.problems, len(document.entries)) == ([], file.urls)


def test_a_file_of_30_alternates_each_is_split_by_its_bytes(each):
    made = each.build(in_30_languages(120), max_bytes=200_000)

    assert sum(file.urls for file in made.files) == 120
    assert len(made.files) == 3
    assert_exactly_split(each, made, 200_000)


# streaming-sitemaps': the bytes of JSON by one and a half.
def test_bytes_are_counted_and_not_estimated(each):
    rows = list(of_all_sorts())
    whole = each.build(rows).files[0].bytes

    made = each.build(rows, max_bytes=whole, compact=True)
    assert [file.bytes for file in made.files] == [whole]

    made = each.build(rows, max_bytes=whole - 1, compact=True)
    assert [file.urls for file in made.files] == [149, 1]

    made = each.build(rows, max_bytes=whole // 5, compact=True)
    assert_exactly_split(each, made, whole // 5)


def test_bytes_of_a_list_of_text_are_counted_too(each):
    rows = [f"/{'é' * number}" for number in range(40)]
    whole = each.build(rows, format="text").files[0].bytes

    made = each.build(rows, format="text", max_bytes=whole, compact=True)
    assert [file.bytes for file in made.files] == [whole]
    made = each.build(rows, format="text", max_bytes=whole - 1, compact=True)
    assert [file.urls for file in made.files] == [39, 1]


# What a producer that looks at the size of the file on the disk gets wrong.
def test_the_limit_is_of_unpacked_bytes(site):
    made = site.build(pages(*range(400)), max_bytes=5_000, gzip=True)

    sizes = [len(gzip.decompress((site.out / file.name).read_bytes())) for file in made.files]
    assert sizes == [file.bytes for file in made.files]
    assert max(sizes) <= 5_000
    assert max(file.packed_bytes for file in made.files) < 1_000


def test_bytes_are_counted_where_a_set_grows_later_too(site):
    rows = list(of_all_sorts())
    for count in (50, 51, 100, 150):
        made = site.build(rows[:count], max_bytes=5_000)

    assert sum(file.urls for file in made.files) == 150
    for file in made.files:
        assert file.bytes == len((site.out / file.name).read_bytes()) <= 5_000


def assert_within(site, made, urls, limit):
    assert sum(file.urls for file in made.files) == urls
    for file in made.files:
        assert file.bytes == len((site.out / file.name).read_bytes()) <= limit


def test_entries_that_grow_leave_a_file_that_cannot_hold_them(site):
    rows = [Candidate(f"{BASE}{number:03}") for number in range(60)]
    before = site.build(rows, max_urls=10, max_bytes=800)
    grown = [row._replace(lastmod_text="2026-01-31T10:00:00Z") for row in rows[:10]]

    made = site.build([*grown, *rows[10:]], max_urls=10, max_bytes=800)

    assert [file.urls for file in before.files] == [10] * 6
    assert before.files[0].bytes < 640  # it would hold all of them, if they had not grown
    assert_within(site, made, 60, 800)
    assert 0 < made.files[0].urls < 10
    assert [file.urls for file in made.files[1:6]] == [10] * 5


def test_a_lower_limit_applies_to_files_without_a_change(site):
    site.build(pages(*range(60)), max_bytes=2_000)

    made = site.build(pages(*range(61)), max_bytes=1_500)

    assert_within(site, made, 61, 1_500)


# Django's: 50,002 of two sections in one file; Datasette's: ends at 50,000; Wagtail's: counts
# pages, of which each may have several URLs.
@pytest.mark.promise
def test_50_002_urls_of_two_sources_are_two_files_and_none_is_lost(site):
    half = 25_001
    made = site.build(
        (f"{BASE}a/{number:05}" for number in range(half)),
        (f"{BASE}b/{number:05}" for number in range(half)),
    )

    assert [file.urls for file in made.files] == [50_000, 2]
    assert site.locs("sitemap-2.xml") == [f"{BASE}b/24999", f"{BASE}b/25000"]


# Django's again: the second section has no second page, which the index names.
def test_sections_of_different_sizes_have_as_many_files_as_they_need(site):
    rows = [*(f"/blog/{number}" for number in range(5)), "/shop/1"]

    made = site.build(rows, sections=("blog=/blog/", "shop=/shop/"), max_urls=2)

    assert [(file.name, file.urls) for file in made.files] == [
        ("sitemap-blog-1.xml", 2),
        ("sitemap-blog-2.xml", 2),
        ("sitemap-blog-3.xml", 1),
        ("sitemap-shop-1.xml", 1),
    ]


# None but one of those that were looked at counts them.
def test_a_file_of_news_has_at_most_a_thousand_of_them_and_more_of_other_pages(site):
    news = News("The Example Times", "en", publication_date="2026-11-20", title="News")
    rows = [Candidate(f"/n{number:04}", news=news) for number in range(1_001)]

    made = site.build([*rows, *(f"/a{number}" for number in range(100))])

    assert [file.urls for file in made.files] == [1_100, 1]


# hugesitemap's: a file of 75.6 MB.
def test_an_entry_that_fits_into_no_file_is_refused(each):
    images = tuple(Image(f"{BASE}{number}.png") for number in range(100))

    with pytest.raises(EntryError, match="fits into a file"):
        each.build([Candidate("/a", images=images)], max_bytes=3_000)
    assert not each.out.exists()


# @nuxtjs/sitemap's: whatever is inserted moves all that stand behind it into other chunks.
def test_a_url_that_is_new_moves_no_other_into_another_file(site):
    site.build(pages(*range(10, 22)), max_urls=4)
    before = site.bytes()

    made = site.build(pages(1, *range(10, 22)), max_urls=4)

    after = site.bytes()
    assert [name for name in before if after[name] != before[name]] == ["sitemap.xml"]
    assert site.locs("sitemap-4.xml") == [f"{BASE}p001"]
    assert made.added == 1

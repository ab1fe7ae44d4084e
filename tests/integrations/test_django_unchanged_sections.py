"""Sections that ``manage.py urlset build`` takes over from the last build, or must not."""

import importlib
import io
from datetime import UTC, date, datetime, timedelta

import pytest

import urlset
from tests.integrations.django_hosts import configure, database
from urlset.integrations.django import Sitemap

configure()
django_test = importlib.import_module("django.test")
management = importlib.import_module("django.core.management")
models = importlib.import_module("tests.integrations.django_project.models")
Article, Product = models.Article, models.Product
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
ROWS = 1_000
SAMPLE = 200  # rows at both ends whose entries are compared, and a batch of others


class Counted(Sitemap):
    lastmod_field = "updated"
    cache_version: int | None = 1
    prefix = "/articles/"

    def __init__(self):
        self.calls = 0

    def items(self):
        return Article.objects.filter(is_public=True)

    def location(self, item):
        self.calls += 1
        return f"{self.prefix}{item.slug}/"


class NoVersion(Counted):
    cache_version = None


@pytest.fixture(autouse=True)
def rows():
    with database():
        Article.objects.bulk_create(
            Article(slug=f"a{n}", updated=NEW_YEAR + timedelta(hours=n)) for n in range(ROWS)
        )
        yield


@pytest.fixture
def run(tmp_path):
    def run(site, **more):
        settings = {
            "SITEMAPS": site if isinstance(site, dict) else {"articles": site},
            "BASE_URL": "https://example.com/",
            "OUTPUT": tmp_path / "public",
            "LEDGER": tmp_path / "ledger.duckdb",
            **more,
        }
        out = io.StringIO()
        with django_test.override_settings(URLSET=settings):
            management.call_command("urlset", "build", stdout=out, stderr=out)
        return out.getvalue()

    return run


@pytest.fixture
def listed(tmp_path):
    def listed():
        return {
            entry.loc
            for path in (tmp_path / "public").glob("sitemap-*.xml")
            for entry in urlset.parse(path.read_bytes()).entries
        }

    return listed


def test_an_unchanged_section_is_not_read_again(run, tmp_path):
    first = run(Counted())
    before = {path: path.read_bytes() for path in (tmp_path / "public").iterdir()}
    site = Counted()
    again = run(site)

    assert "articles: all rows are read, because the last build recorded no version" in first
    assert (
        f"articles: {ROWS:,} URLs are taken over from the last build without reading the rows, "
        "because cache_version is set, and all keys and dates in updated are the same" in again
    )
    assert f"{ROWS:,} URLs in 1 file and 1 index, 0 files new or changed" in again
    assert site.calls <= SAMPLE
    assert {path: path.read_bytes() for path in (tmp_path / "public").iterdir()} == before


def test_without_cache_version_all_rows_are_read(run):
    run(NoVersion())
    site = NoVersion()
    output = run(site)

    assert site.calls == ROWS
    assert "articles:" not in output


def change_one():
    Article.objects.filter(slug="a500").update(slug="new", updated=NEW_YEAR + timedelta(hours=7))


def add_an_old_one():
    Article.objects.filter(slug="a500").delete()
    Article.objects.create(slug="new", updated=NEW_YEAR)


def exchange_two():
    """One row leaves the queryset and another one enters: the same number and latest date."""
    Article.objects.filter(slug="a500").update(is_public=False)
    Article.objects.filter(slug="hidden").update(is_public=True, slug="new")


@pytest.mark.parametrize("change", [change_one, add_an_old_one, exchange_two])
def test_a_change_that_leaves_number_and_latest_date_is_noticed(run, listed, change):
    Article.objects.create(slug="hidden", updated=NEW_YEAR, is_public=False)
    run(Counted())
    change()
    output = run(Counted())

    assert "rows, cache_version or options changed since the last build" in output
    assert "https://example.com/articles/new/" in listed()
    assert "https://example.com/articles/a500/" not in listed()


class Bumped(Counted):
    cache_version = 2


class OtherRoute(Counted):
    prefix = "/texts/"


class OtherFrequency(Counted):
    changefreq = "daily"


@pytest.mark.parametrize("after", [Bumped, OtherRoute, OtherFrequency])
def test_another_version_route_or_attribute_reads_all_rows(run, after):
    run(Counted())
    site = after()
    run(site)

    assert site.calls >= ROWS


def test_other_options_read_all_rows(run, listed):
    run(Counted())
    run(Counted(), BUILD={"rewrites": "/articles/=>/texts/"})
    assert "https://example.com/texts/a7/" in listed()
    site = Counted()
    run(site, BUILD={"rewrites": "/articles/=>/texts/"})
    assert site.calls <= SAMPLE  # rewritten URLs are not rewritten again
    assert "https://example.com/texts/a7/" in listed()


def test_a_recent_date_may_hide_a_second_change(run, listed):
    class Products(Sitemap):
        lastmod_field = "changed"
        cache_version = 1

        def items(self):
            return Product.objects.all()

    Product.objects.create(changed=datetime.now(UTC).date())
    run(Products())
    output = run(Products())
    assert "products" not in output
    assert "the latest date in changed is so recent, or in the future" in output

    Product.objects.update(changed=date(2024, 1, 1))
    run(Products())
    assert "1 URL is taken over" in run(Products())


def test_rows_without_a_date_and_lists_are_read(run):
    class Listed(Counted):
        def items(self):
            return list(Article.objects.all())

    assert "cache_version needs lastmod_field" in run(Listed())
    Article.objects.filter(slug="a3").update(updated=None)
    assert "1 of them have no date in updated" in run(Counted())


def test_urls_of_several_sections_are_read_again(run, listed):
    class Some(Counted):
        def items(self):
            return Article.objects.filter(slug__in=["a1", "a2"])

    both = {"articles": Counted(), "some": Some()}
    run(both)
    output = run(both)
    assert "the last build lists 998 of its 1,000 rows as URLs of this source only" in output

    Article.objects.filter(slug="a1").update(slug="new", updated=NEW_YEAR + timedelta(days=1))
    run(both)
    assert "https://example.com/articles/new/" in listed()
    assert "https://example.com/articles/a1/" not in listed()


def test_invalid_rows_are_reported_again(run):
    class Invalid(Counted):
        def location(self, item):
            return "http://[" if item.slug == "a500" else super().location(item)

    assert "a500" not in run(Invalid())
    assert "lists 999 of its 1,000 rows" in run(Invalid())


class Pictures(Counted):
    def images(self, item):
        return [urlset.Image(f"https://example.com/{item.slug}.jpg")]


def test_extensions_are_taken_over_from_the_published_files(run, tmp_path):
    run(Pictures())
    file = next((tmp_path / "public").glob("sitemap-articles*.xml"))
    before = file.read_bytes()
    site = Pictures()
    run(site)
    assert site.calls <= 2 * SAMPLE
    assert file.read_bytes() == before
    assert before.count(b"<image:image>") == ROWS

    file.write_bytes(before.replace(b"a500.jpg", b"evil.jpg"))
    output = run(Pictures())
    assert f"{file.name} is not as the last build wrote it" in output
    assert file.read_bytes() == before


def test_a_removed_section_and_a_changed_one_next_to_an_unchanged_one(run, listed):
    class Public(Counted):
        prefix = "/public/"

    class Pages(Sitemap):
        found = ("/", "/about")

        def items(self):
            return list(self.found)

        def location(self, item):
            return item

    run({"articles": Counted(), "public": Public(), "pages": Pages()})
    Pages.found = ("/", "/contact")
    site = Counted()
    run({"articles": site, "pages": Pages()})

    assert site.calls <= SAMPLE
    assert len(listed()) == ROWS + 2
    assert "https://example.com/contact" in listed()

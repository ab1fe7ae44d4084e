"""What reading the rows of a Django sitemap costs: counts of calls and queries, not times."""

import importlib
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from tests.integrations.django_hosts import configure, database
from urlset.integrations.django import Sitemap

configure()
sections = importlib.import_module("urlset.integrations.django.sections")
Article = importlib.import_module("tests.integrations.django_project.models").Article
db = importlib.import_module("django.db")
utils = importlib.import_module("django.test.utils")
ROWS = 5_000


@pytest.fixture(autouse=True)
def rows():
    with database():
        updated = datetime(2024, 1, 1, tzinfo=UTC)
        Article.objects.bulk_create(Article(slug=f"a{n}", updated=updated) for n in range(ROWS))
        yield


class Articles(Sitemap):
    changefreq = "weekly"
    limit = 1_000
    lookups = 0

    def items(self):
        return Article.objects.all()

    def date_source(self):
        type(self).lookups += 1
        return "updated"


def entries(site):
    current = SimpleNamespace(domain="example.com", name="example.com")
    return list(sections.all_entries(sections.open_section(site, "https", current)))


def test_attributes_are_looked_up_for_a_batch_of_rows_not_for_each():
    class Counted(Articles):
        lookups = 0

    found = entries(Counted())

    assert len(found) == ROWS
    assert found[7].lastmod == datetime(2024, 1, 1, tzinfo=UTC)
    assert found[7].changefreq == "weekly"
    assert Counted.lookups < 20


def test_a_build_reads_the_rows_in_batches_without_dividing_them_into_pages():
    with utils.CaptureQueriesContext(db.connection) as queries:
        entries(Articles())

    assert len(queries) <= 2 + ROWS / 2_000  # a page has 1,000 rows


def test_methods_of_the_sitemap_are_called_once_for_each_row():
    called = []

    class Methods(Articles):
        def priority(self, item):
            called.append(item.slug)
            return 0.5

        def lastmod(self, item):
            return item.updated

        def _get(self, name, item, default=None):  # a project may override it
            return "daily" if name == "changefreq" else super()._get(name, item, default)

    found = entries(Methods())

    assert called == [f"a{n}" for n in range(ROWS)]
    assert {(e.priority, e.changefreq) for e in found} == {(0.5, "daily")}

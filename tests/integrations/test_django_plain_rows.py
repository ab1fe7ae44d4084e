"""Rows that are read without Django's conversions are equal to those that Django makes."""

import importlib
import uuid
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.integrations.django_hosts import configure, database
from tests.postgres import postgres

configure()
db = importlib.import_module("django.db")
models = importlib.import_module("django.db.models")
signals = importlib.import_module("django.db.models.signals")
plain_rows = importlib.import_module("urlset.integrations.django.plain_rows")
shop = importlib.import_module("tests.integrations.django_project.models")
Article, Product = shop.Article, shop.Product
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
LAST_SECOND = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
TIMES = [None, NEW_YEAR, NEW_YEAR + timedelta(microseconds=120_000), LAST_SECOND]


@pytest.fixture(autouse=True)
def rows():
    with database():
        yield


def attributes(instances):
    """Everything that an instance has, with types."""
    instances = list(instances)
    for one in instances:  # Django 6.1 sets the default of a state when it is read
        getattr(one._state, "fetch_mode", None)
    return [
        [(name, type(value), value) for name, value in sorted(vars(one).items()) if name[0] != "_"]
        + sorted(vars(one._state).items())
        for one in instances
    ]


def is_made_by_django(monkeypatch, queryset):
    made = []
    method = models.Model.from_db.__func__

    def from_db(cls, *values, **more):
        made.append(cls)
        return method(cls, *values, **more)

    monkeypatch.setattr(models.Model, "from_db", classmethod(from_db))
    assert plain_rows.fetch_rows(queryset, 10)
    monkeypatch.undo()
    return bool(made)


@contextmanager
def on_postgresql():
    """A database with the tables of the project, as the connection ``pg``."""
    with postgres() as url:
        at = urlsplit(url)
        settings = {
            "ENGINE": "django.db.backends.postgresql", "NAME": at.path[1:], "HOST": at.hostname,
            "PORT": at.port, "USER": at.username, "PASSWORD": unquote(at.password or ""),
        }  # fmt: skip
        connections = db.connections
        connections.settings["pg"] = connections.configure_settings(
            {"default": {}, "pg": settings}
        )["pg"]
        try:
            with connections["pg"].schema_editor() as editor:
                editor.create_model(Article)
            yield
        finally:
            connections["pg"].close()
            del connections["pg"]
            del connections.settings["pg"]


TIMES = [
    None,
    NEW_YEAR,
    NEW_YEAR + timedelta(microseconds=120_000),
    datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
]


def test_instances_are_those_of_django():
    Article.objects.bulk_create(
        Article(slug=f"ä {n}", updated=time, is_public=n != 1) for n, time in enumerate(TIMES)
    )
    Product.objects.create(id=uuid.UUID(int=7), changed=date(2024, 1, 2))
    for queryset in (Article.objects.order_by("pk"), Product.objects.order_by("pk")):
        found = plain_rows.fetch_rows(queryset, 3)

        assert found == list(queryset[:3])
        assert attributes(found) == attributes(queryset[:3])


def test_instances_of_postgresql_are_those_of_django():
    pytest.importorskip("psycopg")
    with on_postgresql():
        everything = Article.objects.using("pg").order_by("pk")
        everything.bulk_create(Article(slug=f"ä {n}", updated=t) for n, t in enumerate(TIMES))
        found = plain_rows.fetch_rows(everything, 10)

        assert len(found) == len(TIMES)
        assert attributes(found) == attributes(everything)
        assert {one.updated.tzinfo for one in found if one.updated} == {UTC}


def test_instances_can_be_saved():
    Article.objects.create(slug="a", updated=NEW_YEAR)
    (found,) = plain_rows.fetch_rows(Article.objects.order_by("pk"), 10)
    found.slug = "b"
    found.save()

    assert [one.slug for one in Article.objects.all()] == ["b"]


TIME_TEXT = st.one_of(
    st.from_regex(
        r"[0-9]{4}-[01][0-9]-[0-3][0-9]([T ][0-2][0-9](:[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?)?"
        r"(Z|[+-][0-2][0-9](:?[0-5][0-9])?)?)?",
        fullmatch=True,
    ),
    st.text("0123456789-:+TZ. W,", max_size=25),
    st.integers(0, 10**9),
)


@given(TIME_TEXT)
def test_any_text_that_sqlite_holds_is_the_time_that_django_makes_of_it(text):
    with database():
        Article.objects.create(slug="a", updated=None)
        with db.connection.cursor() as cursor:
            cursor.execute("UPDATE shop_article SET updated = %s", [text])
        queryset = Article.objects.order_by("pk")
        try:
            expected = attributes(queryset)
        except Exception as error:  # noqa: BLE001 - no date at all
            with pytest.raises(type(error)):
                plain_rows.fetch_rows(queryset, 10)
        else:
            assert attributes(plain_rows.fetch_rows(queryset, 10)) == expected


@pytest.mark.parametrize(
    "of",
    [
        lambda rows: rows.only("slug"),
        lambda rows: rows.annotate(n=models.F("id")),
        lambda rows: rows.extra(select={"n": "1"}),
        lambda rows: rows.prefetch_related(models.Prefetch("missing")),
    ],
    ids=["only", "annotate", "extra", "prefetch"],
)
def test_querysets_with_more_than_fields_are_left_to_django(of, monkeypatch):
    Article.objects.create(slug="a", updated=NEW_YEAR)
    rows = Article.objects.order_by("pk")
    assert not is_made_by_django(monkeypatch, rows)
    queryset = of(rows)

    with monkeypatch.context() as patch:
        patch.setattr(type(queryset), "_prefetch_related_objects", lambda _: None)
        assert is_made_by_django(monkeypatch, queryset)


def test_overridden_methods_of_a_queryset_are_called(monkeypatch):
    class Shouting(models.QuerySet):  # type: ignore[name-defined]
        def values_list(self, *fields, **more):
            raise AssertionError(fields, more)

    Article.objects.create(slug="a", updated=NEW_YEAR)

    assert is_made_by_django(monkeypatch, Shouting(Article).order_by("pk"))


def test_overridden_methods_of_a_model_are_called(monkeypatch):
    Article.objects.create(slug="a", updated=NEW_YEAR)
    init = models.Model.__init__
    monkeypatch.setattr(Article, "__init__", lambda self, *values: init(self, *values))

    assert is_made_by_django(monkeypatch, Article.objects.order_by("pk"))


@pytest.mark.parametrize("signal", ["pre_init", "post_init"])
def test_receivers_of_signals_are_called(signal):
    received = []

    def receiver(**values):
        received.append(values["sender"])

    Article.objects.create(slug="a", updated=NEW_YEAR)
    getattr(signals, signal).connect(receiver, sender=Article)
    try:
        plain_rows.fetch_rows(Article.objects.order_by("pk"), 10)
    finally:
        getattr(signals, signal).disconnect(receiver, sender=Article)

    assert received == [Article]


def test_fields_are_set_by_their_descriptors(monkeypatch):
    Article.objects.create(slug="a", updated=NEW_YEAR)
    monkeypatch.setattr(
        Article, "slug", property(lambda _: "slug", lambda one, value: setattr(one, "given", value))
    )

    (found,) = plain_rows.fetch_rows(Article.objects.order_by("pk"), 10)

    assert (found.slug, found.given) == ("slug", "a")


def test_no_rows():
    assert plain_rows.fetch_rows(Article.objects.order_by("pk"), 10) == []

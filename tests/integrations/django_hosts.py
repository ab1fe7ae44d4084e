"""Configures Django once for this process, with a database in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

django = pytest.importorskip("django", reason="Django is not installed")


def configure() -> None:
    """Set up Django with the project of the tests; a second call does nothing."""
    from django.conf import settings

    if settings.configured:
        return
    settings.configure(
        SECRET_KEY="for tests",
        ALLOWED_HOSTS=["example.com", "testserver"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=[
            "django.contrib.contenttypes",
            "tests.integrations.django_project.apps.ShopConfig",
            "urlset.integrations.django",
        ],
        ROOT_URLCONF="tests.integrations.django_project.urls",
        TEMPLATES=[
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
        ],
        USE_TZ=True,
        TIME_ZONE="America/New_York",
        LANGUAGE_CODE="en",
        LANGUAGES=[("en", "English"), ("de", "German")],
    )
    django.setup()


@contextmanager
def database() -> Iterator[None]:
    """The tables of the project in a database in memory; tests roll back what they write."""
    from django.core.cache import cache
    from django.core.management import call_command
    from django.db import connection, transaction

    configure()
    if "shop_article" not in connection.introspection.table_names():
        call_command("migrate", run_syncdb=True, verbosity=0)
    cache.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def sitemaps(**found: Any) -> Iterator[None]:
    """Publish sitemaps at the URLs of the project."""
    configure()
    from tests.integrations.django_project.urls import SITEMAPS

    SITEMAPS.clear()
    SITEMAPS.update(found)
    try:
        yield
    finally:
        SITEMAPS.clear()

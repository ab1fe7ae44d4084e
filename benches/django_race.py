"""Measure Django's sitemaps and those of urlset over a million rows, in PostgreSQL and SQLite.

``python benches/django_race.py`` prints a table. PostgreSQL runs in a temporary folder, from
Debian's package; without it only SQLite is measured. Each measurement has a process of its own,
which answers one small request first. The views are called without a server.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CONTENDERS = ("django.contrib.sitemaps", "urlset.integrations.django")
INSERT = {
    "sqlite": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
        "INSERT INTO bench_article (id, slug, updated) "
        "SELECT i, 'article-' || i, datetime(1700000000 + (i * 7919) % 60000000, 'unixepoch') "
        "FROM n"
    ),
    "postgresql": (
        "INSERT INTO bench_article (id, slug, updated) "
        "SELECT i, 'article-' || i, to_timestamp(1700000000 + (i::bigint * 7919) % 60000000) "
        "FROM generate_series(1, {rows}) AS i"
    ),
}


def configure(contender: str, database: str) -> Any:
    """Set up Django with a model, and return the module of the model."""
    import django
    from django.conf import settings

    if database.startswith("postgresql"):
        from urllib.parse import unquote, urlsplit

        at = urlsplit(database)
        one = {
            "ENGINE": "django.db.backends.postgresql", "NAME": at.path[1:], "HOST": at.hostname,
            "PORT": at.port, "USER": at.username, "PASSWORD": unquote(at.password or ""),
        }  # fmt: skip
    else:
        one = {"ENGINE": "django.db.backends.sqlite3", "NAME": database}
    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": one},
        CACHES={
            "default": {
                "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
                "LOCATION": os.environ["BENCH_CACHE"],
            }
        },
        URLSET_PAGE_CACHE="default",
        INSTALLED_APPS=["django.contrib.sitemaps"],
        TEMPLATES=[
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
        ],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
    )
    django.setup()
    from django.db import models
    from django.urls import path

    class Article(models.Model):
        id = models.BigAutoField(primary_key=True)
        slug = models.CharField(max_length=100)
        updated = models.DateTimeField(db_index=True)

        class Meta:
            app_label = "bench"

        def get_absolute_url(self) -> str:
            return f"/articles/{self.slug}/"

    from importlib import import_module

    module = import_module(contender)
    views = import_module(f"{contender}.views")

    class Articles(module.Sitemap):  # type: ignore[name-defined, misc]  # Django is imported late
        protocol = "https"
        lastmod_field = "updated"

        def items(self) -> Any:
            return Article.objects.order_by("pk")

        def lastmod(self, item: Any) -> Any:
            return item.updated

    class Few(module.Sitemap):  # type: ignore[name-defined, misc]  # Django is imported late
        def items(self) -> Any:
            return ["/"]

        def location(self, item: Any) -> str:
            return str(item)

    found = {"articles": Articles}
    globals()["urlpatterns"] = [
        path("sitemap.xml", views.index, {"sitemaps": found}),
        path("few.xml", views.sitemap, {"sitemaps": {"few": Few}}),
        path(
            "sitemap-<section>.xml",
            views.sitemap,
            {"sitemaps": found},
            name="django.contrib.sitemaps.views.sitemap",
        ),
    ]
    return Article


def peak() -> int:
    """Return the peak memory of this process in bytes since the last reset."""
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def measure(contender: str, database: str, path: str) -> dict[str, Any]:
    """Request a path once after a warm-up; return times in milliseconds and memory in MB."""
    configure(contender, database)
    from django.db import connection
    from django.test import Client

    client = Client(headers={"host": "example.com"})
    client.get("/few.xml")
    with connection.cursor() as cursor:  # connected
        cursor.execute("SELECT 1")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = peak()
    start = time.perf_counter()
    response = client.get(path)
    chunks = iter(response if response.streaming else [response.content])
    size = len(next(chunks))
    first = time.perf_counter()
    urls = 0
    for chunk in chunks:
        size += len(chunk)
    end = time.perf_counter()
    assert response.status_code == 200, response
    found = {
        "first_ms": (first - start) * 1e3, "whole_ms": (end - start) * 1e3,
        "memory_mb": (peak() - before) / 2**20, "bytes": size, "urls": urls,
    }  # fmt: skip
    if "ETag" in response:
        start = time.perf_counter()
        again = client.get(path, headers={"if-none-match": response["ETag"]})
        found |= {"again": again.status_code, "again_ms": (time.perf_counter() - start) * 1e3}
    return found


@contextmanager
def filled(kind: str, rows: int) -> Iterator[str]:
    """Yield the address of a database with the rows."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="urlset-") as folder:
            fill(f"{folder}/bench.sqlite3", kind, rows)
            yield f"{folder}/bench.sqlite3"
        return
    sys.path.insert(0, str(ROOT))
    from tests.postgres import postgres

    with postgres() as url:
        fill(url, kind, rows)
        yield url


def fill(database: str, kind: str, rows: int) -> None:
    """Make the table in a process of its own."""
    subprocess.run([sys.executable, __file__, "--fill", database, kind, str(rows)], check=True)


def _fill(database: str, kind: str, rows: int) -> None:
    article = configure(CONTENDERS[0], database)
    from django.db import connection

    with connection.schema_editor() as editor:
        editor.create_model(article)
    with connection.cursor() as cursor:
        cursor.execute(INSERT[kind].format(rows=rows))
        cursor.execute("VACUUM ANALYZE" if kind == "postgresql" else "ANALYZE")


def main() -> None:
    """Run all measurements, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--databases", nargs="*", default=["postgresql", "sqlite"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--fill", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="urlset-") as cache:
        os.environ.setdefault("BENCH_CACHE", cache)
        if options.fill:
            _fill(options.fill[0], options.fill[1], int(options.fill[2]))
        elif options.measure:
            print(json.dumps(measure(*options.measure)))
        else:
            run_all(options)


def run_all(options: argparse.Namespace) -> None:
    """Measure the index and three pages with each contender, and print a table."""
    pages = options.rows // 50_000
    paths = [
        "/sitemap.xml", "/sitemap.xml", "/sitemap-articles.xml",
        f"/sitemap-articles.xml?p={pages // 2}", f"/sitemap-articles.xml?p={pages}",
        f"/sitemap-articles.xml?p={pages // 2}",
    ]  # fmt: skip
    names = ["index", "index again", "first page", "middle page", "last page",
             "page again"]  # fmt: skip
    results = []
    print("| database | request | contender | first byte | whole | memory | 304 |")
    print("|---|---|---|--:|--:|--:|--:|")
    for kind in options.databases:
        with filled(kind, options.rows) as database:
            for contender in CONTENDERS:
                with tempfile.TemporaryDirectory(prefix="urlset-") as cache:
                    for name, path in zip(names, paths, strict=True):
                        done = subprocess.run(
                            [sys.executable, __file__, "--measure", contender, database, path],
                            env={**os.environ, "BENCH_CACHE": cache},
                            stdout=subprocess.PIPE,
                            text=True,
                            check=True,
                        )
                        found = json.loads(done.stdout)
                        results.append({"database": kind, "request": name, **found})
                        again = f"{found['again_ms']:.0f} ms" if "again_ms" in found else "none"
                        print(
                            f"| {kind} | {name} | {contender.partition('.')[0]} "
                            f"| {found['first_ms']:,.0f} ms | {found['whole_ms']:,.0f} ms "
                            f"| {found['memory_mb']:,.0f} MB | {again} |",
                            flush=True,
                        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

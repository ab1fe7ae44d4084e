"""Queries to databases as sources: rows, rejected queries, and hidden passwords."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from tests.postgres import PASSWORD, postgres
from tests.sources.test_tables import rows
from urlset.errors import QueryError, SourceError
from urlset.sources.tables import query
from urlset.sources.tables.query import Dsn, Query


@pytest.fixture(scope="module")
def server():
    manager = pytest.importorskip("adbc_driver_manager", reason="urlset[sql] is not installed")
    pytest.importorskip("adbc_driver_postgresql", reason="urlset[sql] is not installed")
    with postgres() as url:
        kind, driver, _ = query._driver(Dsn(url))
        assert kind == "postgresql"
        with (
            manager.AdbcDatabase(driver=driver, uri=url) as database,
            manager.AdbcConnection(database) as connection,
        ):
            query._run(
                manager,
                connection,
                "CREATE TABLE pages AS SELECT 'https://example.com/p/' || i AS url, "
                "TIMESTAMPTZ '2026-01-01 00:00Z' + i * INTERVAL '1 s' AS at, "
                "TIMESTAMP '2026-01-01 00:00' AS naive, DATE '2026-01-31' AS day, "
                "i % 10 / 10.0::numeric AS weight, ARRAY['/a.png', '/b.png'] AS pictures, "
                "'{\"a\": 1}'::json AS facts, i FROM generate_series(1, 1000000) i",
            )
        yield url


# ── SQLite and DuckDB: no driver is needed ───────────────────────────────────────────────────


def test_sqlite(tmp_path):
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE pages (url, changed, category)")
        connection.execute("INSERT INTO pages VALUES ('/a', '2026-01-31', 'x')")
    connection.close()
    query = "SELECT url, changed, category FROM pages"
    source = Query(f"sqlite:///{path}", query, mapping="lastmod=changed", keep=("category",))

    assert rows(source) == [{"loc": "/a", "lastmod_text": "2026-01-31", "category": "x"}]
    assert source.name == f"sqlite:///{path}"
    with pytest.raises(QueryError, match="only reads"):
        rows(Query(f"sqlite:///{path}", "DELETE FROM pages"))
    with pytest.raises(SourceError, match="No such file"):
        rows(Query(f"sqlite:///{path}x", query))


def test_env():
    environment = {"DATABASE_URL": "postgresql://ann:secret@db.example/shop"}

    source = Query("env:DATABASE_URL", "SELECT 1", environment=environment)

    assert source.name == "env:DATABASE_URL"
    with pytest.raises(SourceError, match="in the variable OTHER, found nothing"):
        Query("env:OTHER", "SELECT 1", environment=environment)


# ── secrets ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:s3cret@db.example:5432/shop", "postgresql://ann@db.example:5432/shop"),
        ("postgresql://db.example/shop?user=ann&password=s3cret", "postgresql://db.example/shop"),
        ("postgresql://ann:%733cret@db.example/", "postgresql://ann@db.example/"),
        ("postgresql://:s3cret@db.example/", "postgresql://@db.example/"),
        ("mysql://ann:s3cret@db.example/shop", "mysql://ann@db.example/shop"),
    ],
)
def test_address_is_shown_without_its_password(url, shown):
    address = Dsn(url)

    assert address.shown == shown
    assert address.url == url
    assert "s3cret" not in repr(address)
    assert "s3cret" not in address.without_secrets(f'could not use "{url}", password s3cret')


@pytest.mark.parametrize(
    ("url", "shown", "scheme"),
    [
        ("postgresql+psycopg://ann:s3cret@db.example/shop", "postgresql://ann@db.example/shop", 0),
        ("postgresql+psycopg2://ann@db.example/shop", "postgresql://ann@db.example/shop", 0),
        ("postgres://ann:s3cret@db.example/shop", "postgres://ann@db.example/shop", 0),
        ("mysql+pymysql://ann:s3cret@db.example/shop", "mysql://ann@db.example/shop", 0),
        ("grpc+tls://db.example:443/", "grpc+tls://db.example:443/", "grpc+tls"),
    ],
)
def test_address_of_sqlalchemy_loses_its_driver(url, shown, scheme):
    address = Dsn(url)

    assert address.shown == shown
    assert address.scheme == (scheme or shown.partition(":")[0])
    assert address.url.startswith(f"{address.scheme}://")
    assert "s3cret" not in address.without_secrets(f'could not use "{url}"')


@pytest.mark.parametrize("prefix", ["postgres://", "postgresql+psycopg://"])
def test_postgresql_by_the_urls_of_others(prefix, server):
    url = prefix + server.partition("://")[2]

    assert rows(Query(url, "SELECT url AS loc FROM pages LIMIT 1")) == [
        {"loc": "https://example.com/p/1"}
    ]


@pytest.mark.parametrize("password", ["a@s3cret", "a/s3cret", "a?s3cret", "a#s3cret", "a@s3cret:x"])
def test_password_that_a_driver_would_take_apart_is_refused(password):
    with pytest.raises(SourceError, match="percent-encoded") as caught:
        Dsn(f"postgresql://ann:{password}@db.example/shop")

    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cret@127.0.0.1:1/shop",
        "postgresql://ann:s3cret@[zz/shop",
        "postgresql://ann:s3cret@127.0.0.1:port/shop",
        "postgresql://ann:s3cret@127.0.0.1:1/shop?nonsense=1",
    ],
)
def test_database_that_is_not_reached(url):
    pytest.importorskip("adbc_driver_postgresql")

    with pytest.raises(SourceError, match="cannot connect to the database") as caught:
        rows(Query(url, "SELECT 1"))

    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None  # its words may have the password


def test_database_without_a_driver():
    pytest.importorskip("adbc_driver_manager")

    with pytest.raises(SourceError, match="dbc install mysql"):
        rows(Query("mysql://ann:s3cret@127.0.0.1:1/shop", "SELECT 1"))
    with pytest.raises(SourceError, match=r"build from that file, as docs/sources\.md"):
        rows(Query("mariadb://db.example/shop", "SELECT 1"))
    with pytest.raises(SourceError, match="found 'oracle'"):
        rows(Query("oracle://db.example/", "SELECT 1"))


# ── PostgreSQL ───────────────────────────────────────────────────────────────────────────────


def test_postgresql(server):
    source = Query(
        server,
        "SELECT * FROM pages WHERE i = 1",
        mapping="lastmod=at,priority=weight,images=pictures",
        keep=("facts", "i"),
    )

    (row,) = rows(source)

    assert [image.pop("loc") for image in row.pop("images")] == ["/a.png", "/b.png"]
    assert row == {
        "loc": "https://example.com/p/1",
        "lastmod": datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC),
        "priority": 0.1,
        "facts": '{"a":1}',
        "i": "1",
    }


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ("lastmod=day", {"lastmod_text": "2026-01-31"}),
        ("lastmod=utc:naive", {"lastmod": datetime(2026, 1, 1, tzinfo=UTC)}),
    ],
)
def test_postgresql_dates(mapping, expected, server):
    query = "SELECT url, day, naive FROM pages WHERE i = 1"

    assert rows(Query(server, query, mapping=mapping)) == [
        {"loc": "https://example.com/p/1"} | expected
    ]


def test_postgresql_naive_time_is_refused(server):
    with pytest.raises(SourceError, match="the zone of the time is unknown"):
        rows(Query(server, "SELECT url, naive FROM pages", mapping="lastmod=naive"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("DELETE FROM pages", "only reads"),
        ("WITH gone AS (DELETE FROM pages RETURNING url) SELECT url FROM gone", "read-only"),
        ("SELECT url FROM pages; DELETE FROM pages", "multiple commands"),
        ("SELECT url AS loc INTO other FROM pages", "read-only|COPY"),
        ("SELECT nix FROM pages", '"nix" does not exist'),
        ("SELECT url, url FROM pages", "unique column names, found 'url' twice"),
        ("SELECT (1 / (i - 900000))::text AS url FROM pages", "division by zero"),
        ("", "found nothing"),
    ],
)
def test_postgresql_query_that_is_refused(query, words, server):
    with pytest.raises(QueryError, match=words) as caught:
        rows(Query(server, query))

    assert PASSWORD not in str(caught.value)
    assert len(rows(Query(server, "SELECT url FROM pages LIMIT 2"))) == 2


def test_postgresql_with_the_wrong_password(server):
    url = server.replace("s3cret", "wr0ng")

    with pytest.raises(SourceError, match="password authentication failed") as caught:
        rows(Query(url, "SELECT 1"))

    assert "wr0ng" not in str(caught.value)


def test_postgresql_that_is_left_early(server):
    with closing(cast(Any, Query(server, "SELECT url FROM pages").batches())) as batches:
        assert next(batches).num_rows > 0


MEMORY = """
import sys
from urlset.sources.tables.query import Query
batches = Query(sys.argv[1], "SELECT url, at FROM pages", mapping="lastmod=at").batches()
assert sum(batch.num_rows for batch in batches) == 1_000_000
# Not ru_maxrss, which begins with that of the process that started this one.
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(peak[0].split()[1]) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
def test_postgresql_a_million_rows_in_little_memory(server):
    ran = subprocess.run(
        [sys.executable, "-c", MEMORY, server], capture_output=True, text=True, check=True
    )

    assert int(ran.stdout) < 300

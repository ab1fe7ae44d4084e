"""Live tables of a store: schema, comments, reopening, and the view that they replace."""

import duckdb
import pytest

import urlset
from urlset.errors import StoreError
from urlset.live.schemas import LIVE_TABLES, LIVE_VIEWS, VISIT_SCHEMA
from urlset.store import Store

SITEMAP = b"https://example.com/ https://example.com/a"


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "site.duckdb")
    with Store.open(path) as store:
        store.add(VISIT_SCHEMA)
    return path


def test_live_tables_have_the_declared_columns(path):
    with Store.open(path) as store:
        for table in LIVE_TABLES:
            found = [(row[0], row[1]) for row in store.query(f"DESCRIBE {table.name}")]

            assert [name for name, _ in found] == [column.name for column in table.columns]
            for (name, kind), column in zip(found, table.columns, strict=True):
                kind = kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ").replace('"', "")
                assert kind == column.type, f"{table.name}.{name}"


def test_live_tables_have_comments(path):
    with Store.open(path, read_only=True) as store:
        rows = store.query("SELECT table_name, column_name, comment FROM duckdb_columns()")
        comments = {(row[0], row[1]): row[2] for row in rows}

    for table in LIVE_TABLES:
        for column in table.columns:
            assert comments[table.name, column.name] == column.doc


def test_live_views_can_be_queried(path):
    with Store.open(path) as store:
        for view in LIVE_VIEWS:
            assert list(store.query(f"FROM {view.name}")) == []


def test_a_store_of_sitemaps_has_no_live_tables(tmp_path):
    with Store.open(tmp_path / "read.duckdb") as store:
        assert not store.has(VISIT_SCHEMA)
        assert list(store.query("SELECT href FROM links")) == []  # the view of hreflang links


def test_sitemaps_and_live_tables_share_a_store(path):
    with Store.open(path) as store:
        store.fill(urlset.read(SITEMAP))
        store.add(VISIT_SCHEMA)  # a second time
        assert store.has(VISIT_SCHEMA)
        assert len(store.query("FROM entries")) == 2
    with Store.open(path, read_only=True) as store:
        assert store.query("FROM links").columns[:3] == ["url", "target", "kind"]


def test_sitemaps_of_an_existing_store_are_kept(tmp_path):
    path = tmp_path / "read.duckdb"
    with Store.open(path) as store:
        store.fill(urlset.read(SITEMAP))
    with Store.open(path) as store:
        store.add(VISIT_SCHEMA)

    with Store.open(path) as store:
        assert len(store.query("FROM entries")) == 2
        assert len(store.query("FROM links")) == 0


def test_a_missing_column_is_added(path):
    with duckdb.connect(path) as connection:
        connection.execute("ALTER TABLE crawls DROP COLUMN byte_count")

    with Store.open(path) as store:
        store.add(VISIT_SCHEMA)

        assert "byte_count" in store.query("FROM crawls").columns


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE crawls ADD COLUMN own INTEGER",
        "CREATE OR REPLACE VIEW verdicts AS SELECT 1",
        "DROP TABLE links; CREATE VIEW links AS SELECT 1",
    ],
)
def test_other_live_tables_are_not_opened(path, statement):
    with duckdb.connect(path) as connection:
        connection.execute(statement)

    with pytest.raises(StoreError, match="differs from what urlset creates"):
        Store.open(path)

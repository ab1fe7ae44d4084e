"""Tables of callers whose library raises an exception of its own while they are read."""

from collections.abc import Callable

import duckdb
import pytest

import urlset
from urlset.store import Store

Table = duckdb.DuckDBPyRelation


def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute(
        "CREATE TABLE pages AS SELECT 'https://example.com/' || i AS loc FROM range(9) t(i)"
    )
    return made


def with_unfinished_result() -> tuple[object, Table]:
    made = connection()
    table = made.sql("SELECT loc FROM pages")
    made.execute("SELECT * FROM range(1000000)").fetchone()
    return made, table


def with_dropped_table() -> tuple[object, Table]:
    made = connection()
    table = made.sql("SELECT loc FROM pages")
    made.execute("DROP TABLE pages")
    return made, table


def with_closed_connection() -> tuple[object, Table]:
    made = connection()
    table = made.sql("SELECT loc FROM pages")
    made.close()
    return made, table


def with_failing_row() -> tuple[object, Table]:
    made = connection()
    made.execute("SET threads = 1")
    query = "SELECT CASE WHEN i = 200000 THEN error('odd row') ELSE 'https://example.com/' || i END"
    return made, made.sql(f"{query} AS loc FROM range(300000) t(i)")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (with_unfinished_result, "not read to its end; fetch all rows"),
        (with_dropped_table, "pages does not exist!"),
        (with_closed_connection, "check that its query is valid and its connection open"),
    ],
)
@pytest.mark.parametrize("operation", [urlset.build, urlset.write])
def test_table_of_duckdb_that_cannot_be_read_is_a_source_error(
    operation: Callable[..., object],
    make: Callable[[], tuple[object, Table]],
    words: str,
    tmp_path,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)  # with a ledger of its own
    made, table = make()  # the relation does not keep its connection open

    with pytest.raises(urlset.SourceError, match="expected a table that can be read") as caught:
        operation(table, tmp_path / "out", base_url="https://example.com/")

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    del made


@pytest.mark.parametrize("operation", [urlset.build, urlset.write])
def test_row_of_duckdb_that_cannot_be_computed_is_an_entry_error(operation, tmp_path):
    made, table = with_failing_row()

    with pytest.raises(urlset.EntryError, match="odd row"):
        operation(table, tmp_path / "out", base_url="https://example.com/")
    del made


def test_error_of_a_caller_is_raised_unchanged():
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        urlset.write(Broken(), "unused.xml")


@pytest.mark.parametrize("use", [list, len, lambda result: list(result.texts())])
def test_result_of_a_closed_store_is_a_store_error(use):
    with Store.open() as store:
        result = store.query("SELECT 1 AS number")

    with pytest.raises(urlset.StoreError, match="found a closed one"):
        use(result)


def test_query_of_a_closed_store_is_a_store_error():
    with Store.open() as store:
        pass

    with pytest.raises(urlset.StoreError, match="closed"):
        store.query("SELECT 1")

"""Sessions of a store."""

import subprocess
import sys
import threading

import pytest

from urlset.errors import StoreError
from urlset.store import ScratchDatabase, ScratchReader, Store


def test_ctrl_c_while_rows_are_fetched_is_a_keyboard_interrupt():
    class Interrupted:
        """Cursor that DuckDB interrupts after the query, when rows are fetched."""

        def __init__(self, cursor):
            self._cursor = cursor

        def __getattr__(self, name):
            return getattr(self._cursor, name)

        def fetchmany(self, *_):
            raise RuntimeError("Query interrupted")

    with Store.open() as store, store.session() as session:
        session.__dict__["_cursor"] = Interrupted(session._cursor)

        with pytest.raises(KeyboardInterrupt):
            list(session.rows("SELECT 1"))


def test_no_progress_bar_in_a_shell_of_python():
    """DuckDB prints one there after two seconds; ``python -c`` counts as a shell."""
    code = (
        "from urlset.store import ScratchDatabase, Store\n"
        "setting = \"SELECT current_setting('enable_progress_bar')\"\n"
        "with ScratchDatabase() as db, Store.open() as store, store.session() as session:\n"
        "    print(db.rows(setting), list(session.rows(setting)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[(False,)] [(False,)]\n"


def test_the_first_error_of_a_transaction_is_raised():
    with ScratchDatabase() as db:
        db.run("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
        db.run("INSERT INTO numbers VALUES (1)")

        with pytest.raises(StoreError, match="Duplicate key"), db.transaction(), db.unordered():
            db.run("INSERT INTO numbers VALUES (1)")

        assert db.fetch_one("SELECT count(*) FROM numbers") == (1,)


def test_queries_in_background_read_the_data_from_before_the_block():
    started = threading.Event()

    def count(reader: ScratchReader) -> list[tuple[int]]:
        assert started.wait(10)
        return reader.rows("SELECT count(*) FROM numbers")

    with ScratchDatabase() as db:
        db.run("CREATE TABLE numbers AS SELECT * FROM range(3) t(n)")
        with db.in_background(count) as pending:
            db.run("INSERT INTO numbers VALUES (3)")
            started.set()

            assert pending.result(10) == [(3,)]
            assert db.fetch_one("SELECT count(*) FROM numbers") == (4,)


def test_queries_in_background_end_with_an_error_of_the_block():
    def count(reader: ScratchReader) -> list[tuple[int]]:
        return reader.rows("SELECT sum(hash(a.range)) FROM range(1_000_000) a, range(10_000) b")

    with ScratchDatabase() as db:
        with pytest.raises(ZeroDivisionError), db.in_background(count) as pending:
            raise ZeroDivisionError

        assert isinstance(pending.exception(), KeyboardInterrupt | StoreError)


def test_error_of_queries_in_background_is_that_of_their_result():
    def fail(reader: ScratchReader) -> list[tuple[int]]:
        return reader.rows("FROM missing")

    with (
        ScratchDatabase() as db,
        db.in_background(fail) as pending,
        pytest.raises(StoreError, match="missing does not exist"),
    ):
        pending.result(10)

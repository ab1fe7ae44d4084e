"""Sessions of a store."""

import pytest

from urlset.store import Store


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

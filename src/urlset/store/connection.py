"""Opens DuckDB files, and says what is wrong with them in our words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb

from urlset.arrow.streams import LazyStream
from urlset.atomic import expect_no_outside_link
from urlset.errors import StoreError
from urlset.store.duckdb_errors import is_interrupt, store_error
from urlset.store.inspection import unknown_objects
from urlset.store.schema import statements
from urlset.store.tables import VERSION

__all__ = [
    "attach",
    "attach_temporary",
    "connect",
    "ensure_store",
    "expect_own_file",
    "interrupted",
    "is_database",
    "literal",
    "map_errors",
    "reraise_stream_error",
]

_SETTINGS = (
    "SET GLOBAL TimeZone = 'UTC'",  # lastmod::DATE is a day in UTC, wherever this runs
    # Nothing is fetched from anywhere unasked, and no variable of Python is taken for a table.
    "SET GLOBAL autoinstall_known_extensions = false",
    "SET GLOBAL autoload_known_extensions = false",
    "SET GLOBAL python_enable_replacements = false",
)
# Entries only pass through; with twice the memory it is no faster. Beware: with 200 MB, a store of
# row groups that are not full (see MAX_ROWS) cannot be closed. A stream is read by one thread: with
# a second one, row groups are not full, either, which takes 2 GB to mend.
_MODEST = ("SET GLOBAL memory_limit = '300MB'", "SET GLOBAL threads = 1")

_MAGIC = b"DUCK"


def connect(spill: str | None = None) -> duckdb.DuckDBPyConnection:
    """Make a DuckDB that takes little memory; what has no room there goes to ``spill``."""
    connection = duckdb.connect(":memory:")
    for setting in (*_SETTINGS, *_MODEST):
        connection.execute(setting)
    if spill is not None:
        connection.execute(f"SET GLOBAL temp_directory = {literal(spill)}")
    return connection


def attach(connection: duckdb.DuckDBPyConnection, path: str, *, read_only: bool) -> frozenset[str]:
    """Open a store under the name ``store``, made where there is none.

    Returns the names of the views and macros in it that urlset did not make. Beside it is
    ``answers``, for temporary tables: a store that is opened read-only cannot hold them.
    Raises :class:`urlset.StoreError`.
    """
    _check(path, read_only=read_only)
    is_new = not os.path.exists(path)
    mode = " (READ_ONLY)" if read_only else ""
    with map_errors(path):
        # Beware: only an absolute path is always one (":memory:", "md:…").
        connection.execute(f"ATTACH {literal(os.path.abspath(path))} AS store{mode}")
        connection.execute("ATTACH ':memory:' AS answers")
        connection.execute("USE store")
        ensure_store(connection, path, read_only=read_only)
        return frozenset() if is_new else unknown_objects(connection, "store", path)


def attach_temporary(
    connection: duckdb.DuckDBPyConnection, path: str | None, *, has_details: bool = False
) -> None:
    """Make a store under the name ``store`` that goes, in memory or in a file; without comments.

    With ``has_details`` its table ``problems`` also has the column ``detail``.
    """
    if path is None:
        connection.execute("ATTACH ':memory:' AS store")
    else:
        # It is never opened again, and need not be tidied up, which takes half of the time.
        connection.execute(f"ATTACH {literal(path)} AS store (RECOVERY_MODE NO_WAL_WRITES)")
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("SET GLOBAL checkpoint_threshold = '1TB'")
    connection.execute("USE store")
    _make_tables(connection, with_comments=False)
    if has_details:
        connection.execute("ALTER TABLE problems ADD COLUMN detail VARCHAR")


def expect_own_file(path: str) -> None:
    """Raise :class:`urlset.StoreError` where DuckDB would write through a link to elsewhere."""
    for name in (path, f"{path}.wal"):
        try:
            expect_no_outside_link(name)
        except OSError as error:
            raise StoreError(f"cannot write {name!r}: {error.strerror}") from error


def is_database(path: str) -> bool:
    """Tell by its first bytes whether a file is DuckDB's.

    Beware: DuckDB itself, asked to open a file of SQLite, would go and fetch an extension.
    """
    try:
        with open(path, "rb") as file:
            return file.read(12)[8:] == _MAGIC
    except OSError:
        return False


def ensure_store(connection: duckdb.DuckDBPyConnection, path: str, *, read_only: bool) -> None:
    """Make the tables in a new file; raises :class:`urlset.StoreError` for one with others."""
    with map_errors(path):
        tables = {row[0] for row in connection.execute("SHOW TABLES").fetchall()}
        if not tables and not read_only:
            _make_tables(connection, with_comments=True)
            return
        if "urlset_store" not in tables:
            found = f"other tables ({', '.join(sorted(tables)[:5])})" if tables else "no tables"
            raise StoreError(
                f"expected a store of urlset, found a DuckDB file with {found}: {path!r}; "
                "name another file"
            )
        versions = connection.execute("SELECT version FROM urlset_store").fetchone()
    found_version = versions[0] if versions else None
    if found_version != VERSION:
        older = isinstance(found_version, int) and found_version < VERSION
        advice = "read the sitemaps again into a new file" if older else "update urlset"
        raise StoreError(
            f"expected a store of version {VERSION}, found version {found_version}: {path!r}; "
            f"{advice}"
        )


def _make_tables(connection: duckdb.DuckDBPyConnection, *, with_comments: bool) -> None:
    connection.execute("BEGIN")
    for statement in statements(with_comments=with_comments):
        connection.execute(statement)
    connection.execute("COMMIT")


@contextmanager
def map_errors(path: str) -> Iterator[None]:
    """Tell what DuckDB cannot do with a file as a :class:`urlset.StoreError` of one line."""
    try:
        with interrupted():
            yield
    except duckdb.Error as error:
        raise store_error(error, path) from error
    except Exception as error:
        if type(error) is not Exception:  # arro3 raises bare ones for errors in a stream
            raise
        raise store_error(error, path) from error


@contextmanager
def interrupted() -> Iterator[None]:
    """Have Ctrl-C be a ``KeyboardInterrupt`` also where DuckDB was at work."""
    try:
        yield
    except RuntimeError as error:
        if not is_interrupt(error):
            raise
        raise KeyboardInterrupt from error
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error


@contextmanager
def reraise_stream_error(stream: Any) -> Iterator[None]:
    """Raise what a stream raised while DuckDB read it, instead of DuckDB's words for that."""
    failure: BaseException | None = None
    try:
        with interrupted():
            yield
    except (duckdb.Error, KeyboardInterrupt):
        if isinstance(stream, LazyStream):
            failure, stream.failure = stream.failure, None
        if failure is None:
            raise
    # Beware: not within `except`. DuckDB's error would stay alive with its connection, and be
    # told on stderr when Python ends.
    if failure is not None:
        try:
            raise failure
        finally:
            del failure


def literal(text: str) -> str:
    """Write text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _check(path: str, *, read_only: bool) -> None:
    if os.path.isdir(path):
        raise StoreError(f"expected a store, found a folder: {path!r}; name a file in it")
    folder = os.path.dirname(path) or "."
    if not read_only:
        expect_own_file(path)
    if not os.path.exists(path):
        if read_only:
            raise StoreError(f"expected a store, found nothing at {path!r}; check the path")
        if not os.path.isdir(folder):
            raise StoreError(f"cannot write {path!r}: its folder {folder!r} does not exist")
        if not os.access(folder, os.W_OK):
            raise StoreError(f"cannot write {path!r}: its folder may not be written")
        return
    if not os.access(path, os.R_OK if read_only else os.R_OK | os.W_OK):
        raise StoreError(f"expected a store that may be {_may(read_only)}, found {path!r}")
    if not is_database(path):
        raise StoreError(
            f"expected a store (a DuckDB file), found another kind of file: {path!r}; "
            "name another one, or remove it",
            failure="other-file",
        )


def _may(read_only: bool) -> str:
    return "read" if read_only else "written"

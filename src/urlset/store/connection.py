"""Open DuckDB connections and store files, and map DuckDB errors to ``StoreError``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

from urlset.arrow.streams import LazyStream
from urlset.errors import StoreError
from urlset.fields import STORE_VERSION as VERSION
from urlset.formats.signatures import file_signature
from urlset.store.duckdb_errors import STORE_CLOSED, is_interrupt, store_error
from urlset.store.inspection import (
    CLOSED,
    columns_of,
    described,
    expect_values,
    has_tables,
    objects_of,
    unknown_objects,
    version_of,
)
from urlset.store.sandbox import seal, transaction
from urlset.store.schema import added_schemas, statements
from urlset.temp_files import LockedTempDir, expect_no_outside_link
from urlset.terminal_text import printable

_SETTINGS = (
    # DuckDB would print a bar in a shell of Python and in `python -c`.
    "SET enable_progress_bar = false",
    "SET GLOBAL TimeZone = 'UTC'",  # lastmod::DATE is a day in UTC on every machine
    "SET GLOBAL python_enable_replacements = false",  # a table name is no Python variable
)
_TEMPORARY = (
    # The file is never opened again: skip checkpoints, which take half of the time.
    "PRAGMA disable_checkpoint_on_shutdown",
    "SET GLOBAL checkpoint_threshold = '1TB'",
    # To compress texts takes longer than to write and read all of them: of a check of 10 million
    # URLs a quarter of the time. Without it, the file has 1.9 GB.
    "SET GLOBAL disabled_compression_methods = 'dict_fsst,fsst,zstd'",
    "SET GLOBAL write_buffer_row_group_count = 1",
)
# Entries only pass through; twice the memory makes it no faster. Note: with 200 MB, a store whose
# row groups are not full (see MAX_ROWS) cannot be closed. One thread reads a stream: with a second
# thread row groups are not filled either, and compacting them takes 2 GB.
_LOW_MEMORY = ("SET GLOBAL memory_limit = '300MB'", "SET GLOBAL threads = 1")


def connect(spill: str | None = None) -> duckdb.DuckDBPyConnection:
    """Return an in-memory DuckDB connection with a low memory limit.

    The folder ``spill`` is for data beyond it; None for the default of DuckDB.
    """
    connection = duckdb.connect(":memory:", config=CLOSED)
    for setting in (*_SETTINGS, *_LOW_MEMORY):
        connection.execute(setting)
    if spill is not None:
        connection.execute(f"SET GLOBAL temp_directory = {literal(spill)}")
    return connection


def attach(
    connection: duckdb.DuckDBPyConnection,
    path: str,
    *,
    read_only: bool,
    with_comments: bool = True,
) -> frozenset[str]:
    """Attach a store file as ``store``; create the file if it is missing.

    Also attach the in-memory database ``results`` for the tables of query results, which a
    read-only store cannot hold. Return the names of the views and macros in the file that urlset
    did not create. Raises StoreError if the file is not a store of this version, or unreadable.
    """
    expect_usable(path, read_only=read_only)
    mode = " (READ_ONLY)" if read_only else ""
    is_new = not (os.path.lexists(path) or os.path.lexists(f"{path}.wal"))
    with map_errors(path):
        # Note: DuckDB gives some relative names another meaning (":memory:", "md:…").
        connection.execute(f"ATTACH {literal(os.path.abspath(path))} AS store{mode}")
        connection.execute("ATTACH ':memory:' AS results")
        is_empty = is_new
        if not is_new and not read_only and not has_tables(connection, "store"):
            is_empty = not objects_of(connection, "store")
        unknown = frozenset[str]() if is_empty else _inspected(connection, "store", path)
        connection.execute("USE store")
        if is_empty:
            _create_tables(connection, with_comments=with_comments)
        return unknown


def attach_read_only(
    connection: duckdb.DuckDBPyConnection, path: str, name: str, *, is_own: bool = False
) -> frozenset[str]:
    """Attach a store file under a name, for reading only, and make it the current database.

    Return the names of the tables and views in it that :func:`urlset.store.schema.added_schemas`
    has. Raises StoreError if the file is not a store of this version, or unreadable. One that
    this run created, of sitemaps alone (``is_own``), is not inspected.
    """
    expect_utf8(path)
    expect_usable(path, read_only=True)
    with map_errors(path):
        connection.execute(f"ATTACH {literal(os.path.abspath(path))} AS {name} (READ_ONLY)")
        if is_own:
            return frozenset()
        _inspected(connection, name, path)
        connection.execute(f"USE {name}")
        names = {table.name for schema in added_schemas() for table in schema.tables}
        return frozenset(names & columns_of(connection, name).keys())


def attach_temporary(
    connection: duckdb.DuckDBPyConnection, path: str | None, *, has_details: bool = False
) -> None:
    """Attach a new temporary store as ``store``, without comments on tables.

    Without a ``path`` it is in memory. ``has_details`` adds the column ``detail`` to ``problems``.
    """
    if path is None:
        connection.execute("ATTACH ':memory:' AS store")
    else:
        connection.execute(f"ATTACH {literal(path)} AS store (RECOVERY_MODE NO_WAL_WRITES)")
        for setting in _TEMPORARY:
            connection.execute(setting)
    connection.execute("USE store")
    _create_tables(connection, with_comments=False)
    if has_details:
        connection.execute("ALTER TABLE problems ADD COLUMN detail VARCHAR")


def expect_own_file(path: str) -> None:
    """Raise :class:`urlset.StoreError` if a file is a link out of its folder, to be safe."""
    for name in (path, f"{path}.wal"):
        try:
            expect_no_outside_link(name)
        except OSError as error:
            raise StoreError(f"cannot write {name!r}: {error.strerror}") from error


def expect_utf8(path: str | os.PathLike[str]) -> None:
    """Raise :class:`urlset.StoreError` for a file whose path is not UTF-8, as DuckDB needs."""
    shown = printable(os.path.abspath(path))
    if shown != os.path.abspath(path):
        raise StoreError(f"expected a path in UTF-8, found {shown!r}; rename it")


def is_database(path: str) -> bool:
    """Return whether a file starts with the signature of DuckDB.

    Note: DuckDB itself would download an extension to open an SQLite file.
    """
    try:
        # Not a pipe or a device, which may never end.
        return os.path.isfile(path) and file_signature(path) == "duckdb"
    except OSError:
        return False


def _inspected(connection: duckdb.DuckDBPyConnection, name: str, path: str) -> frozenset[str]:
    """Validate an attached store before its content is used; raise StoreError if it is invalid.

    Return the names of its views and macros that urlset did not create.
    """
    objects = objects_of(connection, name)
    versions = version_of(connection, name, objects)
    if versions is None:
        raise StoreError(
            f"expected a urlset store, found {described(connection, name, path)}; name another file"
        )
    found_version = versions[0] if versions else None
    if found_version != VERSION:
        older = isinstance(found_version, int) and found_version < VERSION
        advice = "read the sitemaps again into a new file" if older else "update urlset"
        raise StoreError(
            f"expected a store of version {VERSION}, found version {found_version}: {path!r}; "
            f"{advice}"
        )
    unknown = unknown_objects(connection, name, path, objects)
    expect_values(connection, name, path)
    return unknown


def _create_tables(connection: duckdb.DuckDBPyConnection, *, with_comments: bool) -> None:
    with transaction(connection):
        for statement in statements(with_comments=with_comments):
            connection.execute(statement)


@contextmanager
def map_errors(path: str) -> Iterator[None]:
    """Raise errors of DuckDB and Arrow as a :class:`urlset.StoreError` with a one-line message."""
    try:
        with map_interrupts():
            yield
    except duckdb.Error as error:
        raise store_error(error, path) from error
    except Exception as error:
        if type(error) is not Exception:  # arro3 raises bare ones for errors in a stream
            raise
        raise store_error(error, path) from error


def open_cursor(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a cursor of a connection; raise :class:`urlset.StoreError` if that is closed."""
    try:
        return connection.cursor()
    except duckdb.ConnectionException as error:
        raise StoreError(STORE_CLOSED) from error


@contextmanager
def map_interrupts() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` for Ctrl-C during a DuckDB call."""
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
    """Raise an exception that occurred in a stream in place of the resulting DuckDB error."""
    failure: BaseException | None = None
    try:
        with map_interrupts():
            yield
    except (duckdb.Error, KeyboardInterrupt):
        if isinstance(stream, LazyStream):
            failure, stream.failure = stream.failure, None
        if failure is None:
            raise
    # Note: not within `except`. The DuckDB error would stay alive with its connection and be
    # printed to stderr at exit.
    if failure is not None:
        try:
            raise failure
        finally:
            del failure


@contextmanager
def incoming(connection: duckdb.DuckDBPyConnection, rows: Any) -> Iterator[None]:
    """Let statements in a ``with`` block read an Arrow object as ``incoming``."""
    connection.register("incoming", rows)
    try:
        with reraise_stream_error(rows):
            yield
    finally:
        with suppress(duckdb.Error):  # the transaction may be over
            connection.unregister("incoming")


def run_in_thread(cursor: duckdb.DuckDBPyConnection, statement: str, values: Any = None) -> None:
    """Run a statement in a thread, because DuckDB ignores Ctrl-C while its threads work."""
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(cursor.execute, statement, values)
        try:
            job.result()
        except KeyboardInterrupt:
            cursor.interrupt()
            raise


def literal(text: str) -> str:
    """Return text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def expect_usable(path: str, *, read_only: bool) -> None:
    """Raise :class:`urlset.StoreError` for a file that is no store, or without permission."""
    expect_accessible(path, read_only=read_only)
    if not os.path.exists(path):
        if read_only:
            raise StoreError(f"expected a store, found nothing at {path!r}; check the path")
        return
    if not is_database(path):
        raise StoreError(
            f"expected a store (a DuckDB file), found another kind of file: {path!r}; "
            f"name another one{'' if read_only else ', or remove it'}",
            failure="other-file",
        )


def expect_accessible(path: str, *, read_only: bool, noun: str = "a store") -> None:
    """Raise :class:`urlset.StoreError` for a folder, or a file without permission.

    A missing file must have a folder in which it can be created, unless it is only read.
    """
    if os.path.isdir(path):
        raise StoreError(f"expected {noun}, found a folder: {path!r}; name a file in it")
    if not read_only:
        expect_own_file(path)
    if not os.path.exists(path):
        if not read_only:
            expect_folder(path)
        return
    if not os.access(path, os.R_OK if read_only else os.R_OK | os.W_OK):
        described = noun.replace("a ", f"a {_access(read_only)} ", 1)
        raise StoreError(f"expected {described}, found {path!r}; check its permissions")


def expect_folder(path: str) -> None:
    """Raise :class:`urlset.StoreError` if a file cannot be created because of its folder."""
    folder = os.path.dirname(path) or "."
    if os.path.isfile(folder):
        raise StoreError(
            f"cannot write {path!r}: its folder {folder!r} is a file; name another one"
        )
    if not os.path.isdir(folder):
        raise StoreError(f"cannot write {path!r}: its folder {folder!r} does not exist; create it")
    if not os.access(folder, os.W_OK):
        raise StoreError(
            f"cannot write {path!r}: its folder {folder!r} is not writable; check its permissions, "
            "or name another file"
        )


def _access(read_only: bool) -> str:
    return "readable" if read_only else "writable"


class Database:
    """Database of a store; without a ``path`` it is temporary and deleted on close.

    A temporary database opens in a background thread; the first access to ``connection`` waits
    for it.

    Attributes:
        path: Path of the file.
        is_temporary: Whether it is deleted when it is closed.
        is_new: Whether nothing was written yet, so that there is nothing to search or replace.
        has_details: Whether problems are stored with their details.
        is_sealed: Whether :meth:`seal` was called.
        hidden: Names of views and macros in the file that urlset did not create.
    """

    def __init__(
        self,
        path: str | None,
        *,
        read_only: bool = False,
        is_copy: bool = False,
        has_details: bool = False,
        with_comments: bool = True,
    ):
        if path is not None:
            expect_utf8(path)
        # Not in the folder of a read-only store: it may be read-only, too.
        self._folder = LockedTempDir() if path is None or read_only or is_copy else None
        inside = self._folder.path if self._folder else ""
        self.path: str = path or os.path.join(inside, "store.duckdb")
        self.is_temporary: bool = path is None
        self.is_new: bool = path is None
        self.has_details: bool = has_details and path is None
        self.is_sealed: bool = False
        self.hidden: frozenset[str] = frozenset()
        spill = os.path.join(inside, "spill") if inside else f"{self.path}.tmp"
        self._spill = spill
        if path is None:
            self._future = _open_in_background(spill, self.has_details)
            return
        self._future = Future()
        with map_interrupts():
            self._future.set_result(connect(spill))
        try:
            copy = os.path.join(inside, "store.duckdb")
            # Note: self.path stays that of the original, which errors name.
            opened = copy_database(path, copy) if is_copy else path
            self.hidden = attach(
                self.connection, opened, read_only=read_only, with_comments=with_comments
            )
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The connection, for one thread at a time; other threads use cursors of it."""
        return self._future.result()

    def move_to_file(self) -> None:
        """Move an empty temporary store from memory to a file, before much data is added."""
        if self.is_new and not self.is_sealed:
            with map_errors(self.path):
                self.connection.execute("USE results")
                self.connection.execute("DETACH store")
                attach_temporary(self.connection, self.path, has_details=self.has_details)

    def seal(self) -> None:
        """Permanently restrict the connection to its tables, before untrusted SQL is run.

        No file can be attached afterwards, so a temporary store is moved to its file first.
        A query may use every core and four fifths of the memory, the defaults of DuckDB.
        """
        if self.is_sealed:
            return
        self.move_to_file()
        with map_errors(self.path):
            self.connection.execute("RESET GLOBAL memory_limit")
            self.connection.execute("RESET GLOBAL threads")
            seal(self.connection, spill=self._spill)
        self.is_sealed = True

    def close(self) -> None:
        """Close the database and delete temporary files; does nothing the second time."""
        with suppress(duckdb.Error):
            self.connection.close()
        if self._folder is not None:
            self._folder.close()


def copy_database(path: str, copy: str) -> str:
    """Copy the file of a database, and its log, if they exist; return the path of the copy.

    The log holds what a killed process has committed. Raises StoreError if it cannot be copied.
    """
    try:
        for ending in ("", ".wal"):
            if os.path.exists(path + ending):
                shutil.copyfile(path + ending, copy + ending)
    except OSError as error:  # the disk is full, or it is a folder
        folder = os.path.dirname(copy)
        raise StoreError(f"cannot copy {path!r} to {folder!r}: {error.strerror}") from error
    return copy


def _open_in_background(spill: str, has_details: bool) -> Future[duckdb.DuckDBPyConnection]:
    """Open an in-memory store in a thread, as that takes 50 ms: the time to read 50,000 URLs."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="urlset-store")
    try:
        return pool.submit(_open, spill, has_details)
    finally:
        pool.shutdown(wait=False)


def _open(spill: str, has_details: bool) -> duckdb.DuckDBPyConnection:
    connection = connect(spill)
    connection.execute("ATTACH ':memory:' AS results")
    attach_temporary(connection, None, has_details=has_details)
    return connection

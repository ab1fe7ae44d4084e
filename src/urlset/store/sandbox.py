"""Limits for SQL of users and of configuration files: no files, no network, bounded resources."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import duckdb

from urlset.errors import QueryError

__all__ = ["QUERY_S", "RULE_S", "TimeLimit", "end_process_when_stuck", "read_only", "seal"]

RULE_S = 60.0
"""Default time limit in seconds for each rule of a configuration file."""

QUERY_S = 600.0
"""Default time limit in seconds for a query of the command line."""

_GRACE_S = 20.0
_POLL_S = 0.25
_MAX_GROWTH = 4 << 30  # bytes of memory beyond those at the start of a statement
_SHARE_OF_DISK = 0.5
_MAX_SPILL = 100 << 30

_SETTINGS = (
    "SET GLOBAL autoinstall_known_extensions = false",
    "SET GLOBAL autoload_known_extensions = false",
    "SET GLOBAL allow_community_extensions = false",
    "SET GLOBAL allow_unsigned_extensions = false",
    "SET GLOBAL allow_persistent_secrets = false",
    "SET GLOBAL enable_external_access = false",
    # Last: from here on no setting can be changed until the database instance is closed.
    "SET GLOBAL lock_configuration = true",
)
_process = {"ends_when_stuck": False}


def seal(
    connection: duckdb.DuckDBPyConnection, *, spill: str | None = None, files: Sequence[str] = ()
) -> None:
    """Permanently block file system, network, extensions and settings for a database instance.

    Attached files stay readable and writable.

    Args:
        connection: The connection.
        spill: Folder for data beyond the memory limit; it may use half of the free disk space.
        files: Paths that stay readable.
    """
    if spill is not None:
        limit = _spill_limit(spill)
        connection.execute(f"SET GLOBAL max_temp_directory_size = '{limit}B'")
    if files:
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in files)
        connection.execute(f"SET GLOBAL allowed_paths = [{names}]")
    for setting in _SETTINGS:
        connection.execute(setting)


@contextmanager
def read_only(cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Run statements in a transaction that may write to temporary tables only."""
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):  # the original error is more useful
            cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")


class TimeLimit:
    """Interrupt statements that together run longer than a number of seconds; None for no limit.

    >>> limit = TimeLimit(0.05)
    >>> connection = duckdb.connect()
    >>> with limit.applied_to(connection):
    ...     connection.execute("SELECT count(*) FROM range(1000000000000) t(n) WHERE n % 7 = 8")
    Traceback (most recent call last):
    urlset.errors.QueryError: the query was ended: it ran longer than 0.05 seconds
    """

    def __init__(self, seconds: float | None):
        self._seconds = seconds
        self._used = 0.0
        self._reason = ""

    @contextmanager
    def applied_to(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Count the time of the block against the limit.

        Raises:
            QueryError: A statement was interrupted.
        """
        if self._seconds is None:
            yield
            return
        done = threading.Event()
        began = time.monotonic()
        left = max(0.0, self._seconds - self._used)
        watch = threading.Thread(target=self._watch, args=(cursor, left, done), daemon=True)
        watch.start()
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            if self._reason:
                raise QueryError(f"the query was ended: {self._reason}") from error
            raise
        finally:
            done.set()
            watch.join()
            self._used += time.monotonic() - began

    def _watch(
        self, cursor: duckdb.DuckDBPyConnection, seconds: float, done: threading.Event
    ) -> None:
        """Interrupt at the time limit; DuckDB checks for interrupts between chunks of rows only."""
        memory = _resident_bytes()
        end = time.monotonic() + seconds
        while not done.wait(min(_POLL_S, max(0.0, end - time.monotonic()))):
            grown = _resident_bytes() - memory
            if grown > _MAX_GROWTH and _process["ends_when_stuck"]:
                _end_process(f"it took {grown >> 20:,} MB of memory")
            if time.monotonic() >= end:
                break
        while not done.is_set():
            self._reason = f"it ran longer than {self._seconds:g} seconds"
            with suppress(duckdb.Error):
                cursor.interrupt()
            if _process["ends_when_stuck"] and time.monotonic() > end + _GRACE_S:
                _end_process(self._reason)
            done.wait(_POLL_S)


def end_process_when_stuck() -> None:
    """End the process with exit code 2 when a statement does not react to its interruption.

    The command line uses this: some functions of DuckDB cannot be interrupted, and planning a
    statement takes memory that no setting limits.
    """
    _process["ends_when_stuck"] = True


def _end_process(reason: str) -> None:
    sys.stderr.write(f"urlset: a query could not be interrupted: {reason}\n")
    sys.stderr.flush()
    os._exit(2)  # temporary folders of this process are removed by the next one


def _spill_limit(folder: str) -> int:
    place = folder
    while not os.path.isdir(place):
        place = os.path.dirname(place) or os.curdir
    free = shutil.disk_usage(place).free
    return min(int(free * _SHARE_OF_DISK), _MAX_SPILL)


def _resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not report it."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0

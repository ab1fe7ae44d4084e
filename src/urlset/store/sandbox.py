"""Verify SQL of users and configuration files before it runs, and run it within limits.

DuckDB's own parser verifies a statement. Only one that selects is accepted, and of functions only
those that neither read files nor change anything. The limits are the second line of defence: no
files, no network, bounded resources. An accepted statement reaches nothing but the tables.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

from urlset.errors import QueryError
from urlset.store.duckdb_errors import query_error

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

    Attached files stay readable and writable, ``files`` readable. Data beyond the memory limit in
    the folder ``spill`` may use half of the free disk space.
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
def transaction(cursor: duckdb.DuckDBPyConnection, *, is_read_only: bool = False) -> Iterator[None]:
    """Run a ``with`` block in a transaction; a read-only one may write to temporary tables."""
    cursor.execute("BEGIN TRANSACTION READ ONLY" if is_read_only else "BEGIN")
    try:
        yield
        cursor.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):  # the original error is more useful
            cursor.execute("ROLLBACK")
        raise


class TimeLimitError(QueryError):
    """A query ran longer than its limit."""


class TimeLimit:
    """Time limit that interrupts statements which together run too long; None for no limit.

    >>> limit = TimeLimit(0.05)
    >>> connection = duckdb.connect()
    >>> with limit.applied_to(connection):
    ...     connection.execute("SELECT count(*) FROM range(1000000000000) t(n) WHERE n % 7 = 8")
    Traceback (most recent call last):
    urlset.store.sandbox.TimeLimitError: the query was ended: it ran longer than 0.05 seconds
    """

    def __init__(self, seconds: float | None):
        self._seconds = seconds
        self._used = 0.0
        self._reason = ""

    @contextmanager
    def applied_to(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Count the time of a ``with`` block against the limit; raise QueryError beyond it."""
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
                raise TimeLimitError(f"the query was ended: {self._reason}") from error
            raise
        finally:
            done.set()
            watch.join()
            self._used += time.monotonic() - began
        # Several short statements end before each interruption.
        if self._used > self._seconds:
            raise TimeLimitError(f"the query was ended: {self._exceeded()}")

    def _watch(
        self, cursor: duckdb.DuckDBPyConnection, seconds: float, done: threading.Event
    ) -> None:
        """Interrupt a cursor at the time limit; DuckDB reacts only between chunks of rows."""
        memory = _resident_bytes()
        end = time.monotonic() + seconds
        while not done.wait(min(_POLL_S, max(0.0, end - time.monotonic()))):
            grown = _resident_bytes() - memory
            if grown > _MAX_GROWTH and _process["ends_when_stuck"]:
                _end_process(f"it took {grown >> 20:,} MB of memory")
            if time.monotonic() >= end:
                break
        while not done.is_set():
            self._reason = self._exceeded()
            with suppress(duckdb.Error):
                cursor.interrupt()
            if _process["ends_when_stuck"] and time.monotonic() > end + _GRACE_S:
                _end_process(self._reason)
            done.wait(_POLL_S)

    def _exceeded(self) -> str:
        return f"it ran longer than {self._seconds:g} seconds"


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


MAX_CHARACTERS = 50_000
"""Length of a statement; parsing a hostile one of 100,000 characters takes five seconds."""

TABLE_FUNCTIONS = frozenset(
    (
        "duckdb_columns duckdb_constraints duckdb_functions duckdb_keywords duckdb_schemas "
        "duckdb_tables duckdb_types duckdb_views generate_series generate_subscripts histogram "
        "histogram_values json_each json_tree pragma_table_info range regexp_split_to_table "
        "repeat repeat_row summary unnest"
    ).split()
)
"""Table functions that are allowed after FROM; all others are rejected."""

_FUNCTIONS = frozenset(
    (
        "arrow_scan currval current_setting duckdb_secrets getenv getvariable glob "
        "json_execute_serialized_sql json_serialize_plan nextval pg_sleep query query_table "
        "read_blob read_text setseed setval sleep_ms sql_auto_complete write_log"
    ).split()
)
"""Scalar functions that read the environment, plan or run SQL, wait, or change something."""

_NODES = frozenset(("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"))
_TABLES = frozenset(
    ("BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "PIVOT", "SHOW_REF", "SUBQUERY")
)
_PLACES = ("from_table", "left", "right", "source")  # keys of table references
_CONDITION = frozenset(("type", "cte_map", "select_list", "from_table", "aggregate_handling"))
_SYSTEM_VIEWS = frozenset(
    """duckdb_connections duckdb_databases duckdb_extensions duckdb_log_contexts duckdb_logs
    duckdb_memory duckdb_secrets duckdb_settings duckdb_temporary_files duckdb_variables
    pg_database pg_settings pg_tablespace pragma_database_list""".split()
)
_FILE = re.compile(r"[./\\:*?\[\]]")
_SERIALIZE = (
    "SELECT json_serialize_sql(?::VARCHAR, skip_default := true, skip_empty := true, "
    "skip_null := true)"
)


class _StatementError(QueryError):
    """Error for a text that is not exactly one SELECT statement."""


def select_of(
    connection: duckdb.DuckDBPyConnection,
    text: str,
    *,
    hidden: Collection[str] = (),
    has_own_names: bool = False,
) -> str:
    """Verify that a text is one SELECT statement; return it without a trailing semicolon.

    ``hidden`` are names, in lower case, of views and macros that may not be used. With
    ``has_own_names``, names of tables may look like names of files.

    Raises QueryError if the text is anything else, or uses functions that are not allowed.
    """
    statement, tree = _parsed(connection, text)
    _check(tree, hidden, has_own_names=has_own_names)
    return statement


def condition_of(connection: duckdb.DuckDBPyConnection, text: str) -> str:
    """Verify a condition of a configuration file; return it in parentheses, for use after WHERE.

    Raises QueryError if it is not one expression, e.g. because it closes the parenthesis.
    """
    if not text.strip():
        raise QueryError("expected one condition such as host = 'example.com', found nothing")
    condition = f"(\n{text}\n)"
    try:
        _, tree = _parsed(connection, f"SELECT {condition}")
    except _StatementError as error:
        raise QueryError(f"expected one condition, found several statements: {text!r}") from error
    node = tree["node"]
    is_one = set(node) <= _CONDITION and len(node.get("select_list", ())) == 1
    if not is_one or node.get("cte_map") or node.get("from_table", {}).get("type") != "EMPTY":
        raise QueryError(
            f"expected one condition such as host = 'example.com', found {text!r}; "
            "write a whole query as sql"
        )
    _check(tree, (), has_own_names=False)
    return condition


def _parsed(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, dict[str, Any]]:
    """Parse a text that must be one SELECT statement; return it and its syntax tree."""
    if len(text) > MAX_CHARACTERS:
        raise QueryError(
            f"expected a query of at most {MAX_CHARACTERS:,} characters, found {len(text):,}"
        )
    if "\0" in text:
        raise QueryError("expected a query as text, found a NUL character in it")
    try:
        text.encode()
    except UnicodeEncodeError as error:  # an argument of the command line in another encoding
        raise QueryError("expected a query in UTF-8, found other bytes in it") from error
    cursor = connection.cursor()
    try:
        statements = cursor.extract_statements(text)
        kinds = [statement.type.name for statement in statements]
        if kinds != ["SELECT"]:
            found = f"found {', '.join(kinds)}" if kinds else "found nothing"
            raise _StatementError(f"expected one query (SELECT … or FROM …), {found}")
        statement = f"{statements[0].query.rstrip().rstrip(';')}\n"
        (answer,) = cursor.execute(_SERIALIZE, [statement]).fetchone() or ("",)
        tree = json.loads(answer)
    except duckdb.Error as error:
        raise query_error(error) from error
    except RecursionError as error:
        raise QueryError("expected a query, found one that is nested too deeply") from error
    finally:
        cursor.close()
    if tree.get("error") or len(tree.get("statements", ())) != 1:
        words = tree.get("error_message", "it is not a SELECT")
        raise _StatementError(
            f"expected one query (SELECT … or FROM …) that can be verified: {words}"
        )
    return statement, tree["statements"][0]


def _check(tree: dict[str, Any], hidden: Collection[str], *, has_own_names: bool) -> None:
    for key, node in _nodes(tree):
        kind = str(node.get("type", ""))
        is_expression = "class" in node
        if not is_expression and kind.endswith("_NODE") and kind not in _NODES:
            raise QueryError(
                f"expected a query that only reads, found {kind.partition('_')[0]} inside it"
            )
        if "function_name" in node:
            _check_function(str(node["function_name"]).lower(), hidden, is_table=key == "function")
        elif not is_expression and key in _PLACES and isinstance(node.get("type"), str):
            if kind == "TABLE_FUNCTION":
                continue  # its function is a node of its own
            if kind not in _TABLES | _NODES:
                raise QueryError(f"expected tables after FROM, found {kind}")
            name = str(node.get("table_name", ""))
            if kind == "BASE_TABLE" and not has_own_names and _FILE.search(name):
                raise QueryError(
                    f"expected a table, found {name!r}: a query can read tables, but not files"
                )
            if name.lower() in hidden:
                raise _hidden("view", name)
            if kind == "BASE_TABLE" and _is_system_view(name.lower(), has_own_names=has_own_names):
                raise QueryError(
                    f"expected a table of the query, found {name!r}: "
                    "a query can read neither settings nor paths"
                )


def _is_system_view(name: str, *, has_own_names: bool) -> bool:
    """Return whether a name is that of a view of DuckDB that may tell settings or paths."""
    if has_own_names:  # a file may have a table with any other name
        return name in _SYSTEM_VIEWS
    return name.startswith(("duckdb_", "pg_", "pragma_")) and name not in TABLE_FUNCTIONS


def _check_function(name: str, hidden: Collection[str], *, is_table: bool) -> None:
    if name in hidden:
        raise _hidden("function", name)
    if name in _FUNCTIONS or (is_table and name not in TABLE_FUNCTIONS):
        raise QueryError(
            f"the function {name} is not allowed in a query: it may read files or settings, or "
            "change something; docs/security.md lists what a query can do"
        )


def _hidden(kind: str, name: str) -> QueryError:
    return QueryError(
        f"the {kind} {name!r} of this file was not created by urlset, and is not used; "
        "write its definition into the query"
    )


def _nodes(tree: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all objects of a syntax tree, each with its key."""
    waiting: list[tuple[str, Any]] = [("", tree)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            yield key, value
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((key, item) for item in value)

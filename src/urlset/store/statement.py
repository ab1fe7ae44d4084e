"""Verify SQL of users and of configuration files with DuckDB's own parser, before it is run.

Only one statement that selects is accepted, and of functions only those that neither read files
nor change anything. :mod:`urlset.store.sandbox` holds the second line of defence: an accepted
statement runs where nothing but the tables can be reached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

import duckdb

from urlset.errors import QueryError
from urlset.store.duckdb_errors import query_error

__all__ = ["MAX_CHARACTERS", "TABLE_FUNCTIONS", "condition_of", "select_of"]

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
        "json_execute_serialized_sql nextval pg_sleep query query_table read_blob read_text "
        "setseed setval sleep_ms sql_auto_complete write_log"
    ).split()
)
"""Scalar functions that read the environment, wait, or change something."""

_NODES = frozenset(("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"))
_TABLES = frozenset(
    ("BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "PIVOT", "SHOW_REF", "SUBQUERY")
)
_PLACES = ("from_table", "left", "right", "source")  # keys of table references
_CONDITION = frozenset(("type", "cte_map", "select_list", "from_table", "aggregate_handling"))
_FILE = re.compile(r"[./\\:*?\[\]]")
_SERIALIZE = (
    "SELECT json_serialize_sql(?::VARCHAR, skip_default := true, skip_empty := true, "
    "skip_null := true)"
)


class _StatementError(QueryError):
    """A text is not one statement that selects."""


def select_of(
    connection: duckdb.DuckDBPyConnection,
    text: str,
    *,
    hidden: Collection[str] = (),
    has_own_names: bool = False,
) -> str:
    """Return the one SELECT statement of a text, without a trailing semicolon.

    Args:
        connection: Connection that parses the text.
        text: The text.
        hidden: Names, in lower case, of views and macros that may not be used.
        has_own_names: Whether table names may look like file names.

    Raises:
        QueryError: The text is anything else, or uses functions that are not allowed.
    """
    statement, tree = _parsed(connection, text)
    _check(tree, hidden, has_own_names=has_own_names)
    return statement


def condition_of(
    connection: duckdb.DuckDBPyConnection, text: str, *, hidden: Collection[str] = ()
) -> str:
    """Return a condition of a configuration file in parentheses, as it can follow WHERE.

    Raises:
        QueryError: The text is not one expression, e.g. because it closes the parenthesis.
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
    _check(tree, hidden, has_own_names=False)
    return condition


def _parsed(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, dict[str, Any]]:
    """Return the text and the syntax tree of the one SELECT statement of a text."""
    if len(text) > MAX_CHARACTERS:
        raise QueryError(
            f"expected a query of at most {MAX_CHARACTERS:,} characters, found {len(text):,}"
        )
    if "\0" in text:
        raise QueryError("expected a query as text, found a NUL character in it")
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

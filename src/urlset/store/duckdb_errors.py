"""Classify DuckDB errors by their messages and map them to own exceptions.

DuckDB exceptions carry no codes. This is the only module that reads their messages.
"""

from __future__ import annotations

import re

import duckdb

from urlset.errors import QueryError, StoreError

STORE_CLOSED = "expected an open store or result, found a closed one; read it before it is closed"
"""Message for a store, or for a result with temporary tables, that is used after ``close()``."""

_DAMAGED = re.compile(r"Could not read enough bytes|checksum|[Cc]orrupt|Serialization Error")
_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_HOLDER = re.compile(r"PID (\d+)")
# Errors of Python pass through Arrow and DuckDB, which write their names before the message.
_WRAPPERS = re.compile(
    r"\A(?>(?:C Data interface error|External error|Exception|RuntimeError|ValueError): )*"
)
# Line number and reason, each on a line of its own.
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_REASON = re.compile(
    r"^(?:Value with|Expected Number|Maximum line|Invalid unicode|.*not utf-8).*", re.M
)
_JSON_LINE = re.compile(
    r"(Malformed JSON|JSON transform error) in file .{0,4096}?(?:in line (\d+)): (.*)",
    re.IGNORECASE,
)


def is_interrupt(error: Exception) -> bool:
    """Return whether Ctrl-C interrupted DuckDB, which reports it as a ``RuntimeError``."""
    return "interrupted" in str(error).lower()


def is_locked(error: Exception) -> bool:
    """Return whether an error means that another process, or other settings, lock a file."""
    line = file_reason(error)
    return "Could not set lock" in line or "different configuration" in line


def is_closed(error: Exception) -> bool:
    """Return whether an error means that the connection was closed."""
    return isinstance(error, duckdb.ConnectionException) and " closed" in str(error)


def reads_other_file(error: Exception) -> bool:
    """Return whether an error means that a view reads a file that is not permitted."""
    return "operations are disabled" in file_reason(error)


def first_line(error: Exception) -> str:
    """Return the first line of an error message, without the error type."""
    line = " ".join(str(error).partition("\n")[0].split())
    text = _WRAPPERS.sub("", line)
    return text if text != line else line.partition(": ")[2] or line


def file_reason(error: Exception) -> str:
    """Return in one line where and why a file cannot be read."""
    text = str(error)
    if found := _LINE.search(text):
        reason = _REASON.search(text)
        return f"line {found[1]}: {reason[0] if reason else 'it cannot be read'}"
    if found := _JSON_LINE.search(text):
        # DuckDB 2.0 counts one line too many in malformed JSON.
        line = int(found[2]) - (found[1] == "Malformed JSON")
        return f"line {line:,}: {found[3].strip()}"
    text = _WRAPPERS.sub("", text).strip().partition("\n")[0]
    kind, _, words = text.partition(": ")
    return " ".join((words if kind.endswith("Error") else text).split()) or type(error).__name__


def store_error(error: Exception, path: str) -> StoreError:
    """Return the :class:`urlset.StoreError` for a file that DuckDB cannot open or use."""
    words = str(error)
    if is_closed(error):
        return StoreError(STORE_CLOSED)
    if "Could not set lock on file" in words:
        holder = _HOLDER.search(words)
        who = f" (number {holder[1]})" if holder else ""
        return StoreError(
            f"expected a store that no other process has open, found {path!r} in use by another "
            f"process{who}; wait until it ends, or name another file",
            failure="in-use",
        )
    if "file handle conflict" in words:
        return StoreError(
            f"expected a store that is not open yet, found {path!r} open in this process; "
            "close it first",
            failure="in-use",
        )
    detail = first_line(error)
    if _DAMAGED.search(words):
        detail += "; the file is damaged: restore it, or remove it"
        return StoreError(
            f"cannot use the store {path!r}: {detail}", failure="damaged", detail=detail
        )
    if _FULL.search(words):
        detail += "; free space, and run the same command again"
    return StoreError(f"cannot use the store {path!r}: {detail}", detail=detail)


_MISSING_TABLE = re.compile(r"Table with name (\w{1,100}) does not exist")
_SUGGESTED = re.compile(r'Did you mean "[^"]{0,200}"\??')
_OTHER_NAMES = frozenset("urls url locs loc rows entry links locations pages_listed urlset".split())
"""Names under which users look for the table ``entries``."""


def query_error(error: duckdb.Error) -> QueryError:
    """Return the :class:`urlset.QueryError` for a DuckDB error, in one line with its hint."""
    message, _, place = str(error).partition("\n\nLINE ")
    kind, _, words = message.partition(": ")
    lines = [line.strip() for line in (words or kind).splitlines() if line.strip()]
    text = " · ".join(lines[:3])
    shown = place.partition("\n")[0].partition(": ")[2].strip()
    if shown:
        text += f" · in: {shown}"
    if (missing := _MISSING_TABLE.search(text)) and missing[1].lower() in _OTHER_NAMES:
        text = _SUGGESTED.sub('Did you mean "entries"?', text)
    if "does not exist" in text or "not found in FROM" in text:
        text += " · `SHOW TABLES` and `DESCRIBE entries` list the tables and their columns"
    return QueryError(f"the query cannot be answered: {text}")

"""What went wrong in DuckDB, told from its messages: its exceptions carry no codes.

This is the only module that looks into these messages.
"""

from __future__ import annotations

import re

import duckdb

from urlset.errors import QueryError, StoreError

__all__ = [
    "file_reason",
    "first_line",
    "is_interrupt",
    "is_locked",
    "query_error",
    "reads_elsewhere",
    "store_error",
]

_DAMAGED = re.compile(r"Could not read enough bytes|checksum|[Cc]orrupt|Serialization Error")
_HOLDER = re.compile(r"PID (\d+)")
# Where in a file of text it is, and why, each on a line of its own.
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_REASON = re.compile(
    r"^(?:Value with|Expected Number|Maximum line|Invalid unicode|.*not utf-8).*", re.M
)
_JSON_LINE = re.compile(
    r"(Malformed JSON|JSON transform error) in file .*?(?:in line (\d+)): (.*)", re.IGNORECASE
)


def is_interrupt(error: Exception) -> bool:
    """Tell whether DuckDB was interrupted by Ctrl-C, which it reports as a ``RuntimeError``."""
    return "interrupted" in str(error).lower()


def is_locked(error: Exception) -> bool:
    """Tell whether a file is open elsewhere: in another process, or with other settings."""
    line = file_reason(error)
    return "Could not set lock" in line or "different configuration" in line


def reads_elsewhere(error: Exception) -> bool:
    """Tell whether a view reads another file than the one that may be read."""
    return "operations are disabled" in file_reason(error)


def first_line(error: Exception) -> str:
    """Return the first line of a message without the kind of the error."""
    kind, _, words = " ".join(str(error).partition("\n")[0].split()).partition(": ")
    return words or kind


def file_reason(error: Exception) -> str:
    """Return one line about a file that cannot be read: where in it, and what is wrong there."""
    text = str(error)
    if found := _LINE.search(text):
        reason = _REASON.search(text)
        return f"line {found[1]}: {reason[0] if reason else 'it cannot be read'}"
    if found := _JSON_LINE.search(text):
        # DuckDB 2.0 counts one line too many in what is no JSON.
        line = int(found[2]) - (found[1] == "Malformed JSON")
        return f"line {line:,}: {found[3].strip()}"
    text = text.removeprefix("C Data interface error: ").strip().partition("\n")[0]
    kind, _, words = text.partition(": ")
    return " ".join((words if kind.endswith("Error") else text).split()) or type(error).__name__


def store_error(error: Exception, path: str) -> StoreError:
    """Return the error for a file that DuckDB cannot open or use, in one line."""
    words = str(error)
    if "Could not set lock on file" in words:
        holder = _HOLDER.search(words)
        who = f" (number {holder[1]})" if holder else ""
        return StoreError(
            f"expected a store that nobody else has open, found {path!r} in use by another "
            f"process{who}; wait until that ends, or name another file",
            failure="in-use",
        )
    if "file handle conflict" in words:
        return StoreError(
            f"expected a store that is not open yet, found {path!r} open in this process; "
            "close that one first",
            failure="in-use",
        )
    detail = first_line(error)
    if _DAMAGED.search(words):
        detail += "; the file is damaged: restore it, or remove it"
        return StoreError(
            f"cannot use the store {path!r}: {detail}", failure="damaged", detail=detail
        )
    return StoreError(f"cannot use the store {path!r}: {detail}", detail=detail)


def query_error(error: duckdb.Error) -> QueryError:
    """Return one line of what DuckDB reports in several: the fault, and the suggestion."""
    message, _, place = str(error).partition("\n\nLINE ")
    kind, _, words = message.partition(": ")
    lines = [line.strip() for line in (words or kind).splitlines() if line.strip()]
    text = " · ".join(lines[:3])
    shown = place.partition("\n")[0].partition(": ")[2].strip()
    if shown:
        text += f" · in: {shown}"
    if "does not exist" in text or "not found in FROM" in text:
        text += " · `SHOW TABLES` and `DESCRIBE entries` list the tables and their columns"
    return QueryError(f"the query cannot be answered: {text}")

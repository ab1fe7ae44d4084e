"""Which dates are believed: none of the future, and none that is the zero of some clock."""

from __future__ import annotations

from datetime import timedelta

from urlset.builder.options import BuildOptions
from urlset.dates import format_date
from urlset.store import quoted

__all__ = ["EARLIEST", "is_future", "is_plausible"]

EARLIEST = "1995-01-02"
"""Dates before this one are the default value of some system; a day is left for time zones."""


def is_plausible(column: str, settings: BuildOptions) -> str:
    """Return an expression of SQL: whether a date has a day, and may be true."""
    return (
        f"({column} >= {quoted(EARLIEST)} AND strlen({column}) >= 10 "
        f"AND NOT {is_future(column, settings)})"
    )


def is_future(column: str, settings: BuildOptions) -> str:
    """Return an expression of SQL: whether a date is more than a day ahead."""
    latest = format_date(settings.now + timedelta(days=1))
    near = quoted(format_date(settings.now - timedelta(days=1)))  # most are before it
    return (
        f"({column} >= {near} AND coalesce(try_cast({column} AS TIMESTAMPTZ) > "
        f"TIMESTAMPTZ {quoted(latest)}, {column} >= {quoted(latest)}))"
    )

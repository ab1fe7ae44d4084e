"""Render results as small HTML tables for notebooks (``_repr_html_``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

MAX_ROWS = 10
"""Rows that a table shows; the caption has the counts."""

_MAX_TEXT = 120


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table of the first :data:`MAX_ROWS` rows, or the caption alone without rows.

    Values are escaped and cut to 120 characters; None becomes an empty cell.

    >>> html_table("1 entry", ["loc"], [["https://example.com/?a&b"]])
    '<table><caption>1 entry</caption><thead><tr><th>loc</th></tr></thead>\
<tbody><tr><td>https://example.com/?a&amp;b</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row)}</tr>"
        for row in islice(rows, MAX_ROWS)
    )
    if not body:
        return f"<p>{escape(caption)}</p>"
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return escape(text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…")

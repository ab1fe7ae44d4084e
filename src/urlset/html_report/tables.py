"""Tables and lists of the report: first rows as HTML, all rows compressed for the script."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from html import escape

from urlset.html_report.model import Example, ExampleLog, Link
from urlset.html_report.text import breakable, link, safe, untrusted

MAX_DATA_BYTES = 1_500_000
"""Maximum size of the compressed examples in the page, as base64."""

MAX_VALUE = 1_000
"""Characters of a value in the examples; longer ones are cut in the middle."""

_NUMBER = re.compile(r"(?:over |under )?[0-9.,]+[\s\u202f](?:%|ms|s)")

_COLUMNS = ("url", "finding", "place", "basis")


def number_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, key: str | None = None
) -> str:
    """Format rows as an HTML table; numbers have thousands separators, aligned to the right.

    With ``key``, its name for the script, the table can be sorted and searched.
    """
    values = zip(*rows, strict=True) if rows else ([None] for _ in columns)
    first = (next((value for value in column if value is not None), None) for column in values)
    head = "".join(
        f'<th scope="col"{_role(value)}>{escape(column)}</th>'
        for column, value in zip(columns, first, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return _table(f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>", key, "Numbers")


def example_table(code: str, examples: Sequence[Example], limit: int, total: int) -> str:
    """Return a table with the first examples of a rule, and the number of all of them."""
    with_place = any(example.place and example.place != example.url for example in examples)
    with_basis = any(example.basis for example in examples)
    columns = ["URL", "finding", *["where"] * with_place, *["basis"] * with_basis]
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    lines = []
    for example in examples[:limit]:
        cells = [
            f'<td class="url">{link(example.url)}</td>',
            f'<td class="finding">{breakable(example.message)}</td>',
        ]
        if with_place:
            cells.append(f'<td class="place">{breakable(example.place, 80)}</td>')
        if with_basis:
            cells.append(f'<td class="short">{escape(example.basis)}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    shown = min(limit, len(examples))
    more = ""
    if total > shown:
        more = f'<p class="more" data-total="{total}">{shown:,} of {total:,} shown.</p>'
    if not shown:
        return more
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return _table(body, code, f"Examples of {code}") + more


def packed_data(log: ExampleLog, shown: int) -> tuple[str, int]:
    """Encode examples and URLs for the script: columns by rule as JSON, in gzip and base64.

    Rules that are in the HTML completely are omitted, and so is the column ``all`` of URLs if those
    of the examples are all. If the result exceeds :data:`MAX_DATA_BYTES`, fewer are kept.

    Args:
        log: The findings.
        shown: Number of examples of each rule in the HTML.

    Returns:
        The text, and the number of examples of each rule that were kept at most.
    """
    examples = log.examples
    columns = {code: _columns(rows) for code, rows in sorted(examples.items())}
    lists = {
        code: [safe(url, MAX_VALUE) for url in urls]
        for code, urls in log.urls.items()
        if len(urls) > len({row.url for row in examples[code]})
    }
    kept = max((len(rows) for rows in examples.values()), default=0)
    kept_urls = max(map(len, lists.values()), default=0)
    while True:
        data: dict[str, dict[str, list[str]]] = {
            code: {name: texts[:kept] for name, texts in found.items()}
            | ({"all": lists[code][:kept_urls]} if code in lists else {})
            for code, found in columns.items()
            if min(len(found["url"]), kept) > shown
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        # The time in the header would make each report different.
        packed = gzip.compress(text.encode(), compresslevel=6, mtime=0)
        size = len(packed) * 4 // 3 + 4
        if size <= MAX_DATA_BYTES:
            return base64.b64encode(packed).decode(), kept
        kept = int(kept * 0.95 * MAX_DATA_BYTES / size)
        kept_urls = int(kept_urls * 0.95 * MAX_DATA_BYTES / size)


def _columns(rows: Sequence[Example]) -> dict[str, list[str]]:
    return {name: [safe(row[at], MAX_VALUE) for row in rows] for at, name in enumerate(_COLUMNS)}


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td{_role(value)} data-value="{value}">{value:,}</td>'
    if isinstance(value, Link):
        return f'<td><a href="{escape(value.path)}">{breakable(value.text)}</a></td>'
    return f"<td{_role(value)}>{untrusted(str(value)) if value is not None else ''}</td>"


def _role(value: object) -> str:
    """Return the HTML attribute for table cells with a number, also with a unit; or no text."""
    is_number = isinstance(value, int) or _NUMBER.fullmatch(str(value))
    return ' class="number"' if is_number else ""


def _table(content: str, key: str | None, name: str) -> str:
    data = f' data-table="{escape(key)}"' if key else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}">'
        f"<table{data}>{content}</table></div>"
    )

"""Tables and lists of the report: first rows as HTML, all rows compressed for the script."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from html import escape

from urlset.html_report.model import Example, ReportInput
from urlset.html_report.text import link, safe, untrusted

__all__ = ["MAX_DATA_BYTES", "example_table", "first_steps", "number_table", "packed_examples"]

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

    Args:
        columns: Names of the columns.
        rows: The rows.
        key: Name by which the script makes the table sortable and searchable; None for neither.
    """
    first = rows[0] if rows else [None] * len(columns)
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
            f"<td>{untrusted(example.message)}</td>",
        ]
        if with_place:
            cells.append(f'<td class="place">{untrusted(example.place, 80)}</td>')
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


def packed_examples(examples: Mapping[str, Sequence[Example]], shown: int) -> tuple[str, int]:
    """Encode the examples for the script: columns by rule as JSON, in gzip and base64.

    Rules whose examples are all in the HTML are omitted. If the result exceeds
    :data:`MAX_DATA_BYTES`, fewer examples of each rule are kept.

    Args:
        examples: Examples by code.
        shown: Number of examples of each rule in the HTML.

    Returns:
        The text, and the number of examples of each rule that were kept at most.
    """
    columns = {code: _columns(rows) for code, rows in sorted(examples.items())}
    kept = max((len(rows) for rows in examples.values()), default=0)
    while True:
        data = {
            code: {name: texts[:kept] for name, texts in found.items()}
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


def _columns(rows: Sequence[Example]) -> dict[str, list[str]]:
    return {name: [safe(row[at], MAX_VALUE) for row in rows] for at, name in enumerate(_COLUMNS)}


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td{_role(value)} data-value="{value}">{value:,}</td>'
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


MAX_STEPS = 3
"""Rules in the list."""


def first_steps(report: ReportInput) -> str:
    """Return the list of what to do first: the fixes of the rules with most errors, then warnings.

    Empty for a report without errors and warnings.
    """
    ranked = []
    for code, levels in report.log.levels.items():
        rule = report.rules.get(code)
        if rule is None or not rule.fix_hint or not (levels["error"] or levels["warning"]):
            continue
        ranked.append((levels["error"] == 0, -levels.total(), code, rule))
    items = []
    for _, count, code, rule in sorted(ranked, key=lambda item: item[:3])[:MAX_STEPS]:
        examples = report.log.examples.get(code, [])
        example = f", such as {safe(examples[0].url, 120)}" if examples else ""
        items.append(
            f'<li><a href="#rule-{escape(code)}">{escape(safe(rule.fix_hint, 300))}</a> '
            f"<span>{escape(safe(rule.title, 200))}: {-count:,}{escape(example)}</span></li>"
        )
    if not items:
        return ""
    return f'<div class="first"><h2>What to do first</h2><ol>{"".join(items)}</ol></div>'

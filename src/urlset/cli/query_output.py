"""The answer to a query as lines: a table, JSON, CSV, or one column alone."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from urlset.cli.entry_lines import CsvLine, as_array
from urlset.cli.entry_table import CHUNK, GAP
from urlset.cli.options import MisuseError
from urlset.store import QueryResult
from urlset.terminal_text import Line, Span, cells, clip, escape_json, sanitize

__all__ = ["answer_lines"]

_LEAST = 8  # cells of a column that others may not take from it


def answer_lines(
    answer: QueryResult, form: str, paint: Callable[[Line], str], width: int
) -> Iterator[str]:
    """The lines of an answer; raises :class:`MisuseError` where it has no such form."""
    if form == "table":
        return _table(answer, paint, width)
    if form in ("jsonl", "json"):
        lines = (escape_json(f"{line}\n") for line in answer.objects())
        return lines if form == "jsonl" else as_array(lines)
    if form == "csv":
        return _csv(answer)
    if len(answer.columns) != 1:
        raise MisuseError(
            f"--format txt: expected a query for one column, found {len(answer.columns)}; "
            "select one, or use csv"
        )
    return (f"{value or ''}\n" for (value,) in answer.texts())


def _csv(answer: QueryResult) -> Iterator[str]:
    line = CsvLine()
    writer = csv.writer(line, lineterminator="\r\n")
    writer.writerow(answer.columns)
    yield line.text
    for row in answer.texts():
        writer.writerow(["" if value is None else value for value in row])
        yield line.text


def _table(answer: QueryResult, paint: Callable[[Line], str], width: int) -> Iterator[str]:
    rows = answer.texts()
    to_the_right = answer.are_numbers
    is_first = True
    while (chunk := list(islice(rows, CHUNK))) or is_first:
        if not is_first:
            yield "\n"
        is_first = False
        shown = [[sanitize(value or "") for value in row] for row in chunk]
        heads = [sanitize(name) for name in answer.columns]
        widths = _widths([heads, *shown], width)
        yield f"{paint((Span(_row(heads, widths, to_the_right), 'heading'),))}\n"
        rule = ["─" * cells_ for cells_ in widths]
        yield f"{paint((Span(_row(rule, widths, to_the_right), 'excerpt'),))}\n"
        for values in shown:
            yield f"{paint((Span(_row(values, widths, to_the_right)),))}\n"


def _widths(rows: Iterable[list[str]], width: int) -> list[int]:
    """What each column needs; where that is too much, the widest give."""
    needed = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    room = width - len(GAP) * (len(needed) - 1)
    while sum(needed) > room and max(needed) > _LEAST:
        widest = needed.index(max(needed))
        next_to = max([_LEAST, *(n for n in needed if n < needed[widest])])
        needed[widest] = max(next_to, needed[widest] - (sum(needed) - room))
        if needed.count(needed[widest]) > 1 and sum(needed) > room:
            # As wide as others: all of them give a cell at a time.
            alike = max(needed)
            needed = [max(_LEAST, n - 1) if n == alike else n for n in needed]
    return needed


def _row(values: list[str], widths: list[int], to_the_right: list[bool]) -> str:
    fitted = []
    for value, width, is_right in zip(values, widths, to_the_right, strict=True):
        text = clip(value, width)
        space = " " * (width - cells(text))
        fitted.append(space + text if is_right else text + space)
    return GAP.join(fitted).rstrip()

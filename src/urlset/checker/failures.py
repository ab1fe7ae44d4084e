"""Documents that could not be read, as rows for rules and as findings.

A document that failed is a finding like any other: every report lists it, and ``ignore`` and a
baseline accept it. The command selects these rules unless they are ignored, as a check says
nothing about what was not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from urlset.arrow.streams import ColumnType, LazyStream, rows_to_stream
from urlset.checker.finding import Finding
from urlset.checker.rule import Rule
from urlset.document import Document
from urlset.errors import SourceError
from urlset.reader import DocumentRecord

__all__ = ["FAILURE_CODES", "Failures", "failed_source"]

FAILURE_CODES = ("I503", "N001", "N003", "N007", "N008", "N012", "R015")
"""The rules that report a document as not read, or read only in part."""

_CODES = {
    "missing": "I503",
    "status": "N001",
    "refused": "N012",
    "incomplete": "N008",
    "same-answer": "N007",
}

_COLUMNS: list[tuple[str, ColumnType]] = [
    ("document", "line"),
    ("failure", "string"),
    ("parent", "string"),
    ("how", "string"),
    ("loc", "string"),
    ("error", "string"),
]


class Failures:
    """The failed documents of one check."""

    def __init__(self) -> None:
        self._rows: list[tuple[object, ...]] = []

    def add(self, number: int, record: DocumentRecord, document: Document | None) -> None:
        """Note a document if it could not be read; one with content is judged by its content."""
        failure = record.failure
        if not record.error or (document is not None and failure is None):
            return
        row = (record.parent, record.how, record.loc or record.source, record.error)
        self._rows.append((number, failure or "unreadable", *row))

    def flow(self) -> LazyStream:
        """Return the rows of the table ``failures``."""
        return rows_to_stream(_COLUMNS, self._rows)


def failed_source(
    source: str,
    error: SourceError,
    rules: Mapping[str, Rule],
    wanted: Callable[[Rule, str | None], bool],
) -> Finding | None:
    """Return the finding for a source of which nothing could be read; None if it is ignored."""
    rule = rules[_CODES.get(error.failure, "N003")]
    if not wanted(rule, source):
        return None
    return Finding(
        rule.name,
        rule.code,
        rule.level,
        str(error),
        source,
        None,
        None,
        None,
        rule.page.instead,
        None,
    )

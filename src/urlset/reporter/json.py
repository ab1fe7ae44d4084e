"""Format findings as a JSON array with one object on each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import JSONEncoder

from urlset.checker import Finding
from urlset.terminal_text import escape_json

__all__ = ["report_json"]

# Public format: names and order do not change; new fields are appended.
_FIELDS = ("rule", "code", "level", "message", "source", "line", "column", "loc", "fix")
_encode = JSONEncoder(ensure_ascii=False).encode


def report_json(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the lines of a JSON array of objects, each with the same nine fields.

    >>> list(report_json([]))
    ['[', ']']
    """
    yield "["
    last = None
    for finding in findings:
        if last is not None:
            yield f"{last},"
        last = escape_json(_encode({name: getattr(finding, name) for name in _FIELDS}))
    if last is not None:
        yield last
    yield "]"

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


def report_json(findings: Iterable[Finding], *, has_basis: bool = False) -> Iterator[str]:
    """Yield the lines of a JSON array of objects, each with the same nine fields.

    With ``has_basis``, for an audit, there is a tenth one: ``basis``.

    >>> list(report_json([]))
    ['[', ']']
    """
    names = (*_FIELDS, "basis") if has_basis else _FIELDS
    yield "["
    last = None
    for finding in findings:
        if last is not None:
            yield f"{last},"
        last = escape_json(_encode({name: getattr(finding, name) for name in names}))
    if last is not None:
        yield last
    yield "]"

"""Exception for an invalid value, without the row that contains it."""

from __future__ import annotations

from urlset.errors import EntryError

__all__ = ["ValueProblem", "shown"]

_SHOWN = 120


class ValueProblem(Exception):
    """Value that may not be written: its field, what is expected, and how to fix it."""

    def __init__(self, field: str, value: object, expected: str, advice: str):
        super().__init__(field, value, expected, advice)
        self.field = field
        self.value = value
        self.expected = expected
        self.advice = advice

    def within(self, where: str) -> ValueProblem:
        """Return the problem with the field inside a record, as ``images[0].loc``."""
        return ValueProblem(f"{where}.{self.field}", self.value, self.expected, self.advice)

    def in_row(self, row: int) -> EntryError:
        """Return the :class:`urlset.EntryError` for this problem in a row."""
        detail = f"expected {self.expected}, found {shown(self.value)}; {self.advice}"
        return EntryError(
            f"row {row}, {self.field}: {detail}",
            row=row,
            field=self.field,
            value=self.value,
            detail=detail,
        )


def shown(value: object) -> str:
    """Return the text of a value for a message, on one line and clipped.

    >>> shown("a"), shown(None)
    ("'a'", 'nothing')
    """
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

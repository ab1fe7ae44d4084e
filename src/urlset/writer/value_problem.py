"""What is wrong with a value, before anybody knows in which row it stood."""

from __future__ import annotations

from urlset.errors import EntryError

__all__ = ["ValueProblem", "shown"]

_SHOWN = 120


class ValueProblem(Exception):
    """A value that may not be written: which field, what is expected there, what to do."""

    def __init__(self, field: str, value: object, expected: str, advice: str):
        super().__init__(field, value, expected, advice)
        self.field = field
        self.value = value
        self.expected = expected
        self.advice = advice

    def within(self, where: str) -> ValueProblem:
        """The same, seen from the record around it: ``images[0]`` and ``loc``."""
        return ValueProblem(f"{where}.{self.field}", self.value, self.expected, self.advice)

    def in_row(self, row: int) -> EntryError:
        """The error that a user meets."""
        detail = f"expected {self.expected}, found {shown(self.value)}; {self.advice}"
        return EntryError(
            f"row {row}, {self.field}: {detail}",
            row=row,
            field=self.field,
            value=self.value,
            detail=detail,
        )


def shown(value: object) -> str:
    """A value for a message, on one line and not too long.

    >>> shown("a"), shown(None)
    ("'a'", 'nothing')
    """
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

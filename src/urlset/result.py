"""Base of the results of all verbs, and of other objects that a ``with`` block closes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self, TypedDict, TypeVar, cast

T = TypeVar("T")

Instant = Annotated[str, datetime]
"""An instant in JSON: text as RFC 3339 has it. The first type is that of Python, the second one
says what it stands for; so do others, such as ``Annotated[dict[str, Any], Alert]``."""


class ResultJson(TypedDict):
    """What the JSON of every result has.

    Attributes:
        summary: The result in one line, for people.
        is_complete: Whether everything was read and done.
        incomplete: What could not be read or done, and why; empty if everything was.
    """

    summary: str
    is_complete: bool
    incomplete: list[str]


def values_of(source: object, form: type[T], **others: Any) -> T:
    """Return what a typed dict names as values that JSON has: from ``others``, else attributes."""
    values = {
        name: others[name] if name in others else plain(getattr(source, name))
        for name in form.__annotations__
    }
    return cast(T, values)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: named tuples by field, instants as text, no infinity.

    >>> plain((1, float("inf"))), plain(datetime(2026, 1, 31))
    ([1, None], '2026-01-31T00:00:00')
    """
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Closing:
    """Context manager that calls :meth:`close` at the end of the block."""

    def close(self) -> None:
        """Release files and temporary tables; does nothing the second time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Completeness:
    """What can lack something: a result, and the entries of a reading."""

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What could not be read or done, and why; empty if everything was."""
        return ()

    @property
    def is_complete(self) -> bool:
        """Whether everything was read and done."""
        return not self.incomplete


class Result(Closing, Completeness):
    """Result of a verb; a context manager.

    Subclasses say what they are about (``subject``), what was found (``_totals``) and what could
    not be read or done (``incomplete``). All work after :meth:`close`, too.
    """

    @property
    def subject(self) -> str:
        """What the result is about, such as ``of 'public/'``."""
        return ""

    @property
    def summary(self) -> str:
        """The result in one line, and whether something is missing."""
        return self._totals if self.is_complete else f"{self._totals}; not complete"

    @property
    def _totals(self) -> str:
        """What was found, for the summary."""
        raise NotImplementedError

    def to_dict(self) -> ResultJson:
        """Return the result as values that JSON has."""
        return {
            "summary": self.summary,
            "is_complete": self.is_complete,
            "incomplete": list(self.incomplete),
        }

    @property
    def caption(self) -> str:
        """Name, subject and summary, as notebooks show them."""
        subject = f" {self.subject}" if self.subject else ""
        return f"{type(self).__name__}{subject}: {self.summary}"

    def __repr__(self) -> str:
        return f"<{self.caption}>"

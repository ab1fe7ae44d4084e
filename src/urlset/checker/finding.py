"""What a check finds, as rows."""

from __future__ import annotations

from typing import NamedTuple

from urlset.model import Level

__all__ = ["LEVELS", "Excerpt", "Finding", "Parameters"]

LEVELS: tuple[Level, ...] = ("error", "warning", "info")
"""The levels, the worst one first."""


class Excerpt(NamedTuple):
    """A piece of the line in which a finding stands, and where in it, in characters from 0."""

    text: str
    place: int


Parameters = tuple[tuple[str, str | None], ...]
"""The values in a message: pairs of a name and a text, in the order of the message."""


class Finding(NamedTuple):
    """One thing to mend: the rule, where it stands, and what to do.

    ``source`` is the path or URL of the document; ``line`` and ``column`` count from 1,
    ``offset`` in bytes of the unpacked document; all three are None where the finding is about
    the document as a whole. ``loc`` is the URL of the entry in which it stands, ``fix`` a
    sentence, ``excerpt`` the line, for the first findings of each rule. ``parameters`` are the
    values in the message by name, as text without formatting, for programs: the columns that the
    message of the rule names, or the ``detail`` of a problem that the engine reports.
    """

    rule: str
    code: str
    level: Level
    message: str
    source: str | None
    line: int | None
    column: int | None
    loc: str | None
    fix: str | None
    offset: int | None
    excerpt: Excerpt | None = None
    parameters: Parameters = ()

"""Finding: its type, and the findings of a source that cannot be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypedDict, cast

from urlset.checker.evaluate import Row, Tally
from urlset.checker.load import Excerpt
from urlset.checker.locate import ExactPlace
from urlset.checker.rule import Basis, Rule
from urlset.errors import SourceError
from urlset.model import Level
from urlset.result import Result, ResultJson
from urlset.terminal_text import pluralize

LEVELS: tuple[Level, ...] = ("error", "warning", "info")
"""The levels, most severe first."""


def levels_from(level: Level) -> tuple[Level, ...]:
    """Return a level and those that are worse; raises ValueError for another text."""
    if level not in LEVELS:
        raise ValueError(f"expected a level ({', '.join(LEVELS)}), found {level!r}")
    return LEVELS[: LEVELS.index(level) + 1]


FAILURE_CODES = ("I503", "N001", "N003", "N007", "N008", "N012", "R015")
"""Codes of the rules that report a document as unread or read only in part.

A document that failed is a finding like any other: every report lists it, and ``ignore`` and a
baseline accept it. The command selects these rules unless they are ignored, because a check says
nothing about a document that was not read.
"""


class FindingJson(TypedDict):
    """One finding of a rule.

    Attributes:
        rule: Name of the rule.
        code: Code of the rule, such as `U012`.
        level: Level of the finding.
        message: What is wrong, for people.
        source: Path or URL of the document; null for bytes.
        line: Line, from 1; null if the finding is about the whole document.
        column: Column, from 1, in characters; null like `line`, and if only the line is known.
        loc: URL of the entry; null if the finding is not about one.
        fix: How to fix it.
        basis: What a finding of an audit is based on; null for one of a check, and for one about a
            document.
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
    basis: Basis | None


_JSON_NAMES = tuple(FindingJson.__annotations__)


class CountsJson(ResultJson):
    """Numbers of findings of a check or an audit.

    Attributes:
        by_level: Number of findings of each level.
        by_rule: Number of findings of each code.
        known: Number of findings that are in the baseline, and in none of the other numbers.
    """

    by_level: dict[Level, int]
    by_rule: dict[str, int]
    known: int


class CheckJson(CountsJson):
    """Counts and findings of a check.

    Attributes:
        findings: The findings, at most 10,000 of each rule; the counts are those of all.
    """

    findings: list[FindingJson]


_CODE_BY_FAILURE = {
    "missing": "I503",
    "status": "N001",
    "refused": "N012",
    "incomplete": "N008",
    "same-answer": "N007",
}

Parameters = tuple[tuple[str, str | None], ...]
"""Values in a message: pairs of a name and a text, in the order of the message."""

Selected = Callable[[Rule, str | None], bool]
"""Return whether findings of a rule are selected: in any document (None), or in this one."""


class Finding(NamedTuple):
    """One finding of a rule: where it is, what is wrong, and how to fix it.

    ``source`` is the path or URL of the document. ``line`` and ``column`` count from 1, ``offset``
    counts bytes of the decompressed document; all three are None if the finding is about the whole
    document, and ``column`` if only the line is known, as in an audit. ``loc`` is the URL of its
    entry, ``fix`` a sentence, ``excerpt`` the line (for the first findings of each rule).
    ``parameters`` are the values in the message by name, as
    unformatted text, for programs: the columns that the message of the rule names, or the
    ``detail`` of a problem that the engine reports. ``basis`` is what a finding of an audit is
    based on (:data:`urlset.checker.Basis`); None for a finding of a check, and for one of an audit
    about a document.
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
    basis: Basis | None = None

    def to_dict(self) -> FindingJson:
        """Return the fields of the format json, as values that JSON has."""
        return cast(FindingJson, {name: getattr(self, name) for name in _JSON_NAMES})


def failed_source(
    source: str, error: SourceError, rules: Mapping[str, Rule], selected: Selected
) -> Finding | None:
    """Return the finding for a source of which nothing could be read; None if it is ignored."""
    rule = rules[_CODE_BY_FAILURE.get(error.failure, "N003")]
    if not selected(rule, source):
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
        rule.page.fix_hint,
        None,
    )


def finding_of(row: Row, rule: Rule, place: ExactPlace) -> Finding:
    """Return the finding for a row, at its exact position."""
    return Finding(
        rule.name,
        row.code,
        row.level,
        row.message,
        row.source,
        place.line,
        place.column,
        place.loc,
        rule.page.fix_hint,
        place.offset,
        parameters=tuple(zip(rule.parameters, row.parameters, strict=False)),
        basis=row.basis,
    )


class CountedFindings(Result):
    """Base of the results that have findings: their numbers by rule and level.

    A subclass has ``tally``: the number of findings by rule, level and document.
    """

    @property
    def tally(self) -> Tally:
        """Number of findings by rule, level and document."""
        raise NotImplementedError

    @property
    def known(self) -> int:
        """Number of findings that are in the baseline."""
        raise NotImplementedError

    def totals_dict(self) -> CountsJson:
        """Return what :meth:`to_dict` has, but not the findings."""
        return {
            **super().to_dict(),
            "by_level": self.by_level,
            "by_rule": self.by_rule,
            "known": self.known,
        }

    @property
    def _totals(self) -> str:
        """Number of findings by level."""
        return ", ".join(
            pluralize(count, level, "info" if level == "info" else None)
            for level, count in self.by_level.items()
        )

    @property
    def by_rule(self) -> dict[str, int]:
        """Number of findings of each code, sorted by code."""
        found: Counter[str] = Counter()
        for key, count in self.tally.items():
            found[key.code] += count
        return {code: found[code] for code in sorted(found)}

    @property
    def by_level(self) -> dict[Level, int]:
        """Number of findings of each level, including levels without findings."""
        found: Counter[Level] = Counter()
        for key, count in self.tally.items():
            found[key.level] += count
        return {level: found[level] for level in LEVELS}

    @property
    def worst(self) -> Level | None:
        """Most severe level among the findings; None if there are none."""
        return next((level for level, count in self.by_level.items() if count), None)

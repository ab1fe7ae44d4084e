"""What is to be mended in a document: the findings of the rules that are wanted, and mendable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from urlset.checker.findings import Findings
from urlset.checker.rule import Profile, Rule
from urlset.document import Document
from urlset.entry_spans import IN_PACKED, locate_problems, text_offset
from urlset.fixer.container import CONTAINERS
from urlset.fixer.registry import ELSEWHERE, FIXERS, FindingLocation
from urlset.fixer.split import SPLITS
from urlset.protocol import READ_LIMIT
from urlset.reader import Entries, read_documents
from urlset.reader.locations import SingleDocument

__all__ = ["FixOptions", "Spots", "is_of_set"]

Spots = dict[str, list[FindingLocation]]
"""Findings by the code of their rule."""

_MENDED = (FIXERS, CONTAINERS, SPLITS, ELSEWHERE)


def is_of_set(rule: Rule) -> bool:
    """Whether what a rule says of a document depends on others."""
    return "set" in rule.needs


@dataclass(frozen=True, kw_only=True)
class FixOptions:
    """What is to be mended, and how.

    ``rules`` are those whose findings are wanted, ``named`` the codes of those that somebody
    asked for by name, ``wanted`` tells whether a rule is wanted in a document.
    """

    rules: Mapping[str, Rule]
    wanted: Callable[[Rule, str | None], bool]
    named: Collection[str]
    is_unsafe: bool
    moment: datetime
    engine: str | None = None
    limit: int = READ_LIMIT
    profile: Profile | None = None
    robots: Mapping[str, bytes] = field(default_factory=dict)

    def allows(self, code: str, source: str | None) -> bool:
        """Whether findings of a rule are to be mended in a document."""
        rule = self.rules.get(code)
        if rule is None or not any(code in those for those in _MENDED):
            return False
        is_careful = code in FIXERS and FIXERS[code].is_careful
        is_asked = {
            "safe": True,
            "unsafe": self.is_unsafe or is_careful,
            "opt-in": code in self.named,
        }
        return is_asked.get(rule.fix_safety, False) and self.wanted(rule, source)

    def reported(self, document: Document, name: str) -> Spots:
        """What the engine has found, in the text."""
        spots: Spots = defaultdict(list)
        codes = {problem.code for problem in document.problems} - IN_PACKED
        asked = {code for code in codes if self.allows(code, name)}
        for problem, _, loc in locate_problems(document) if asked else ():
            if problem.code in asked:
                at, end = (text_offset(document, x) for x in (problem.offset, problem.end))
                spots[problem.code].append(
                    FindingLocation(
                        problem.code,
                        at,
                        end,
                        problem.level,
                        loc,
                        (("detail", problem.detail),),
                    )
                )
        return spots

    def judged(self, raw: bytes, document: Document, name: str, base: str | None) -> Spots:
        """What the rules of SQL find in one document by itself."""
        rules = {
            code: rule
            for code, rule in self.rules.items()
            if not rule.is_engine_rule and not is_of_set(rule) and self.allows(code, name)
        }
        spots: Spots = defaultdict(list)
        if not rules:
            return spots
        entries = read_documents(_Desk(raw, name, base, self.robots), self.engine, self.limit)
        for finding in self.findings(entries, rules):
            place = 0 if finding.offset is None else text_offset(document, finding.offset)
            spots[finding.code].append(
                FindingLocation(
                    finding.code,
                    place,
                    place,
                    finding.level,
                    finding.loc,
                    finding.parameters,
                )
            )
        return spots

    def findings(self, entries: Entries, rules: Mapping[str, Rule]) -> Findings:
        """A check by these rules."""
        options: dict[str, Any] = {"moment": self.moment, "profile": self.profile}
        return Findings(entries, rules, lambda *_: True, max_excerpts=0, **options)


class _Desk(SingleDocument):
    """One document, with the robots.txt files that lie around it."""

    def __init__(self, raw: bytes, name: str, base: str | None, robots: Mapping[str, bytes]):
        super().__init__(name, base, lambda: raw)
        self._robots = robots

    def robots(self) -> Iterator[tuple[str, bytes]]:
        """The robots.txt files, each with its URL."""
        yield from self._robots.items()

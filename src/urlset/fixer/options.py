"""Options of a fix run, and the findings in a document that they select for fixing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from urlset.checker.findings import Findings
from urlset.checker.rule import Rule
from urlset.document import IN_PACKED, Document, locate_problems, parse, text_offset
from urlset.fixer import registry
from urlset.model import ProgressEvent
from urlset.option_schema import Profile
from urlset.protocol import READ_LIMIT
from urlset.reader import Entries, read_documents
from urlset.reader.document_sources import SingleDocument

FindingsByRule = dict[str, list[registry.FindingLocation]]
"""Findings, grouped by the code of their rule."""

_FIXABLE = (registry.FIXERS, registry.CONTAINER_RULES, registry.SPLIT_RULES, registry.ROBOTS_RULES)


def needs_set(rule: Rule) -> bool:
    """Return whether a rule compares several documents."""
    return "set" in rule.needs


@dataclass(frozen=True, kw_only=True)
class FixOptions:
    """Options of a fix run.

    Attributes:
        rules: All rules, by code.
        is_selected: Returns whether a rule is selected for a document.
        named: Codes of the rules that the user selected by name, as opt-in fixes require.
        is_unsafe: Whether unsafe fixes are made.
        now: Current time.
        engine: Name of the engine; None for the default.
        max_bytes: Maximum size of a decompressed document, in bytes.
        profile: Search engine whose rules apply as well.
        robots: The robots.txt files of the source, by URL.
    """

    rules: Mapping[str, Rule]
    is_selected: Callable[[Rule, str | None], bool]
    named: Collection[str]
    is_unsafe: bool
    now: datetime
    engine: str | None = None
    max_bytes: int = READ_LIMIT
    profile: Profile | None = None
    robots: Mapping[str, bytes] = field(default_factory=dict)

    def allows(self, code: str, source: str | None) -> bool:
        """Return whether the findings of a rule are fixed in a document."""
        rule = self.rules.get(code)
        if rule is None or not any(code in those for those in _FIXABLE):
            return False
        is_unsafe = self.is_unsafe or (
            code in registry.FIXERS and registry.FIXERS[code].is_partly_safe
        )
        requested = {"safe": True, "unsafe": is_unsafe, "opt-in": code in self.named}
        return requested.get(rule.fix_safety, False) and self.is_selected(rule, source)

    def engine_findings(self, document: Document, name: str) -> FindingsByRule:
        """Return the selected problems that the parser reported, with offsets in the text."""
        findings: FindingsByRule = defaultdict(list)
        codes = {problem.code for problem in document.problems} - IN_PACKED
        allowed = {code for code in codes if self.allows(code, name)}
        for problem, _, loc in locate_problems(document) if allowed else ():
            if problem.code in allowed:
                at, end = (text_offset(document, x) for x in (problem.offset, problem.end))
                details = (("detail", problem.detail),)
                found = registry.FindingLocation(problem.code, at, end, problem.level, loc, details)
                findings[problem.code].append(found)
        return findings

    def sql_findings(
        self, raw: bytes, document: Document, name: str, base_url: str | None
    ) -> FindingsByRule:
        """Return the findings of the selected SQL rules that need only this document."""
        alone = {c: r for c, r in self.rules.items() if not (r.is_engine_rule or needs_set(r))}
        rules = {code: rule for code, rule in alone.items() if self.allows(code, name)}
        findings: FindingsByRule = defaultdict(list)
        if not rules:
            return findings
        source = _OneDocument(raw, name, base_url, self.robots)
        entries = read_documents(source, self.engine, self.max_bytes)
        for finding in self.findings(entries, rules):
            offset = 0 if finding.offset is None else text_offset(document, finding.offset)
            findings[finding.code].append(registry.FindingLocation.of(finding, offset))
        return findings

    def parse(self, raw: bytes, name: str | None, base_url: str | None) -> Document:
        """Parse a document with the engine and the limit of the options."""
        return parse(
            raw, base_url=base_url, engine=self.engine, source=name, max_bytes=self.max_bytes
        )

    def findings(
        self,
        entries: Entries,
        rules: Mapping[str, Rule],
        progress: Callable[[ProgressEvent], None] | None = None,
    ) -> Findings:
        """Check entries with given rules, and with the time and profile of the options."""
        options: dict[str, Any] = {"now": self.now, "profile": self.profile, "progress": progress}
        return Findings(entries, rules, lambda *_: True, max_excerpts=0, **options)


class _OneDocument(SingleDocument):
    """Source with one document and the robots.txt files that apply to it."""

    def __init__(self, raw: bytes, name: str, base_url: str | None, robots: Mapping[str, bytes]):
        super().__init__(name, base_url, lambda: raw)
        self._robots = robots

    def robots_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the robots.txt files, each with its URL."""
        yield from self._robots.items()

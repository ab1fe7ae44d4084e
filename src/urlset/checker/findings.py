"""The findings of one check, made while they are asked for, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from urlset.checker.fixes import FIXES
from urlset.checker.model import LEVELS, Finding
from urlset.checker.names import name_problems
from urlset.checker.places import excerpt_of
from urlset.document import Document
from urlset.locating import located
from urlset.model import Level, Problem
from urlset.reader import DocumentRecord, Entries
from urlset.rules import RULES

__all__ = ["Findings"]

_CODES = {rule.name: code for code, rule in RULES.items()}


class Findings:
    """What a check found, one document in memory at a time.

    Iterates as :class:`Finding`, as often as wanted: each time the source is checked anew. The
    counts are those of the last iteration that came to its end; where there was none, asking
    for them makes one.

    >>> from urlset.checker import check
    >>> findings = check(b"https://example.com/ https://example.com/a")
    >>> findings.ok, findings.worst, findings.by_rule
    (False, 'error', {'T002': 1})
    """

    def __init__(
        self,
        entries: Entries,
        wanted: Callable[[str], bool],
        max_excerpts: int,
        seen: Callable[[DocumentRecord], None] | None = None,
    ):
        self._entries = entries
        self._wanted = wanted
        self._max_excerpts = max_excerpts
        self._seen = seen
        self._counts: Counter[tuple[str, Level]] | None = None
        self._omitted: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Finding]:
        counts: Counter[tuple[str, Level]] = Counter()
        omitted: Counter[str] = Counter()
        for record, document in self._entries.visits():
            if self._seen is not None:
                self._seen(record)
            if document is None:
                continue
            for finding in self._in_document(document):
                key = finding.code, finding.level
                counts[key] += 1
                if finding.offset is not None and counts[key] <= self._max_excerpts:
                    excerpt = excerpt_of(document, finding.offset, finding.code)
                    finding = finding._replace(excerpt=excerpt)
                yield finding
            for code, count in self._omitted_of(document):
                omitted[code] += count
                counts[code, RULES[code].level] += count
        self._counts, self._omitted = counts, omitted

    def __len__(self) -> int:
        return self._tally.total()

    @property
    def omitted(self) -> dict[str, int]:
        """How many findings of each code are counted but not given: a document gives 10,000."""
        return dict(self._omitted) if self._tally else {}

    @property
    def by_rule(self) -> dict[str, int]:
        """How many findings there are of each code, in the order of codes."""
        counts: Counter[str] = Counter()
        for (code, _), count in sorted(self._tally.items()):
            counts[code] += count
        return dict(counts)

    @property
    def by_level(self) -> dict[Level, int]:
        """How many findings there are of each level, also of those with none."""
        tally = self._tally
        return {level: sum(n for (_, its), n in tally.items() if its == level) for level in LEVELS}

    @property
    def worst(self) -> Level | None:
        """The worst level among the findings; None where there are none."""
        return next((level for level, count in self.by_level.items() if count), None)

    @property
    def ok(self) -> bool:
        """Whether there is nothing to tell: no finding of any level, and all of it was read."""
        return not self._tally and not self.failed

    @property
    def documents(self) -> list[DocumentRecord]:
        """What was checked, or could not be."""
        return self._entries.documents

    @property
    def failed(self) -> list[DocumentRecord]:
        """The documents that could not be read, or not as a whole; each has an ``error``."""
        return [record for record in self.documents if record.error]

    @property
    def _tally(self) -> Counter[tuple[str, Level]]:
        if self._counts is None:
            for _ in self:
                pass
        return self._counts or Counter()

    def _omitted_of(self, document: Document) -> Iterator[tuple[str, int]]:
        for rule, count in document.omitted.items():
            code = _CODES[rule]
            if self._wanted(code):
                yield code, count

    def _in_document(self, document: Document) -> Iterator[Finding]:
        for problem in name_problems(document):
            if self._wanted(problem.code):
                whole = _finding(problem, document.source, None)
                yield whole._replace(line=None, column=None, offset=None)
        for problem, _, loc in located(document):
            if self._wanted(problem.code):
                yield _finding(problem, document.source, loc)


def _finding(problem: Problem, source: str | None, loc: str | None) -> Finding:
    return Finding(
        problem.rule,
        problem.code,
        problem.level,
        problem.message,
        source,
        problem.line,
        problem.column,
        loc,
        FIXES.get(problem.code),
        problem.offset,
    )

"""The findings of one check, made while they are asked for, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime

from urlset.checker.evaluate import MAX_ROWS, FindingKey, Row, Tally, evaluate
from urlset.checker.failures import Failures
from urlset.checker.finding import LEVELS, Finding
from urlset.checker.load import Seen, load
from urlset.checker.locate import ExactPlace, placed
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.rule import Rule
from urlset.checker.text_cache import Text, TextCache
from urlset.model import Level
from urlset.notebook import html_table
from urlset.reader import DocumentRecord, Entries
from urlset.store import RULE_S, Store, StoreSession

__all__ = ["Findings"]

Wanted = Callable[[Rule, str | None], bool]
"""Tells whether findings of a rule are wanted: at all (None), and in a document."""


class Findings:
    """What a check found; everything is read before the first finding is told.

    Iterates as :class:`Finding`, as often as wanted: each time the rules are applied anew, to
    files as they are then, and to a site as it was fetched the first time.
    The counts are those of the last iteration that began; where there was none, asking for them
    makes one.

    >>> from urlset.checker import check
    >>> findings = check(b"https://example.com/ https://example.com/a", select=["T"])
    >>> findings.ok, findings.worst, findings.by_rule
    (False, 'error', {'T002': 1})
    """

    def __init__(
        self,
        entries: Entries,
        rules: Mapping[str, Rule],
        wanted: Wanted,
        *,
        max_excerpts: int,
        moment: datetime | None,
        profile: str | None,
        seen: Seen | None = None,
        rule_timeout_s: float | None = RULE_S,
    ):
        self._entries = entries
        self._rules = {code: rule for code, rule in rules.items() if wanted(rule, None)}
        self._wanted = wanted
        self._max_excerpts = max_excerpts
        self._moment = moment
        self._profile = profile
        self._rule_timeout_s = rule_timeout_s
        self._seen = seen
        self._counts: Tally | None = None
        self._omitted: Counter[str] = Counter()
        self._given: Tally = Counter()

    def __iter__(self) -> Generator[Finding]:
        markup = MarkupFacts({need for rule in self._rules.values() for need in rule.needs})
        with Store.with_details() as store, TextCache() as texts:
            failures = Failures()
            omitted = load(store, texts, markup, failures, self._entries, self._seen)
            with store.session() as asking:
                asking.load("marked", markup.flow())
                asking.load("failures", failures.flow())
                yield from self._told(asking, texts, omitted)

    @property
    def count(self) -> int:
        """How many findings there are, also those that are counted but not given."""
        return self._tally.total()

    @property
    def omitted(self) -> dict[str, int]:
        """How many findings of each code are counted but not given: 10,000 are."""
        return dict(self._omitted) if self._tally else {}

    @property
    def not_given(self) -> Tally:
        """How many findings the last iteration counted but did not give, when it has ended.

        By rule, level and document.
        """
        return self._tally - self._given

    def __repr__(self) -> str:
        return f"<Findings {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return an HTML table of the counts by rule for notebooks; evaluates nothing."""
        rows = sorted((self.by_rule if self._counts is not None else {}).items())
        return html_table(f"Findings {self._summary()}", ("rule", "findings"), rows)

    def _summary(self) -> str:
        """Return the source and, once evaluated, the number of findings by level."""
        source = repr(self._entries.source) if self._entries.source is not None else "bytes"
        if self._counts is None:
            return f"of {source}: not evaluated yet"
        levels = ", ".join(f"{count:,} {level}" for level, count in self.by_level.items())
        return f"of {source}: {levels or 'none'}"

    @property
    def by_rule(self) -> dict[str, int]:
        """How many findings there are of each code, in the order of codes."""
        counts: Counter[str] = Counter()
        for told, count in self._tally.items():
            counts[told.code] += count
        return {code: counts[code] for code in sorted(counts)}

    @property
    def by_level(self) -> dict[Level, int]:
        """How many findings there are of each level, also of those with none."""
        counts: Counter[Level] = Counter()
        for told, count in self._tally.items():
            counts[told.level] += count
        return {level: counts[level] for level in LEVELS}

    @property
    def worst(self) -> Level | None:
        """The worst level among the findings; None where there are none."""
        return next((level for level, count in self.by_level.items() if count), None)

    @property
    def ok(self) -> bool:
        """Whether there is no finding of any level, and every document was read."""
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
    def _tally(self) -> Tally:
        if self._counts is None:
            with closing(iter(self)) as findings:
                next(findings, None)
        return self._counts or Counter()

    def _told(self, asking: StoreSession, texts: TextCache, omitted: Tally) -> Iterator[Finding]:
        """Put the rules, and tell what they found."""
        moment = self._moment or datetime.now(UTC)
        verdict = evaluate(
            asking,
            self._rules.values(),
            moment=moment,
            profile=self._profile,
            source=self._entries.source,
            rule_timeout_s=self._rule_timeout_s,
        )
        self._note(verdict.counts, omitted)
        self._given = Counter()
        given: Counter[str] = Counter()
        for row, place, text in placed(verdict.rows(), self._rules, texts):
            if not self._wanted(self._rules[row.code], row.source):
                continue
            given[row.code] += 1
            self._given[FindingKey(row.code, row.level, row.source)] += 1
            finding = self._finding(row, place)
            if text is not None and given[row.code] <= self._max_excerpts:
                finding = _with_excerpt(finding, place, text)
            yield finding

    def _note(self, counts: Tally, omitted: Tally) -> None:
        """Count what is wanted, also what is not given: the engine, and a query, have limits."""
        levels = {code: rule.level for code, rule in self._rules.items()}
        omitted = Counter(
            {
                told._replace(level=levels.get(told.code, told.level)): omitted[told]
                for told in omitted
            }
        )
        both = {
            told: count
            for told, count in (counts + omitted).items()
            if told.code in self._rules and self._wanted(self._rules[told.code], told.source)
        }
        self._counts = Counter(both)
        found: Counter[str] = Counter()
        for told, count in counts.items():
            found[told.code] += count
        hidden = {code: max(0, count - MAX_ROWS) for code, count in found.items()}
        self._omitted = Counter(hidden)
        for told, count in omitted.items():
            self._omitted[told.code] += count if told in both else 0
        self._omitted = +self._omitted

    def _finding(self, row: Row, place: ExactPlace) -> Finding:
        rule = self._rules[row.code]
        return Finding(
            rule.name,
            row.code,
            row.level,
            row.message,
            row.source,
            place.line,
            place.column,
            place.loc,
            rule.page.instead,
            place.offset,
            parameters=tuple(zip(rule.parameters, row.parameters, strict=False)),
        )


def _with_excerpt(finding: Finding, place: ExactPlace, text: Text) -> Finding:
    if place.at is None:
        return finding
    return finding._replace(excerpt=text.excerpt(place.at))

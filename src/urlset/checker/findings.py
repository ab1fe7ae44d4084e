"""Findings of a check: their type, and the iterable that evaluates the rules for them."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from urlset.checker.evaluate import MAX_ROWS, FindingKey, Row, Tally, evaluate
from urlset.checker.load import Excerpt, Failures, Text, TextCache, load
from urlset.checker.locate import ExactPlace, locate
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.rule import Basis, Rule, rule_texts
from urlset.errors import SourceError
from urlset.model import Level, ProgressEvent
from urlset.notebook import html_table
from urlset.reader import DocumentRecord, Entries
from urlset.store import RULE_S, Store, StoreSession

if TYPE_CHECKING:
    from urlset.html_report import SourceFigures

LEVELS: tuple[Level, ...] = ("error", "warning", "info")
"""The levels, most severe first."""

FAILURE_CODES = ("I503", "N001", "N003", "N007", "N008", "N012", "R015")
"""Codes of the rules that report a document as unread or read only in part.

A document that failed is a finding like any other: every report lists it, and ``ignore`` and a
baseline accept it. The command selects these rules unless they are ignored, because a check says
nothing about a document that was not read.
"""

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
    document. ``loc`` is the URL of its entry, ``fix`` a sentence, ``excerpt`` the line (for the
    first findings of each rule). ``parameters`` are the values in the message by name, as
    unformatted text, for programs: the columns that the message of the rule names, or the
    ``detail`` of a problem that the engine reports. ``basis`` is what a finding of an audit is
    based on (:data:`urlset.checker.Basis`); None for a finding of a check.
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


def failed_source(
    source: str,
    error: SourceError,
    rules: Mapping[str, Rule],
    selected: Selected,
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


class Findings:
    """Findings of a check. All documents are read before the first finding is yielded.

    Iterate it as :class:`Finding`, as often as needed. Each iteration evaluates the rules again:
    on the current content of files, and on the first download of a site. The counts are those of
    the most recent iteration; without one, reading a count starts one.

    >>> from urlset.checker import check
    >>> findings = check(b"https://example.com/ https://example.com/a", select=["T"])
    >>> findings.ok, findings.worst, findings.by_rule
    (False, 'error', {'T002': 1})
    """

    def __init__(
        self,
        entries: Entries,
        rules: Mapping[str, Rule],
        selected: Selected,
        *,
        max_excerpts: int,
        now: datetime | None,
        profile: str | None,
        progress: Callable[[ProgressEvent], None] | None = None,
        rule_timeout_s: float | None = RULE_S,
    ):
        self._entries = entries
        self._rules = {
            code: rule for code, rule in rules.items() if selected(rule, None) and not rule.is_live
        }
        self._selected = selected
        self._max_excerpts = max_excerpts
        self._now = now
        self._profile = profile
        self._rule_timeout_s = rule_timeout_s
        self._progress = progress
        self._counts: Tally | None = None
        self._omitted: Counter[str] = Counter()
        self._yielded: Tally = Counter()

    def __iter__(self) -> Generator[Finding]:
        return self.observed(lambda _: None)

    def observed(self, observe: Callable[[StoreSession], object]) -> Generator[Finding]:
        """Yield the findings, then call ``observe`` with the tables before they are deleted."""
        markup = MarkupFacts({need for rule in self._rules.values() for need in rule.needs})
        with Store.with_details() as store, TextCache() as texts:
            failures = Failures()
            omitted = load(store, texts, markup, failures, self._entries, self._progress)
            with store.session() as session:
                session.load("markup_facts", markup.flow())
                session.load("failures", failures.flow())
                yield from self._evaluate(session, texts, omitted)
                observe(session)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the findings with charts to an HTML file that works offline; evaluates the rules.

        Args:
            path: The file; it is replaced.

        Raises:
            urlset.TargetError: The file cannot be written.

        >>> import pathlib, tempfile
        >>> from urlset.checker import check
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "report.html")
        ...     check(b"https://example.com/ https://example.com/a").report(path)
        ...     path.read_text("utf-8")[:15]
        '<!doctype html>'
        """
        from urlset.html_report import ExampleLog, ReportInput, take_figures, write_html_report

        name = os.fsdecode(os.fspath(self._entries.source or "bytes"))
        figures: list[SourceFigures] = []
        log = ExampleLog()
        found = log.record(self.observed(lambda tables: figures.append(take_figures(tables, name))))
        deque(found, maxlen=0)
        for key, count in self.unlisted.items():
            log.add_omitted(key.level, key.code, count)
        report = ReportInput(
            kind="check",
            site=name,
            moment=self._now or datetime.now(UTC),
            log=log,
            rules=rule_texts(self._rules),
            sources=figures,
        )
        write_html_report(report, path)

    @property
    def count(self) -> int:
        """Number of findings, including those that are counted but not yielded."""
        return self._tally.total()

    @property
    def omitted(self) -> dict[str, int]:
        """Number of findings of each code beyond the 10,000 that are yielded."""
        return dict(self._omitted) if self._tally else {}

    @property
    def unlisted(self) -> Tally:
        """Number of findings that the last complete iteration counted but did not yield.

        The keys are rule, level and document.
        """
        return self._tally - self._yielded

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
        """Number of findings of each code, sorted by code."""
        counts: Counter[str] = Counter()
        for key, count in self._tally.items():
            counts[key.code] += count
        return {code: counts[code] for code in sorted(counts)}

    @property
    def by_level(self) -> dict[Level, int]:
        """Number of findings of each level, including levels without findings."""
        counts: Counter[Level] = Counter()
        for key, count in self._tally.items():
            counts[key.level] += count
        return {level: counts[level] for level in LEVELS}

    @property
    def worst(self) -> Level | None:
        """Most severe level among the findings; None if there are none."""
        return next((level for level, count in self.by_level.items() if count), None)

    @property
    def ok(self) -> bool:
        """Whether every document was read and there are no findings."""
        return not self._tally and not self.failed

    @property
    def documents(self) -> list[DocumentRecord]:
        """Documents that were checked or could not be read."""
        return self._entries.documents

    @property
    def failed(self) -> list[DocumentRecord]:
        """Documents that could not be read completely; each has an ``error``."""
        return [record for record in self.documents if record.error]

    @property
    def _tally(self) -> Tally:
        if self._counts is None:
            with closing(iter(self)) as findings:
                next(findings, None)
        return self._counts or Counter()

    def _evaluate(
        self, session: StoreSession, texts: TextCache, omitted: Tally
    ) -> Iterator[Finding]:
        """Evaluate the rules, count the findings and yield them."""
        result = evaluate(
            session,
            self._rules.values(),
            now=self._now or datetime.now(UTC),
            profile=self._profile,
            source=self._entries.source,
            rule_timeout_s=self._rule_timeout_s,
        )
        self._count(result.counts, omitted)
        self._yielded = Counter()
        yielded: Counter[str] = Counter()
        # A file without a URL is not a sitemap: its text, which may be secret, is not quoted.
        foreign = {
            record.source
            for record in self._entries.documents
            if record.kind in ("text", "unknown", None) and not record.entries
        }
        for row, place, text in locate(result.rows(), self._rules, texts):
            if not self._selected(self._rules[row.code], row.source):
                continue
            yielded[row.code] += 1
            self._yielded[FindingKey(row.code, row.level, row.source)] += 1
            finding = finding_of(row, self._rules[row.code], place)
            is_shown = yielded[row.code] <= self._max_excerpts and row.source not in foreign
            if text is not None and is_shown:
                finding = _with_excerpt(finding, place, text)
            yield finding

    def _count(self, counts: Tally, omitted: Tally) -> None:
        """Count the selected findings, including those beyond the limits of engine and queries."""
        levels = {code: rule.level for code, rule in self._rules.items()}
        omitted = Counter(
            {key._replace(level=levels.get(key.code, key.level)): omitted[key] for key in omitted}
        )
        both = {
            key: count
            for key, count in (counts + omitted).items()
            if key.code in self._rules and self._selected(self._rules[key.code], key.source)
        }
        self._counts = Counter(both)
        found: Counter[str] = Counter()
        for key, count in counts.items():
            found[key.code] += count
        hidden = {code: max(0, count - MAX_ROWS) for code, count in found.items()}
        self._omitted = Counter(hidden)
        for key, count in omitted.items():
            self._omitted[key.code] += count if key in both else 0
        self._omitted = +self._omitted


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


def _with_excerpt(finding: Finding, place: ExactPlace, text: Text) -> Finding:
    if place.at is None:
        return finding
    return finding._replace(excerpt=text.excerpt(place.at))

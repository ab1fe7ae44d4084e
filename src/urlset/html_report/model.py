"""Input of the HTML report: what was examined, the findings, and the documentation of rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeVar

from urlset.model import Level

MAX_EXAMPLES = 1_000
"""Examples of each rule that the report contains; all others are only counted."""

MAX_URLS = 10_000
"""URLs of each rule that the report lists."""


class _FindingFields(Protocol):
    """Fields of a finding that the report shows; :class:`urlset.Finding` has them."""

    @property
    def code(self) -> str: ...

    @property
    def level(self) -> Level: ...

    @property
    def message(self) -> str: ...

    @property
    def source(self) -> str | None: ...

    @property
    def line(self) -> int | None: ...

    @property
    def loc(self) -> str | None: ...


class Example(NamedTuple):
    """One finding as a row of the report.

    ``basis`` is observed, complete, sampled or unknown; empty if the finding has none.
    """

    url: str
    message: str
    place: str
    basis: str


_Finding = TypeVar("_Finding", bound=_FindingFields)


class ExampleLog:
    """Count findings by rule and keep the first :data:`MAX_EXAMPLES` of each rule as examples.

    The first :data:`MAX_URLS` different URLs of each rule are kept, too.
    """

    max_urls = MAX_URLS

    def __init__(self) -> None:
        self.urls: dict[str, dict[str, None]] = defaultdict(dict)
        self.recorded: Counter[str] = Counter()
        self.examples: dict[str, list[Example]] = defaultdict(list)
        self.levels: dict[str, Counter[Level]] = defaultdict(Counter)
        self.bases: dict[str, Counter[str]] = defaultdict(Counter)

    def record(self, findings: Iterable[_Finding]) -> Iterator[_Finding]:
        """Yield the findings unchanged and record each of them."""
        for finding in findings:
            self.add(finding)
            yield finding

    def add(self, finding: _FindingFields) -> None:
        """Record one finding."""
        self.levels[finding.code][finding.level] += 1
        self.recorded[finding.code] += 1
        urls = self.urls[finding.code]
        if finding.loc is not None and len(urls) < self.max_urls:
            urls[finding.loc] = None
        basis = str(getattr(finding, "basis", None) or "")
        if basis:
            self.bases[finding.code][basis] += 1
        examples = self.examples[finding.code]
        if len(examples) < MAX_EXAMPLES:
            source = finding.source or ""
            place = f"{source}:{finding.line}" if finding.line is not None else source
            examples.append(Example(finding.loc or source, finding.message, place, basis))

    def add_omitted(self, level: Level, code: str, count: int) -> None:
        """Count findings that exist but were not yielded."""
        if count > 0:
            self.levels[code][level] += count


class RuleText(NamedTuple):
    """Documentation of a rule: title, reason, fix, source and SQL.

    ``names_url`` is false if its messages do not name the URL that they are about.
    """

    code: str
    name: str
    level: Level
    title: str
    why: str
    fix_hint: str
    source: str
    sql: str | None
    names_url: bool = True


class Link(NamedTuple):
    """Cell of a table that is a link: untrusted text, and the relative path of a file."""

    text: str
    path: str


class Figure(NamedTuple):
    """One chart: its answer in words, its markup, and the same numbers as a table with their SQL.

    Attributes:
        key: Identifier, such as ``verdicts``.
        title: The answer in words, as plain text.
        about: What is drawn, as plain text.
        chart: HTML and SVG.
        columns: Column names of the table.
        rows: Rows of the table; numbers are formatted by the page.
        sql: Query that returns the numbers.
        is_wide: Whether the chart spans both columns of the page.
    """

    key: str
    title: str
    about: str
    chart: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    sql: str
    is_wide: bool = False


class SourceFigures(NamedTuple):
    """Figures of one source: the numbers at the top, the charts and the table of sections.

    Attributes:
        name: Path or URL of the source.
        sentence: Answer in one sentence, as plain text.
        numbers: Label, number and role of each number at the top.
        figures: The charts.
        sections: Rows of the table of sections; None if there is none.
        notes: Sentences about completeness.
        sql: Query of the numbers at the top.
        is_live: Whether pages were visited, so that the sentence is about them.
        tables: Further tables below that of the sections.
    """

    name: str
    sentence: str
    numbers: Sequence[tuple[str, str, str]]
    figures: Sequence[Figure]
    sections: Figure | None
    notes: Sequence[str]
    sql: str
    is_live: bool = False
    tables: Sequence[Figure] = ()


class CoverageCounts(NamedTuple):
    """Overlaps of the pages that are listed, linked and visited, as an audit counts them.

    Attributes:
        regions: Whether pages are listed, linked and visited, and their number.
        is_complete: Whether all links of the site are known.
        sql: Query of the regions.
        weakly_linked: How links lead to listed pages that have no plain link ("only by hreflang"),
            with the number of pages.
        weakly_linked_sql: Query of these numbers.
    """

    regions: Sequence[tuple[bool, bool, bool, int]]
    is_complete: bool
    sql: str
    weakly_linked: Sequence[tuple[str, int]] = ()
    weakly_linked_sql: str = ""


class LastmodTrial(NamedTuple):
    """Numbers of ``lastmod`` dates of a section, by whether they agree with their pages.

    Attributes:
        section: First folder of the paths.
        dates: Dates with a witness: the header Last-Modified, the date on the page, or the content
            at the previous audit.
        truthful: Dates that agree with it.
        late: Dates older than the last change of the page.
        early: Dates newer than it.
        invented: Dates that changed without the page, or that are equal for many pages.
        unknown: Dates without a witness, which are not among ``dates``.
    """

    section: str
    dates: int
    truthful: int
    late: int
    early: int
    invented: int
    unknown: int = 0


class RuleChange(NamedTuple):
    """Change of the findings of one rule since the previous run."""

    code: str
    new: int
    fixed: int
    still: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput:
    """Everything that the report shows.

    Attributes:
        kind: The operation that found it.
        site: Site, folder or file that was examined.
        moment: When it was examined.
        log: The findings.
        rules: Documentation of the rules by code.
        sources: Charts of each source, by :func:`urlset.html_report.take_figures`.
        sentence: First sentence of the report; None for the sentence of the first source.
        notes: Sentences about completeness, below the first sentence.
        lastmod_trial: Result of the trial of ``lastmod`` by section; empty if there was none.
        lastmod_sql: Query or origin of these numbers.
        changes: Changes since the previous run; None if there was none.
        previous: When the previous run was.
        changes_sql: Query or origin of these numbers.
        known: Number of findings in the baseline, which are not shown.
        views_sql: Statements that create the views of the queries of the rules in a store.
    """

    kind: Literal["audit", "check", "crawl", "watch", "diff", "report"]
    site: str
    moment: datetime
    log: ExampleLog
    rules: Mapping[str, RuleText]
    sources: Sequence[SourceFigures] = ()
    sentence: str | None = None
    notes: Sequence[str] = ()
    lastmod_trial: Sequence[LastmodTrial] = ()
    lastmod_sql: str = ""
    changes: Sequence[RuleChange] | None = None
    previous: datetime | None = None
    changes_sql: str = ""
    known: int = 0
    views_sql: str = ""

"""Check a source in parts: rules about one document where it is read, others on shuffled rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from urlset.arguments import checked_arguments
from urlset.arrow.batches import column_values
from urlset.arrow.streams import ColumnType, rows_to_batch
from urlset.checker import LEVELS, Findings, Rule, catalogue_with, levels_from, selector
from urlset.checker.evaluate import Row, evaluate
from urlset.checker.finding import Finding, Selected, finding_of
from urlset.checker.load import Failures, TextCache
from urlset.checker.locate import locate
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.rule import Partition
from urlset.model import Level
from urlset.option_schema import Profile, check_options
from urlset.partitioned.parts import ReadPart
from urlset.partitioned.rows import readings
from urlset.partitioned.set_tables import SET_TABLES, Piece, SetContext, exported, load_rows
from urlset.reader.filters import EntryFilter
from urlset.store import Store, StoreSession

FINDING_COLUMNS: tuple[tuple[str, ColumnType], ...] = (
    ("rule", "string"),
    ("code", "string"),
    ("level", "string"),
    ("message", "string"),
    ("source", "string"),
    ("line", "uint32"),
    ("column", "uint32"),
    ("loc", "string"),
    ("fix", "string"),
    ("offset", "uint64"),
)
"""Columns of findings, as the attributes of :class:`urlset.Finding`."""

_ROW_COLUMNS: tuple[tuple[str, ColumnType], ...] = (
    ("document", "uint32"),
    ("source", "string"),
    ("offset", "uint64"),
    ("line", "uint32"),
    ("column", "uint32"),
    ("loc", "string"),
    ("nth", "uint32"),
    ("code", "string"),
    ("level", "string"),
    ("message", "string"),
)


@dataclass(frozen=True, kw_only=True)
class PartitionedCheck:
    """Check that is divided into tasks; it can be pickled, and so can what the tasks need.

    1. :meth:`check_part` for each part: findings of rules about one document, and rows.
    2. :meth:`context` of the rows of all parts, once: the documents, indexes and robots.txt.
    3. :meth:`check_bucket` for each kind and bucket of shuffled rows, and :meth:`check_set`.
    4. :meth:`findings` for the results of step 3 by part: they find the lines in the documents.

    :func:`check` runs all of them in one process.

    Attributes:
        buckets: Number of buckets for rows that are shuffled. Each must fit in memory.
        now: Current time, the same in all tasks.
        select: As in :func:`urlset.check`, as the following.
        ignore: Rules that are excluded.
        extend_select: Rules that are checked, too.
        profile: Search engine whose rules are checked, too.
        levels: Levels of rules that differ from the catalogue.
        ignore_in: Rules that are not checked in some documents.
        min_level: Least severe level of findings that are found.
    """

    buckets: int
    now: datetime
    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()
    profile: Profile | None = None
    levels: Mapping[str, Level] = field(default_factory=dict)
    ignore_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    min_level: Level = "info"

    def __post_init__(self) -> None:
        if self.buckets < 1:
            raise ValueError(f"buckets: expected 1 or more, found {self.buckets}")
        check_options("check", self)
        _ = self._selected  # names of rules

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return partial(PartitionedCheck, **values), ()

    @cached_property
    def kinds(self) -> list[Partition]:
        """Kinds of shuffled rows that the selected rules need."""
        needed = {rule.partition for rule in self._rules.values() if self._is_on(rule)}
        return [kind for kind in ("loc", "link", "scope") if kind in needed]

    def check_part(self, number: int, part: ReadPart) -> Iterator[Piece]:
        """Read a part and evaluate the rules about one document.

        Args:
            number: Position of the part in the plan, from 0.
            part: The part.

        Yields:
            Findings, tables of the set and shuffled rows.
        """
        part = replace(part, robots=True)
        first = 0
        for entries in readings(part, EntryFilter.of(since=part.since)):
            findings = Findings(
                entries,
                self._rules,
                self._is_about_one_document,
                max_excerpts=0,
                now=self.now,
                profile=self.profile,
                min_level=self.min_level,
            )
            pieces: list[Piece] = []

            def export(session: StoreSession, first: int = first, pieces: Any = pieces) -> None:
                pieces += exported(session, number, self.kinds, self.buckets, first)

            found = list(findings.observed(export))
            if found:
                yield Piece("findings", number, 0, _finding_batch(found))
            yield from pieces
            first += len(entries.documents)

    def context(self, pieces: Iterable[Piece], parts: int) -> SetContext:
        """Merge the tables of the set: those pieces of all parts whose kind is a table."""
        return SetContext.of((piece for piece in pieces if piece.kind in SET_TABLES), parts)

    def check_bucket(
        self, kind: Partition, bucket: int, context: SetContext, pieces: Iterable[Piece]
    ) -> Iterator[Piece]:
        """Evaluate the rules of a partition on the rows of one bucket; yield rows by part."""
        return self._evaluated(kind, context, pieces, bucket)

    def check_set(self, context: SetContext) -> Iterator[Piece]:
        """Evaluate the rules that need no entries; yield rows by part.

        They need the rows of all documents, listed sitemaps and robots.txt of the set, some
        hundred bytes for each, and the texts of robots.txt.
        """
        return self._evaluated("all", context, (), 0)

    def findings(self, part: ReadPart | None, pieces: Iterable[Piece]) -> Iterator[Any]:
        """Find the lines of results in the documents of their part; yield batches of findings.

        Documents of files, buckets and archives are read again. Those of sites are not requested
        again: the place is that of the entry then, as in a check of a store.

        Args:
            part: The part; None for results without a document.
            pieces: The results.
        """
        rows = [row for piece in pieces for row in _rows_of(piece.batch)]
        rows.sort(key=lambda row: (row.document or 0, row.offset or 0))
        with TextCache() as texts:
            if part is not None and part.kind in ("documents", "warc"):
                numbers: dict[str | None, set[int]] = {}
                for row in rows:
                    if row.document is not None and row.offset is not None:
                        numbers.setdefault(row.source, set()).add(row.document)
                _add_texts(texts, part, numbers)
            found = [
                finding_of(row, self._rules[row.code], place)
                for row, place, _ in locate(iter(rows), self._rules, texts)
            ]
        if found:
            yield _finding_batch(found)

    @cached_property
    def _rules(self) -> dict[str, Rule]:
        return catalogue_with((), self.levels)

    @cached_property
    def _selected(self) -> Selected:
        return selector(
            self.select,
            self.ignore,
            self.extend_select,
            profile=self.profile,
            rules=self._rules,
            ignore_in=self.ignore_in,
        )

    def _is_on(self, rule: Rule) -> bool:
        return not rule.is_live and self._selected(rule, None)

    def _is_about_one_document(self, rule: Rule, source: str | None) -> bool:
        return rule.partition == "document" and self._selected(rule, source)

    def _evaluated(
        self, partition: Partition, context: SetContext, pieces: Iterable[Piece], bucket: int
    ) -> Iterator[Piece]:
        known = self._rules.values()
        rules = [rule for rule in known if rule.partition == partition and self._is_on(rule)]
        if not rules:
            return
        by_part: dict[int, list[Row]] = {}
        with Store.with_details() as store, store.session() as session:
            session.load("markup_facts", MarkupFacts(()).flow())
            session.load("failures", Failures().flow())
            given = context.load(session)
            session.run("CREATE TABLE entries AS FROM store.entries LIMIT 0")
            load_rows(session, "entries", pieces, context.starts)
            evaluation = evaluate(
                session,
                rules,
                now=self.now,
                profile=self.profile,
                given=given,
                bucket=(bucket, self.buckets) if partition == "link" else None,
                levels=None if self.min_level == LEVELS[-1] else levels_from(self.min_level),
            )
            for row in evaluation.rows():
                if self._selected(self._rules[row.code], row.source):
                    by_part.setdefault(context.part_of(row.document), []).append(row)
        for part, its in by_part.items():
            width = len(_ROW_COLUMNS)
            yield Piece("rows", part, 0, rows_to_batch(_ROW_COLUMNS, [row[:width] for row in its]))


@checked_arguments
def check(
    parts: Sequence[ReadPart],
    *,
    buckets: int | None = None,
    now: datetime | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    profile: Profile | None = None,
    levels: Mapping[str, Level] = MappingProxyType({}),
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    min_level: Level = "info",
) -> Iterator[Any]:
    r"""Check the parts of a source; the findings are those of :func:`urlset.check` of the source.

    This runs the tasks of :class:`PartitionedCheck` one after another.

    >>> from urlset.partitioned import plan
    >>> parts = plan({f"https://example.com/{name}.txt": b"https://example.com/"
    ...               for name in ("a", "b")}, part_bytes=1)
    >>> [batch.column("message").to_pylist() for batch in check(parts, select=["U"])]
    [['URL is in 2 sitemaps; the first is https://example.com/a.txt']]

    Args:
        parts: All parts of a source, from :func:`urlset.partitioned.plan`.
        buckets: Number of buckets for rows that are shuffled; by default the number of parts.
        now: Current time; by default the clock's.
        select: As in :func:`urlset.check`, as the following.
        ignore: Rules that are excluded.
        extend_select: Rules that are checked, too.
        profile: Search engine whose rules are checked, too.
        levels: Levels of rules that differ from the catalogue.
        ignore_in: Rules that are not checked in some documents.
        min_level: Least severe level of findings that are found.

    Yields:
        Record batches with the columns :data:`FINDING_COLUMNS`: at most 10,000 findings of each
        rule in each part and bucket.
    """
    plan = PartitionedCheck(
        buckets=max(1, len(parts)) if buckets is None else buckets,
        now=now or datetime.now(UTC),
        select=select,
        ignore=ignore,
        extend_select=extend_select,
        profile=profile,
        levels=levels,
        ignore_in=ignore_in,
        min_level=min_level,
    )
    return _batches(plan, parts)


def _batches(check: PartitionedCheck, parts: Sequence[ReadPart]) -> Iterator[Any]:
    kept: dict[tuple[str, int], list[Piece]] = {}
    for number, part in enumerate(parts):
        for piece in check.check_part(number, part):
            if piece.kind == "findings":
                yield piece.batch
            else:
                kept.setdefault((piece.kind, piece.bucket), []).append(piece)
    context = check.context((piece for its in kept.values() for piece in its), len(parts))
    found = [*check.check_set(context)]
    for kind in check.kinds:
        for bucket in range(check.buckets):
            if pieces := kept.get((kind, bucket)):
                found += check.check_bucket(kind, bucket, context, pieces)
    for number in sorted({piece.part for piece in found}):
        pieces = [piece for piece in found if piece.part == number]
        yield from check.findings(parts[number] if number >= 0 else None, pieces)


def _finding_batch(findings: Iterable[Finding]) -> Any:
    row_of = attrgetter(*(name for name, _ in FINDING_COLUMNS))
    return rows_to_batch(FINDING_COLUMNS, list(map(row_of, findings)))


def _rows_of(batch: Any) -> Iterator[Row]:
    columns = [column_values(batch, name) for name, _ in _ROW_COLUMNS]
    return (Row._make((*values, [], None)) for values in zip(*columns, strict=True))


def _add_texts(
    texts: TextCache, part: ReadPart, numbers: Mapping[str | None, Collection[int]]
) -> None:
    """Add the texts of documents to a cache, by source with their numbers."""
    if not numbers:
        return
    for entries in readings(part, EntryFilter(), numbers.keys()):
        with closing(entries.visits()) as visits:
            for record, document in visits:
                if document is not None and document.text:
                    for number in numbers.get(record.source, ()):
                        texts.add(number, document)

"""Fix all documents of a source: each one, the set, documents over the limits, robots.txt."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypedDict

from urlset.document import text_offset
from urlset.engine import get
from urlset.errors import SourceError
from urlset.fixer.fix_document import (
    DocumentFixer,
    Dropped,
    FixedText,
    objection_to_table,
    open_container,
)
from urlset.fixer.options import FindingsByRule, FixOptions, needs_set
from urlset.fixer.overlay import Overlay, is_file
from urlset.fixer.registry import ROBOTS_RULES, FindingLocation
from urlset.fixer.split import SplitResult, split
from urlset.formats.detect import has_sitemap_ending
from urlset.formats.encoding import decode
from urlset.model import ProgressEvent
from urlset.reader import read_documents
from urlset.reader.document_sources import DocumentSource, Location
from urlset.result import Result, ResultJson
from urlset.robots import read_robots
from urlset.terminal_text import pluralize
from urlset.urls import split_origin

MAX_ROUNDS = 10
"""Rounds over the set: a fix of an index may reveal a problem in the index above it."""


@dataclass(frozen=True)
class FixedDocument:
    """Document that was changed or created by fixes.

    Attributes:
        name: Name for messages, such as the path.
        key: Path or URL.
        before: Old bytes of the file; None for a new file.
        after: New bytes of the file.
        text_before: Old bytes, decompressed.
        text_after: New bytes, decompressed.
    """

    name: str
    key: object
    before: bytes | None = field(repr=False)
    after: bytes = field(repr=False)
    text_before: bytes = field(repr=False)
    text_after: bytes = field(repr=False)


class RemainingJson(TypedDict):
    """Findings of one rule in one document that were not fixed.

    Attributes:
        code: Code of the rule; empty for a document that must not be fixed.
        document: Name of the document.
        reason: Why they were not fixed.
    """

    code: str
    document: str
    reason: str


class FixedJson(ResultJson):
    """Result of :func:`urlset.fix`.

    Attributes:
        documents: Names of the documents that were changed or created.
        counts: Number of fixes by code of the rule.
        dropped: Content that was removed.
        remaining: Findings that were not fixed.
    """

    documents: list[str]
    counts: dict[str, int]
    dropped: list[Annotated[dict[str, Any], Dropped]]
    remaining: list[RemainingJson]


@dataclass(repr=False)
class Fixed(Result):
    """Result of :func:`urlset.fix`.

    Attributes:
        documents: Documents that were changed or created.
        counts: Number of fixes by code of the rule.
        dropped: Content that was removed.
        remaining: Findings that were not fixed: code, document, reason. The code is empty for a
            document that cannot be read or decoded, or is not a sitemap.
        passed: Bytes of the document if the source is a single stream, changed or not.
        source: Name of the source; None for bytes.
    """

    documents: list[FixedDocument] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    dropped: list[Dropped] = field(default_factory=list)
    remaining: list[tuple[str, str, str]] = field(default_factory=list)
    passed: bytes = field(default=b"", repr=False)
    source: str | None = None

    @property
    def subject(self) -> str:
        """The source, as the end of a phrase."""
        return f"of {'bytes' if self.source is None else repr(self.source)}"

    @property
    def _totals(self) -> str:
        fixes = pluralize(self.counts.total(), "fix", "fixes")
        return f"{fixes} in {pluralize(len(self.documents), 'document')}"

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Documents that cannot be read or must not be fixed, each with the reason."""
        return tuple(f"{name}: {why}" for code, name, why in self.remaining if not code)

    def to_dict(self) -> FixedJson:
        """Return counts, documents, removed content and what remains as values that JSON has."""
        return {
            **super().to_dict(),
            "documents": [document.name for document in self.documents],
            "counts": dict(self.counts),
            "dropped": [drop._asdict() for drop in self.dropped],
            "remaining": [
                {"code": code, "document": name, "reason": why}
                for code, name, why in self.remaining
            ],
        }

    def add(self, result: FixedText, name: str) -> None:
        """Add the result of one document."""
        self.counts.update(result.fixed)
        self.dropped += result.dropped
        self.remaining += [(code, name, why) for code, why in result.remaining.items()]


class SetFixer:
    """Fixer of the documents of one source in memory; use one object per source.

    ``progress`` is called after each document was checked.
    """

    def __init__(
        self,
        source: DocumentSource,
        options: FixOptions,
        progress: Callable[[ProgressEvent], None] | None = None,
    ):
        self._progress = progress
        self.overlay: Overlay = Overlay(source, options.now, options.engine, options.max_bytes)
        self.options: FixOptions = replace(options, robots=dict(self.overlay.robots_files()))
        self.fixed: Fixed = Fixed()
        self.before: dict[object, tuple[str, bytes]] = {}
        self.new: dict[object, str] = {}

    def fix(self) -> Fixed:
        """Fix the documents, and return the result.

        Raises:
            SourceError: There is nothing to read.
        """
        try:
            names = self._affected()
        except SourceError:
            # Of bytes and of stdin, which have no path, the error says that a path is needed.
            self._note_tables(
                name for name in self.overlay.locations_by_name if name not in ("", "-")
            )
            if not self.fixed.remaining:
                raise
            return self.fixed
        for name in names:
            self._fix(self.overlay.locations_by_name[name])
        for _ in range(MAX_ROUNDS):
            if not self._fix_set():
                break
        self._split()
        self._fix_robots()
        self.fixed.documents += self._changed()
        self._set_passed()
        return self.fixed

    def _note_tables(self, names: Iterable[str]) -> None:
        """Record which of the files are stores or tables, and are not fixed."""
        for name in names:
            if (location := self.overlay.locations_by_name.get(name)) is None:
                continue
            with suppress(SourceError):  # it cannot be read, which the check reports
                if (why := objection_to_table(location.load())) is not None:
                    self.fixed.remaining.append(("", name, why))

    def _affected(self) -> list[str]:
        """Check the source; return the names of the documents with findings to fix."""
        rules = {c: rule for c, rule in self.options.rules.items() if self.options.allows(c, None)}
        names: dict[str, None] = {}
        entries = read_documents(self.overlay, self.options.engine, self.options.max_bytes)
        if all(rule.is_engine_rule for rule in rules.values()):  # no database is needed
            urls = 0
            for number, (record, document) in enumerate(entries.visits(), 1):
                urls += record.entries
                if self._progress is not None:
                    self._progress(ProgressEvent(urls, number, None, record.source, record.error))
                if document is not None and any(p.code in rules for p in document.problems):
                    names[record.source or ""] = None
        else:
            for finding in self.options.findings(entries, rules, self._progress):
                names[finding.source or ""] = None
        self._note_tables(r.source or "" for r in entries.documents if r.error)
        return [name for name in names if name in self.overlay.locations_by_name]

    def _is_eligible(self, location: Location) -> bool:
        """Return whether the file at a location may be changed; record the reason if not."""
        why = objection_to_name(location)
        if why is not None:
            self.fixed.remaining.append(("", location.name or "", why))
        return why is None

    def _fix(self, location: Location) -> None:
        if not self._is_eligible(location):
            return
        name = location.name or ""
        result = DocumentFixer(location.load(), name, location.base_url, self.options).fix()
        self.fixed.add(result, name)
        self._replace(location, result.data)

    def _replace(self, location: Location, data: bytes) -> bool:
        """Replace a document in the overlay; return whether its bytes differ."""
        known = self.overlay.changed.get(location.key)
        before = location.load() if known is None else known
        if data == before:
            return False
        self.before.setdefault(location.key, (location.name or "", before))
        self.overlay.changed[location.key] = data
        return True

    def _fix_set(self) -> bool:
        """Fix the findings that depend on several documents; return whether anything changed."""
        allowed, known = self.options.allows, self.options.rules
        rules = {c: rule for c, rule in known.items() if needs_set(rule) and allowed(c, None)}
        if not rules:
            return False
        by_name: dict[str, list[FindingLocation]] = defaultdict(list)
        entries = read_documents(self.overlay, self.options.engine, self.options.max_bytes)
        for found in self.options.findings(entries, rules):
            if allowed(found.code, found.source):
                finding = FindingLocation.of(found, found.offset or 0)
                by_name[found.source or ""].append(finding)
        changed = [name for name, findings in by_name.items() if self._fix_in_set(name, findings)]
        return bool(changed)

    def _fix_in_set(self, name: str, findings: list[FindingLocation]) -> bool:
        location = self.overlay.locations_by_name.get(name)
        if location is None or not self._is_eligible(location):
            return False
        data = self.overlay.changed.get(location.key) or location.load()
        index = self.overlay.index_context(location)
        fixer = DocumentFixer(data, name, location.base_url, self.options, index)
        by_code: FindingsByRule = defaultdict(list)
        for finding in findings:
            at = text_offset(fixer.document, finding.start)
            by_code[finding.code].append(replace(finding, start=at, end=at))
        fixer.fix_findings(by_code)
        result = fixer.result()
        self.fixed.add(result, name)
        return self._replace(location, result.data)

    def _split(self) -> None:
        for location in list(self.overlay.locations_by_name.values()):
            try:
                result = split(location, self.overlay, self.options)
            except SourceError as error:  # it cannot be read
                self.fixed.remaining.append(("", location.name or "", str(error)))
                continue
            if result is not None and not self._is_eligible(location):
                continue
            if isinstance(result, str):
                self.fixed.remaining.append(("L001", location.name or "", result))
            elif result is not None:
                self._record_split(location, result)

    def _record_split(self, location: Location, result: SplitResult) -> None:
        self.fixed.counts.update(result.codes)
        self._replace(location, result.data)
        for key, name, data in result.others:
            self.new[key] = name
            self.overlay.changed[key] = data
        for parent, data in result.parents:
            self._replace(parent, data)
        self.fixed.dropped += result.dropped

    def _fix_robots(self) -> None:
        for url, data in list(self.overlay.robots_files()):
            found = fix_robots(data, url, self.options, self._addresses(url))
            if found.data != data:
                self.before.setdefault(url, (url, data))
                self.overlay.changed[url] = found.data
                self.fixed.counts.update(found.fixed)
                self.fixed.dropped += found.dropped

    def _addresses(self, robots: str) -> list[str]:
        """Return the URLs of sitemaps on the host of a robots.txt that no index lists."""
        origin = split_origin(robots)[:2]
        return [
            location.base_url
            for location in self.overlay.locations_by_name.values()
            if location.base_url
            and split_origin(location.base_url)[:2] == origin
            and location.key not in self.overlay.parents
        ]

    def _changed(self) -> Iterator[FixedDocument]:
        for key, after in self.overlay.changed.items():
            name, before = self.before.get(key, (self.new.get(key, ""), None))
            if before == after:
                continue
            texts = self._text(before or b""), self._text(after)
            yield FixedDocument(name, key, before, after, *texts)

    def _set_passed(self) -> None:
        for location in self.overlay.locations_by_name.values():
            if location.key is None:
                self.fixed.passed = self.overlay.changed.get(None) or location.load()

    def _text(self, data: bytes) -> bytes:
        return open_container(data, self.options.max_bytes, self.options.engine).raw


def objection_to_name(location: Location) -> str | None:
    """Return why the file at a location must not be fixed; None if it may be.

    An index can list any file of its folder.
    """
    key = location.key
    if is_file(key) and not location.is_named and not has_sitemap_ending(os.path.basename(key)):
        return "its name does not end like that of a sitemap; to fix it, name the file itself"
    return None


_LINES = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
_LINE_RULES = ("R002", "R003")


def fix_robots(data: bytes, url: str, options: FixOptions, addresses: Sequence[str]) -> FixedText:
    """Fix the lines that declare sitemaps; other lines are unchanged.

    The declared sitemaps must be the same before and after; otherwise nothing is changed. If there
    are none, those of ``addresses`` are declared.
    """
    before = read_robots(data, url)
    codes = {problem.code for problem in before.problems}
    missing = () if before.sitemaps else addresses
    fixable = ROBOTS_RULES & {*codes, "R001", "R004"}
    allowed = {code for code in fixable if options.allows(code, url)}
    fixed: Counter[str] = Counter()
    dropped: list[Dropped] = []
    if "R006" in codes or not allowed or "R007" in codes - allowed:
        return FixedText(data, fixed, dropped, {})
    decoded = decode(data, None, get(options.engine).is_utf8)
    if b"\0" in decoded.text or any(mark.code == "X010" for mark in decoded.diagnostics):
        return FixedText(data, fixed, dropped, {})
    text = decoded.text.decode(errors="replace")
    if "R007" in allowed:
        text = text.removeprefix("\ufeff")
        fixed["R007"] += 1
    wrong_lines = {p.line: p.code for p in before.problems if p.code in allowed & set(_LINE_RULES)}
    lines = list(_rewrite_lines(text, url, wrong_lines, fixed))
    if "R004" in allowed:
        lines = list(_remove_repeated(lines, url, fixed, dropped))
    added = missing if "R001" in allowed else ()
    if added:
        fixed["R001"] += 1
    after = "".join(_add_sitemaps(lines, added)).encode()
    declared = {*added, *(line.url for line in before.sitemaps)}
    is_same = {line.url for line in read_robots(after, url).sitemaps} == declared
    result = FixedText(after, fixed, dropped, {})
    return result if is_same and fixed else FixedText(data, Counter(), [], {})


def _add_sitemaps(lines: list[str], addresses: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a robots.txt, then a Sitemap line for each missing address."""
    yield from lines
    text = "".join(lines)
    if addresses and text and not text.endswith(("\n", "\r")):
        yield "\n"
    yield from (f"Sitemap: {address}\n" for address in addresses)


def _rewrite_lines(
    text: str, url: str, wrong_lines: dict[int, str], fixed: Counter[str]
) -> Iterator[str]:
    """Yield the lines of a robots.txt, with corrected lines in place of those with a problem."""
    for number, found in enumerate(_LINES.finditer(text), 1):
        declared = read_robots(found[1].encode(), url).sitemaps if number in wrong_lines else ()
        if not declared:
            yield found[0]
            continue
        fixed[wrong_lines[number]] += 1
        end = found[2] or "\n"
        yield from (f"Sitemap: {line.url}{end}" for line in declared)


def _remove_repeated(
    lines: list[str], url: str, fixed: Counter[str], dropped: list[Dropped]
) -> Iterator[str]:
    """Yield the lines of a robots.txt without repeated declarations of a sitemap."""
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        declared = {found.url for found in read_robots(line.encode(), url).sitemaps}
        if declared and declared <= seen:
            fixed["R004"] += 1
            dropped.append(Dropped("R004", url, number, line.strip()))
        else:
            yield line
        seen |= declared

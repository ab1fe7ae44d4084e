"""Registry of fixers by rule, and the context that a fixer function receives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple

from urlset.checker.finding import Finding, Parameters
from urlset.document import Document
from urlset.engine.reference.tokens import AttributeSpan
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit, Effect
from urlset.formats.spans import DocumentSpans, ElementSpan, decode_text
from urlset.model import Level


@dataclass(frozen=True, slots=True)
class FindingLocation:
    """Finding with its range in the text; the range is empty if only its start is known.

    ``parameters`` are the values in its message, by name.
    """

    code: str
    start: int
    end: int
    level: Level
    loc: str | None = None
    parameters: Parameters = ()

    @classmethod
    def of(cls, finding: Finding, at: int) -> FindingLocation:
        """Return a finding of a check at an offset in the text."""
        return cls(finding.code, at, at, finding.level, finding.loc, finding.parameters)

    def parameter(self, name: str) -> str:
        """Return one of the values in the message; an empty string if there is none."""
        return dict(self.parameters).get(name) or ""


class IndexContext(NamedTuple):
    """Functions that look up date and children of a document that an index lists, by URL.

    Attributes:
        lastmod: Returns when a document last changed: a datetime, or a date without time.
        children: Returns the URLs and lastmod texts that a listed index lists; None for others.
    """

    lastmod: Callable[[str], date | None] = lambda _: None
    children: Callable[[str], list[tuple[str, str | None]] | None] = lambda _: None


@dataclass(kw_only=True)
class DocumentContext:
    """Document in the state of the current pass, for fixers.

    Attributes:
        parsed: Parsed document.
        base_url: URL of the document.
        is_unsafe: Whether unsafe fixes are made.
        index: Lookups for the documents that it lists.
        spans: Positions of its elements.
    """

    parsed: Document
    base_url: str | None
    is_unsafe: bool
    index: IndexContext = field(default_factory=IndexContext)
    spans: DocumentSpans = field(init=False)

    def __post_init__(self) -> None:
        self.spans = DocumentSpans(self.parsed.text, self.parsed.engine)

    @property
    def data(self) -> bytes:
        """Text of the document, as UTF-8."""
        return self.parsed.text


class FixContext:
    """Finding to fix, with its document and helpers that create changes.

    Attributes:
        document: Context of the document.
        findings: All findings of the rule in the document, for fixers that run once per document.
        finding: The finding.
        code: Code of its rule.
        effect: Permitted effect of the changes, unless one names its own.
        start: Start of the wrong bytes in the text.
        end: End of the wrong bytes.
    """

    def __init__(
        self,
        document: DocumentContext,
        findings: list[FindingLocation],
        number: int,
        effect: Effect,
    ):
        self.document = document
        self.findings = findings
        self.finding: FindingLocation = findings[number]
        self.code: str = self.finding.code
        self.effect: Effect = effect
        self.start: int = self.finding.start
        self.end: int = self.finding.end

    @property
    def data(self) -> bytes:
        """Text of the document, as UTF-8."""
        return self.document.data

    @property
    def span(self) -> bytes:
        """The bytes of the finding, which are to be replaced."""
        return self.data[self.start : self.end]

    @property
    def is_unsafe(self) -> bool:
        """Whether unsafe fixes are made."""
        return self.document.is_unsafe

    @cached_property
    def entry(self) -> ElementSpan | None:
        """Entry that contains the finding."""
        return self.document.spans.entry_at(self.start)

    @cached_property
    def element(self) -> ElementSpan | None:
        """Innermost element that contains the finding or starts there."""
        return self.document.spans.element_at(self.start) if self.entry is not None else None

    def children(self, name: str) -> list[ElementSpan]:
        """Return the children of the entry with a name."""
        children = self.entry.children if self.entry is not None else ()
        return [child for child in children if child.local_name == name]

    def descendants(self, *names: str) -> Iterator[ElementSpan]:
        """Yield the descendants of the entry with one of these names."""
        if self.entry is not None:
            yield from self.entry.descendants(*names)

    def change(
        self, *edits: Edit, dropped: str | None = None, effect: Effect | None = None, added: int = 0
    ) -> Change:
        """Return a change of these edits for the rule of the finding."""
        return Change(self.code, edits, effect or self.effect, dropped, added)

    def replace(self, new: bytes, *, dropped: str | None = None) -> Change:
        """Return a change that replaces the bytes of the finding."""
        return self.change(Edit(self.start, self.end, new), dropped=dropped)

    def rewrite(self, element: ElementSpan, text: str, *, dropped: str | None = None) -> Change:
        """Return a change that replaces the text of an element."""
        new = escape(text).encode()
        return self.change(Edit(element.content_start, element.content_end, new), dropped=dropped)

    def remove(self, element: ElementSpan, *, effect: Effect | None = None) -> Change:
        """Return a change that removes an element and lists it as dropped."""
        dropped = excerpt(element.data[element.start : element.end])
        return self.change(Edit(*element.span(), b""), dropped=dropped, effect=effect)

    def rewrite_attribute(
        self, found: AttributeSpan, text: str, *, dropped: str | None = None
    ) -> Change:
        """Return a change that replaces the value of an attribute."""
        new = escape(text, attribute=True).encode()
        return self.change(Edit(found.value_start, found.value_end, new), dropped=dropped)

    def remove_attribute(self, found: AttributeSpan, *, effect: Effect | None = None) -> Change:
        """Return a change that removes an attribute and lists it as dropped."""
        dropped = excerpt(self.data[found.start : found.end])
        return self.change(Edit(found.start, found.end, b""), dropped=dropped, effect=effect)


def excerpt(data: bytes) -> str:
    """Return bytes as one line of at most 160 characters, for the list of dropped content."""
    text = " ".join(data[:800].decode(errors="replace").split())
    return text if len(text) <= 160 else text[:159] + "…"


class UrlSpan(NamedTuple):
    """URL at a range of the text; ``form`` is its escaping: text, xml or attribute."""

    start: int
    end: int
    text: str
    form: str

    def escape(self, url: str) -> bytes:
        """Return a new URL with the escaping that is required at the position of this one."""
        if self.form == "text":
            return url.encode()
        return escape(url, attribute=self.form == "attribute").encode()


def url_spans_of(context: FixContext) -> list[UrlSpan]:
    """Return the URL at a finding, or else all URLs of the entry that contains the finding."""
    if context.document.parsed.kind == "text":
        return [_line(context.data, *line_span(context.data, context.start))]
    entry = context.entry
    found = list(_in_entry(context.document, entry)) if entry is not None else []
    # A finding may start at the tag of the element that contains the URL.
    at, data = context.start, context.data
    meant = [x for x in found if x.start <= at <= x.end or data.rfind(b"<", 0, x.start) == at]
    return meant or found


def all_url_spans(document: DocumentContext) -> Iterator[UrlSpan]:
    """Yield the URLs of all entries of a document."""
    if document.parsed.kind == "text":
        position = 0
        for line in document.data.splitlines(keepends=True):
            start, end = line_span(document.data, position)
            if end > start:
                yield _line(document.data, start, end)
            position += len(line)
        return
    for entry in document.spans.entries():
        yield from _in_entry(document, entry)


def line_span(data: bytes, at: int) -> tuple[int, int]:
    """Return the start and end of the line at an offset, without the line break."""
    start = max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1
    ends = [end for mark in (b"\n", b"\r") if (end := data.find(mark, at)) >= 0]
    return start, min(ends, default=len(data))


def removed_line(data: bytes, at: int) -> Edit:
    """Return the edit that removes the line at an offset, with its line break."""
    start, end = line_span(data, at)
    end += 2 if data[end : end + 2] == b"\r\n" else 1
    return Edit(start, min(end, len(data)), b"")


def _line(data: bytes, start: int, end: int) -> UrlSpan:
    return UrlSpan(start, end, data[start:end].decode(errors="replace"), "text")


def _in_entry(document: DocumentContext, entry: ElementSpan) -> Iterator[UrlSpan]:
    if document.parsed.kind in ("rss", "atom"):
        yield from _in_item(entry)
        return
    for element in entry.descendants("loc"):
        parent = element.parent
        is_own = parent == entry or (parent is not None and parent.prefix == entry.prefix)
        if element.prefix == entry.prefix and is_own and element.text is not None:
            yield UrlSpan(element.content_start, element.content_end, element.text, "xml")


def _in_item(item: ElementSpan) -> Iterator[UrlSpan]:
    for child in item.children:
        for found in child.attributes:
            if child.local_name == "link" and found.name == "href":
                text = decode_text(child.data[found.value_start : found.value_end])
                if text and (child.attribute("rel") or "alternate") == "alternate":
                    yield UrlSpan(found.value_start, found.value_end, text, "attribute")
        if child.local_name in ("link", "guid") and child.stripped:
            yield UrlSpan(child.content_start, child.content_end, child.text or "", "xml")


def entry_removal(context: FixContext) -> Iterator[Change]:
    """Yield the change that removes the entry that contains a finding."""
    if context.document.parsed.kind == "text":
        start, end = line_span(context.data, context.start)
        line = context.data[start:end].decode(errors="replace")
        yield context.change(removed_line(context.data, start), dropped=line, effect="removed")
    elif context.entry is not None:
        yield context.remove(context.entry, effect="removed")


FixFunction = Callable[[FixContext], Iterable[Change]]


@dataclass(frozen=True, slots=True)
class Fixer:
    """Registered fixer of a rule: the function, its options and the permitted effect.

    Attributes:
        function: Yields the changes for a finding.
        effect: Permitted effect of its changes on the entries that they touch.
        is_per_document: Whether it is called once per document, not for each finding.
        is_partly_safe: Whether it decides itself which of its fixes are safe.
    """

    function: FixFunction
    effect: Effect
    is_per_document: bool
    is_partly_safe: bool

    def changes(
        self, document: DocumentContext, findings: list[FindingLocation]
    ) -> Iterator[Change]:
        """Call the function for findings in a document; yield its changes."""
        for number in range(1 if self.is_per_document else len(findings)):
            yield from self.function(FixContext(document, findings, number, self.effect))


FIXERS: dict[str, Fixer] = {}
"""Fixers by code of the rule."""

CONTAINER_RULES = frozenset({"X025", "X026", "X027", "X028", "X029"})
"""Rules of compressed files: fixed by compressing again, or not at all."""

SPLIT_RULES = frozenset({"L001", "L002", "L004", "L005", "L007", "L008"})
"""Rules of document limits: fixed by splitting the document."""

ROBOTS_RULES = frozenset({"R001", "R002", "R003", "R004", "R007"})
"""Rules of robots.txt that urlset.fixer.fix_set fixes."""


def fixer(
    *codes: str, effect: Effect = "values", per_document: bool = False, partly_safe: bool = False
) -> Callable[[FixFunction], FixFunction]:
    """Register a function as the fixer of some rules.

    Args:
        codes: Codes of the rules.
        effect: Permitted effect of its changes on the entries that they touch.
        per_document: Whether it is called once per document, not for each finding.
        partly_safe: Whether it decides itself which fixes are safe. Such a fixer also runs for
            rules with unsafe fixes, and yields unsafe changes only if ``context.is_unsafe``.
    """

    def register(function: FixFunction) -> FixFunction:
        for code in codes:
            if code in FIXERS:
                raise ValueError(f"{code} has two fixers")
            FIXERS[code] = Fixer(function, effect, per_document, partly_safe)
        return function

    return register


UrlFunction = Callable[[str, FixContext], str | None]


def url_fixer(
    *codes: str, per_document: bool = False, partly_safe: bool = False
) -> Callable[[UrlFunction], UrlFunction]:
    """Register a function that returns the correct URL, or None, as a fixer.

    With ``per_document`` it is called for all URLs of the document, otherwise for the URL of each
    finding.
    """

    def register(better: UrlFunction) -> UrlFunction:
        def function(context: FixContext) -> Iterator[Change]:
            for loc in all_url_spans(context.document) if per_document else url_spans_of(context):
                url = better(loc.text, context)
                if url is not None and url != loc.text:
                    added = int(context.code == "U001")
                    yield context.change(Edit(loc.start, loc.end, loc.escape(url)), added=added)

        fixer(*codes, effect="url", per_document=per_document, partly_safe=partly_safe)(function)
        return better

    return register

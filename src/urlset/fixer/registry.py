"""Who mends what: each fixer is a function registered for the rules that it mends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple

from urlset.checker.findings import Parameters
from urlset.document import Document
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit, Effect
from urlset.fixer.xml_spans import ElementSpan, EntrySpans
from urlset.model import Level

__all__ = [
    "ELSEWHERE",
    "FIXERS",
    "DocumentContext",
    "FindingLocation",
    "FixContext",
    "Fixer",
    "IndexContext",
    "fixer",
    "shown",
]


@dataclass(frozen=True, slots=True)
class FindingLocation:
    """Where a finding stands in the text; ``end`` is ``at`` where only its beginning is known.

    ``parameters`` are the values in its message, by name.
    """

    code: str
    at: int
    end: int
    level: Level
    loc: str | None = None
    parameters: Parameters = ()

    def parameter(self, name: str) -> str:
        """Return one of the values in its message; an empty text if there is none."""
        return dict(self.parameters).get(name) or ""


class IndexContext(NamedTuple):
    """What is known of the documents that an index lists, by their URL.

    ``lastmod`` returns when one was last changed, a moment or a day, ``children`` what one lists
    that is an index itself, with the dates as they stand there.
    """

    lastmod: Callable[[str], date | None] = lambda _: None
    children: Callable[[str], list[tuple[str, str | None]] | None] = lambda _: None


@dataclass(kw_only=True)
class DocumentContext:
    """One document at work: as it is in this pass, and what is known about it.

    ``base`` is its URL, ``name`` how people call it, ``around`` are the other documents.
    """

    document: Document
    name: str
    base: str | None
    moment: datetime
    is_unsafe: bool
    profile: str | None = None
    around: IndexContext = field(default_factory=IndexContext)
    entries: EntrySpans = field(init=False)

    def __post_init__(self) -> None:
        self.entries = EntrySpans(self.document.text)

    @property
    def data(self) -> bytes:
        """The text, as UTF-8."""
        return self.document.text


class FixContext:
    """One finding to be mended, and the tools for it.

    ``data`` is the whole text, ``at`` and ``end`` the span of what is wrong. ``spots`` are all
    findings of the rule in the document, for fixers of the whole.
    """

    def __init__(
        self, job: DocumentContext, spots: list[FindingLocation], number: int, effect: Effect
    ):
        self.job = job
        self.spots = spots
        self.spot = spots[number]
        self.code = self.spot.code
        self.effect: Effect = effect
        self.at, self.end = self.spot.at, self.spot.end

    @property
    def data(self) -> bytes:
        """The text of the document, as UTF-8."""
        return self.job.data

    @property
    def span(self) -> bytes:
        """What is wrong."""
        return self.data[self.at : self.end]

    @property
    def is_unsafe(self) -> bool:
        """Whether fixes are wanted that take something for granted."""
        return self.job.is_unsafe

    @cached_property
    def entry(self) -> ElementSpan | None:
        """The entry in which it stands."""
        return self.job.entries.around(self.at)

    @cached_property
    def element(self) -> ElementSpan | None:
        """The innermost element of the entry in which it stands, or which begins there."""
        found = self.entry
        while found is not None:
            inner = next((c for c in found.children if c.start <= self.at < c.end), None)
            if inner is None:
                return found
            found = inner
        return None

    def change(
        self,
        *edits: Edit,
        dropped: str | None = None,
        effect: Effect | None = None,
        fresh: int = 0,
    ) -> Change:
        """Edits that belong together."""
        return Change(self.code, edits, effect or self.effect, dropped, fresh)

    @property
    def is_error(self) -> bool:
        """Whether the finding is one."""
        return self.spot.level == "error"

    def replace(self, new: bytes, *, dropped: str | None = None) -> Change:
        """Other bytes for what is wrong."""
        return self.change(Edit(self.at, self.end, new), dropped=dropped)

    def rewrite(self, element: ElementSpan, text: str, *, dropped: str | None = None) -> Change:
        """Another text for an element."""
        new = escape(text).encode()
        return self.change(Edit(element.tag_end, element.close, new), dropped=dropped)

    def remove(self, element: ElementSpan, *, effect: Effect | None = None) -> Change:
        """Take an element away, and say so."""
        return self.change(
            Edit(*element.span(), b""), dropped=shown_element(element), effect=effect
        )


def shown_element(element: ElementSpan) -> str:
    """An element as it is listed among what was dropped."""
    return shown(element.data[element.start : element.end])


def shown(data: bytes) -> str:
    """Bytes as they are listed: on one line, 160 characters at most."""
    text = " ".join(data[:800].decode(errors="replace").split())
    return text if len(text) <= 160 else text[:159] + "…"


Mend = Callable[[FixContext], Iterable[Change]]


@dataclass(frozen=True, slots=True)
class Fixer:
    """A function that mends.

    With ``is_whole`` it is asked once for a document, not for each finding; with ``is_careful``
    it tells itself what is safe from what is not.
    """

    mend: Mend
    effect: Effect
    is_whole: bool
    is_careful: bool

    def changes(self, job: DocumentContext, spots: list[FindingLocation]) -> Iterator[Change]:
        """What it would change in a document."""
        for number in range(1 if self.is_whole else len(spots)):
            yield from self.mend(FixContext(job, spots, number, self.effect))


FIXERS: dict[str, Fixer] = {}
"""The fixers by the code of their rule."""

ELSEWHERE = frozenset({"R001", "R002", "R003", "R004", "R007"})
"""The rules of a robots.txt, which is no sitemap and has a mender of its own."""


def fixer(
    *codes: str, effect: Effect = "same", whole: bool = False, careful: bool = False
) -> Callable[[Mend], Mend]:
    """Register a function for some rules.

    It yields the changes for one finding, or with ``whole`` for all findings of its rule in a
    document. ``effect`` is what they do to the entries that they touch. With ``careful`` it is
    asked for rules of unsafe fixes, too, and yields unsafe ones only where those are wanted.
    """

    def register(mend: Mend) -> Mend:
        for code in codes:
            if code in FIXERS:
                raise ValueError(f"{code} has two fixers")
            FIXERS[code] = Fixer(mend, effect, whole, careful)
        return mend

    return register

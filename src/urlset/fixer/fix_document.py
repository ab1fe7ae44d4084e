"""Mends one document: pass after pass, each read again and compared, until nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urlset.document import Document, parse
from urlset.engine import source_offset
from urlset.fixer.container import Container, open_container
from urlset.fixer.edits import Change, Edit, apply, loses_content, without_overlaps
from urlset.fixer.eligibility import objection_to_fixing
from urlset.fixer.fixers import FIXERS
from urlset.fixer.options import FixOptions, Spots
from urlset.fixer.registry import DocumentContext, IndexContext
from urlset.fixer.verify import difference

__all__ = ["DocumentFixer", "Dropped", "FixedText"]

MAX_PASSES = 100
"""Passes over one document: of each rule the engine tells 10,000 findings at a time."""

MAX_TRIALS = 32
"""Trials to tell the changes that do harm from the others; each reads the document once."""

_LOST_BY_PACKING = {
    "X025": "what cannot be unpacked",
    "X026": "what stands behind the gzip stream",
}
_STAGES = ("X", "STF", "UDGHIPL")
_LAST = frozenset({"U023", "U024", "I004"})  # what is the same shows when all else is mended
_ENCODINGS = frozenset({"X011", "X012"})


class Dropped(NamedTuple):
    """Something that a fix has left out: by which rule, from which line, and what it was."""

    code: str
    source: str
    line: int
    what: str


class FixedText(NamedTuple):
    """A document after its fixes: ``fixed`` counts them by code, ``left`` says why some were not.

    The code in ``left`` is empty for a document that may not be fixed at all. ``raw`` is
    ``data`` unpacked.
    """

    data: bytes
    raw: bytes
    container: Container
    document: Document
    fixed: Counter[str]
    dropped: list[Dropped]
    left: dict[str, str]


class DocumentFixer:
    """The mending of one document; one object per document."""

    def __init__(
        self,
        data: bytes,
        name: str,
        base: str | None,
        wishes: FixOptions,
        around: IndexContext | None = None,
    ):
        self.data = data
        self.around = around or IndexContext()
        self.name = name
        self.base = base
        self.wishes = wishes
        self.container = open_container(data, wishes.limit, wishes.engine)
        self.raw = self.container.raw
        self.document = self._parsed(self.raw)
        self.fixed: Counter[str] = Counter()
        self.dropped: list[Dropped] = []
        self.left: dict[str, str] = {}
        self._is_repacked = False

    def mended(self) -> FixedText:
        """Mend what can be mended."""
        if self._may_be_changed():
            self._open()
            for _ in range(MAX_PASSES):
                self.left.clear()  # what could not be fixed before another fix may be now
                if not any(self._pass(spots) for spots in self._spots()):
                    break
        return self.result()

    def result(self) -> FixedText:
        """The document as it is; its very bytes where nothing was changed."""
        data = self.data
        if self.raw != self.container.raw or self._is_repacked:
            data = self.container.packed(self.raw, self.wishes.engine)
        return FixedText(
            data, self.raw, self.container, self.document, self.fixed, self.dropped, self.left
        )

    def mend(self, spots: Spots) -> bool:
        """Make one pass for findings that somebody else has; tell whether anything changed."""
        return self._may_be_changed() and self._pass(spots)

    def job(self) -> DocumentContext:
        """The document at work."""
        return DocumentContext(
            document=self.document,
            name=self.name,
            base=self.base,
            moment=self.wishes.moment,
            is_unsafe=self.wishes.is_unsafe,
            profile=self.wishes.profile,
            around=self.around,
        )

    def _parsed(self, raw: bytes) -> Document:
        wishes = self.wishes
        return parse(
            raw, base=self.base, engine=wishes.engine, source=self.name, limit=wishes.limit
        )

    def _may_be_changed(self) -> bool:
        if (why := objection_to_fixing(self.container, self.document)) is not None:
            self.left[""] = why
            return False
        return "X025" not in self.container.faults or self.wishes.allows("X025", self.name)

    def _open(self) -> None:
        """Note what is mended by packing anew."""
        for code in sorted(self.container.faults):
            if self.wishes.allows(code, self.name):
                self.fixed[code] += 1
                self._is_repacked = True
                if code in _LOST_BY_PACKING:
                    what = _LOST_BY_PACKING[code]
                    self.dropped.append(Dropped(code, self.name, 1, what))

    def _spots(self) -> Iterator[Spots]:
        """What is to be mended, in the order in which that is done; each is asked for anew."""
        for stage in _STAGES:
            found = self.wishes.reported(self.document, self.name)
            yield {code: spots for code, spots in found.items() if code[0] in stage}
        found = self.wishes.judged(self.raw, self.document, self.name, self.base)
        self._repack(found.pop("X027", []))
        yield {code: spots for code, spots in found.items() if code not in _LAST}
        yield {code: spots for code, spots in found.items() if code in _LAST}

    def _repack(self, spots: Sequence[object]) -> None:
        """Pack what its name says is packed, and unpack what it says is not (X027)."""
        is_packed = self.name.lower().endswith(".gz")
        if spots and is_packed != self.container.is_packed:
            self.container = self.container._replace(is_packed=is_packed)
            self.fixed["X027"] += 1
            self._is_repacked = True

    def _pass(self, spots: Spots) -> bool:
        """Make the changes for some findings; where they do harm, those of a code that do not."""
        job = self.job()
        changes = self._changes(job, spots)
        if not changes:
            return False
        if self._make(changes) is None:
            return True
        is_changed = False
        for code in dict.fromkeys(change.code for change in changes):
            again = self._changes(self.job(), {code: spots[code]}) if not is_changed else []
            if again:
                why = self._make_some(again)
                is_changed = why is None
                if why is not None:
                    self.left[code] = why
        return is_changed

    def _make_some(self, changes: list[Change]) -> str | None:
        """Make those of some changes that do no harm, found by halves; say why where none is."""
        parts = [changes]
        why: str | None = None
        for _ in range(MAX_TRIALS):
            if not parts:
                break
            part = parts.pop(0)
            why = self._make(part)
            if why is None:
                return None
            middle = len(part) // 2
            parts += [part[:middle], part[middle:]] if middle else []
        return why

    def _changes(self, job: DocumentContext, spots: Spots) -> list[Change]:
        found = [
            change
            for code in sorted(spots, key=_order)
            if code in FIXERS and code not in self.left
            for change in FIXERS[code].changes(job, spots[code])
            if change.edits and self._may_be_made(code, change)
        ]
        if job.document.runs and job.document.encoding != "utf-8":
            found = [change for change in found if change.code in _ENCODINGS]
        return without_overlaps(found)

    def _may_be_made(self, code: str, change: Change) -> bool:
        """Tell whether a change is asked for: one that loses content never is a safe one."""
        wishes = self.wishes
        is_asked_for = wishes.is_unsafe or wishes.rules[code].fix_safety == "opt-in"
        return is_asked_for or not loses_content(self.document.text, change)

    def _make(self, changes: list[Change]) -> str | None:
        """Make changes, and say why not where they would do harm."""
        raw = _changed(self.raw, self.document, changes)
        if raw == self.raw:
            return "it would change nothing"
        document = self._parsed(raw)
        why = difference(self.document, document, changes)
        if why is None:
            self.dropped += _listed(self.document.text, changes, self.name)
            self.fixed.update(change.code for change in changes)
            self.raw, self.document = raw, document
        return why


def _order(code: str) -> tuple[int, str]:
    """Encodings come first, since nothing else can be changed before."""
    return (0 if code in _ENCODINGS else 1, code)


def _changed(raw: bytes, document: Document, changes: list[Change]) -> bytes:
    """The bytes of the document with the changes of its text in them."""
    if not document.runs:
        return apply(raw, changes)
    for change in changes:
        if change.edits[0][:2] == (0, len(document.text)):
            return change.edits[0].new
    moved = [
        change._replace(edits=tuple(_in_source(edit, document) for edit in change.edits))
        for change in changes
    ]
    return apply(raw, moved)


def _in_source(edit: Edit, document: Document) -> Edit:
    """An edit of the text as one of the bytes that it was decoded from."""
    start, end = (source_offset(place, document.runs) for place in edit[:2])
    return Edit(start, end, edit.new)


def _listed(text: bytes, changes: list[Change], name: str) -> Iterator[Dropped]:
    """What the changes drop, with the lines."""
    position, line = 0, 1
    for change in sorted(changes, key=lambda change: change.start):
        if change.dropped is not None:
            line += text.count(b"\n", position, change.start)
            position = change.start
            yield Dropped(change.code, name, line, change.dropped)

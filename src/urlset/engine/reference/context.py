"""What one document needs while it is read: its text, the marks made so far, offsets and lines."""

from __future__ import annotations

from urlset.engine import Mark, OffsetRun, in_order, source_offset
from urlset.model import Entry, Sitemap
from urlset.protocol import MAX_LOC, MAX_MARKS
from urlset.urls import SPACE, ParsedUrl, UrlIssue, parse_url, resolve

__all__ = ["Context", "ascii_lower", "snippet"]

SNIPPET = 80


def snippet(text: str) -> str:
    """Shorten a value for a message: one line, 80 characters."""
    text = text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return text if len(text) <= SNIPPET else text[:SNIPPET] + "…"


def ascii_lower(text: str) -> str:
    """Lower the letters A to Z and no others, as the native engine does."""
    return text.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(65, 91)}


class Context:
    """The state of one document; one object per document, never reused."""

    def __init__(self, text: bytes, base: str | None, source: str | None, runs: list[OffsetRun]):
        self.text = text
        self.base = base
        self.source = source
        self.runs = runs
        self.entries: list[Entry] = []
        self.sitemaps: list[Sitemap] = []
        self.marks: dict[str, list[Mark]] = {}
        self.omitted: dict[str, int] = {}
        self.entities: dict[bytes, bytes] = {}
        self.has_doctype = False
        self.entities_used = False
        self.has_unknown_entities = False
        self.expansions: dict[bytes, str | None] = {}
        self.expanded = 0
        self.news_count = 0
        self.unended: set[tuple[int, bool]] = set()  # see doctype.py
        self.root_start = 0
        self.whole: set[int] | None = None  # see nesting.py
        self._next: dict[bytes, tuple[int, int]] = {}
        self._once: dict[str, set[object]] = {}
        self._has_cr = b"\r" in text
        self._line_offset = 0
        self._line = 1

    def mark(
        self, code: str, offset: int, end: int, detail: str = "", level: str | None = None
    ) -> None:
        """Note a problem."""
        marks = self.marks.setdefault(code, [])
        marks.append(Mark(code, offset, end, snippet(detail), level))
        if len(marks) >= 2 * MAX_MARKS:
            self._prune(code)

    def mark_once(self, code: str, key: object, offset: int, end: int, detail: str = "") -> None:
        """Note a problem the first time only that it is met with this key in the document."""
        seen = self._once.setdefault(code, set())
        if key not in seen and len(seen) < MAX_MARKS:
            seen.add(key)
            self.mark(code, offset, end, detail)

    def raise_marks(self, code: str, start: int) -> None:
        """Make errors of the latest problems of this code, as far back as they stand behind."""
        marks = self.marks.get(code, [])
        for number in range(len(marks) - 1, -1, -1):
            if marks[number].offset < start:
                break
            marks[number] = marks[number]._replace(level="error")

    def withdraw(self, code: str, offset: int) -> bool:
        """Take back a problem, if it is among the last 256 of its code; tell whether it was."""
        marks = self.marks.get(code, [])
        for number in range(len(marks) - 1, max(len(marks) - 257, -1), -1):
            if marks[number].offset == offset:
                del marks[number]
                return True
        return False

    def keep_first(self, code: str) -> None:
        """Forget all problems of this code but the first."""
        self.omitted.pop(code, None)
        del self.marks.get(code, [])[1:]

    def all_marks(self) -> list[Mark]:
        """The problems in their order: of each code the first ones, the rest is counted."""
        for code in self.marks:
            self._prune(code)
        return in_order([mark for marks in self.marks.values() for mark in marks])

    def _prune(self, code: str) -> None:
        """Keep the first problems of a code, so that no document fills the memory with them."""
        marks = in_order(self.marks[code])
        if len(marks) > MAX_MARKS:
            self.omitted[code] = self.omitted.get(code, 0) + len(marks) - MAX_MARKS
        self.marks[code] = marks[:MAX_MARKS]

    def mark_flaws(self, flaws: tuple[UrlIssue, ...], offset: int, end: int) -> None:
        """Note what was wrong with a value."""
        for flaw in flaws:
            self.mark(flaw.code, offset, end, flaw.detail, flaw.level)

    def find(self, word: bytes, start: int) -> int:
        """The offset of the next ``word``, or -1; none is searched for twice.

        Else a document of many beginnings and no end, or one, would take the square of its length.
        """
        begin, found = self._next.get(word, (1, 0))
        if not begin <= start or -1 < found < start:
            found = self.text.find(word, start)
            self._next[word] = start, found
        return found

    def url(
        self, text: str, offset: int, end: int, base: str | None = None, *, is_stated: bool = False
    ) -> str | None:
        """Read a URL, relative to ``base`` or to the document's, and note its flaws.

        Where the document itself states the base, a relative reference is no flaw.
        """
        found: ParsedUrl = parse_url(text, base or self.base)
        flaws = found.flaws
        is_relative = is_stated and any(flaw.code == "U001" for flaw in flaws)
        if is_relative and base is not None and found.url == resolve(text.strip(SPACE), base):
            flaws = tuple(flaw for flaw in flaws if flaw.code != "U001")
        self.mark_flaws(flaws, offset, end)
        if found.url is not None and len(found.url) >= MAX_LOC:
            self.mark("U003", offset, end, str(len(found.url)))
        return found.url

    def line(self, offset: int) -> int:
        """The line of an offset, from 1; offsets must come in rising order."""
        text, start = self.text, self._line_offset
        self._line += text.count(b"\n", start, offset)
        if self._has_cr:
            self._line += text.count(b"\r", start, offset) - text.count(b"\r\n", start, offset)
        self._line_offset = offset
        return self._line

    def source_offset(self, offset: int) -> int:
        """Where a byte of the text stood in the original bytes."""
        return source_offset(offset, self.runs)

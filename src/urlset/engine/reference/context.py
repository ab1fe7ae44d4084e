"""State of one parse: text, diagnostics, entries, offsets and line numbers."""

from __future__ import annotations

from urlset.engine import Diagnostic, OffsetRun, in_order, source_offset
from urlset.model import Entry, Sitemap
from urlset.protocol import MAX_DIAGNOSTICS, MAX_LOC, READ_LIMIT
from urlset.urls import SPACE, ParsedUrl, UrlIssue, parse_url, resolve

SNIPPET = 80


def snippet(text: str) -> str:
    """Shorten a text for a message to one line of at most 80 characters."""
    text = text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return text if len(text) <= SNIPPET else text[:SNIPPET] + "…"


def ascii_lower(text: str) -> str:
    """Return a text with the letters A to Z in lower case, as the native engine does."""
    return text.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(65, 91)}


class Context:
    """State of the parse of one document; one object per document, never reused."""

    def __init__(self, text: bytes, base: str | None, source: str | None, runs: list[OffsetRun]):
        self.text = text
        self.base = base
        self.source = source
        self.runs = runs
        self.entries: list[Entry] = []
        self.sitemaps: list[Sitemap] = []
        self.diagnostics: dict[str, list[Diagnostic]] = {}
        self.omitted: dict[str, int] = {}
        self.entities: dict[bytes, bytes] = {}
        self.has_doctype = False
        self.entities_used = False
        self.has_unknown_entities = False
        self.expansions: dict[bytes, str | None] = {}
        self.expanded = 0
        self.news_count = 0
        self.unterminated_doctypes: set[tuple[int, bool]] = set()  # see prolog.py
        self.root_start = 0
        self.well_nested: set[int] | None = None  # see spans.py
        self._next: dict[bytes, tuple[int, int]] = {}
        self._once: dict[str, set[object]] = {}
        self._added = 0  # bytes of the bases of relative URLs, which the document does not have
        self._has_cr = b"\r" in text
        self._line_offset = 0
        self._line = 1

    def report(
        self, code: str, offset: int, end: int, detail: str = "", level: str | None = None
    ) -> None:
        """Add a diagnostic with a rule code and a byte range."""
        diagnostics = self.diagnostics.setdefault(code, [])
        diagnostics.append(Diagnostic(code, offset, end, snippet(detail), level))
        if len(diagnostics) >= 2 * MAX_DIAGNOSTICS:
            self._prune(code)

    def is_full(self, code: str) -> bool:
        """Return whether later diagnostics of a code are only counted."""
        return len(self.diagnostics.get(code, ())) >= MAX_DIAGNOSTICS

    def omit(self, code: str, count: int) -> None:
        """Count diagnostics of a code for which :meth:`is_full` is true."""
        if count:
            self.omitted[code] = self.omitted.get(code, 0) + count

    def report_once(self, code: str, key: object, offset: int, end: int, detail: str = "") -> None:
        """Add a diagnostic unless one with this code and key exists in the document."""
        seen = self._once.setdefault(code, set())
        if key not in seen and len(seen) < MAX_DIAGNOSTICS:
            seen.add(key)
            self.report(code, offset, end, detail)

    def escalate(self, code: str, start: int) -> None:
        """Raise the level of the diagnostics of a code at or after ``start`` to error."""
        diagnostics = self.diagnostics.get(code, [])
        for number in range(len(diagnostics) - 1, -1, -1):
            if diagnostics[number].offset < start:
                break
            diagnostics[number] = diagnostics[number]._replace(level="error")

    def retract(self, code: str, offset: int) -> bool:
        """Remove the diagnostic at an offset, if among the last 256 of a code; return whether."""
        diagnostics = self.diagnostics.get(code, [])
        for number in range(len(diagnostics) - 1, max(len(diagnostics) - 257, -1), -1):
            if diagnostics[number].offset == offset:
                del diagnostics[number]
                return True
        return False

    def keep_first(self, code: str) -> None:
        """Remove all diagnostics with a code but the first."""
        self.omitted.pop(code, None)
        del self.diagnostics.get(code, [])[1:]

    def all_diagnostics(self) -> list[Diagnostic]:
        """Return the diagnostics in order; of each code the first ones, the others are counted."""
        for code in self.diagnostics:
            self._prune(code)
        return in_order(
            [diagnostic for diagnostics in self.diagnostics.values() for diagnostic in diagnostics]
        )

    def _prune(self, code: str) -> None:
        """Limit the diagnostics of a code, so that no document exhausts the memory."""
        diagnostics = in_order(self.diagnostics[code])
        if len(diagnostics) > MAX_DIAGNOSTICS:
            self.omitted[code] = self.omitted.get(code, 0) + len(diagnostics) - MAX_DIAGNOSTICS
        self.diagnostics[code] = diagnostics[:MAX_DIAGNOSTICS]

    def report_issues(self, issues: tuple[UrlIssue, ...], offset: int, end: int) -> None:
        """Add a diagnostic for each issue of a URL."""
        for issue in issues:
            self.report(issue.code, offset, end, issue.detail, issue.level)

    def find(self, word: bytes, start: int) -> int:
        """Return the offset of the next ``word``, or -1, without scanning a byte twice.

        Otherwise a document of many starts and one end would cost the square of its length.
        """
        begin, found = self._next.get(word, (1, 0))
        if not begin <= start or -1 < found < start:
            found = self.text.find(word, start)
            self._next[word] = start, found
        return found

    def url(
        self, text: str, offset: int, end: int, base: str | None = None, *, is_stated: bool = False
    ) -> str | None:
        """Parse a URL, resolve it against ``base`` or the document's base, and report its issues.

        A relative reference is not an issue if the document itself states the base.
        """
        if self._added > READ_LIMIT:
            found: ParsedUrl = parse_url(text, None)
        else:
            found = parse_url(text, base or self.base)
        flaws = found.issues
        is_relative = is_stated and any(flaw.code == "U001" for flaw in flaws)
        if is_relative and base is not None and found.url == resolve(text.strip(SPACE), base):
            flaws = tuple(flaw for flaw in flaws if flaw.code != "U001")
        self.report_issues(flaws, offset, end)
        if found.url is not None and found.url is not text:
            self._added += max(0, len(found.url.encode()) - len(text.encode()))
            if self._added > READ_LIMIT:
                expanded = f"Relative URLs expand to more than {READ_LIMIT:,} bytes; cut"
                self.report_once("L009", None, offset, end, expanded)
                return None
        if found.url is not None and len(found.url) >= MAX_LOC:
            self.report("U003", offset, end, str(len(found.url)))
        return found.url

    def line(self, offset: int) -> int:
        """Return the line of an offset, from 1; offsets must be passed in ascending order."""
        text, start = self.text, self._line_offset
        self._line += text.count(b"\n", start, offset)
        if self._has_cr:
            self._line += text.count(b"\r", start, offset) - text.count(b"\r\n", start, offset)
        self._line_offset = offset
        return self._line

    def source_offset(self, offset: int) -> int:
        """Return the offset in the original bytes of an offset in the text."""
        return source_offset(offset, self.runs)

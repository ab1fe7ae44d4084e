"""Fix one document in passes: apply edits, parse and verify the result, until nothing changes."""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urlset import engine as engines
from urlset.document import IN_PACKED, Document
from urlset.engine import source_offset
from urlset.fixer.edits import Change, Edit, apply, difference, loses_content, without_overlaps
from urlset.fixer.fixers import FIXERS
from urlset.fixer.options import FindingsByRule, FixOptions
from urlset.fixer.registry import DocumentContext, IndexContext
from urlset.formats.compression import DAMAGE, HEAD_BYTES, inflate
from urlset.formats.signatures import signature
from urlset.reader.documents import rejection_reason

_TRUNCATED = frozenset({"L009"})  # the part over the limit was not read


class Container(NamedTuple):
    """Decompressed bytes of a document, and how to compress them again (rules X025 to X029).

    The gzip header has no timestamp, so that equal documents give equal bytes.

    Attributes:
        raw: Decompressed bytes.
        is_packed: Whether the file is gzip.
        faults: Codes of the problems of the compressed file.
    """

    raw: bytes
    is_packed: bool
    faults: frozenset[str]

    def packed(self, raw: bytes, engine: str | None) -> bytes:
        """Compress ``raw`` if the document was compressed; return the bytes of the file."""
        return engines.get(engine).gzip(raw) if self.is_packed else raw


def open_container(data: bytes, max_bytes: int, engine: str | None) -> Container:
    """Decompress a document; an archive with one member is replaced by that member."""
    inflated = inflate(data, max_bytes, engines.get(engine).gunzip)
    faults = frozenset(mark.code for mark in inflated.diagnostics if mark.code in IN_PACKED)
    raw = inflated.data
    if "X029" in faults and inflated.layers == 0:
        member = _member(raw, max_bytes)
        if member is None:
            return Container(raw, False, faults | _TRUNCATED)
        return Container(member, True, faults)
    return Container(raw, inflated.layers > 0, faults)


def _member(data: bytes, max_bytes: int) -> bytes | None:
    """Return the only member of an archive; None if it has several or cannot be read."""
    try:
        form = signature(data)
        if form in ("bzip2", "xz"):
            unpacker = bz2.BZ2Decompressor() if form == "bzip2" else lzma.LZMADecompressor()
            return _limited(unpacker.decompress(data, max_bytes + 1), max_bytes)
        if form == "zip":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = [info for info in archive.infolist() if not info.is_dir()]
                if len(files) != 1 or files[0].file_size > max_bytes:
                    return None
                with archive.open(files[0]) as member:
                    return _limited(member.read(max_bytes + 1), max_bytes)
    except (OSError, *DAMAGE, zipfile.BadZipFile, RuntimeError):
        pass  # also a NotImplementedError: a compression method that zipfile does not support
    return None


def _limited(data: bytes, max_bytes: int) -> bytes | None:
    return data if len(data) <= max_bytes else None


_REPLACEMENT = "\ufffd".encode()
"""Replacement character for undecodable bytes, such as those of an unknown encoding."""

MAX_PASSES = 100
"""Maximum number of passes; the engine reports at most 10,000 findings of a rule per pass."""

MAX_ATTEMPTS = 32
"""Attempts to separate harmful changes from the others; each parses the document once."""

_LOST_BY_COMPRESSION = {
    "X025": "content that cannot be decompressed",
    "X026": "content after the gzip stream",
}
_STAGES = ("X", "STF", "UDGHIPL")
_LAST = frozenset({"U023", "U024", "I004"})  # duplicates are compared after all other fixes
_ENCODINGS = frozenset({"X011", "X012"})


class Dropped(NamedTuple):
    """Content that a fix removed.

    Attributes:
        code: Code of the rule.
        source: Path or URL of the document.
        line: Line of the removed content, from 1.
        what: Excerpt of it, or a description.
    """

    code: str
    source: str
    line: int
    what: str


class FixedText(NamedTuple):
    """Document after its fixes.

    Attributes:
        data: New bytes of the file.
        fixed: Number of fixes by rule.
        dropped: What was dropped.
        remaining: Why findings were not fixed, by code; the code is empty for a document that must
            not be fixed at all.
    """

    data: bytes
    fixed: Counter[str]
    dropped: list[Dropped]
    remaining: dict[str, str]


class DocumentFixer:
    """Fixer of one document; use one object per document."""

    def __init__(
        self,
        data: bytes,
        name: str,
        base_url: str | None,
        options: FixOptions,
        index: IndexContext | None = None,
    ):
        self.data = data
        self.index: IndexContext = index or IndexContext()
        self.name = name
        self.base_url = base_url
        self.options = options
        self.container: Container = open_container(data, options.max_bytes, options.engine)
        self.raw: bytes = self.container.raw
        self.document: Document = options.parse(self.raw, name, base_url)
        self.fixed: Counter[str] = Counter()
        self.dropped: list[Dropped] = []
        self.remaining: dict[str, str] = {}
        self._is_repacked = False

    def fix(self) -> FixedText:
        """Fix all findings that can be fixed."""
        if self._may_be_changed():
            self._fix_compression()
            for _ in range(MAX_PASSES):
                self.remaining.clear()  # another fix may have made these possible
                if not any(self._pass(findings) for findings in self._findings()):
                    break
        return self.result()

    def result(self) -> FixedText:
        """Return the current document with its fixes and remaining findings, unchanged if none."""
        data = self.data
        if self.raw != self.container.raw or self._is_repacked:
            data = self.container.packed(self.raw, self.options.engine)
        return FixedText(data, self.fixed, self.dropped, self.remaining)

    def fix_findings(self, findings: FindingsByRule) -> bool:
        """Apply fixes for given findings once; return whether anything changed."""
        return self._may_be_changed() and self._pass(findings)

    def _context(self) -> DocumentContext:
        return DocumentContext(
            parsed=self.document,
            base_url=self.base_url,
            is_unsafe=self.options.is_unsafe,
            index=self.index,
        )

    def _may_be_changed(self) -> bool:
        if (why := objection_to_fixing(self.container, self.document)) is not None:
            self.remaining[""] = why
            return False
        return "X025" not in self.container.faults or self.options.allows("X025", self.name)

    def _fix_compression(self) -> None:
        """Mark the file to be compressed again if that fixes faults of its compression."""
        for code in sorted(self.container.faults):
            if self.options.allows(code, self.name):
                self.fixed[code] += 1
                self._is_repacked = True
                if code in _LOST_BY_COMPRESSION:
                    what = _LOST_BY_COMPRESSION[code]
                    self.dropped.append(Dropped(code, self.name, 1, what))

    def _findings(self) -> Iterator[FindingsByRule]:
        """Yield findings in stages; each stage checks the document as earlier stages fixed it."""
        for stage in _STAGES:
            found = self.options.engine_findings(self.document, self.name)
            yield {code: findings for code, findings in found.items() if code[0] in stage}
        found = self.options.sql_findings(self.raw, self.document, self.name, self.base_url)
        self._repack(found.pop("X027", []))
        yield {code: findings for code, findings in found.items() if code not in _LAST}
        yield {code: findings for code, findings in found.items() if code in _LAST}

    def _repack(self, findings: Sequence[object]) -> None:
        """Compress or decompress the file so that it agrees with its name (X027)."""
        is_packed = self.name.lower().endswith(".gz")
        if findings and is_packed != self.container.is_packed:
            self.container = self.container._replace(is_packed=is_packed)
            self.fixed["X027"] += 1
            self._is_repacked = True

    def _pass(self, findings: FindingsByRule) -> bool:
        """Apply the changes for findings; if these break the document, harmless ones of a rule."""
        document = self._context()
        changes = self._changes(document, findings)
        if not changes:
            return False
        if self._apply(changes) is None:
            return True
        is_changed = False
        for code in dict.fromkeys(change.code for change in changes):
            again = self._changes(self._context(), {code: findings[code]}) if not is_changed else []
            if again:
                why = self._apply_harmless(again)
                is_changed = why is None
                if why is not None:
                    self.remaining[code] = why
        return is_changed

    def _apply_harmless(self, changes: list[Change]) -> str | None:
        """Bisect changes for some that break nothing, and apply them; return an error if none."""
        parts = [changes]
        why: str | None = None
        for _ in range(MAX_ATTEMPTS):
            if not parts:
                break
            part = parts.pop(0)
            why = self._apply(part)
            if why is None:
                return None
            middle = len(part) // 2
            parts += [part[:middle], part[middle:]] if middle else []
        return why

    def _changes(self, document: DocumentContext, findings: FindingsByRule) -> list[Change]:
        found = [
            change
            # Encodings first: other changes need them.
            for code in sorted(findings, key=lambda code: (code not in _ENCODINGS, code))
            if code in FIXERS and code not in self.remaining
            for change in FIXERS[code].changes(document, findings[code])
            if change.edits and self._is_permitted(code, change)
        ]
        if document.parsed.runs and document.parsed.encoding != "utf-8":
            found = [change for change in found if change.code in _ENCODINGS]
        return without_overlaps(found)

    def _is_permitted(self, code: str, change: Change) -> bool:
        """Return whether a change is permitted: a change that loses content is never safe."""
        options = self.options
        is_requested = options.is_unsafe or options.rules[code].fix_safety == "opt-in"
        return is_requested or not loses_content(self.document.text, change)

    def _apply(self, changes: list[Change]) -> str | None:
        """Apply changes if they break nothing; return None, or else what they would break."""
        raw = _changed(self.raw, self.document, changes)
        if raw == self.raw:
            return "it would change nothing"
        document = self.options.parse(raw, self.name, self.base_url)
        why = difference(self.document, document, changes)
        if why is None:
            self.dropped += _listed(self.document.text, changes, self.name)
            self.fixed.update(change.code for change in changes)
            self.raw, self.document = raw, document
        return why


def _changed(raw: bytes, document: Document, changes: list[Change]) -> bytes:
    """Apply changes of the decoded text to the original bytes of the document."""
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
    """Convert an edit of the decoded text to an edit of the original bytes."""
    start, end = (source_offset(place, document.runs) for place in edit[:2])
    return Edit(start, end, edit.new)


def _listed(text: bytes, changes: list[Change], name: str) -> Iterator[Dropped]:
    """Yield the content that changes drop, with line numbers."""
    position, line = 0, 1
    for change in sorted(changes, key=lambda change: change.start):
        if change.dropped is not None:
            line += text.count(b"\n", position, change.start)
            position = change.start
            yield Dropped(change.code, name, line, change.dropped)


def objection_to_table(data: bytes) -> str | None:
    """Return why a file must not be fixed that is a store or a table of Parquet; else None."""
    kind = signature(data[:HEAD_BYTES])
    if kind == "duckdb":
        return "it is a store (a DuckDB file); fix the sitemaps that were read into it"
    return "it is a table (a Parquet file), no sitemap" if kind == "parquet" else None


def objection_to_fixing(container: Container, document: Document) -> str | None:
    r"""Return why a document must not be fixed; None if it may be.

    A rule can have findings in any file that is named by the user or listed by an index: an
    image, an archive, a program. A file that is not a sitemap, or whose bytes are not valid in
    its encoding, is never changed, not even by unsafe fixes.

    >>> from urlset import parse
    >>> from urlset.fixer.fix_document import open_container
    >>> data = b"<urlset><url><loc>https://e.com/\xff</loc></url></urlset>"
    >>> objection_to_fixing(open_container(data, 1_000, None), parse(data))
    'it has bytes that are not valid in its encoding; save it as UTF-8 first'
    """
    if container.faults & _TRUNCATED:
        return "part of the document could not be read"
    if (why := objection_to_table(container.raw)) is not None:
        return why
    if (why := rejection_reason(document)) is not None:
        return f"it is not a sitemap: {why}"
    if b"\0" in document.text:
        return "it contains NUL bytes"
    is_replaced = bool(document.runs) and _REPLACEMENT in document.text
    if is_replaced or any(problem.code == "X010" for problem in document.problems):
        return "it has bytes that are not valid in its encoding; save it as UTF-8 first"
    return None

"""Parse one document from bytes into entries, child sitemaps and problems, without any I/O."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from urlset import engine as engines
from urlset.arguments import checked_arguments
from urlset.engine import Diagnostic, OffsetRun, Rows, source_offset
from urlset.engine_rules import RULES
from urlset.formats.compression import inflate
from urlset.formats.encoding import charset_of, decode, skip_space
from urlset.formats.signatures import Template, find_template
from urlset.model import Entry, Kind, Problem, Sitemap
from urlset.notebook import MAX_ROWS, html_table
from urlset.protocol import FIND_ROOT, PROLOG_LIMIT, READ_LIMIT
from urlset.terminal_text import pluralize


class Document:
    r"""A parsed document: its entries, the sitemaps that it lists, and its problems.

    :func:`parse` returns it. Every repair that was needed to read the document is reported as a
    problem. Pickling keeps the text; the copy is parsed again.

    >>> document = parse(b"https://example.com/a\nhttps://example.com/b\n")
    >>> document.kind, len(document.entries)
    ('text', 2)

    Attributes:
        kind: ``urlset``, ``index``, ``text``, ``rss``, ``atom``, ``html``, ``template``, ``empty``
            or ``unknown``, detected by the content alone.
        entries: The entries: an iterable of :class:`urlset.Entry` with a length, and an Arrow
            stream (``__arrow_c_stream__``).
        sitemaps: The sitemaps that an index lists.
        omitted: Number of further problems by rule; ``problems`` has the first 10,000 of each.
        encoding: Character encoding from which the document was decoded.
        size: Bytes after decompression.
        packed_size: Bytes as received.
        layers: Number of gzip layers; None if that is unknown, as in a snapshot.
        source: Path or URL of the document.
        base_url: URL against which relative references were resolved.
        engine: Name of the engine that parsed the document.
        text: The document as UTF-8.
        runs: Map from offsets in ``text`` to offsets in the decompressed document.
    """

    def __init__(
        self,
        parsed: engines.Parsed,
        *,
        text: bytes,
        runs: list[OffsetRun],
        packing_diagnostics: list[Diagnostic],
        diagnostics: list[Diagnostic],
        encoding: str,
        size: int,
        packed_size: int,
        layers: int | None,
        source: str | None,
        base_url: str | None,
        engine: str,
        kind: Kind | None = None,
    ):
        self.kind: Kind = kind or parsed.kind
        self.entries: Rows = parsed.entries
        self.sitemaps: list[Sitemap] = parsed.sitemaps
        self.omitted: dict[str, int] = {
            RULES[code].name: count for code, count in parsed.omitted.items()
        }
        self.encoding = encoding
        self.size = size
        self.packed_size = packed_size
        self.layers = layers
        self.source = source
        self.base_url = base_url
        self.engine = engine
        self.text = text
        self.runs = runs
        self._packing_diagnostics = packing_diagnostics
        self._diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the text instead of the entries: parsing it again takes less time."""
        if self.engine not in engines.NAMES:  # from tables: there is no text
            from urlset.arrow.frames import ListedRows

            state = {**vars(self), "entries": ListedRows(list(self.entries))}
            return object.__new__, (Document,), state
        names = (
            *("kind", "packing_diagnostics", "diagnostics", "encoding", "size", "packed_size"),
            "layers",
        )
        values = {name: vars(self).get(f"_{name}", vars(self).get(name)) for name in names}
        return _unpickled, (self.engine, self.text, self.base_url, self.source, self.runs, values)

    @cached_property
    def problems(self) -> list[Problem]:
        """Problems of the document with their positions, in document order."""
        packing = [
            _problem(diagnostic, diagnostic.offset, diagnostic.end, 1, 1)
            for diagnostic in self._packing_diagnostics
        ]
        return packing + list(_with_positions(self._diagnostics, self.text, self.runs))

    @property
    def is_whole(self) -> bool:
        """Whether the document is complete: not cut off by damage or by the size limit."""
        diagnostics = (*self._packing_diagnostics, *self._diagnostics)
        return not any(
            diagnostic.code == "X009" or diagnostic.code in _CUT for diagnostic in diagnostics
        )

    @property
    def omits_relative_urls(self) -> bool:
        """Whether relative URLs are omitted, as together they expand to over 100 MiB (L009)."""
        return any(diagnostic.code == "L009" for diagnostic in self._diagnostics)

    def excerpt(self, line: int) -> str:
        """Return the text of one line (from 1), to show the position of a problem."""
        lines = self.text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", line)
        return lines[line - 1].decode(errors="replace") if 0 < line <= len(lines) else ""

    def __repr__(self) -> str:
        return f"<Document {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return the first rows and the counts as an HTML table, for notebooks."""
        columns = ["loc", "lastmod"] if self.sitemaps else ["loc", "lastmod", "changefreq"]
        rows = [*self.sitemaps[:MAX_ROWS], *islice(self.entries, MAX_ROWS)]
        return html_table(
            f"Document {self._summary()}",
            columns,
            ([getattr(row, name, None) for name in columns] for row in rows),
        )

    def _summary(self) -> str:
        counts = [
            pluralize(len(rows), name, plural)
            for name, plural, rows in (
                ("entry", "entries", self.entries),
                ("sitemap", "sitemaps", self.sitemaps),
                ("problem", "problems", self.problems),
            )
            if len(rows) or (name == "entry" and not self.sitemaps)
        ]
        source = f" of {self.source!r}" if self.source else ""
        return f"{self.kind}{source}: {', '.join(counts)}"


@checked_arguments
def parse(
    data: bytes,
    *,
    base_url: str | None = None,
    content_type: str | None = None,
    engine: str | None = None,
    source: str | None = None,
    max_bytes: int = READ_LIMIT,
) -> Document:
    """Parse one sitemap, index, text file or feed (RSS, Atom), also in gzip, from bytes.

    Does no I/O: nothing that the document names is fetched. Invalid ``data`` does not raise; it
    is read as far as possible, and the problems are reported.

    >>> document = parse(b"<urlset><url><loc>/a?b&c</loc></url></urlset>", base_url="https://e.com")
    >>> [entry.loc for entry in document.entries]
    ['https://e.com/a?b&c']
    >>> [problem.rule for problem in document.problems]
    ['missing-namespace', 'loc-not-absolute', 'unescaped-ampersand']

    Args:
        data: Bytes of the document.
        base_url: URL of the document, to resolve relative references; by default ``source``, if
            that is a URL.
        content_type: Value of the HTTP header, used for its charset only.
        engine: ``"native"`` or ``"reference"``; by default the faster one that is installed.
        source: Path or URL of the document, for :attr:`urlset.Entry.source`.
        max_bytes: Most bytes after decompression; the rest is cut off.

    Returns:
        The parsed document.

    Raises:
        EngineError: The engine is not installed.
        TypeError: ``data`` is no bytes.
    """
    return parse_document(
        data,
        base_url=base_url,
        content_type=content_type,
        engine=engine,
        source=source,
        max_bytes=max_bytes,
    )


def parse_document(
    data: bytes,
    *,
    base_url: str | None,
    content_type: str | None = None,
    engine: str | None,
    source: str | None,
    max_bytes: int,
) -> Document:
    """Parse a document as :func:`parse` does, without a check of the types of the arguments.

    The readers call it for each document.
    """
    chosen = engines.get(engine)
    data = _as_bytes(data)
    if base_url is None and source is not None and source.startswith(("http://", "https://")):
        base_url = source
    inflated = inflate(data, max_bytes, chosen.gunzip)
    is_cut = any(diagnostic.code in _CUT for diagnostic in inflated.diagnostics)
    decoded = decode(inflated.data, charset_of(content_type), chosen.is_utf8)
    text = _complete_lines(decoded.text) if is_cut else decoded.text
    kind: Kind | None = None
    template = find_template(text)
    if template is not None:
        kind = "template"
        parsed, found = (
            chosen.parse(b"", base_url, source, []),
            [_template_diagnostic(template, source)],
        )
    else:
        parsed = chosen.parse(text, base_url, source, decoded.runs)
        found = [*decoded.diagnostics, *parsed.diagnostics]
    diagnostics = sorted(
        found,
        key=lambda diagnostic: (
            diagnostic.offset,
            diagnostic.code,
            diagnostic.end,
            diagnostic.detail,
        ),
    )
    return Document(
        parsed,
        text=text,
        runs=decoded.runs,
        packing_diagnostics=[] if template else inflated.diagnostics,
        diagnostics=diagnostics,
        encoding=decoded.encoding,
        size=len(inflated.data),
        packed_size=len(data),
        layers=inflated.layers,
        source=source,
        base_url=base_url,
        engine=chosen.name,
        kind=kind,
    )


def _as_bytes(data: Any) -> bytes:
    """Return data as bytes; raise an error that names the right call for a text or a file."""
    if type(data) is bytes:
        return data  # without a copy: it costs as much as parsing
    if isinstance(data, str):
        advice = "urlset.parse(text.encode()), or urlset.read(path) for a file or a URL"
    elif isinstance(data, os.PathLike):
        advice = "urlset.read(path) reads a file"
    elif hasattr(data, "read"):
        advice = "urlset.parse(file.read()) with a file that is opened in mode 'rb', or urlset.read"
    else:
        try:
            return bytes(memoryview(data))
        except TypeError:
            advice = "urlset.read accepts paths, URLs and streams"
    raise TypeError(f"parse(): expected the bytes of a document, found {data!r:.80}; {advice}")


def _unpickled(
    engine: str,
    text: bytes,
    base_url: str | None,
    source: str | None,
    runs: list[OffsetRun],
    values: dict[str, Any],
) -> Document:
    chosen = engines.get(engine if engine in engines.available() else None)
    parsed = chosen.parse(b"" if values["kind"] == "template" else text, base_url, source, runs)
    return Document(
        parsed, text=text, runs=runs, source=source, base_url=base_url, engine=chosen.name, **values
    )


_CUT = ("X025", "L009")


def _template_diagnostic(template: Template, source: str | None) -> Diagnostic:
    """Return the diagnostic for a template file: an error over HTTP, a warning for a file."""
    is_served = source is not None and source.startswith(("http://", "https://"))
    level = "error" if is_served else None
    return Diagnostic("X031", template.offset, template.end, template.language, level)


def _complete_lines(text: bytes) -> bytes:
    """Remove the last line of a truncated text sitemap: a truncated URL may look complete."""
    is_xml = skip_space(text).startswith(b"<")
    if is_xml or FIND_ROOT.search(text, 0, PROLOG_LIMIT):
        return text
    return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]


def _problem(diagnostic: Diagnostic, offset: int, end: int, line: int, column: int) -> Problem:
    rule = RULES[diagnostic.code]
    level = diagnostic.level or rule.level
    detail = diagnostic.detail
    message = rule.message(detail)
    return Problem(rule.name, rule.code, level, message, offset, end, line, column, detail)  # type: ignore[arg-type]


def _with_positions(
    diagnostics: list[Diagnostic], text: bytes, runs: list[OffsetRun]
) -> Iterator[Problem]:
    """Convert sorted diagnostics to problems with line and column, in one pass over the text."""
    position, line, column = 0, 1, 1
    for diagnostic in diagnostics:
        passed = text[position : diagnostic.offset]
        breaks = passed.count(b"\n") + passed.count(b"\r") - passed.count(b"\r\n")
        if breaks:
            line += breaks
            passed = passed[max(passed.rfind(b"\n"), passed.rfind(b"\r")) + 1 :]
            column = 1
        column += len(passed.translate(None, _CONTINUATION))
        position = diagnostic.offset
        offset, end = (source_offset(x, runs) for x in (diagnostic.offset, diagnostic.end))
        yield _problem(diagnostic, offset, end, line, column)


_CONTINUATION = bytes(range(0x80, 0xC0))  # UTF-8 bytes of a character after the first one


IN_PACKED = {"X025", "X026", "X028", "X029", "L009"}
"""Rules about compression: their offsets are not positions in the text."""

_END = re.compile(rb"</(?:[\w.-]+:)?(?:url|item|entry)\s*>", re.IGNORECASE)
_STRAY_END = re.compile(rb"</(?:[\w.-]+:)?loc\s*>", re.IGNORECASE)
_STRAY = re.compile(rb"<(?:[\w.-]+:)?loc\b", re.IGNORECASE)  # outside an entry (S016)
_MAX_LOC = 2_500  # characters that a problem carries; an entry may have ten thousand problems
_NO_END = 1 << 62  # a document from a store has no text
_LINE_END = re.compile(rb"[\r\n]")
# Rules about the whole document; their offsets do not point to an entry.
_OF_DOCUMENT = {"X011", "X012", "X013", "T003", "L001", "L002", "L004", "L005", "L007"}


class ProblemLocation(NamedTuple):
    """A problem, with the number (from 1) of the entry that contains it, and the start of its loc.

    Both are None if no entry contains it.
    """

    problem: Problem
    entry: int | None
    loc: str | None


def locate_problems(document: Document) -> Iterator[ProblemLocation]:
    """Yield each problem with the entry that contains it, in one pass over both."""
    if not document.problems:
        return
    entries = iter(document.entries)
    number, entry, following = 0, None, next(entries, None)
    end: int | None = None
    loc: str | None = None
    for problem in document.problems:
        if problem.code in IN_PACKED or problem.code in _OF_DOCUMENT:
            yield ProblemLocation(problem, None, None)
            continue
        while following is not None and (following.offset or 0) <= problem.offset:
            entry, following, end = following, next(entries, None), None
            number += 1
        if entry is None:
            yield ProblemLocation(problem, None, None)
            continue
        if end is None:  # only if needed, and once: a bad entry may have a thousand problems
            end = _end_of(entry, following, document)
            loc = entry.loc and entry.loc[:_MAX_LOC]
        is_within = problem.offset < end
        yield ProblemLocation(problem, number if is_within else None, loc if is_within else None)


def text_offset(document: Document, offset: int) -> int:
    """Convert an offset in the original bytes to one in the decoded text of a document."""
    runs = document.runs
    if not runs:
        return offset
    run = runs[max(0, bisect_right(runs, offset, key=lambda run: run.source_start) - 1)]
    return run.text_start + (offset - run.source_start) // run.source_width * run.text_width


def _end_of(entry: Entry, following: Entry | None, document: Document) -> int:
    """Return the end offset of an entry: of its end tag or line, at most the next entry."""
    text = document.text
    start = text_offset(document, entry.offset or 0)
    end = len(text) or _NO_END
    stop = end if following is None else text_offset(document, following.offset or 0)
    pattern = _STRAY_END if _STRAY.match(text, start) else _END
    if document.kind == "text":
        pattern = _LINE_END
    found = pattern.search(text, start, max(start, stop))
    return source_offset(found.end() if found else stop, document.runs)

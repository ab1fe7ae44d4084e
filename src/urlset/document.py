"""One document: bytes in, entries and problems out, without any I/O."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from urlset import engine as engines
from urlset.engine import Diagnostic, OffsetRun, Rows, source_offset
from urlset.engine.compression import inflate
from urlset.engine.decoding import charset_of, decode
from urlset.engine.templates import Template, find_template
from urlset.engine_rules import RULES
from urlset.model import Kind, Problem, Sitemap
from urlset.protocol import FIND_ROOT, PROLOG_LIMIT, READ_LIMIT

__all__ = ["Document", "parse"]


class Document:
    r"""What one document says, and what had to be forgiven to read it.

    ``kind`` was told from the content alone. ``entries`` iterates as :class:`urlset.Entry`, has
    a length, and is an Arrow stream (``__arrow_c_stream__``). ``sitemaps`` are the children of
    an index. ``problems`` are in document order, of each rule the first 10,000: ``omitted`` counts
    the rest by rule. ``size`` is in bytes, unpacked; ``packed_size``
    as it came; ``layers`` counts those of gzip; ``encoding`` is what was decoded from;
    ``text`` is the document as UTF-8, ``runs`` lead from it to the offsets of the original. It
    can be pickled: the text goes along, and is parsed again where it arrives.

    >>> document = parse(b"https://example.com/a\nhttps://example.com/b\n")
    >>> document.kind, len(document.entries)
    ('text', 2)
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
        layers: int,
        source: str | None,
        base: str | None,
        engine: str,
        kind: Kind | None = None,
    ):
        self.kind: Kind = kind or parsed.kind
        self.entries: Rows = parsed.entries
        self.sitemaps: list[Sitemap] = parsed.sitemaps
        self.omitted = {RULES[code].name: count for code, count in parsed.omitted.items()}
        self.encoding = encoding
        self.size = size
        self.packed_size = packed_size
        self.layers = layers
        self.source = source
        self.base = base
        self.engine = engine
        self.text = text
        self.runs = runs
        self._packing_diagnostics = packing_diagnostics
        self._diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the text, which is parsed again: that takes less time than to pickle entries."""
        if self.engine not in engines.NAMES:  # made of tables: there is no text
            from urlset.engine.reference.rows import ListedRows

            state = {**vars(self), "entries": ListedRows(list(self.entries))}
            return object.__new__, (Document,), state
        names = ("packing_diagnostics", "diagnostics", "encoding", "size", "packed_size", "layers")
        values = {name: vars(self).get(f"_{name}", vars(self).get(name)) for name in names}
        return _unpickled, (self.engine, self.text, self.base, self.source, self.runs, values)

    @cached_property
    def problems(self) -> list[Problem]:
        """Everything that had to be forgiven, with its place, in document order."""
        packing = [
            _problem(diagnostic, diagnostic.offset, diagnostic.end, 1, 1)
            for diagnostic in self._packing_diagnostics
        ]
        return packing + list(_located(self._diagnostics, self.text, self.runs))

    @property
    def is_whole(self) -> bool:
        """Whether nothing was cut off: neither by damage nor by a limit."""
        diagnostics = (*self._packing_diagnostics, *self._diagnostics)
        return not any(
            diagnostic.code == "X009" or diagnostic.code in _CUT for diagnostic in diagnostics
        )

    def excerpt(self, line: int) -> str:
        """The text of one line, from 1, for showing a problem in its place."""
        lines = self.text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", line)
        return lines[line - 1].decode(errors="replace") if 0 < line <= len(lines) else ""

    def __repr__(self) -> str:
        counts = f"{len(self.entries)} entries, {len(self.sitemaps)} sitemaps"
        return f"<Document {self.kind} {self.source or ''}: {counts}>"


def parse(
    data: bytes,
    *,
    base: str | None = None,
    content_type: str | None = None,
    engine: str | None = None,
    source: str | None = None,
    limit: int = READ_LIMIT,
) -> Document:
    """Read one document of any format: XML, index, text, RSS or Atom, gzip around any of them.

    ``base`` is the URL of the document, for references in it (``source``, when that is a URL);
    ``content_type`` serves for its charset only; ``engine`` is ``"native"`` or ``"reference"``,
    by default the best there is; ``limit`` caps the unpacked bytes. Does no I/O and fetches
    nothing that the document names. Raises :class:`urlset.errors.EngineError` for an engine
    that is not installed; nothing in ``data`` makes it raise.

    >>> document = parse(b"<urlset><url><loc>/a?b&c</loc></url></urlset>", base="https://e.com/")
    >>> [entry.loc for entry in document.entries]
    ['https://e.com/a?b&c']
    >>> [problem.rule for problem in document.problems]
    ['missing-namespace', 'loc-not-absolute', 'unescaped-ampersand']
    """
    chosen = engines.get(engine)
    data = bytes(data)
    if base is None and source is not None and source.startswith(("http://", "https://")):
        base = source
    inflated = inflate(data, limit, chosen.gunzip)
    is_cut = any(diagnostic.code in _CUT for diagnostic in inflated.diagnostics)
    decoded = decode(inflated.data, charset_of(content_type), chosen.is_utf8)
    text = _whole_lines(decoded.text) if is_cut else decoded.text
    template = find_template(text)
    if template is not None:
        parsed, found = chosen.parse(b"", base, source, []), [_mark_of(template, source)]
    else:
        parsed = chosen.parse(text, base, source, decoded.runs)
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
        base=base,
        engine=chosen.name,
        kind="template" if template else None,
    )


def _unpickled(
    engine: str,
    text: bytes,
    base: str | None,
    source: str | None,
    runs: list[OffsetRun],
    values: dict[str, Any],
) -> Document:
    chosen = engines.get(engine if engine in engines.available() else None)
    parsed = chosen.parse(text, base, source, runs)
    return Document(
        parsed, text=text, runs=runs, source=source, base=base, engine=chosen.name, **values
    )


_CUT = ("X025", "L009")


def _mark_of(template: Template, source: str | None) -> Diagnostic:
    """Report a template: an error where it is served, a warning among files."""
    is_served = source is not None and source.startswith(("http://", "https://"))
    level = "error" if is_served else None
    return Diagnostic("X031", template.offset, template.end, template.language, level)


def _whole_lines(text: bytes) -> bytes:
    """Leave out the last line of a list that was cut: half a URL looks like a whole one."""
    is_xml = text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    if is_xml or FIND_ROOT.search(text, 0, PROLOG_LIMIT):
        return text
    return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]


def _problem(diagnostic: Diagnostic, offset: int, end: int, line: int, column: int) -> Problem:
    rule = RULES[diagnostic.code]
    level = diagnostic.level or rule.level
    detail = diagnostic.detail
    message = rule.message(detail)
    return Problem(rule.name, rule.code, level, message, offset, end, line, column, detail)  # type: ignore[arg-type]


def _located(
    diagnostics: list[Diagnostic], text: bytes, runs: list[OffsetRun]
) -> Iterator[Problem]:
    """Give diagnostics, which are in order, their line and column, in one pass over the text."""
    place, line, column = 0, 1, 1
    for diagnostic in diagnostics:
        passed = text[place : diagnostic.offset]
        breaks = passed.count(b"\n") + passed.count(b"\r") - passed.count(b"\r\n")
        if breaks:
            line += breaks
            passed = passed[max(passed.rfind(b"\n"), passed.rfind(b"\r")) + 1 :]
            column = 1
        column += len(passed.translate(None, _CONTINUATION))
        place = diagnostic.offset
        offset, end = (source_offset(x, runs) for x in (diagnostic.offset, diagnostic.end))
        yield _problem(diagnostic, offset, end, line, column)


_CONTINUATION = bytes(range(0x80, 0xC0))  # every byte of a character in UTF-8 but the first

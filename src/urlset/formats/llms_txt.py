r"""Check the form of an llms.txt: headings and links of its Markdown (https://llmstxt.org/).

The proposal asks for one ``# title``, an optional ``> summary``, and sections (``## name``) with
lists of ``- [name](url): notes``. The text is scanned once, in linear time; lines without a mark
of Markdown that matters here are skipped.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from urlset.engine import Diagnostic
from urlset.formats.encoding import skip_space
from urlset.protocol import PROLOG_LIMIT

MAX_OF_A_RULE = 10_000
"""Diagnostics of each rule that are returned, as by the engines; the rest is counted."""

_MAX_DETAIL = 200  # bytes of a link in a message

# A line is parsed if it begins with one of these marks, or contains the start of a link target.
_MARK = re.compile(rb"(?<![^\r\n]) {0,3}(?:#{1,2}[ \t]+[^\s#]|=+[ \t]*(?![^\r\n])|```|~~~)|\]\(")
_LINE_END = re.compile(rb"[\r\n]|\Z")
_HEADING = re.compile(rb" {0,3}(#{1,2})[ \t]+(?=[^\s#])")
_UNDERLINE = re.compile(rb" {0,3}=+[ \t]*$")
_FENCE = re.compile(rb" {0,3}(```|~~~)")
_FENCE_ENDS = {mark: re.compile(rb"(?<![^\r\n]) {0,3}" + mark) for mark in (b"```", b"~~~")}
_CODE = re.compile(rb"`[^`]*`")
_TARGET = re.compile(rb"(?<!\\)\]\([ \t]*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))")
_SCHEME = re.compile(rb"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PAGE_SCHEMES = (b"http", b"https")
_OTHER_SCHEMES = (b"mailto", b"tel")
_ESCAPE = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);"
)


def llms_txt_diagnostics(text: bytes) -> tuple[list[Diagnostic], dict[str, int]]:
    r"""Return the diagnostics of an llms.txt by offset, and the number of further ones by code.

    >>> [d.code for d in llms_txt_diagnostics(b"# Tea\n\n## Green\n\n- [Sencha](/sencha)\n")[0]]
    ['M003']
    """
    scan = _Scan()
    for line in _lines_with_marks(text):
        scan.has_content = scan.has_content or line.follows_text
        content, start = line.content, line.start
        if line.is_fence:
            scan.has_content = True
            continue
        end = start + len(content)
        if (
            _UNDERLINE.match(content)
            and line.previous.strip()
            and not _HEADING.match(line.previous)
        ):
            scan.add_title(start, end)
        elif heading := _HEADING.match(content):
            if len(heading[1]) == 1:
                scan.add_title(start, end)
            else:
                scan.add_section(start, end)
        else:
            scan.has_content = scan.has_content or bool(content.strip())
        scan.add_links(line)
    return scan.finish()


def llms_txt_links(text: bytes) -> Iterator[tuple[int, str]]:
    r"""Yield the links of an llms.txt to pages: their line, from 1, and their target.

    Escapes and entities of Markdown are decoded; relative targets are not resolved.

    >>> list(llms_txt_links(b"# Tea\n\n- [Green](/a\\_b?c&amp;d)\n- [Mail](mailto:a@b.c)\n"))
    [(3, '/a_b?c&d')]
    """
    number, position = 1, 0
    for line in _lines_with_marks(text):
        if line.is_fence:
            continue
        for start, _, target in _targets(line):
            if _is_to_page(target, _scheme_of(target)):
                passed = text[position:start]
                number += passed.count(b"\n") + passed.count(b"\r") - passed.count(b"\r\n")
                position = start
                yield number, _ESCAPE.sub(_unescaped, target.decode(errors="replace"))


def _unescaped(escape: re.Match[str]) -> str:
    return escape[1] or html.unescape(escape[0])


class _Line(NamedTuple):
    """Line with a mark: its offset, its content, and what precedes it since the last such line.

    Attributes:
        start: Offset in the document.
        content: The line without its end.
        previous: The line before it; lines of no characters are skipped.
        follows_text: Whether there is text between the previous line with a mark and this one.
        is_fence: Whether it begins fenced code, which is skipped.
    """

    start: int
    content: bytes
    previous: bytes
    follows_text: bool
    is_fence: bool


def _lines_with_marks(text: bytes) -> Iterator[_Line]:
    """Yield the lines that may have a heading, underline, fence or link; an empty one last."""
    # skip_space returns the rest of the first 64 KiB only.
    begin = len(text[:PROLOG_LIMIT]) - len(skip_space(text))
    body = text[begin:] if begin else text
    at, last = 0, b""
    while mark := _MARK.search(body, at):
        place = mark.start()
        start = max(at, body.rfind(b"\n", at, place) + 1, body.rfind(b"\r", at, place) + 1)
        end = _end_of_line(body, mark.end())
        gap = body[at:start].rstrip(b"\r\n")
        previous = gap[max(gap.rfind(b"\n"), gap.rfind(b"\r")) + 1 :] if gap else last
        content = body[start:end]
        fence = _FENCE.match(content)
        yield _Line(begin + start, content, previous, bool(gap.strip()), fence is not None)
        if fence:
            closing = _FENCE_ENDS[fence[1]].search(body, end)
            if closing is None:
                return
            end = _end_of_line(body, closing.end())
            content = body[closing.start() : end]
        at, last = end, content
    yield _Line(len(text), b"", b"", bool(body[at:].strip()), False)


def _end_of_line(text: bytes, position: int) -> int:
    found = _LINE_END.search(text, position)
    return found.start() if found else len(text)


def _targets(line: _Line) -> Iterator[tuple[int, int, bytes]]:
    """Yield the targets of the links of a line outside code: start and end offset, and text."""
    content = line.content
    if b"`" in content:
        content = _CODE.sub(lambda code: b" " * len(code[0]), content)
    for match in _TARGET.finditer(content):
        group = 1 if match[1] is not None else 2
        yield line.start + match.start(group), line.start + match.end(group), match[group]


def _scheme_of(target: bytes) -> bytes:
    found = _SCHEME.match(target)
    return found[1].lower() if found else b""


def _is_to_page(target: bytes, scheme: bytes) -> bool:
    is_here = not target or target.startswith(b"#")
    return not is_here and (not scheme or scheme in _PAGE_SCHEMES)


class _Scan:
    """Diagnostics of the lines so far, with the current section and the links seen."""

    def __init__(self) -> None:
        self.has_content = True
        self._titles = 0
        self._section: tuple[int, int] | None = None
        self._links: set[bytes] = set()
        self._found: list[Diagnostic] = []
        self._counts: Counter[str] = Counter()

    def add_title(self, start: int, end: int) -> None:
        self._titles += 1
        if self._titles > 1:
            self._add("M002", start, end)

    def add_section(self, start: int, end: int) -> None:
        self._close_section()
        self._section, self.has_content = (start, end), False

    def add_links(self, line: _Line) -> None:
        for begin, end, target in _targets(line):
            name = _scheme_of(target)
            if not target or target.startswith(b"#") or name in _OTHER_SCHEMES:
                continue
            if not name:
                self._add("M003", begin, end, target)
            elif name not in _PAGE_SCHEMES:
                self._add("M004", begin, end, target)
            elif target in self._links:
                self._add("M005", begin, end, target)
            self._links.add(target)

    def finish(self) -> tuple[list[Diagnostic], dict[str, int]]:
        self._close_section()
        if not self._titles:
            self._add("M001", 0, 0)
        found = sorted(self._found, key=lambda found: (found.offset, found.code))
        more = {code: count - MAX_OF_A_RULE for code, count in self._counts.items()}
        return found, {code: count for code, count in more.items() if count > 0}

    def _close_section(self) -> None:
        if self._section is not None and not self.has_content:
            self._add("M006", *self._section)

    def _add(self, code: str, start: int, end: int, detail: bytes = b"") -> None:
        self._counts[code] += 1
        if self._counts[code] <= MAX_OF_A_RULE:
            text = detail[:_MAX_DETAIL].decode(errors="replace")
            self._found.append(Diagnostic(code, start, end, text))

r"""Check the form of an llms.txt: headings and links of its Markdown (https://llmstxt.org/).

The proposal asks for one ``# title``, an optional ``> summary``, and sections (``## name``) with
lists of ``- [name](url): notes``. The text is scanned line by line, in linear time.
"""

from __future__ import annotations

import re
from collections import Counter

from urlset.engine import Diagnostic
from urlset.formats.encoding import skip_space
from urlset.protocol import PROLOG_LIMIT

__all__ = ["llms_txt_diagnostics"]

MAX_OF_A_RULE = 10_000
"""Diagnostics of each rule that are returned, as by the engines; the rest is counted."""

_MAX_DETAIL = 200  # bytes of a link in a message

_LINE = re.compile(rb"[^\r\n]+")
_HEADING = re.compile(rb" {0,3}(#{1,2})[ \t]+(?=[^\s#])")
_UNDERLINE = re.compile(rb" {0,3}=+[ \t]*$")
_FENCE = re.compile(rb" {0,3}(```|~~~)")
_CODE = re.compile(rb"`[^`]*`")
_TARGET = re.compile(rb"(?<!\\)\]\([ \t]*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))")
_SCHEME = re.compile(rb"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PAGE_SCHEMES = (b"http", b"https")
_OTHER_SCHEMES = (b"mailto", b"tel")


def llms_txt_diagnostics(text: bytes) -> tuple[list[Diagnostic], dict[str, int]]:
    r"""Return the diagnostics of an llms.txt by offset, and the number of further ones by code.

    >>> [d.code for d in llms_txt_diagnostics(b"# Tea\n\n## Green\n\n- [Sencha](/sencha)\n")[0]]
    ['M003']
    """
    scan = _Scan()
    # skip_space returns the rest of the first 64 KiB only.
    begin = len(text[:PROLOG_LIMIT]) - len(skip_space(text))
    fence = b""
    previous = b""
    for line in _LINE.finditer(text, begin):
        content, start = line[0], line.start()
        if (mark := _FENCE.match(content)) and fence in (b"", mark[1]):
            fence = b"" if fence else mark[1]
            scan.has_content = True
        elif not fence:
            if _UNDERLINE.match(content) and previous.strip() and not _HEADING.match(previous):
                scan.add_title(start, line.end())
            elif heading := _HEADING.match(content):
                if len(heading[1]) == 1:
                    scan.add_title(start, line.end())
                else:
                    scan.add_section(start, line.end())
            else:
                scan.has_content = scan.has_content or bool(content.strip())
            scan.add_links(start, _CODE.sub(lambda code: b" " * len(code[0]), content))
        previous = content
    return scan.finish()


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

    def add_links(self, start: int, line: bytes) -> None:
        for match in _TARGET.finditer(line):
            group = 1 if match[1] is not None else 2
            target = match[group]
            begin, end = start + match.start(group), start + match.end(group)
            scheme = _SCHEME.match(target)
            name = scheme[1].lower() if scheme else b""
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

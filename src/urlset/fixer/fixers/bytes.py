"""X: the encoding of a document, byte order marks, and what stands around its root."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.fixer.edits import Change, Edit
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.fixer.rewrite import rewrite

__all__: list[str] = []

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?\s*(<\?xml\s[^>]*?\?>)")
_ENCODING = re.compile(rb"(\sencoding\s*=\s*[\"'])([A-Za-z0-9._:-]+)")
_USUAL = b'<?xml version="1.0" encoding="UTF-8"?>'
_BOM = b"\xef\xbb\xbf"


@fixer("X011", effect="text", whole=True)
def transcode(case: FixContext) -> Iterator[Change]:
    """Write the text as UTF-8, and say so in the declaration.

    Text with U+FFFD stays as it is: that stands for bytes that nobody could read.
    """
    data = case.data
    if "\ufffd".encode() in data:
        return
    edit = _declared_as_utf8(data)
    new = data if edit is None else data[: edit.start] + edit.new + data[edit.end :]
    yield case.change(Edit(0, len(data), new))


@fixer("X012", effect="text", whole=True, careful=True)
def declare_what_the_bytes_are(case: FixContext) -> Iterator[Change]:
    """Write the encoding that the bytes have; other bytes than UTF-8 are transcoded, unsafely."""
    if case.job.document.encoding == "utf-8" and not case.job.document.runs:
        edit = _declared_as_utf8(case.data)
        if edit is not None:
            yield case.change(edit)
    elif case.is_unsafe:
        yield from transcode(case)


def _declared_as_utf8(data: bytes) -> Edit | None:
    declaration = _DECLARATION.match(data, 0, 1024)
    found = _ENCODING.search(data, *declaration.span(1)) if declaration else None
    return Edit(*found.span(2), b"UTF-8") if found else None


@fixer("X006", "X013", "X014", effect="text")
def strip(case: FixContext) -> Iterator[Change]:
    """Remove white space and byte order marks from where they may not stand."""
    yield case.replace(b"")


@fixer("X007", "X008", effect="text")
def remove_what_is_around(case: FixContext) -> Iterator[Change]:
    """Remove what stands before the root, and behind it."""
    end = b"\n" if case.code == "X008" and case.end == len(case.data) else b""
    start = case.at
    while case.code == "X008" and case.data[start - 1 : start] in (b" ", b"\n", b"\r", b"\t"):
        start -= 1
    yield case.change(Edit(start, case.end, end), dropped=shown(case.span))


@fixer("X015", "X016", effect="text", careful=True)
def remove_doctype(case: FixContext) -> Iterator[Change]:
    """Remove the DOCTYPE where no entity that it declares is used; nothing outside is read."""
    if not case.span.startswith(b"<!") or case.job.document.kind not in ("urlset", "index"):
        return
    if case.code == "X015" and case.is_error:
        if case.is_unsafe:
            yield from rewrite(case)
        return
    end = case.end
    while case.data[end : end + 1] in (b" ", b"\n", b"\r", b"\t"):
        end += 1
    yield case.change(Edit(case.at, end, b""), dropped=shown(case.span))


@fixer("X017", effect="text", whole=True)
def write_declaration(case: FixContext) -> Iterator[Change]:
    """Write the usual declaration."""
    data = case.data
    declaration = _DECLARATION.match(data, 0, 1024)
    if declaration is not None:
        yield case.change(Edit(*declaration.span(1), _USUAL))
    else:
        start = len(_BOM) if data.startswith(_BOM) else 0
        yield case.change(Edit(start, start, _USUAL + b"\n"))


@fixer("X018", effect="text")
def remove_stylesheet(case: FixContext) -> Iterator[Change]:
    """Remove the instruction that names a stylesheet."""
    end = case.end + (case.data[case.end : case.end + 1] == b"\n")
    yield case.change(Edit(case.at, end, b""), dropped=shown(case.span))

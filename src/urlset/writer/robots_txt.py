"""Update the block of generated ``Sitemap:`` lines in a robots.txt and keep all other lines."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from urlset.errors import TargetError
from urlset.formats.encoding import BOM, bom_length, utf16_codec
from urlset.robots import MAX_BYTES
from urlset.urls import parse_url

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_END_OF_LINE = re.compile(rb"\r\n|\r|\n")
_SITEMAP = re.compile(rb"[ \t]*sitemap[ \t]*:[ \t]*([^\s#]+)[ \t]*(?:#.*)?", re.IGNORECASE)
_SUM = re.compile(rb"[0-9a-f]{8}\b")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?")
_NOTE = "these lines are written by urlset; yours go above or below"


class _Block(NamedTuple):
    """Text of a robots.txt above and below the generated block, and whether there is a block."""

    above: bytes
    below: bytes
    is_there: bool


def with_sitemaps(text: bytes | None, urls: Sequence[str], label: str = "urlset") -> bytes:
    r"""Return the bytes of a robots.txt with a ``Sitemap:`` line for each URL.

    The generated lines form a block between two comments. A new block is appended to the file; an
    existing one is replaced where it is, so an empty block (only the two comments) selects a
    position. Every byte outside of the block is kept, regardless of encoding, line ends and
    errors. A URL that is declared outside of the block is not repeated; a block without lines is
    removed. The lines belong to no group of rules (RFC 9309 section 2.2.4); a blank line before
    the block separates them for parsers that differ.

    Args:
        text: The current file; None if there is none.
        urls: Absolute URLs of sitemaps.
        label: Name of the block, if one file has several.

    Raises:
        ValueError: A URL is not absolute, or the label is invalid.
        TargetError: Other lines might be lost, or search engines would not read the block: the
            comments do not form a pair, the block was edited, the file is UTF-16, or the block
            would end behind the 512,000 bytes that search engines read.

    >>> print(with_sitemaps(b"User-agent: *\nDisallow:\n", ["https://example.com/a.xml"]).decode())
    User-agent: *
    Disallow:
    <BLANKLINE>
    # urlset: sitemaps begin 8b8a8bbe (these lines are written by urlset; yours go above or below)
    Sitemap: https://example.com/a.xml
    # urlset: sitemaps end
    <BLANKLINE>
    """
    wanted = [_checked(url) for url in dict.fromkeys(urls)]
    if not _LABEL.fullmatch(label):
        raise ValueError(
            f"expected a label of at most 40 letters, digits and ._-, found {label!r}; "
            'leave it out, or give a word such as "shop"'
        )
    owned = text or b""
    _refuse_wide(owned)
    above, below, is_there = _cut(owned, label)
    declared = _declared(above) | _declared(below)
    lines = [url for url in wanted if url not in declared]
    if not lines:
        return above + below
    end = _END_OF_LINE.search(above) or _END_OF_LINE.search(below)
    eol = end[0] if end else b"\n"
    if not is_there:
        above += _gap(above, eol)
    head = above + _block(lines, label, eol)
    if len(head) > MAX_BYTES:
        raise TargetError(
            f"expected the Sitemap lines of robots.txt within its first {MAX_BYTES:,} bytes, which "
            f"is what engines read of it, found that they would end at {len(head):,}; put the two "
            f'lines "# {label}: sitemaps begin" and "# {label}: sitemaps end" at its top, and '
            "urlset writes between them"
        )
    return head + below


def _checked(url: str) -> bytes:
    read = parse_url(url)
    if read.url != url or read.issues or "#" in url:
        raise ValueError(
            f"expected the absolute URL of a sitemap for robots.txt, found {url!r}; "
            'write it as "https://example.com/sitemap.xml"'
        )
    return url.encode()


def _refuse_wide(text: bytes) -> None:
    if b"\0" in text or utf16_codec(text):
        raise TargetError(
            "expected robots.txt in UTF-8 (RFC 9309 section 2.2), found UTF-16 or no text at all; "
            "save it as UTF-8, for engines do not read it as it is"
        )


def _cut(text: bytes, label: str) -> _Block:
    """Split a robots.txt at the generated block, whose lines must be certainly generated."""
    name = re.escape(label.encode())
    marker = re.compile(
        rb"(?:\xef\xbb\xbf)?[ \t]*#[ \t]*"
        + name
        + rb"[ \t]*:[ \t]*sitemaps[ \t]+(begin|end)\b(.*)",
        re.IGNORECASE | re.DOTALL,
    )
    marks = [
        (number, line, found)
        for number, line in enumerate(_LINE.finditer(text), 1)
        if (found := marker.match(line[0])) is not None
    ]
    if not marks:
        return _Block(text, b"", is_there=False)
    if [found[1].lower() for _, _, found in marks] != [b"begin", b"end"]:
        told = ", ".join(f"{found[1].decode().lower()} in line {n}" for n, _, found in marks[:6])
        raise TargetError(
            f'expected one "# {label}: sitemaps begin" in robots.txt and one end after it, found '
            f"{told}; delete these comments and the Sitemap lines that belong to them, "
            "and write again"
        )
    (_, begin, opening), (_, end, _) = marks
    _refuse_edited(text[begin.end() : end.start()], opening[2], marks[0][0], label)
    start = begin.start() + bom_length(begin[0])
    return _Block(text[:start], text[end.end() :], is_there=True)


def _refuse_edited(inside: bytes, note: bytes, number: int, label: str) -> None:
    """Raise if the lines of the block do not match the checksum in its first comment."""
    lines = [line for line in _END_OF_LINE.split(inside) if line.strip()]
    if not lines:
        return
    told = _SUM.match(note.strip())
    found = [_SITEMAP.fullmatch(line) for line in lines]
    urls = [line[1] for line in found if line is not None]
    if told is None or len(urls) < len(lines) or told[0] != _sum(urls):
        raise TargetError(
            f'expected the lines after "# {label}: sitemaps begin" in line {number} of robots.txt '
            "as urlset wrote them, found that somebody has edited them; move what is yours out of "
            "the block, and delete what is left between its two comments"
        )


def _declared(text: bytes) -> set[bytes]:
    """Return the URLs of valid Sitemap lines in the part that search engines read."""
    read = text[:MAX_BYTES].removeprefix(BOM)
    found = (_SITEMAP.fullmatch(line) for line in _END_OF_LINE.split(read))
    return {line[1] for line in found if line is not None}


def _gap(above: bytes, eol: bytes) -> bytes:
    """Return the line ends needed for a blank line between the last line and the block."""
    lines = _LINE.findall(above.removeprefix(BOM))
    if not lines:
        return b""
    last = lines[-1]
    if not last.endswith((b"\r", b"\n")):
        return eol + eol if last.strip() else eol
    return eol if last.strip() else b""


def _block(urls: list[bytes], label: str, eol: bytes) -> bytes:
    name = label.encode()
    return b"".join(
        line + eol
        for line in (
            b"# %s: sitemaps begin %s (%s)" % (name, _sum(urls), _NOTE.encode()),
            *(b"Sitemap: " + url for url in urls),
            b"# %s: sitemaps end" % name,
        )
    )


def _sum(urls: list[bytes]) -> bytes:
    return b"%08x" % zlib.crc32(b"\n".join(urls))

"""Bytes to UTF-8 text: which encoding a document is in, whatever it says of itself.

What the bytes show outranks what anybody claims: a byte order mark, then UTF-16 or UTF-32 by
its zeros, then valid UTF-8, then the charset of the HTTP header (RFC 7303), then the XML
declaration. Bytes that are none of these are UTF-8 with stretches of windows-1252 in it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from urlset.engine import Mark, Run

__all__ = ["Decoded", "charset_of", "codec_of", "decode"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# "<" and what may follow it, in the encodings that spread a character over two or four bytes.
_WIDE = (
    (re.compile(rb"<\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\0<"), "utf-32-be"),
    (re.compile(rb"<\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0<\0[^\0]"), "utf-16-be"),
)
_DECLARATION = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']"
)
# The encodings that real sitemaps are found in; others of Python's codecs are no text encodings.
_CODECS = frozenset(
    """utf-8 utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be ascii
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp874
    iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9
    iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-roman
    tis-620 gb2312 gbk gb18030 big5 big5hkscs shift_jis cp932 euc_jp euc_kr cp949""".split()
)
# WHATWG's encoding standard reads these names as the wider encoding that documents really use.
_WIDER = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_SAME_WIDTH = re.compile("[\0-\x7f]+|[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")


class Decoded(NamedTuple):
    """A document as UTF-8; ``runs`` is empty where offsets are those of the original bytes."""

    text: bytes
    encoding: str
    runs: list[Run]
    marks: list[Mark]  # their offsets are in ``text``


def charset_of(content_type: str | None) -> str | None:
    """The charset that a Content-Type header names.

    >>> charset_of("text/xml; charset=ISO-8859-1")
    'ISO-8859-1'
    """
    found = re.search(r"charset\s*=\s*[\"']?([^\s\"';]+)", content_type or "", re.IGNORECASE)
    return found[1] if found else None


def decode(data: bytes, charset: str | None, is_utf8: Callable[[bytes], bool]) -> Decoded:
    """Decode a document; ``charset`` is what HTTP said, ``is_utf8`` the engine's test.

    Never raises; X010, X011 and X012 tell what had to be decided.
    """
    declared = _declared(data)
    marked = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    wide = marked if marked != "utf-8" else None
    if marked is None:
        wide = next((name for pattern, name in _WIDE if pattern.match(data)), None)
    if wide is not None and (decoded := _from_wide(data, wide, declared)):
        return decoded
    if is_utf8(data):
        return Decoded(data, "utf-8", [], _disagreement(data, declared))
    for name in () if marked else (charset, declared):
        codec = codec_of(name)
        if codec is None or codec.startswith("utf"):
            continue
        text = _strictly(data, codec)
        if text is not None:
            runs = list(_runs(text, codec, 0))
            mark = Mark("X011", 0, 0, str(name))
            return Decoded(text.encode(), str(name).lower(), runs, [mark])
    return _repaired(data)


def _declared(data: bytes) -> str | None:
    found = _DECLARATION.match(data[:1024])
    return found[1].decode() if found else None


def codec_of(name: str | None) -> str | None:
    """Python's name of a charset that documents are read in; None for any other.

    >>> codec_of("ISO-8859-1"), codec_of("punycode")
    ('cp1252', None)
    """
    if name is None:
        return None
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return None
    return _WIDER.get(found, found) if found in _CODECS else None


def _strictly(data: bytes, codec: str) -> str | None:
    """Decode, or None. The bytes that windows-1252 leaves open are controls, as in browsers."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        if codec != "cp1252":
            return None
        return "".join(_CP1252[byte] for byte in data)


_CP1252 = [bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]


def _from_wide(data: bytes, codec: str, declared: str | None) -> Decoded | None:
    start = next((len(bom) for bom, name in _BOMS if name == codec and data.startswith(bom)), 0)
    unit = 4 if "32" in codec else 2
    whole = len(data) - (len(data) - start) % unit
    try:
        text = data[start:whole].decode(codec)
        marks = [Mark("X011", 0, 0, codec.upper())]
    except UnicodeDecodeError:
        text = data[start:whole].decode(codec, "replace")
        words = f"Bytes are not valid {codec.upper()}; U+FFFD stands for them"
        marks = [Mark("X011", 0, 0, codec.upper()), Mark("X010", 0, 0, words)]
    kind = codec_of(declared)
    if kind is not None and not kind.startswith(codec[:6]):
        marks.append(Mark("X012", 0, 0, f"Declaration says {declared}, bytes are {codec.upper()}"))
    return Decoded(text.encode(errors="replace"), codec, list(_runs(text, codec, start)), marks)


def _disagreement(data: bytes, declared: str | None) -> list[Mark]:
    """What is wrong with a declaration over bytes that are valid UTF-8."""
    if declared is None or codec_of(declared) == "utf-8":
        return []
    codec = codec_of(declared)
    if codec is None or codec.startswith("utf") or not data.isascii():
        return [Mark("X012", 0, 0, f"Declaration says {declared}, bytes are UTF-8")]
    return [Mark("X011", 0, 0, declared, "warning")]


def _runs(text: str, codec: str, start: int) -> Iterator[Run]:
    """Stretches of characters of one width, here and in the original."""
    position, source = 0, start
    for found in _SAME_WIDTH.finditer(text):
        piece = found[0]
        width = len(piece[0].encode())
        size = len(piece.encode(codec, "replace"))
        yield Run(position, source, width, max(1, size // len(piece)))
        position += width * len(piece)
        source += size


def _repaired(data: bytes) -> Decoded:
    """UTF-8, with what is not UTF-8 read as windows-1252, byte for byte."""
    pieces: list[bytes] = []
    runs = [Run(0, 0, 1, 1)]
    position = size = count = 0
    first: tuple[int, int] | None = None
    # Small behind a fault and then growing: or a megabyte of bad bytes would be decoded a
    # chunk for each of them, which takes a quarter of a minute.
    step = _CHUNK
    while position < len(data):
        try:
            data[position : position + step].decode()
            end, bad = min(position + step, len(data)), 0
            step = min(2 * step, _CHUNK)
        except UnicodeDecodeError as error:
            end, bad = position + error.start, error.end - error.start
            is_cut = error.reason == "unexpected end of data" and position + step < len(data)
            step = step if is_cut else _STEP
            if is_cut:
                bad = 0  # the chunk ends inside a character
                end = end if error.start else min(position + 4, len(data))
        pieces.append(data[position:end])
        size += end - position
        position = end
        for byte in data[end : end + bad]:
            first = (size, position) if first is None else first
            character = _CP1252[byte].encode()
            runs.append(Run(size, position, len(character), 1))
            pieces.append(character)
            size += len(character)
            position += 1
            count += 1
        if bad:
            runs.append(Run(size, position, 1, 1))
    offset, source = first or (0, 0)
    which = "1 byte is" if count == 1 else f"{count} bytes are"
    words = f"{which} not valid UTF-8, the first at offset {source}; read as windows-1252"
    mark = Mark("X010", offset, offset + 1, words)
    return Decoded(b"".join(pieces), "utf-8", runs, [mark])


_CHUNK = 1 << 16
_STEP = 1 << 6

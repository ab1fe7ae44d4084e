"""Bytes to UTF-8 text: which encoding a document is in, whatever it says of itself.

What the bytes show outranks what anybody claims: a byte order mark, then UTF-16 or UTF-32 by
its zeros, then valid UTF-8, then the charset of the HTTP header (RFC 7303), then the XML
declaration. Bytes that are none of these are UTF-8 with stretches of windows-1252 in it; where
somebody names an encoding that is not known, nobody can tell what they are, and U+FFFD stands for
each: no URL has that.
"""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from urlset.engine import Mark, OffsetRun
from urlset.engine.encodings import STATEFUL, codec_of

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
    rb"^(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"'<>]{1,60})[\"']"
)
_SAME_WIDTH = re.compile("[\0-\x7f]+|[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")


class Decoded(NamedTuple):
    """A document as UTF-8; ``runs`` is empty where offsets are those of the original bytes."""

    text: bytes
    encoding: str
    runs: list[OffsetRun]
    marks: list[Mark]  # their offsets are in ``text``
    losses: int = 0  # places where U+FFFD stands for bytes that are not of the encoding


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
    names = () if marked else tuple(name for name in (charset, declared) if name)
    known = {name: codec for name in names if (codec := codec_of(name))}
    has_shifts = _SHIFT.search(data) is not None
    if is_utf8(data):
        stateful = {name: codec for name, codec in known.items() if codec in STATEFUL}
        if stateful and has_shifts:
            return _declared_text(data, stateful) or _damaged(data, *next(iter(stateful.items())))
        if names and not known and has_shifts and data.isascii():
            return _lost(data, names[0])
        return Decoded(data, "utf-8", [], _disagreement(data, declared))
    narrow = {name: codec for name, codec in known.items() if not codec.startswith("utf")}
    if decoded := _declared_text(data, narrow):
        return decoded
    if names and not known:
        return _lost(data, names[0])
    repaired, bad = _repaired(data)
    if narrow:
        damaged = _damaged(data, *next(iter(narrow.items())))
        # Beware: characters of a few bytes that are valid UTF-8 are so by no accident.
        if damaged.losses < bad or bad == sum(byte > 127 for byte in data):
            return damaged
    return repaired


_SHIFT = re.compile(rb"[\x0e\x1b]|~\{")


def _declared(data: bytes) -> str | None:
    found = _DECLARATION.match(data[:1024])
    return (found[1].decode("latin-1").strip() or None) if found else None


def _declared_text(data: bytes, known: dict[str, str]) -> Decoded | None:
    """Decode with the first codec to which all bytes belong."""
    for name, codec in known.items():
        try:
            text = data.decode(codec, _CONTROLS)
        except UnicodeDecodeError:
            continue
        marks = [Mark("X011", 0, 0, name)]
        return Decoded(text.encode(), name.lower(), list(_runs(text, codec, 0)), marks)
    return None


def _damaged(data: bytes, name: str, codec: str) -> Decoded:
    """Decode with a codec to which most bytes belong; U+FFFD stands for the others."""
    spans = _skipped.spans = []
    pieces = data.decode(codec, _SKIP).split(_LOSS)
    runs: list[OffsetRun] = []
    position = source = 0
    for piece, (start, end) in zip(pieces, [*spans, (len(data), len(data))], strict=True):
        runs += _runs(piece, codec, source, position)
        position += len(piece.encode())
        runs.append(OffsetRun(position, start, 3, max(1, end - start)))
        position, source = position + 3, end
    text = "\ufffd".join(pieces).encode()
    count = f"{len(spans)} bytes are" if len(spans) > 1 else "1 byte is"
    words = f"{count} not valid {name}, the first at offset {spans[0][0]}; U+FFFD stands for them"
    marks = [Mark("X011", 0, 0, name), Mark("X010", 0, 0, words)]
    return Decoded(text, name.lower(), runs, marks, len(spans))


def _skip(error: UnicodeError) -> tuple[str | bytes, int]:
    """Note where bytes are left out: a handler of errors is called with nothing but the error."""
    assert isinstance(error, UnicodeDecodeError)
    _skipped.spans.append((error.start, error.end))
    return _LOSS, error.end


class _Skipped(threading.local):
    """What one thread has left out of the document that it decodes."""

    spans: list[tuple[int, int]]


_LOSS = "\udc80"  # a character that no codec produces
_SKIP = "urlset-skip"
_skipped = _Skipped()
codecs.register_error(_SKIP, _skip)


def _lost(data: bytes, name: str) -> Decoded:
    """Keep what is ASCII; U+FFFD stands for each other byte, and for what shifts to other sets."""
    words = f'Encoding "{name}" is not known: what is not ASCII cannot be read'
    text = _SHIFT.sub(lambda found: b"\xff" * len(found[0]), data).decode("ascii", "replace")
    runs = list(_runs(text, "ascii", 0))
    return Decoded(text.encode(), name.lower(), runs, [Mark("X012", 0, 0, words)])


def _control(error: UnicodeError) -> tuple[str | bytes, int]:
    """Read the bytes that windows encodings leave open as controls, as the standard does."""
    assert isinstance(error, UnicodeDecodeError)
    byte = error.object[error.start]
    if error.encoding != "charmap" or not 0x80 <= byte < 0xA0:
        raise error
    return chr(byte), error.start + 1


_CONTROLS = "urlset-controls"
codecs.register_error(_CONTROLS, _control)
_CP1252 = [bytes((byte,)).decode("cp1252", _CONTROLS) for byte in range(256)]


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


def _runs(text: str, codec: str, start: int, position: int = 0) -> Iterator[OffsetRun]:
    """Stretches of characters of one width, here and in the original."""
    source = start
    for found in _SAME_WIDTH.finditer(text):
        piece = found[0]
        width = len(piece[0].encode())
        size = len(piece.encode(codec, "replace"))
        yield OffsetRun(position, source, width, max(1, size // len(piece)))
        position += width * len(piece)
        source += size


def _repaired(data: bytes) -> tuple[Decoded, int]:
    """UTF-8, with what is not UTF-8 read as windows-1252, byte for byte; and how many bytes are."""
    pieces: list[bytes] = []
    runs = [OffsetRun(0, 0, 1, 1)]
    position = size = count = 0
    first: tuple[int, int] | None = None
    whole = data.decode("utf-8", "surrogateescape")
    for found in _NOT_UTF8.finditer(whole):
        if len(runs) > _MAX_RUNS:
            # A cp1252 character has at most three bytes, so that no offset is behind the end.
            rest = whole[found.start() :]
            runs.append(OffsetRun(size, position, 3, 1))
            pieces.append(rest.translate(_AS_CP1252).encode())
            count += len(rest) - len(rest.encode(errors="ignore").decode())
            break
        good, bad = found.groups()
        piece = good.encode()
        pieces.append(piece)
        position += len(piece)
        size += len(piece)
        if not bad:
            continue
        first = (size, position) if first is None else first
        count += len(bad)
        # One stretch of offsets for neighbours that are as wide as each other.
        for stretch in _SAME_WIDTH.finditer(bad.translate(_AS_CP1252)):
            encoded = stretch[0].encode()
            width = len(encoded) // len(stretch[0])
            runs.append(OffsetRun(size, position, width, 1))
            pieces.append(encoded)
            size += len(encoded)
            position += len(stretch[0])
        runs.append(OffsetRun(size, position, 1, 1))
    offset, source = first or (0, 0)
    which = "1 byte is" if count == 1 else f"{count} bytes are"
    words = f"{which} not valid UTF-8, the first at offset {source}; read as windows-1252"
    mark = Mark("X010", offset, offset + 1, words)
    return Decoded(b"".join(pieces), "utf-8", runs, [mark]), count


# What is UTF-8, and behind it what is not: "surrogateescape" keeps each such byte as one of U+DC80
# to U+DCFF, which no UTF-8 contains.
_NOT_UTF8 = re.compile("([^\\udc80-\\udcff]*+)([\\udc80-\\udcff]*+)")
_MAX_RUNS = 200_000
"""Stretches of offsets of one document. Behind them offsets are approximate: the file is binary."""
_AS_CP1252 = {0xDC00 + byte: _CP1252[byte] for byte in range(0x80, 0x100)}

"""Detect the encoding of a document and decode it to UTF-8.

The bytes take precedence over declarations: a byte order mark, then UTF-16 or UTF-32 by its zero
bytes, then valid UTF-8, then the charset of the HTTP header (RFC 7303), then the XML declaration.
Other bytes are decoded as UTF-8 with windows-1252 in between; if the declared encoding is unknown,
each byte that is not ASCII becomes U+FFFD, which no URL contains.
"""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from urlset.engine import Diagnostic, OffsetRun
from urlset.protocol import PROLOG_LIMIT

# A codec of Python, and the labels that are read with it: where the standard widens an encoding
# (ISO-8859-1 is windows-1252, GBK is gb18030) that is the wider one. Note: hz and ISO-2022-KR are
# labels that the standard knows and, for the safety of browsers, does not decode.
_TABLE = """
utf-8: unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8
cp866: 866 cp866 csibm866 ibm866
iso8859-2: csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2
    latin2
iso8859-3: csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3
    latin3
iso8859-4: csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4
    latin4
iso8859-5: csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5
    iso_8859-5:1988
iso8859-6: arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6
    iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso8859-7: csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7
    iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso8859-8: csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e
    iso-8859-8-i iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual
iso8859-10: csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso8859-13: iso-8859-13 iso8859-13 iso885913
iso8859-14: iso-8859-14 iso8859-14 iso885914
iso8859-15: csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso8859-16: iso-8859-16
koi8-r: cskoi8r koi koi8 koi8-r koi8_r
koi8-u: koi8-ru koi8-u
mac-roman: csmacintosh mac macintosh x-mac-roman
cp874: dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
cp1250: cp1250 windows-1250 x-cp1250
cp1251: cp1251 windows-1251 x-cp1251
cp1252: ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1
    iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
cp1253: cp1253 windows-1253 x-cp1253
cp1254: cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989
    l5 latin5 windows-1254 x-cp1254
cp1255: cp1255 windows-1255 x-cp1255
cp1256: cp1256 windows-1256 x-cp1256
cp1257: cp1257 windows-1257 x-cp1257
cp1258: cp1258 windows-1258 x-cp1258
mac-cyrillic: x-mac-cyrillic x-mac-ukrainian
gb18030: chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58
    x-gbk
big5hkscs: big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc_jp: cseucpkdfmtjapanese euc-jp x-euc-jp
iso2022_jp: csiso2022jp iso-2022-jp
cp932: csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
cp949: cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601
    ksc_5601 windows-949
iso2022_kr: csiso2022kr iso-2022-kr
hz: hz-gb-2312
utf-16-be: unicodefffe utf-16be
utf-16-le: csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
"""

STATEFUL = frozenset(("iso2022_jp", "iso2022_kr", "hz"))
"""Codecs whose bytes are all ASCII: valid UTF-8, whatever the text is."""

# Text encodings of Python under names that the standard does not have.
_OTHERS = frozenset("utf-32 utf-32-le utf-32-be cp437 cp850 cp852 cp855 cp932 cp949 euc_jp".split())


def codec_of(name: str | None) -> str | None:
    """Return the Python codec of an encoding label, or None if it is unknown.

    The labels are those of the WHATWG Encoding Standard
    (https://encoding.spec.whatwg.org/#names-and-labels), which browsers and search engines follow,
    and some names of Python.

    >>> codec_of("ISO-8859-1"), codec_of("x-sjis"), codec_of("punycode")
    ('cp1252', 'cp932', None)
    """
    if name is None:
        return None
    label = name.strip(" \t\n\f\r").lower()
    if label in _CODECS:
        return _CODECS[label]
    try:
        found = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    return _CODECS.get(found, found if found in _OTHERS else None)


def _read() -> dict[str, str]:
    found: dict[str, str] = {}
    codec = ""
    for word in _TABLE.split():
        if word.endswith(":"):
            codec = word[:-1]
        else:
            found[word] = codec
    return found


_CODECS = _read()


BOM = codecs.BOM_UTF8
"""Byte order mark of UTF-8."""

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
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)


_UTF8_DECLARATIONS = tuple(
    b'<?xml version="1.0" encoding="%b"?>' % name for name in (b"UTF-8", b"utf-8")
)


class Decoded(NamedTuple):
    """Document as UTF-8; ``runs`` is empty if offsets equal those of the original bytes."""

    text: bytes
    encoding: str
    runs: list[OffsetRun]
    diagnostics: list[Diagnostic]  # their offsets are in ``text``
    losses: int = 0  # number of U+FFFD for bytes that are invalid in the encoding


def charset_of(content_type: str | None) -> str | None:
    """Return the charset of a Content-Type header, or None.

    >>> charset_of("text/xml; charset=ISO-8859-1")
    'ISO-8859-1'
    """
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def decode(data: bytes, charset: str | None, is_utf8: Callable[[bytes], bool]) -> Decoded:
    """Decode a document; ``charset`` is that of HTTP, ``is_utf8`` the test of the engine.

    Never raises; decisions are reported as X010, X011 and X012.
    """
    if charset is None and data.startswith(_UTF8_DECLARATIONS) and is_utf8(data):
        return Decoded(data, "utf-8", [], [])  # nearly all sitemaps
    declared = _declared(data)
    marked = _marked(data)
    wide = wide_codec(data)
    if wide is not None and (decoded := _from_wide(data, wide, declared)):
        return decoded
    names = () if marked else tuple(name for name in (charset, declared) if name)
    known = {name: codec for name in names if (codec := codec_of(name))}
    if is_utf8(data):
        stateful = {name: codec for name, codec in known.items() if codec in STATEFUL}
        if stateful and _has_shifts(data):
            return _declared_text(data, stateful) or _damaged(data, *next(iter(stateful.items())))
        if names and not known and data.isascii() and _has_shifts(data):
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
        # Note: multi-byte characters that are valid UTF-8 are hardly ever so by chance.
        if damaged.losses < bad or bad == sum(byte > 127 for byte in data):
            return damaged
    return repaired


def _has_shifts(data: bytes) -> bool:
    # Note: the search costs 12 ms per MB, 15 times the parsing, so only documents that declare
    # a stateful or an unknown encoding are searched.
    return _SHIFT.search(data) is not None


def wide_codec(data: bytes) -> str | None:
    """Return the codec of UTF-16 or UTF-32, by its mark or by the zero bytes around a ``<``.

    >>> wide_codec("<urlset>".encode("utf-16-be")), wide_codec(b"<urlset>")
    ('utf-16-be', None)
    """
    marked = _marked(data)
    if marked is not None:
        return None if marked == "utf-8" else marked
    return next((name for pattern, name in _WIDE if pattern.match(data)), None)


def utf16_codec(data: bytes) -> str | None:
    """Return the codec of UTF-16 by its byte order mark; None if there is no such mark."""
    return {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(data[:2])


def bom_length(data: bytes) -> int:
    """Return the number of bytes of the byte order mark of UTF-8 at the start: 3 or 0."""
    return len(BOM) if data.startswith(BOM) else 0


def with_utf16_bom(data: bytes) -> bytes:
    """Add a byte order mark to UTF-16 that has none: every other byte of ASCII text is zero."""
    if len(data) >= 4 and data[1] == data[3] == 0 and data[0] and data[2]:
        return codecs.BOM_UTF16_LE + data
    if len(data) >= 4 and data[0] == data[2] == 0 and data[1] and data[3]:
        return codecs.BOM_UTF16_BE + data
    return data


def skip_space(text: bytes) -> bytes:
    """Remove leading white space and byte order marks from the first 64 KiB of a text."""
    head = text[:PROLOG_LIMIT]
    while (rest := head.lstrip(b" \t\r\n").removeprefix(BOM)) != head:
        head = rest
    return head


def _marked(data: bytes) -> str | None:
    return next((name for bom, name in _BOMS if data.startswith(bom)), None)


_SHIFT = re.compile(rb"[\x0e\x1b]|~\{")


def _declared(data: bytes) -> str | None:
    found = _DECLARATION.match(data[:1024])
    return (found[1].decode("latin-1").strip() or None) if found else None


def _declared_text(data: bytes, known: dict[str, str]) -> Decoded | None:
    """Decode a document with the first of some codecs in which all bytes are valid, or None."""
    for name, codec in known.items():
        try:
            text = data.decode(codec, _CONTROLS)
        except UnicodeDecodeError:
            continue
        diagnostics = [Diagnostic("X011", 0, 0, name)]
        return Decoded(text.encode(), name.lower(), list(_runs(text, codec, 0)), diagnostics)
    return None


def _damaged(data: bytes, name: str, codec: str) -> Decoded:
    """Decode a document with a codec; invalid bytes become U+FFFD, with a diagnostic."""
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
    diagnostics = [Diagnostic("X011", 0, 0, name), Diagnostic("X010", 0, 0, words)]
    return Decoded(text, name.lower(), runs, diagnostics, len(spans))


def _skip(error: UnicodeError) -> tuple[str | bytes, int]:
    """Error handler of a codec: record the span of invalid bytes, and mark them in the text."""
    assert isinstance(error, UnicodeDecodeError)
    _skipped.spans.append((error.start, error.end))
    return _LOSS, error.end


class _Skipped(threading.local):
    """Spans of the invalid bytes of the document that a thread is decoding."""

    spans: list[tuple[int, int]]


_LOSS = "\udc80"  # a character that no codec produces
_SKIP = "urlset-skip"
_skipped = _Skipped()
codecs.register_error(_SKIP, _skip)


def _lost(data: bytes, name: str) -> Decoded:
    """Decode an unknown encoding: keep ASCII, replace other bytes and shift codes by U+FFFD."""
    words = f'Encoding "{name}" is not known: what is not ASCII cannot be read'
    text = _SHIFT.sub(lambda found: b"\xff" * len(found[0]), data).decode("ascii", "replace")
    runs = list(_runs(text, "ascii", 0))
    return Decoded(text.encode(), name.lower(), runs, [Diagnostic("X012", 0, 0, words)])


def _control(error: UnicodeError) -> tuple[str | bytes, int]:
    """Error handler of a codec: decode undefined bytes of windows encodings as C1 controls."""
    assert isinstance(error, UnicodeDecodeError)
    byte = error.object[error.start]
    if error.encoding != "charmap" or not 0x80 <= byte < 0xA0:
        raise error
    return chr(byte), error.start + 1


_CONTROLS = "urlset-controls"
codecs.register_error(_CONTROLS, _control)


def _from_wide(data: bytes, codec: str, declared: str | None) -> Decoded | None:
    start = next((len(bom) for bom, name in _BOMS if name == codec and data.startswith(bom)), 0)
    unit = 4 if "32" in codec else 2
    whole = len(data) - (len(data) - start) % unit
    try:
        text = data[start:whole].decode(codec)
        diagnostics = [Diagnostic("X011", 0, 0, codec.upper())]
    except UnicodeDecodeError:
        text = data[start:whole].decode(codec, "replace")
        words = f"Bytes are not valid {codec.upper()}; U+FFFD stands for them"
        diagnostics = [Diagnostic("X011", 0, 0, codec.upper()), Diagnostic("X010", 0, 0, words)]
    kind = codec_of(declared)
    if kind is not None and not kind.startswith(codec[:6]):
        diagnostics.append(
            Diagnostic("X012", 0, 0, f"Declaration says {declared}, bytes are {codec.upper()}")
        )
    return Decoded(
        text.encode(errors="replace"), codec, list(_runs(text, codec, start)), diagnostics
    )


def _disagreement(data: bytes, declared: str | None) -> list[Diagnostic]:
    """Return the diagnostics for valid UTF-8 that declares another encoding."""
    if declared is None or codec_of(declared) == "utf-8":
        return []
    codec = codec_of(declared)
    if codec is None or codec.startswith("utf") or not data.isascii():
        return [Diagnostic("X012", 0, 0, f"Declaration says {declared}, bytes are UTF-8")]
    return [Diagnostic("X011", 0, 0, declared, "warning")]


def _runs(text: str, codec: str, start: int, position: int = 0) -> Iterator[OffsetRun]:
    """Yield runs of characters of one width, in UTF-8 and in the original."""
    source = start
    for found in _same_width().finditer(text):
        piece = found[0]
        width = len(piece[0].encode())
        size = len(piece.encode(codec, "replace"))
        yield OffsetRun(position, source, width, max(1, size // len(piece)))
        position += width * len(piece)
        source += size


def _repaired(data: bytes) -> tuple[Decoded, int]:
    """Decode UTF-8, with invalid bytes as windows-1252; return the result and their number."""
    pieces: list[bytes] = []
    runs = [OffsetRun(0, 0, 1, 1)]
    position = size = count = 0
    first: tuple[int, int] | None = None
    whole = data.decode("utf-8", "surrogateescape")
    for found in _NOT_UTF8.finditer(whole):
        if len(runs) > _MAX_RUNS:
            # A cp1252 character has at most three bytes, so no offset is after the end.
            rest = whole[found.start() :]
            runs.append(OffsetRun(size, position, 3, 1))
            pieces.append(rest.translate(_as_cp1252()).encode())
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
        # One run of offsets for adjacent characters of the same width.
        for stretch in _same_width().finditer(bad.translate(_as_cp1252())):
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
    diagnostic = Diagnostic("X010", offset, offset + 1, words)
    return Decoded(b"".join(pieces), "utf-8", runs, [diagnostic]), count


# Valid UTF-8, then invalid bytes: "surrogateescape" maps each of those to one of U+DC80 to U+DCFF,
# which valid UTF-8 does not contain.
_NOT_UTF8 = re.compile("([^\\udc80-\\udcff]*+)([\\udc80-\\udcff]*+)")
_MAX_RUNS = 200_000
"""Maximum of offset runs of a document; later offsets are approximate: the file is binary."""


# Most documents are valid UTF-8: these take 3 ms of the start of a command.
@cache
def _same_width() -> re.Pattern[str]:
    return re.compile("[\0-\x7f]+|[\x80-\u07ff]+|[\u0800-\uffff]+|[\U00010000-\U0010ffff]+")


@cache
def _as_cp1252() -> dict[int, str]:
    return {
        0xDC00 + byte: bytes((byte,)).decode("cp1252", _CONTROLS) for byte in range(0x80, 0x100)
    }

"""Decode Content-Encoding (gzip, deflate) chunk by chunk, up to a size limit."""

from __future__ import annotations

from urlset.formats.signatures import is_gzip
from urlset.inflate import DeflateFormat, InflateStream

_CHUNK = 1 << 20
_FORMS: dict[str, DeflateFormat] = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "zlib"}
_MAX_LAYERS = 3
_PIECE = 1 << 14  # zlib copies what follows a member: not more than this for each of them
MAX_SMALL_MEMBERS = 1_000
MIN_MEMBER = 256
"""Bytes of a gzip member on average, if there are more members than that. Nested members without
content cost time that neither the size of the result nor a time-out ends."""


class BodyDecoder:
    """Decode the chunks of a body and keep at most ``limit`` bytes of the result.

    A body that is not encoded as its header says is kept unchanged: some servers send
    ``Content-Encoding: gzip`` for a body that a proxy has decoded. ``fault`` describes an
    encoding that cannot be decoded.
    """

    def __init__(self, encoding: str | None, limit: int):
        names = _names(encoding)
        self.fault: str | None = None
        if names and not is_supported(encoding):
            self.fault = f"Content-Encoding {encoding} was not requested and is not decoded"
            names = []
        self._is_unsupported = self.fault is not None
        self._decoders = [_Decoder(name) for name in reversed(names)]
        self._limit = limit
        self._chunks: list[bytes] = []
        self._size = 0

    @property
    def is_over(self) -> bool:
        """Whether the result exceeds the limit."""
        return self._size > self._limit

    @property
    def size(self) -> int:
        """Number of bytes that are kept."""
        return self._size

    def feed(self, data: bytes) -> None:
        """Decode the next chunk of the body."""
        self._decode(data, 0)

    def close(self) -> None:
        """End the body; an incomplete stream is reported in ``fault``."""
        if self.is_over:
            return
        for depth, decoder in enumerate(self._decoders):
            self._decode(decoder.rest(), depth + 1)
            if decoder.fault or not decoder.is_done:
                self.fault = decoder.fault or f"the {decoder.name} stream ends before its end"

    @property
    def is_cut(self) -> bool:
        """Whether the body is not the document: damaged, incomplete, or in an unknown encoding."""
        if self._is_unsupported:
            # "Content-Encoding: utf-8" and the like do not mean that the body is compressed.
            return not _is_plain(self._chunks[0] if self._chunks else b"")
        return any(decoder.fault or not decoder.is_done for decoder in self._decoders)

    def body(self) -> bytes:
        """Return the decoded body, cut at the limit."""
        return b"".join(self._chunks)[: self._limit]

    def _decode(self, data: bytes | memoryview, depth: int) -> None:
        if depth == len(self._decoders):
            self._chunks.append(bytes(data))
            self._size += len(data)
            return
        decoder = self._decoders[depth]
        left = memoryview(data)
        while left and not self.is_over:
            chunk, left = decoder.decode(left)
            if chunk:
                self._decode(chunk, depth + 1)


def is_supported(encoding: str | None) -> bool:
    """Return whether a ``Content-Encoding`` can be decoded: gzip and deflate, three layers at most.

    >>> is_supported("gzip, deflate"), is_supported(None), is_supported("br")
    (True, True, False)
    """
    names = _names(encoding)
    return len(names) <= _MAX_LAYERS and all(name in _FORMS for name in names)


def _names(encoding: str | None) -> list[str]:
    if not encoding:
        return []
    names = [name.strip().lower() for name in encoding.split(",")]
    return [name for name in names if name not in ("", "identity")]


def _is_plain(data: bytes) -> bool:
    """Return whether the start of a body is gzip or text, which needs no decoding."""
    head = data[:1024]
    return is_gzip(head) or not any(byte < 9 or (13 < byte < 32 and byte != 27) for byte in head)


class _Decoder:
    """Decoder of one of the encodings named in Content-Encoding."""

    def __init__(self, name: str):
        self.name = name
        self.is_done = True  # an empty body is complete
        self._head = b""
        self._is_plain = False
        self._is_past_end = False
        self._members = 0
        self._size = 0
        self._is_fragmented = False
        self._stream: InflateStream | None = None

    @property
    def fault(self) -> str | None:
        """Description of the damage, or None."""
        if self._is_fragmented:
            return (
                f"the {self.name} stream has more than {MAX_SMALL_MEMBERS:,} members "
                f"of less than {MIN_MEMBER} bytes"
            )
        fault = self._stream.fault if self._stream is not None else None
        return f"the {self.name} stream is damaged: {fault}" if fault else None

    def decode(self, data: memoryview) -> tuple[bytes | memoryview, memoryview]:
        """Decode a piece of ``data`` up to 1 MiB of output; return it, and the unused input."""
        nothing = data[:0]
        if self._is_plain:
            return data, nothing
        if self._is_past_end or self.fault:
            return b"", nothing
        if self._stream is None:
            if len(self._head) + len(data) < 2:
                self._head += data
                return b"", nothing
            if self._head:
                data = memoryview(self._head + data)
                self._head = b""
            if self._members and not is_gzip(bytes(data[:16])):
                self._is_past_end = True  # padding or other data
                return b"", nothing
            self._stream = self._open(bytes(data[:16]))
        if self._stream is None:
            self._is_plain = True
            return data, nothing
        piece = data[:_PIECE]
        chunk = self._stream.feed(piece, _CHUNK)
        self._size += len(chunk)
        if self._stream.fault:
            return chunk, nothing
        left = data[len(piece) - len(self._stream.rest) :]
        if self._stream.is_done:
            self._end_member()
        return chunk, left

    def rest(self) -> bytes:
        """Return the buffered first byte of a body that is too short to detect its encoding."""
        rest, self._head = self._head, b""
        return b"" if self._members else rest

    def _open(self, data: bytes) -> InflateStream | None:
        form = _FORMS[self.name]
        if is_gzip(data):
            form = "gzip"  # some servers send gzip as "deflate"
        elif form == "gzip":
            return None
        elif data[0] & 0x0F != 8 or int.from_bytes(data[:2]) % 31:
            form = "deflate"  # a zlib stream by RFC 9110; old servers send raw deflate
        self.is_done = False
        return InflateStream(form, salvages=True)

    def _end_member(self) -> None:
        self.is_done = True
        self._stream = None
        self._members += 1
        if self._members > MAX_SMALL_MEMBERS and self._size < MIN_MEMBER * self._members:
            self._is_fragmented = True

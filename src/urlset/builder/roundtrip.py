"""Judges whether entries may be written: written by the engine and read back, they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from urlset.arrow import batches
from urlset.builder.file_mark import MARK
from urlset.builder.options import BuildOptions
from urlset.engine import Engine
from urlset.model import Entry

__all__ = ["RoundTrip", "RoundTripResult"]

_FOOTER = b"</urlset>"
_DATE = b"<lastmod>"
_DATE_END = b"</lastmod>"
_ANY = 1 << 62


class RoundTripResult(NamedTuple):
    """Rows of a batch that may be written: which ones (None: all), and how they come back.

    ``entries`` know where each begins in the document that was read back, ``end`` is where the
    last one ends; ``more`` are digests, where there are extensions.
    """

    rows: list[int] | None
    entries: Any
    end: int
    more: list[str | None] | None


class RoundTrip:
    """Judges batches of entries, several at once if need be."""

    def __init__(self, engine: Engine, settings: BuildOptions):
        self._engine = engine
        self._settings = settings
        kind = "text" if settings.is_text else "urlset"
        self._frame = len(engine.renderer(kind, 1, 1, 1, settings.stylesheet).finish())
        self._frame += 0 if settings.is_text else len(MARK)

    def as_written(self, entries: Any) -> RoundTripResult | None:
        """The entries as they come back when they were written; None unless all is well.

        All is well only where :func:`urlset.write` would take each of them as it stands.
        """
        try:
            columns = self._engine.columns(batches.as_table(entries))
        except ValueError:
            return None
        if self._engine.uncertain_rows(columns, self._settings.is_text):
            return None
        return self.read_back(columns, entries, entries.num_rows)

    def read_back(self, columns: Any, given: Any, count: int) -> RoundTripResult | None:
        """Write entries and read them back; ``given`` is a batch, or a list of valid entries."""
        kind = "text" if self._settings.is_text else "urlset"
        renderer = self._engine.renderer(kind, count, _ANY, count)
        if renderer.add(columns, 0) < count:
            return None
        data = renderer.finish()
        parsed = self._engine.parse(data, None, None, [])
        if len(parsed.entries) != count:
            return None
        if isinstance(given, list):
            # A problem may be a mere suspicion (`&amp;` in a URL): what is valid and comes back
            # as it was is written.
            if parsed.diagnostics and not all(map(_is_same, parsed.entries, given)):
                return None
        elif parsed.diagnostics or _has_fragment(data, parsed.entries):
            return None
        read = batches.combine_batches(parsed.entries)
        if not isinstance(given, list) and not self._settings.is_text and _lost(given, read):
            return None
        end = len(data) if self._settings.is_text else data.rindex(_FOOTER)
        if end > self._room and _largest(read, end) > self._room:
            return None
        return RoundTripResult(None, read, end, self._digests(data, read, end))

    @property
    def _room(self) -> int:
        return self._settings.max_bytes - self._frame

    def _digests(self, data: bytes, read: Any, end: int) -> list[str | None] | None:
        """Digests of those entries that have more than core elements; None where none has."""
        first = batches.first_value(read, "offset")
        is_plain = b" xmlns:" not in data[:first] and _is_empty(read.column("extra"))
        if is_plain or self._settings.is_text:
            return None
        extras = batches.column_values(read, "extra")
        lines = (data[start:after] for start, after in _spans(read, end))
        return [
            None if extra is None and _is_core(line) else _digest(line)
            for extra, line in zip(extras, lines, strict=True)
        ]


def _is_same(read: Entry, given: Entry) -> bool:
    return read[:1] + read[2:10] == given[:1] + given[2:10]


def _lost(given: Any, read: Any) -> bool:
    """Whether a value did not come back: what nobody can read is not written."""
    names = set(given.schema.names)
    for name in ("changefreq", "priority"):
        if name in names and given.column(name).null_count != read.column(name).null_count:
            return True
    dates = [
        given.column(name)
        for name in ("lastmod", "lastmod_text")
        if name in names and not _is_empty(given.column(name))
    ]
    if not dates:
        return False
    if len(dates) == 1:
        return bool(dates[0].null_count != read.column("lastmod_text").null_count)
    pairs = zip(*(column.to_pylist() for column in dates), strict=True)
    count = sum(instant is None and text is None for instant, text in pairs)
    return bool(count != read.column("lastmod_text").null_count)


def _is_empty(column: Any) -> bool:
    return bool(column.null_count == len(column))


def _spans(read: Any, end: int) -> Iterator[tuple[int, int]]:
    """Where each entry begins and ends."""
    return pairwise([*batches.column_values(read, "offset"), end])


def _largest(read: Any, end: int) -> int:
    """Bytes of the largest entry, without its lastmod."""
    dates = batches.column_values(read, "lastmod_text")
    return max(
        after - start - (0 if date is None else len(_DATE) + len(date) + len(_DATE_END))
        for (start, after), date in zip(_spans(read, end), dates, strict=True)
    )


def _is_core(line: bytes) -> bool:
    return not any(tag in line for tag in (b"<image:", b"<video:", b"<news:", b"<xhtml:"))


def _digest(line: bytes) -> str:
    """What an entry says but for its dates, as a digest."""
    start = line.find(_DATE)
    if start >= 0:
        line = line[:start] + line[line.index(_DATE_END, start) + len(_DATE_END) :]
    return blake2b(line, digest_size=16).hexdigest()


def _has_fragment(data: bytes, entries: Any) -> bool:
    """Whether a URL has one, of a document and its entries, of which there are some."""
    if b"#" not in data:
        return False
    return any("#" in loc for loc in batches.column_values(batches.combine_batches(entries), "loc"))

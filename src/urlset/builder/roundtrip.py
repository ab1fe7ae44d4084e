"""Verify entries by writing and reading them back with the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from urlset.arrow import batches
from urlset.builder.file_mark import MARK
from urlset.builder.options import BuildOptions
from urlset.engine import Engine, Rows
from urlset.fields import CONTENT
from urlset.model import Entry

_FOOTER = b"</urlset>"
_DATE = b"<lastmod>"
_DATE_END = b"</lastmod>"
_UNLIMITED = 1 << 62

_COMPARED = tuple(n for n, field in enumerate(CONTENT) if field.name != "lastmod")


class RoundTripResult(NamedTuple):
    """Verified rows of a batch: their indexes (None: all), and the entries as read back.

    ``entries`` have their offsets in the document that was read back, ``end`` is the end of the
    last one. ``more`` has digests, if there are extensions.
    """

    rows: list[int] | None
    entries: Any
    end: int
    more: Sequence[str | None] | None


class RoundTrip:
    """Verifier of batches of entries; safe to use from several threads."""

    def __init__(self, engine: Engine, settings: BuildOptions):
        self._engine = engine
        self._settings = settings
        kind = "text" if settings.is_text else "urlset"
        self._overhead = len(engine.renderer(kind, 1, 1, 1, settings.stylesheet).finish())
        self._overhead += 0 if settings.is_text else len(MARK)

    def check(self, entries: Any) -> RoundTripResult | None:
        """Write entries and read them back; return the result, or None unless all are valid.

        They are valid only if :func:`urlset.write` would accept each of them unchanged.
        """
        try:
            columns = self._engine.columns(batches.as_table(entries))
        except ValueError:
            return None
        if self._engine.uncertain_rows(columns, self._settings.is_text):
            return None
        return self.read_back(columns, entries, entries.num_rows)

    def read_back(self, columns: Any, original: Any, count: int) -> RoundTripResult | None:
        """Write entries and read them back; ``original`` is a batch, or a list of valid entries."""
        kind = "text" if self._settings.is_text else "urlset"
        renderer = self._engine.renderer(kind, count, _UNLIMITED, count)
        if renderer.add(columns, 0) < count:
            return None
        data = renderer.finish()
        parsed = self._engine.parse(data, None, None, [])
        if len(parsed.entries) != count:
            return None
        if isinstance(original, list):
            # A problem may be only a suspicion (`&amp;` in a URL): valid entries that come back
            # unchanged are accepted.
            if parsed.diagnostics and not all(map(_is_same, parsed.entries, original)):
                return None
        elif parsed.diagnostics or _has_fragment(data, parsed.entries):
            return None
        read = batches.combine_batches(parsed.entries)
        if (
            not isinstance(original, list)
            and not self._settings.is_text
            and _has_lost_values(original, read)
        ):
            return None
        end = len(data) if self._settings.is_text else data.rindex(_FOOTER)
        if end > self._max_entry_bytes and _largest(read, end) > self._max_entry_bytes:
            return None
        return RoundTripResult(None, read, end, self._digests(data, parsed.entries, read, end))

    @property
    def _max_entry_bytes(self) -> int:
        return self._settings.max_bytes - self._overhead

    def _digests(
        self, data: bytes, entries: Rows, read: Any, end: int
    ) -> Sequence[str | None] | None:
        """Return a digest of each entry that has more than core elements; None if none has."""
        first = batches.first_value(read, "offset")
        is_plain = b" xmlns:" not in data[:first] and _is_empty(read.column("extra"))
        if is_plain or self._settings.is_text:
            return None
        return self._engine.entry_digests(data, entries, end)


def _is_same(read: Entry, original: Entry) -> bool:
    return all(read[index] == original[index] for index in _COMPARED)


def _has_lost_values(original: Any, read: Any) -> bool:
    """Return whether a value was lost by writing and reading: invalid values are not written."""
    names = set(original.schema.names)
    for name in ("changefreq", "priority"):
        if name in names and original.column(name).null_count != read.column(name).null_count:
            return True
    dates = [
        original.column(name)
        for name in ("lastmod", "lastmod_text")
        if name in names and not _is_empty(original.column(name))
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
    """Yield the start and end offset of each entry that was read."""
    return pairwise([*batches.column_values(read, "offset"), end])


def _largest(read: Any, end: int) -> int:
    """Return the bytes of the largest entry, without its lastmod."""
    dates = batches.column_values(read, "lastmod_text")
    return max(
        after - start - (0 if date is None else len(_DATE) + len(date) + len(_DATE_END))
        for (start, after), date in zip(_spans(read, end), dates, strict=True)
    )


def _has_fragment(data: bytes, entries: Any) -> bool:
    """Return whether a URL of a non-empty document has a fragment."""
    if b"#" not in data:
        return False
    return any("#" in loc for loc in batches.column_values(batches.combine_batches(entries), "loc"))

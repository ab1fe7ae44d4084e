"""Batches of entries packed into documents, each as full as the limits allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from urlset.engine import Engine, Renderer
from urlset.errors import EntryError
from urlset.protocol import MAX_NEWS
from urlset.writer.faults import shown
from urlset.writer.intake import Batch
from urlset.writer.publication import Rejection
from urlset.writer.validation import Checked, Rules, given_loc, validate

__all__ = ["Limits", "Packed", "Packer"]


class Limits(NamedTuple):
    """What one document may hold: entries, and bytes with header and footer."""

    max_urls: int
    max_bytes: int


class Packed(NamedTuple):
    """A document that is complete."""

    data: bytes
    urls: int


class Packer:
    """Packs entries into documents; one object per publication.

    ``rejected`` fills up while :meth:`documents` is consumed, and so does ``urls``.
    """

    def __init__(
        self,
        engine: Engine,
        rules: Rules,
        limits: Limits,
        *,
        on_error: Literal["raise", "skip"],
        duplicates: Literal["drop", "keep"],
        progress: Callable[[int], None] | None,
        stylesheet: str | None = None,
    ):
        self.urls = 0
        self.rejected: list[Rejection] = []
        self._engine = engine
        self._rules = rules
        self._limits = limits
        self._stylesheet = stylesheet
        self._is_strict = on_error == "raise"
        self._seen: set[str] | None = set() if duplicates == "drop" else None
        self._progress = progress
        self._renderer = self._new_renderer()
        self._first: tuple[int, str] | None = None  # row and loc, of the document at work

    def documents(self, batches: Iterable[Batch]) -> Iterator[Packed]:
        """Yield documents as they fill up, the last one at the end; none where nothing came."""
        for batch in batches:
            checked = self._judged(batch)
            columns = self._engine.columns(checked.entries)
            start = 0
            while start < len(checked.entries):
                if self._renderer.count == 0:
                    self._first = checked.rows[start], checked.entries[start].loc
                start = self._renderer.add(columns, start)
                if start < len(checked.entries):
                    yield from self._finish()
            if self._progress is not None:
                self._progress(self.urls + self._renderer.count)
        yield from self._finish()
        self.rejected.sort(key=lambda rejection: rejection.row)

    def empty(self) -> Packed:
        """A document without entries."""
        return Packed(self._new_renderer().finish(), 0)

    def _finish(self) -> Iterator[Packed]:
        count, data = self._renderer.count, self._renderer.finish()
        self._renderer = self._new_renderer()
        if count == 1 and len(data) > self._limits.max_bytes:
            self._reject_large(len(data))
        elif count:
            self.urls += count
            yield Packed(data, count)

    def _judged(self, batch: Batch) -> Checked:
        checked = validate(batch, self._rules)
        for error in checked.errors:
            self._refuse(error, given_loc(batch.items[error.row - batch.row]))
        return checked if self._seen is None else self._without_seen(checked, self._seen)

    def _without_seen(self, checked: Checked, seen: set[str]) -> Checked:
        locs = {entry.loc for entry in checked.entries}
        if len(locs) == len(checked.entries) and seen.isdisjoint(locs):
            seen |= locs
            return checked
        kept = Checked([], [], [])
        for entry, row in zip(checked.entries, checked.rows, strict=True):
            if entry.loc in seen:
                reason = f"row {row}, loc: listed already; the first one is kept"
                self.rejected.append(
                    Rejection(row, entry.loc, "loc", shown(entry.loc), reason, is_duplicate=True)
                )
            else:
                seen.add(entry.loc)
                kept.entries.append(entry)
                kept.rows.append(row)
        return kept

    def _refuse(self, error: EntryError, loc: str | None) -> None:
        if self._is_strict:
            raise error
        self.rejected.append(Rejection(error.row, loc, error.field, shown(error.value), str(error)))

    def _reject_large(self, size: int) -> None:
        assert self._first is not None  # a document of one entry has a first one
        row, loc = self._first
        message = (
            f"row {row}, loc: expected an entry that fits into a file of "
            f"{self._limits.max_bytes:,} bytes, found one that makes {size:,}; "
            "leave out some of its images, videos or alternates"
        )
        self._refuse(EntryError(message, row=row, field="loc", value=loc), loc)

    def _new_renderer(self) -> Renderer:
        kind = "text" if self._rules.is_text else "urlset"
        return self._engine.renderer(kind, *self._limits, MAX_NEWS, self._stylesheet)

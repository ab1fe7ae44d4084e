"""Source that reads existing sitemaps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import urlset.reader as readers
from urlset.arrow import open_stream
from urlset.arrow.streams import ColumnType, rewrite_dates, rows_to_batch, without_row_numbers
from urlset.dates import Date, format_date, is_common_w3c, parse_date
from urlset.errors import SourceError
from urlset.http import without_secrets
from urlset.option_names import option
from urlset.reader.documents import SITEMAP_KINDS
from urlset.reader.unreadable_entries import unreadable_entries
from urlset.sources.candidates import FAULT, SourceType, encode_fault
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.document import Document
    from urlset.http import Policy


class Sitemaps:
    """The entries of sitemaps as candidates, one document at a time.

    ``source`` is a source of :func:`urlset.read` (a path, a folder, a URL, a site), or the
    :class:`urlset.Entries` that it returned, with the filters of that call. Documents that cannot
    be read are listed in ``failures``; with ``fail_fast`` the first one raises. A date in another
    form than W3C is converted if its meaning is unambiguous; an unreadable one is dropped, and
    counted in ``unread_dates`` and the ``notes``, as are times without a zone, of which only the
    day is kept, in ``dates_without_zone``. Each candidate has its ``source`` and ``line``.

    An entry without a readable URL is a row that a build rejects. Raises
    :class:`urlset.SourceError` if nothing can be read at all.

    >>> Sitemaps("https://example.com/sitemap.xml").name
    'https://example.com/sitemap.xml'
    """

    source_type: ClassVar[SourceType] = "sitemap"

    def __init__(
        self,
        source: readers.Source | readers.Entries,
        *,
        name: str | None = None,
        base_url: str | None = None,
        engine: str | None = None,
        fail_fast: bool = False,
        policy: Policy | None = None,
        auth: str | tuple[str, str] | None = None,
        cache: str | None = None,
    ):
        requested = source.source if isinstance(source, readers.Entries) else source
        name = name or (requested if isinstance(requested, str) else "the document")
        self.name: str = without_secrets(name)
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.unread_dates: int = 0
        self.dates_without_zone: int = 0
        self._items_without_link = 0
        if isinstance(source, readers.Entries):
            self._entries = source
        else:
            self._entries = readers.read(
                source,
                base_url=base_url,
                engine=engine,
                fail_fast=fail_fast,
                policy=policy,
                auth=auth,
                cache=cache,
            )

    def batches(self) -> Iterator[Any]:
        """Yield record batches with the columns of entries."""
        for record, document, rows in self._read():
            location = record.source or self.name
            if record.error:
                self.failures.append(f"{location}: {record.error}{_advice(record)}")
            if document is None or rows is None:
                continue
            for batch in open_stream(without_row_numbers([rows])) if document.entries else ():
                if batch.num_rows:
                    yield rewrite_dates(batch, self._w3c_or_none, location)
            if record.unreadable_count and record.kind in SITEMAP_KINDS:
                yield self._invalid_rows(document, location, record.unreadable_count)
        if self._items_without_link:
            items = pluralize(self._items_without_link, "item of a feed", "items of feeds")
            self.notes.append(f"{items} without a link omitted")
        if self.unread_dates:
            noun = "date" if self.unread_dates == 1 else "dates"
            self.notes.append(f"{self.unread_dates:,} unreadable {noun} dropped")
        if self.dates_without_zone:
            times = (
                "1 time" if self.dates_without_zone == 1 else f"{self.dates_without_zone:,} times"
            )
            self.notes.append(f"{times} without a zone reduced to the day, as the zone is unknown")

    def _read(self) -> Iterator[Any]:
        """Yield the documents; the error about a page says how pages are listed."""
        try:
            yield from self._entries.batches()
        except SourceError as error:
            advice = "".join(map(_advice, self._entries.documents[-1:]))
            if not advice:
                raise
            raise SourceError(f"{error}{advice}", failure=error.failure) from error

    def _invalid_rows(self, document: Document, location: str, count: int) -> Any:
        """Return a batch of the entries without a readable URL, which a build rejects.

        The last row stands for those whose place is not known: of more than 10,000, and of a store.
        Items of feeds need no link.
        """
        rows: list[tuple[str | None, str, int | None, str]] = []
        expected = "a full http or https URL"
        for problem, loc in islice(unreadable_entries(document), count):
            count -= 1
            if problem.code == _ITEM_WITHOUT_LINK:
                self._items_without_link += 1
                continue
            advice = "correct it in the sitemap"
            if problem.code == "U001" and document.base_url is None:
                advice = f"{advice}, or set {option('base_url')}"
            found = problem.message if loc is None else loc or None
            fault = encode_fault("loc", found, expected, advice)
            rows.append((loc or None, location, problem.line, fault))
        if count and document.kind in ("rss", "atom"):
            self._items_without_link += count
        elif count:
            found = pluralize(count, "unreadable entry", "unreadable entries")
            fault = encode_fault("loc", found, expected, "correct the sitemap")
            rows.append((None, location, None, fault))
        return rows_to_batch(_INVALID, rows)

    def _w3c_or_none(self, text: str | None) -> str | None:
        """Return a date in W3C form, or None for one that is unreadable."""
        if text is None or is_common_w3c(text):
            return text
        found = _w3c(text)
        self.unread_dates += found is None
        is_day = found is not None and len(found) == _DAY
        self.dates_without_zone += is_day and _is_without_zone(parse_date(text))
        return found


def _advice(record: readers.DocumentRecord) -> str:
    """Return how a page is listed, if a page was given instead of a sitemap; else nothing."""
    if record.how != "given" or record.kind not in ("html", "unknown") or record.fetched is None:
        return ""
    return (
        "; to list pages, name a file with one URL per line, or in Python pass rows: "
        '[{"loc": "https://example.com/page"}]'
    )


_ITEM_WITHOUT_LINK = "F002"

_INVALID: tuple[tuple[str, ColumnType], ...] = (
    ("loc", "string"), ("source", "string"), ("line", "uint32"), (FAULT, "string"),
)  # fmt: skip


_DAY = 10


def _is_without_zone(date: Date) -> bool:
    """Return whether a date is a time of which the zone is unknown: its day is what is known."""
    return not date.has_zone and date.precision not in ("year", "month", "day", None)


@lru_cache(maxsize=65_536)  # the dates of a site are often the same few
def _w3c(text: str) -> str | None:
    date = parse_date(text)
    if date.instant is None:
        return None
    if date.code is None:
        return text
    if _is_without_zone(date):
        return date.instant.isoformat()[:_DAY]
    length = {"year": 4, "month": 7, "day": 10}.get(date.precision or "")
    if length and not date.has_zone:  # midnight in another zone is another day in UTC
        return date.instant.isoformat()[:length]
    return format_date(date.instant)

"""Candidates: the rows that sources yield, with URL, fields, dates and reason for exclusion.

A source yields Arrow batches. Of the columns of :data:`CANDIDATE` only ``loc`` is required. The
columns may have any order. Other columns are ignored, unless sections are formed from them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from urlset.arrow import ENTRY
from urlset.arrow.streams import rows_to_batch
from urlset.model import Alternate, Entry, Image, News, Video

BATCH_ROWS = 8_192

EVIDENCE = (
    "section",
    "reason",
    "fingerprint",
    "page_lastmod",
    "git_lastmod",
    "header_lastmod",
    "mtime_lastmod",
)
"""The columns that a candidate has in addition to an entry: text, or null."""

UNREADABLE = "unreadable"
"""Start of the reason of a page that could not be read: it is no removal of a published page."""

UNREADABLE_FOLDER = "unreadable folder"
"""Start of the reason of a folder that could not be read; its URL stands for all pages below it."""

GUESSES = ("error page", "verification file", "no page", "empty")
"""Reasons that urlset inferred and the owner did not state: a ``keep`` filter overrides them."""


FAULT = "fault"
"""Optional column of a batch: why a row is invalid, as :func:`encode_fault` writes it, or null.

Such a row is rejected like an entry with an invalid value, whatever its other columns hold.
"""


def encode_fault(field: str, value: object, expected: str, advice: str) -> str:
    """Encode why a row is invalid: the field, the value found, what was expected, and advice.

    >>> decode_fault(encode_fault("images", 7, "a list", "put it in one"))
    ('images', 7, 'a list', 'put it in one')
    """
    return json.dumps([field, value, expected, advice], default=str)


def decode_fault(text: str) -> tuple[str, Any, str, str]:
    """Decode the text that :func:`encode_fault` returned."""
    field, value, expected, advice = json.loads(text)
    return field, value, expected, advice


class Candidate(NamedTuple):
    """One URL from a source: the fields of :class:`urlset.Entry`, and evidence.

    Attributes:
        loc: The URL; may be relative to the base URL of the build.
        lastmod: The date that the source states, as is ``lastmod_text``.
        source: The file, URL or table in which the URL was found.
        line: The line in ``source``.
        section: The section of the sitemap that the URL belongs to.
        reason: Why the URL is excluded (``noindex``, ``404`` …), or None for one that is included.
            It also excludes the URL if another source has it without a reason.
        fingerprint: Fingerprint of the main content.
        page_lastmod: Evidence: the date that the page states. This and the other dates of
            evidence are W3C text, either a time with its zone or a date alone.
        git_lastmod: Evidence: the last commit that changed the file.
        header_lastmod: Evidence: the ``Last-Modified`` header of HTTP.
        mtime_lastmod: Evidence: the modification time of the file.
    """

    loc: str
    lastmod: Any = None
    lastmod_text: str | None = None
    changefreq: str | None = None
    priority: float | None = None
    images: tuple[Image, ...] = ()
    videos: tuple[Video, ...] = ()
    news: News | None = None
    alternates: tuple[Alternate, ...] = ()
    extra: str | None = None
    source: str | None = None
    offset: int | None = None
    line: int | None = None
    section: str | None = None
    reason: str | None = None
    fingerprint: str | None = None
    page_lastmod: str | None = None
    git_lastmod: str | None = None
    header_lastmod: str | None = None
    mtime_lastmod: str | None = None

    @classmethod
    def of(cls, entry: Entry, **evidence: str | None) -> Candidate:
        """Convert an entry to a candidate, with additional fields of evidence.

        >>> Candidate.of(Entry("https://example.com/"), reason="noindex").reason
        'noindex'
        """
        return cls(*entry, **evidence)  # type: ignore[arg-type] # the fields of an entry come first


CANDIDATE: tuple[tuple[str, Any], ...] = (*ENTRY.fields, *((name, "string") for name in EVIDENCE))
"""The columns of a batch of candidates, each with its type as in :mod:`urlset.arrow`."""


class RowVersion(NamedTuple):
    """What a source states about its rows before they are read.

    Attributes:
        version: A text that changes whenever a row changes, or would be read as another one at a
            later time; None if there is none.
        reason: Why the rows are the same while the text is, or why there is no text; the notes of
            the build contain it. Without a reason they do not mention the rows, and the text is
            used only if nothing of the set changed.
        is_current: Function that returns, after the rows were read, whether they are those that
            the text identifies.
    """

    version: str | None
    reason: str | None = None
    is_current: Callable[[], bool] | None = None


class Source(Protocol):
    """Protocol of a source of a build: a name and batches of candidates.

    A source may also have a method ``row_version`` that returns a :class:`RowVersion`, or None.
    While its text is that of the last build, the rows are taken over without being read.

    Attributes:
        name: The name under which the source was requested, for messages.
        failures: Parts that could not be read, each as a sentence; complete when ``batches`` ends.
        notes: Other remarks, such as a shallow git history; complete when ``batches`` ends.
    """

    name: str
    failures: list[str]
    notes: list[str]

    def batches(self) -> Iterator[Any]:
        """Yield record batches (``arro3.core.RecordBatch``) with columns of candidates.

        Called once. One batch at a time is held in memory.

        Raises:
            urlset.SourceError: Nothing of the source can be read.
        """


SourceType = Literal[
    "candidates",
    "crawl",
    "failed",
    "git",
    "html",
    "log",
    "query",
    "rows",
    "sitemap",
    "stream",
    "table",
    "text",
]
"""The type of a source; each class of source in urlset declares its own as ``source_type``."""


def source_type_of(source: Source) -> SourceType | None:
    """Return the name of the type of a source, None for a source that urlset does not define.

    >>> from urlset.sources import CandidateRows
    >>> source_type_of(CandidateRows([]))
    'candidates'
    """
    return getattr(source, "source_type", None)


def in_batches(rows: Iterable[Candidate]) -> Iterator[Any]:
    """Collect candidates into record batches, for sources that produce one at a time.

    >>> [batch.num_rows for batch in in_batches([Candidate("/a"), Candidate("/b")])]
    [2]
    """
    remaining = (row if row.loc.isascii() else row._replace(loc=encodable(row.loc)) for row in rows)
    while chunk := list(islice(remaining, BATCH_ROWS)):
        yield rows_to_batch(CANDIDATE, chunk)


def encodable(text: str) -> str:
    """Return a text that can be encoded, in which halves of surrogate pairs are U+FFFE.

    No XML file may have this character, so that the validation refuses the row.
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffe", text)


def keep_date_text(candidate: Candidate) -> Candidate:
    """Replace the date of a candidate by a text if that has more information, such as a zone."""
    if candidate.lastmod is None or candidate.lastmod_text is not None:
        return candidate
    text = _significant_text(candidate.lastmod)
    return candidate if text is None else candidate._replace(lastmod=None, lastmod_text=text)


def _significant_text(value: Any) -> str | None:
    """Return a date as text if an instant would lose something: a day alone, a zone, or no zone."""
    if not isinstance(value, datetime):
        return value.isoformat() if isinstance(value, date) else str(value)
    offset = value.utcoffset()
    if offset is None:
        return value.isoformat()  # the build rejects it: a time without a zone
    return value.isoformat() if offset and not offset % timedelta(minutes=1) else None


_SURROGATE = re.compile("[\ud800-\udfff]")
T = TypeVar("T")
_END = object()


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """Yield the items of an iterator; a thread reads the next one during the use of each.

    >>> list(prefetch(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(next, items, _END)
        while (item := future.result()) is not _END:
            future = pool.submit(next, items, _END)
            yield item  # type: ignore[misc] # never the end marker

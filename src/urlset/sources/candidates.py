"""What a source gives to a build: URLs, what is known of each, and why one is not wanted.

A source yields Arrow batches. Of the columns of :data:`CANDIDATE` only ``loc`` must be there; they
may stand in any order, and any other column is passed over (or is what sections are made of).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol

from urlset.arrow import ENTRY
from urlset.arrow.streams import rows_to_batch
from urlset.model import Alternate, Entry, Image, News, Video

__all__ = [
    "CANDIDATE",
    "EVIDENCE",
    "FAULT",
    "GUESSES",
    "Candidate",
    "Source",
    "SourceType",
    "decode_fault",
    "encode_fault",
    "in_batches",
    "keep_date_text",
    "source_type_of",
]

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
"""The columns of a candidate that are not those of an entry: all of them text, or null."""

GUESSES = ("error page", "verification file", "no page", "empty")
"""Reasons that are judgements about a page, not its owner's word: a ``keep`` filter outweighs them.
"""


FAULT = "fault"
"""An optional column of a batch: why a row is invalid, as :func:`encode_fault` writes it, or null.

Such a row is refused like an entry with an invalid value, whatever its other columns hold.
"""


def encode_fault(field: str, value: object, expected: str, advice: str) -> str:
    """Write why a row is invalid: what was expected of which field, and what was found.

    >>> decode_fault(encode_fault("images", 7, "a list", "put it into one"))
    ('images', 7, 'a list', 'put it into one')
    """
    return json.dumps([field, value, expected, advice], default=str)


def decode_fault(text: str) -> tuple[str, Any, str, str]:
    """Read what :func:`encode_fault` wrote."""
    field, value, expected, advice = json.loads(text)
    return field, value, expected, advice


class Candidate(NamedTuple):
    """One URL as a source gives it: the fields of :class:`urlset.Entry`, and evidence.

    ``loc`` may be relative to the base URL of the build. ``lastmod`` and ``lastmod_text`` are the
    date that the source *gives*; the others are evidence, W3C text with its zone or a date alone:
    ``page_lastmod`` what the page says, ``git_lastmod`` the last commit that touched its file,
    ``header_lastmod`` HTTP's, ``mtime_lastmod`` the file's. ``fingerprint`` is of the main content.
    ``reason`` tells why the URL is to be left out (``noindex``, ``404`` …), null for one that is
    wanted; it speaks against the URL whichever source gives it, too. ``source`` and ``line`` are
    where a person finds it: a file, and the line in it.
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
        """A candidate of an entry.

        >>> Candidate.of(Entry("https://example.com/"), reason="noindex").reason
        'noindex'
        """
        return cls(*entry, **evidence)  # type: ignore[arg-type] # one by one, they fit


CANDIDATE: tuple[tuple[str, Any], ...] = (
    *ENTRY.fields,
    *((name, "string") for name in EVIDENCE),
)
"""The columns of a batch of candidates and what each holds, as :mod:`urlset.arrow` names it."""


class Source(Protocol):
    """One source of a build.

    ``name`` is how it was asked for. ``batches`` may be asked for once; it holds one batch in
    memory at a time, and raises :class:`urlset.SourceError` where nothing of the source can be
    read. Parts that cannot be read are in ``failures`` when it has ended, each as a sentence, and
    what it has to tell besides (``git log is shallow: …``) in ``notes``.
    """

    name: str
    failures: list[str]
    notes: list[str]

    def batches(self) -> Iterator[Any]:
        """Yield record batches (``arro3.core.RecordBatch``) with columns of candidates."""


SourceType = Literal[
    "candidates",
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
"""What a source of urlset reads; each class of source declares it as ``source_type``."""


def source_type_of(source: Source) -> SourceType | None:
    """Return the declared type of a source, or None for a source that is not one of urlset's.

    >>> from urlset.sources import CandidateRows
    >>> source_type_of(CandidateRows([]))
    'candidates'
    """
    return getattr(source, "source_type", None)


def in_batches(rows: Iterable[Candidate]) -> Iterator[Any]:
    """Make record batches of rows, for sources that go through them one by one anyway.

    >>> [batch.num_rows for batch in in_batches([Candidate("/a"), Candidate("/b")])]
    [2]
    """
    remaining = iter(rows)
    while chunk := list(islice(remaining, BATCH_ROWS)):
        yield rows_to_batch(CANDIDATE, chunk)


def keep_date_text(candidate: Candidate) -> Candidate:
    """The candidate with the text of its date, where that says more than the instant."""
    if candidate.lastmod is None or candidate.lastmod_text is not None:
        return candidate
    text = _significant_text(candidate.lastmod)
    return candidate if text is None else candidate._replace(lastmod=None, lastmod_text=text)


def _significant_text(value: Any) -> str | None:
    """What says more of a date than an instant: its day alone, its zone, or that it has none."""
    if not isinstance(value, datetime):
        return value.isoformat() if isinstance(value, date) else str(value)
    offset = value.utcoffset()
    if offset is None:
        return value.isoformat()  # which whoever judges refuses
    return value.isoformat() if offset and not offset % timedelta(minutes=1) else None

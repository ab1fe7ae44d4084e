"""Settings of a synchronization."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

from urlset.http import Policy
from urlset.live.sync.update import page_text
from urlset.option_schema import check_ranges, options_of

TextOf = Callable[[bytes, str | None], str]
"""Function that returns the text of a page, from its bytes and its ``Content-Type`` header."""

GUARDED_FROM = 20
"""Pages from which ``max_removed_share`` applies: of a few pages, half may go at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSettings:
    """Settings of one run.

    Attributes:
        text: Returns the text of a page from its bytes and its ``Content-Type``; None for no text.
        batch_size: Pages that are requested for one batch, and removed or unknown ones in one.
        recheck_pages: Pages that are requested although their ``lastmod`` is the same, in turn:
            those first that were not requested for the longest time. Pages without a
            ``lastmod`` are requested in every run.
        recheck_sitemaps: Sitemaps that are requested although their index has the same date.
        max_removed_share: Largest share of the known pages that may be removed at once because no
            sitemap lists them; above it they are unknown. It applies from 20 pages on.
        max_requests: Largest number of requests for pages; None for no limit.
        max_minutes: Longest duration, from the first page on; None for no limit.
        policy: Limits and behaviour of the HTTP client.
        auth: Bearer token, or user and password; sent to the origin of the site only.
        engine: Name of the engine.
    """

    text: TextOf | None = page_text
    batch_size: int = 100
    recheck_pages: int = 100
    recheck_sitemaps: int = 10
    max_removed_share: float = 0.5
    max_requests: int | None = None
    max_minutes: float | None = None
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    engine: str | None = None

    def __post_init__(self) -> None:
        check_ranges(options_of("sync"), self)


class SyncKeywords(TypedDict, total=False):
    """Keyword arguments of :func:`urlset.sync`: the fields of :class:`SyncSettings`."""

    text: TextOf | None
    batch_size: int
    recheck_pages: int
    recheck_sitemaps: int
    max_removed_share: float
    max_requests: int | None
    max_minutes: float | None
    policy: Policy | None
    auth: str | tuple[str, str] | None
    engine: str | None

"""Settings of a synchronization."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

from urlset.http import Policy
from urlset.live.sync.update import page_text
from urlset.option_schema import check_options

TextOf = Callable[[bytes, str | None], str]
"""Function that returns the text of a page, from its bytes and its ``Content-Type`` header."""

DEFAULT_REMOVED_SHARE = 0.5
GUARDED_FROM = 20
"""Pages from which that default applies: of a few pages, half may go at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSettings:
    """Settings of one run: the options of :func:`urlset.sync`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    text: TextOf | bool | None = True
    batch_size: int = 100
    recheck_pages: int = 100
    recheck_sitemaps: int = 10
    max_removed_share: float | None = None
    max_requests: int | None = None
    max_minutes: float | None = None
    dry_run: bool = False
    engine: str | None = None
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)

    def removed_share(self, known: int) -> float:
        """Return the largest share of a number of known pages that may be removed at once."""
        if self.max_removed_share is not None:
            return self.max_removed_share
        return DEFAULT_REMOVED_SHARE if known >= GUARDED_FROM else 1.0

    @property
    def text_function(self) -> TextOf | None:
        """The function that returns the text of a page; None for no text."""
        if callable(self.text):
            return self.text
        return page_text if self.text else None

    def __post_init__(self) -> None:
        check_options("sync", self)


class SyncKeywords(TypedDict, total=False):
    """Keyword arguments of :func:`urlset.sync`, for functions that pass them on."""

    # These are generated from urlset.option_schema by `make docs`.
    text: TextOf | bool | None
    batch_size: int
    recheck_pages: int
    recheck_sitemaps: int
    max_removed_share: float | str | None
    max_requests: int | None
    max_minutes: float | None
    dry_run: bool
    engine: str | None
    policy: Policy | None
    auth: str | tuple[str, str] | None

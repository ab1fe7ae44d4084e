"""Result of one step of a watch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

__all__ = ["UrlChange", "Watch"]


class UrlChange(NamedTuple):
    """URL that a snapshot added, removed or changed.

    Attributes:
        change: ``added``, ``removed`` or ``changed``.
        loc: The URL.
        before: Its ``lastmod`` at the snapshot before; None if it had none or was not listed.
        after: Its ``lastmod`` at this snapshot.
    """

    change: str
    loc: str
    before: datetime | None
    after: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Snapshot that one step stored, and what it changed.

    Attributes:
        site: URL that was given.
        path: Path of the store.
        snapshot: Number of the snapshot, from 1.
        started: Start of the step.
        is_complete: Whether everything that was requested could be read.
        reasons: Why it is not complete; empty if it is.
        requests: Requests that were sent.
        urls: URLs that are listed, with those that are unknown.
        unknown: URLs that may be listed or not, because a sitemap could not be read.
        added: URLs that are new.
        removed: URLs that are not listed any more.
        changed: URLs with another ``lastmod``.
        sitemaps: Sitemaps and indexes that are listed.
        sitemaps_read: Those that were read in full.
        sitemaps_failed: Those that could not be read.
        examples: The first of the changed URLs.
    """

    site: str
    path: str
    snapshot: int
    started: datetime
    is_complete: bool
    reasons: tuple[str, ...]
    requests: int
    urls: int
    unknown: int
    added: int
    removed: int
    changed: int
    sitemaps: int
    sitemaps_read: int
    sitemaps_failed: int
    examples: tuple[UrlChange, ...] = ()

"""Options of a crawl, with their limits and defaults."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from urlset.option_schema import check_ranges, options_of
from urlset.reader.filters import compile_pattern

ScopeName = Literal["host", "folder"]

CONFIRM_AFTER_S = 60.0
"""Seconds between the two visits of a page that may have failed for a moment."""


@dataclass(frozen=True, kw_only=True)
class CrawlOptions:
    """Which pages a crawl visits, and how many.

    Attributes:
        scope: ``host``: all pages of the host; ``folder``: those below the folder of the start.
        max_pages: Pages to visit; None for no limit.
        max_depth: Links from the start or from a listed page to a page; None for no limit.
        max_minutes: Duration in minutes; None for no limit.
        include: Regular expressions; only URLs that contain a match of one are visited.
        exclude: Regular expressions; URLs that contain a match of one are not visited.
        read_sitemaps: Whether the sitemaps of the site are read first.
        follow_links: Whether links of pages are followed; if not, only listed URLs are visited.
        confirm_after_s: Seconds between the two visits of a page that answers 403, 429, 5xx or not.

    Raises:
        ValueError: A value is invalid.
    """

    scope: ScopeName = "host"
    max_pages: int | None = None
    max_depth: int | None = None
    max_minutes: float | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    read_sitemaps: bool = True
    follow_links: bool = True
    confirm_after_s: float = CONFIRM_AFTER_S

    def __post_init__(self) -> None:
        if self.scope not in ("host", "folder"):
            raise ValueError(f"scope: expected host or folder, found {self.scope!r}")
        check_ranges(options_of("crawl"), self)
        for name in ("include", "exclude"):
            for pattern in getattr(self, name):
                compile_pattern(name, pattern)

    def to_json(self) -> str:
        """Return the options as JSON, for the table ``crawls``."""
        return json.dumps(asdict(self))

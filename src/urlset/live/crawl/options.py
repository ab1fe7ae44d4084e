"""Options of a crawl, with their limits and defaults."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from urlset.live.visits.url_patterns import UrlPatterns
from urlset.option_schema import check_options

ScopeName = Literal["host", "folder"]

_SELECTION = ("scope", "include", "exclude", "max_depth", "follow_links")


@dataclass(frozen=True, kw_only=True)
class CrawlOptions:
    """Which pages a crawl visits: options of :func:`urlset.crawl`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    scope: ScopeName = "host"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_pages: int | None = None
    max_depth: int | None = None
    max_minutes: float | None = None
    read_sitemaps: bool = True
    follow_links: bool = True
    confirm_after_s: float = 60.0

    def __post_init__(self) -> None:
        check_options("crawl", self)
        UrlPatterns(self.include, self.exclude)

    def to_json(self) -> str:
        """Return the options as JSON, for the table ``crawls``."""
        return json.dumps(asdict(self))

    def has_selection_of(self, earlier: str | None) -> bool:
        """Return whether the same URLs are visited as with these options, the JSON of a store."""
        return _selection(earlier) == _selection(self.to_json())


def _selection(text: str | None) -> list[object] | None:
    """Return the options that select URLs; None if a text is not that of options."""
    try:
        values = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return [values.get(name) for name in _SELECTION] if isinstance(values, dict) else None

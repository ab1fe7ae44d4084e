"""Options of a crawl, with their limits and defaults, and the scope of pages that they select."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from urlset.option_schema import check_options
from urlset.reader.filters import UrlPatterns
from urlset.urls import split_origin

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


OTHER_HOST = "scope: other host"
"""Reason against a URL whose host is not visited."""

OTHER_FOLDER = "scope: other folder"
"""Reason against a URL outside of the folder of the start."""

OPTION_REASONS: frozenset[str] = frozenset(("include", "exclude", "max-depth", OTHER_FOLDER))
"""Reasons that can end with other options of a crawl that is continued."""


class Scope:
    """Decide whether a normalized URL is visited.

    A start that redirects to another host (``example.com`` to ``www.example.com``) adds that host.
    """

    def __init__(self, start: str, options: CrawlOptions):
        _, host, rest = split_origin(start)
        self.hosts: set[str] = {host}
        path = rest.partition("?")[0]
        self.folder: str = path[: path.rfind("/") + 1] if options.scope == "folder" else "/"
        self._patterns = UrlPatterns(options.include, options.exclude)

    def add_host(self, url: str) -> None:
        """Add the host of a URL to which the start redirects."""
        self.hosts.add(split_origin(url)[1])

    def reason_against(self, url: str) -> str | None:
        """Return why a URL is not visited, as in ``frontier.excluded_by``; None if it is."""
        _, host, path = split_origin(url)
        if host not in self.hosts:
            return OTHER_HOST
        if not path.startswith(self.folder):
            return OTHER_FOLDER
        return self._patterns.reason_against(url)

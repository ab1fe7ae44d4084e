"""Scope of a crawl: the hosts and the folder whose pages are visited, and the patterns."""

from __future__ import annotations

from urlset.live.crawl.options import CrawlOptions
from urlset.live.visits.url_patterns import UrlPatterns
from urlset.urls import split_origin

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

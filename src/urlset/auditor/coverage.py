"""Coverage of a site: URLs in sitemaps, in links and in access logs, and their overlaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from urlset.store import StoreSession

__all__ = ["COVERAGE_SQL", "Coverage", "CoverageRegion", "coverage_of"]

# Equal pages count once, by `page_key`: a sitemap with /a/ and a link to /a name one page.
_REGIONS = """
    WITH listed AS (SELECT DISTINCT page_key, true AS is_listed FROM listed_urls),
    linked AS (
        SELECT DISTINCT l.target_key AS page_key, true AS is_linked FROM live_links l
        SEMI JOIN (FROM live_pages WHERE verdict = 'ok') p ON p.page_key = l.target_key),
    visited AS (SELECT DISTINCT duplicate_key(url) AS page_key, true AS is_visited FROM log_urls)
    SELECT page_key, coalesce(is_listed, false) AS is_listed,
        coalesce(is_linked, false) AS is_linked, coalesce(is_visited, false) AS is_visited
    FROM listed FULL JOIN linked USING (page_key) FULL JOIN visited USING (page_key)"""


COVERAGE_SQL = (
    f"SELECT is_listed, is_linked, is_visited, count(*) FROM ({_REGIONS})\n"
    "GROUP BY ALL ORDER BY ALL DESC"
)
"""Query of the regions, over the live views."""


class CoverageRegion(NamedTuple):
    """Number of URLs that are in exactly these sets."""

    is_listed: bool
    is_linked: bool
    is_visited: bool
    urls: int


@dataclass(frozen=True)
class Coverage:
    """Overlaps of the URLs that are listed, linked and visited.

    Attributes:
        regions: The overlaps that are not empty.
        has_links: Whether the links of the site are known: with ``crawl``.
        has_visits: Whether visits are known: with ``logs``.
        is_complete: Whether all links are known. Otherwise "not linked" is unknown.
        reasons: Why they are not.
    """

    regions: tuple[CoverageRegion, ...]
    has_links: bool
    has_visits: bool
    is_complete: bool
    reasons: tuple[str, ...] = ()

    def count(
        self,
        *,
        is_listed: bool | None = None,
        is_linked: bool | None = None,
        is_visited: bool | None = None,
    ) -> int:
        """Return the number of URLs that are, or are not, in these sets; None for both.

        >>> region = CoverageRegion(True, False, True, 3)
        >>> Coverage((region,), True, True, True).count(is_listed=True)
        3
        """
        wanted = (is_listed, is_linked, is_visited)
        return sum(
            region.urls
            for region in self.regions
            if all(want in (None, has) for want, has in zip(wanted, region[:3], strict=True))
        )

    def sentences(self) -> list[str]:
        """Return the coverage in words, each share with its denominator."""
        listed = self.count(is_listed=True)
        pairs = []
        if self.has_links:
            pairs.append(("linked", self.count(is_linked=True), {"is_linked": True}))
        if self.has_visits:
            pairs.append(("visited", self.count(is_visited=True), {"is_visited": True}))
        found = []
        for name, total, which in pairs:
            both = self.count(is_listed=True, **which)
            found.append(
                f"Of {listed:,} listed URLs {both:,} are {name}; "
                f"of {total:,} {name} URLs {both:,} are listed."
            )
        return found


def coverage_of(
    session: StoreSession,
    *,
    has_links: bool,
    has_visits: bool,
    is_complete: bool,
    reasons: tuple[str, ...],
) -> Coverage:
    """Return the coverage; the live views must exist in the session."""
    regions = tuple(CoverageRegion(*row) for row in session.rows(COVERAGE_SQL))
    return Coverage(regions, has_links, has_visits, is_complete, reasons)

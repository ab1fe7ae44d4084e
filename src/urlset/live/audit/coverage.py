"""Coverage of a site: URLs in sitemaps, in links and in access logs, and their overlaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from urlset.live.crawl.evidence import kind_of_reason
from urlset.live.schemas import stream_of
from urlset.reader.filters import UrlPatterns
from urlset.store import StoreSession

# Equal pages count once, by `page_key`: a sitemap with /a/ and a link to /a name one page.
_PAGES = """
    WITH listed AS (SELECT page_key, min(loc) AS url FROM audited_urls GROUP BY page_key),
    excluded AS (SELECT duplicate_key(loc) AS page_key FROM excluded_urls),
    answered AS (
        SELECT page_key, min(url) AS url FROM live_pages WHERE verdict = 'ok' GROUP BY page_key),
    -- A listed URL that redirects or fails is linked, too, if a page has a link to it.
    failed AS (
        SELECT DISTINCT t.page_key, l.url FROM listed l JOIN live_pages t USING (page_key)
        JOIN links k ON k.target = t.url AND k.kind = 'a'
        JOIN live_pages s ON s.url = k.url AND s.verdict = 'ok' AND s.page_key <> t.page_key
        WHERE t.verdict <> 'ok'),
    linked AS (
        SELECT a.* FROM answered a SEMI JOIN live_links l ON l.target_key = a.page_key
        UNION ALL SELECT * FROM failed f ANTI JOIN answered a USING (page_key)),
    visited AS (
        SELECT duplicate_key(url) AS page_key, min(url) AS url FROM log_urls GROUP BY ALL)
    SELECT coalesce(l.url, k.url, v.url) AS url, l.url IS NOT NULL AS is_listed,
        CASE WHEN {has_links} THEN k.url IS NOT NULL END AS is_linked,
        CASE WHEN {has_visits} THEN v.url IS NOT NULL END AS is_visited,
        CASE WHEN {has_links} THEN c.linked_by END AS linked_by
    FROM listed l FULL JOIN linked k USING (page_key) FULL JOIN visited v USING (page_key)
    LEFT JOIN answered a USING (page_key)
    LEFT JOIN link_classes c ON c.page_key = a.page_key
    WHERE l.url IS NOT NULL OR page_key NOT IN (FROM excluded)"""

COVERAGE_SQL = """SELECT is_listed, coalesce(is_linked, false) AS is_linked,
    coalesce(is_visited, false) AS is_visited, count(*) AS pages
FROM coverage GROUP BY ALL ORDER BY ALL DESC"""
"""Query of the regions, over the store of an audit."""

LINKED_BY_SQL = """SELECT linked_by, is_listed, count(*) AS pages
FROM coverage WHERE linked_by IS NOT NULL GROUP BY ALL ORDER BY ALL"""
"""Query of the link classes, over the store of an audit."""

WEAKLY_LINKED = {
    "html-sitemap": "only from an HTML sitemap",
    "pagination": "only by pagination",
    "nofollow": "only by nofollow links",
    "hreflang": "only by hreflang",
}
"""Classes of pages to which no plain link leads, in words."""


class CoverageRegion(NamedTuple):
    """Number of URLs with one combination of the facts listed, linked and visited."""

    is_listed: bool
    is_linked: bool
    is_visited: bool
    urls: int


class LinkClass(NamedTuple):
    """Number of pages by ``linked_by``: ``link``, or a name of :data:`WEAKLY_LINKED`."""

    linked_by: str
    is_listed: bool
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
        link_classes: How other pages lead to the pages: by links, or only by pagination, links with
            nofollow, hreflang, or an HTML sitemap.
    """

    regions: tuple[CoverageRegion, ...]
    has_links: bool
    has_visits: bool
    is_complete: bool
    reasons: tuple[str, ...] = ()
    link_classes: tuple[LinkClass, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether links can be missing only in pages that are disallowed, too large, or failed."""
        kinds = set(map(kind_of_reason, self.reasons))
        return self.has_links and kinds <= {"failed", "robots", "size"}

    def count(
        self,
        *,
        is_listed: bool | None = None,
        is_linked: bool | None = None,
        is_visited: bool | None = None,
    ) -> int:
        """Return the number of URLs for which each fact is true or false; None ignores a fact.

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

    @property
    def weakly_linked(self) -> dict[str, int]:
        """Number of listed pages to which only weak links lead, by class, such as ``nofollow``.

        >>> classes = (LinkClass("link", True, 90), LinkClass("nofollow", True, 2))
        >>> Coverage((), True, False, True, link_classes=classes).weakly_linked
        {'nofollow': 2}
        """
        counts = {each.linked_by: each.urls for each in self.link_classes if each.is_listed}
        return {name: counts[name] for name in WEAKLY_LINKED if counts.get(name)}

    def sentences(self) -> list[str]:
        """Return the coverage as sentences, each with a share and its denominator."""
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
        if weak := self.weakly_linked:
            parts = [f"{count:,} {WEAKLY_LINKED[name]}" for name, count in weak.items()]
            known = "" if self.is_complete else "by the links that are known, "
            found.append(
                f"Of {listed:,} listed URLs, {known}other pages lead to {', '.join(parts)}."
            )
        return found


def coverage_of(
    session: StoreSession,
    *,
    has_links: bool,
    has_visits: bool,
    is_complete: bool,
    reasons: tuple[str, ...],
    patterns: UrlPatterns,
) -> Coverage:
    """Fill the table ``coverage``, and return its numbers; the live views must exist.

    Pages that no sitemap lists count if ``patterns`` select them, as listed ones do.
    """
    pages = _PAGES.format(has_links=has_links, has_visits=has_visits)
    session.run("DELETE FROM store.coverage")
    session.run(f"INSERT INTO store.coverage BY NAME {pages}")
    if patterns:
        urls = session.rows("SELECT url FROM store.coverage WHERE NOT is_listed")
        rows = [row for row in urls if patterns.reason_against(row[0]) is not None]
        session.insert(
            "DELETE FROM store.coverage WHERE NOT is_listed AND url IN (FROM incoming)",
            stream_of("url", rows),
        )
    regions = tuple(CoverageRegion(*row) for row in session.rows(COVERAGE_SQL))
    classes = tuple(LinkClass(*row) for row in session.rows(LINKED_BY_SQL))
    # The limit of requests of an audit is that of the pages of its crawl.
    own = [
        f"max-requests{reason.removeprefix(kind)}" if kind == "max-pages" else reason
        for reason, kind in zip(reasons, map(kind_of_reason, reasons), strict=True)
    ]
    return Coverage(regions, has_links, has_visits, is_complete, tuple(own), classes)

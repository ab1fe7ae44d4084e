"""Charts about the coverage of a site: listed, linked and visited pages, and weak links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from urlset.html_report.charts import bars, upset
from urlset.html_report.model import CoverageCounts, Figure
from urlset.html_report.text import joined
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

_COVERAGE_SQL = r"""WITH known AS (
    SELECT bool_or(coalesce(is_listed, false)) AS listed,
        bool_or(coalesce(is_linked, false)) AS linked,
        bool_or(coalesce(is_visited, false)) AS visited
    FROM pages WHERE is_indexable
    -- /a, /a/ and /a/index.html name one page
    GROUP BY regexp_replace(regexp_replace(lower(url), '^https?://(www[.])?', ''),
        '(/(index|default)[.](html?|php|aspx?|jsp))?/?([?].*)?$', '\4'))
SELECT listed, linked, visited, count(*) AS pages
FROM known GROUP BY ALL ORDER BY pages DESC"""

_COMPLETE_SQL = "SELECT is_complete FROM crawls ORDER BY crawl DESC LIMIT 1"


def coverage_figures(session: StoreSession, coverage: CoverageCounts | None) -> Iterator[Figure]:
    """Yield the charts about coverage for which the store has data.

    ``coverage`` is as the audit counts it; None to count the columns of ``pages``.
    """
    coverage = coverage or _counted_coverage(session)
    for figure in (_coverage(coverage), _weak_links(coverage)):
        if figure is not None:
            yield figure


def _counted_coverage(session: StoreSession) -> CoverageCounts:
    """Count the coverage of the indexable pages of a crawl by columns of ``pages``."""
    regions: list[Any] = [row for row in session.rows(_COVERAGE_SQL) if any(row[:3])]
    is_complete = next(iter(session.rows(_COMPLETE_SQL)), (False,))[0]
    return CoverageCounts(regions, bool(is_complete), _COVERAGE_SQL)


def _coverage(coverage: CoverageCounts) -> Figure | None:
    found: dict[tuple[bool, ...], int] = {
        (listed, linked, visited): count for listed, linked, visited, count in coverage.regions
    }
    names = ("listed", "linked", "visited")
    sizes = [sum(n for members, n in found.items() if members[at]) for at in range(3)]
    used = [at for at in range(3) if sizes[at]]
    if len(used) < 2:
        return None
    rows: list[tuple[list[bool], str, int]] = []
    for members, count in sorted(found.items(), key=lambda item: -item[1]):
        inside = [names[at] for at in used if members[at]]
        outside = [names[at] for at in used if not members[at]]
        label = joined(inside) + (f", not {' or '.join(outside)}" if outside else "")
        rows.append(([members[at] for at in used], label, count))
    complete = coverage.is_complete
    seen = "linked" if complete else "seen linked"
    orphans = sum(n for members, n in found.items() if members[0] and not members[1])
    unlisted = sum(n for members, n in found.items() if members[1] and not members[0])
    unlisted_visits = sum(n for members, n in found.items() if members[2] and not members[0])
    parts = []
    if 1 in used and orphans:
        parts.append(f"{pluralize(orphans, 'listed page')} {_are(orphans)} not {seen}")
    if 1 in used and unlisted:
        parts.append(f"{pluralize(unlisted, 'linked page')} {_are(unlisted)} not listed")
    if 1 not in used and unlisted_visits:
        text = f"{pluralize(unlisted_visits, 'visited page')} {_are(unlisted_visits)} not listed"
        parts.append(text)
    title = "; ".join(parts) or f"All {sizes[0]:,} pages are {joined([names[a] for a in used])}"
    about = "Pages by where they are known from: sitemaps (listed), links on other pages"
    about += " (linked)" + (", access logs (visited)." if 2 in used else ".")
    if not complete:
        about += (
            " The crawl is not complete, so a page may be linked from a page that was not visited."
        )
    return Figure(
        "coverage",
        title,
        about,
        upset([(names[at], sizes[at]) for at in used], rows),
        ("pages that are", "pages"),
        [(label, count) for _, label, count in rows],
        coverage.sql,
    )


def _weak_links(coverage: CoverageCounts) -> Figure | None:
    found = coverage.weakly_linked
    if not found:
        return None
    total = sum(count for _, count in found)
    listed = sum(region[3] for region in coverage.regions if region[0])
    title = f"No plain link leads to {pluralize(total, 'listed page')} that other pages name"
    if len(found) == 1:
        title = f"Other pages lead to {pluralize(total, 'listed page')} {found[0][0]}"
    about = (
        "Listed pages by the best way from another page to them. Search engines may ignore links "
        f"with nofollow, and hreflang is no link. All listed pages: {listed:,}."
    )
    if not coverage.is_complete:
        about += " The crawl is not complete, so a page may have links that were not seen."
    return Figure(
        "weak-links",
        title,
        about,
        bars(found, "redirect"),
        ("linked", "listed pages"),
        list(found),
        coverage.weakly_linked_sql,
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"

"""Numbers and charts about the pages that a crawl or an audit visited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from urlset.html_report.model import CoverageCounts, SourceFigures
from urlset.html_report.text import safe, share
from urlset.live.figures.dimension_tables import sitemap_table
from urlset.live.figures.page_figures import (
    BY_PATTERN,
    OUTCOME_SQL,
    Outcome,
    live_figures,
    outcome,
    scoped,
    section_table,
)
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

_CRAWL_SQL = "SELECT is_complete, reasons FROM crawls ORDER BY crawl DESC LIMIT 1"
_EXCLUDED_SQL = (
    f"SELECT count(*) FROM frontier WHERE {BY_PATTERN} "
    "AND list_has_any(origins, ['sitemap', 'feed']) "
    "AND url NOT IN (SELECT url FROM pages WHERE is_listed)"
)
_FAULT_NAMES = {
    "redirect": ("redirects", "redirect"),
    "error": ("fails", "fail"),
    "not-indexable": ("is not indexable", "are not indexable"),
}


def FIGURES(
    session: StoreSession,
    name: str,
    tables: Container[str],
    coverage: CoverageCounts | None,
    is_audit: bool,
) -> SourceFigures | None:
    """Return the figures of a source; None if no page was visited. See ``take_figures``."""
    if not all(table in tables for table in ("pages", "frontier", "crawls")):
        return None
    if not list(session.rows("SELECT 1 FROM pages LIMIT 1")):
        return None
    total, sections = outcome(session, is_audit=is_audit)
    [(excluded,)] = [(0,)] if is_audit else session.rows(_EXCLUDED_SQL)
    return SourceFigures(
        name,
        _sentence(total, sections, excluded),
        _numbers(total, excluded),
        live_figures(session, total, sections, coverage, is_audit=is_audit),
        section_table(sections, is_audit=is_audit) if sections else None,
        _notes(session),
        scoped(OUTCOME_SQL, is_audit=is_audit),
        is_live=True,
        tables=list(filter(None, [sitemap_table(session, is_audit=is_audit)])) if sections else [],
    )


def _sentence(total: Outcome, sections: Sequence[Outcome], excluded: int) -> str:
    """Return one sentence about the listed URLs: how many are good, and the worst section."""
    if not total.listed:
        if excluded:
            return f"No listed URL is selected: patterns exclude {excluded:,}."
        return "No listed URLs were found."
    if not total.visited:
        return f"None of {pluralize(total.listed, 'listed URL')} was checked."
    checked = "" if total.visited == total.listed else "checked "
    of = f"Of {pluralize(total.visited, f'{checked}listed URL')}"
    text = f"{of}, {share(total.counts['fine'], total.visited)} are fine"
    faults = Counter({name: total.counts[name] for name in _FAULT_NAMES if total.counts[name]})
    if faults:
        name, count = faults.most_common(1)[0]
        text += f"; {count:,} {_FAULT_NAMES[name][count > 1]}"
        worst = max(sections, key=lambda each: each.counts[name])
        if len(sections) > 1 and worst.counts[name] * 2 > count:
            where = f"in {safe(worst.section, 60)}"
            text += f", most of them {where}" if count > 1 else f" {where}"
    if total.counts["unknown"]:
        text += f"; {total.counts['unknown']:,} could not be judged"
    return f"{text}."


def _numbers(total: Outcome, excluded: int) -> list[tuple[str, str, str]]:
    counts = total.counts
    numbers = [("listed URLs", f"{total.listed:,}", "")]
    if excluded:
        numbers.append(("excluded by a pattern", f"{excluded:,}", ""))
    if total.visited < total.listed:
        numbers.append(("checked", f"{total.visited:,}", ""))
    numbers += [
        (label, f"{counts[name]:,}", name)
        for name, label in (
            ("fine", "fine"),
            ("redirect", "redirect"),
            ("not-indexable", "not indexable"),
            ("error", "fail"),
            ("unknown", "unknown"),
        )
        if counts[name] or name == "fine"
    ]
    return numbers


def _notes(session: StoreSession) -> list[str]:
    """Return a sentence about the completeness of the last crawl."""
    for is_complete, reasons in session.rows(_CRAWL_SQL):
        if not is_complete:
            why = "; ".join(reasons or []) or "reason unknown"
            return [f"Not complete: {why}."]
    return []

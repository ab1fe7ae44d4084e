"""Compute the numbers and charts of one source from the tables of its store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from urlset.html_report.live_figures import (
    OUTCOME_SQL,
    Outcome,
    live_figures,
    outcome,
    section_table,
)
from urlset.html_report.model import CoverageCounts, SourceFigures
from urlset.html_report.sitemap_figures import FILES_SQL, sitemap_figures
from urlset.html_report.text import safe, share
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

_TABLES_SQL = "SELECT DISTINCT table_name FROM duckdb_tables()"
_CRAWL_SQL = "SELECT is_complete, reasons FROM crawls ORDER BY crawl DESC LIMIT 1"
_FAULT_NAMES = {
    "redirect": ("redirects", "redirect"),
    "error": ("fails", "fail"),
    "not-indexable": ("is not indexable", "are not indexable"),
}


def take_figures(
    session: StoreSession, name: str, coverage: CoverageCounts | None = None
) -> SourceFigures:
    """Query the numbers and charts of a source; charts without data are omitted.

    Call it while the tables exist: after the rules were evaluated, before the session is closed.

    Args:
        session: The session with the sitemap tables, and the live tables if there are any.
        name: Path or URL of the source.
        coverage: Coverage as an audit counts it; None to count the columns of ``pages``.
    """
    tables = {row[0] for row in session.rows(_TABLES_SQL)}
    has_pages = {"pages", "frontier", "crawls"} <= tables and _has_rows(session, "pages")
    figures = sitemap_figures(session, has_pages=has_pages, has_findings="finding_rows" in tables)
    documents, unread, entries = next(iter(session.rows(FILES_SQL)))
    if not has_pages:
        sentence = f"{pluralize(entries, 'entry', 'entries')} in {pluralize(documents, 'document')}"
        numbers = [("documents", f"{documents:,}", ""), ("entries", f"{entries:,}", "")]
        if unread:
            numbers.append(("documents not read", f"{unread:,}", "error"))
        return SourceFigures(name, sentence, numbers, figures, None, [], FILES_SQL)
    total, sections = outcome(session)
    return SourceFigures(
        name,
        _sentence(total, sections),
        _numbers(total),
        [*live_figures(session, total, sections, coverage), *figures],
        section_table(sections) if sections else None,
        _notes(session),
        OUTCOME_SQL,
        is_live=True,
    )


def _has_rows(session: StoreSession, table: str) -> bool:
    return bool(next(iter(session.rows(f"SELECT count(*) > 0 FROM (FROM {table} LIMIT 1)")))[0])


def _sentence(total: Outcome, sections: Sequence[Outcome]) -> str:
    """Return one sentence about the listed URLs: how many are good, and the worst section."""
    if not total.listed:
        return "No listed URLs were found."
    if not total.visited:
        return f"None of {pluralize(total.listed, 'listed URL')} was checked."
    checked = "" if total.visited == total.listed else "checked "
    of = f"Of {total.visited:,} {checked}listed URLs"
    text = f"{of}, {share(total.counts['fine'], total.visited)} are fine"
    faults = Counter({name: total.counts[name] for name in _FAULT_NAMES if total.counts[name]})
    if faults:
        name, count = faults.most_common(1)[0]
        text += f"; {count:,} {_FAULT_NAMES[name][count > 1]}"
        worst = max(sections, key=lambda each: each.counts[name])
        if len(sections) > 1 and worst.counts[name] * 2 > count:
            text += (
                f", most of them in {safe(worst.section, 60)}"
                if count > 1
                else (f" in {safe(worst.section, 60)}")
            )
    if total.counts["unknown"]:
        text += f"; {total.counts['unknown']:,} could not be judged"
    return f"{text}."


def _numbers(total: Outcome) -> list[tuple[str, str, str]]:
    counts = total.counts
    numbers = [("listed URLs", f"{total.listed:,}", "")]
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

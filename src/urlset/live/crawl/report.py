"""Write a crawl as one HTML file: its pages by verdict and depth, and what is listed."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from urlset.html_report import (
    ExampleLog,
    ReportInput,
    SourceFigures,
    take_figures,
    write_html_report,
)
from urlset.html_report.charts import Segment, StackedRow, stacked_bars
from urlset.html_report.model import Figure
from urlset.store import Store, StoreSession
from urlset.terminal_text import pluralize

MAX_DEPTH = 10
"""Largest depth with a row of its own in the chart; deeper pages are one row."""

MAX_ROWS = 300
"""Pages without an answer 200, and traps, in the tables; the store has all."""

_ROLE_OF = {
    "ok": "fine",
    "redirect": "redirect",
    "disallowed": "not-indexable",
    "unknown": "unknown",
}
"""Class of the style sheet by verdict; all other verdicts are errors."""

_LABELS = (
    ("fine", "answered 200"),
    ("redirect", "redirects"),
    ("not-indexable", "disallowed by robots.txt"),
    ("error", "error"),
    ("unknown", "unknown"),
)
"""Classes of the style sheet with their labels."""

_COMPLETE = "Complete: every page in scope was visited."

_VERDICTS_SQL = """SELECT verdict, count(*) AS pages FROM pages
GROUP BY verdict ORDER BY pages DESC, verdict"""
_DEPTHS_SQL = """SELECT depth, verdict, count(*) AS pages FROM pages
GROUP BY ALL ORDER BY depth NULLS LAST, verdict"""
_OTHERS_SQL = """SELECT pages.url, verdict, unknown_reason AS reason, status, referrer AS "found on"
FROM pages LEFT JOIN frontier USING (url)
WHERE verdict <> 'ok' ORDER BY verdict, pages.url"""
_TRAPS_SQL = "SELECT pattern, kind, cut_count, example FROM traps ORDER BY cut_count DESC, pattern"


def write_report(
    store: Store,
    path: str | os.PathLike[str],
    site: str,
    moment: datetime,
    verdicts: Mapping[str, int],
    incomplete: Sequence[str],
) -> None:
    """Write a crawl, whose tables the store has, to an HTML file, which is replaced.

    Raises:
        urlset.TargetError: The file cannot be written.
    """
    with store.session() as session:
        listed = take_figures(session, site)
        depths = _depths(session)
        pages = sum(verdicts.values())
        failed = pages - verdicts.get("ok", 0)
        first = f" The first {MAX_ROWS} of {failed:,}." if failed > MAX_ROWS else ""
        tables = [
            _table(
                session,
                "others",
                "Pages that did not answer 200",
                "Pages with another verdict than ok, each with the first page or document that "
                f"names it.{first}",
                ("URL", "verdict", "reason", "status", "found on"),
                _OTHERS_SQL,
            ),
            _table(
                session,
                "traps",
                "URLs without an end",
                "Patterns of URLs that were not visited, because they have no end.",
                ("pattern", "kind", "URLs", "example"),
                _TRAPS_SQL,
            ),
        ]
    by_verdict, columns = list(verdicts.items()), ("verdict", "pages")
    end = f"Not complete: {'; '.join(incomplete)}." if incomplete else _COMPLETE
    figures = SourceFigures(
        listed.name,
        listed.sentence,
        [("pages", f"{pages:,}", ""), *listed.numbers],
        [*depths, *listed.figures],
        Figure("pages", "Pages", "Pages by verdict.", "", columns, by_verdict, _VERDICTS_SQL),
        (),
        f"SELECT count(*) AS pages FROM pages;\n\n{listed.sql}",
        tables=[table for table in (*tables, listed.sections, *listed.tables) if table is not None],
    )
    report = ReportInput(
        kind="crawl",
        site=site,
        moment=moment,
        log=ExampleLog(),
        rules={},
        sources=[figures],
        sentence=_sentence(pages, verdicts),
        notes=[listed.sentence, end] if listed.is_live else [end],
    )
    write_html_report(report, path)


def _sentence(pages: int, verdicts: Mapping[str, int]) -> str:
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.items())
    return f"{pluralize(pages, 'page')}: {counts}." if counts else "No page was visited."


def _depths(session: StoreSession) -> list[Figure]:
    """Return the chart of the pages by depth and verdict; empty if no depth is known."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    deepest, unlinked = -1, 0
    for depth, verdict, pages in session.rows(_DEPTHS_SQL):
        if depth is None:
            name, unlinked = "no known path", unlinked + pages
        else:
            name, deepest = _depth_name(depth), max(deepest, depth)
        counts[name][_ROLE_OF.get(verdict, "error")] += pages
    if deepest < 0:
        return []
    title = f"The visited pages are within {pluralize(deepest, 'click')} of the start"
    if not deepest:
        title = "Only the start is reached by links"
    if unlinked:
        total = sum(row.total() for row in counts.values())
        title = (
            "No known path of links leads from the start to "
            f"{unlinked:,} of {pluralize(total, 'page')}"
        )
    labels = [(role, label) for role, label in _LABELS if any(row[role] for row in counts.values())]
    rows = [
        StackedRow(name, [Segment(role, row[role]) for role, _ in labels], f"{row.total():,}")
        for name, row in counts.items()
    ]
    figure = Figure(
        "depths",
        title,
        "Pages by the number of clicks from the start of the crawl, and by verdict.",
        stacked_bars(rows, labels),
        ("depth", "pages", *(label for _, label in labels)),
        [(name, row.total(), *(row[role] for role, _ in labels)) for name, row in counts.items()],
        _DEPTHS_SQL,
        is_wide=True,
    )
    return [figure]


def _depth_name(depth: int) -> str:
    if depth > MAX_DEPTH:
        return f"over {pluralize(MAX_DEPTH, 'click')}"
    return pluralize(depth, "click") if depth else "start"


def _table(
    session: StoreSession, name: str, title: str, about: str, columns: tuple[str, ...], sql: str
) -> Figure | None:
    """Return a table of the first rows of a query; None if there are none."""
    query = f"{sql}\nLIMIT {MAX_ROWS}"
    rows = list(session.rows(query))
    return Figure(name, title, about, "", columns, rows, query) if rows else None

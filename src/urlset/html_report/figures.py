"""Compute the numbers and charts of one source; those of its sitemaps, each from a query."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from statistics import median

from urlset.html_report.charts import Bin, Block, Cell, bin_labels, histogram, icicle, matrix
from urlset.html_report.model import CoverageCounts, Figure, SourceFigures
from urlset.html_report.sections import BRANCHES, SECTION, section_label, sum_of, with_rest
from urlset.html_report.text import joined, safe, share
from urlset.registry import provided
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

MAX_LANGUAGES = 12
"""Languages in the matrix; the others are shown as one."""

MAX_BINS = 75
"""Maximum number of bars in the histogram of dates."""

MAX_STORED = 10_000
"""Findings of a rule from which ``finding_rows`` may lack others of it."""

SPIKE_SHARE = 0.1
"""Share of all dates on one day from which the day is a spike."""

SPIKE_FACTOR = 5
"""A spike has at least this many times the dates of the median day."""

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

FILES_SQL = """SELECT count(*) FILTER (WHERE kind IS NOT NULL) AS documents,
    count(*) FILTER (WHERE error IS NOT NULL) AS unread,
    (SELECT count(*) FROM entries) AS entries
FROM documents"""

_DATES_SQL = """SELECT strftime(lastmod, '%Y-%m-%d') AS day, count(*) AS urls
FROM entries
WHERE lastmod BETWEEN '0001-01-02' AND '9999-12-30'
GROUP BY day ORDER BY day"""

_MISSING_SQL = "SELECT count(*) FROM entries WHERE lastmod IS NULL"

_ALTERNATES = "SELECT loc AS page, unnest(alternates, max_depth := 2) FROM entries"
_PAGE_ALTERNATES = (
    "\n    UNION ALL BY NAME\n    SELECT url AS page, unnest(alternates, max_depth := 2) FROM pages"
)
_KNOWN = "SELECT loc AS page FROM entries"
_KNOWN_PAGES = "\n    UNION SELECT url FROM pages WHERE verdict = 'ok'"

_SECTIONS_SQL = f"""WITH {BRANCHES},
faulty AS (
    SELECT DISTINCT loc FROM finding_rows WHERE level IN ('error', 'warning') AND loc IS NOT NULL)
SELECT {SECTION.format("loc")} AS section, count(*) AS entries, count(faulty.loc) AS faulty
FROM entries LEFT JOIN faulty USING (loc)
GROUP BY 1 ORDER BY entries DESC, 1"""
_CAPPED_SQL = f"""SELECT code FROM finding_rows WHERE level IN ('error', 'warning')
GROUP BY code HAVING count(*) >= {MAX_STORED} AND count(loc) > 0 ORDER BY code"""
_TABLES_SQL = "SELECT DISTINCT table_name FROM duckdb_tables()"


def take_figures(
    session: StoreSession,
    name: str,
    coverage: CoverageCounts | None = None,
    *,
    is_audit: bool = False,
) -> SourceFigures:
    """Query the numbers and charts of a source; charts without data are omitted.

    Call it while the tables exist: after the rules were evaluated, before the session is closed.

    Args:
        session: The session with the sitemap tables, and the tables of visits if there are any.
        name: Path or URL of the source.
        coverage: Coverage as an audit counts it; None to count the columns of ``pages``.
        is_audit: Whether only the URLs and visits that the last audit counts are counted.
    """
    tables = {row[0] for row in session.rows(_TABLES_SQL)}
    made = (make(session, name, tables, coverage, is_audit) for make in provided("FIGURES"))
    found: SourceFigures | None = next(filter(None, made), None)
    figures = _sitemap_figures(
        session, has_pages=found is not None, has_findings="finding_rows" in tables
    )
    if found is not None:
        return found._replace(figures=[*found.figures, *figures])
    documents, unread, entries = next(iter(session.rows(FILES_SQL)))
    sentence = f"{pluralize(entries, 'entry', 'entries')} in {pluralize(documents, 'document')}"
    numbers = [("documents", f"{documents:,}", ""), ("entries", f"{entries:,}", "")]
    if unread:
        numbers.append(("documents not read", f"{unread:,}", "error"))
    return SourceFigures(name, sentence, numbers, figures, None, [], FILES_SQL)


def _sitemap_figures(session: StoreSession, *, has_pages: bool, has_findings: bool) -> list[Figure]:
    """Return the charts for which the sitemap tables have data."""
    figures = [_sections(session)] if has_findings and not has_pages else []
    figures += [_dates(session), _languages(session, has_pages=has_pages)]
    return [figure for figure in figures if figure is not None]


def _sections(session: StoreSession) -> Figure | None:
    blocks = [
        Block(section_label(section), entries, faulty)
        for section, entries, faulty in session.rows(_SECTIONS_SQL)
    ]
    if len(blocks) < 2:
        return None
    whole = sum_of("all", blocks)
    drawn = with_rest(blocks, "other sections")
    faulty = [block for block in drawn if block.faults and block in blocks]
    title = f"No URL in {len(blocks):,} sections has an error or a warning"
    if faulty:
        worst = max(faulty, key=lambda block: (block.faults / block.size, block.size))
        rate = share(worst.faults, worst.size)
        title = f"{safe(worst.label, 60)} has the highest share of URLs with findings: {rate}"
    elif whole.faults:
        title = f"{share(whole.faults, whole.size)} of the URLs have an error or a warning"
    about = "Sections of the listed URLs. Width: entries. Colour: share with an error or a warning."
    count = "with findings"
    if capped := [code for (code,) in session.rows(_CAPPED_SQL)]:
        # The first findings are of the first documents: shares cannot be compared.
        part = share(whole.faults, whole.size)
        title = f"At least {part} of the URLs have an error or a warning"
        about += (
            f" Of {joined(capped)} the first {MAX_STORED:,} findings are counted: the true shares "
            "may be higher."
        )
        count = "with findings, at least"
    if all(block.faults == block.size for block in blocks):
        title = "Every URL has an error or a warning"
    return Figure(
        "sections-of-files",
        title,
        about,
        icicle(drawn),
        ("section", "entries", count, "share"),
        [(b.label, b.size, b.faults, share(b.faults, b.size)) for b in drawn],
        _SECTIONS_SQL,
        True,
    )


def _dates(session: StoreSession) -> Figure | None:
    days = [(date.fromisoformat(day), urls) for day, urls in session.rows(_DATES_SQL)]
    (missing,) = next(iter(session.rows(_MISSING_SQL)))
    total = sum(urls for _, urls in days)
    if not total:
        return None
    spikes = _spikes(days, total)
    bins, note = _bins(days, spikes, total)
    top = sorted(days, key=lambda item: (-item[1], item[0]))[:50]
    if spikes:
        urls = sum(urls for day, urls in days if day in spikes)
        where, what = _long(next(iter(spikes))), "a build than a last change"
        if len(spikes) > 1:
            where, what = f"{len(spikes)} days", "builds than last changes"
        title = f"{share(urls, total)} of the dates fall on {where}: rather {what}"
    elif len(days) == 1:
        title = f"All {pluralize(total, 'date')} fall on {_long(days[0][0])}"
    else:
        urls = top[0][1]
        title = (
            f"The dates spread over {len(days):,} days; the busiest day has {share(urls, total)}"
        )
    about = f"lastmod of {pluralize(total, 'entry', 'entries')} by {note}."
    if missing:
        about += f" {pluralize(missing, 'entry has', 'entries have')} no date."
    if spikes:
        about += " Marked: days with an unusual number of dates; their bars are cut."
    return Figure(
        "dates",
        title,
        about,
        histogram(bins, bin_labels([found.label for found in bins], 6)),
        ("day", "URLs", "share"),
        [(day.isoformat(), urls, share(urls, total)) for day, urls in top],
        _DATES_SQL,
        True,
    )


def _spikes(days: Sequence[tuple[date, int]], total: int) -> set[date]:
    """Return the days with so many dates that they are hardly last changes."""
    usual = median(urls for _, urls in days)
    least = max(total * SPIKE_SHARE, usual * SPIKE_FACTOR)
    return {day for day, urls in days if len(days) > 1 and urls >= least}


def _bins(days: Sequence[tuple[date, int]], spikes: set[date], total: int) -> tuple[list[Bin], str]:
    """Group days into bars, without up to 1 % of the oldest; return them and the unit of a bar."""
    start, seen = days[0][0], 0
    for day, urls in days:
        if seen + urls > total * 0.01:
            start = day
            break
        seen += urls
    end = days[-1][0]
    span = (end - start).days
    unit = next((unit for unit, days in _DAYS.items() if span // days < MAX_BINS), "year")
    counts: Counter[date] = Counter()
    marks: dict[date, list[tuple[date, int]]] = defaultdict(list)
    for day, urls in days:
        if day < start:
            continue
        counts[_floor(day, unit)] += urls
        if day in spikes:
            marks[_floor(day, unit)].append((day, urls))
    bins = []
    for first in _steps(_floor(start, unit), end, unit):
        spike = ""
        if marks[first]:
            day, urls = max(marks[first], key=lambda item: item[1])
            spike = f"{_long(day)}\n{urls:,} URLs ({share(urls, total)})"
        bins.append(Bin(_name(first, unit), counts[first], spike))
    early = sum(urls for day, urls in days if day < start)
    note = unit
    if early:
        note += f"; {pluralize(early, 'earlier date is', 'earlier dates are')} not drawn"
    return bins[-400:], note


_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}


def _floor(day: date, unit: str) -> date:
    """Return the first day of the bin of a day."""
    if unit == "day":
        return day
    if unit == "week":
        return day - timedelta(days=min(day.weekday(), (day - date.min).days))
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}[unit]
    return date(day.year, month, 1)


def _steps(first: date, end: date, unit: str) -> Iterator[date]:
    """Yield the first day of each bin up to ``end``."""
    longest = {"month": 32, "quarter": 93, "year": 367}.get(unit, _DAYS[unit])
    while first <= end:
        yield first
        try:
            first = _floor(first + timedelta(days=longest), unit)
        except OverflowError:
            return


def _name(day: date, unit: str) -> str:
    if unit == "year":
        return f"{day.year:04}"
    if unit in ("month", "quarter"):
        return f"{_MONTHS[day.month - 1]} {day.year:04}"
    return _long(day)


def _long(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year:04}"


def _languages_sql(*, has_pages: bool) -> str:
    return f"""WITH said AS (
    {_ALTERNATES}{_PAGE_ALTERNATES if has_pages else ""}),
links AS (
    SELECT DISTINCT page, hreflang, href FROM said WHERE hreflang IS NOT NULL AND href IS NOT NULL),
known AS (
    {_KNOWN}{_KNOWN_PAGES if has_pages else ""}),
languages AS (
    SELECT href AS page, min(lower(hreflang)) AS language FROM links
    WHERE lower(hreflang) <> 'x-default' GROUP BY href)
SELECT lower(l.hreflang) AS "language of the page without the link",
    coalesce(languages.language, '?') AS "language that it misses", count(*) AS links,
    count(*) FILTER (WHERE back.page IS NULL) AS missing
FROM links l
SEMI JOIN known ON known.page = l.href
LEFT JOIN (SELECT DISTINCT page, href FROM links) back ON back.page = l.href AND back.href = l.page
LEFT JOIN languages ON languages.page = l.page
WHERE l.page <> l.href AND lower(l.hreflang) <> 'x-default'
GROUP BY ALL ORDER BY missing DESC, links DESC, 1, 2"""


def _languages(session: StoreSession, *, has_pages: bool) -> Figure | None:
    query = _languages_sql(has_pages=has_pages)
    found = [(str(row), str(column), *counts) for row, column, *counts in session.rows(query)]
    if not found:
        return None
    sizes: Counter[str] = Counter()
    misses: Counter[str] = Counter()
    for row, column, links, missing in found:
        sizes[row] += links
        sizes[column] += links
        misses[row] += missing
    ranked = sorted(sizes, key=lambda name: (-misses[name], -sizes[name], name))
    names = sorted(ranked[:MAX_LANGUAGES])
    if len(ranked) > MAX_LANGUAGES:
        names = [*sorted(ranked[: MAX_LANGUAGES - 1]), "other"]
    cells: dict[tuple[str, str], Cell] = {}
    for row, column, links, missing in found:
        key = (row if row in names else "other", column if column in names else "other")
        old = cells.get(key, Cell(0, 0))
        cells[key] = Cell(old.faults + missing, old.total + links)
    total = sum(links for _, _, links, _ in found)
    lost = sum(missing for *_, missing in found)
    title = f"All {pluralize(total, 'language link')} are returned"
    if lost:
        worst = max(misses, key=lambda name: misses[name])
        title = (
            f"{lost:,} of {pluralize(total, 'language link')} {'is' if lost == 1 else 'are'} not "
            f"returned; pages in {safe(worst, 12)} omit most"
        )
    return Figure(
        "languages",
        title,
        "hreflang links whose target does not link back. Row: language of the page that lacks the "
        "link. Column: language that it omits. Links to unread pages are not counted.",
        matrix(names, cells),
        ("language of the page", "language that it omits", "links", "not returned"),
        found[:200],
        query,
    )

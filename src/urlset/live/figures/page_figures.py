"""Charts about the pages that a crawl or an audit visited, each from a query of live tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from urlset.html_report.charts import (
    Block,
    FunnelStep,
    Range,
    Segment,
    StackedRow,
    funnel,
    icicle,
    ranges,
    stacked_bars,
)
from urlset.html_report.model import CoverageCounts, Figure
from urlset.html_report.sections import (
    BRANCHES,
    MAX_SECTIONS,
    SECTION,
    section_label,
    sum_of,
    with_rest,
)
from urlset.html_report.text import duration, joined, safe, share
from urlset.live.figures.coverage_figures import coverage_figures
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

MAX_TABLE_SECTIONS = 1_000
"""Sections in the table of sections."""

_FAULTS = ("redirect", "not-indexable", "error")
OUTCOMES = ("fine", *_FAULTS, "unknown", "not-visited")
"""Outcomes of listed URLs, as queries and JSON have them."""

OUTCOME_LABELS = {
    "fine": "200, indexable, self-canonical",
    "redirect": "redirects",
    "not-indexable": "not indexable",
    "error": "error",
    "unknown": "unknown",
    "not-visited": "not visited",
}
"""Outcomes as figures show them."""

OUTCOME_COLUMNS = ("listed", "fine", *(OUTCOME_LABELS[name] for name in OUTCOMES[1:]))
"""Names of the number of URLs, and of those with each outcome."""

_REST = "…"
"""End of the label of a block that stands for several folders, or for pages in no folder."""

_IS_BLOCK = 0.01  # share of all URLs that a folder needs to be named in a title

# URLs that are written differently in a sitemap: one page, not a page that was not visited.
KEY = "lower(rtrim(regexp_replace(coalesce(try(url_decode({0})), {0}), '#.*$', ''), '/'))"

BY_PATTERN = "excluded_by IN ('include', 'exclude')"
"""Condition for the URLs of ``frontier`` that patterns exclude: they do not count as listed."""

_LATEST = "(SELECT max(crawl) FROM crawls)"


def _judged_sql(*, is_audit: bool) -> str:
    """Return the start of a query: of all URLs and visits, or those that the last audit counts."""
    page, loc = KEY.format("url"), KEY.format("loc")
    pages = only = less = scope = ""
    if is_audit:
        scope = (
            f"visits AS (SELECT * FROM pages WHERE crawl = {_LATEST}),\n"
            f"excluded AS (SELECT {loc} AS key FROM excluded_urls),\n"
        )
        pages, only = "visits ", f" AND {page} NOT IN (FROM excluded)"
        less = "    ANTI JOIN excluded USING (key)\n"
    else:  # an excluded URL that was visited before, or by an audit, counts
        keys = f"SELECT {page} AS key FROM frontier WHERE {BY_PATTERN}"
        less = f"    ANTI JOIN ({keys}) USING (key)\n"
    source = pages or "pages"
    # A file that is not HTML, such as a PDF, has no canonical URL and is not `is_indexable`.
    return f"""
WITH {BRANCHES},
{scope}listed AS (
    SELECT url FROM {source} WHERE is_listed{only}
    UNION ALL
    SELECT any_value(loc)
    FROM (SELECT loc, {loc} AS key
          FROM (SELECT loc FROM entries
                UNION ALL
                SELECT url FROM frontier WHERE list_has_any(origins, ['sitemap', 'feed'])))
    ANTI JOIN (SELECT {page} AS key FROM {source} WHERE is_listed) USING (key)
{less}    GROUP BY key),
judged AS (
    SELECT listed.url, {SECTION.format("listed.url")} AS section, pages.* EXCLUDE (url, section),
        CASE
            WHEN pages.url IS NULL THEN 'not-visited'
            WHEN verdict = 'ok' AND is_noindex IS NOT TRUE
                AND {KEY.format("refresh")} <> {KEY.format("pages.url")} THEN 'redirect'
            WHEN verdict = 'ok' AND is_noindex IS NOT TRUE
                AND (is_indexable OR canonical IS NULL) THEN 'fine'
            WHEN verdict IN ('ok', 'disallowed') THEN 'not-indexable'
            WHEN verdict = 'redirect' THEN 'redirect'
            WHEN verdict = 'unknown' THEN 'unknown'
            ELSE 'error'
        END AS outcome
    FROM listed LEFT JOIN {pages}pages ON pages.url = listed.url)
""".strip()


JUDGED = _judged_sql(is_audit=False)
"""Start of a query: ``judged`` has one row per listed URL, with its page and its outcome."""


def scoped(query: str, *, is_audit: bool) -> str:
    """Return a query that starts with ``JUDGED``; or one of what the last audit counts."""
    return query.replace(JUDGED, _judged_sql(is_audit=True)) if is_audit else query


_COUNTS = ",\n    ".join(
    f"count(*) FILTER (WHERE outcome = '{name}') AS \"{name}\"" for name in OUTCOMES
)

LISTED_BY_OUTCOME = f"count(*) AS listed,\n    {_COUNTS}\nFROM judged"
"""Columns and source of a query: the number of listed URLs, and of those with each outcome."""

REQUESTED_SQL = f"""{JUDGED}
SELECT count(*) FROM judged WHERE outcome <> 'not-visited' AND coalesce(attempts, 1) > 0"""
"""Query of the number of listed URLs that were requested."""

OUTCOME_SQL = (
    f"{JUDGED}\nSELECT section, {LISTED_BY_OUTCOME}\nGROUP BY section ORDER BY listed DESC, section"
)

_FOLDER = """if(section = '/', NULL,
        nullif(regexp_extract(substr(url_path(url), length(section) + 1), '^([^/]+)/', 1), ''))"""

_ICICLE_SQL = f"""{JUDGED}
SELECT section, {_FOLDER} AS folder, count(*) AS visited,
    count(*) FILTER (WHERE outcome IN ('redirect', 'not-indexable', 'error')) AS faults
FROM judged WHERE outcome <> 'not-visited'
GROUP BY ALL ORDER BY visited DESC, section, folder"""

_FUNNEL_SQL = f"""{JUDGED}
SELECT count(*) AS listed,
    count(*) FILTER (WHERE outcome <> 'not-visited') AS visited,
    count(*) FILTER (WHERE verdict = 'ok' AND outcome <> 'redirect') AS answered,
    count(*) FILTER (WHERE verdict = 'ok' AND outcome <> 'redirect' AND is_noindex IS NOT TRUE)
        AS indexable,
    count(*) FILTER (WHERE outcome = 'fine') AS self_canonical,
    count(*) FILTER (WHERE outcome = 'redirect') AS redirects,
    count(*) FILTER (WHERE outcome = 'error') AS errors,
    count(*) FILTER (WHERE outcome = 'unknown') AS "unknown",
    count(*) FILTER (WHERE verdict = 'disallowed') AS disallowed
FROM judged"""


def _speed_sql(*, is_audit: bool) -> str:
    latest = f"crawl = {_LATEST} AND " if is_audit else ""
    return f"""WITH {BRANCHES}
SELECT {SECTION.format("url")} AS section, count(*) AS pages,
    quantile_cont(coalesce(first_byte_s, seconds), 0.5) AS half,
    quantile_cont(coalesce(first_byte_s, seconds), 0.95) AS slow
FROM pages
WHERE {latest}verdict = 'ok' AND is_from_cache IS NOT TRUE
    AND coalesce(first_byte_s, seconds) IS NOT NULL
GROUP BY 1 ORDER BY slow DESC, 1"""


class Outcome(NamedTuple):
    """Numbers of listed URLs of a section, or of all, by the outcome of their visit."""

    section: str
    listed: int
    counts: Counter[str]

    @property
    def faults(self) -> int:
        """URLs that redirect, fail or are not indexable."""
        return sum(self.counts[name] for name in _FAULTS)

    @property
    def visited(self) -> int:
        """URLs with a result: they were requested, or robots.txt disallows them."""
        return self.listed - self.counts["not-visited"]


def outcome(session: StoreSession, *, is_audit: bool = False) -> tuple[Outcome, list[Outcome]]:
    """Count the outcomes of visits for all listed URLs, and for each section, largest first.

    With ``is_audit``, only URLs and visits that the last audit counts are counted.
    """
    sections = []
    total: Counter[str] = Counter()
    for section, listed, *counts in session.rows(scoped(OUTCOME_SQL, is_audit=is_audit)):
        found = Counter(dict(zip(OUTCOMES, counts, strict=True)))
        sections.append(Outcome(section_label(section), listed, found))
        total += found
    return Outcome("", sum(each.listed for each in sections), total), sections


def live_figures(
    session: StoreSession,
    total: Outcome,
    sections: Sequence[Outcome],
    coverage: CoverageCounts | None = None,
    *,
    is_audit: bool = False,
) -> list[Figure]:
    """Return the charts for which the live tables have data.

    ``coverage`` is as the audit counts it; None to count the columns of ``pages``. With
    ``is_audit``, only URLs and visits that the last audit counts are counted.
    """
    figures = []
    if total.visited:
        figures += [
            _verdicts(total, sections, is_audit=is_audit),
            _funnel(session, is_audit=is_audit),
            _faults_by_folder(session, is_audit=is_audit),
        ]
    if coverage is not None or not is_audit:
        figures += coverage_figures(session, coverage)
    figures.append(_speed(session, is_audit=is_audit))
    return [figure for figure in figures if figure is not None]


def section_table(sections: Sequence[Outcome], *, is_audit: bool = False) -> Figure:
    """Return the table of sections with the number of URLs by outcome."""
    rows = [
        (each.section, each.listed, *(each.counts[name] for name in OUTCOMES))
        for each in sections[:MAX_TABLE_SECTIONS]
    ]
    about = "Listed URLs by section and outcome."
    if len(sections) > MAX_TABLE_SECTIONS:
        about += f" The {MAX_TABLE_SECTIONS:,} largest of {len(sections):,} sections."
    columns = ("section", *OUTCOME_COLUMNS)
    query = scoped(OUTCOME_SQL, is_audit=is_audit)
    return Figure("sections", "Sections", about, "", columns, rows, query, True)


def _verdicts(total: Outcome, sections: Sequence[Outcome], *, is_audit: bool) -> Figure:
    shown = _top(sections)
    is_sample = total.visited * 2 < total.listed
    present = [
        name
        for name in OUTCOMES
        if total.counts[name] and not (is_sample and name == "not-visited")
    ]
    rows = [
        StackedRow(
            each.section,
            [Segment(name, each.counts[name]) for name in present],
            f"{each.visited:,} of {each.listed:,}" if is_sample else f"{each.listed:,}",
        )
        for each in shown
    ]
    worst = max(sections, key=lambda each: (each.faults, -each.visited))
    unknown = total.counts["unknown"]
    if unknown == total.visited:
        title = f"Unknown: {pluralize(unknown, 'checked URL')}"
    elif not total.faults:
        title = f"No fault in {pluralize(total.visited - unknown, 'checked URL')}"
        title += f"; unknown: {unknown:,}" if unknown else ""
    elif len(sections) == 1:
        title = f"{share(total.faults, total.visited)} of the checked URLs have a fault"
    else:
        checked = pluralize(worst.visited, "checked URL")
        title = f"{worst.section} has the most faults: {worst.faults:,} of {checked}"
    labels = [(name, OUTCOME_LABELS[name]) for name in present]
    drawn = "Checked URLs of each section" if is_sample else "Listed URLs of each section"
    return Figure(
        "verdicts",
        title,
        f"{drawn} by outcome. Not indexable: noindex, blocked by robots.txt, or "
        "another canonical URL. Unknown: the server refused or did not answer twice.",
        stacked_bars(rows, labels),
        ("section", "listed", *(OUTCOME_LABELS[name] for name in present)),
        [(each.section, each.listed, *(each.counts[name] for name in present)) for each in shown],
        scoped(OUTCOME_SQL, is_audit=is_audit),
        True,
    )


def _top(sections: Sequence[Outcome]) -> list[Outcome]:
    """Return the largest sections, and all others as one."""
    if len(sections) <= MAX_SECTIONS:
        return list(sections)
    others = sections[MAX_SECTIONS - 1 :]
    counts: Counter[str] = Counter()
    for each in others:
        counts += each.counts
    name = f"{len(others):,} other sections"
    return [*sections[: MAX_SECTIONS - 1], Outcome(name, sum(o.listed for o in others), counts)]


def _funnel(session: StoreSession, *, is_audit: bool) -> Figure:
    query = scoped(_FUNNEL_SQL, is_audit=is_audit)
    row = next(iter(session.rows(query)))
    listed, visited, answered, indexable, canonical, redirects, errors, unknown, disallowed = row
    steps = [FunnelStep("listed", listed)]
    if visited < listed:
        steps.append(FunnelStep("checked", visited, f"− {listed - visited:,} not visited"))
    reasons = (
        (redirects, "redirect"),
        (errors, "fail"),
        (unknown, "unknown"),
        (disallowed, "blocked by robots.txt"),
    )
    lost = joined([f"{count:,} {reason}" for count, reason in reasons if count])
    steps.append(FunnelStep("answered 200", answered, f"− {lost}" if lost else ""))
    lost = f"− {answered - indexable:,} noindex" if indexable < answered else ""
    steps.append(FunnelStep("indexable", indexable, lost))
    others = f"− {indexable - canonical:,} with another canonical URL"
    lost = others if canonical < indexable else ""
    steps.append(FunnelStep("self-canonical", canonical, lost))
    return Figure(
        "funnel",
        f"{share(canonical, visited)} of the checked URLs can be indexed under their own address",
        "Listed URLs, and how many remain after each condition.",
        funnel(steps),
        ("step", "URLs"),
        [(step.label, step.size) for step in steps],
        query,
    )


def _faults_by_folder(session: StoreSession, *, is_audit: bool) -> Figure | None:
    query = scoped(_ICICLE_SQL, is_audit=is_audit)
    folders: dict[str, list[tuple[str | None, int, int]]] = defaultdict(list)
    for section, folder, visited, faults in session.rows(query):
        folders[section_label(section)].append((folder, visited, faults))
    blocks = [_section_block(section, rows) for section, rows in folders.items()]
    blocks.sort(key=lambda block: -block.size)
    if len(blocks) < 2:
        return None
    blocks = with_rest(blocks, f"sections{_REST}")
    everything = sum_of("all", blocks)
    least = max(10, everything.size * _IS_BLOCK)
    large = [
        b
        for block in blocks
        for b in (*block.parts, block)
        if b.size >= least and b.faults and not b.label.endswith(_REST)
    ]
    title = "No folder has faults"
    if everything.faults:
        title = f"Faults are spread thinly: {share(everything.faults, everything.size)} of all URLs"
    if large:
        worst = max(large, key=lambda block: block.faults / block.size)
        highest = share(worst.faults, worst.size)
        title = f"{safe(worst.label, 60)} has the highest share of faults: {highest}"
    rows = [
        (b.label, b.size, b.faults, share(b.faults, b.size))
        for block in blocks
        for b in (block, *block.parts)
    ]
    return Figure(
        "folders",
        title,
        "Sections above, their folders below. Width: checked URLs. Colour: share of URLs that "
        "redirect, fail or are not indexable.",
        icicle(blocks),
        ("folder", "checked", "faults", "share"),
        rows,
        query,
        True,
    )


def _section_block(section: str, rows: Sequence[tuple[str | None, int, int]]) -> Block:
    # A folder with one page is that page: /blog/rye/.
    pages = [row for row in rows if not row[0] or row[1] == 1]
    parts = [
        Block(f"{section}{folder}/", visited, faults)
        for folder, visited, faults in rows
        if folder and visited > 1
    ]
    if pages:
        faults = sum(row[2] for row in pages)
        parts.append(Block(f"{section}{_REST}", sum(row[1] for row in pages), faults))
    parts.sort(key=lambda part: -part.size)
    parts = with_rest(parts, f"folders{_REST}")
    return sum_of(section, parts)._replace(parts=parts if len(parts) > 1 else ())


def _speed(session: StoreSession, *, is_audit: bool) -> Figure | None:
    query = _speed_sql(is_audit=is_audit)
    found: list[Any] = [
        (section_label(section), pages, half, slow)
        for section, pages, half, slow in session.rows(query)
    ]
    if not found:
        return None
    pages = sum(row[1] for row in found)
    # A section with a handful of pages has no meaningful 95th percentile.
    shown = [row for row in found if row[1] >= min(20, pages / 10)][:MAX_SECTIONS]
    if not shown:
        return None
    section, _, half, slow = shown[0]
    title = f"{section} is the slowest section: 5 % of its pages take over {duration(slow)}"
    if len(shown) == 1:
        title = f"Half of the pages answer within {duration(half)}, 95 % within {duration(slow)}"
    most = max(row[3] for row in shown) * 1.04 or 1.0
    ticks = [(at, duration(at) if at else "0") for at in _ticks(most)]
    rows = [
        Range(label, half, slow, f"{duration(half)} – {duration(slow)}")
        for label, _, half, slow in shown
    ]
    return Figure(
        "speed",
        title.replace("5 %", "5\N{NARROW NO-BREAK SPACE}%"),
        "Time to the first byte of pages that answered 200: the first dot is the median, the "
        "second the 95th percentile.",
        ranges(rows, ticks, most=most),
        ("section", "pages", "median", "95th percentile"),
        [(label, count, duration(half), duration(slow)) for label, count, half, slow in shown],
        query,
    )


def _ticks(most: float) -> list[float]:
    """Return three to six round values from 0 up to ``most``.

    >>> _ticks(2.4)
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    step = next(
        factor * 10.0**power
        for power in range(-6, 9)
        for factor in (1, 2, 5)
        if most / (factor * 10.0**power) <= 5
    )
    return [round(step * number, 9) for number in range(int(most / step) + 1)]

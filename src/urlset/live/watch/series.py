"""Read the history of each section from the tables of a store, as input of the estimates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from urlset.live.history.reader import moment
from urlset.live.watch.estimates import DAY_S, DayCount, RateEstimate, section_rate
from urlset.store import StoreSession

YEAR = timedelta(days=365)
DAYS = timedelta(days=100)
MAX_PAUSES = 1_000
MAX_GAP_S = 1.5 * DAY_S
"""A longer time between two observations covers several days."""

MIN_EMPTIED = 10
"""Removed URLs of a step, at least, that make a section count as emptied at once."""

TRUSTED_SHARE = 0.9
"""Share of new dates that must be plausible, so that the rate is estimated from dates."""

CLUSTER_S = 1_800
"""Dates that are this near to their median are equal: a build takes some time."""


@dataclass(frozen=True, slots=True)
class SectionNow:
    """State of a section at the latest snapshot.

    ``observed`` URLs were observed at this and at an earlier snapshot, ``changed`` of them have
    another ``lastmod``. Of the ``dated`` URLs, which have one, ``equal_share`` have equal dates,
    near their median ``common_date``. ``is_known`` says whether all its sitemaps could be read.
    """

    urls: int = 0
    is_known: bool = True
    observed: int = 0
    changed: int = 0
    dated: int = 0
    equal_share: float = 0.0
    equal_share_before: float = 0.0
    common_date: datetime | None = None


@dataclass(frozen=True, slots=True)
class SectionHistory:
    """History of one section: its URLs of each day, the latest last, and pauses between new ones.

    The latest day may be incomplete. ``rate`` is None if no entry has a date. ``is_emptied``
    says whether it has no URLs because most were removed at once, as by a rename, with an alert.
    """

    name: str
    now: SectionNow = field(default_factory=SectionNow)
    added: Sequence[DayCount] = ()
    removed: Sequence[DayCount] = ()
    pauses_s: Sequence[float] = ()
    last_new: datetime | None = None
    rate: RateEstimate | None = None
    is_emptied: bool = False


@dataclass(frozen=True, slots=True)
class SiteHistory:
    """History of all sections, those with most URLs first, up to the latest snapshot.

    ``added`` and ``removed`` are the numbers of URLs at the latest step; if some were unknown
    before it, no URL counts as removed, because that may have been long ago. ``largest_drop`` is
    the largest share of the URLs that one earlier step removed on balance, and ``largest_removal``
    the largest one that a step removed, also if it added as many.
    """

    now: datetime
    sections: Sequence[SectionHistory]
    urls: int = 0
    urls_before: int | None = None
    largest_drop: float = 0.0
    added: int = 0
    removed: int = 0
    largest_removal: float = 0.0


def site_history(
    session: StoreSession, snapshot: int, watched: frozenset[str] = frozenset()
) -> SiteHistory:
    """Return the history up to a snapshot, the latest one.

    The dates of the sections ``watched`` are compared even if few moved.
    """
    query = f"SELECT epoch_us(started), url_count FROM store.snapshots WHERE snapshot = {snapshot}"
    [(started, urls)] = session.rows(query)
    now = moment(started)
    assert now is not None
    names = dict(session.rows("SELECT section, name FROM store.history_sections"))
    names[0] = "other sections"
    states = _states(session, snapshot, watched, names)
    added, removed = _days(session, now, names)
    pauses, last = _pauses(session, now)
    emptied = _emptied_at_once(session)
    rates = _rates(session, now)
    sections = [
        SectionHistory(
            name=names[number],
            now=states.get(number, SectionNow()),
            added=added.get(number, ()),
            removed=removed.get(number, ()),
            pauses_s=pauses.get(number, ()),
            last_new=last.get(number),
            rate=rates.get(number) if number in states and states[number].dated else None,
            is_emptied=number in emptied and not states.get(number, SectionNow()).urls,
        )
        for number in sorted(
            (n for n in names if states.get(n, SectionNow()).urls or added[n]),
            key=lambda n: -states.get(n, SectionNow()).urls,
        )
    ]
    return SiteHistory(now, sections, urls, *_drops(session, snapshot, now))


def _states(
    session: StoreSession, snapshot: int, watched: frozenset[str], names: Mapping[int, str]
) -> dict[int, SectionNow]:
    """Return the state of each section at the snapshot."""
    query = (
        "SELECT u.section, count(DISTINCT h.url_id), count(h.lastmod) FROM store.history h "
        "JOIN store.history_urls u USING (url_id) WHERE h.last_snapshot IS NULL GROUP BY ALL"
    )
    counts = {row[0]: row[1:] for row in session.rows(query)}
    query = (
        "SELECT section, sum(observed_count)::BIGINT, sum(changed_count)::BIGINT, "
        f"sum(unknown_count)::BIGINT FROM store.history_steps WHERE snapshot = {snapshot} "
        "GROUP BY section"
    )
    steps = {row[0]: row[1:] for row in session.rows(query)}
    moved = [
        number
        for number, (observed, changed, _) in steps.items()
        if changed * 2 >= observed > 0 or names[number] in watched
    ]
    dates = _equal_dates(session, snapshot, moved)
    before = _equal_dates(session, snapshot - 1, moved)
    found = {}
    for number in {*counts, *steps}:
        observed, changed, unknown = steps.get(number, (0, 0, 0))
        urls, dated = counts.get(number, (0, 0))
        share, common = dates.get(number, (0.0, None))
        found[number] = SectionNow(
            urls=urls,
            is_known=not unknown,
            observed=observed,
            changed=changed,
            dated=dated,
            equal_share=share,
            equal_share_before=before.get(number, (0.0, None))[0],
            common_date=common,
        )
    return found


def _equal_dates(
    session: StoreSession, snapshot: int, sections: Sequence[int]
) -> dict[int, tuple[float, datetime | None]]:
    """Return, by section, the share of ``lastmod`` dates near their median, and the median."""
    if not sections:
        return {}
    rows = session.rows(
        f"""
        WITH dates AS (
            SELECT u.section, epoch(h.lastmod) AS seconds
            FROM store.history h JOIN store.history_urls u USING (url_id)
            WHERE h.first_snapshot <= {snapshot} AND h.lastmod IS NOT NULL
                AND (h.last_snapshot IS NULL OR h.last_snapshot >= {snapshot})
                AND u.section IN ({", ".join(map(str, sections))})),
        middle AS (SELECT section, median(seconds) AS middle FROM dates GROUP BY section)
        SELECT section, count_if(abs(seconds - middle) <= {CLUSTER_S}) / count(*),
            any_value(middle * 1000000)::BIGINT
        FROM dates JOIN middle USING (section) GROUP BY section"""
    )
    return {section: (share, moment(at)) for section, share, at in rows}


def _days(
    session: StoreSession, now: datetime, names: Mapping[int, str]
) -> tuple[dict[int, list[DayCount]], dict[int, list[DayCount]]]:
    """Return the new and the removed URLs of each day by section.

    A count belongs to the day in the middle of the time since the observation before. Days on
    which a sitemap of the section could not be read are omitted, and those of a longer time in
    which something changed are one count.
    """
    query = f"""
        SELECT section, CASE WHEN gap_s > {MAX_GAP_S} THEN (s.started - INTERVAL 1 SECOND)::DATE
            ELSE (s.started - to_seconds(gap_s / 2))::DATE END AS day,
            CASE WHEN gap_s > {MAX_GAP_S} THEN round(gap_s / {DAY_S}) ELSE 1 END::INTEGER AS span,
            sum(h.added_count)::BIGINT, sum(h.removed_count)::BIGINT, max(h.unknown_count)::BIGINT
        FROM store.history_steps h JOIN store.snapshots s USING (snapshot)
        WHERE (gap_s > 0 OR h.unknown_count > 0) AND s.started > {sql_of(now - DAYS)}
        GROUP BY ALL ORDER BY ALL"""
    rows: dict[int, list[Sequence[Any]]] = defaultdict(list)
    for section, *rest in session.rows(query):
        rows[section].append(rest)
    added, removed = {}, {}
    for section in names:
        added[section] = _series([(d, span, a, u) for d, span, a, _, u in rows[section]])
        removed[section] = _series([(d, span, r, u) for d, span, _, r, u in rows[section]])
    return added, removed


_DAY = timedelta(days=1)


def _series(rows: Sequence[tuple[date, int, int, int]]) -> list[DayCount]:
    """Convert rows to one count for each day; the first day, which is incomplete, is excluded."""
    if not rows:
        return []
    counts: dict[date, int] = defaultdict(int)
    # A failure is noticed at the end of a time that is not known, on this day and the one before.
    unknown = {day - back for day, _, _, missing in rows if missing for back in (_DAY * 0, _DAY)}
    spans: list[DayCount] = []
    for day, span, count, _ in rows:
        if span == 1:
            counts[day] += count
        elif count:
            spans.append(DayCount(day, count, span))
    unknown |= {day - back * _DAY for day, _, span in spans for back in range(-1, span + 1)}
    first, last = min(row[0] for row in rows), max(row[0] for row in rows)
    days = [first + n * _DAY for n in range(1, (last - first).days + 1)]
    return sorted([*(DayCount(day, counts[day]) for day in days if day not in unknown), *spans])


def _pauses(
    session: StoreSession, now: datetime
) -> tuple[dict[int, list[float]], dict[int, datetime]]:
    """Return, by section, the seconds between new URLs, and when the latest was found.

    Pauses with an alert of silence do not count: they were not normal. Neither do those that end
    with an observation after a long time.
    """
    query = f"""
        WITH found AS (
            SELECT section, s.started, max(gap_s) <= {MAX_GAP_S} AS is_exact
            FROM store.history_steps h JOIN store.snapshots s USING (snapshot)
            WHERE h.added_count > 0 AND gap_s > 0 AND s.started > {sql_of(now - YEAR)}
            GROUP BY ALL),
        pauses AS (
            SELECT section, started, is_exact, lag(started) OVER ordered AS former
            FROM found WINDOW ordered AS (PARTITION BY section ORDER BY started)),
        alarms AS (
            SELECT n.section, a.opened FROM store.alerts a
            JOIN store.history_sections n ON n.name = a.subject WHERE a.kind = 'silence'),
        judged AS (
            SELECT *, is_exact AND former IS NOT NULL AND NOT EXISTS (
                FROM alarms a WHERE a.section = pauses.section
                AND a.opened >= former AND a.opened <= started) AS is_normal FROM pauses)
        SELECT section, list_slice(list(epoch(started) - epoch(former) ORDER BY started DESC)
            FILTER (is_normal), 1, {MAX_PAUSES}), epoch_us(max(started))
        FROM judged GROUP BY section"""
    pauses, last = {}, {}
    for section, found, at in session.rows(query):
        pauses[section] = [float(value) for value in found or ()]
        if (when := moment(at)) is not None:
            last[section] = when
    return pauses, last


def _emptied_at_once(session: StoreSession) -> set[int]:
    """Return the sections from which one step since their last new URL removed most, by an alert.

    One that lists the latest pages only, as of news, becomes empty without such a step.
    """
    query = f"""
        WITH latest AS (
            SELECT section, max(snapshot) AS last_new FROM store.history_steps
            WHERE added_count > 0 AND gap_s > 0 GROUP BY section),
        removals AS (
            SELECT section, last_new, snapshot, started, sum(h.removed_count) AS removed
            FROM store.history_steps h JOIN latest USING (section)
            JOIN store.snapshots s USING (snapshot)
            WHERE snapshot >= last_new GROUP BY ALL HAVING removed >= {MIN_EMPTIED}),
        alarms AS (
            SELECT DISTINCT section, last_new, removed FROM removals r
            JOIN store.history_sections n USING (section) WHERE EXISTS (
                FROM store.alerts a WHERE a.kind = 'shrink' AND a.snapshot = r.snapshot
                OR a.kind = 'removals' AND a.subject = n.name AND a.opened >= r.started))
        SELECT DISTINCT section FROM alarms r WHERE removed * 2 > (
            SELECT count(DISTINCT url_id) FROM store.history h
            JOIN store.history_urls u USING (url_id) WHERE u.section = r.section
            AND h.first_snapshot <= r.last_new
            AND (h.last_snapshot IS NULL OR h.last_snapshot >= r.last_new))"""
    return {section for (section,) in session.rows(query)}


def _rates(session: StoreSession, now: datetime) -> dict[int, RateEstimate]:
    """Return the change rates of URLs by section, without steps with an alert of mass changes."""
    query = f"""
        SELECT section, round(gap_s / 60) * 60.0, sum(observed_count)::BIGINT,
            sum(h.changed_count)::BIGINT, sum(dated_count)::BIGINT, sum(age_s)
        FROM store.history_steps h JOIN store.snapshots s USING (snapshot)
        WHERE gap_s > 0 AND observed_count > 0 AND s.started > {sql_of(now - YEAR)} AND NOT EXISTS (
            FROM store.alerts a JOIN store.history_sections n ON n.name = a.subject
            WHERE a.kind = 'lastmod-mass' AND a.snapshot = h.snapshot AND n.section = h.section)
        GROUP BY ALL"""
    rows: dict[int, list[Sequence[Any]]] = defaultdict(list)
    for section, *rest in session.rows(query):
        rows[section].append(rest)
    found = {}
    for section, observed in rows.items():
        changed = sum(row[2] for row in observed)
        dated = sum(row[3] for row in observed)
        is_dated = bool(changed) and dated >= TRUSTED_SHARE * changed
        gaps = [(gap, total, moved) for gap, total, moved, *_ in observed]
        estimate = section_rate(gaps, dated if is_dated else None, sum(row[4] for row in observed))
        if estimate is not None:
            found[section] = estimate
    return found


def _drops(
    session: StoreSession, snapshot: int, now: datetime
) -> tuple[int | None, float, int, int, float]:
    """Return the last five fields of :class:`SiteHistory`, from the numbers of the snapshots."""
    query = f"""
        WITH steps AS (
            SELECT snapshot, url_count, added_count, removed_count,
                lag(url_count) OVER (ORDER BY snapshot) AS former,
                lag(unknown_count) OVER (ORDER BY snapshot) AS former_unknown
            FROM store.snapshots WHERE started > {sql_of(now - DAYS)})
        SELECT max(former) FILTER (snapshot = {snapshot}),
            max((former::DOUBLE - url_count) / former)
                FILTER (snapshot < {snapshot} AND former > 0),
            max(added_count) FILTER (snapshot = {snapshot}),
            max(if(former_unknown > 0, 0, removed_count)) FILTER (snapshot = {snapshot}),
            max(removed_count::DOUBLE / former) FILTER (snapshot < {snapshot} AND former > 0)
        FROM steps"""
    [(former, drop, added, removed, removal)] = list(session.rows(query))
    return former, max(drop or 0.0, 0.0), int(added), int(removed), removal or 0.0


def sql_of(time: datetime) -> str:
    """Return a time as SQL."""
    return f"TIMESTAMPTZ '{time.isoformat()}'"

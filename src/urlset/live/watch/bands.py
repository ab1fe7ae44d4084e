"""Compute the normal range of daily counts from the same weekdays of the weeks before, in SQL."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from urlset.live.schemas import stream_of
from urlset.live.watch.estimates import DayCount
from urlset.live.watch.series import SectionHistory, SiteHistory
from urlset.store import StoreSession

WINDOW_DAYS = 84
"""Days before a count that its band is based on: twelve of each weekday."""

MIN_DAYS = 28
"""Days in the window that a band needs."""

MIN_WEEKDAYS = 4
"""Days of the same weekday that its median needs; with fewer, the median of all days is used."""

FENCE = 3.0
"""Interquartile ranges from a quartile to the end of a band: the outer fences of Tukey (1977)."""

MIN_RANGE = 0.6745
"""Smallest interquartile range of the square roots: that of independent events (Poisson)."""

RELEARN_DAYS = 7
"""Days after which a volume outside of the band is the new normal."""

_DAYS = "series:uint32 day span:uint32 urls:uint64 is_normal:flag is_judged:flag"


class Band(NamedTuple):
    """Normal range of a count: from ``low`` to ``high``, both included, around ``middle``."""

    low: int
    high: int
    middle: float


class AlertDays(NamedTuple):
    """Days of a section with an alert: their counts are excluded from its normal range."""

    kind: str
    subject: str
    first: date
    last: date


Bands = Mapping[tuple[str, str, date], Band]
"""Bands by test (``volume`` or ``removals``), section, and last day of the count."""

_EXCLUDED_BY = {
    "volume": ("volume-high", "volume-low", "silence"),
    "removals": ("removals", "shrink"),
}


def day_bands(
    session: StoreSession, site: SiteHistory, excluded: Sequence[AlertDays] = ()
) -> Bands:
    """Return the bands of the latest counts of all sections.

    Counts are compared by their square roots, whose spread does not depend on their level. The
    middle of a band is the median of the same weekday. Its ends are :data:`FENCE` interquartile
    ranges, and one more for each tenfold number of sections, beyond the quartiles of the deviations
    of all days from the medians of their weekdays. Days with earlier alerts are excluded. A count
    with fewer than :data:`MIN_DAYS` normal days before it has no band.
    """
    names = [(test, section) for section in site.sections for test in _EXCLUDED_BY]
    rows = [row for number, named in enumerate(names) for row in _rows(number, *named, excluded)]
    fence = FENCE + math.log10(max(1, len(site.sections)))
    found = session.rows_for(_query(fence), stream_of(_DAYS, rows))
    return {
        (names[series][0], names[series][1].name, day): Band(low, high, middle)
        for series, day, low, high, middle in found
    }


def _rows(
    number: int, test: str, section: SectionHistory, excluded: Sequence[AlertDays]
) -> Iterator[tuple[object, ...]]:
    counts = section.added if test == "volume" else section.removed
    latest = {*counts[-2:], *[each for each in counts if each.span == 1][-1:]}
    subjects = (section.name, "site")
    alerts = [e for e in excluded if e.kind in _EXCLUDED_BY[test] and e.subject in subjects]
    for each in counts:
        is_normal = each.span == 1 and not any(_is_in(each, alert) for alert in alerts)
        yield number, each.day.isoformat(), each.span, each.urls, is_normal, each in latest


def _is_in(count: DayCount, alert: AlertDays) -> bool:
    """Return whether a day had an alert; after some days, its volume is the new normal."""
    last = min(alert.last, alert.first + timedelta(days=RELEARN_DAYS))
    return alert.first <= count.day <= last


def _query(fence: float) -> str:
    return f"""
        WITH counts AS MATERIALIZED (
            SELECT * REPLACE (day::DATE AS day), day::DATE - span::INTEGER + 1 AS first
            FROM incoming),
        judged AS (SELECT series, day, first FROM counts WHERE is_judged),
        past AS (
            SELECT series, j.day AS judged, dayofweek(c.day) AS weekday, sqrt(c.urls) AS root
            FROM judged j JOIN counts c USING (series)
            WHERE c.is_normal AND c.day < j.first AND c.day >= j.first - {WINDOW_DAYS}),
        every_day AS (
            SELECT series, judged, quantile_cont(root, 0.5) AS middle FROM past
            GROUP BY ALL HAVING count(*) >= {MIN_DAYS}),
        one_weekday AS (
            SELECT series, judged, weekday, quantile_cont(root, 0.5) AS middle FROM past
            GROUP BY ALL HAVING count(*) >= {MIN_WEEKDAYS}),
        middles AS (
            SELECT series, judged, w.weekday, coalesce(o.middle, e.middle) AS middle
            FROM every_day e CROSS JOIN range(7) w(weekday)
            LEFT JOIN one_weekday o USING (series, judged, weekday)),
        quartiles AS (
            SELECT series, judged, quantile_cont(root - middle, 0.25) AS lower,
                quantile_cont(root - middle, 0.75) AS upper,
                {fence} * greatest(upper - lower, {MIN_RANGE}) AS fence
            FROM past JOIN middles USING (series, judged, weekday) GROUP BY ALL),
        days AS (
            SELECT series, day AS judged,
                dayofweek(unnest(generate_series(first, day, INTERVAL 1 DAY))) AS weekday
            FROM judged),
        ranges AS (
            SELECT series, judged, middle ** 2 AS middle,
                greatest(0, middle + lower - fence) ** 2 AS low,
                (middle + upper + fence) ** 2 AS high
            FROM days JOIN middles USING (series, judged, weekday)
            JOIN quartiles USING (series, judged))
        SELECT series, judged,  -- deviations of several days are independent: their squares add up
            ceil(greatest(0, sum(middle) - sqrt(sum((middle - low) ** 2))))::BIGINT,
            floor(sum(middle) + sqrt(sum((high - middle) ** 2)))::BIGINT, sum(middle)
        FROM ranges GROUP BY ALL"""

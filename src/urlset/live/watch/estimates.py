"""Estimate the change rate of the URLs of a section, and the longest normal pause between new ones.

All functions are pure. Times are in seconds, rates in changes per second and URL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import Literal, NamedTuple

DAY_S = 86_400.0

NO_CHANGE = 0.025
"""Probability of no change at the upper end of an interval, if none was observed."""

MIN_PAUSES = 20
"""Pauses that a limit of silence needs."""

TOLERANCE = 1.1
"""Ratio by which the rate from dates may be outside of the interval of that from visits alone."""

_EQUAL = 0.05  # gaps that differ by less are equal
_Z = 1.96  # standard errors of an interval of 95 %
_DROP = 1.92  # fall of the log-likelihood at the ends of an interval of 95 %


class RateEstimate(NamedTuple):
    """Rate of changes of one URL per second, with an interval of 95 %.

    Attributes:
        rate: The estimate.
        low: Lower end of the interval.
        high: Upper end of the interval.
        method: ``dates`` (from the dates of the entries), ``equal-gaps``, ``unequal-gaps``, or
            ``observed`` (the changes that were seen, divided by the time that was observed).
    """

    rate: float
    low: float
    high: float
    method: Literal["dates", "equal-gaps", "unequal-gaps", "observed"]


class DayCount(NamedTuple):
    """New or removed URLs of one day, or of the ``span`` days that end with it."""

    day: date
    urls: int
    span: int = 1


class Silence(NamedTuple):
    """Normal pauses between new URLs in seconds: limit of an alert, and 99 % quantile."""

    limit_s: float
    usual_s: float


Gaps = Sequence[tuple[float, int, int]]
"""Observations: gap in seconds, number of URLs observed, number of them that changed."""


def change_rate(gaps: Gaps) -> RateEstimate | None:
    """Estimate a rate from observations that show only whether a URL changed.

    None without observations.
    """
    gaps = [each for each in gaps if each[0] > 0 and each[1] > 0]
    if not gaps:
        return None
    least, most = min(gap for gap, *_ in gaps), max(gap for gap, *_ in gaps)
    if most <= least * (1 + _EQUAL):
        visits = sum(count for _, count, _ in gaps)
        changed = sum(count for *_, count in gaps)
        gap = sum(gap * count for gap, count, _ in gaps) / visits
        return equal_gap_rate(visits, changed, gap)
    return unequal_gap_rate(gaps)


def equal_gap_rate(visits: int, changed: int, gap_s: float) -> RateEstimate:
    """Estimate a rate from visits at equal gaps.

    Cho and Garcia-Molina, Estimating Frequency of Change (2003): the share of visits that found a
    change is biased, because several changes between two visits are one. The interval is that of
    Wilson for the share.

    >>> estimate = equal_gap_rate(1000, 632, 1.0)
    >>> round(estimate.rate, 1), round(632 / 1000, 1)
    (1.0, 0.6)
    """
    rate = math.log((visits + 0.5) / (visits - changed + 0.5)) / gap_s
    middle = changed + _Z * _Z / 2
    spread = _Z * math.sqrt(changed * (visits - changed) / visits + _Z * _Z / 4)
    total = visits + _Z * _Z
    first = -math.log1p(-(middle - spread) / total) / gap_s if changed else 0.0
    last = -math.log1p(-(middle + spread) / total) / gap_s if changed < visits else math.inf
    return RateEstimate(rate, first, last, "equal-gaps")


def unequal_gap_rate(gaps: Gaps) -> RateEstimate:
    """Estimate a rate from visits at unequal gaps: maximum likelihood, by bisection.

    The estimate solves Σ Δ/(e^{λΔ} − 1) over the gaps Δ with a change = Σ Δ over those without.
    """
    changed = [(gap, count) for gap, _, count in gaps if count]
    still = sum(gap * (total - count) for gap, total, count in gaps)
    events = sum(count for _, count in changed)
    if not events:
        exposure = sum(gap * total for gap, total, _ in gaps)
        return RateEstimate(0.0, 0.0, -math.log(NO_CHANGE) / exposure, "unequal-gaps")
    # If every visit found a change, the likelihood has no maximum; half of a visit without one
    # bounds it, as 0.5 does for equal gaps.
    still = still or 0.5 * min(gap for gap, _ in changed)

    def excess(rate: float) -> float:
        return (
            sum(count * gap / math.expm1(min(rate * gap, 700.0)) for gap, count in changed) - still
        )

    def likelihood(rate: float) -> float:
        return sum(c * math.log(-math.expm1(-rate * gap)) for gap, c in changed) - rate * still

    most = events / still + 1 / min(gap for gap, _ in changed)
    while excess(most) > 0:
        most *= 2
    rate = _root(excess, 0.0, most)
    least = likelihood(rate) - _DROP
    low = _root(lambda x: least - likelihood(x), 0.0, rate)
    high = rate * 2
    while likelihood(high) > least:
        high *= 2
    high = _root(lambda x: likelihood(x) - least, rate, high)
    return RateEstimate(rate, low, high, "unequal-gaps")


def dated_rate(events: int, exposure_s: float) -> RateEstimate | None:
    """Estimate a rate from visits that also show when a URL changed last.

    Looked at backwards from each visit, the time to the last change is that to the first event of
    a Poisson process: maximum likelihood is the number of gaps with a change, divided by the sum
    of min(age, gap). The interval is the score interval of a count. None without observations.
    """
    if exposure_s <= 0:
        return None
    low, high = _count_interval(events)
    return RateEstimate(events / exposure_s, low / exposure_s, high / exposure_s, "dates")


def section_rate(gaps: Gaps, dated: int | None, age_s: float) -> RateEstimate | None:
    """Estimate a rate from visits whose times may depend on the changes.

    ``dated`` changes have a date that can be trusted, and ``age_s`` is the sum of the times from
    there to the visit that found them; ``dated`` is None if the dates cannot be trusted.

    :func:`dated_rate` and :func:`change_rate` suppose that visits are independent of changes. If
    each visit is a minute after a deployment, the dates look like those of pages that change each
    minute. Both rates agree if visits are independent; then that from the dates is returned. Else
    it is the number of changes that were seen, divided by the time that was observed. None without
    observations.

    >>> found = section_rate([(86_400.0, 100, 100)] * 30, 3_000, 3_000 * 60.0)
    >>> round(found.rate * 86_400, 3), found.method
    (1.0, 'observed')
    """
    visits = change_rate(gaps)
    if visits is None:
        return None
    changed = sum(count for *_, count in gaps)
    seen = observed_rate(changed, sum(gap * total for gap, total, _ in gaps))
    # Several changes between two visits are one: there may be more than were seen, and any number
    # if every visit found one.
    seen = seen._replace(high=max(seen.high, visits.high))
    if dated is None or not changed:
        return seen
    still = sum(gap * (total - count) for gap, total, count in gaps)
    dates = dated_rate(dated, still + age_s)
    if dates is None or not still:
        return seen
    agrees = visits.low / TOLERANCE <= dates.rate <= visits.high * TOLERANCE
    return dates if agrees else seen


def observed_rate(changed: int, exposure_s: float) -> RateEstimate:
    """Return the number of changes that were seen, divided by the time that was observed.

    The interval is the score interval of a count. ``exposure_s`` is the sum of the times between
    visits, of all URLs, and positive.
    """
    low, high = _count_interval(changed)
    return RateEstimate(changed / exposure_s, low / exposure_s, high / exposure_s, "observed")


def _count_interval(events: int) -> tuple[float, float]:
    """Return the score interval of 95 % of a count."""
    middle, spread = events + _Z * _Z / 2, _Z * math.sqrt(events + _Z * _Z / 4)
    return max(0.0, middle - spread), middle + spread


def change_probability(rate: float, within_s: float) -> float:
    """Return the probability that a URL that changes at a rate changes within some time.

    >>> round(change_probability(0.5, 2.0), 3)
    0.632
    """
    return -math.expm1(-rate * within_s)


def silence_limit(pauses_s: Sequence[float], *, tail: float) -> Silence | None:
    """Return the pause between new URLs that a share of ``tail`` of all pauses exceeds.

    The share is usually smaller than one of the number of pauses. Beyond their 90 % quantile they
    are extrapolated by an exponential tail; the limit is never below the longest pause. It is None
    for fewer than :data:`MIN_PAUSES` pauses.
    """
    if len(pauses_s) < MIN_PAUSES:
        return None
    ordered = sorted(pauses_s)
    start = ordered[math.ceil(0.9 * len(ordered)) - 1]
    longer = [pause - start for pause in ordered if pause > start] or [start / 10]
    # The mean excess of few pauses is uncertain: one standard error is added.
    mean = sum(longer) / len(longer) * (1 + 1 / math.sqrt(len(longer)))
    share = max(len(longer) / len(ordered), tail)
    limit = start + mean * math.log(share / tail)
    usual = ordered[min(len(ordered) - 1, math.ceil(0.99 * len(ordered)) - 1)]
    return Silence(max(limit, ordered[-1] * 1.05), usual)


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a falling function, by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2

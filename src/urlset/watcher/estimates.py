"""Estimate normal values of a section: change rate, number of new URLs, pauses between them.

All functions are pure. Times are in seconds, rates in changes per second and URL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import Literal, NamedTuple

from urlset.watcher.distributions import beta_quantile, count_quantile, gamma_quantile

DAY_S = 86_400.0

LEVEL = 0.95
"""Confidence level of the intervals of rates."""

MIN_DAYS = 28
"""Days that a volume band needs: four of each weekday."""

WINDOW_DAYS = 84
"""Days that a volume band is fitted to."""

HALF_LIFE_DAYS = 28.0
"""Age at which a day has half of the weight of the latest one: the level may change slowly."""

MIN_PAUSES = 20
"""Pauses that a limit of silence needs."""

_EQUAL = 0.05  # gaps that differ by less are equal
_DROP = 1.92  # fall of the log-likelihood at the ends of an interval of 95 %


class RateEstimate(NamedTuple):
    """Rate of changes of one URL per second, with an interval of 95 %.

    Attributes:
        rate: The estimate.
        low: Lower end of the interval.
        high: Upper end of the interval.
        events: Observed changes.
        exposure_s: Time in which they were observed, summed over URLs, in seconds.
        method: ``dates`` (from the dates of the entries), ``equal-gaps`` or ``unequal-gaps``.
    """

    rate: float
    low: float
    high: float
    events: int
    exposure_s: float
    method: Literal["dates", "equal-gaps", "unequal-gaps"]


class Prior(NamedTuple):
    """Gamma distribution of the rates of sections: shape, and rate in seconds."""

    shape: float
    rate: float


class DayCount(NamedTuple):
    """New or removed URLs of one day, or of the ``span`` days that end with it."""

    day: date
    urls: int
    span: int = 1


class Band(NamedTuple):
    """Normal range of a count: from ``low`` to ``high``, both included."""

    low: int
    high: int
    mean: float


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
    change is biased, because several changes between two visits are one.

    >>> estimate = equal_gap_rate(1000, 632, 1.0)
    >>> round(estimate.rate, 1), round(632 / 1000, 1)
    (1.0, 0.6)
    """
    rate = -math.log((visits - changed + 0.5) / (visits + 0.5)) / gap_s
    tail = (1 - LEVEL) / 2
    low = beta_quantile(tail, changed + 0.5, visits - changed + 0.5) if changed else 0.0
    high = 1.0
    if changed < visits:
        high = beta_quantile(1 - tail, changed + 0.5, visits - changed + 0.5)
    first = -math.log1p(-low) / gap_s
    last = math.inf if high >= 1 else -math.log1p(-high) / gap_s
    return RateEstimate(rate, first, last, changed, visits * gap_s, "equal-gaps")


def unequal_gap_rate(gaps: Gaps) -> RateEstimate:
    """Estimate a rate from visits at unequal gaps: maximum likelihood, by bisection.

    The estimate solves Σ Δ/(e^{λΔ} − 1) over the gaps Δ with a change = Σ Δ over those without.
    """
    changed = [(gap, count) for gap, _, count in gaps if count]
    still = sum(gap * (total - count) for gap, total, count in gaps)
    events = sum(count for _, count in changed)
    exposure = sum(gap * total for gap, total, _ in gaps)
    if not events:
        return RateEstimate(0.0, 0.0, -math.log((1 - LEVEL) / 2) / exposure, 0, exposure, _UNEQUAL)
    # If every visit found a change, the likelihood has no maximum; half of a visit without one
    # bounds it, as 0.5 does for equal gaps.
    still = still or 0.5 * min(gap for gap, _ in changed)

    def excess(rate: float) -> float:
        return sum(count * gap / _expm1(rate * gap) for gap, count in changed) - still

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
    return RateEstimate(rate, low, high, events, exposure, _UNEQUAL)


_UNEQUAL: Literal["unequal-gaps"] = "unequal-gaps"


def dated_rate(events: int, exposure_s: float) -> RateEstimate | None:
    """Estimate a rate from visits that also show when a URL changed last.

    Looked at backwards from each visit, the time to the last change is that to the first event of
    a Poisson process: maximum likelihood is the number of gaps with a change, divided by the sum
    of min(age, gap). The interval is that of Jeffreys. None without observations.
    """
    if exposure_s <= 0:
        return None
    tail = (1 - LEVEL) / 2
    low = gamma_quantile(tail, events + 0.5, exposure_s) if events else 0.0
    high = gamma_quantile(1 - tail, events + 0.5, exposure_s)
    return RateEstimate(events / exposure_s, low, high, events, exposure_s, "dates")


def fit_prior(estimates: Sequence[RateEstimate]) -> Prior | None:
    """Fit the gamma distribution of the rates of all sections, by moments; None without changes."""
    exposure = sum(each.exposure_s for each in estimates)
    events = sum(each.rate * each.exposure_s for each in estimates)
    if exposure <= 0 or events <= 0:
        return None
    mean = events / exposure
    spread = sum(each.exposure_s * (each.rate - mean) ** 2 for each in estimates) / exposure
    # A part of the spread is that of the counts, not of the rates.
    variance = max(spread - mean * (len(estimates) - 1) / exposure, mean * mean / 100)
    return Prior(mean * mean / variance, mean / variance)


def shrunk_rate(estimate: RateEstimate, prior: Prior | None) -> float:
    """Return the rate of a section, shrunk towards the mean of all if it has few observations.

    >>> few = RateEstimate(0.0, 0.0, 1.0, 0, 10.0, "dates")
    >>> shrunk_rate(few, Prior(2.0, 10.0))
    0.1
    """
    if prior is None:
        return estimate.rate
    shape, rate = prior
    return (shape + estimate.rate * estimate.exposure_s) / (rate + estimate.exposure_s)


def change_probability(estimate: RateEstimate, prior: Prior | None, within_s: float) -> float:
    """Return the probability that a URL of a section changes within some time."""
    if prior is None:
        return -math.expm1(-estimate.rate * within_s)
    total = prior.rate + estimate.exposure_s
    shape = prior.shape + estimate.rate * estimate.exposure_s
    return -math.expm1(shape * math.log(total / (total + within_s)))


def volume_band(counts: Sequence[DayCount], days: Sequence[date], *, tail: float) -> Band | None:
    """Return the normal range of a number of URLs on some days, by the counts of earlier days.

    The model is a negative binomial around the product of a slowly changing level and a factor of
    the weekday. Its variance includes that of the estimates.

    Args:
        counts: Counts of earlier days; spans of several days are ignored.
        days: The days, one or several that are counted together.
        tail: Probability of a count outside of the band, half of it on each side.

    Returns:
        The band; None for fewer than :data:`MIN_DAYS` earlier days.
    """
    first = min(days)
    known = [each for each in counts if each.span == 1 and each.day < first]
    known = sorted(known)[-WINDOW_DAYS:]
    if len(known) < MIN_DAYS:
        return None
    weights = [0.5 ** ((first - each.day).days / HALF_LIFE_DAYS) for each in known]
    total = sum(weights)
    level = sum(w * each.urls for w, each in zip(weights, known, strict=True)) / total
    if level <= 0:
        # No event in n days: the upper limit of the rate, by the rule of three.
        mean = 1 / (len(known) + 1)
        return Band(0, count_quantile(1 - tail / 2, mean * len(days), mean * len(days) * 2), 0.0)
    factors = [1.0] * 7
    sums = [[0.0, 0.0] for _ in range(7)]
    for weight, each in zip(weights, known, strict=True):
        sums[each.day.weekday()][0] += weight * each.urls
        sums[each.day.weekday()][1] += weight * level
    for weekday, (found, expected) in enumerate(sums):
        factors[weekday] = (found + 1) / (expected + 1)  # drawn towards 1 if there are few
    means = [level * factors[each.day.weekday()] for each in known]
    size = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    pairs = list(zip(weights, means, known, strict=True))
    excess = sum(w * ((each.urls - m) ** 2 * size / (size - 7) - m) for w, m, each in pairs)
    squares = sum(w * m * m for w, m, _ in pairs)
    dispersion = max(0.0, excess / squares)
    # The dispersion is an estimate, too: one standard error is added.
    dispersion += math.sqrt(2 / size) * (1 / level + dispersion)
    mean = variance = 0.0
    for day in days:
        expected = level * factors[day.weekday()]
        spread = expected + dispersion * expected * expected
        mean += expected
        variance += spread * (1 + 7 / size)
    low = count_quantile(tail / 2, mean, variance)
    return Band(low, count_quantile(1 - tail / 2, mean, variance), mean)


def silence_limit(pauses_s: Sequence[float], *, tail: float) -> Silence | None:
    """Return the pause between new URLs that a share of ``tail`` of all pauses exceeds.

    The share is usually smaller than one of the number of pauses. Beyond their 90 % quantile they
    are extrapolated by an exponential tail; the limit is never below the longest pause.

    Returns:
        The limit; None for fewer than :data:`MIN_PAUSES` pauses.
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


def _expm1(value: float) -> float:
    return math.expm1(min(value, 700.0))


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

"""Estimates on simulated processes with known parameters: unbiased, within their intervals."""

import math
import random
import statistics
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.watcher.distributions import (
    beta_cdf,
    beta_quantile,
    count_cdf,
    count_quantile,
    gamma_cdf,
    gamma_quantile,
)
from urlset.watcher.estimates import (
    MIN_PAUSES,
    DayCount,
    Prior,
    RateEstimate,
    change_probability,
    change_rate,
    dated_rate,
    equal_gap_rate,
    fit_prior,
    shrunk_rate,
    silence_limit,
    unequal_gap_rate,
    volume_band,
)

START = date(2026, 1, 5)


def poisson(draw: random.Random, mean: float) -> int:
    """Return a Poisson variable, by the gaps of the process."""
    count, left = 0, mean
    while (left := left - draw.expovariate(1.0)) > 0:
        count += 1
    return count


def visits(draw: random.Random, rate: float, method: str) -> RateEstimate:
    """Return the estimate from 200 visits of a page that changes at a rate."""
    gaps, events, exposure = [], 0, 0.0
    for _ in range(200):
        gap = draw.choice([0.5, 1.0, 2.0, 5.0]) if method == "unequal-gaps" else 1.0
        age = draw.expovariate(rate)  # looked at backwards, from the visit
        gaps.append((gap, 1, int(age < gap)))
        events += age < gap
        exposure += min(age, gap)
    found = dated_rate(events, exposure) if method == "dates" else change_rate(gaps)
    assert found is not None
    assert found.method == method
    return found


@pytest.mark.parametrize("rate", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("method", ["equal-gaps", "unequal-gaps", "dates"])
def test_rates_are_unbiased_within_their_intervals(method, rate):
    found = [visits(random.Random(seed), rate, method) for seed in range(300)]

    mean = statistics.mean(each.rate for each in found)
    error = statistics.stdev(each.rate for each in found) / math.sqrt(len(found))
    assert abs(mean - rate) < 3.5 * error + 0.01 * rate
    covered = sum(each.low <= rate <= each.high for each in found) / len(found)
    # 95 %, less three standard errors of the share of 300.
    assert covered >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)


def test_naive_share_is_biased_low_and_the_estimate_is_not():
    # Cho and Garcia-Molina (2003): at one change per visit, 63 % of visits find a change.
    draw = random.Random(1)
    changed = sum(draw.expovariate(1.0) < 1.0 for _ in range(5_000))

    assert changed / 5_000 < 0.66
    assert equal_gap_rate(5_000, changed, 1.0).rate == pytest.approx(1.0, rel=0.05)


@given(st.integers(1, 500), st.floats(10.0, 1e6), st.data())
def test_equal_gaps_give_the_same_rate_by_both_methods(visits, gap, data):
    changed = data.draw(st.integers(0, visits))
    exact = unequal_gap_rate([(gap, visits, changed)])
    closed = equal_gap_rate(visits, changed, gap)

    assert exact.low <= exact.rate <= exact.high
    assert closed.low <= closed.rate <= closed.high
    if 5 <= changed < visits - 5:
        # The 0.5 of the closed form is the only difference.
        assert exact.rate == pytest.approx(closed.rate, rel=0.15)


@given(st.lists(st.tuples(st.floats(60.0, 1e7), st.integers(1, 1_000)), min_size=1, max_size=20))
def test_more_changes_are_a_higher_rate(gaps):
    few = unequal_gap_rate([(gap, count, 0) for gap, count in gaps])
    some = unequal_gap_rate([(gap, count, count // 2 + 1) for gap, count in gaps])

    assert few.rate == 0.0 < few.high
    assert some.rate > 0.0


def test_no_observation_is_no_estimate():
    assert change_rate([]) is None
    assert change_rate([(0.0, 5, 0)]) is None
    assert dated_rate(0, 0.0) is None


def test_few_observations_are_drawn_to_the_rate_of_the_other_sections():
    draw = random.Random(7)
    rates = [0.05 * draw.gammavariate(4, 1 / 4) for _ in range(40)]
    sections = [dated_rate(poisson(draw, rate * 2_000), 2_000.0) for rate in rates]
    prior = fit_prior([each for each in sections if each is not None])
    assert prior is not None
    few = RateEstimate(0.0, 0.0, 1.0, 0, 5.0, "dates")
    many = RateEstimate(0.0, 0.0, 1.0, 0, 1e6, "dates")

    assert prior.shape / prior.rate == pytest.approx(0.05, rel=0.2)
    assert shrunk_rate(few, prior) == pytest.approx(0.05, rel=0.3)
    assert shrunk_rate(many, prior) < 0.001


def test_probability_of_a_change_is_that_of_gamma_distributed_rates():
    estimate = RateEstimate(0.5, 0.4, 0.6, 50, 100.0, "dates")
    prior = Prior(2.0, 10.0)
    draw = random.Random(3)
    rates = [draw.gammavariate(52.0, 1 / 110.0) for _ in range(20_000)]
    simulated = statistics.mean(1 - math.exp(-rate * 2.0) for rate in rates)

    assert change_probability(estimate, prior, 2.0) == pytest.approx(simulated, abs=0.005)
    assert change_probability(estimate, None, 2.0) == pytest.approx(1 - math.exp(-1.0))


# ── volume ──


def quiet_days(
    seed: int, mean: float, dispersion: float = 0.0, *, weekend: float = 1.0, days: int = 365
) -> list[DayCount]:
    draw, found = random.Random(seed), []
    for number in range(days):
        day = START + timedelta(days=number)
        level = mean * (weekend if day.weekday() >= 5 else 1.0)
        if dispersion:
            level *= draw.gammavariate(1 / dispersion, dispersion)
        found.append(DayCount(day, poisson(draw, level)))
    return found


@pytest.mark.parametrize(
    ("mean", "dispersion", "weekend"),
    [(0.3, 0.0, 1.0), (2.0, 0.0, 0.2), (20.0, 0.05, 0.3), (150.0, 0.02, 0.3), (5.0, 0.5, 1.0)],
)
def test_at_most_one_quiet_day_in_a_hundred_is_outside_of_the_band(mean, dispersion, weekend):
    outside = total = 0
    for seed in range(4):
        days = quiet_days(seed, mean, dispersion, weekend=weekend)
        for at in range(28, len(days), 4):
            band = volume_band(days[:at], [days[at].day], tail=0.01)
            assert band is not None
            outside += not band.low <= days[at].urls <= band.high
            total += 1

    # Of 340 days; two standard errors above 1 %.
    assert outside / total <= 0.01 + 2 * math.sqrt(0.01 * 0.99 / total)


def test_band_knows_the_weekdays():
    days = quiet_days(1, 40.0, weekend=0.1, days=84)
    saturday, monday = date(2026, 4, 4), date(2026, 4, 6)

    low, high = (volume_band(days, [day], tail=0.01) for day in (saturday, monday))

    assert low is not None
    assert high is not None
    assert low.high < high.low


def test_band_needs_four_weeks():
    days = quiet_days(1, 10.0, days=27)

    assert volume_band(days, [date(2026, 3, 1)], tail=0.01) is None
    days.append(DayCount(START + timedelta(days=27), 10))
    assert volume_band(days, [date(2026, 3, 1)], tail=0.01) is not None


def test_band_of_several_days_is_that_of_their_sum():
    days = quiet_days(1, 10.0, days=84)
    after = [START + timedelta(days=84 + n) for n in range(3)]

    one, three = volume_band(days, after[:1], tail=0.01), volume_band(days, after, tail=0.01)

    assert one is not None
    assert three is not None
    assert three.mean == pytest.approx(3 * one.mean, rel=0.3)
    assert one.high < three.high < 3 * one.high


def test_band_follows_a_new_level():
    days = quiet_days(1, 5.0, days=60) + [
        DayCount(each.day + timedelta(days=60), each.urls) for each in quiet_days(2, 50.0, days=84)
    ]

    band = volume_band(days, [START + timedelta(days=144)], tail=0.01)

    assert band is not None
    assert band.mean == pytest.approx(50.0, rel=0.15)


def test_section_without_any_new_url_has_a_band_near_zero():
    band = volume_band(quiet_days(1, 0.0, days=60), [START + timedelta(days=60)], tail=0.01)

    assert band is not None
    assert (band.low, band.mean) == (0, 0.0)
    assert band.high <= 2


# ── silence ──


@pytest.mark.parametrize("tail", [0.01, 0.001])
def test_share_of_pauses_beyond_the_limit_is_at_most_the_tail(tail):
    beyond = total = 0
    for seed in range(40):
        draw = random.Random(seed)
        # Working hours: short pauses by day, a night, a weekend.
        pauses = [draw.expovariate(1 / 3_600) + draw.choice([0] * 8 + [43_200]) for _ in range(400)]
        limit = silence_limit(pauses, tail=tail)
        assert limit is not None
        later = [
            draw.expovariate(1 / 3_600) + draw.choice([0] * 8 + [43_200]) for _ in range(2_000)
        ]
        beyond += sum(pause > limit.limit_s for pause in later)
        total += len(later)

    assert beyond / total <= tail


def test_limit_of_silence_is_of_the_order_of_its_quantile():
    draw = random.Random(5)
    pauses = [draw.expovariate(1 / 3_600) for _ in range(1_000)]

    limit = silence_limit(pauses, tail=0.001)

    assert limit is not None
    # The quantile of an exponential distribution.
    assert limit.limit_s == pytest.approx(3_600 * math.log(1_000), rel=0.3)
    assert limit.usual_s == pytest.approx(3_600 * math.log(100), rel=0.3)


@given(st.lists(st.floats(1, 1e7), min_size=MIN_PAUSES, max_size=200), st.floats(1e-6, 0.5))
def test_limit_of_silence_is_not_below_the_longest_pause(pauses: list[float], tail: float):
    limit = silence_limit(pauses, tail=tail)

    assert limit is not None
    assert limit.limit_s > max(pauses)


def test_few_pauses_have_no_limit():
    assert silence_limit([3_600.0] * 19, tail=0.001) is None
    regular = silence_limit([3_600.0] * 20, tail=0.001)
    assert regular is not None
    assert 3_600 < regular.limit_s < 3 * 3_600


# ── distributions ──


@given(st.floats(0.001, 0.999), st.floats(0.1, 5_000.0))
def test_gamma_quantile_is_the_inverse_of_its_distribution(share, shape):
    assert gamma_cdf(gamma_quantile(share, shape), shape) == pytest.approx(share, abs=1e-6)


@given(st.floats(0.001, 0.999), st.floats(0.5, 5_000.0), st.floats(0.5, 5_000.0))
def test_beta_quantile_is_the_inverse_of_its_distribution(share, a, b):
    assert beta_cdf(beta_quantile(share, a, b), a, b) == pytest.approx(share, abs=1e-5)


@given(st.integers(0, 60), st.floats(0.1, 40.0), st.floats(1.0, 8.0))
def test_distribution_of_counts_is_the_sum_of_its_terms(count, mean, ratio):
    variance = mean * ratio
    if ratio <= 1.000_001:
        terms = [math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(count + 1)]
    else:
        size = mean * mean / (variance - mean)
        share = size / (size + mean)
        terms = [
            math.exp(
                math.lgamma(k + size) - math.lgamma(size) - math.lgamma(k + 1)
                + size * math.log(share) + k * math.log1p(-share)
            )
            for k in range(count + 1)
        ]  # fmt: skip

    assert count_cdf(count, mean, variance) == pytest.approx(sum(terms), abs=1e-4)


@given(st.floats(0.000_1, 0.999_9), st.floats(0.0, 50_000.0), st.floats(1.0, 50.0))
def test_quantile_of_a_count_is_the_smallest_that_reaches_the_share(share, mean, ratio):
    found = count_quantile(share, mean, mean * ratio)

    assert count_cdf(found, mean, mean * ratio) >= share
    assert found == 0 or count_cdf(found - 1, mean, mean * ratio) < share

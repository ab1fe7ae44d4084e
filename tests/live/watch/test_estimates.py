"""Estimates on simulated processes with known parameters: unbiased, within their intervals."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.live.watch.estimates import (
    MIN_PAUSES,
    RateEstimate,
    change_probability,
    change_rate,
    dated_rate,
    equal_gap_rate,
    section_rate,
    silence_limit,
    unequal_gap_rate,
)


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


def deployments(draw: random.Random, share: float) -> tuple[list[tuple[float, int, int]], int]:
    """Return daily visits of 100 pages, a share of which changed, and the number of changes."""
    counts = [sum(draw.random() < share for _ in range(100)) for _ in range(40)]
    return [(86_400.0, 100, count) for count in counts], sum(counts)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.6, 0.99, 1.0])
@pytest.mark.parametrize("age_s", [60.0, 43_200.0, 86_000.0])
def test_visits_soon_after_each_deployment_do_not_raise_the_rate(share, age_s):
    gaps, changed = deployments(random.Random(1), share)

    for dated in (changed, None):
        found = section_rate(gaps, dated, changed * age_s)
        assert found is not None
        seen = changed / 4_000
        # Ages of half a day on average say little about whether the visits are independent.
        assert seen <= found.rate * 86_400 * 1.000_1
        assert found.rate * 86_400 <= seen * 1.5
        assert found.low <= found.rate <= found.high
        assert math.isinf(found.high) == (share == 1.0)  # then nothing limits it


@pytest.mark.parametrize("rate", [0.02, 0.3, 1.0, 2.0])
def test_dates_of_independent_visits_count_several_changes_between_two(rate):
    draw = random.Random(2)
    ages = [draw.expovariate(rate) for _ in range(20_000)]
    changed = [age for age in ages if age < 1.0]

    found = section_rate([(1.0, len(ages), len(changed))], len(changed), sum(changed))

    assert found is not None
    assert found.method == "dates"
    assert found.rate == pytest.approx(rate, rel=0.15)


def test_no_observation_is_no_estimate():
    assert section_rate([], 0, 0.0) is None
    assert change_rate([]) is None
    assert change_rate([(0.0, 5, 0)]) is None
    assert dated_rate(0, 0.0) is None


def test_a_change_is_as_likely_as_in_a_simulated_week():
    draw = random.Random(3)
    changed = sum(draw.expovariate(0.1) < 7 for _ in range(20_000)) / 20_000

    assert change_probability(0.1, 7.0) == pytest.approx(changed, abs=0.01)


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


def test_a_rate_without_changes_is_a_zero_without_a_sign():
    estimate = equal_gap_rate(visits=10, changed=0, gap_s=86_400.0)

    assert f"{estimate.rate:.2g} {estimate.low:.2g}" == "0 0"

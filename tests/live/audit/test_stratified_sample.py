"""Samples of listed URLs: allocation, intervals, and how often an interval holds the truth."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from urlset.live.audit.verdict_shares import (
    VerdictCount,
    VerdictShare,
    share_lines,
    shares_of,
    summary_sentence,
)
from urlset.live.visits.sample import Interval, StratumCount, allocate, estimate, wilson

MILLION = {  # URLs and share of 404 by section
    "shop": (600_000, 0.03),
    "blog": (250_000, 0.005),
    "docs": (100_000, 0.10),
    "archive": (49_990, 0.20),
    "about": (10, 0.50),
}


def test_the_interval_holds_the_true_share_in_93_to_97_of_100_samples():
    sizes = {section: size for section, (size, _) in MILLION.items()}
    gone = {section: round(size * share) for section, (size, share) in MILLION.items()}
    truth = sum(gone.values()) / sum(sizes.values())
    held = 0

    for seed in range(200):
        draw = Random(seed)
        counts = [
            StratumCount(
                sizes[section],
                n,
                sum(number < gone[section] for number in draw.sample(range(sizes[section]), n)),
            )
            for section, n in allocate(sizes, 1_000, seed=seed).items()
        ]
        interval = estimate(counts)
        held += interval.low <= truth <= interval.high

    assert 0.93 <= held / 200 <= 0.97


def test_each_url_has_the_same_chance_with_more_strata_than_samples():
    sizes = dict.fromkeys(range(1000), 10)
    chosen: Counter[int] = Counter()

    for seed in range(300):
        shares = allocate(sizes, 100, seed=seed)
        assert sum(shares.values()) == 100
        chosen.update({key: n for key, n in shares.items() if n})

    halves = sum(chosen[n] for n in range(500)), sum(chosen[n] for n in range(500, 1_000))
    assert halves[0] == pytest.approx(halves[1], rel=0.05)
    assert len(chosen) > 950


def test_a_sample_of_everything_has_no_uncertainty():
    assert estimate([StratumCount(40, 40, 10), StratumCount(60, 60, 0)]) == (0.1, 0.1, 0.1)


def test_no_hits_still_leave_an_upper_limit():
    low, high = wilson(0, 1_000)

    assert low == 0
    assert 3 / 1_000 < high < 4 / 1_000


def test_nothing_visited_says_nothing():
    assert estimate([StratumCount(100, 0, 0)]) == Interval(0.0, 0.0, 1.0)


def test_sections_count_by_their_size():
    sizes = {("/shop/", 1): 900, ("/blog/", 1): 100}
    counts = [
        VerdictCount("/shop/", 1, "fine", 10),
        VerdictCount("/blog/", 1, "gone", 10),
    ]

    fine, gone = shares_of(sizes, counts)

    assert (fine.verdict, fine.estimated_urls) == ("fine", 900)
    assert (gone.verdict, gone.estimated_urls) == ("gone", 100)


def test_a_line_states_share_interval_and_number():
    share = VerdictShare("gone", 21, Interval(0.021, 0.0138, 0.0319), 21_000, "/", 21)

    [line] = share_lines(1_000_000, [share], is_sampled=True)

    assert line == "404 or 410: 2.1 % (1.4–3.2 %), about 21,000 of 1,000,000"


def test_the_sentence_names_the_section_of_most():
    def share(verdict: str, n: int, section: str, there: int) -> VerdictShare:
        return VerdictShare(verdict, n, Interval(*[n / 48_120] * 3), n, section, there)

    shares = [share("fine", 46_300, "/shop/", 40_000), share("redirect", 1_310, "/shop/", 900)]

    sentence = summary_sentence(48_120, 48_120, shares, is_sampled=False)

    assert sentence == (
        "Of 48,120 listed URLs 96.2 % are fine; 1,310 redirect, most of them in /shop/."
    )


def test_almost_all_are_not_100_percent():
    fine = VerdictShare("fine", 99_999, Interval(1, 1, 1), 99_999, "/", 1)
    gone = VerdictShare("gone", 1, Interval(0, 0, 0), 1, "/", 1)

    sentence = summary_sentence(100_000, 100_000, [fine, gone], is_sampled=False)

    assert sentence == "Of 100,000 listed URLs 99.9 % are fine; 1 is gone."

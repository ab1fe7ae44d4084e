"""Sample of the URLs to visit: the same share of each stratum, and intervals of shares.

A stratum holds the URLs of one section and one sitemap. A sample takes the same share of each, so
that no part of a site is missed and the estimates are at least as exact as those of a plain sample.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)


def allocate(sizes: Mapping[K, int], n: int, *, seed: int = 0) -> dict[K, int]:
    """Distribute a sample of ``n`` over strata in proportion to their sizes.

    The rounding is random, by ``seed``: each URL has the same chance, also if there are more strata
    than samples (systematic sampling with a random start).

    >>> allocate({"shop": 900, "blog": 90, "about": 10}, 100)
    {'shop': 90, 'blog': 9, 'about': 1}
    """
    total = sum(sizes.values())
    rate = min(n, total) / total if total else 0.0
    start = random.Random(seed).random()
    shares: dict[K, int] = {}
    before = 0
    for key, size in sizes.items():
        after = before + size
        shares[key] = math.floor(after * rate + start) - math.floor(before * rate + start)
        before = after
    return shares


Z = 1.96
"""Quantile of the normal distribution for an interval that holds the truth in 95 % of samples."""


class Interval(NamedTuple):
    """Estimated share with the limits of its 95 % interval, each from 0 to 1."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_percent(self.share)} % ({_percent(self.low)}–{_percent(self.high)} %)"


class StratumCount(NamedTuple):
    """A stratum: its URLs, those in the sample, and those of the sample that have a property."""

    size: int
    sampled: int
    hits: int


def wilson(hits: float, n: float, *, z: float = Z) -> tuple[float, float]:
    """Return the limits of the Wilson interval of a share of ``hits`` in ``n``.

    The interval keeps its coverage for small shares, also for no hits, where its upper limit is
    about 4/n. Source: E. B. Wilson, Probable Inference, JASA 22 (1927).

    >>> [round(limit, 4) for limit in wilson(21, 1000)]
    [0.0138, 0.0319]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if n <= 0:
        return 0.0, 1.0
    share = hits / n
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def estimate(strata: Iterable[StratumCount]) -> Interval:
    """Return the share of a property in all URLs, estimated from a stratified sample.

    The variance of the weighted share gives the size of a plain sample with the same precision,
    for which the Wilson interval is computed. Strata with fewer than five sampled URLs are pooled:
    their own variances would be too uncertain. A complete stratum adds no uncertainty.

    >>> estimate([StratumCount(1_000_000, 1000, 21)])
    Interval(share=0.021, low=0.013778505243107904, high=0.031884011449888415)
    """
    groups = _pooled([stratum for stratum in strata if stratum.size])
    total = sum(group.size for group in groups)
    sampled = sum(group.sampled for group in groups)
    if not sampled:
        return Interval(0.0, 0.0, 1.0)
    share = sum(group.size * group.hits / group.sampled for group in groups) / total
    if sampled == total:
        return Interval(share, share, share)
    variance = sum(
        (group.size / total) ** 2
        * _variance(group.hits / group.sampled, group.sampled)
        * (1 - group.sampled / group.size)
        for group in groups
    )
    effective = float(sampled) / (1 - sampled / total)
    if variance > 0:
        effective = max(effective, share * (1 - share) / variance)
    low, high = wilson(share * effective, effective)
    return Interval(share, low, high)


def _variance(share: float, n: int) -> float:
    return share * (1 - share) / n


def _pooled(strata: list[StratumCount]) -> list[StratumCount]:
    """Merge strata with fewer than five sampled URLs into one; return all strata."""
    large = [stratum for stratum in strata if stratum.sampled >= 5]
    small = [stratum for stratum in strata if stratum.sampled < 5]
    size, sampled, hits = map(sum, zip(*small, strict=True)) if small else (0, 0, 0)
    if not size:
        return large
    if not sampled:  # its share is unknown: assume that of the others
        if not large:
            return []
        biggest = max(large)
        large.remove(biggest)
        return [*large, biggest._replace(size=biggest.size + size)]
    return [*large, StratumCount(size, sampled, hits)]


def _percent(share: float) -> str:
    """Format a share as a percentage with one decimal, or two below 0.095 %."""
    value = share * 100
    return f"{value:.2f}" if 0 < value < 0.095 else f"{value:.1f}"

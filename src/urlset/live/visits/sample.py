"""Sample of the URLs to visit: the same share of each stratum."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Mapping
from typing import TypeVar

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

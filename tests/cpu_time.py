"""CPU time of calls, measured so that neither other work nor a coarse clock decides a test.

On virtual machines the clock of CPU time may stand still for milliseconds and then jump, so one
short call can measure as nothing. Other processes share the caches, so CPU time varies, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from math import inf

LEAST_S = 0.1
"""CPU time of one measurement: as many calls as take that long."""

ROUNDS = 3


def cpu_s(call: Callable[[], object], least_s: float = LEAST_S) -> float:
    """Return the CPU time of a call, the mean of as many calls as take ``least_s``."""
    calls, begin = 0, time.process_time()
    while True:
        call()
        calls += 1
        spent = time.process_time() - begin
        if spent >= least_s:
            return spent / calls


def growth(call: Callable[[int], object], small: int, large: int) -> float:
    """Return how many times the CPU time of ``call(small)`` that of ``call(large)`` is."""
    return ratio(partial(call, large), partial(call, small))


def ratio(call: Callable[[], object], to: Callable[[], object]) -> float:
    """Return how many times the CPU time of ``to`` that of ``call`` is.

    Each is the least of several rounds in turn, so that work of others in one of them, which can
    only slow it down, does not count.
    """
    to()  # imports and caches
    times = {to: inf, call: inf}
    for _ in range(ROUNDS):
        for each in times:
            times[each] = min(times[each], cpu_s(each))
    return times[call] / times[to]

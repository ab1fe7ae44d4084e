"""Simulate how long a cluster reads the sitemaps of many hosts with manners.

python -m examples.census.politeness [--hosts N] [--tasks N] [--sites N]

Nothing is requested. As `urlset.partitioned.plan` does, the hosts are divided among parts, and
each task reads one part: some sites at the same time, and of each host one request after another,
with its delay between them. Numbers of sitemaps and delays are drawn from the shares below.
"""

from __future__ import annotations

import argparse
import heapq
import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PARTS = 256  # urlset.partitioned.parts.MAX_HOST_PARTS
LATENCY_S = 0.4  # of a request; an assumption

# Assumptions, as (share, most sitemaps) and (share, Crawl-delay in seconds).
SITEMAPS = ((0.70, 3), (0.25, 30), (0.0499, 500), (0.0001, 5_000))
DELAYS = ((0.93, 0.0), (0.05, 1.0), (0.02, 10.0))


class Outcome(NamedTuple):
    """Result of a simulation, in hours and requests."""

    requests: int
    hours: float
    slowest_host_hours: float
    busy: float


def hosts(count: int, draw: random.Random) -> Iterator[tuple[int, float]]:
    """Yield for each host its number of requests, and how long they take in seconds."""
    most = [each for _, each in SITEMAPS]
    delays = [each for _, each in DELAYS]
    for _ in range(count):
        (limit,) = draw.choices(most, [share for share, _ in SITEMAPS])
        (delay,) = draw.choices(delays, [share for share, _ in DELAYS])
        requests = 1 + draw.randint(1, limit)  # robots.txt, too
        yield requests, requests * max(delay, LATENCY_S)


def simulate(count: int, tasks: int, sites: int, seed: int = 1) -> Outcome:
    """Simulate ``count`` hosts in ``tasks`` tasks at a time, each with ``sites`` at a time."""
    parts: list[list[float]] = [[] for _ in range(min(PARTS, count))]
    total = 0
    for number, (requests, seconds) in enumerate(hosts(count, random.Random(seed))):
        parts[number % len(parts)].append(seconds)
        total += requests
    durations = [_end(part, sites) for part in parts]
    end = _end(durations, tasks)
    work = sum(map(sum, parts))
    slowest = max(map(max, parts))
    return Outcome(total, end / 3600, slowest / 3600, work / (end * tasks * sites))


def _end(durations: Iterable[float], workers: int) -> float:
    """Return when the last of some jobs ends if each worker takes the next one."""
    ends = [0.0] * workers
    for duration in durations:
        heapq.heapreplace(ends, ends[0] + duration)
    return max(ends)


def main() -> None:
    """Print a row for each number of sites that a task reads at the same time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=1_000_000)
    parser.add_argument("--tasks", type=int, default=256)
    parser.add_argument("--sites", type=int, nargs="*", default=[1, 8, 32])
    given = parser.parse_args()
    print(f"{given.hosts:,} hosts, {given.tasks} tasks at the same time")
    print(f"{'sites at a time':>16}{'hours':>8}{'slowest host':>14}{'busy':>7}{'requests/s':>12}")
    for sites in given.sites:
        found = simulate(given.hosts, given.tasks, sites)
        rate = found.requests / found.hours / 3600
        print(
            f"{sites:>16}{found.hours:>8.1f}{found.slowest_host_hours:>14.1f}"
            f"{found.busy:>7.0%}{rate:>12,.0f}"
        )


if __name__ == "__main__":
    main()

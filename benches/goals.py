"""The goals of the design, as ratios within one run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from race import Result, Results
from works import NATIVE, REFERENCE, SCANNER, USP, XML2ARROW, ZLIB

SIZE_TOLERANCE = 1.01
"""How much larger than zlib's a compressed file may be and still count as of its size."""


class Verdict(NamedTuple):
    """A goal and its result; ``measured`` is None if a peer is missing."""

    text: str
    goal: str
    measured: str | None
    is_met: bool


def judge(results: Results) -> Iterator[Verdict]:
    """Compare the results of the works with the goals."""
    for document in ("plain", "extended"):
        arrow, objects = f"{document} → Arrow", f"{document} → objects"
        ours = (arrow, NATIVE)
        yield from _ratio(results, f"{arrow}, against the {SCANNER}", ours, (arrow, SCANNER), 0.90)
        yield from _ratio(results, f"{arrow}, against {XML2ARROW}", ours, (arrow, XML2ARROW), 4)
        yield from _ratio(results, f"{arrow}, against {USP}", ours, (objects, USP), 120)
        ours = (objects, NATIVE)
        yield from _ratio(results, f"{objects}, against {USP}", ours, (objects, USP), 60)
        yield from _ratio(results, f"{objects}, against Scrapy", ours, (objects, "Scrapy"), 12)
        ours = (objects, REFERENCE)
        text = f"{objects}, reference, against {USP}"
        yield from _ratio(results, text, ours, (objects, USP), 1)
        ours = (f"{document}.gz → Arrow", NATIVE)
        text = f"{document}.gz → Arrow, against without gzip"
        yield from _ratio(results, text, ours, (arrow, NATIVE), 0.60)
    for document in ("plain", "extended"):
        yield from _rate(results, (f"Arrow → {document}", NATIVE), 300)
        yield from _rate(results, (f"entries → {document}", NATIVE), 200)
        yield from _rate(results, (f"dicts → {document}", NATIVE), 100)
    yield from _packing(results, "plain → gzip")


def _ratio(
    results: Results, text: str, ours: tuple[str, str], theirs: tuple[str, str], goal: float
) -> Iterator[Verdict]:
    us, them = results.get(ours), results.get(theirs)
    if us is None or them is None:
        return
    wanted = f"≥ {goal:.0%}" if goal < 1 else f"≥ {goal:g} ×"
    if not (us.times and them.times):
        yield Verdict(text, wanted, None, False)
        return
    ratio = us.rate / them.rate
    measured = f"{ratio:.0%}" if goal < 1 else f"{ratio:.{0 if ratio >= 20 else 1}f} ×"
    yield Verdict(text, wanted, measured, ratio >= goal)


def _rate(results: Results, ours: tuple[str, str], goal: float) -> Iterator[Verdict]:
    us = results.get(ours)
    if us is None:
        return
    measured = f"{us.rate:,.0f} MB/s" if us.times else None
    yield Verdict(ours[0], f"≥ {goal:g} MB/s", measured, bool(us.times) and us.rate >= goal)


def _packing(results: Results, work: str) -> Iterator[Verdict]:
    """Compare with the fastest compressor whose output is as small as zlib's at level 6."""
    us, zlib = results.get((work, NATIVE)), results.get((work, ZLIB))
    if us is None or zlib is None:
        return
    text, goal = f"{work}, against the fastest of zlib 6's size", "100% ± 5"
    if not (us.packed and zlib.packed):
        yield Verdict(text, goal, None, False)
        return
    limit = zlib.packed * SIZE_TOLERANCE
    rivals = [r for r in results.values() if r.work.name == work and _is_rival(r, limit)]
    best = max(rivals, key=lambda result: result.rate)
    ratio = us.rate / best.rate
    # Two bindings of one library are never exactly as fast.
    is_met = ratio >= 0.95 and us.packed <= limit
    measured = f"{ratio:.0%} of {best.runner.who}, size {us.packed / zlib.packed:.0%}"
    yield Verdict(text, goal, measured, is_met)


def _is_rival(result: Result, limit: float) -> bool:
    is_ours = result.runner.who in (NATIVE, REFERENCE)
    return bool(not is_ours and result.packed and result.packed <= limit)

"""The table of the whole site and the results of its goals."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from goals import Verdict
from record import figure
from site_data import DOCUMENTS
from site_race import ARROW, SiteResult
from works import USP

MAX_SECONDS, MAX_PEAK_MB, MIN_RATIO = 12, 400, 50
WIDTHS = (11, 9, 8, 9, 9)
HEADS = ("who", "URLs/s", "seconds", "CPU s", "peak MB", "ratio", "note")
NOTES = (
    "Over HTTP from nginx on this machine; seconds from the URL to the last entry, in the median.",
    "CPU s: of the whole process, start and imports included. ratio: our Arrow's speed by theirs.",
)


def text(results: list[SiteResult]) -> Iterator[str]:
    """Yield the lines of the table for a terminal of 100 columns."""
    yield ""
    yield f"{'whole site':<28}{_about(results):>72}"
    yield f"  {HEADS[0]:<30}{_cells(HEADS[1:6])}  {HEADS[6]}"
    for cells in _rows(results):
        if cells[1]:
            yield f"  {cells[0]:<30}{_cells(cells[1:6])}  {cells[6]}".rstrip()
        else:
            yield f"  {cells[0]:<30}{cells[6]:.66}"
    yield ""
    yield from NOTES


def markdown(results: list[SiteResult]) -> Iterator[str]:
    """Yield the lines of the table as Markdown."""
    yield f"**whole site** ({_about(results)})"
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for cells in _rows(results):
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield " ".join(NOTES)
    yield ""


def judge(results: list[SiteResult]) -> Iterator[Verdict]:
    """Compare the results with the goals; seconds only for the whole site."""
    known = {result.reader.who: result for result in results if result.times}
    ours, peer = known.get(ARROW), known.get(USP)
    if ours is None:
        return
    if len(ours.reader.site.documents) == DOCUMENTS:
        measured = f"{ours.seconds:.1f} s"
        entries = f"{ours.reader.site.entries:,}"
        is_met = ours.seconds < MAX_SECONDS
        yield Verdict(f"whole site, {entries} URLs", f"< {MAX_SECONDS} s", measured, is_met)
    peak = ours.peak / 1e6
    goal = f"< {MAX_PEAK_MB} MB"
    yield Verdict("whole site, peak memory", goal, f"{peak:,.0f} MB", peak < MAX_PEAK_MB)
    if peer is not None:
        ratio = ours.rate / peer.rate
        goal, measured = f"≥ {MIN_RATIO} ×", f"{ratio:.0f} ×"
        yield Verdict(f"whole site, against {USP}", goal, measured, ratio >= MIN_RATIO)


def rows(results: list[SiteResult]) -> list[dict[str, Any]]:
    """Return the figures that are recorded: URLs per second of each reader."""
    return [
        {
            "who": result.reader.who,
            "version": result.report.get("version"),
            "count": result.reader.site.entries,
            "seconds": figure(result.times),
            "urls_s": figure([result.reader.site.entries / seconds for seconds in result.times]),
            "cpu_s": figure(result.cpu_times),
            "peak_mb": round(result.peak / 1e6),
        }
        if result.times
        else {"who": result.reader.who, "problem": result.problem}
        for result in results
    ]


def plain_data(results: list[SiteResult]) -> list[dict[str, Any]]:
    """Return all measurements, for JSON."""
    return [
        {
            "who": result.reader.who,
            "problem": result.problem or None,
            "documents": len(result.reader.site.documents),
            "bytes": result.reader.site.bytes,
            "peak_bytes": result.peak,
            "times_s": result.times,
            "cpu_s": result.cpu_times,
            **result.report,
        }
        for result in results
    ]


def _about(results: list[SiteResult]) -> str:
    site = results[0].reader.site
    packed = sum(path.stat().st_size for path in site.documents)
    return (
        f"{len(site.documents)} documents, {site.entries:,} URLs, "
        f"{site.bytes / 1e6:,.0f} MB, {packed / 1e6:,.0f} MB packed"
    )


def _rows(results: list[SiteResult]) -> Iterator[tuple[str, ...]]:
    ours = results[0]
    for result in results:
        name = f"{result.reader.who} {result.report.get('version', '')}".rstrip()
        if not result.times:
            yield (name, "", "", "", "", "", f"omitted: {result.problem}")
            continue
        ratio = ours.rate / result.rate if ours.times and result is not ours else None
        yield (
            name,
            f"{result.rate:,.0f}",
            f"{result.seconds:,.1f}",
            f"{statistics.median(result.cpu_times):,.1f}",
            f"{result.peak / 1e6:,.0f}",
            "" if ratio is None else f"{ratio:,.{0 if ratio >= 20 else 1}f} ×",
            _note(result, ours),
        )


def _note(result: SiteResult, ours: SiteResult) -> str:
    notes = []
    count, site = result.report.get("entries"), result.reader.site
    if count != site.entries:
        notes.append(f"WRONG: {count:,} of {site.entries:,}")
    if len(site.documents) != len(ours.reader.site.documents):
        notes.append(f"{len(site.documents)} documents of it")
    return ", ".join(notes)


def _cells(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))

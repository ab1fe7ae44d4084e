"""Format the results as text, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goals import Verdict
from race import Result, Results
from record import figure
from works import NATIVE, Work

HEADS = ("who", "MB/s", "best", "entries/s", "ratio", "peak MB", "note")
NOTES = (
    "MB/s: 10⁶ bytes of unpacked XML a second in the median run; best: in the fastest one.",
    "ratio: urlset's speed divided by theirs, by entries where there are any.",
    "peak MB: of the whole process, with interpreter, libraries and document.",
)


def text(works: list[Work], results: Results) -> Iterator[str]:
    """Yield the lines of the table for a terminal of 100 columns."""
    for work in works:
        yield ""
        yield f"{work.name:<28}{_about(work):>72}"
        yield f"  {HEADS[0]:<32}{_cells(HEADS[1:6])}  {HEADS[6]}"
        for cells in _rows(work, results):
            if cells[1]:
                yield f"  {cells[0]:<32}{_cells(cells[1:6])}  {cells[6]}".rstrip()
            else:
                yield f"  {cells[0]:<32}{cells[6]:.66}"
    if works:
        yield ""
        yield from NOTES


def goals(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield the lines with the results of the goals."""
    yield ""
    yield f"{'goal':<66}{'wanted':>10}  measured"
    for verdict in verdicts:
        said = _said(verdict)
        yield f"{verdict.text:<66}{verdict.goal:>10}  {verdict.measured or '':<9} {said}"


def markdown(works: list[Work], results: Results) -> Iterator[str]:
    """Yield the lines of the tables as Markdown."""
    for work in works:
        yield f"**{work.name}** ({_about(work)})"
        yield ""
        yield f"| {' | '.join(HEADS)} |"
        yield "|---|--:|--:|--:|--:|--:|---|"
        for cells in _rows(work, results):
            yield f"| {' | '.join(cells)} |"
        yield ""
    if works:
        yield " ".join(NOTES)
        yield ""


def goals_markdown(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield the results of the goals as Markdown."""
    yield "| goal | wanted | measured | |"
    yield "|---|--:|--:|---|"
    for verdict in verdicts:
        measured, said = verdict.measured or "", _said(verdict)
        yield f"| {verdict.text} | {verdict.goal} | {measured} | {said} |"


def rows(results: Results) -> list[dict[str, Any]]:
    """Return the figures that are recorded: MB/s of each runner at each work."""
    return [
        {
            "work": result.work.name,
            "who": result.runner.who,
            "version": result.report.get("version"),
            "mb_s": figure([result.bytes / seconds / 1e6 for seconds in result.times]),
            "peak_mb": round(result.peak / 1e6),
        }
        if result.times
        else {
            "work": result.work.name,
            "who": result.runner.who,
            "problem": result.problem or "not run",
        }
        for result in results.values()
    ]


def plain_data(results: Results, verdicts: list[Verdict]) -> dict[str, Any]:
    """Return all measurements, for JSON."""
    return {
        "results": [
            {
                "work": result.work.name,
                "who": result.runner.who,
                "problem": result.problem or None,
                "bytes": result.bytes,
                "peak_bytes": result.peak,
                "times_s": result.times,
                **result.report,
            }
            for result in results.values()
        ],
        "goals": [verdict._asdict() for verdict in verdicts],
    }


def _about(work: Work) -> str:
    if work.entries is None:
        return f"{work.bytes / 1e6:.1f} MB"
    each = work.bytes / work.entries
    return f"{work.entries:,} entries, {work.bytes / 1e6:.1f} MB, {each:.0f} bytes each"


def _rows(work: Work, results: Results) -> Iterator[tuple[str, ...]]:
    ours = results[work.name, NATIVE]
    for runner in work.runners:
        result = results[work.name, runner.who]
        if result.times:
            yield _measured(result, ours)
        else:
            yield (_called(result), "", "", "", "", "", f"omitted: {result.problem}")


def _measured(result: Result, ours: Result) -> tuple[str, ...]:
    count = result.report.get("entries")
    ratio = ""
    if ours.times and result is not ours:
        times = result.median / ours.median
        ratio = f"{times:,.{0 if times >= 20 else 1 if times >= 2 else 2}f} ×"
    return (
        _called(result),
        f"{result.rate:,.0f}" if result.rate >= 20 else f"{result.rate:.1f}",
        f"{result.best_rate:,.0f}" if result.best_rate >= 20 else f"{result.best_rate:.1f}",
        f"{count / result.median:,.0f}" if count else "",
        ratio,
        f"{result.peak / 1e6:,.0f}",
        _note(result),
    )


def _called(result: Result) -> str:
    return f"{result.runner.who} {result.report.get('version', '')}".rstrip()


def _note(result: Result) -> str:
    notes = []
    count, wanted = result.report.get("entries"), result.work.entries
    if wanted is not None and count != wanted:
        notes.append(f"WRONG: {count:,} of {wanted:,}")
    if result.packed:
        notes.append(f"{result.packed / 1e6:.2f} MB packed")
    if result.runner.note:
        notes.append(result.runner.note)
    return ", ".join(notes)


def _cells(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, (7, 7, 12, 8, 9), strict=True))


def _said(verdict: Verdict) -> str:
    if verdict.measured is None:
        return "not measured"
    return "met" if verdict.is_met else "NOT MET"

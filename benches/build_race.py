"""Measure builds of one and ten million entries, a build with one change, and the peers."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from build_data import Listed
from environment import say
from goals import Verdict
from measured import Measured
from works import Tools

WORKERS = Path(__file__).parent / "workers"
MILLION, PEERS_SHARE = 1_000_000, 100_000
MAX_SECONDS, MAX_PEAK_MB, MAX_GROWTH = 5, 500, 1.3
MAX_CHANGED, MAX_CHANGED_S, MAX_UNCHANGED = 0.25, 1.0, 0.20
SITEMAP_JS, DJANGO, WRITER, HUGE = "sitemap.js", "Django", "xml_sitemap_writer", "hugesitemap"
OURS = "urlset build, from Parquet, as a whole"


def make_lists(*counts: int) -> None:
    """Make the lists in a separate process, so that their memory is not counted elsewhere."""
    script = Path(__file__).with_name("build_data.py")
    argv = [sys.executable, str(script), *map(str, counts)]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)


def race_builds(lists: list[Listed], tools: Tools, *, rounds: int) -> list[Measured]:
    """Build each list, the first one in further ways, and let the peers build the last one."""
    first, *larger, small = lists
    results: dict[str, Measured] = {}

    def one(name: str, count: int, argv: Callable[[str], tuple[str, ...]], folder: str) -> None:
        result = results.setdefault(name, Measured(name, count))
        if not result.problem:
            say(f"  {name}: {count:,}")
            result.run(argv(folder))

    for number in range(rounds):
        for packing in ("gzip", "plain"):
            with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
                one(f"build, {packing}", first.count, _ours(first.parquet, packing), folder)
                if packing == "gzip":
                    name = "build again, one URL changed"
                    one(name, first.count, _ours(first.changed, packing), folder)
        for listed in larger if number == 0 else ():
            with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
                argv = _ours(listed.parquet, "gzip")
                one("build, gzip, of more", listed.count, argv, folder)
                one("build again, nothing changed", listed.count, argv, folder)
        runners = {OURS: _ours(small.parquet, "gzip"), **_peers(small, tools)}
        for name, argv in runners.items():
            with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
                one(name, small.count, argv, folder)
    return list(results.values())


def _ours(source: Path, packing: str) -> Callable[[str], tuple[str, ...]]:
    script = str(WORKERS / "builds.py")

    def argv(folder: str) -> tuple[str, ...]:
        ledger = str(Path(folder, "ledger.duckdb"))
        return sys.executable, script, str(source), str(Path(folder, "out")), ledger, packing

    return argv


def _peers(small: Listed, tools: Tools) -> dict[str, Callable[[str], tuple[str, ...]]]:
    found: dict[str, Callable[[str], tuple[str, ...]]] = {}
    node, python = shutil.which("node"), tools.python
    if node and tools.node:
        script = str(WORKERS / "sitemap_build.mjs")
        home = tools.node
        found[SITEMAP_JS] = lambda folder: (node, script, home, str(small.text), folder)
    for name, task in ((DJANGO, "django"), (WRITER, "xml-sitemap-writer"), (HUGE, "hugesitemap")):
        if python:
            found[name] = _peer(python, task, small)
    return found


def _peer(python: str, task: str, small: Listed) -> Callable[[str], tuple[str, ...]]:
    script = str(WORKERS / "builders.py")
    return lambda folder: (python, script, task, str(small.text), folder)


def text(results: list[Measured]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield ""
    yield "builds: judged, de-duplicated, sorted, packed, read back, remembered; peers write only"
    yield f"  {'':40}{'entries':>11}{'seconds':>9}{'CPU s':>8}{'peak MB':>9}{'entries/s':>12}"
    for result in results:
        if result.problem:
            yield f"  {result.name:40}{result.count:>11,}  failed: {result.problem}"
            continue
        mark = "" if result.facts["entries"] == result.count else "  not all URLs"
        yield (
            f"  {result.name:40}{result.count:>11,}{result.seconds:>9.2f}"
            f"{result.cpu:>8.1f}{result.peak / 1e6:>9,.0f}"
            f"{result.rate:>12,.0f}{mark}"
        )


def markdown(results: list[Measured]) -> Iterator[str]:
    """Yield the lines of the table as Markdown."""
    yield "| build | entries | seconds | CPU s | peak MB | entries/s |"
    yield "|---|--:|--:|--:|--:|--:|"
    for result in results:
        if not result.problem:
            yield (
                f"| {result.name} | {result.count:,} | {result.seconds:.2f} | {result.cpu:.1f} "
                f"| {result.peak / 1e6:,.0f} | {result.rate:,.0f} |"
            )
    yield ""


def judge(results: list[Measured]) -> Iterator[Verdict]:
    """Compare the results with the goals."""
    done = {result.name: result for result in results if not result.problem}
    whole = done.get("build, gzip")
    if whole is None:
        return
    if whole.count == MILLION:
        seconds, peak = whole.seconds, whole.peak / 1e6
        measured = f"{seconds:.1f} s"
        yield Verdict("build of 1 M entries", f"< {MAX_SECONDS} s", measured, seconds < MAX_SECONDS)
        name, goal = "build of 1 M entries, peak memory", f"< {MAX_PEAK_MB} MB"
        yield Verdict(name, goal, f"{peak:,.0f} MB", peak < MAX_PEAK_MB)
    if again := done.get("build again, one URL changed"):
        share = again.seconds / whole.seconds
        name, goal = "build again with one change, of its time", f"≤ {MAX_CHANGED:.0%}"
        yield Verdict(name, goal, f"{share:.0%}", share <= MAX_CHANGED)
        measured, goal = f"{again.seconds:.2f} s", f"≤ {MAX_CHANGED_S} s"
        name, is_met = "build of 1 M entries again, one changed", again.seconds <= MAX_CHANGED_S
        yield Verdict(name, goal, measured, is_met)
        written = again.facts["written"]
        yield Verdict("files that it writes", "2", str(written), written == 2)
    if more := done.get("build, gzip, of more"):
        growth = whole.rate / more.rate
        name, goal = f"build of {more.count:,}, seconds per entry", f"< {MAX_GROWTH:g} ×"
        yield Verdict(name, goal, f"{growth:.1f} ×", growth < MAX_GROWTH)
        if same := done.get("build again, nothing changed"):
            share = same.seconds / more.seconds
            name, goal = f"build of {more.count:,} again, nothing changed", f"≤ {MAX_UNCHANGED:.0%}"
            yield Verdict(name, goal, f"{share:.1%}", share <= MAX_UNCHANGED)
    yield from _against_peers(done)


def _against_peers(done: dict[str, Measured]) -> Iterator[Verdict]:
    ours = done.get(OURS)
    for name in (SITEMAP_JS, DJANGO, WRITER, HUGE):
        if ours and (theirs := done.get(name)):
            ratio = ours.rate / theirs.rate
            yield Verdict(f"build, against {name}", "> 1 ×", f"{ratio:.1f} ×", ratio > 1)

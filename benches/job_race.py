"""Measure jobs of one kind of input each: logs, small sitemaps, HTML, rows of a database."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import job_data
from environment import say
from goals import Verdict
from job_data import Inputs
from measured import Measured
from nginx import nginx, serving

WORKER = str(Path(__file__).parent / "workers" / "jobs.py")


@dataclass
class Job:
    """A job, its input, and its goals: the most seconds, of which CPU, and the least rate."""

    name: str
    task: str
    source: str
    count: int
    unit: str
    max_s: float | None = None
    max_cpu_s: float | None = None
    min_rate: float | None = None
    result: Measured = field(init=False)

    def __post_init__(self) -> None:
        self.result = Measured(self.name, self.count)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the work alone, in the last run."""
        return float(self.result.facts["work_cpu_s"])

    def row(self) -> dict[str, Any]:
        """The figures that are recorded; the CPU time is that of the work alone."""
        if self.result.problem:
            return self.result.row()
        return {**self.result.row(), "unit": self.unit, "cpu_s": self.cpu_s}


def race_jobs(inputs: Inputs, *, rounds: int) -> list[Job]:
    """Do each job as often as there are rounds."""
    program = nginx()
    if program is None:
        return _race(_jobs(inputs, None), rounds)
    with serving(program, [inputs.small]) as (url,):
        return _race(_jobs(inputs, url), rounds)


def _jobs(inputs: Inputs, url: str | None) -> list[Job]:
    lines, rows, one = job_data.LINES, job_data.ROWS, str(inputs.one)
    listed = [
        Job("check of one entry, the command", "check_one", one, 1, "", 0.3, 0.2),
        Job("access log", "read_log", str(inputs.log), lines, "lines", min_rate=1_000_000),
        Job(
            "access log, gzipped",
            "read_log",
            str(inputs.packed_log),
            lines,
            "lines",
            min_rate=700_000,
        ),
        Job("text without a URL", "parse_text", str(inputs.text), job_data.TEXT_BYTES, "bytes", 1),
        Job(
            "build from SQL, with JSON",
            "build_rows",
            str(inputs.rows),
            rows,
            "rows",
            max_cpu_s=rows * 15e-6,
        ),
    ]
    if inputs.html:
        html = str(inputs.html)
        listed.append(
            Job("build from HTML", "build_html", html, inputs.pages, "pages", min_rate=15_000)
        )
    small: list[tuple[str, str, str]] = [
        ("check of a folder of small sitemaps", "check_sitemaps", str(inputs.small.folder))
    ]
    if url:
        small.append(("read an index of small sitemaps", "read_sitemaps", url))
    files = job_data.FILES
    listed += [
        Job(name, task, source, files, "files", max_cpu_s=files * 0.3e-3)
        for name, task, source in small
    ]
    return listed


def _race(listed: list[Job], rounds: int) -> list[Job]:
    for number in range(rounds):
        for job in listed:
            if not job.result.problem:
                say(f"  round {number + 1} of {rounds}: {job.name}")
                with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
                    job.result.run((sys.executable, WORKER, job.task, job.source, folder))
    return listed


def text(jobs: list[Job]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield ""
    yield "jobs of one kind of input each"
    yield f"  {'':34}{'count':>12}{'seconds':>9}{'CPU s':>8}{'µs CPU each':>13}{'peak MB':>9}"
    for job in jobs:
        result = job.result
        if result.problem:
            yield f"  {job.name:34}{job.count:>12,}  failed: {result.problem}"
            continue
        yield (
            f"  {job.name:34}{job.count:>12,}{result.seconds:>9.2f}{job.cpu_s:>8.2f}"
            f"{job.cpu_s / job.count * 1e6:>13,.2f}{result.peak / 1e6:>9,.0f}"
        )


def markdown(jobs: list[Job]) -> Iterator[str]:
    """Yield the lines of the table as Markdown."""
    yield "| job | count | seconds | CPU s | peak MB |"
    yield "|---|--:|--:|--:|--:|"
    for job in jobs:
        if not job.result.problem:
            yield (
                f"| {job.name} | {job.count:,} {job.unit} | {job.result.seconds:.2f} "
                f"| {job.cpu_s:.2f} | {job.result.peak / 1e6:,.0f} |"
            )
    yield ""


def judge(jobs: list[Job]) -> Iterator[Verdict]:
    """Compare the results with the goals."""
    for job in jobs:
        if job.result.problem:
            yield Verdict(job.name, "to run", None, False)
            continue
        if job.max_s is not None:
            seconds = job.result.seconds
            yield Verdict(job.name, f"≤ {job.max_s:g} s", f"{seconds:.2f} s", seconds <= job.max_s)
        if job.max_cpu_s is not None:
            share, most = (seconds / job.count for seconds in (job.cpu_s, job.max_cpu_s))
            goal, measured = f"≤ {_time(most)}", _time(share)
            what = f"{job.name}, CPU" + (f" of one of {job.count:,} {job.unit}" * (job.count > 1))
            yield Verdict(what, goal, measured, share <= most)
        if job.min_rate is not None:
            rate = job.result.rate
            goal, measured = f"≥ {job.min_rate:,.0f} {job.unit}/s", f"{rate:,.0f} {job.unit}/s"
            yield Verdict(job.name, goal, measured, rate >= job.min_rate)


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 0.1:
            return f"{seconds * factor:.2g} {unit}"
    return f"{seconds * 1e6:.3g} µs"

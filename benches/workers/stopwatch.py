"""Measure a worker: load, warm up, time runs of the work alone, print JSON.

A worker is a fresh process, ``worker.py TASK FILE RUNS SECONDS``. It prints the number of entries,
of bytes of XML written and of compressed bytes, and the version of the library.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

LONG_S = 4.0
"""A first run that takes longer counts: its warm-up is a small share of it."""


class Done(NamedTuple):
    """The result of one run; None for what the task does not measure."""

    entries: int | None = None
    written: int | None = None
    packed: int | None = None


Work = Callable[[], Done]


class Task(NamedTuple):
    """A task to measure: ``prepare`` takes the document and its path, and returns the work."""

    package: str
    prepare: Callable[[bytes, Path], Work]


def main(tasks: Mapping[str, Task]) -> None:
    """Run the task that the command line names, and print its result."""
    name, file, runs, seconds = sys.argv[1:]
    task, path = tasks[name], Path(file)
    work = task.prepare(path.read_bytes(), path)
    done, warm = _time(work)
    times = [warm] if warm > LONG_S else []
    begin = time.perf_counter()
    while not times or (
        warm <= LONG_S and len(times) < int(runs) and time.perf_counter() - begin < float(seconds)
    ):
        times.append(_time(work)[1])
    number = version(task.package) if task.package else ""
    print(json.dumps({**done._asdict(), "times": times, "version": number}))


def _time(work: Work) -> tuple[Done, float]:
    start = time.perf_counter()
    done = work()
    return done, time.perf_counter() - start

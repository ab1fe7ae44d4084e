"""The clock of a worker: load, warm up, time runs of the work alone, print JSON.

A worker is a fresh process, called ``worker.py TASK FILE RUNS SECONDS``. It says how many
entries it gave, how many bytes of XML it wrote, how many packed bytes, whose version did it.
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
"""A first run that took longer counts: what is cold in it does not show, and time is dear."""


class Done(NamedTuple):
    """What one run gave; None is what the task is not about."""

    entries: int | None = None
    written: int | None = None
    packed: int | None = None


Work = Callable[[], Done]


class Task(NamedTuple):
    """Something to measure: ``prepare`` takes the document and its path, and gives the work."""

    package: str
    prepare: Callable[[bytes, Path], Work]


def main(tasks: Mapping[str, Task]) -> None:
    """Do the task that the command line names, and print what came of it."""
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

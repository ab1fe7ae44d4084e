"""One run of a synchronization in a process of its own, which kills itself at a given point.

The updates are appended to a file, a line each.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Generator
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.live.watch.simulated_site import SITE, SimulatedSite
from urlset.errors import SourceError
from urlset.live.sync.pipeline import Sync
from urlset.live.sync.settings import SyncSettings
from urlset.store import StoreSession

POINTS = ("request", "statement", "update", "write", "commit")
"""A run ends before a request or an SQL statement, or after an update, a batch, or its commit."""


class Death:
    """Kills the process at the n-th point of a kind; counts the points that were passed."""

    def __init__(self, kind: str | None, number: int):
        self._kind = kind
        self._number = number
        self.passed: Counter[str] = Counter()

    def pass_by(self, kind: str) -> None:
        self.passed[kind] += 1
        if kind == self._kind and self.passed[kind] == self._number:
            os.kill(os.getpid(), signal.SIGKILL)


def run_in_process(spec: dict[str, Any], folder: Path) -> dict[str, int] | str:
    """Do a run; return the number of points that it passed, or why it ended early."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    path, result = folder / "spec.json", folder / "result.json"
    path.write_text(json.dumps(spec), encoding="utf-8")
    result.unlink(missing_ok=True)
    process = context.Process(target=run, args=(path, result))
    process.start()
    process.join()
    if process.exitcode == 0:
        found: dict[str, int] | str = json.loads(result.read_text("utf-8"))
        return found
    assert process.exitcode == -signal.SIGKILL, f"exit code {process.exitcode}: {spec}"
    return "killed"


def run(path: Path, result: Path) -> None:
    """Do the run that a file describes, and write its result."""
    spec = json.loads(path.read_text("utf-8"))
    death = Death(spec["kind"], spec["number"])
    site = SimulatedSite(path)
    site.documents = spec["documents"]
    now = datetime.fromisoformat(spec["now"])
    for name in ("run", "load", "insert"):
        _count_statements(name, death)

    def drive(walk: Any, policy: Any) -> Generator[Any]:
        original = walk.next_request

        def next_request() -> Any:
            death.pass_by("request")
            return original()

        walk.next_request = next_request
        yield from site.drive(walk, policy)

    settings = SyncSettings(**spec["settings"])
    output = os.open(spec["output"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    answer: dict[str, int] | str = death.passed
    try:
        with Sync(SITE, spec["state"], settings, drive=drive, now=lambda: now) as batches:
            for batch in batches:
                for update in batch:
                    os.write(output, json.dumps(update.to_dict()).encode() + b"\n")
                    death.pass_by("update")
                death.pass_by("write")
                batch.commit()
                death.pass_by("commit")
    except SourceError:  # the first run, and no sitemap can be read
        answer = "refused"
    result.write_text(json.dumps(answer), encoding="utf-8")


def _count_statements(name: str, death: Death) -> None:
    original = getattr(StoreSession, name)

    def counted(self: StoreSession, *arguments: Any) -> Any:
        death.pass_by("statement")
        return original(self, *arguments)

    setattr(StoreSession, name, counted)

"""Builds for tests/builder/test_kill.py, in processes that may be killed at any moment.

``python builder_killed.py`` takes jobs as lines of JSON on stdin, ``{"folder": …, "word": …,
"now": …}``, and does each in a process of its own, all modules loaded. With ``after`` that is
killed so many seconds after its start, with ``step`` it kills itself before that change to a file,
or that statement for the ledger; with -1 between the swap and the end of the ledger. Says
``killed``, ``whole`` or ``failed``.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from urlset.builder import Build, build
from urlset.model import Image
from urlset.publisher.local import FolderTarget
from urlset.sources import Candidate, CandidateRows
from urlset.store import ScratchDatabase
from urlset.store.session import Session, Values

BASE = "https://example.com/"
WORDS = ("A", "B", "C", "one", "gz-A", "gz-B", "text-B", "indexes-C")
CHANGES = {
    "open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate",
}  # fmt: skip


def rows(word: str) -> list[Candidate]:
    """The pages of a state: of ``A``, ``B`` has other dates, ``C`` less; ``one`` is one file."""
    numbers = {"A": range(90), "B": range(20, 110), "C": range(5, 70), "one": range(6)}[word]
    return [
        Candidate(
            f"/{('blog', 'shop', 'about')[n % 3]}/{n:03}",
            lastmod_text="2026-11-02" if word == "B" and n % 4 == 0 else "2026-11-01",
            images=(Image(f"{BASE}{n}.png"),) if n % 7 == 0 else (),
        )
        for n in numbers
    ]


def options(word: str) -> dict[str, Any]:
    """How the files of a state are to be."""
    kind, _, state = word.rpartition("-")
    sections = {"A": ("blog=/blog/",), "B": ("blog=/blog/", "shop=/shop/"), "C": ("new=/shop/",)}
    return {
        "sections": sections.get(state, ()),
        "gzip": kind == "gz",
        "format": "text" if kind == "text" else "xml",
        "index": "section" if kind == "indexes" else "auto",
        "stylesheet": None if state == "B" else "sitemap.css",
        "max_urls": 12,
    }


def build_state(folder: Path, word: str, now: datetime) -> Build:
    """Build a state into ``folder/public``, all else beside that."""
    return build(
        CandidateRows(rows(word.rpartition("-")[2])),
        folder / "public",
        base_url=BASE,
        ledger=folder / ".urlset" / "ledger.duckdb",
        robots=folder / "robots.txt",
        changes=folder / "changes.jsonl",
        force=frozenset({"shrunk"}),
        now=now,
        **options(word),
    )


def kill_before(step: int, folder: str) -> None:
    """Let this process kill itself before its step-th change to anything in a folder."""
    left = step

    def count() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, args: tuple[object, ...]) -> None:
        if event in CHANGES and any(folder in str(argument) for argument in args):
            count()

    run = ScratchDatabase.run

    def counted(self: Session, statement: str, values: Values = ()) -> int:
        if "ledger" in statement or statement in ("BEGIN", "COMMIT"):
            count()
        return run(self, statement, values)

    sys.addaudithook(hook)
    ScratchDatabase.run = counted  # type: ignore[method-assign]


def kill_after_swap() -> None:
    """Let this process kill itself when the files are in their places, and the ledger is not."""
    swap = FolderTarget.swap

    def last(self: FolderTarget, names: Sequence[str], retired: Sequence[str]) -> None:
        swap(self, names, retired)
        os.kill(os.getpid(), signal.SIGKILL)

    FolderTarget.swap = last  # type: ignore[method-assign]


def job(folder: str, word: str, now: str, after: float | None = None, step: int = 0) -> str:
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        if step > 0:
            kill_before(step, folder)
        elif step < 0:
            kill_after_swap()
        try:
            build_state(Path(folder), word, datetime.fromisoformat(now))
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(1)
    os.close(writes)
    if after is not None:
        select.select([reads], [], [], after)  # until then, or until it has ended
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    os.close(reads)
    if status == signal.SIGKILL:
        return "killed"
    return "whole" if status == 0 else "failed"


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(f"{job(**json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Builds that are killed: what is published is whole at every moment, and the next one cleans up.

``URLSET_KILLS=100`` kills at a hundred random moments; by default it is four.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.builder import killed as killed
from tests.builder.killed import BASE, build_state, rows
from urlset import parse, read

if sys.platform == "win32":
    pytest.skip("kill -9 is of other systems", allow_module_level=True)

KILLS = int(os.environ.get("URLSET_KILLS", "4"))
SCRIPT = Path(killed.__file__)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
STEPS = 260
"""Changes to files, and statements for the ledger, in one build: about so many."""

Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Run jobs of builder_killed, all by one process: a start takes longer than what is tried."""
    root = SCRIPT.parents[2]
    path = os.pathsep.join([str(root / "src"), str(root)])
    temporary = tmp_path_factory.mktemp("temporary")
    with subprocess.Popen(
        [sys.executable, SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(temporary)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def ask(folder: Path, word: str, now: datetime, **how: float) -> str:
            job = {"folder": str(folder), "word": word, "now": now.isoformat(), **how}
            stdin.write(json.dumps(job) + "\n")
            stdin.flush()
            return stdout.readline().strip()

        yield ask
        ask(temporary / "site", "one", NOON)  # takes away what the killed have left
        stdin.close()
    left = [path for path in temporary.glob("urlset-*") if (path / "lock").exists()]
    assert left == [], "the temporary folders of the killed were left"


def visible(folder: Path) -> dict[str, bytes]:
    """The files that visitors may see."""
    if not folder.exists():
        return {}
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")
    }


def entries(folder: Path) -> dict[str, list[str]]:
    """What each file lists, without the dates of indexes: those tell when it was built."""
    found: dict[str, list[str]] = {}
    for name, data in visible(folder).items():
        if name.endswith(".css"):
            found[name] = []
            continue
        document = parse(data)
        if document.kind == "index":
            found[name] = [sitemap.loc for sitemap in document.sitemaps]
        else:
            found[name] = [f"{e.loc} {e.lastmod} {e.images}" for e in document.entries]
    return found


def assert_whole(folder: Path, why: str) -> None:
    """Whatever can be seen is whole; whatever an index or robots.txt names is there."""
    files = visible(folder / "public")
    for name, data in files.items():
        if name.endswith(".css"):
            continue
        document = parse(data)
        assert document.kind in ("urlset", "index", "text"), f"{why}: {name} is {document.kind}"
        assert [str(p) for p in document.problems] == [], f"{why}: {name}"
        for sitemap in document.sitemaps:
            child = sitemap.loc.removeprefix(BASE)
            assert child in files, f"{why}: {name} names {child}, which is not there"
            count = sum(1 for _ in read(folder / "public" / child))
            assert 0 < count <= 12, f"{why}: {child}, of {name}, has {count} entries"


def assert_same_as_undisturbed(folder: Path, twins: list[Path], word: str, why: str) -> None:
    """The files are those of builds that nobody killed; with the right URLs, each once."""
    found = entries(folder / "public")
    assert found in [entries(twin / "public") for twin in twins], why
    locs = sorted(
        text.partition(" ")[0]
        for name, texts in found.items()
        for text in texts
        if parse((folder / "public" / name).read_bytes()).kind != "index"
    )
    wanted = sorted(BASE + str(row.loc)[1:] for row in rows(word.rpartition("-")[2]))
    assert locs == wanted, why
    assert (folder / "robots.txt").read_bytes() == (twins[0] / "robots.txt").read_bytes(), why


def assert_nothing_left(folder: Path, why: str) -> None:
    beside = {"public", ".urlset", "robots.txt", "changes.jsonl"}
    assert set(os.listdir(folder)) == beside, f"{why}: something was left"
    assert not [n for n in os.listdir(folder / "public") if n.startswith(".")], why
    assert set(os.listdir(folder / ".urlset")) <= {
        ".gitignore",
        "ledger.duckdb",
        "ledger.duckdb.wal",
    }, why


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=pytest.mark.slow if s >= 4 else ()) for s in range(KILLS)]
)
def test_a_killed_build_leaves_a_whole_set(run: Run, tmp_path: Path, seed: int):
    chance = random.Random(seed)
    history = [chance.choice(killed.WORDS) for _ in range(chance.randrange(3))]
    victim, after = chance.choice(killed.WORDS), chance.choice(killed.WORDS)
    if chance.random() < 0.4:
        after = victim
    seconds = chance.uniform(0, 0.5)
    step = chance.randrange(1, STEPS)
    how: dict[str, float] = {"step": step} if seed % 2 else {"after": seconds}

    assert_killed_is_whole(run, tmp_path, history, victim, how, after)


@pytest.mark.parametrize(
    ("before", "victim", "after"),
    [
        ("A", "B", "A"),
        ("A", "C", "C"),
        ("one", "A", "one"),
        ("A", "gz-B", "B"),
        ("B", "text-B", "A"),
    ],
)
def test_killed_between_the_files_and_the_ledger(
    run: Run, tmp_path: Path, before: str, victim: str, after: str
):
    assert_killed_is_whole(run, tmp_path, [before], victim, {"step": -1}, after)


def assert_killed_is_whole(
    run: Run, base: Path, history: list[str], victim: str, how: Mapping[str, float], after: str
) -> None:
    """Build the history, kill a build, build what comes after; beside it twins are not killed."""
    why = f"{history}, {victim} killed {how}, {after}"
    folder, plain, also = (base / name for name in ("site", "plain", "also"))
    now = NOON
    for place in (folder, plain, also):
        place.mkdir()
        for hours, word in enumerate(history):
            assert run(place, word, NOON + timedelta(hours=hours)) == "whole", why
    now += timedelta(days=1)

    said = run(folder, victim, now, **how)

    assert said != "failed", why
    assert_whole(folder, why)
    assert run(also, victim, now) == "whole", why
    now += timedelta(days=1)
    for place in (folder, plain, also):
        assert run(place, after, now) == "whole", why
    assert_whole(folder, why)
    twins = [plain, also] if said == "killed" else [also]
    assert_same_as_undisturbed(folder, twins, after, why)
    assert_nothing_left(folder, why)
    same = build_state(folder, after, now + timedelta(days=1))
    assert (same.changed_files, same.added, same.changed, same.removed) == ((), 0, 0, 0), why

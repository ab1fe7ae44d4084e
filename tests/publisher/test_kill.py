"""Publications that are killed: the folder is whole at every moment, and the next one cleans up.

``URLSET_KILLS=100`` kills at a hundred random moments; by default it is five. Every step between
two changes to the disk is tried in any case, on a small set.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.publisher import killed as killed
from tests.publisher.killed import listed, publish, state
from urlset import parse, read

if sys.platform == "win32":
    pytest.skip("kill -9 is of other systems", allow_module_level=True)

KILLS = int(os.environ.get("URLSET_KILLS", "5"))
STATES = ("A", "B", "C", "one", "gz-A", "gz-C", "gz-one")
SCRIPT = Path(killed.__file__)


def visible(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")
    }


def assert_whole(folder: Path, why: str) -> None:
    """Whatever can be seen is whole; whatever an index names is there, and says what it should."""
    files = visible(folder)
    for name, data in files.items():
        document = parse(data)
        assert document.kind in ("urlset", "index"), f"{why}: {name} is {document.kind}"
        assert [str(p) for p in document.problems] == [], f"{why}: {name}"
        for child in listed(data):
            assert child in files, f"{why}: {name} names {child}, which is not there"
            count = sum(1 for _ in read(folder / child))
            assert count in (200, 300), f"{why}: {child}, of {name}, has {count} entries"


def assert_next_is_clean(folder: Path, files: dict[str, bytes], why: str) -> None:
    publish(folder, files)

    assert visible(folder) == files, why
    assert sorted(os.listdir(folder)) == sorted(files), f"{why}: something was left"


@pytest.fixture
def run() -> Iterator[Callable[..., str]]:
    """Run jobs of publisher_killed, all in one process: a start takes longer than what is tried."""
    with subprocess.Popen(
        [sys.executable, SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def ask(*words: object) -> str:
            stdin.write(" ".join(map(str, words)) + "\n")
            stdin.flush()
            return stdout.readline().strip()

        yield ask
        stdin.close()


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory, where there is one: on a disk each rename over a file waits for it."""
    memory = Path("/dev/shm")
    is_there = memory.is_dir() and os.access(memory, os.W_OK)
    with tempfile.TemporaryDirectory(dir=memory if is_there else None) as folder:
        yield Path(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "site"


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=pytest.mark.slow if s >= 5 else ()) for s in range(KILLS)]
)
def test_killed_at_a_random_moment_leaves_a_whole_set(folder: Path, seed: int):
    chance = random.Random(seed)
    publish(folder, state("A", 40))
    process = subprocess.Popen(
        [sys.executable, SCRIPT, folder], stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdout is not None
    with process, process.stdout as lines:
        # Half of them in the middle of renames, where little time is spent.
        word = chance.choice([b"swap\n", b"done\n"])
        for _ in range(chance.randrange(1, 16)):
            while lines.readline() != word:
                assert process.poll() is None
        time.sleep(chance.uniform(0, 0.01 if word == b"swap\n" else 0.15))
        process.kill()

    assert_whole(folder, f"seed {seed}")
    assert_next_is_clean(folder, state(chance.choice(STATES), 40), f"seed {seed}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A", "B"),
        ("A", "C"),
        ("C", "A"),
        ("one", "A"),
        ("A", "one"),
        ("A", "gz-C"),
        ("gz-one", "gz-A"),
    ],
)
def test_killed_before_any_step_leaves_a_whole_set(run, quick: Path, before: str, after: str):
    step, is_killed, started = 0, True, state(before, 3)
    while is_killed:
        step += 1
        folder = quick / str(step)
        is_killed = killed_or_whole(run(folder, before, after, step))
        why = f"{before} to {after}, step {step}"
        assert_whole(folder, why)
        # To a state that knows nothing of the half-published one: what is left over would show.
        assert_next_is_clean(folder, started if is_killed else state("B", 3), why)

    assert step > 20  # steps were seen at all


@pytest.mark.slow
@pytest.mark.parametrize("step", [28, 32])
def test_killed_while_it_undoes_what_was_killed_leaves_a_whole_set(run, quick: Path, step: int):
    again, is_killed = 0, True
    while is_killed:
        again += 1
        folder = quick / str(again)
        is_killed = killed_or_whole(run(folder, "A", "C", step, again))
        why = f"steps {step} and {again}"
        assert_whole(folder, why)
        assert_next_is_clean(folder, state("A", 3), why)

    assert again > 10


def killed_or_whole(word: str) -> bool:
    assert word in ("killed", "whole"), word
    return word == "killed"


def environment() -> dict[str, str]:
    root = SCRIPT.parents[2]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}

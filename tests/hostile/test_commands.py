"""Commands against what a stranger wrote: each ends in linear time, with its other results.

`make soak` runs all attacks, which takes ten minutes; `make test-all` one of ten.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.amounts import amount
from tests.hostile import document_attacks, network_attacks, page_attacks
from tests.hostile.commands import Attack, Stage, failure, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.soak,
    pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc"),
]

MEASURED = (*page_attacks.ATTACKS, *document_attacks.ATTACKS)
STEP = amount(10, 1)


def chosen(attacks: Sequence[Attack]) -> list[Any]:
    """The attacks of this run, as parameters with their names."""
    return [pytest.param(attack, id=attack.name) for attack in attacks[::STEP]]


@pytest.mark.parametrize("attack", chosen(MEASURED))
def test_command_takes_linear_time(attack: Attack, tmp_path: Path):
    if attack.name.startswith("WARC"):
        pytest.importorskip("fastwarc", reason="no fastwarc")

    assert failure(attack, tmp_path) is None


@pytest.mark.parametrize("attack", chosen(network_attacks.ATTACKS))
def test_command_ends_although_a_server_does_not(attack: Attack, tmp_path: Path):
    assert run(attack, tmp_path / "a", 1).fault is None


def test_names_of_attacks_are_unique():
    names = [attack.name for attack in (*MEASURED, *network_attacks.ATTACKS)]

    assert len(names) == len(set(names)) > 300


def attack(text: str) -> Attack:
    def put(stage: Stage) -> None:
        stage.file("a.txt", "https://example.com/\n")

    return Attack("a", text, put)


def test_a_run_that_fails_is_a_fault(tmp_path):
    def lost(stage: Stage) -> None:
        stage.pages()
        stage.expected = ("/never",)

    assert run(attack("read a.txt"), tmp_path / "a", 1).fault is None
    assert "/never" in (run(Attack("a", "read {site}", lost), tmp_path / "b", 1).fault or "")


def test_memory_is_that_of_the_command_and_not_of_the_tests(tmp_path):
    held = bytearray(os.urandom(1_000) * 1_200_000)  # 1.2 GB, more than a command may take

    found = run(attack("read a.txt"), tmp_path / "a", 1)

    assert len(held) > found.peak_mb << 20 > 10 << 20
    assert found.fault is None


def test_a_command_that_takes_much_memory_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.hostile.commands.MAX_MB", 10)

    assert "MB of memory" in (run(attack("read a.txt"), tmp_path / "a", 1).fault or "")


def test_a_run_that_is_not_linear_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.hostile.commands.ROUNDS", 1)  # each would find the same

    def put(stage: Stage) -> None:
        rules = '[[check.rules]]\nname = "a"\nview = "urls"\nmessage = "x"\n'
        count = stage.size**2 // 250
        where = f"(SELECT count(*) FROM range({count}) t(n) WHERE n % 7 = 3) < 0"
        stage.file("urlset.toml", f'{rules}where = "{where}"\n')
        stage.file("a.txt", "https://example.com/\n")

    assert "CPU time" in (failure(Attack("a", "check a.txt", put), tmp_path) or "")

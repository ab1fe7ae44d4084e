"""Attacks by one document, header or file: none ends a reader, none takes more than linear time."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.hostile.attacks import CHECK_SIZES, GROUPS, Attack, check, failure, shape

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of POSIX")


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_attacks_take_linear_time_and_end_no_reader(group):
    ran = subprocess.run(
        [sys.executable, "-P", "-c", f"from tests.hostile.attacks import main; main({group!r})"],
        capture_output=True, text=True, timeout=900, check=False,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-1_500:]
    assert json.loads(ran.stdout.splitlines()[-1]) == {}


def quadratic(data: bytes) -> None:
    """Compare bytes with as many as precede them: some seconds of CPU time for 256 KB."""
    for number in range(0, len(data), 4):
        data.count(b"!", 0, number)


def quadratic_after_a_check(data: bytes) -> None:
    check(data[:100])
    quadratic(data)


@pytest.mark.parametrize("read", [quadratic, quadratic_after_a_check])
def test_the_measurement_finds_a_reader_that_is_not_linear(read):
    found = failure(Attack("quadratic", read, shape("", "a")), CHECK_SIZES)

    assert "CPU time" in (found or "") or "signal" in (found or "")


def test_the_measurement_passes_a_reader_that_is_linear():
    def linear(data: bytes) -> None:
        check(data[:100])
        sum(data * 4)

    assert failure(Attack("linear", linear, shape("", "a")), CHECK_SIZES) is None


def test_a_reader_that_raises_is_a_failure():
    def raises(data: bytes) -> None:
        if len(data) > 20_000:
            raise ValueError("too many digits")

    found = failure(Attack("raises", raises, shape("", "a")), CHECK_SIZES)

    assert found == "262,144 bytes: ValueError: too many digits"

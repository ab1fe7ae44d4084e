"""Attacks by one document, header or file: none ends a reader, none takes more than linear time."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.hostile.attacks import GROUPS


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of POSIX")
@pytest.mark.parametrize("group", GROUPS)
def test_attacks_take_linear_time_and_end_no_reader(group):
    ran = subprocess.run(
        [sys.executable, "-P", "-c", f"from tests.hostile.attacks import main; main({group!r})"],
        capture_output=True, text=True, timeout=900, check=False,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-1_500:]
    assert json.loads(ran.stdout.splitlines()[-1]) == {}

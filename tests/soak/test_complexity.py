"""A check takes time in proportion to the bytes of a document, whatever its shape."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.shapes import SHAPES

MEGABYTE = 1_000_000
SIZES = (1, 2, 4, 8)
MAX_SLOPE = 1.15  # of the logarithm of time over that of size, between 4 and 8 MB
MAX_SECONDS = 10.0  # of CPU for 4 MB
NOISE = 1.0  # seconds; where size adds less, a slope says nothing
LIMIT = 120  # seconds of CPU, then the check is ended

# The reference engine is Python: its own parsing takes up to this long for 4 MB.
MAX_REFERENCE_SECONDS = 60.0


def cpu_seconds(path: Path, engine: str) -> float:
    """Check a file with the command in a process of its own; return the CPU time it took."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [
            *(sys.executable, "-m", "urlset", "check", str(path), "--format", "json"),
            *("--base-url", "https://e.com/sitemap.xml", "--output", os.devnull),
        ],
        env={**os.environ, "URLSET_ENGINE": engine},
        cwd=path.parent,
        preexec_fn=limit,
        capture_output=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run.returncode >= 0, f"more than {LIMIT} s of CPU"
    assert run.returncode in (0, 1), run.stderr.decode()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("shape", SHAPES)
def test_check_is_linear_in_the_bytes_of_a_document(shape, engine, tmp_path, record_property):
    path = tmp_path / ("a.txt" if shape.startswith("text") else "a.xml")
    path.write_bytes(SHAPES[shape](1_000))
    start = cpu_seconds(path, engine.name)

    seconds = []
    for size in SIZES:
        path.write_bytes(SHAPES[shape](size * MEGABYTE))
        seconds.append(cpu_seconds(path, engine.name))

    record_property("cpu_seconds", [round(each, 2) for each in (start, *seconds)])
    most = MAX_SECONDS if engine.name == "native" else MAX_REFERENCE_SECONDS
    assert seconds[2] <= most, f"4 MB take {seconds[2]:.1f} s of CPU"
    if seconds[3] - start > NOISE:
        slope = math.log2((seconds[3] - start) / max(seconds[2] - start, NOISE / 4))
        assert slope <= MAX_SLOPE, f"slope {slope:.2f}: {seconds}"

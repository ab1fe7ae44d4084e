"""Reading a page takes time and memory in proportion to its bytes, whatever its shape."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tests.soak.page_shapes import PAGE_SHAPES

MAX_SECONDS = 4.0  # of CPU for 4 MB
MAX_MEGABYTES = 300  # for 4 MB
CODE = """
import resource, sys, time
from urlset.html import read_page
data = open(sys.argv[1], "rb").read()
began = time.process_time()
read_page(data, "https://e.com/a")
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time() - began, int(peak.split()[1]) / 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.parametrize("shape", PAGE_SHAPES)
def test_reading_a_page_is_bounded(shape, tmp_path, record_property):
    path = tmp_path / "page.html"
    path.write_bytes(PAGE_SHAPES[shape](4_000_000))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    run = subprocess.run(
        [sys.executable, "-c", CODE, str(path)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    seconds, megabytes = map(float, run.stdout.split())
    record_property("measured", [round(seconds, 2), round(megabytes)])
    assert seconds <= MAX_SECONDS
    assert megabytes <= MAX_MEGABYTES

"""Commands that read what a stranger wrote, each in a process of its own, with what it costs."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.live_sites import put_page, put_sitemap
from tests.site_box import SiteBox

SIZES = (65_536, 1_048_576)
MAX_RATIO = 40
"""Of the CPU times beyond that of one byte: 16 is linear, 256 is quadratic."""

UNNOTICEABLE_S = 4.0
"""CPU time of a megabyte below which the ratio is not computed."""
LIMIT_S = 40
"""CPU time after which a command is ended."""

MAX_WALL_S = 240
MAX_MB = 1_024
ROUNDS = 3
BROKEN = ("internal error", "Traceback", "Panic", "MemoryError", "RecursionError")


class Stage:
    """What one run of a command meets: a site, a folder, and the words of the command."""

    def __init__(self, box: SiteBox, folder: Path, size: int):
        self.box = box
        self.folder = folder
        self.size = size
        self.expected: tuple[str, ...] = ()

    def file(self, name: str, content: bytes | str) -> None:
        """Write a file into the folder in which the command runs."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def pages(self, *, listed: tuple[str, ...] = ("/", "/evil", "/tea")) -> None:
        """Put a site of three pages; the attack replaces ``/evil``, and ``/tea`` must be read."""
        put_page(self.box, "/", "/evil", "/tea")
        put_page(self.box, "/evil")
        put_page(self.box, "/tea")
        put_sitemap(self.box, listed)
        self.expected = ("/tea",)


Set = Callable[[Stage], None]


class Attack(NamedTuple):
    """A command, and what a stranger prepares for it.

    Attributes:
        name: What is hostile.
        words: The command; ``{site}`` is the URL of the site.
        set: Prepares the site and the folder in a size in bytes.
    """

    name: str
    words: str
    set: Set


class Run(NamedTuple):
    """How a command ended, and what it cost."""

    code: int
    cpu_s: float
    wall_s: float
    peak_mb: int
    output: str
    fault: str | None

    def __str__(self) -> str:
        last = " / ".join(self.output.strip().splitlines()[-2:])
        return (
            f"exit {self.code}, {self.cpu_s:.2f} s of CPU time, {self.wall_s:.1f} s, "
            f"{self.peak_mb} MB: {self.fault or last[:160]}"
        )


def run(attack: Attack, folder: Path, size: int) -> Run:
    """Run a command against an attack of a size."""
    folder.mkdir(parents=True)
    with SiteBox() as box:
        stage = Stage(box, folder, size)
        attack.set(stage)
        words = shlex.split(attack.words.replace("{site}", box.site))
        began = time.monotonic()
        peak = folder.with_name(f"{folder.name}.peak")
        with open(folder / "..output", "w+b") as file:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _LIMITED, str(LIMIT_S), str(peak), *words],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                env=os.environ | {"NO_PROXY": "*", "no_proxy": "*"},
            )  # fmt: skip
            killer = threading.Timer(MAX_WALL_S, process.kill)
            killer.start()
            _, status, used = os.wait4(process.pid, 0)
            killer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            wall_s = time.monotonic() - began
            file.seek(0)
            output = file.read().decode(errors="replace")
        missing = [path for path in stage.expected if path not in box.paths]
    code = process.returncode
    fault = next((text for text in BROKEN if text in output), None)
    peak_mb = int(peak.read_text()) // 1024 if peak.exists() else 0  # not there after a signal
    if fault is not None:
        start = output.index(fault)
        fault = f"{fault}: {output[max(0, start - 100) : start + 300]}"
    elif code < 0:
        fault = f"ended by signal {-code}"
    elif peak_mb > MAX_MB:
        fault = f"{peak_mb} MB of memory"
    elif missing:
        fault = f"not requested: {', '.join(missing)}; {output[-300:]}"
    return Run(code, used.ru_utime + used.ru_stime, wall_s, peak_mb, output, fault)


_LIMITED = """
import resource, sys
limit, peak = int(sys.argv.pop(1)), sys.argv.pop(1)
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
from urlset.cli import main
try:
    sys.exit(main(sys.argv[1:]))
finally:
    # Not ru_maxrss, which begins with that of the process that started this one.
    own = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with open(peak, "w") as file:
        file.write(str(max(int(own[0].split()[1]), children)))
"""


def failure(attack: Attack, folder: Path, sizes: tuple[int, int] = SIZES) -> str | None:
    """Return what is wrong with how a command meets an attack; None if nothing is.

    It counts if it is wrong each time: other work on the machine slows down some of the runs.
    """
    found = None
    for number in range(ROUNDS):
        found = _failure(attack, folder / f"round{number}", sizes)
        if found is None:
            return None
    return found


def _failure(attack: Attack, folder: Path, sizes: tuple[int, int]) -> str | None:
    """Run an attack in the larger size; and if it takes long, in no size and the smaller one."""
    large = run(attack, folder / "large", sizes[1])
    if large.fault is not None:
        return str(large)
    if large.cpu_s <= UNNOTICEABLE_S:
        return None
    base, small = run(attack, folder / "base", 1), run(attack, folder / "small", sizes[0])
    if large.cpu_s - base.cpu_s <= max(UNNOTICEABLE_S, MAX_RATIO * (small.cpu_s - base.cpu_s)):
        return None
    return f"{base.cpu_s:.2f} s, {small.cpu_s:.2f} s and {large.cpu_s:.2f} s of CPU time"

"""Runs the tutorial from its beginning to its end: in the tests, and with an installed wheel."""

from __future__ import annotations

import os
import random
import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.docs.transcripts import matches, read_sections, run_command

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
PORT = "8000"
_PROGRESS = re.compile(
    r"^(?:[\d,]+ (?:responses?|URLs|pages? visited)\b.*|reading .*|.* entries from .* in .* s)\n",
    re.MULTILINE,
)
_READY_S = 20


def run_tutorial(folder: Path, programs: Path, *, in_process: bool) -> int:
    """Follow the tutorial in a folder, which is the working directory; return the commands run.

    Args:
        folder: An empty folder.
        programs: Folder with ``python`` and ``urlset``, first on PATH.
        in_process: Whether commands of urlset are run in this process.
    """
    port = str(_free_port())
    count = 0
    with _servers() as servers:
        for section in read_sections(PAGE):
            code = 0
            for block in section.blocks:
                if block.what == "file":
                    path = folder / block.name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(block.text.replace(PORT, port), encoding="utf-8")
                for step in block.steps() if block.what == "console" else ():
                    where = f"line {step.line}: $ {step.command}"
                    command = step.command.replace(PORT, port)
                    if command == "echo $?":
                        assert step.expected == str(code), where
                        code = 0
                        continue
                    count += 1
                    if command.endswith("&"):
                        servers.append(_started(command, programs, int(port)))
                        continue
                    code, told = run_command(command, programs, in_process=in_process)
                    told = _PROGRESS.sub("", told.replace(port, PORT))
                    expected = _PROGRESS.sub("", step.expected + "\n").rstrip()
                    assert matches(told, expected), f"{where}\n{told}"
            assert code == 0, section.title
    return count


def _free_port() -> int:
    """Return a free port with as many digits as that of the page: tables are as wide."""
    ports = list(range(8001, 10_000))
    random.shuffle(ports)
    for port in ports:
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


@contextmanager
def _servers() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    try:
        yield started
    finally:
        for server in started:
            server.send_signal(signal.SIGTERM)
            server.wait(10)


def _started(command: str, programs: Path, port: int) -> subprocess.Popen[bytes]:
    """Start what a shell runs in the background; wait until its port answers."""
    program, *words = shlex.split(command.partition(">")[0])
    server = subprocess.Popen(
        [str(programs / program), *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )
    end = time.monotonic() + _READY_S
    while time.monotonic() < end:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.05)
    server.kill()
    raise AssertionError(f"no answer of: {command}")

"""Run a program on a terminal."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress


def shown_on_terminal(
    arguments: Sequence[str], *, streams: Sequence[str], environment: dict[str, str] | None = None
) -> str:
    """Return what a program that ends with 0 writes to a terminal, by those of its streams."""
    import pty  # not on Windows

    terminal, end = pty.openpty()
    ends = dict.fromkeys(streams, end)
    process = subprocess.Popen(arguments, env=environment, **ends)  # type: ignore[call-overload]  # names of streams
    os.close(end)
    shown = b""
    with suppress(OSError):  # Linux: the other end was closed
        while data := os.read(terminal, 65_536):
            shown += data
    assert process.wait(60) == 0
    os.close(terminal)
    return shown.decode()

"""Entry point of the command ``urlset``: Ctrl-C while Python imports it ends it without traceback.

It is outside of the package, which Python imports before any module in it. For ``python -m urlset``
the package calls :func:`end_quietly` before its imports.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of :func:`urlset.cli.main`."""


def command() -> None:
    """Run the command line of the process, and exit: :func:`urlset.cli.command`."""
    end_quietly()
    from urlset.cli import command as run

    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def end_quietly() -> None:
    """Let Ctrl-C end the process without traceback, until :func:`command` has imported all."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


_FLAGS = "bBdEhiIOPqsSuvVx"
"""Flags of Python without a value, which may be joined with ``-m``."""


def module_that_runs() -> str | None:
    """Return the name after ``-m`` in the command line of Python, None if there is none."""
    arguments = sys.orig_argv[1:]
    for flag, following in zip(arguments, [*arguments[1:], None], strict=False):
        flags, mark, name = flag.partition("m")
        if mark and flags[:1] == "-" and not flags[1:].strip(_FLAGS):
            return name or following
    return None


def _end(*_: object) -> None:
    """End the process at once; an exception could be lost, or become another one, in an import."""
    os._exit(INTERRUPTED)

"""The command ``urlset``: its entry point, and a module for each of its commands."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

__all__ = ["command", "main"]

FAILURE, INTERRUPTED, CLOSED_PIPE, TERMINATED = 2, 130, 141, 143

GC_THRESHOLDS = (10_000, 10, 5)
"""Thresholds of the garbage collector. With those of Python, whose first is 700 or 2,000, a build
of 32,000 pages or a check of 50,000 sitemaps took 4 to 8 % longer; few objects are in cycles."""

GUIDE = """\
urlset reads, builds, checks, fixes, crawls, audits and watches sitemaps.

  urlset read https://example.com          print every URL of a site
  urlset check https://example.com         report what is wrong, and where
  urlset check public/ --fix               fix the files of a folder
  urlset build public/ --base-url https://example.com/ --output public/
                                           write the sitemaps of this folder
  urlset audit https://example.com --report report.html
                                           visit the pages, and write a report

urlset --help lists all commands, urlset COMMAND --help has more examples.
"""
"""Printed if there are no arguments. The exit code is that of invalid usage, as of ruff and uv."""


def command() -> NoReturn:
    """Run the command line of the process, and exit.

    The process ends after the functions of :mod:`atexit`, without the finalization of the
    interpreter: that frees each object and unloads DuckDB, for 40 ms of each command, and after
    Ctrl-C a thread of DuckDB that still waits for Python would end it by SIGABRT, with a message of
    the C++ runtime. Under a coverage tool or a profiler it is finalized as usual: a tool that
    started before the command stores its results after it.
    """
    ended: list[int] = []

    def exit_at_once() -> None:
        if ended and (ended[0] in (INTERRUPTED, TERMINATED) or not _is_observed()):
            with suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(ended[0])

    gc.set_threshold(*GC_THRESHOLDS)
    atexit.register(exit_at_once)  # registered first, it is called last
    code = main()
    ended.append(code)
    sys.exit(code)


def _is_observed() -> bool:
    """Return whether a tool traces or monitors the process (:mod:`sys.monitoring`, Python 3.12)."""
    monitoring: Any = getattr(sys, "monitoring", None)
    return bool(
        sys.gettrace()
        or sys.getprofile()
        or (monitoring and any(map(monitoring.get_tool, range(6))))
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 is success, 1 findings, 2 a failure. As in shells, 130 is Ctrl-C, 141 that the reader of a
    pipe has closed it, and 143 SIGTERM.

    Args:
        arguments: The arguments after the name of the command; by default those of the process.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    _replace_closed_streams()
    try:
        code = _run(arguments)
        # Python would flush at exit, and print an error that nobody can handle.
        sys.stdout.flush()
    except OSError as error:
        from urlset.cli.console import discard_stdout

        discard_stdout()
        if isinstance(error, BrokenPipeError):
            return CLOSED_PIPE
        sys.stderr.write(f"urlset: cannot write 'stdout': {error.strerror}\n")
        return FAILURE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _replace_closed_streams() -> None:
    """Open the null device for each standard stream that the process was started without.

    Python has None for such a stream (``>&-`` in a shell), and the next file that is opened, such
    as a store, would get its descriptor.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - until the exit
            setattr(sys, name, stream)


def _run(arguments: Sequence[str]) -> int:
    # Nothing else is imported for these two, so that they are fast.
    if not arguments:
        sys.stderr.write(GUIDE)
        return FAILURE
    if list(arguments[:1]) in (["--version"], ["-V"]):
        from urlset.cli.version import version_line

        sys.stdout.write(f"{version_line()}\n")
        return 0
    try:
        from urlset.cli.app import run
    except ModuleNotFoundError as error:
        from urlset.errors import missing_package

        if (missing := missing_package(error)) is None:
            raise
        sys.stderr.write(f"urlset: {missing}\n")
        return FAILURE
    return run(arguments)

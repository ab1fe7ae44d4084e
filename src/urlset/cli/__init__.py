"""The command ``urlset``: its entry point, and a module for each of its commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 is success, 1 findings, 2 a failure. As in shells, 130 is Ctrl-C, and 141 that the reader of a
    pipe has closed it.

    Args:
        arguments: The arguments after the name of the command; by default those of the process.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if list(arguments[:1]) in (["--version"], ["-V"]):
            # Nothing else is imported for this option, so that it is fast.
            from urlset.cli.version import version_line

            sys.stdout.write(f"{version_line()}\n")
            return 0
        from urlset.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130

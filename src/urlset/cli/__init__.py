"""The command ``urlset``: one file for each of its commands, and this door to them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code: 0 clean, 1 findings, 2 failure.

    Also 130 after Ctrl-C and 141 where the reader of a pipe went away, as shells count them.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if given[:1] in (["--version"], ["-V"]):
            # Beware: it answers at once, so nothing else is imported here.
            from urlset.cli.version import version_line

            sys.stdout.write(f"{version_line()}\n")
            return 0
        from urlset.cli.app import run

        return run(given)
    except KeyboardInterrupt:
        return 130

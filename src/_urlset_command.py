"""Entry point of the command ``urlset``: Ctrl-C while Python imports it ends it without traceback.

It is outside of the package, which Python imports before any module in it.
"""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of :func:`urlset.cli.main`."""


def command() -> None:
    """Run the command line of the process, and exit: :func:`urlset.cli.command`."""
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, _end)
    from urlset.cli import command as run

    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _end(*_: object) -> None:
    """End the process at once; an exception could be lost, or become another one, in an import."""
    os._exit(INTERRUPTED)

"""Fork a test process although it has threads, such as those of pytest-xdist."""

import warnings
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def forked(fork: Callable[[], T]) -> T:
    """Return the result of ``os.fork`` or ``pty.fork``, without the warning of Python 3.12.

    From 3.15 on the warning can be an error, which only the parent gets: the child runs on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return fork()

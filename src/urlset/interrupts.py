"""Count SIGINT (Ctrl-C) and SIGTERM, and delay SIGINT until a step is complete."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

AGAIN_S = 0.01
"""Seconds after which a Ctrl-C comes again that Python has dropped."""


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Delay SIGINT (Ctrl-C) to the end of a ``with`` block; only the main thread gets it."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received:
        previous(*received[0])


class Interrupts:
    """Count of Ctrl-C in a ``with`` block; only the main thread of a process gets them.

    SIGTERM counts as Ctrl-C, so that no temporary file remains; a second one ends the process.
    Python drops an exception while an object is deleted: a Ctrl-C in this moment comes again.
    """

    def __init__(self) -> None:
        self.count = 0
        self.is_termination = False
        self._previous: Any = None
        self._previous_hook: Any = None

    def __enter__(self) -> Interrupts:
        self._previous = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and self._previous is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
            self._previous_hook, sys.unraisablehook = sys.unraisablehook, self._dropped
            if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
                signal.signal(signal.SIGTERM, self._terminate)
        return self

    def __exit__(self, *_: object) -> None:
        if signal.getsignal(signal.SIGINT) == self._handle:
            signal.signal(signal.SIGINT, self._previous)
            sys.unraisablehook = self._previous_hook
        if signal.getsignal(signal.SIGTERM) == self._terminate:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        signal.default_int_handler(number, frame)

    def _dropped(self, found: sys.UnraisableHookArgs) -> None:
        if issubclass(found.exc_type, KeyboardInterrupt):
            threading.Timer(AGAIN_S, self._interrupt).start()
        else:
            self._previous_hook(found)

    def _terminate(self, _number: int, _frame: FrameType | None) -> None:
        self.is_termination = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)

    def _interrupt(self) -> None:
        """Send SIGINT to the main thread, which ends a wait; Windows has no such signal."""
        if signal.getsignal(signal.SIGINT) != self._handle:
            return  # the block has ended: the signal would reach what comes after it
        main = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main is not None:
            signal.pthread_kill(main, signal.SIGINT)
        else:
            _thread.interrupt_main()

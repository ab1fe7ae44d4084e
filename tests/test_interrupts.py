"""Ctrl-C while a command runs."""

import gc
import signal
import sys
import time

import pytest

from urlset.interrupts import AGAIN_S, Interrupts


class Interrupted:
    """Object that is interrupted while it is deleted, where Python drops an exception."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)


def test_an_interruption_is_not_lost_while_an_object_is_deleted(capsys):
    hook = sys.unraisablehook
    Interrupted()

    def collect() -> None:
        gc.collect()
        time.sleep(60)  # a signal ends it

    with pytest.raises(KeyboardInterrupt), Interrupts() as interrupts:
        collect()

    assert interrupts.count == 2
    assert capsys.readouterr().err == ""
    assert sys.unraisablehook is hook


def test_an_interruption_does_not_come_again_after_the_block():
    Interrupted()

    with Interrupts() as interrupts:
        gc.collect()

    time.sleep(5 * AGAIN_S)
    assert interrupts.count == 1


def test_other_errors_of_deleted_objects_are_shown(monkeypatch):
    shown: list[sys.UnraisableHookArgs] = []
    monkeypatch.setattr(sys, "unraisablehook", shown.append)

    class Wrong:
        def __del__(self) -> None:
            raise ValueError("wrong")

    with Interrupts():
        Wrong()

    assert [found.exc_type for found in shown] == [ValueError]

"""Ctrl-C at the start of a reading."""

import asyncio
import signal
import threading

import pytest

from urlset.http import Policy
from urlset.http.driver import _FetcherThread


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_an_event_loop_is_created_before_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise Python prints that the half of a loop cannot be closed.
    created: list[asyncio.AbstractEventLoop] = []
    create = asyncio.new_event_loop

    def interrupted() -> asyncio.AbstractEventLoop:
        loop = create()
        signal.raise_signal(signal.SIGINT)
        created.append(loop)
        return loop

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(asyncio, "new_event_loop", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            _FetcherThread(Policy())
    finally:
        signal.signal(signal.SIGINT, before)
    [loop] = created
    loop.close()

"""Times of the requests to each host, for the delay between them and the pauses of hosts."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from threading import Lock

MAX_CLOCKS = 10_000
"""Hosts whose clocks are kept; then those without a delay or a pause are dropped."""


class PausedHostError(Exception):
    """A host asked for a longer pause than the limit; ``seconds`` of it are left."""

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.seconds = seconds


class _Clock:
    """Times of the requests to one host: the latest one, and the next possible one."""

    __slots__ = ("asked_s", "earliest", "latest", "resume_at")

    def __init__(self) -> None:
        self.latest = -inf
        self.earliest = -inf
        self.resume_at = -inf
        self.asked_s = 0.0


class HostClocks:
    """Times of the requests to each host, by a monotonic clock. All clients of one run share them.

    So the delay between two requests and the pause that a host asks for also apply if the requests
    belong to different phases of the run. Threads may use it at the same time.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._clocks: dict[str, _Clock] = {}
        self._lock = Lock()

    def start(self, host: str, delay_s: float, max_pause_s: float = inf) -> float:
        """Start a request to a host if that is possible now; else return the seconds until it is.

        ``host`` is name and port, ``delay_s`` the least time between this request and those before
        and after it. Raises PausedHostError if the host asked for a pause of more than
        ``max_pause_s``.
        """
        with self._lock:
            wait = self._wait_s(host, delay_s, max_pause_s)
            if wait <= 0:
                clock = self._clock(host)
                clock.latest = self._now()
                clock.earliest = max(clock.earliest, clock.latest + delay_s)
            return wait

    def wait_s(self, host: str, delay_s: float, max_pause_s: float = inf) -> float:
        """Return the seconds until a request may start, as :meth:`start` does; start nothing."""
        with self._lock:
            return self._wait_s(host, delay_s, max_pause_s)

    def pause(self, host: str, seconds: float) -> None:
        """Start no request to a host for some seconds."""
        with self._lock:
            clock = self._clock(host)
            resume_at = self._now() + seconds
            if resume_at > clock.resume_at:
                clock.resume_at, clock.asked_s = resume_at, seconds

    def pause_s(self, host: str) -> float:
        """Return the seconds for which a host is paused; 0 if it is not."""
        clock = self._clocks.get(host)
        return 0.0 if clock is None else max(0.0, clock.resume_at - self._now())

    def _wait_s(self, host: str, delay_s: float, max_pause_s: float) -> float:
        clock = self._clocks.get(host)
        if clock is None:
            return 0.0
        pause = clock.resume_at - self._now()
        if pause > 0 and clock.asked_s > max_pause_s:
            raise PausedHostError(pause)
        earliest = max(clock.earliest, clock.latest + delay_s)
        return max(0.0, pause, earliest - self._now())

    def _clock(self, host: str) -> _Clock:
        if host not in self._clocks:
            if len(self._clocks) >= MAX_CLOCKS:
                now = self._now()
                self._clocks = {
                    name: clock
                    for name, clock in self._clocks.items()
                    if max(clock.earliest, clock.resume_at) > now
                }
            self._clocks[host] = _Clock()
        return self._clocks[host]

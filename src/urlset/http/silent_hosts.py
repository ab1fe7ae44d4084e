"""Hosts that documents name and that do not respond: requests to them end at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from urlset.http.models import Response

MAX_ATTEMPTS = 20
"""Attempts in sequence without a response after which a host gets no more requests."""

MAX_HOSTS = 50
"""Number of hosts without a response; no other host that a document names is requested then."""

MAX_NAMED = 10_000
"""Most hosts that are remembered as named by the user."""

PATIENCE_S = 120.0
"""Seconds in which a host is not given up if no host responds, as in an outage of the network.

If another host responds, the network works, and the host is given up earlier.
"""

_NO_RESPONSE = ("dns", "connect", "tls", "timeout")


class _Silence:
    """Failed attempts in sequence of one host, and when they began."""

    __slots__ = ("attempts", "responses", "since")

    def __init__(self, since: float, responses: int):
        self.attempts = 0
        self.since = since
        self.responses = responses


class SilentHosts:
    """Hosts that did not respond, for all clients of one run.

    A robots.txt with thousands of ``Sitemap`` lines, or an index, may name hosts that do not exist.
    Without this, each would take the time of several attempts. Hosts that the user named are
    requested in any case. Threads may use it at the same time.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._named: set[str] = set()
        self._silent: dict[str, _Silence] = {}
        self._responses = 0
        self._lock = Lock()

    def refusal(self, host: str, *, is_named: bool) -> str | None:
        """Return why no request is sent to a host (name and port); None if it is."""
        if is_named:
            if len(self._named) >= MAX_NAMED:
                self._named.clear()
            self._named.add(host)
        if not self._silent or host in self._named:
            return None
        with self._lock:
            silence = self._silent.get(host)
            if (
                silence is not None
                and silence.attempts >= MAX_ATTEMPTS
                and self._is_given_up(silence)
            ):
                return (
                    f"not requested: {host} did not respond to {silence.attempts} attempts; to "
                    "read what is on it, name it"
                )
            unnamed = [each for name, each in self._silent.items() if name not in self._named]
            if len(unnamed) >= MAX_HOSTS and self._is_given_up(unnamed[0]):
                return (
                    f"not requested: {len(unnamed)} hosts that documents of the site name did not "
                    f"respond; to read what is on {host}, name it"
                )
        return None

    def observe(self, host: str, response: Response) -> None:
        """Add the result of an attempt to request a host."""
        if response.status is not None or response.error not in _NO_RESPONSE:
            self._responses += 1
            if self._silent:
                with self._lock:
                    self._silent.pop(host, None)
            return
        if host in self._named:
            return
        with self._lock:
            if host not in self._silent:
                self._silent[host] = _Silence(self._now(), self._responses)
            self._silent[host].attempts += 1

    def clear(self) -> None:
        """Give up no host, since a source is read again."""
        with self._lock:
            self._silent.clear()

    def _is_given_up(self, silence: _Silence) -> bool:
        has_responses = self._responses > silence.responses
        return has_responses or self._now() - silence.since >= PATIENCE_S

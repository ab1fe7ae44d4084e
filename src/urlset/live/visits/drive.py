"""Types of what runs a walk and reports its progress, a walk of requests, the log of a run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from urlset.http import Policy, Request, Response, Walk
from urlset.model import ProgressEvent

Drive = Callable[[Walk[Any], Policy], Generator[Any]]
"""Function that runs a walk: :func:`urlset.http.drive_in_thread`, or a simulation of a site."""

Progress = Callable[[ProgressEvent], None]
"""Function that is called with the number of results so far, and with the URL of the last one."""


class RequestWalk:
    """Walk over given requests, in order, that yields their responses."""

    def __init__(self, requests: Iterable[Request]):
        self._requests = iter(requests)

    def next_request(self) -> Request | None:
        """Return the next request; None at the end."""
        return next(self._requests, None)

    def handle(self, response: Response) -> Iterator[Response]:
        """Yield the response."""
        yield response


class StageLog:
    """Log of the stages of a run at the level info, each with its duration."""

    def __init__(self, logger: logging.Logger):
        self._logger = logger
        self._start = time.monotonic()

    def end(self, stage: str, *values: object) -> None:
        """Log that a stage ended; ``values`` are those of the format ``stage``."""
        now = time.monotonic()
        self._logger.info(f"{stage}: %.2f s", *values, now - self._start)
        self._start = now

"""Log of the stages of a run."""

from __future__ import annotations

import logging
import time


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

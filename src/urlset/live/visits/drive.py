"""Types of what runs a walk and what reports its progress, which tests and commands replace."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from urlset.http import Policy, Walk
from urlset.model import ProgressEvent

Drive = Callable[[Walk[Any], Policy], Generator[Any]]
"""Function that runs a walk: :func:`urlset.http.drive_in_thread`, or a simulation of a site."""

Progress = Callable[[ProgressEvent], None]
"""Function that is called with the number of results so far, and with the URL of the last one."""

"""HTTP: a walk asks, the fetcher answers; politely, under caps, and never where it may not go.

A *walk* is a plain class without I/O: ``ask()`` gives the next :class:`Request` or None, and
``answer(response)`` takes a :class:`Response` and yields results. :func:`drive` (async) and
:func:`drive_in_thread` drive any walk. A fetch never raises: what went wrong is told in the
response, beside whatever came.
"""

from __future__ import annotations

from urlset.fetcher.driving import drive, drive_in_thread
from urlset.fetcher.memory import Memory
from urlset.fetcher.messages import ErrorWord, Reach, Request, Response, Walk
from urlset.fetcher.policy import Policy, basic, bearer
from urlset.fetcher.response_store import ResponseStore
from urlset.fetcher.targets import document_key, origin_of, split_user, target_of

__all__ = [
    "ErrorWord",
    "Memory",
    "Policy",
    "Reach",
    "Request",
    "Response",
    "ResponseStore",
    "Walk",
    "basic",
    "bearer",
    "document_key",
    "drive",
    "drive_in_thread",
    "origin_of",
    "split_user",
    "target_of",
]

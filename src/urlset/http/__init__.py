"""HTTP: a walk asks, the fetcher answers; politely, under caps, and never where it may not go.

A *walk* is a plain class without I/O: ``ask()`` gives the next :class:`Request` or None, and
``answer(response)`` takes a :class:`Response` and yields results. :func:`drive` (async) and
:func:`drive_in_thread` drive any walk. A fetch never raises: what went wrong is told in the
response, beside whatever came.
"""

from __future__ import annotations

from urlset.http.driver import drive, drive_in_thread
from urlset.http.models import ErrorWord, NetworkScope, Request, Response, Walk
from urlset.http.policy import Policy, basic_auth, bearer_auth
from urlset.http.request_url import credentials_of, document_key, origin_of, request_url
from urlset.http.response_cache import Memory
from urlset.http.response_store import ResponseStore

__all__ = [
    "ErrorWord",
    "Memory",
    "NetworkScope",
    "Policy",
    "Request",
    "Response",
    "ResponseStore",
    "Walk",
    "basic_auth",
    "bearer_auth",
    "credentials_of",
    "document_key",
    "drive",
    "drive_in_thread",
    "origin_of",
    "request_url",
]

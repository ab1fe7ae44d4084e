"""HTTP client for sitemaps: retries, redirects, rate limits, size limits and SSRF protection.

A *walk* decides what to fetch and does no I/O: ``next_request()`` returns the next
:class:`Request` or None, and ``handle(response)`` takes a :class:`Response` and yields results.
:func:`drive` (async) and :func:`drive_in_thread` run a walk. A failed fetch does not raise: the
response carries the error next to the part of the body that arrived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlset.http.models import (
    DOCUMENT_STATUSES,
    ErrorCode,
    NetworkScope,
    Request,
    Response,
    Secrets,
    Walk,
)
from urlset.http.policy import (
    Policy,
    RunPolicy,
    basic_auth,
    bearer_auth,
    run_policy,
    with_login,
    with_secret_query,
)
from urlset.http.request_url import document_key, origin_of, request_url, site_host, without_login
from urlset.http.response_cache import ResponseCache, ResponseStore
from urlset.http.retry import REDIRECTS, redirect_target, retry_after_s
from urlset.http.url_secrets import without_secrets

if TYPE_CHECKING:
    from urlset.http.driver import drive, drive_in_thread

__all__ = [
    "DOCUMENT_STATUSES",
    "REDIRECTS",
    "ErrorCode",
    "NetworkScope",
    "Policy",
    "Request",
    "Response",
    "ResponseCache",
    "ResponseStore",
    "RunPolicy",
    "Secrets",
    "Walk",
    "basic_auth",
    "bearer_auth",
    "document_key",
    "drive",
    "drive_in_thread",
    "origin_of",
    "redirect_target",
    "request_url",
    "retry_after_s",
    "run_policy",
    "site_host",
    "with_login",
    "with_secret_query",
    "without_login",
    "without_secrets",
]


def __getattr__(name: str) -> Any:
    """Load the driver with asyncio and TLS only where requests are sent."""
    if name not in ("drive", "drive_in_thread"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from urlset.http import driver

    return getattr(driver, name)

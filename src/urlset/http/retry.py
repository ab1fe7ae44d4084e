"""Retry policy: which failed responses are retried, and the wait before each retry."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from urlset.http.models import Response
from urlset.http.policy import Policy

__all__ = ["is_worth_retrying", "retry_after_s", "wait_before_retry_s"]

_TEMPORARY = frozenset({"dns", "connect", "timeout", "stalled", "protocol", "cut", "encoding"})
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?", re.ASCII)


def is_worth_retrying(response: Response) -> bool:
    """Return whether the error of a response may be temporary.

    Temporary are 408, 429, 5xx and errors of the connection. Permanent are 404 and the like, and
    also 501 and 505, which describe what a server supports, not its state.
    """
    status = response.status
    if response.error == "status" and status is not None:
        return status in (408, 429) or (status >= 500 and status not in (501, 505))
    if response.error == "encoding":
        return status is not None and not response.is_whole
    return response.error in _TEMPORARY


def wait_before_retry_s(
    response: Response, attempt: int, policy: Policy, retries: int | None = None
) -> float | None:
    """Return the seconds to wait after attempt ``attempt`` (from 1); None if it was the last.

    ``retries`` is the number of retries if it differs from that of the policy.
    """
    if attempt > (policy.retries if retries is None else retries):
        return None
    if not is_worth_retrying(response):
        return None
    asked = retry_after_s(response.headers.get("retry-after"))
    if asked is not None and response.error == "status":
        # A retry before that time violates the request of the server; a longer wait is a hang.
        return asked if asked <= policy.max_retry_after_s else None
    backoff: float = min(policy.backoff_s * 2 ** (attempt - 1), policy.max_backoff_s)
    # Half of it is random, so that requests that failed together are not retried together.
    return backoff * random.uniform(0.5, 1.0)


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Parse a ``Retry-After`` header: seconds, or an HTTP date (RFC 9110 section 10.2.3).

    >>> retry_after_s("120")
    120.0
    >>> retry_after_s("Fri, 31 Dec 1999 23:59:59 GMT")
    0.0
    >>> retry_after_s("soon")
    """
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())

"""When a fetch is worth another try, and how long to wait before it."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from urlset.http.models import Response
from urlset.http.policy import Policy

__all__ = ["is_worth_retrying", "retry_after_s", "wait_before_retry_s"]

_FAULTS = frozenset({"dns", "connect", "timeout", "stalled", "protocol", "cut", "encoding"})
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?", re.ASCII)


def is_worth_retrying(response: Response) -> bool:
    """Tell a fault that may pass from one that will stay.

    408, 429 and 5xx may pass, and so may faults of the connection; 404 stays, and so do
    501 and 505, which say what a server is, not how it is.
    """
    status = response.status
    if response.error == "status" and status is not None:
        return status in (408, 429) or (status >= 500 and status not in (501, 505))
    if response.error == "encoding":
        return status is not None and not response.is_whole
    return response.error in _FAULTS


def wait_before_retry_s(response: Response, attempt: int, policy: Policy) -> float | None:
    """Seconds to wait after attempt number ``attempt``, from 1; None where it was the last."""
    if attempt > policy.retries or not is_worth_retrying(response):
        return None
    asked = retry_after_s(response.headers.get("retry-after"))
    if asked is not None and response.error == "status":
        # Coming back before the time would be rude, and waiting longer than this a hang.
        return asked if asked <= policy.max_retry_after_s else None
    backoff: float = min(policy.backoff_s * 2 ** (attempt - 1), policy.max_backoff_s)
    # Half of it is chance, so that those who failed together do not come back together.
    return backoff * random.uniform(0.5, 1.0)


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Read a ``Retry-After`` header: seconds, or a date in HTTP's format (RFC 9110 10.2.3).

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

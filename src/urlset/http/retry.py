"""Decide what is requested after a response: the target of a redirect, or a retry, and when."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime

from urlset.http.content_encoding import is_supported
from urlset.http.models import ErrorCode, Response
from urlset.http.policy import Policy
from urlset.http.request_url import request_url
from urlset.urls import resolve

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses that lead to another URL."""

_TEMPORARY = frozenset({"dns", "connect", "timeout", "stalled", "protocol", "cut", "encoding"})
_SECONDS = re.compile(r"(\d+)(?:\.\d+)?", re.ASCII)
_MAX_SECONDS = 2.0**31  # stands for each larger number: RFC 9111 section 1.2.2


class RedirectChain:
    """Redirect chain of one attempt: the requested URLs with their statuses."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._urls: list[str] = []
        self._statuses: list[int] = []
        self._seconds = 0.0

    def add(self, response: Response, *, is_followed: bool) -> tuple[Response, str | None]:
        """Add the response of the latest URL; return it, and the URL to request next.

        The returned response has the redirects that led to it. There is no next URL if it is the
        last one. A redirect that cannot be followed is an error.
        """
        self._seconds += response.seconds
        if self._urls:
            message = response.message
            is_shown = not response.request.is_secret
            if message is not None and response.status is None and is_shown:
                message = f"redirects to {response.url}: {message}"
            response = response._replace(
                message=message,
                redirects=tuple(self._urls),
                redirect_statuses=tuple(self._statuses),
                seconds=self._seconds,
            )
        if response.status not in REDIRECTS or not is_followed:
            return response, None
        self._urls.append(response.url)
        self._statuses.append(response.status)
        target = redirect_target(response)
        if target is not None:
            target = self._policy.shown_url(target)
        refusal: tuple[ErrorCode, str] | None = None
        if target is None:
            refusal = ("bad-redirect", f"{response.url} redirects, but not to an http or https URL")
        elif target in self._urls:
            refusal = "redirect-loop", f"redirects in a circle: back to {target}"
        elif len(self._urls) > self._policy.max_redirects:
            refusal = "too-many-redirects", f"more than {self._policy.max_redirects} redirects"
        if refusal is None:
            return response, target
        code, message = refusal
        return response._replace(error=code, message=message, body=b"", is_whole=False), None


class Attempts:
    """Attempts of one request: the best response so far, and the wait before the next attempt."""

    def __init__(self, policy: Policy) -> None:
        self.count: int = 0
        self._policy = policy
        self._best: Response | None = None
        self._last: Response | None = None

    def add(self, response: Response) -> float | None:
        """Add the response of an attempt; return the seconds until the next, None at the end."""
        self.count += 1
        self._last = response
        if self._best is None or _rank(response) >= _rank(self._best):
            self._best = response
        return self._wait_s(response)

    def _wait_s(self, response: Response) -> float | None:
        policy, retries = self._policy, response.request.retries
        if self.count > (policy.retries if retries is None else retries):
            return None
        if response.error in ("paused", "silent", "unsent") or not is_worth_retrying(response):
            return None
        asked = retry_after_s(response.headers.get("retry-after"))
        if asked is not None and response.error == "status":
            # A retry before that time violates the request of the server; a longer wait is a hang.
            return asked if asked <= policy.max_retry_after_s else None
        backoff: float = min(policy.backoff_s * 2 ** (self.count - 1), policy.max_backoff_s)
        # Half of it is random, so that requests that failed together are not retried together.
        return backoff * random.uniform(0.5, 1.0)

    def best(self) -> Response:
        """Return the response that says most, in which the number of attempts is set.

        That is the whole document, else the longest part of it, else the last HTTP status, else the
        last error. So a retry for which no time is left does not hide the status before it.
        """
        best = self._best
        assert best is not None, "expected at least one attempt"
        if best.error is None and self.count == 1:
            return best
        message = best.message
        if message and self.count > 1:
            message += f" ({self.count} attempts)"
        asked = retry_after_s(best.headers.get("retry-after"))
        if message and asked and best is self._last and best.error == "status":
            message += f"; the server asks to retry after {asked:,.0f} s"
        return best._replace(attempts=self.count, message=message)


def _rank(response: Response) -> tuple[bool, int, bool]:
    """Return a key by which the best of several attempts is the greatest."""
    has_document = response.has_document
    length = len(response.body) + 1 if has_document else 0
    return has_document and response.error is None, length, response.status is not None


def is_worth_retrying(response: Response) -> bool:
    """Return whether the error of a response may be temporary.

    Temporary are 408, 429, 5xx and errors of the connection. Permanent are 404 and the like, and
    also 501 and 505, which describe what a server supports, not its state. A request that was not
    sent because its host is paused or silent is worth a retry later.
    """
    status = response.status
    if response.error == "status" and status is not None:
        return status in (408, 429) or (status >= 500 and status not in (501, 505))
    if response.error == "encoding":
        is_permanent = not is_supported(response.headers.get("content-encoding"))
        return status is not None and not response.is_whole and not is_permanent
    return response.error in _TEMPORARY or response.error in ("paused", "silent")


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Parse a ``Retry-After`` header: seconds, or an HTTP date (RFC 9110 section 10.2.3).

    >>> retry_after_s("120")
    120.0
    >>> retry_after_s("Fri, 31 Dec 1999 23:59:59 GMT")
    0.0
    >>> retry_after_s("9223372036854775807")
    2147483648.0
    >>> retry_after_s("soon")
    """
    if not value:
        return None
    text = value.strip()
    if seconds := _SECONDS.fullmatch(text):
        return float(text) if len(seconds[1].lstrip("0")) < 10 else _MAX_SECONDS
    from email.utils import parsedate_to_datetime  # few responses have a date here

    try:
        then = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def redirect_target(response: Response) -> str | None:
    """Return the target of a redirect as a URL to request; None if it has none."""
    text = response.headers.get("location")
    if text is None:
        return None
    return request_url(resolve(text.strip(), response.url))

"""Send the requests of a submission, and wait between them, or show them (``--dry-run``).

This is its only I/O besides tables.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlsplit

from urlset.http import Policy, Request, Response, Walk, drive_in_thread, origin_of, request_url
from urlset.live.visits.drive import Drive, RequestWalk

logger: logging.Logger = logging.getLogger("urlset.submit")

MAX_TIMEOUT_S = 60.0
"""Time limit of one request to an engine."""


@dataclass
class Sender:
    """Sender of requests, one after another or at once, with waits between them.

    It may wait ``max_wait_s`` for retries, in all, and has waited ``waited_s``. ``progress`` is
    called with what is being done.
    """

    policy: Policy
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    drive: Drive = drive_in_thread
    max_wait_s: float = 900.0
    progress: Callable[[str], None] = lambda _: None
    waited_s: float = field(default=0.0, init=False)

    def send(self, request: Request) -> Response:
        """Send one request to an engine; it is not repeated."""
        policy = replace(
            self.policy, total_timeout_s=min(self.policy.total_timeout_s, MAX_TIMEOUT_S)
        )
        [response] = self.drive(RequestWalk([request._replace(retries=0)]), policy)
        return _without_secrets(response)

    def fetch(self, request: Request) -> Response:
        """Return the response of a site to a request."""
        [response] = self.visit(RequestWalk([request]))
        return response

    def visit(self, walk: Walk[Response]) -> list[Response]:
        """Send the requests of a walk to a site, and return the responses."""
        return list(self.drive(walk, self.policy))

    def may_retry(self, waits_s: Sequence[float], number: int, reason: str) -> bool:
        """Wait before a retry, by its number; return whether there is one, and time for it."""
        if number >= len(waits_s) or self.waited_s + waits_s[number] > self.max_wait_s:
            return False
        self.wait(waits_s[number], reason)
        return True

    def wait(self, seconds: float, reason: str) -> None:
        """Wait before a retry."""
        logger.info("waiting %.0f s: %s", seconds, reason)
        self.progress(f"waiting {seconds:,.0f} s: {reason}")
        self.waited_s += seconds
        self.sleep(seconds)


def _without_secrets(response: Response) -> Response:
    """Remove the secrets of the request from a response: an error may repeat them."""
    secrets = response.request.secrets
    if secrets is None:
        return response
    body, message = response.body, response.message
    for value in (*secrets.headers.values(), *secrets.query.values(), *secrets.texts):
        secret = value.removeprefix("Bearer ")
        body = body.replace(secret.encode(), b"...")
        message = message and message.replace(secret, "...")
    return response._replace(body=body, message=message)


HIDDEN = "…"
"""Stands for a secret."""


def request_text(request: Request, policy: Policy) -> str:
    """Return the request line, the headers and the body that a request is sent with."""
    url = urlsplit(request_url(request.url) or request.url)
    target = url.path + (f"?{url.query}" if url.query else "")
    secrets = request.secrets
    if secrets is not None and secrets.query:
        target += ("&" if url.query else "?") + "&".join(f"{n}={HIDDEN}" for n in secrets.query)
    headers = {"Host": url.netloc, **policy.headers_for(origin_of(request.url) or "")}
    headers |= dict(request.headers)
    if secrets is not None:
        headers |= dict.fromkeys(secrets.headers, HIDDEN)
    body = request.body or b""
    if body or request.method != "GET":
        headers["Content-Length"] = str(len(body))
    lines = [f"{request.method} {target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", body.decode(errors="replace")])

"""IndexNow: requests, and what each response means (https://www.indexnow.org/documentation).

Nothing here does I/O. Engines differ from the documentation, so the meaning of a response is
decided by its status and by the error code in its body, if there is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal

from urlset.http import Request, Response
from urlset.live.submit.answers import (
    FAILURE_WAITS_S,
    Answer,
    Verdict,
    api_request,
    error_of,
    failure_code,
    repeated_waits,
)
from urlset.live.submit.keys import IndexNowKey

DEFAULT_ENDPOINT = "https://api.indexnow.org/indexnow"
"""Shares each URL with all engines that take part (https://www.indexnow.org/faq)."""

MAX_URLS = 10_000
"""URLs of one POST; api.indexnow.org answers 400 to more, Yandex 422."""

KEY_WAITS_S = (120.0, 240.0, 240.0)
"""Waits while an engine has not fetched the key file: 2, 4 and 4 minutes, 10 in all.

Engines fetch it some minutes after the first request.
"""

THROTTLE_WAITS_S = (60.0, 120.0, 240.0)
"""Waits after status 429 without ``Retry-After``. The limit is one of the IP address."""

VerdictKind = Literal[
    "accepted",  # 200: received
    "pending",  # 202: received, the key is not verified yet
    "unverified",  # 403: not received, the key file was not fetched yet
    "key-missing",  # 403: the key file is missing, or has another text
    "key-refused",  # 403: the key is refused for this host; a new key is needed
    "urls-refused",  # 422: URLs are not of the host, or outside of the folder of the key file
    "all-refused",  # 422 for every URL that was sent: the key or the host is wrong
    "malformed",  # 400, and other statuses that say that the request is wrong
    "throttled",  # 429
    "failed",  # 5xx, no response
    "redirected",  # an endpoint never redirects
]

IndexNowVerdict = Verdict[VerdictKind]


def submission(endpoint: str, host: str, key: IndexNowKey, urls: Sequence[str]) -> Request:
    """Return the POST request for URLs of one host.

    >>> key = IndexNowKey("73134416ae45434d98edc086e0bf6740")
    >>> submission(DEFAULT_ENDPOINT, "example.com", key, ["https://example.com/a"]).body
    b'{"host":"example.com","key":"73134416ae45434d98edc086e0bf6740","urlList":["https://example.com/a"]}'
    """
    fields: dict[str, object] = {"host": host, "key": key.value}
    if key.location is not None:
        fields["keyLocation"] = key.location
    fields["urlList"] = list(urls)
    body = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
    return api_request(endpoint, "indexnow", body, content_type="application/json; charset=utf-8")


_CODES: dict[str, VerdictKind] = {
    "siteverificationnotcompleted": "unverified",
    "keynotfound": "key-missing",
    "userforbiddedtoaccesssite": "key-refused",
    "userforbiddentoaccesssite": "key-refused",  # the spelling that others would expect
    "invalidrequestparameters": "malformed",
}
# Reasons of Yandex that are about the key or the request, not about single URLs.
_ABOUT_REQUEST = re.compile(
    r"key (?:must|location)|no (?:host|key|url) provided|no more than|url list", re.I
)


def interpret(response: Response) -> IndexNowVerdict:
    """Interpret the response to a submission of URLs by its status and body.

    A 200 whose body is too long or cut counts: the status is the answer.
    """
    status = response.status
    if status is None:
        return Verdict("failed", None, failure_code(response), response.message, FAILURE_WAITS_S)
    if status in (200, 202):
        return Verdict("accepted" if status == 200 else "pending", status)
    answer = error_of(response)
    kind = _kind(status, answer)
    waits: tuple[float, ...] = ()
    if kind == "unverified":
        waits = KEY_WAITS_S
    elif kind == "throttled":
        waits = repeated_waits(response, THROTTLE_WAITS_S)
    elif kind == "failed":
        waits = FAILURE_WAITS_S
    return Verdict(kind, status, answer.code or f"http-{status}", answer.text, waits)


def _kind(status: int, answer: Answer) -> VerdictKind:
    known = _CODES.get((answer.code or "").lower())
    if known is not None and 400 <= status < 500:
        return known
    if 300 <= status < 400:
        return "redirected"
    if status == 403:  # without a code, as Yandex answers: "Invalid key"
        return "key-missing"
    if status == 422:
        return "malformed" if _ABOUT_REQUEST.search(answer.text or "") else "urls-refused"
    if status == 429:
        return "throttled"
    return "failed" if status >= 500 else "malformed"

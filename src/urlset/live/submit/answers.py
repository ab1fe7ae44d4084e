"""Requests to the APIs of engines, and what their responses mean.

The error in a body is JSON of several shapes, HTML, text or nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from urlset.http import Request, Response, Secrets, retry_after_s

K = TypeVar("K")

MAX_MESSAGE = 300
"""Characters of a message of an engine that are kept."""

FAILURE_WAITS_S = (5.0, 10.0, 20.0)
"""Waits after status 5xx, errors of the connection and an exceeded quota per minute."""

_CODE_NAMES = ("errorCode", "ErrorCode", "code", "reason", "status")
_MESSAGE_NAMES = ("message", "Message", "errorMessage", "error_description", "reason", "details")
_HARMLESS_CODE = re.compile(r"[\w.-]{1,80}", re.ASCII)


class Verdict(NamedTuple, Generic[K]):
    """Meaning of the response of an engine.

    ``error_code`` is that of the engine, or one like ``http-500`` or ``timeout``. ``waits_s`` are
    the waits before the next tries, in order; none if the request is not repeated.
    """

    kind: K
    status: int | None = None
    error_code: str | None = None
    message: str | None = None
    waits_s: tuple[float, ...] = ()


class Answer(NamedTuple):
    """Error code and error text in the body of a response, each None if it is missing."""

    code: str | None = None
    text: str | None = None


def api_request(
    url: str,
    purpose: str,
    body: bytes | None = None,
    *,
    content_type: str = "application/json",
    method: str = "POST",
    max_bytes: int = 65_536,
    secrets: Secrets | None = None,
) -> Request:
    """Return a request to an API; it may have any address, and is not redirected."""
    return Request(
        url,
        None,
        purpose,
        headers=() if body is None else (("Content-Type", content_type),),
        scope="anywhere",
        max_bytes=max_bytes,
        follows_redirects=False,
        method=method,
        body=body,
        secrets=secrets,
    )


def json_of(response: Response) -> Any:
    """Parse the body of a response as JSON; None if it is not JSON."""
    try:
        return json.loads(response.body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def error_of(response: Response) -> Answer:
    """Return the error that a body describes, whatever its shape.

    The text comes from a server: it is cut, and white space becomes one space. Code that shows it
    must escape control characters.
    """
    value = json_of(response)
    for inner in ("error", "d"):
        if isinstance(value, Mapping) and isinstance(value.get(inner), Mapping):
            value = value[inner]
    if not isinstance(value, Mapping):
        return Answer(None, _plain(response))
    codes = (value.get(name) for name in _CODE_NAMES)
    texts = (str(c) for c in codes if isinstance(c, str | int) and not isinstance(c, bool))
    code = next(filter(_HARMLESS_CODE.fullmatch, texts), None)
    messages = (value.get(name) for name in _MESSAGE_NAMES)
    text = next((m for m in messages if isinstance(m, str) and m.strip()), None)
    return Answer(code, None if text is None else _clip(text))


def _plain(response: Response) -> str | None:
    """Return the body of a response as plain text; None if it is JSON, HTML or empty."""
    text = response.body[:4096].decode(errors="replace")
    is_html = "html" in response.headers.get("content-type", "") or text.lstrip().startswith("<")
    return None if is_html or not text.strip() else _clip(text)


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}…"


def failure_code(response: Response) -> str:
    """Return why a request ended without a response."""
    is_late = response.error in ("timeout", "stalled")
    return "timeout" if is_late else response.error or "no-response"


def repeated_waits(response: Response, waits_s: tuple[float, ...]) -> tuple[float, ...]:
    """Return the waits before the next tries: those that ``Retry-After`` asks for, if it does."""
    asked = retry_after_s(response.headers.get("retry-after"))
    return waits_s if asked is None else (asked,) * len(waits_s)

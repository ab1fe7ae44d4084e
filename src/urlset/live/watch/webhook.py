"""Send new alerts to a webhook in one request, in the format of Slack, Discord, ntfy or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TypedDict, get_args

from urlset.http import Request, Response, origin_of, request_url
from urlset.live.watch.result import Watch
from urlset.live.watch.rows import Alert
from urlset.result import Instant, values_of
from urlset.terminal_text import escape_json, sanitize

WebhookFormat = Literal["slack", "discord", "ntfy", "json"]

WEBHOOK_FORMATS: tuple[WebhookFormat, ...] = get_args(WebhookFormat)

MAX_LINES = 15
MAX_TEXT = 1_900
"""Characters of a message; Discord accepts 2,000."""

_HOSTS: tuple[tuple[str, WebhookFormat], ...] = (
    ("hooks.slack.com", "slack"),
    ("hooks.slack-gov.com", "slack"),
    ("discord.com", "discord"),
    ("discordapp.com", "discord"),
    ("ntfy.sh", "ntfy"),
)


class AlertJson(TypedDict):
    """New alert."""

    kind: str
    subject: str
    message: str
    observed: float | None
    low: float | None
    high: float | None


class AlertsJson(TypedDict):
    """Message of a webhook in the format json.

    Attributes:
        alerts: New alerts.
    """

    site: str
    snapshot: int
    started: Instant
    alerts: list[AlertJson]


class Hook:
    """Webhook: its URL and format. Its URL may contain a secret, so nothing shows it.

    Without ``format_`` it is that of the host, or ``json``.

    Raises:
        ValueError: The URL or the format is invalid.
    """

    def __init__(self, url: str, format_: WebhookFormat | None = None):
        if request_url(url) is None or not (origin := origin_of(url)):
            raise ValueError("webhook: expected an http or https URL, found something else")
        if format_ is not None and format_ not in WEBHOOK_FORMATS:
            names = ", ".join(WEBHOOK_FORMATS)
            raise ValueError(f"webhook_format: expected one of {names}; found {format_!r}")
        self._url = url
        self.origin = origin
        self.format = format_ or _format_of(origin)

    def __repr__(self) -> str:
        return f"<Hook {self.origin} {self.format}>"

    def request(self, found: Watch, alerts: Sequence[Alert]) -> Request:
        """Return the request that sends alerts."""
        kind, body = message(self.format, found, alerts)
        headers = [("Content-Type", kind)]
        if self.format == "ntfy":
            headers += [("Title", "urlset watch"), ("Tags", "warning")]
        return Request(
            self._url,
            purpose="webhook",
            headers=tuple(headers),
            scope="anywhere",
            method="POST",
            body=body,
            is_secret=True,
            max_bytes=65_536,
        )

    def error_of(self, response: Response) -> str | None:
        """Return the error message for a response, without the secret URL; None for success."""
        if response.status is not None and 200 <= response.status < 300:
            return None
        reason = f"HTTP {response.status}" if response.status else f"{response.error}"
        return f"the webhook at {self.origin} did not accept the alerts: {reason}"


def message(format_: WebhookFormat, found: Watch, alerts: Sequence[Alert]) -> tuple[str, bytes]:
    """Format alerts as a message of a service; return its media type and its body."""
    if format_ == "ntfy":
        return "text/plain; charset=utf-8", _text(found, alerts).encode()
    values: dict[str, Any] | AlertsJson
    if format_ == "slack":
        values = {"text": _escaped(_text(found, alerts))}
    elif format_ == "discord":
        # Alerts contain URLs of the site; no name in them may notify people.
        values = {"content": _text(found, alerts), "allowed_mentions": {"parse": []}}
    else:
        rows = [values_of(alert, AlertJson) for alert in alerts]
        started = found.started.isoformat(timespec="seconds")
        values = values_of(found, AlertsJson, started=started, alerts=rows)
    return "application/json", escape_json(json.dumps(values, ensure_ascii=False)).encode()


def _text(found: Watch, alerts: Sequence[Alert]) -> str:
    lines = [f"• {sanitize(alert.message)}" for alert in alerts[:MAX_LINES]]
    if len(alerts) > MAX_LINES:
        lines.append(f"• and {len(alerts) - MAX_LINES:,} more")
    noun = "alert" if len(alerts) == 1 else "alerts"
    text = "\n".join([f"{sanitize(found.site)}: {len(alerts):,} new {noun}", *lines])
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _escaped(text: str) -> str:
    """Escape text for Slack, in which ``<`` and ``>`` mark links and mentions."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _format_of(origin: str) -> WebhookFormat:
    host = origin.partition("://")[2].partition(":")[0]
    for name, format_ in _HOSTS:
        if host == name or host.endswith(f".{name}"):
            return format_
    return "json"

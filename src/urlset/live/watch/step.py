"""Settings of a watch, and their keywords."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TypedDict

from urlset.http import Policy
from urlset.live.watch.webhook import Hook, WebhookFormat

RECHECK = 10
"""Sitemaps that one step requests although their index has the same date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSettings:
    """Settings of one step.

    Attributes:
        recheck_sitemaps: Sitemaps that are requested although the index has the same date for them,
            those first that were not requested for the longest time.
        policy: Limits and behaviour of the HTTP client.
        auth: Bearer token, or user and password; sent to the origin of the site only.
        engine: Name of the engine.
        webhook: URL to which new alerts are posted.
        webhook_format: Format of the message: ``slack``, ``discord``, ``ntfy`` or ``json``; None
            for that of the host.
        report: HTML file to which the history is written, with charts.
    """

    recheck_sitemaps: int = RECHECK
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    engine: str | None = None
    webhook: str | None = field(default=None, repr=False)
    webhook_format: WebhookFormat | None = None
    report: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if self.recheck_sitemaps < 0:
            raise ValueError(f"recheck_sitemaps: expected 0 or more, found {self.recheck_sitemaps}")
        if self.webhook is not None:
            Hook(self.webhook, self.webhook_format)


class WatchKeywords(TypedDict, total=False):
    """Keyword arguments of :func:`urlset.watch`: the fields of :class:`StepSettings`."""

    recheck_sitemaps: int
    policy: Policy | None
    auth: str | tuple[str, str] | None
    engine: str | None
    webhook: str | None
    webhook_format: WebhookFormat | None
    report: str | os.PathLike[str] | None

"""Settings of a watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from urlset.http import Policy
from urlset.live.watch.webhook import Hook, WebhookFormat
from urlset.option_schema import check_options


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSettings:
    """Settings of one step: the options of :func:`urlset.watch`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    recheck_sitemaps: int = 10
    webhook: str | None = field(default=None, repr=False)
    webhook_format: WebhookFormat | None = None
    report: Path | None = None
    engine: str | None = None
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_options("watch", self)
        if self.webhook is not None:
            Hook(self.webhook, self.webhook_format)

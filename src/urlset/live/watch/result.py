"""Result of one step of a watch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from urlset.result import Result
from urlset.terminal_text import pluralize


class Alert(NamedTuple):
    """Something that is not normal for the site.

    Attributes:
        number: Number of the alert in the store.
        kind: Kind, such as ``silence`` (:data:`urlset.live.watch.alerts.KINDS`).
        subject: Section, sitemap or robots.txt that it is about; ``site`` for the whole site.
        message: What is not normal, with the numbers.
        snapshot: Snapshot that raised it.
        opened: Start of that step.
        observed: Observed number; None if there is none.
        low: Lower end of the normal band; None if there is none.
        high: Upper end of the normal band; None if there is none.
        is_new: Whether it was not reported before.
    """

    number: int
    kind: str
    subject: str
    message: str
    snapshot: int
    opened: datetime | None
    observed: float | None
    low: float | None
    high: float | None
    is_new: bool


class SectionEstimate(NamedTuple):
    """Estimates of what is normal for one section: change rate, new URLs per day, pauses.

    Attributes:
        name: First folder of the path, such as ``/news/``; ``/`` for URLs in no folder.
        urls: URLs that are listed.
        new_today: New URLs of the latest day, which may not be over; None if it is not known.
        new_low: Lower end of the normal range of new URLs on that day; None before four weeks.
        new_high: Upper end of that range.
        new_least: Least new URLs of a day so far; None if there is no day yet.
        new_most: Most new URLs of a day so far.
        changes_per_day: Changes of one URL per day; None if the entries have no dates.
        changes_low: Lower end of the interval of 95 %.
        changes_high: Upper end of that interval.
        changed_in_week: Probability that a URL changes within a week.
        usual_pause_s: Pause between new URLs that 99 % of all pauses do not exceed, in seconds.
    """

    name: str
    urls: int
    new_today: int | None = None
    new_low: int | None = None
    new_high: int | None = None
    new_least: int | None = None
    new_most: int | None = None
    changes_per_day: float | None = None
    changes_low: float | None = None
    changes_high: float | None = None
    changed_in_week: float | None = None
    usual_pause_s: float | None = None


class UrlChange(NamedTuple):
    """URL that a snapshot added, removed or changed.

    Attributes:
        change: ``added``, ``removed`` or ``changed``.
        loc: The URL.
        before: Its ``lastmod`` at the snapshot before; None if it had none or was not listed.
        after: Its ``lastmod`` at this snapshot.
    """

    change: str
    loc: str
    before: datetime | None
    after: datetime | None


@dataclass(frozen=True, kw_only=True, repr=False)
class Watch(Result):
    """Result of one step: its snapshot, changed URLs, alerts and estimates.

    Attributes:
        site: URL that was given.
        path: Path of the store.
        snapshot: Number of the snapshot, from 1.
        started: Start of the step.
        incomplete: Why not everything that was requested could be read; empty if it could.
        requests: Requests that were sent.
        urls: URLs that are listed, with those that are unknown.
        unknown: URLs that may be listed or not, because a sitemap could not be read.
        added: URLs that are new.
        removed: URLs that are not listed any more.
        changed: URLs with another ``lastmod``.
        sitemaps: Sitemaps and indexes that are listed.
        sitemaps_read: Those that were read in full.
        sitemaps_failed: Those that could not be read.
        examples: The first of the changed URLs.
        sections: What is normal for each section, those with most URLs first.
        alerts: Alerts that are open or new.
        webhook_error: Why the webhook did not accept the new alerts; the next step sends them
            again. None if it did, or if there is none.
    """

    site: str
    path: str
    snapshot: int
    started: datetime
    requests: int
    urls: int
    unknown: int
    added: int
    removed: int
    changed: int
    sitemaps: int
    sitemaps_read: int
    sitemaps_failed: int
    incomplete: tuple[str, ...] = ()
    examples: tuple[UrlChange, ...] = ()
    sections: tuple[SectionEstimate, ...] = ()
    alerts: tuple[Alert, ...] = ()
    webhook_error: str | None = None

    @property
    def new_alerts(self) -> tuple[Alert, ...]:
        """Alerts that were not reported before."""
        return tuple(alert for alert in self.alerts if alert.is_new)

    @property
    def subject(self) -> str:
        """The site, as the end of a phrase."""
        return f"of {self.site}"

    @property
    def _totals(self) -> str:
        """Numbers of URLs: listed, and what the step changed."""
        unknown = f", {self.unknown:,} unknown" if self.unknown else ""
        urls = pluralize(self.urls, "URL")
        if self.snapshot == 1:
            return f"{urls} in {pluralize(self.sitemaps, 'document')}{unknown}"
        return (
            f"{urls}: {self.added:,} new, {self.removed:,} removed, {self.changed:,} changed"
            f"{unknown}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the snapshot, changes, sections and alerts as values that JSON has."""
        names = ("requests", "urls", "added", "removed", "changed", "unknown", "sitemaps")
        return super().to_dict() | {
            "site": self.site,
            "snapshot": self.snapshot,
            "started": self.started.isoformat(timespec="seconds"),
            **{name: getattr(self, name) for name in names},
            "sitemaps_read": self.sitemaps_read,
            "sitemaps_failed": self.sitemaps_failed,
            "changes": [_plain(change) for change in self.examples],
            "sections": [_plain(section) for section in self.sections],
            "alerts": [
                {**_plain(alert), "opened": alert.opened and alert.opened.isoformat("T", "seconds")}
                for alert in self.alerts
            ],
        }


def _plain(row: UrlChange | SectionEstimate | Alert) -> dict[str, Any]:
    """Return the fields of a row for JSON: times as text, and None in place of infinity."""
    return {name: _plain_value(value) for name, value in row._asdict().items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return None if isinstance(value, float) and not math.isfinite(value) else value

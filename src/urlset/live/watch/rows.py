"""Rows of a step: alerts, estimates of sections and changed URLs, and the values of a step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from urlset.result import Result


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
class WatchStep(Result):
    """Values of a step, as reports need them: the fields of :class:`urlset.Watch`."""

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

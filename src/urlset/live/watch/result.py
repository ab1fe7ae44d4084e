"""Result of one step of a watch."""

from __future__ import annotations

import os
from typing import Annotated, Any

from urlset.live.watch.report import write_report
from urlset.live.watch.rows import Alert, SectionEstimate, UrlChange, WatchStep
from urlset.result import Instant, ResultJson, plain, values_of
from urlset.store import Store
from urlset.terminal_text import pluralize


class WatchJson(ResultJson):
    """Result of one step of a watch.

    Attributes:
        changes: The first of the changed URLs.
    """

    site: str
    snapshot: int
    started: Instant
    requests: int
    urls: int
    added: int
    removed: int
    changed: int
    unknown: int
    sitemaps: int
    sitemaps_read: int
    sitemaps_failed: int
    changes: list[Annotated[dict[str, Any], UrlChange]]
    sections: list[Annotated[dict[str, Any], SectionEstimate]]
    alerts: list[Annotated[dict[str, Any], Alert]]


class Watch(WatchStep):
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
            documents = pluralize(self.sitemaps - self.sitemaps_failed, "document")
            return f"{urls} in {documents}{unknown}"
        changes = f"{self.added:,} added, {self.removed:,} removed, {self.changed:,} changed"
        return f"{urls}: {changes}{unknown}"

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the history in the store as one HTML file that works offline and without scripts.

        Raises:
            urlset.StoreError: The store cannot be opened.
            urlset.TargetError: The file cannot be written.
            ValueError: The file has the suffix of a data format.
        """
        with Store.open(self.path, read_only=True) as store, store.session() as session:
            write_report(session, self, path)

    def to_dict(self) -> WatchJson:
        """Return the snapshot, changes, sections and alerts as values that JSON has."""
        return values_of(
            self,
            WatchJson,
            started=self.started.isoformat(timespec="seconds"),
            changes=plain(self.examples),
            alerts=[
                {**plain(alert), "opened": alert.opened and alert.opened.isoformat("T", "seconds")}
                for alert in self.alerts
            ],
        )

"""Watch a site: take a snapshot, judge it by the history, report alerts."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from urlset.arguments import checked_arguments
from urlset.errors import SourceError
from urlset.html_report import expect_report_target
from urlset.http import Policy, drive_in_thread, with_login
from urlset.live.history.reader import changes_at, moment
from urlset.live.schemas import HISTORY_SCHEMA
from urlset.live.visits.drive import Drive, Progress, RequestWalk, StageLog
from urlset.live.visits.snapshot import expect_url, take_snapshot
from urlset.live.watch.alert_log import current_alerts, mark_reported, update_alerts
from urlset.live.watch.alerts import section_estimates
from urlset.live.watch.report import write_report
from urlset.live.watch.result import Watch
from urlset.live.watch.rows import SectionEstimate, UrlChange
from urlset.live.watch.webhook import Hook, WebhookFormat
from urlset.model import ProgressEvent
from urlset.option_schema import StrPath, check_options, settings_of
from urlset.store import Store, StoreSession

logger: logging.Logger = logging.getLogger("urlset.watch")

WEBHOOK_TIMEOUT_S = 60.0

MAX_EXAMPLES = 1_000
"""Changed URLs in the result; :func:`urlset.live.history.changes_at` is the query of all."""


@checked_arguments
def watch(
    site: str,
    store: str | os.PathLike[str],
    *,
    # These are generated from urlset.option_schema by `make docs`.
    recheck_sitemaps: int = 10,
    webhook: str | None = None,
    webhook_format: WebhookFormat | None = None,
    report: StrPath | None = None,
    engine: str | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Watch:
    """Watch a site once: read what may have changed, store a snapshot, and return alerts.

    Call it again and again, as with cron. A sitemap that cannot be read is not a removal: its URLs
    are unknown until it can be read.

    Args:
        site: URL of the site, or of a sitemap.
        store: Store file (``.duckdb``) of the history; created if it does not exist.
        recheck_sitemaps: Sitemaps that are requested although their index has the same date: those
            first that were not requested for the longest time.
        webhook: Post new alerts to this URL; by default $URLSET_WEBHOOK. It is neither logged nor
            stored.
        webhook_format: Format of the message: ``slack``, ``discord``, ``ntfy`` or ``json``; None
            for that of the host.
        report: HTML file to which the result is written, too, with charts.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Returns:
        The snapshot: counts and changed URLs.

    Raises:
        urlset.SourceError: Nothing could be read, and there is no snapshot yet.
        urlset.StoreError: The store cannot be opened, is used by another process, or has the
            history of another site.
        urlset.TargetError: The report cannot be written.
        ValueError: A setting is invalid, or the report has the suffix of a data format.
    """
    options = settings_of(StepSettings, "watch", locals())
    expect_url(site)
    return watch_with(site, os.fspath(store), options, progress=progress)


def watch_with(
    site: str,
    path: str,
    settings: StepSettings,
    *,
    progress: Progress | None = None,
    drive: Drive | None = None,
    now: Callable[[], datetime] | None = None,
) -> Watch:
    """Watch a site once like :func:`watch`; ``drive`` and ``now`` may simulate site and time."""
    if settings.report is not None:  # before the snapshot, whose changes no later step shows
        expect_report_target(settings.report)
    is_new = not os.path.lexists(path)
    try:
        with Store.open(path) as store:
            store.add(HISTORY_SCHEMA)
            with store.session() as session:
                return take_step(
                    session, path, site, settings, progress=progress, drive=drive, now=now
                )
    except SourceError:
        if is_new:  # without a snapshot, it is empty
            with suppress(OSError):
                os.unlink(path)
        raise


def take_step(
    session: StoreSession,
    path: str,
    site: str,
    settings: StepSettings,
    *,
    progress: Progress | None = None,
    drive: Drive | None = None,
    now: Callable[[], datetime] | None = None,
) -> Watch:
    """Watch a site once, into an open store that has the history tables."""
    clock = now or (lambda: datetime.now(UTC))
    drive = drive or drive_in_thread
    hook = None if settings.webhook is None else Hook(settings.webhook, settings.webhook_format)
    estimates: list[tuple[SectionEstimate, ...]] = []

    stages = StageLog(logger)

    def judge(number: int) -> None:
        stages.end("sitemaps read")
        estimates.append(section_estimates(*update_alerts(session, number)))
        stages.end("snapshot %d judged", number)

    policy, site = with_login(settings.policy or Policy(), site, settings.auth)
    number = take_snapshot(
        session,
        site,
        policy=policy,
        recheck_sitemaps=settings.recheck_sitemaps,
        engine=settings.engine,
        logger=logger,
        now=clock,
        drive=drive,
        progress=progress,
        then=judge,
    )
    found = _result(session, path, number, estimates[-1])
    if settings.report is not None:
        write_report(session, found, settings.report)
        stages.end("report written")
    if hook is not None and found.new_alerts:
        found = replace(found, webhook_error=_send(hook, found, drive))
        stages.end("%d new alerts sent to the webhook", len(found.new_alerts))
    if found.webhook_error is None:
        mark_reported(session, found.alerts, clock())
    return found


def _send(hook: Hook, found: Watch, drive: Drive) -> str | None:
    """Send the new alerts to the webhook; return the error as text, or None."""
    walk = RequestWalk([hook.request(found, found.new_alerts)])
    for response in drive(walk, Policy(total_timeout_s=WEBHOOK_TIMEOUT_S)):
        return hook.error_of(response)
    return f"the webhook at {hook.origin} did not respond"


def _result(
    session: StoreSession, path: str, number: int, sections: tuple[SectionEstimate, ...]
) -> Watch:
    query = (
        "SELECT site, epoch_us(started), reasons, request_count, url_count, "
        "unknown_count, added_count, removed_count, changed_count, sitemap_count, read_count, "
        f"failed_count FROM store.snapshots WHERE snapshot = {number}"
    )
    [(site, started, reasons, *counts)] = session.rows(query)
    names = (
        "requests urls unknown added removed changed sitemaps sitemaps_read sitemaps_failed"
    ).split()
    return Watch(
        site=site,
        path=path,
        snapshot=number,
        started=moment(started) or datetime.now(UTC),
        incomplete=tuple(reasons),
        examples=_examples(session, number),
        sections=sections,
        alerts=current_alerts(session),
        **dict(zip(names, counts, strict=True)),
    )


def _examples(session: StoreSession, number: int) -> tuple[UrlChange, ...]:
    """Return examples of URLs that a snapshot changed; none for the first snapshot."""
    if number == 1:
        return ()
    query = (
        "SELECT change, loc, epoch_us(before), epoch_us(after) "
        f"FROM ({changes_at(number)}) ORDER BY change, loc LIMIT {MAX_EXAMPLES}"
    )
    return tuple(UrlChange(c, loc, moment(b), moment(a)) for c, loc, b, a in session.rows(query))


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

"""Alerts in a store: raise each condition once, end it when it is over, and mark it as reported."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from urlset.live.history import insert_rows, moment
from urlset.live.watch.alerts import EVENTS, Condition, judge, unjudged
from urlset.live.watch.bands import AlertDays, Bands, day_bands
from urlset.live.watch.rows import Alert
from urlset.live.watch.series import SiteHistory, site_history
from urlset.live.watch.structure import structure_conditions
from urlset.store import StoreSession


def update_alerts(session: StoreSession, snapshot: int) -> tuple[SiteHistory, Bands]:
    """Raise and end alerts for the latest snapshot; return the history and bands they are based on.

    Call it in the transaction of the snapshot, so that none is lost.
    """
    open_ = _open_alerts(session)
    watched = frozenset(subject for kind, subject in open_ if kind == "lastmod-mass")
    site = site_history(session, snapshot, watched)
    bands = day_bands(session, site, _alert_days(session, site.now))
    found = (*judge(site, bands, open_), *structure_conditions(session, snapshot))
    conditions = {(each.kind, each.subject): each for each in found}
    unknown = unjudged(site)
    ended = [
        number
        for (kind, subject), number in open_.items()
        if (kind, subject) not in conditions
        and (kind in EVENTS or (subject not in unknown and not _is_unread(session, kind, subject)))
    ]
    if ended:
        session.run(
            f"UPDATE store.alerts SET ended = {_time(site.now)} "
            f"WHERE alert IN ({', '.join(map(str, ended))})"
        )
    new = [each for key, each in conditions.items() if key not in open_ or each.kind in EVENTS]
    _insert(session, snapshot, site.now, new)
    return site, bands


def current_alerts(session: StoreSession) -> tuple[Alert, ...]:
    """Return the alerts that are open or not reported yet, the new ones first."""
    query = (
        "SELECT epoch_us(opened), alert, kind, subject, message, snapshot, NULL, observed, low, "
        "high, reported IS NULL FROM store.alerts WHERE ended IS NULL OR reported IS NULL "
        "ORDER BY reported IS NOT NULL, alert"
    )
    rows = session.rows(query)
    return tuple(Alert(*row)._replace(opened=moment(opened)) for opened, *row in rows)


def mark_reported(session: StoreSession, alerts: Sequence[Alert], now: datetime) -> None:
    """Record that alerts were reported, so that no later step reports them again."""
    numbers = ", ".join(str(alert.number) for alert in alerts if alert.is_new)
    if numbers:
        query = f"UPDATE store.alerts SET reported = {_time(now)} WHERE alert IN ({numbers})"
        with session.transaction():
            session.run(query)


def _open_alerts(session: StoreSession) -> dict[tuple[str, str], int]:
    query = "SELECT kind, subject, alert FROM store.alerts WHERE ended IS NULL ORDER BY alert"
    return {(kind, subject): number for kind, subject, number in session.rows(query)}


def _is_unread(session: StoreSession, kind: str, subject: str) -> bool:
    """Return whether an alert about a size is about a sitemap that could not be read."""
    if kind != "size":
        return False
    query = "SELECT state FROM store.history_documents WHERE source = ?"
    return any(state in ("failed", "gone") for (state,) in list(session.rows(query, (subject,))))


def _alert_days(session: StoreSession, now: datetime) -> list[AlertDays]:
    # A step at midnight counts what happened on the day before.
    query = (
        "SELECT kind, subject, (opened - INTERVAL 1 DAY)::DATE, coalesce(ended, "
        f"{_time(now)})::DATE FROM store.alerts WHERE opened > {_time(now)} - INTERVAL 100 DAY"
    )
    return [AlertDays(*row) for row in session.rows(query)]


def _insert(
    session: StoreSession, snapshot: int, now: datetime, conditions: Sequence[Condition]
) -> None:
    [(last,)] = list(session.rows("SELECT coalesce(max(alert), 0) FROM store.alerts"))
    rows = [
        {**each._asdict(), "alert": number, "snapshot": snapshot, "opened": now}
        for number, each in enumerate(conditions, int(last) + 1)
    ]
    insert_rows(session, "alerts", rows)


def _time(value: datetime) -> str:
    return f"TIMESTAMPTZ '{value.isoformat()}'"

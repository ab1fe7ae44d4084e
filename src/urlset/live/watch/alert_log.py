"""Alerts in a store: raise each condition once, end it when it is over, and mark it as reported.

Conditions about robots.txt, the list of sitemaps and their sizes are found here, by queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from urlset.live.history.reader import moment
from urlset.live.history.writer import insert_rows
from urlset.live.watch.alerts import EVENTS, Condition, judge, unjudged
from urlset.live.watch.bands import AlertDays, Bands, day_bands
from urlset.live.watch.rows import Alert
from urlset.live.watch.series import SiteHistory, site_history, sql_of
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.store import StoreSession


def update_alerts(session: StoreSession, snapshot: int) -> tuple[SiteHistory, Bands]:
    """Raise and end alerts for the latest snapshot; return the history and bands they are based on.

    Call it in the transaction of the snapshot, so that none is lost.
    """
    open_ = _open_alerts(session)
    known = {key for key, _ in open_}
    watched = frozenset(subject for kind, subject in known if kind == "lastmod-mass")
    site = site_history(session, snapshot, watched)
    bands = day_bands(session, site, _alert_days(session, site.now))
    found = (*judge(site, bands, known), *structure_conditions(session, snapshot))
    conditions = {(each.kind, each.subject): each for each in found}
    unknown = unjudged(site)
    ended = [
        number
        for (kind, subject), number in open_
        if kind in EVENTS
        or (
            (kind, subject) not in conditions
            and subject not in unknown
            and not _is_unread(session, kind, subject)
        )
    ]
    if ended:
        session.run(
            f"UPDATE store.alerts SET ended = {sql_of(site.now)} "
            f"WHERE alert IN ({', '.join(map(str, ended))})"
        )
    new = [each for key, each in conditions.items() if key not in known or each.kind in EVENTS]
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
        query = f"UPDATE store.alerts SET reported = {sql_of(now)} WHERE alert IN ({numbers})"
        with session.transaction():
            session.run(query)


def _open_alerts(session: StoreSession) -> list[tuple[tuple[str, str], int]]:
    """Return the kind and the subject, and the number, of each alert that is open."""
    query = "SELECT kind, subject, alert FROM store.alerts WHERE ended IS NULL ORDER BY alert"
    return [((kind, subject), number) for kind, subject, number in session.rows(query)]


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
        f"{sql_of(now)})::DATE FROM store.alerts WHERE opened > {sql_of(now)} - INTERVAL 100 DAY"
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


NEAR = 0.9
"""Share of a limit of the protocol from which on a sitemap is near it."""

GONE_STEPS = 2
"""Steps with 404 or 410 after which a sitemap is gone: a deployment may take a moment."""

DROP_SHARE = 0.5
MIN_DROPPED = 10
MAX_SHOWN = 3


def structure_conditions(session: StoreSession, snapshot: int) -> Iterator[Condition]:
    """Yield conditions for alerts about robots.txt, sitemaps and their sizes."""
    yield from _robots(session, snapshot)
    yield from _gone(session, snapshot)
    yield from _dropped(session, snapshot)
    yield from _sizes(session)


def _robots(session: StoreSession, snapshot: int) -> Iterator[Condition]:
    query = f"""
        SELECT url, list(state ORDER BY snapshot DESC)[:2], list(rules ORDER BY snapshot DESC)[:2],
            list(sitemaps ORDER BY snapshot DESC)[:2]
        FROM store.history_robots GROUP BY url
        HAVING max(snapshot) = {snapshot} AND count(*) > 1 ORDER BY url"""
    for url, states, rules, sitemaps in list(session.rows(query)):
        parts = [*_state_change(states[0], states[1])]
        parts += _difference("rule", rules[0], rules[1])
        parts += _difference("Sitemap line", sitemaps[0], sitemaps[1])
        if parts:
            yield Condition("robots", url, f"{url} changed: {'; '.join(parts)}")


def _state_change(now: str, before: str) -> Iterator[str]:
    """Yield what the states of a robots.txt say, apart from its content."""
    if now == before:
        return
    if now in _WITHOUT_RULES:
        yield _WITHOUT_RULES[now]
    elif now == "absent":
        yield "it does not exist any more"
    elif now == "read" and before != "unread":
        yield "it is new" if before == "absent" else "it can be read again"


_WITHOUT_RULES = {
    "refused": "the server refuses it, for example with HTTP 403, so that crawlers find no rules",
    "html": "it is an HTML page, so that crawlers find no rules",
}
"""Why a robots.txt that exists has no rules, by its state."""


def _difference(noun: str, now: list[str], before: list[str]) -> Iterator[str]:
    for sign, found in (
        ("new", sorted(set(now) - set(before))),
        ("removed", sorted(set(before) - set(now))),
    ):
        if found:
            more = f" and {len(found) - MAX_SHOWN:,} more" if len(found) > MAX_SHOWN else ""
            nouns = noun if len(found) == 1 else f"{noun}s"
            yield f"{sign} {nouns} {', '.join(found[:MAX_SHOWN])}{more}"


def _gone(session: StoreSession, snapshot: int) -> Iterator[Condition]:
    # Note: `failures` counts all failures. The row of history_states is the first step with 404.
    query = f"""
        SELECT source, entry_count FROM store.history_documents d
        WHERE state = 'gone' AND {snapshot} + 1 - (
            SELECT max(s.snapshot) FROM store.history_states s WHERE s.document = d.document
        ) >= {GONE_STEPS} ORDER BY document"""
    for source, entries in list(session.rows(query)):
        had = f"; it had {entries:,} entries" if entries else ""
        yield Condition("sitemap-gone", source, f"{source} is listed, but does not exist{had}")


def _dropped(session: StoreSession, snapshot: int) -> Iterator[Condition]:
    """Yield conditions for sitemaps no longer listed, unless an earlier snapshot had such, too."""
    query = f"""
        WITH dropped AS (
            SELECT document FROM store.history_states
            WHERE snapshot = {snapshot} AND state = 'unlisted'),
        gone AS (
            SELECT h.document, count(*) AS urls, count_if(NOT EXISTS (
                FROM store.history o WHERE o.url_id = h.url_id AND o.last_snapshot IS NULL)) AS lost
            FROM store.history h SEMI JOIN dropped USING (document)
            WHERE h.last_snapshot = {snapshot - 1} GROUP BY h.document)
        SELECT d.source, gone.urls, gone.lost
        FROM gone JOIN store.history_documents d USING (document)
        WHERE gone.lost >= {MIN_DROPPED} AND gone.lost >= {DROP_SHARE} * gone.urls AND NOT EXISTS (
            FROM store.history_states WHERE state = 'unlisted' AND snapshot < {snapshot})
        ORDER BY d.source"""
    for source, urls, lost in list(session.rows(query)):
        message = f"{source} is not listed any more; {lost:,} of its {urls:,} URLs are removed"
        yield Condition("sitemap-dropped", source, message, float(lost))


def _sizes(session: StoreSession) -> Iterator[Condition]:
    """Yield conditions for sitemaps over a size limit, or near it if it is only one."""
    limits = (("entry_count", MAX_URLS, "entries"), ("byte_count", MAX_BYTES, "bytes"))
    for column, limit, noun in limits:
        query = (
            f"SELECT source, {column} FROM store.history_documents WHERE state <> 'unlisted' "
            f"AND kind <> 'index' AND {column} >= {NEAR * limit} ORDER BY source"
        )
        rows = list(session.rows(query))
        for source, size in rows:
            if size > limit or len(rows) == 1:
                state = "over" if size > limit else "near"
                message = f"{source} has {size:,} {noun}, {state} the limit of {limit:,}"
                yield Condition("size", source, message, float(size), None, float(limit))

"""Watch a site: take a snapshot, judge it by the history, report alerts."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from urlset.store import Store, StoreSession, changes_at, moment
from urlset.watcher.result import UrlChange, Watch
from urlset.watcher.step import Drive, Progress, StepSettings, take_snapshot

__all__ = ["watch", "watch_with"]

MAX_EXAMPLES = 1_000
"""Changed URLs in the result; :func:`urlset.store.changes_at` is the query of all."""


def watch(
    site: str,
    store: str | os.PathLike[str],
    *,
    progress: Progress | None = None,
    **settings: Any,
) -> Watch:
    """Take one step of the history of a site: read what may have changed, store a snapshot.

    Call it again and again, as with cron. A sitemap that cannot be read is not a removal: its URLs
    are unknown until it can be read.

    Args:
        site: URL of the site, or of a sitemap.
        store: Store file (``.duckdb``) of the history; created if it does not exist.
        progress: Called with the number of sitemaps so far, and with the URL of the last one.
        settings: Fields of :class:`urlset.watcher.step.StepSettings`, such as ``recheck`` or
            ``policy``.

    Returns:
        The snapshot: counts and changed URLs.

    Raises:
        urlset.SourceError: Nothing could be read, and there is no snapshot yet.
        urlset.StoreError: The store cannot be opened, is used by another process, or has the
            history of another site.
        ValueError: A setting is invalid.
    """
    return watch_with(site, os.fspath(store), StepSettings(**settings), progress=progress)


def watch_with(
    site: str,
    path: str,
    settings: StepSettings,
    *,
    progress: Progress | None = None,
    drive: Drive | None = None,
    now: Callable[[], datetime] | None = None,
) -> Watch:
    """Take one step; as :func:`watch`, but ``drive`` and ``now`` may simulate site and time."""
    clock = now or (lambda: datetime.now(UTC))
    with Store.open(path) as store:
        store.add_history_tables()
        with store.session() as session:
            number = take_snapshot(
                session, site, settings, now=clock, drive=drive, progress=progress
            )
            return _result(session, path, number)


def _result(session: StoreSession, path: str, number: int) -> Watch:
    query = (
        "SELECT site, epoch_us(started), is_complete, reasons, request_count, url_count, "
        "unknown_count, added_count, removed_count, changed_count, sitemap_count, read_count, "
        f"failed_count FROM store.snapshots WHERE snapshot = {number}"
    )
    [row] = session.rows(query)
    site, started, is_complete, reasons, requests, urls, unknown, *counts = row
    added, removed, changed, sitemaps, read, failed = counts
    return Watch(
        site=site,
        path=path,
        snapshot=number,
        started=moment(started) or datetime.now(UTC),
        is_complete=is_complete,
        reasons=tuple(reasons),
        requests=requests,
        urls=urls,
        unknown=unknown,
        added=added,
        removed=removed,
        changed=changed,
        sitemaps=sitemaps,
        sitemaps_read=read,
        sitemaps_failed=failed,
        examples=_examples(session, number),
    )


def _examples(session: StoreSession, number: int) -> tuple[UrlChange, ...]:
    """Return changed URLs; none for the first snapshot, which has nothing to compare with."""
    if number == 1:
        return ()
    query = (
        "SELECT change, loc, epoch_us(before), epoch_us(after) "
        f"FROM ({changes_at(number)}) ORDER BY change, loc LIMIT {MAX_EXAMPLES}"
    )
    return tuple(UrlChange(c, loc, moment(b), moment(a)) for c, loc, b, a in session.rows(query))

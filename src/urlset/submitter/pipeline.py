"""Submit: find what was not announced yet, check the site, and announce it to search engines."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from urlset.http import Policy, drive_in_thread, origin_of
from urlset.model import ProgressEvent
from urlset.store import ScratchDatabase
from urlset.submitter.announcement_log import ANNOUNCEMENTS, AnnouncementLog, Staged
from urlset.submitter.indexnow import DEFAULT_ENDPOINT
from urlset.submitter.indexnow_run import IndexNowRun, IndexNowSettings, no_key_message
from urlset.submitter.inputs import ChangeInput, open_input
from urlset.submitter.keys import IndexNowKeys, keys_from
from urlset.submitter.preflight import ExcludedUrl
from urlset.submitter.result import Submission
from urlset.submitter.sender import Drive, Sender

__all__ = ["SubmitSettings", "submit", "submit_with"]

KeysGiven = str | Mapping[str, str | tuple[str, str]] | IndexNowKeys | None


@dataclass(frozen=True, kw_only=True)
class SubmitSettings:
    """Settings of a submission.

    Attributes:
        keys: Keys of IndexNow: one key, or a key by host, or key and URL of its file by host.
        endpoints: Endpoints of IndexNow; engines share what they receive, so one is enough.
        announcements: DuckDB file that records what was announced; created if it is missing.
        announce_all: Whether the first state of a site is announced, instead of recorded only.
        sample: Pages of each host that are visited before anything is sent.
        preflight: Whether the key file and the sampled pages are checked.
        dry_run: Whether requests are described in the result instead of sent.
        max_wait_s: Time that the run may wait for retries, in all, in seconds.
        policy: Limits and behaviour of the HTTP client.
    """

    keys: KeysGiven = field(default=None, repr=False)
    endpoints: Iterable[str] = (DEFAULT_ENDPOINT,)
    announcements: str | os.PathLike[str] = ANNOUNCEMENTS
    announce_all: bool = False
    sample: int = 20
    preflight: bool = True
    dry_run: bool = False
    max_wait_s: float = 900.0
    policy: Policy | None = None

    def __post_init__(self) -> None:
        endpoints = [self.endpoints] if isinstance(self.endpoints, str) else [*self.endpoints]
        for endpoint in endpoints:
            if origin_of(endpoint) is None:
                raise ValueError(
                    f"endpoints: expected a URL as {DEFAULT_ENDPOINT}, found {endpoint!r}"
                )
        if not endpoints:
            raise ValueError("endpoints: expected a URL, found none")
        for name in ("sample", "max_wait_s"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, found {getattr(self, name)}")
        object.__setattr__(self, "endpoints", tuple(dict.fromkeys(endpoints)))
        object.__setattr__(self, "keys", keys_from(self.keys))


def submit(
    updates: Any = None,
    *,
    progress: Callable[[ProgressEvent], None] | None = None,
    **settings: Any,
) -> Submission:
    """Announce what changed to search engines: each change once, after a check of the site.

    Args:
        updates: File of changes (``build --changes``, ``diff --format jsonl``), ledger of a build,
            or store; ``-`` for stdin; or an iterable of changes: objects with ``change`` (added,
            changed, removed or moved) and ``loc``. None announces what earlier runs have left.
        progress: Called with each step; ``source`` of the event names it.
        settings: Fields of :class:`urlset.submitter.SubmitSettings`, such as ``keys``.

    Returns:
        Numbers by engine and host, URLs that were excluded, and errors.

    Raises:
        urlset.SourceError: The changes cannot be read.
        urlset.StoreError: The record of announcements cannot be opened.
        ValueError: A setting is invalid.
    """
    report = None if progress is None else lambda text: progress(ProgressEvent(source=text))
    return submit_with(updates, SubmitSettings(**settings), progress=report)


def submit_with(
    updates: Any,
    settings: SubmitSettings,
    *,
    progress: Callable[[str], None] | None = None,
    drive: Drive = drive_in_thread,
    now: Callable[[], datetime] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Submission:
    """Announce changes; as :func:`submit`, but engines, clock and waits may be simulated."""
    sender = Sender(
        settings.policy or Policy(),
        now or (lambda: datetime.now(UTC)),
        sleep,
        drive,
        settings.max_wait_s,
        progress or (lambda _: None),
    )
    result = Submission(is_dry_run=settings.dry_run)
    with ScratchDatabase() as db:
        given = None if updates is None else open_input(updates, db)
        log = AnnouncementLog(db, Path(settings.announcements), is_persistent=not settings.dry_run)
        result.repeated, lost = log.recover(sender.now())
        if lost:
            result.notes.append(
                f"{lost:,} announcements were sent twice, and both runs were killed before they "
                "stored the result; they are not sent again"
            )
        if given is not None:
            _add(given, log, settings, sender, result)
        _indexnow(log, settings, sender, result)
    return result


def _add(
    given: ChangeInput,
    log: AnnouncementLog,
    settings: SubmitSettings,
    sender: Sender,
    result: Submission,
) -> None:
    """Stage the input, and add what is not announced yet to the log."""
    sender.progress(f"reading {given.name}")
    staged = log.stage(given.changes)
    if given.note:
        result.notes.append(given.note)
    _report_invalid(staged, result)
    keys = settings.keys
    assert isinstance(keys, IndexNowKeys)
    for host in staged.hosts:
        if keys.key_of(host, len(staged.hosts)) is None:
            first = log.exclude(host)
            result.errors.append(no_key_message(host, keys))
            result.excluded += [
                ExcludedUrl(url, "no-key", f"there is no key for {host}") for url in first
            ]
    new: list[int] = []
    for endpoint in settings.endpoints:
        if given.is_state:
            added, known, baseline = log.add_states(
                endpoint,
                sender.now(),
                announces_all=settings.announce_all,
                infers_removed=given.infers_removed,
            )
            result.baseline = max(result.baseline, baseline)
        else:
            added, known = log.add_changes(endpoint, sender.now())
        new.append(added)
        result.known = max(result.known, known)
    result.new = max(new, default=0)


def _report_invalid(staged: Staged, result: Submission) -> None:
    result.invalid = staged.invalid
    if staged.invalid_count:
        result.errors.append(
            f"expected http(s) URLs, found {staged.invalid_count:,} other values, such as "
            f"{staged.invalid[0][:100]!r}"
        )


def _indexnow(
    log: AnnouncementLog, settings: SubmitSettings, sender: Sender, result: Submission
) -> None:
    keys = settings.keys
    assert isinstance(keys, IndexNowKeys)
    run = IndexNowRun(
        log,
        sender,
        IndexNowSettings(
            keys=keys,
            endpoints=tuple(settings.endpoints),
            sample=settings.sample,
            has_preflight=settings.preflight,
            is_dry_run=settings.dry_run,
        ),
        result,
    )
    run.run()

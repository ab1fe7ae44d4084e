"""Submit: find changes that were not announced yet, check the site, and announce them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from urlset.arguments import checked_arguments
from urlset.http import Policy, drive_in_thread, run_policy
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.changes import ChangeInput, open_input
from urlset.live.submit.indexnow_run import IndexNowRun, hosts_without_key, no_key_message
from urlset.live.submit.keys import keys_from
from urlset.live.submit.preflight import ExcludedUrl
from urlset.live.submit.result import Submission
from urlset.live.submit.search_console_run import GoogleRun
from urlset.live.submit.sender import Sender
from urlset.live.submit.settings import KeysGiven, SubmitSettings
from urlset.live.visits.drive import Drive
from urlset.model import ProgressEvent
from urlset.option_schema import StrPath, settings_of
from urlset.store import ScratchDatabase

MAX_REFUSED = 1_000


@checked_arguments
def submit(
    updates: Any = None,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    dry_run: bool = False,
    keys: KeysGiven = None,
    endpoints: Sequence[str] = ("https://api.indexnow.org/indexnow",),
    google_credentials: str | None = None,
    to: Iterable[str] = ("indexnow",),
    store: StrPath = Path(".urlset/announcements.duckdb"),
    announce_all: bool = False,
    preflight_pages: int = 20,
    preflight: bool = True,
    max_wait_s: float = 900.0,
    retry_refused: bool = False,
    sitemaps: Iterable[str] = (),
    resubmit: bool = False,
    property: str | None = None,
    status: bool = False,
    inspect: int = 0,
    inspect_store: StrPath | None = None,
    policy: Policy | None = None,
    google_base: str = "https://searchconsole.googleapis.com",
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Submission:
    """Announce what changed to search engines: each change once, after a check of the site.

    Args:
        updates: File of changes (``build --changes``, ``diff --format jsonl``), ledger of a build,
            or store; ``-`` for stdin; or an iterable of changes: objects with ``change`` (added,
            changed, removed or moved) and ``loc``. None announces what earlier runs have left.
        dry_run: Whether requests are described in the result instead of sent.
        keys: Keys of IndexNow: one key, or a key by host, or key and URL of its file by host. No
            environment variable is read.
        endpoints: Endpoint of IndexNow instead of https://api.indexnow.org/indexnow, which shares
            with all engines.
        google_credentials: Token, or content of the JSON file of a service account.
        to: Channel: indexnow (the default) or google (sitemaps to Search Console).
        store: Store (.duckdb) that records what was announced; by default
            .urlset/announcements.duckdb.
        announce_all: Announce every URL of a ledger or store that was not announced; without it,
            the first state is recorded only.
        preflight_pages: Pages of each host that are visited before anything is sent.
        preflight: Whether the key file and the sampled pages are checked.
        max_wait_s: Time that the run may wait for retries, in all, in seconds.
        retry_refused: Whether URLs that an engine refused before are sent again.
        sitemaps: Sitemaps for Search Console; by default those of robots.txt. Each is submitted
            once: engines visit them again by themselves.
        resubmit: Submit sitemaps again that were submitted before.
        property: Property, exactly as in Search Console: https://www.example.com/ or
            sc-domain:example.com.
        status: Only return the sitemaps that Search Console lists, with their state.
        inspect: Number of URLs of ``inspect_store`` to inspect in Search Console, at most 2,000 a
            day.
        inspect_store: Store with the URLs; its table ``inspections`` gets the results.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        google_base: Origin of the API of Search Console.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Returns:
        Numbers by engine and host, URLs that were excluded, and what is incomplete.

    Raises:
        urlset.SourceError: The changes cannot be read.
        urlset.StoreError: The record of announcements cannot be opened.
        ValueError: A setting is invalid.
    """
    settings = settings_of(SubmitSettings, "submit", locals())
    report = None if progress is None else lambda text: progress(ProgressEvent(source=text))
    return submit_with(updates, settings, progress=report)


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
        run_policy(settings.policy),
        now or (lambda: datetime.now(UTC)),
        sleep,
        drive,
        settings.max_wait_s,
        progress or (lambda _: None),
    )
    result = Submission(is_dry_run=settings.dry_run, to=tuple(settings.to))
    channels = settings.endpoints if "indexnow" in settings.to else ()
    with ScratchDatabase() as db:
        given = None if updates is None else open_input(updates, db)
        log = AnnouncementLog(db, Path(settings.store), is_persistent=not settings.dry_run)
        result.repeated, lost = log.recover(sender.now())
        if lost:
            result.notes.append(
                f"{lost:,} announcements were sent twice, and both runs were killed before they "
                "stored the result; they are not sent again"
            )
        result.waiting_earlier = {
            (channel, host): count
            for channel in channels
            for host, count in log.hosts(channel).items()
        }
        hosts: frozenset[str] = frozenset()
        if given is not None:
            hosts = _add(given, log, channels, settings, sender, result)
        if settings.retry_refused:
            retried = (log.retry_refused(channel, sender.now()) for channel in channels)
            result.retried = max(retried, default=0)
        result.refused_earlier = log.count_refused(channels)
        if "indexnow" in settings.to:
            IndexNowRun(log, sender, settings, result).run(hosts)
        if "google" in settings.to:
            GoogleRun(log, sender, settings, result).run()
        for channel in channels:
            count, refused = log.refused(channel, MAX_REFUSED - len(result.refused))
            result.refused_count += count
            result.refused += refused
    return result


def _add(
    given: ChangeInput,
    log: AnnouncementLog,
    channels: Sequence[str],
    settings: SubmitSettings,
    sender: Sender,
    result: Submission,
) -> frozenset[str]:
    """Add the changes of an input that are not announced yet to the log; return their hosts."""
    sender.progress(f"reading {given.name}")
    staged = log.stage(given.changes)
    if given.note:
        result.notes.append(given.note)
    result.invalid = staged.invalid
    if staged.invalid_count > len(staged.invalid):
        others = f"{staged.invalid_count:,} other values; the first {len(staged.invalid)} are named"
        result.faults += (f"expected http(s) URLs, found {others}",)
    if channels:
        keys = keys_from(settings.keys)
        without = [h for h in staged.hosts if keys.key_of(h, len(staged.hosts)) is None]
        examples = log.exclude(without)
        if count := sum(staged.hosts[host] for host in without):
            result.excluded_counts["no-key"] = count
        if without and given.is_state:  # one line: it is the same in each run
            result.faults += (hosts_without_key(without, count, keys),)
            examples = {}
        for host, first in examples.items():
            result.faults += (no_key_message(host, keys),)
            reason = f"there is no key for {host}"
            result.excluded += [ExcludedUrl(url, "no-key", reason) for url in first]
    new: list[int] = []
    for channel in channels:
        if given.is_state:
            added, known, baseline = log.add_states(
                channel,
                sender.now(),
                announces_all=settings.announce_all,
                infers_removed=given.infers_removed,
            )
            result.baseline = max(result.baseline, baseline)
        else:
            added, known = log.add_changes(channel, sender.now())
            earlier = log.staged_states(channel)
            refused = 0 if settings.retry_refused else earlier.get("refused", 0)
            result.refused_before = max(result.refused_before, refused)
            result.waiting_before = max(result.waiting_before, earlier.get("waiting", 0))
            known -= refused + earlier.get("waiting", 0)
        new.append(added)
        result.known = max(result.known, known)
    result.new = max(new, default=0)
    return frozenset(staged.hosts)

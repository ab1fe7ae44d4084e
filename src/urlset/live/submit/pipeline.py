"""Submit: find changes that were not announced yet, check the site, and announce them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from urlset.arguments import checked_arguments
from urlset.http import Policy, drive_in_thread, origin_of, run_policy
from urlset.live.submit.announcement_log import AnnouncementLog, Staged
from urlset.live.submit.google_auth import read_credentials
from urlset.live.submit.indexnow import DEFAULT_ENDPOINT
from urlset.live.submit.indexnow_run import IndexNowRun, IndexNowSettings, no_key_message
from urlset.live.submit.inputs import ChangeInput, open_input
from urlset.live.submit.keys import IndexNowKeys, keys_from
from urlset.live.submit.preflight import ExcludedUrl
from urlset.live.submit.result import Submission
from urlset.live.submit.search_console import expect_property
from urlset.live.submit.search_console_run import GoogleSettings, run_google
from urlset.live.submit.sender import Sender
from urlset.live.visits.drive import Drive
from urlset.model import ProgressEvent
from urlset.option_schema import StrPath, check_options, settings_of
from urlset.store import ScratchDatabase

CHANNELS = ("indexnow", "google")
MAX_REFUSED = 1_000

KeysGiven = str | Mapping[str, str | tuple[str, str]] | IndexNowKeys | None


@dataclass(frozen=True, kw_only=True)
class SubmitSettings:
    """Settings of a submission: the options of :func:`urlset.submit`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    keys: KeysGiven = field(default=None, repr=False)
    endpoints: Sequence[str] = field(default=("https://api.indexnow.org/indexnow",), repr=False)
    google_credentials: str | None = field(default=None, repr=False)
    to: Iterable[str] = ("indexnow",)
    store: Path = Path(".urlset/announcements.duckdb")
    announce_all: bool = False
    preflight_pages: int = 20
    preflight: bool = True
    max_wait_s: float = 900.0
    retry_refused: bool = False
    dry_run: bool = False
    sitemaps: Iterable[str] = ()
    resubmit: bool = False
    property: str | None = None
    status: bool = False
    inspect: int = 0
    inspect_store: Path | None = None
    policy: Policy | None = None
    google_base: str = "https://searchconsole.googleapis.com"

    def __post_init__(self) -> None:
        check_options("submit", self)
        to = tuple([self.to] if isinstance(self.to, str) else self.to)
        unknown = [name for name in to if name not in CHANNELS]
        if unknown or not to:
            raise ValueError(f"to: expected {', '.join(CHANNELS)}, found {unknown or 'none'}")
        sitemaps = tuple([self.sitemaps] if isinstance(self.sitemaps, str) else self.sitemaps)
        for sitemap in sitemaps:
            if origin_of(sitemap) is None:
                raise ValueError(f"sitemaps: expected a URL, found {sitemap!r}")
        if "google" in to:
            expect_property(self.property or "")
            if self.inspect and self.inspect_store is None:
                raise ValueError("inspect: expected a store with the URLs of the site, found none")
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "sitemaps", sitemaps)
        endpoints = [self.endpoints] if isinstance(self.endpoints, str) else [*self.endpoints]
        for endpoint in endpoints:
            if origin_of(endpoint) is None:
                raise ValueError(
                    f"endpoints: expected a URL as {DEFAULT_ENDPOINT}, found {endpoint!r}"
                )
        if not endpoints:
            raise ValueError("endpoints: expected a URL, found none")
        object.__setattr__(self, "endpoints", tuple(dict.fromkeys(endpoints)))
        object.__setattr__(self, "keys", keys_from(self.keys))


@checked_arguments
def submit(
    updates: Any = None,
    *,
    # These are generated from urlset.option_schema by `make docs`.
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
    dry_run: bool = False,
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
        keys: Keys of IndexNow: one key, or a key by host, or key and URL of its file by host.
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
        dry_run: Whether requests are described in the result instead of sent.
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
    with ScratchDatabase() as db:
        given = None if updates is None else open_input(updates, db)
        log = AnnouncementLog(db, Path(settings.store), is_persistent=not settings.dry_run)
        result.repeated, lost = log.recover(sender.now())
        if lost:
            result.notes.append(
                f"{lost:,} announcements were sent twice, and both runs were killed before they "
                "stored the result; they are not sent again"
            )
        hosts: frozenset[str] = frozenset()
        if given is not None:
            hosts = _add(given, log, settings, sender, result)
        if settings.retry_refused:
            result.retried = max(
                log.retry_refused(channel, sender.now()) for channel in _channels(settings)
            )
        if "indexnow" in settings.to:
            _indexnow(log, settings, sender, result, hosts)
        if "google" in settings.to:
            run_google(log, sender, _google(settings), result)
        for channel in _channels(settings):
            count, refused = log.refused(channel, MAX_REFUSED - len(result.refused))
            result.refused_count += count
            result.refused += refused
    return result


def _channels(settings: SubmitSettings) -> list[str]:
    """Return the channels that URLs are announced to, as the log names them."""
    return [*settings.endpoints] if "indexnow" in settings.to else []


def _google(settings: SubmitSettings) -> GoogleSettings:
    text = settings.google_credentials
    if text is None and not settings.dry_run:
        raise ValueError("google_credentials: expected a token or a service account, found none")
    return GoogleSettings(
        property=settings.property or "",
        credentials=None if text is None else read_credentials(text, "google_credentials"),
        sitemaps=tuple(settings.sitemaps),
        resubmit=settings.resubmit,
        status=settings.status,
        inspect=settings.inspect,
        store=None if settings.inspect_store is None else os.fspath(settings.inspect_store),
        base=settings.google_base,
    )


def _add(
    given: ChangeInput,
    log: AnnouncementLog,
    settings: SubmitSettings,
    sender: Sender,
    result: Submission,
) -> frozenset[str]:
    """Add the changes of an input that are not announced yet to the log; return their hosts."""
    sender.progress(f"reading {given.name}")
    staged = log.stage(given.changes)
    if given.note:
        result.notes.append(given.note)
    _report_invalid(staged, result)
    keys = settings.keys
    assert isinstance(keys, IndexNowKeys)
    new: list[int] = []
    for channel in _channels(settings):
        if channel == settings.endpoints[0]:
            _exclude_without_key(staged, log, keys, result)
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


def _exclude_without_key(
    staged: Staged, log: AnnouncementLog, keys: IndexNowKeys, result: Submission
) -> None:
    without = [host for host in staged.hosts if keys.key_of(host, len(staged.hosts)) is None]
    if not without:
        return
    for host, first in log.exclude(without).items():
        result.faults += (no_key_message(host, keys),)
        result.excluded += [
            ExcludedUrl(url, "no-key", f"there is no key for {host}") for url in first
        ]


def _report_invalid(staged: Staged, result: Submission) -> None:
    result.invalid = staged.invalid
    if staged.invalid_count:
        result.faults += (
            f"expected http(s) URLs, found {staged.invalid_count:,} other values, such as "
            f"{staged.invalid[0][:100]!r}",
        )


def _indexnow(
    log: AnnouncementLog,
    settings: SubmitSettings,
    sender: Sender,
    result: Submission,
    input_hosts: frozenset[str],
) -> None:
    keys = settings.keys
    assert isinstance(keys, IndexNowKeys)
    run = IndexNowRun(
        log,
        sender,
        IndexNowSettings(
            keys=keys,
            endpoints=tuple(settings.endpoints),
            sample=settings.preflight_pages,
            has_preflight=settings.preflight,
            is_dry_run=settings.dry_run,
            input_hosts=input_hosts,
        ),
        result,
    )
    run.run()

"""Result of a submission: numbers by channel and host, what was excluded, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from urlset.live.submit.announcement_log import RefusedUrl
from urlset.live.submit.preflight import ExcludedUrl
from urlset.live.submit.search_console import SitemapStatus
from urlset.option_names import option
from urlset.result import Result, ResultJson, values_of
from urlset.terminal_text import pluralize


class ChannelResult(NamedTuple):
    """Result of one channel for one host.

    Attributes:
        channel: Endpoint of IndexNow, or ``google``.
        host: Host; of Search Console the property.
        accepted: Announcements that were received.
        pending: Announcements that were received, while the key is not verified yet.
        waiting: Announcements that are left for the next run.
        refused: Announcements that are not sent, or were refused, for a reason of their URL.
        error: Why announcements are left; None if none are, or only those of URLs that were
            announced less than ten minutes ago.
        error_code: Code of that reason, for programs.
        is_delayed: Whether nothing is wrong, and a later run will succeed.
    """

    channel: str
    host: str
    accepted: int = 0
    pending: int = 0
    waiting: int = 0
    refused: int = 0
    error: str | None = None
    error_code: str | None = None
    is_delayed: bool = False


class SubmissionJson(ResultJson):
    """Result of a submission.

    Attributes:
        sent: Number of announcements that engines received.
        waiting: Number of announcements that are left for the next run.
        is_dry_run: Whether nothing was sent.
        excluded_counts: Number of URLs that are not announced, by the code of the reason.
    """

    new: int
    known: int
    waiting_before: int
    refused_before: int
    baseline: int
    repeated: int
    retried: int
    sent: int
    waiting: int
    is_dry_run: bool
    results: list[Annotated[dict[str, Any], ChannelResult]]
    excluded: list[Annotated[dict[str, Any], ExcludedUrl]]
    excluded_counts: dict[str, int]
    refused: list[Annotated[dict[str, Any], RefusedUrl]]
    refused_count: int
    invalid: list[str]
    sitemaps: list[Annotated[dict[str, Any], SitemapStatus]]
    inspected: int
    notes: list[str]


@dataclass(kw_only=True, repr=False)
class Submission(Result):
    """Result of :func:`urlset.submit`.

    Attributes:
        new: Changes that were not announced before.
        known: Changes that were announced before, and are not again.
        waiting_before: Changes of this input that wait since an earlier run.
        refused_before: Changes of this input that an engine refused before, and that are not sent
            again without ``retry_refused``.
        waiting_earlier: Number of announcements that earlier runs left, by channel and host.
        baseline: URLs that are recorded as known, because announcing begins with this run.
        retried: Announcements that were refused before and are sent again (``retry_refused``).
        refused: URLs whose latest announcement to a channel was refused, with the answer; the first
            thousand. A URL occurs once for each channel.
        refused_count: Number of all such announcements.
        refused_earlier: Number of different URLs that were refused or excluded by earlier runs, and
            that this run does not announce.
        repeated: Announcements of a run that was killed, which are sent once more.
        invalid: Values of the input that are not http(s) URLs.
        results: Numbers by channel and host.
        excluded: URLs that are not announced, with the reasons; the first thousand.
        excluded_counts: Number of all such URLs by the code of the reason, such as ``noindex``.
        requests: Text of each request, if nothing is sent (``dry_run``).
        sitemaps: Sitemaps that Search Console lists, with their state.
        inspected: URLs whose state in Search Console was stored.
        notes: Messages that are no errors.
        faults: Why something was not announced or read, other than by the answer of a channel, such
            as a host without a key.
        reported_before: Faults and errors that an earlier run had, too, about the same URLs: the
            command prints them once.
        is_dry_run: Whether nothing was sent.
        to: Channels: ``indexnow``, ``google``.
    """

    new: int = 0
    known: int = 0
    waiting_before: int = 0
    refused_before: int = 0
    waiting_earlier: dict[tuple[str, str], int] = field(default_factory=dict)
    baseline: int = 0
    repeated: int = 0
    retried: int = 0
    invalid: tuple[str, ...] = ()
    results: list[ChannelResult] = field(default_factory=list)
    excluded: list[ExcludedUrl] = field(default_factory=list)
    excluded_counts: Counter[str] = field(default_factory=Counter)
    refused: list[RefusedUrl] = field(default_factory=list)
    refused_count: int = 0
    refused_earlier: int = 0
    requests: list[str] = field(default_factory=list)
    sitemaps: list[dict[str, Any]] = field(default_factory=list)
    inspected: int = 0
    notes: list[str] = field(default_factory=list)
    faults: tuple[str, ...] = ()
    reported_before: tuple[str, ...] = ()
    is_dry_run: bool = False
    to: tuple[str, ...] = ()

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What was not announced, and why: the faults, the errors of channels, and the URLs.

        A dry run is complete if it would announce everything.
        """
        urls = (f"{one.url}: {one.reason}" for one in self.excluded)
        invalid = (f"expected an http(s) URL, found {url[:100]!r}" for url in self.invalid)
        errors = (result.error for result in self.results if result.error)
        return (*self.faults, *errors, *self._unsent, *urls, *invalid)

    @property
    def _unsent(self) -> Iterator[str]:
        """Changes that were refused before, or wait although no channel has an error."""
        if self.refused_before:
            changes = pluralize(self.refused_before, "change was", "changes were")
            yield f"{changes} refused before, and not sent again ({option('retry_refused')})"
        waiting = sum(each.waiting for each in self.results if not each.error)
        if waiting and not self.is_dry_run:
            announcements = pluralize(waiting, "announcement waits", "announcements wait")
            yield f"{announcements} for the next run"

    @property
    def subject(self) -> str:
        """The channels, as the end of a phrase."""
        return f"to {' and '.join(self.to)}" if self.to else ""

    @property
    def sent(self) -> int:
        """Number of announcements that engines received."""
        return sum(result.accepted + result.pending for result in self.results)

    @property
    def waiting(self) -> int:
        """Number of announcements that are left for the next run."""
        return sum(result.waiting for result in self.results)

    @property
    def has_failures(self) -> bool:
        """Whether something was not announced for another reason than a delay."""
        has_error = any(result.error and not result.is_delayed for result in self.results)
        has_excluded = self.excluded or self.refused_before
        return bool(has_error or self.faults or has_excluded or self.invalid)

    @property
    def is_delayed(self) -> bool:
        """Whether announcements wait although nothing is wrong."""
        return any(result.is_delayed for result in self.results)

    @property
    def _totals(self) -> str:
        """Numbers of changes, and of URLs that were sent."""
        text = f"{pluralize(self.new, 'new change')}, {self.known:,} announced before"
        if self.waiting_before:
            text += f", {self.waiting_before:,} waiting since an earlier run"
        if self.refused_before:
            text += f", {self.refused_before:,} refused before"
        if self.retried:
            text += f", {self.retried:,} refused before and tried again"
        if self.excluded_counts:
            counts = ", ".join(f"{count:,} {code}" for code, count in self.excluded_counts.items())
            text += f"; {pluralize(self.excluded_counts.total(), 'URL')} excluded ({counts})"
        if self.is_dry_run:
            count = pluralize(len(self.requests), "request")
            return f"{text}; nothing was sent: this was a dry run of {count}"
        return f"{text}; {pluralize(self.sent, 'URL')} sent"

    def to_dict(self) -> SubmissionJson:
        """Return the result as values that JSON has."""
        return values_of(self, SubmissionJson)

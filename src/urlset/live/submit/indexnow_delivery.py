"""Delivery of the waiting announcements of one host to one endpoint of IndexNow."""

from __future__ import annotations

import logging
from collections import Counter, deque
from dataclasses import dataclass

from urlset.http import origin_of
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.indexnow import MAX_URLS, Verdict, VerdictKind, interpret, submission
from urlset.live.submit.keys import IndexNowKey
from urlset.live.submit.preflight import ExcludedUrl
from urlset.live.submit.result import ChannelResult
from urlset.live.submit.sender import Sender
from urlset.option_names import option

logger: logging.Logger = logging.getLogger("urlset.submit")

MAX_SPLITS = 40
"""Batches of one host that are halved to find the URLs that an engine refuses (status 422)."""

MAX_REFUSALS = 8
"""Refused requests (status 422) without an accepted one after which no URL is sent any more: the
reason is then the key or the host, not a URL."""

Batch = list[tuple[int, str, str]]
"""Number, URL and change of each announcement."""

_MESSAGES: dict[VerdictKind, str] = {
    "unverified": "{name} has not fetched the key file of {host} yet, which takes some minutes; "
    "run the command again later",
    "key-missing": "{name} finds no valid key file of {host}: it looked at {key_file}{detail}; "
    "publish the file with the key alone, or name its URL in the list of keys",
    "key-refused": "{name} refuses the key of {host}{detail}: another host used it first, or it "
    "was sent before its file was live, and it stays refused; create another one: "
    "urlset submit --new-key FOLDER",
    "urls-refused": "{name} refuses URLs of {host}{detail}: they are not of the host, or not in "
    "the folder of the key file {key_file}",
    "all-refused": "{name} refuses every URL of {host}{detail}: the key, or the folder of the key "
    "file {key_file}, is probably wrong; all URLs wait for the next run",
    "malformed": "{name} rejects the request for {host}{detail}; if the endpoint is right, please "
    "report it",
    "throttled": "{name} limits the requests of this IP address{detail}; run the command again "
    "later",
    "failed": "{name} does not answer{detail}; run the command again later",
    "redirected": "{name} redirects, and redirects are not followed{detail}; name the final URL "
    "with {endpoints}",
}


@dataclass(repr=False)  # it would show the key
class Delivery:
    """Delivery to one endpoint: sends batches until none waits, or until the endpoint refuses.

    Attributes:
        excluded: URLs that the engine refused.
        failure: Why the delivery ended early; None if it did not.
    """

    _log: AnnouncementLog
    _sender: Sender
    _endpoint: str
    _host: str
    _key: IndexNowKey
    failure: Verdict | None

    def __post_init__(self) -> None:
        self.excluded: list[ExcludedUrl] = []
        self._counts: Counter[str] = Counter()
        self._tries: Counter[VerdictKind] = Counter()
        self._queue: deque[Batch] = deque()
        self._splits = 0
        self._refusals = 0
        self._refused: list[tuple[Batch, Verdict]] = []

    def run(self) -> ChannelResult:
        """Send all waiting announcements of the host in batches; return the counts."""
        while self.failure is None and (batch := self._next_batch()):
            self._send(batch)
        self._settle_refused()
        failure = self.failure
        if failure is not None and failure.kind in ("key-missing", "key-refused"):
            self._log.settle(self._endpoint, self._host, "waiting", self._sender.now())
        return ChannelResult(
            self._endpoint,
            self._host,
            self._counts["accepted"],
            self._counts["pending"],
            self._log.hosts(self._endpoint).get(self._host, 0),
            self._counts["refused"],
            None if failure is None else self._message(failure),
            None if failure is None else failure.error_code,
            failure is not None and failure.kind == "unverified",
        )

    def _next_batch(self) -> Batch:
        if self._queue:
            return self._queue.popleft()
        return self._log.waiting(self._endpoint, self._host, MAX_URLS, self._sender.now())

    def _send(self, batch: Batch) -> None:
        log, sender = self._log, self._sender
        numbers = [number for number, _, _ in batch]
        name = name_of(self._endpoint)
        sender.progress(f"sending {len(batch):,} URLs of {self._host} to {name}")
        request = submission(self._endpoint, self._host, self._key, [url for _, url, _ in batch])
        log.begin(numbers, sender.now())
        verdict = interpret(sender.send(request))
        status, code = verdict.status, verdict.error_code
        logger.info("%s: %d URLs of %s: %s", name, len(batch), self._host, code or verdict.kind)
        is_split = verdict.kind == "urls-refused" and len(batch) > 1 and self._splits < MAX_SPLITS
        state: str = "waiting"
        if verdict.is_received:
            state = verdict.kind
            self._counts[state] += len(batch)
        elif verdict.kind == "urls-refused" and not is_split:
            state = "refused"
        log.finish(numbers, state, sender.now(), status=status, error_code=code)
        if state == "accepted":
            log.settle(self._endpoint, self._host, "accepted", sender.now())
        if verdict.kind == "urls-refused":
            self._refusals += 1
            if state == "refused":
                self._refused.append((batch, verdict))
            if self._refusals >= MAX_REFUSALS and not self._has_received:
                self.failure = verdict._replace(kind="all-refused")
        if is_split:
            self._splits += 1
            half = len(batch) // 2
            self._queue.extendleft((batch[half:], batch[:half]))
        elif state == "waiting":
            self._retry(batch, verdict)

    @property
    def _has_received(self) -> bool:
        return bool(self._counts["accepted"] or self._counts["pending"])

    def _settle_refused(self) -> None:
        """Exclude the refused URLs; if no URL was accepted, let them wait: it is one failure."""
        if not self._refused:
            return
        if self.failure is None and not self._has_received:
            has_others = len(self._refused) > 1 or len(self._refused[0][0]) > 1
            if has_others or not self._log.has_received(self._endpoint, self._host):
                self.failure = self._refused[0][1]._replace(kind="all-refused")
        name, now = name_of(self._endpoint), self._sender.now()
        for batch, verdict in self._refused:
            code = verdict.error_code
            if self.failure is not None and self.failure.kind == "all-refused":
                numbers = [number for number, _, _ in batch]
                self._log.finish(numbers, "waiting", now, status=verdict.status, error_code=code)
                continue
            self._counts["refused"] += len(batch)
            reason = f"{name} refuses it: {verdict.message or code}"
            self.excluded += [ExcludedUrl(url, code or "refused", reason) for _, url, _ in batch]

    def _retry(self, batch: Batch, verdict: Verdict) -> None:
        """Wait and queue a batch again; end the delivery if no time or retry is left."""
        number = self._tries[verdict.kind]
        if number >= len(verdict.waits_s) or not self._sender.may_wait(verdict.waits_s[number]):
            self.failure = verdict
            return
        self._tries[verdict.kind] += 1
        reason = f"{name_of(self._endpoint)}: {verdict.error_code or verdict.kind}"
        self._sender.wait(verdict.waits_s[number], reason)
        self._queue.appendleft(batch)

    def _message(self, failure: Verdict) -> str:
        parts = [failure.error_code, failure.message and f"({failure.message})"]
        words = " ".join(filter(None, parts))
        return _MESSAGES[failure.kind].format(
            name=name_of(self._endpoint),
            host=self._host,
            key_file=self._key.file_url(f"https://{self._host}"),
            detail=f": {words}" if words else "",
            endpoints=option("endpoints"),
        )


def name_of(endpoint: str) -> str:
    """Return the name of an engine in messages: the host of its endpoint."""
    return (origin_of(endpoint) or endpoint).partition("://")[2]

"""Announce changes by IndexNow: preflight of each host, then batches to each endpoint."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from urlset.http import NetworkScope, origin_of
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.indexnow import (
    MAX_URLS,
    IndexNowVerdict,
    VerdictKind,
    interpret,
    submission,
)
from urlset.live.submit.keys import IndexNowKey, IndexNowKeys, keys_from
from urlset.live.submit.preflight import (
    ExcludedUrl,
    PageCheck,
    PreflightWalk,
    key_fault,
    moved_host,
    page_checks,
    requests_for,
)
from urlset.live.submit.result import ChannelResult, Submission
from urlset.live.submit.sender import Sender, request_text
from urlset.live.submit.settings import SubmitSettings
from urlset.live.visits.politeness import Politeness
from urlset.option_names import option
from urlset.terminal_text import pluralize

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
    failure: IndexNowVerdict | None

    def __post_init__(self) -> None:
        self.excluded: list[ExcludedUrl] = []
        self._counts: Counter[str] = Counter()
        self._tries: Counter[VerdictKind] = Counter()
        self._queue: deque[Batch] = deque()
        self._splits = 0
        self._refusals = 0
        self._refused: list[tuple[Batch, IndexNowVerdict]] = []
        self._schemes: set[str] = set()

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
        urls = [url for _, url, _ in batch]
        self._schemes |= _schemes_of(urls)
        name = name_of(self._endpoint)
        sender.progress(f"sending {len(batch):,} URLs of {self._host} to {name}")
        request = submission(self._endpoint, self._host, self._key, urls)
        log.begin(numbers, sender.now())
        verdict = interpret(sender.send(request))
        status, code = verdict.status, verdict.error_code
        logger.info("%s: %d URLs of %s: %s", name, len(batch), self._host, code or verdict.kind)
        is_split = verdict.kind == "urls-refused" and len(batch) > 1 and self._splits < MAX_SPLITS
        state: str = "waiting"
        if verdict.kind in ("accepted", "pending"):
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

    def _retry(self, batch: Batch, verdict: IndexNowVerdict) -> None:
        """Wait and queue a batch again; end the delivery if no time or retry is left."""
        number = self._tries[verdict.kind]
        reason = f"{name_of(self._endpoint)}: {verdict.error_code or verdict.kind}"
        if not self._sender.may_retry(verdict.waits_s, number, reason):
            self.failure = verdict
            return
        self._tries[verdict.kind] += 1
        self._queue.appendleft(batch)

    def _message(self, failure: IndexNowVerdict) -> str:
        parts = [failure.error_code, failure.message and f"({failure.message})"]
        words = " ".join(filter(None, parts))
        return _MESSAGES[failure.kind].format(
            name=name_of(self._endpoint),
            host=self._host,
            key_file=self._key.file_url(_origin(self._host, self._schemes, self._key)),
            detail=f": {words}" if words else "",
            endpoints=option("endpoints"),
        )


def name_of(endpoint: str) -> str:
    """Return the name of an engine in messages: the host of its endpoint."""
    return (origin_of(endpoint) or endpoint).partition("://")[2]


MAX_EXCLUDED = 1_000


@dataclass
class IndexNowRun:
    """Run of IndexNow: preflight and delivery for all hosts with waiting announcements.

    It completes the result of the submission.
    """

    _log: AnnouncementLog
    _sender: Sender
    _settings: SubmitSettings
    _result: Submission

    def __post_init__(self) -> None:
        self._keys = keys_from(self._settings.keys)
        self._input_hosts: frozenset[str] = frozenset()
        self._known_hosts: frozenset[str] = frozenset()
        self._stopped: dict[str, IndexNowVerdict] = {}

    def run(self, input_hosts: frozenset[str]) -> None:
        """Send all waiting announcements, host by host.

        ``input_hosts`` are those of the changes of this run; others wait since an earlier one.
        """
        self._input_hosts = input_hosts
        hosts = dict.fromkeys(h for each in self._settings.endpoints for h in self._log.hosts(each))
        self._known_hosts = input_hosts or frozenset(hosts)
        for host in hosts:
            # A key without a host is that of the input, whatever else waits since an earlier run.
            key = self._keys.key_of(host, len(input_hosts if host in input_hosts else hosts))
            if key is None:
                self._report_no_key(host)
                continue
            self._announce(host, key)
        if self._result.requests and self._settings.preflight:
            self._result.notes.append(
                "the key file and the pages were not checked: a dry run requests nothing; a real "
                "run excludes pages that are not as the changes say"
            )

    def _report_no_key(self, host: str) -> None:
        """Report that URLs of a host wait for its key; those of the input were excluded before."""
        if host in self._input_hosts:
            message = no_key_message(host, self._keys)
            is_known = False  # it says why changes of this run are excluded
        else:
            kinds = (self._log.count_waiting(host, is_removed=each) for each in (False, True))
            urls = pluralize(sum(kinds), "URL waits", "URLs wait")
            message = (
                f"no key for {host}: {urls} since an earlier run; give a line HOST KEY for each "
                f"host. If the site has moved from {host} to another host, do so once: the URLs "
                "that redirect there are then excluded"
            )
            is_known = self._log.mark(host, {}, "no-key", self._sender.now())
        if message not in self._result.faults:
            self._result.faults += (message,)
        if is_known:
            self._result.reported_before += (message,)

    def _announce(self, host: str, key: IndexNowKey) -> None:
        refused = self._refuse_outside(host, key)
        fault = None
        if self._settings.preflight and not self._settings.dry_run:
            fault, excluded = self._preflight(host, key)
            refused += excluded
        for endpoint in self._settings.endpoints:
            if fault is not None:
                waiting = self._log.hosts(endpoint).get(host, 0)
                found = ChannelResult(endpoint, host, 0, 0, waiting, 0, fault, "preflight")
            elif self._settings.dry_run:
                found = self._describe(endpoint, host, key)
            else:
                found = self._send(endpoint, host, key)
            self._result.results.append(found._replace(refused=found.refused + refused))

    def _refuse_outside(self, host: str, key: IndexNowKey) -> int:
        folder = key.scope(f"https://{host}")
        if folder == "/":
            return 0
        outside = {
            url
            for endpoint in self._settings.endpoints
            for url in self._log.refuse_outside(endpoint, host, folder, self._sender.now())
        }
        reason = f"it is not in the folder {folder} of the key file"
        for url in sorted(outside):
            self._exclude(ExcludedUrl(url, "key-scope", reason))
        return len(outside)

    def _exclude(self, one: ExcludedUrl) -> None:
        logger.info("%s is excluded: %s", one.url, one.reason)
        self._result.excluded_counts[one.code] += 1
        if len(self._result.excluded) < MAX_EXCLUDED:
            self._result.excluded.append(one)

    def _preflight(self, host: str, key: IndexNowKey) -> tuple[str | None, int]:
        """Return why nothing may be sent for a host, or None; and the number of refused URLs."""
        sample = self._settings.preflight_pages
        present: dict[str, None] = {}
        removed: dict[str, None] = {}
        for endpoint in self._settings.endpoints:
            present |= dict.fromkeys(self._log.sample(endpoint, host, sample, is_removed=False))
            half = (sample + 1) // 2
            removed |= dict.fromkeys(self._log.sample(endpoint, host, half, is_removed=True))
        urls = [*present, *removed]
        if not urls and sample:
            return None, 0
        self._sender.progress(f"checking the key file and {len(urls):,} pages of {host}")
        requests = requests_for(key, _origin(host, _schemes_of(urls), key), urls)
        politeness = Politeness(self._sender.policy, scope=self._scope_of(host))
        walk = PreflightWalk(requests, politeness)
        responses = self._sender.visit(walk)
        fault = walk.fault
        for response in responses:
            if response.request.purpose == "key":
                fault = key_fault(key, response)
        new_host = moved_host(host, responses, is_removed=set(removed))
        if new_host is not None and self._input_hosts and host not in self._input_hosts:
            return None, self._refuse_moved(host, new_host)
        if fault is not None:
            return f"nothing is sent for {host}: {fault}", 0
        # In the order of the sample, whatever arrived first.
        order = {url: number for number, url in enumerate(urls)}
        pages = [response for response in responses if response.request.purpose == "page"]
        pages.sort(key=lambda response: order[response.request.url])
        if walk.disallowed:
            self._result.notes.append(
                f"{host}: {walk.disallowed:,} of {1 + len(urls):,} URLs, the key file and sampled "
                f"pages, were not checked: robots.txt disallows them for {politeness.agent}"
            )
        checks = list(page_checks(pages, is_removed=set(removed)))
        wrong = [check.fault for check in checks if check.fault is not None]
        unknown = [check.url for check in checks if check.is_unknown]
        if checks and not any(check.is_good for check in checks):
            return self._nothing_good(host, wrong, unknown), 0
        held = set()
        for is_removed in (False, True):
            same = [check for check in checks if (check.url in removed) is is_removed]
            if self._hold_all(host, same, is_removed=is_removed):
                held |= {check.url for check in same}
        now = self._sender.now()
        self._log.hold(unknown)
        refused = 0
        for one in wrong:
            if one.url in held:
                continue
            self._exclude(one)
            refused += bool(self._log.refuse(host, [one.url], one.code, now))
        if unknown:
            self._result.notes.append(
                f"{host}: {len(unknown):,} of {len(checks):,} sampled pages could not be checked "
                f"and wait for the next run, such as {unknown[0]}"
            )
        return None, refused

    def _nothing_good(self, host: str, wrong: Sequence[ExcludedUrl], unknown: Sequence[str]) -> str:
        """Return why nothing is sent for a host of which no sampled page is as expected."""
        example = f"{wrong[0].url}: {wrong[0].reason}" if wrong else f"{unknown[0]}: no answer"
        message = (
            f"nothing is sent for {host}: none of the {len(wrong) + len(unknown):,} sampled pages "
            f"is as the changes say, such as {example}; publish the site first, or send the URLs "
            f"with {option('preflight', False)}"
        )
        codes = {one.url: one.code for one in wrong}
        if wrong and self._log.mark(host, codes, "preflight", self._sender.now()):
            self._result.reported_before += (message,)
        return message

    def _refuse_moved(self, host: str, new_host: str) -> int:
        """Exclude all URLs of a host that has moved; return their number."""
        urls = self._log.refuse_all(host, "moved", self._sender.now())
        reason = f"{host} has moved: its key file and sampled pages redirect to {new_host} for good"
        for url in urls:
            self._exclude(ExcludedUrl(url, "moved", reason))
        return len(urls)

    def _hold_all(self, host: str, checks: Sequence[PageCheck], *, is_removed: bool) -> bool:
        """Let all removed URLs of a host wait, or all others, if no sampled one is as expected.

        There are more than were sampled, so that the others are likely to be wrong, too.
        """
        faults = [check.fault for check in checks if check.fault is not None]
        count = self._log.count_waiting(host, is_removed=is_removed)
        if not faults or any(check.is_good for check in checks) or count <= len(checks):
            return False
        self._log.hold_all(host, is_removed=is_removed)
        kind = "removed URLs" if is_removed else "added and changed URLs"
        message = (
            f"{count:,} {kind} of {host} wait: none of the {len(checks):,} sampled ones is as the "
            f"changes say, such as {faults[0].url}: {faults[0].reason}; publish the site first, or "
            f"send them with {option('preflight', False)}"
        )
        self._result.faults += (message,)
        codes, now = {one.url: one.code for one in faults}, self._sender.now()
        if self._log.mark(host, codes, "preflight", now, kinds=(is_removed,)):
            self._result.reported_before += (message,)
        return True

    def _scope_of(self, host: str) -> NetworkScope:
        """Return the scope of requests to a host.

        The user named a host that a key was given for. The only host of the input, or the only one
        that waits if the input is empty, may be private, but never an address such as
        169.254.169.254: the changes may be those of a stranger.
        """
        if host in self._keys.by_host:
            return "anywhere"
        return "private" if self._known_hosts == {host} else "public"

    def _send(self, endpoint: str, host: str, key: IndexNowKey) -> ChannelResult:
        stopped = self._stopped.get(endpoint)
        delivery = Delivery(self._log, self._sender, endpoint, host, key, stopped)
        found = delivery.run()
        for one in delivery.excluded:
            self._exclude(one)
        if delivery.failure is not None and delivery.failure.kind == "throttled":
            self._stopped[endpoint] = delivery.failure  # the limit is one of the IP address
        return found

    def _describe(self, endpoint: str, host: str, key: IndexNowKey) -> ChannelResult:
        """Add the text of the requests of a dry run to the result; send nothing."""
        now = self._sender.now()
        while batch := self._log.waiting(endpoint, host, MAX_URLS, now):
            request = submission(endpoint, host, key, [url for _, url, _ in batch])
            self._result.requests.append(request_text(request, self._sender.policy))
            self._log.finish([number for number, _, _ in batch], "accepted", now)
        return ChannelResult(endpoint, host)


def no_key_message(host: str, keys: IndexNowKeys) -> str:
    """Return the message about a host without a key."""
    if keys.single is not None:
        return f"no key for {host}: {_SEVERAL_HOSTS}; give a line HOST KEY for each"
    return f"no key for {host}, which is not announced; there are keys for {_known_hosts(keys)}"


_SEVERAL_HOSTS = "there are changes of several hosts, and each needs a key of its own"


def _known_hosts(keys: IndexNowKeys) -> str:
    if len(keys.by_host) <= 10:
        return ", ".join(sorted(keys.by_host)) or "no host"
    return f"{len(keys.by_host):,} hosts"


def hosts_without_key(hosts: Sequence[str], count: int, keys: IndexNowKeys) -> str:
    """Return the message about the hosts of a ledger or a store that have no key."""
    names = ", ".join(hosts) if len(hosts) <= 3 else f"{hosts[0]}, {hosts[1]}"
    more = f" and {len(hosts) - 2:,} more hosts" if len(hosts) > 3 else ""
    urls = pluralize(count, "URL is", "URLs are")
    why = _SEVERAL_HOSTS if keys.single is not None else f"there are keys for {_known_hosts(keys)}"
    return f"no key for {names}{more}: {urls} not announced; {why}; give a line HOST KEY for each"


def _schemes_of(urls: Iterable[str]) -> set[str]:
    return {url.partition("://")[0].lower() for url in urls}


def _origin(host: str, schemes: Set[str], key: IndexNowKey) -> str:
    """Return the origin of the key file of a host: https, if one of its pages has that scheme."""
    if key.location is not None:
        return origin_of(key.location) or f"https://{host}"
    return f"{'http' if schemes == {'http'} else 'https'}://{host}"

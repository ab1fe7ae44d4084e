"""Walk over URLs that obeys robots.txt, pauses and limits; no network I/O."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypedDict, TypeVar, Unpack

from urlset.http import REDIRECTS, NetworkScope, Request, Response, redirect_target
from urlset.live.visits.page_urls import origin_of_page
from urlset.live.visits.politeness import Politeness
from urlset.robots import Robots


class _HasUrl(Protocol):
    @property
    def url(self) -> str: ...


T = TypeVar("T", bound=_HasUrl)
R = TypeVar("R")


class VisitTarget(NamedTuple):
    """URL to visit, with the validators of its stored response and the number of attempts."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    attempts: int = 0
    ends_at_head: bool = False


class Manner(TypedDict):
    """Fields of a request that politeness sets."""

    scope: NetworkScope
    delay_s: float
    wait_s: float
    may_continue: Callable[[], bool] | None
    may_wait: Callable[[float], bool] | None
    may_follow: Callable[[str], bool] | None


class PoliteWalk(Generic[T, R]):
    """Walk over URLs that obeys robots.txt, ``Crawl-delay``, ``Retry-After`` and a budget.

    URLs beyond a limit yield nothing.
    """

    def __init__(self, targets: Iterator[T], politeness: Politeness):
        self.politeness: Politeness = politeness
        self._targets = targets
        self._held: dict[str, list[T]] = {}
        self._unknown_origins: deque[str] = deque()
        self._late: set[tuple[str, str]] = set()
        self._ready: deque[T] = deque()
        self._results: deque[R] = deque()

    def next_request(self) -> Request | None:
        """Return the next request; a URL waits until the robots.txt of its host has arrived."""
        politeness = self.politeness
        while politeness.budget.limit is None:
            if self._unknown_origins:
                if not politeness.budget.has_time():
                    return None
                return politeness.robots_request(self._unknown_origins.popleft())
            target = self._ready.popleft() if self._ready else self.next_target()
            if target is None:
                return None
            origin = origin_of_page(target.url)
            robots = politeness.robots.get(origin)
            if robots is None:
                self._hold(target, origin)
                continue
            if not robots.allows(target.url, politeness.agent):
                self._results.extend(self.results_of_refusal(target, robots))
                continue
            host = politeness.pace.of(origin)
            request = self.request_for(
                target,
                scope=politeness.scope_of(origin),
                delay_s=host.delay_s,
                wait_s=politeness.pace.wait_s(origin, politeness.clock()),
                may_continue=politeness.budget.spend,
                may_wait=politeness.budget.has_time,
                may_follow=politeness.may_follow,
            )
            is_allowed = politeness.budget.spend(self.cost_of(target), request.wait_s)
            return request if is_allowed else None
        return None

    def handle(self, response: Response) -> Iterator[R]:
        """Process a response; yield its results, and those of URLs that robots.txt disallows."""
        if response.request.purpose == "robots":
            self._receive_robots(response)
        elif response.error == "unsent":  # as if it had not been returned by `next_request`
            target: Any = response.request.token
            self.politeness.budget.refund(self.cost_of(target))
        else:
            self.politeness.observe(response)
            if not self._will_follow(response):
                yield from self.results_of(response)
        if self._results:
            yield from self.waiting()

    def _hold(self, target: Any, origin: str) -> None:
        """Let a URL wait until the robots.txt of a host has arrived, which is requested once."""
        held = self._held.setdefault(origin, [])
        held.append(target)
        if len(held) == 1:
            self._unknown_origins.append(origin)

    def _receive_robots(self, response: Response) -> None:
        origin = str(response.request.token)
        held = self._held.pop(origin, [])
        is_of_target = any(origin_of_page(target.url) == origin for target in held)
        self.politeness.receive_robots(response, is_of_target=is_of_target)
        self._ready.extend(held)

    def _will_follow(self, response: Response) -> bool:
        """Return whether a URL is requested once more, to follow its redirect to another host.

        It was not followed because the robots.txt of that host was not known.
        """
        request = response.request
        if response.status not in REDIRECTS or response.error or request.may_follow is None:
            return False
        target = redirect_target(response) if request.follows_redirects else None
        origin = origin_of_page(target) if target else ""
        if not target or not origin:
            return False
        if origin not in self.politeness.robots:
            self._hold(request.token, origin)
            return True
        # The robots.txt may have arrived after the decision not to follow.
        is_late = (request.url, origin) not in self._late and self.politeness.may_follow(target)
        if is_late:
            self._late.add((request.url, origin))
            held: Any = request.token
            self._ready.append(held)
        return is_late

    def waiting(self) -> Iterator[R]:
        """Yield the results that no response has caused, as of URLs that robots.txt disallows."""
        while self._results:
            yield self._results.popleft()

    def close(self) -> Iterator[R]:
        """End the walk; yield its remaining results."""
        return self.waiting()

    def stop(self) -> Iterator[R]:
        """End the walk after an interruption; yield the results that are ready."""
        return self.waiting()

    def next_target(self) -> T | None:
        """Return the next URL to request; None at the end, or if a response has to arrive first."""
        return next(self._targets, None)

    def cost_of(self, target: T) -> int:  # noqa: ARG002
        """Return the requests that a target counts for in the budget."""
        return 1

    def request_for(self, target: T, **manner: Unpack[Manner]) -> Request:
        """Return the request for a target, with the fields that politeness sets."""
        raise NotImplementedError

    def results_of(self, response: Response) -> Iterable[R]:
        """Return the results of a response."""
        raise NotImplementedError

    def results_of_refusal(self, target: T, robots: Robots) -> Iterable[R]:  # noqa: ARG002
        """Return the results for a URL that robots.txt disallows; by default none."""
        return ()

"""What the walks of one run share: robots.txt files, pace, limits, hosts that the user named."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping

from urlset.http import NetworkScope, Policy, Request, Response, retry_after_s
from urlset.live.visits.budget import Budget
from urlset.live.visits.pace import Pace
from urlset.live.visits.page_urls import origin_of_page
from urlset.reader.site import product_token
from urlset.robots import MAX_BYTES, Robots, robots_from_response

REFUSALS = frozenset({429, 503})
PRIVATE_HOST = (
    "not requested: its address is private or special, and you did not name its host; a sitemap "
    "must not lead to such addresses"
)
"""Statuses by which a host asks for a slower pace."""


class Politeness:
    """The robots.txt files, pace and limits of one run, for all its walks.

    Attributes:
        agent: Product token of the crawler, for robots.txt.
        robots: The robots.txt files that were read, by origin.
        unread_robots: Messages about those that could not be read.
        pace: Delays between requests, which react to response times.
        budget: Limits of the run.

    Args:
        policy: Policy of the run: user agent and delay.
        budget: Limits; None for none.
        hosts: Hosts that the user named, which may have private addresses.
        scope: Addresses that requests to other hosts may be sent to.
        robots: robots.txt files that are known, by origin.
    """

    def __init__(
        self,
        policy: Policy,
        budget: Budget | None = None,
        *,
        hosts: Collection[str] = (),
        scope: NetworkScope = "public",
        robots: Mapping[str, Robots] | None = None,
    ):
        self.agent: str = product_token(policy.user_agent)
        self.robots: dict[str, Robots] = {}
        self.unread_robots: list[str] = []
        self.pace: Pace = Pace(policy.delay_s)
        self.budget: Budget = budget or Budget()
        self.clock = time.monotonic
        self._hosts = hosts
        self._scope: NetworkScope = scope
        for origin, file in (robots or {}).items():
            self._add(origin, file)

    def scope_of(self, origin: str) -> NetworkScope:
        """Return the addresses that requests to a host may be sent to."""
        return "anywhere" if origin.partition("://")[2] in self._hosts else self._scope

    def robots_request(self, origin: str) -> Request:
        """Return the request for the robots.txt of a host."""
        return Request(
            f"{origin}/robots.txt",
            purpose="robots",
            scope=self.scope_of(origin),
            max_bytes=MAX_BYTES + 1,
            token=origin,
        )

    def receive_robots(self, response: Response) -> str:
        """Add the robots.txt in a response; return the origin of its host."""
        origin, robots = str(response.request.token), robots_from_response(response)
        if robots.state == "unreachable":
            if response.error == "blocked":
                robots.reason = PRIVATE_HOST
            self.unread_robots.append(
                f"robots.txt: {response.request.url} could not be read ({robots.reason}), so "
                "that every page of its host is disallowed"
            )
        self._add(origin, robots)
        return origin

    def observe(self, response: Response) -> None:
        """Adapt the pace of a host to its response; end the run if no host responds any more."""
        host = self.pace.of(origin_of_page(response.url))
        if response.status in REFUSALS:
            host.refuse(self.clock(), retry_after_s(response.headers.get("retry-after")))
        elif response.first_byte_s is not None:
            host.observe(response.first_byte_s, self.clock())
        is_answered = response.status is not None or response.error == "limit"
        self.budget.observe(is_answered=is_answered)

    def _add(self, origin: str, robots: Robots) -> None:
        self.robots[origin] = robots
        self.pace.of(origin, robots.crawl_delay_s(self.agent))

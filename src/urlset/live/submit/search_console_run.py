"""Announce sitemaps to Search Console, report their state, and inspect URLs."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from urlset.errors import SourceError
from urlset.http import Request, Response, Secrets
from urlset.live.submit import search_console
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.google_auth import Credentials, secrets_of, token_of, token_request
from urlset.live.submit.inspections import InspectionTable
from urlset.live.submit.request_text import HIDDEN, request_text
from urlset.live.submit.result import ChannelResult, Submission
from urlset.live.submit.sender import Sender
from urlset.option_names import option
from urlset.robots import MAX_BYTES, robots_from_response
from urlset.store import Store

CHANNEL = "google"
"""Name of the channel in the log and in results."""

REQUESTS_A_MINUTE = 200
"""Requests of an account to Search Console, other than inspections."""

INSPECTIONS_A_MINUTE = 600


@dataclass(frozen=True, kw_only=True)
class GoogleSettings:
    """Settings for Search Console.

    Attributes:
        property: Property, exactly as Search Console shows it.
        credentials: Token or service account; None for a dry run.
        sitemaps: Sitemaps to submit; those of robots.txt if empty.
        resubmit: Whether sitemaps that were submitted before are submitted again.
        status: Whether the sitemaps that Search Console lists are reported.
        inspect: Number of URLs to inspect.
        store: Store with the URLs, in which the results are stored.
        base: Origin of the API.
    """

    property: str
    credentials: Credentials | None = field(repr=False)
    sitemaps: tuple[str, ...] = ()
    resubmit: bool = False
    status: bool = False
    inspect: int = 0
    store: str | None = None
    base: str = search_console.BASE


class _Parts(NamedTuple):
    log: AnnouncementLog
    sender: Sender
    result: Submission
    access: _Access


def call(sender: Sender, request: Request) -> tuple[search_console.GoogleVerdict, Response]:
    """Send a request, with retries if its result allows; return the last verdict and response."""
    number = 0
    while True:
        response = sender.send(request)
        verdict = search_console.interpret_google(response)
        if number >= len(verdict.waits_s) or not sender.may_wait(verdict.waits_s[number]):
            return verdict, response
        sender.wait(verdict.waits_s[number], f"{request.purpose}: {verdict.error_code}")
        number += 1


class _Access:
    """Authorization of requests to Search Console.

    A service account requests a token, and another one when Google no longer accepts it: a token is
    valid for an hour, and a run may take longer.
    """

    def __init__(self, sender: Sender, credentials: Credentials | None):
        self._sender = sender
        self._credentials = credentials
        self.secrets: Secrets = secrets_of(self._token())

    def call(
        self, make: Callable[[Secrets], Request]
    ) -> tuple[search_console.GoogleVerdict, Response]:
        """Send a request that is made with the current secrets, with retries."""
        verdict, response = call(self._sender, make(self.secrets))
        if verdict.kind != "unauthorized" or self._credentials is None or self._credentials.token:
            return verdict, response
        try:
            self.secrets = secrets_of(self._token())
        except SourceError:
            return verdict, response
        return call(self._sender, make(self.secrets))

    def _token(self) -> str:
        credentials = self._credentials
        if credentials is None:  # a dry run
            return HIDDEN
        if credentials.token is not None:
            return credentials.token
        request = token_request(credentials, search_console.SCOPE, self._sender.now())
        _, response = call(self._sender, request)
        return token_of(response, credentials)


def run_google(
    log: AnnouncementLog, sender: Sender, settings: GoogleSettings, result: Submission
) -> None:
    """Submit new sitemaps to Search Console, report the state of all, and inspect URLs."""
    access = _Access(sender, None if result.is_dry_run else settings.credentials)
    parts = _Parts(log, sender, result, access)
    site = settings.property
    robots_url = (
        f"https://{site.removeprefix('sc-domain:')}/robots.txt"
        if site.startswith("sc-domain:")
        else f"{site}robots.txt"
    )
    sitemaps = _due(settings, robots_url, parts)
    is_stopped = _submit_sitemaps(sitemaps, settings, parts)
    if is_stopped or result.is_dry_run:
        return
    if settings.status:
        verdict, response = access.call(partial(search_console.list_sitemaps, settings.base, site))
        if verdict.kind == "ok":
            found = search_console.sitemaps_of(response)
            result.sitemaps += [one._asdict() for one in found]
        else:
            result.faults += (_google_error(verdict, settings, parts),)
    if settings.inspect:
        _inspect(settings, parts)


def _google_error(
    verdict: search_console.GoogleVerdict, settings: GoogleSettings, parts: _Parts
) -> str:
    """Return the message for an error of Google; after 403, list the sites of the account."""
    name = settings.credentials.name if settings.credentials else "the account"
    detail = f"{verdict.error_code} ({verdict.message or 'no message'})"
    if verdict.kind == "unauthorized":
        return f"Search Console does not accept {name}: {detail}; it may have expired"
    if verdict.kind == "quota":
        return f"Search Console: quota exceeded: {detail}; run the command again later"
    if verdict.kind != "forbidden":
        return f"Search Console, property {settings.property}: {detail}"
    _, response = parts.access.call(partial(search_console.list_sites, settings.base))
    seen = [f"{site} ({level})" for site, level in search_console.properties_of(response)]
    return (
        f"Search Console refuses {settings.property} to {name}: {detail}; the account sees "
        f"{', '.join(seen[:20]) or 'no property'}; write the property exactly so, or add the "
        "account as a full user or owner of the property"
    )


def _due(settings: GoogleSettings, robots_url: str, parts: _Parts) -> list[str]:
    """Return the sitemaps to submit: given, or listed in robots.txt, and not accepted yet."""
    given, site = settings.sitemaps, settings.property
    if not given and not parts.result.is_dry_run:
        request = Request(robots_url, None, "robots", scope="anywhere", max_bytes=MAX_BYTES)
        response = parts.sender.fetch(request)
        robots = robots_from_response(response)
        given = tuple(dict.fromkeys(line.url for line in robots.sitemaps))
        if not given:
            name = option("sitemaps")
            parts.result.notes.append(f"{robots_url} names no sitemap; name one with {name}")
    log = parts.log
    due = [url for url in given if settings.resubmit or not log.is_accepted(CHANNEL, site, url)]
    parts.result.known += len(given) - len(due)
    return due


def _submit_sitemaps(sitemaps: list[str], settings: GoogleSettings, parts: _Parts) -> bool:
    """Submit sitemaps one after another; return whether an error stopped this."""
    log, sender, result, access = parts
    site = settings.property
    accepted = 0
    error = code = None
    for number, url in enumerate(sitemaps):
        make = partial(search_console.submit_sitemap, settings.base, site, url)
        if result.is_dry_run:
            result.requests.append(request_text(make(access.secrets), sender.policy))
            continue
        if number and number % REQUESTS_A_MINUTE == 0:
            sender.wait(60, f"{CHANNEL}: {REQUESTS_A_MINUTE} requests a minute")
        sender.progress(f"submitting {url} to {CHANNEL}")
        row = log.add_one(CHANNEL, site, url, "sitemap", sender.now())
        log.begin([row], sender.now())
        verdict, _ = access.call(make)
        state = "accepted" if verdict.kind == "ok" else "waiting"
        log.finish([row], state, sender.now(), status=verdict.status, error_code=verdict.error_code)
        if verdict.kind == "ok":
            accepted += 1
            continue
        error, code = _google_error(verdict, settings, parts), verdict.error_code
        break
    result.new += len(sitemaps)
    if sitemaps:
        waiting = 0 if result.is_dry_run else len(sitemaps) - accepted
        result.results.append(
            ChannelResult(CHANNEL, site, accepted, waiting=waiting, error=error, error_code=code)
        )
    return error is not None


def _inspect(settings: GoogleSettings, parts: _Parts) -> None:
    """Inspect a sample of the URLs in a store, up to the quota, and store the results."""
    if settings.store is None:
        raise SourceError("inspect: expected a store with the URLs of the site, found none")
    sender = parts.sender
    with Store.open(settings.store) as store, InspectionTable(store, settings.property) as table:
        limit = min(settings.inspect, search_console.INSPECTIONS_A_DAY - table.used(sender.now()))
        for number, url in enumerate(table.sample(max(0, limit), seed=random.randrange(2**32))):
            if number and number % INSPECTIONS_A_MINUTE == 0:
                sender.wait(60, f"{CHANNEL}: {INSPECTIONS_A_MINUTE} inspections a minute")
            sender.progress(f"inspecting {url} ({number + 1:,} of {limit:,})")
            make = partial(search_console.inspect_url, settings.base, settings.property, url)
            verdict, response = parts.access.call(make)
            if verdict.kind == "ok":
                table.add(url, search_console.inspection_of(response), sender.now())
                parts.result.inspected += 1
                continue
            parts.result.faults += (_google_error(verdict, settings, parts),)
            break

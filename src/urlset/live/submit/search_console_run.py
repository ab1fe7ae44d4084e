"""Announce sitemaps to Search Console, report their state, and inspect URLs."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from urlset.errors import SourceError
from urlset.http import Request, Response, Secrets
from urlset.live.submit import search_console
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.google_auth import (
    Credentials,
    read_credentials,
    secrets_of,
    token_of,
    token_request,
)
from urlset.live.submit.inspections import InspectionTable
from urlset.live.submit.request_text import HIDDEN, request_text
from urlset.live.submit.result import ChannelResult, Submission
from urlset.live.submit.sender import Sender
from urlset.live.submit.settings import SubmitSettings
from urlset.option_names import option
from urlset.robots import MAX_BYTES, robots_from_response
from urlset.store import Store

CHANNEL = "google"
"""Name of the channel in the log and in results."""

REQUESTS_A_MINUTE = 200
"""Requests of an account to Search Console, other than inspections."""

INSPECTIONS_A_MINUTE = 600


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


class GoogleRun:
    """Run of Search Console: submits sitemaps, reports the state of all, and inspects URLs.

    Args:
        log: Announcements.
        sender: Sends the requests.
        settings: Settings of the submission.
        result: Result of the submission, which the run completes.

    Raises:
        ValueError: There are no credentials, or they have another form.
        SourceError: Google issues no token.
    """

    def __init__(
        self, log: AnnouncementLog, sender: Sender, settings: SubmitSettings, result: Submission
    ):
        self._log = log
        self._sender = sender
        self._settings = settings
        self._result = result
        self._base = settings.google_base
        self._site = settings.property or ""
        text = settings.google_credentials
        if text is None and not settings.dry_run:
            raise ValueError(
                "google_credentials: expected a token or a service account, found none"
            )
        credentials = None if text is None else read_credentials(text, "google_credentials")
        self._account = credentials.name if credentials else "the account"
        self._access = _Access(sender, None if settings.dry_run else credentials)

    def run(self) -> None:
        """Submit new sitemaps to Search Console, report the state of all, and inspect URLs."""
        is_stopped = self._submit_sitemaps(self._due())
        if is_stopped or self._settings.dry_run:
            return
        if self._settings.status:
            make = partial(search_console.list_sitemaps, self._base, self._site)
            verdict, response = self._access.call(make)
            if verdict.kind == "ok":
                found = search_console.sitemaps_of(response)
                self._result.sitemaps += [one._asdict() for one in found]
            else:
                self._result.faults += (self._error(verdict),)
        if self._settings.inspect:
            self._inspect()

    def _due(self) -> list[str]:
        """Return the sitemaps to submit: given, or listed in robots.txt, and not accepted yet."""
        given, site = tuple(self._settings.sitemaps), self._site
        if not given and not self._settings.dry_run:
            is_domain = site.startswith("sc-domain:")
            root = f"https://{site.removeprefix('sc-domain:')}/" if is_domain else site
            request = Request(
                f"{root}robots.txt", None, "robots", scope="anywhere", max_bytes=MAX_BYTES
            )
            robots = robots_from_response(self._sender.fetch(request))
            given = tuple(dict.fromkeys(line.url for line in robots.sitemaps))
            if not given:
                name = option("sitemaps")
                self._result.notes.append(f"{request.url} names no sitemap; name one with {name}")
        due = [
            url
            for url in given
            if self._settings.resubmit or not self._log.is_accepted(CHANNEL, site, url)
        ]
        self._result.known += len(given) - len(due)
        return due

    def _submit_sitemaps(self, sitemaps: list[str]) -> bool:
        """Submit sitemaps one after another; return whether an error stopped this."""
        log, sender, result, site = self._log, self._sender, self._result, self._site
        accepted = 0
        error = code = None
        for number, url in enumerate(sitemaps):
            make = partial(search_console.submit_sitemap, self._base, site, url)
            if result.is_dry_run:
                result.requests.append(request_text(make(self._access.secrets), sender.policy))
                continue
            if number and number % REQUESTS_A_MINUTE == 0:
                sender.wait(60, f"{CHANNEL}: {REQUESTS_A_MINUTE} requests a minute")
            sender.progress(f"submitting {url} to {CHANNEL}")
            row = log.add_one(CHANNEL, site, url, "sitemap", sender.now())
            log.begin([row], sender.now())
            verdict, _ = self._access.call(make)
            state = "accepted" if verdict.kind == "ok" else "waiting"
            status, code = verdict.status, verdict.error_code
            log.finish([row], state, sender.now(), status=status, error_code=code)
            if verdict.kind != "ok":
                error = self._error(verdict)
                break
            accepted += 1
        result.new += len(sitemaps)
        if sitemaps:
            waiting = 0 if result.is_dry_run else len(sitemaps) - accepted
            result.results.append(
                ChannelResult(
                    CHANNEL, site, accepted, waiting=waiting, error=error, error_code=code
                )
            )
        return error is not None

    def _inspect(self) -> None:
        """Inspect a sample of the URLs in a store, up to the quota, and store the results."""
        path, sender = self._settings.inspect_store, self._sender
        if path is None:
            raise SourceError("inspect: expected a store with the URLs of the site, found none")
        with Store.open(path) as store, InspectionTable(store, self._site) as table:
            left = search_console.INSPECTIONS_A_DAY - table.used(sender.now())
            limit = min(self._settings.inspect, left)
            for number, url in enumerate(table.sample(max(0, limit), seed=random.randrange(2**32))):
                if number and number % INSPECTIONS_A_MINUTE == 0:
                    sender.wait(60, f"{CHANNEL}: {INSPECTIONS_A_MINUTE} inspections a minute")
                sender.progress(f"inspecting {url} ({number + 1:,} of {limit:,})")
                make = partial(search_console.inspect_url, self._base, self._site, url)
                verdict, response = self._access.call(make)
                if verdict.kind != "ok":
                    self._result.faults += (self._error(verdict),)
                    break
                table.add(url, search_console.inspection_of(response), sender.now())
                self._result.inspected += 1

    def _error(self, verdict: search_console.GoogleVerdict) -> str:
        """Return the message for an error of Google; after 403, list the sites of the account."""
        name, site = self._account, self._site
        detail = f"{verdict.error_code} ({verdict.message or 'no message'})"
        if verdict.kind == "unauthorized":
            return f"Search Console does not accept {name}: {detail}; it may have expired"
        if verdict.kind == "quota":
            return f"Search Console: quota exceeded: {detail}; run the command again later"
        if verdict.kind != "forbidden":
            return f"Search Console, property {site}: {detail}"
        _, response = self._access.call(partial(search_console.list_sites, self._base))
        seen = [f"{site} ({level})" for site, level in search_console.properties_of(response)]
        return (
            f"Search Console refuses {site} to {name}: {detail}; the account sees "
            f"{', '.join(seen[:20]) or 'no property'}; write the property exactly so, or add the "
            "account as a full user or owner of the property"
        )

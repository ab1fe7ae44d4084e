"""Announce sitemaps to Search Console, report their state, and inspect URLs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from urlset.dates import format_date
from urlset.errors import SourceError
from urlset.http import Request, Response, Secrets
from urlset.live.schemas import INSPECTION_SCHEMA, INSPECTION_TABLES
from urlset.live.submit import search_console
from urlset.live.submit.announcement_log import AnnouncementLog
from urlset.live.submit.result import ChannelResult, Submission
from urlset.live.submit.sender import HIDDEN, Sender, request_text
from urlset.live.submit.settings import SubmitSettings
from urlset.live.visits.sample import allocate
from urlset.option_names import option
from urlset.result import Closing
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
        reason = f"{request.purpose}: {verdict.error_code}"
        if not sender.may_retry(verdict.waits_s, number, reason):
            return verdict, response
        number += 1


class InspectionTable(Closing):
    """The table ``inspections`` of a store with the entries of a site; a context manager.

    ``site`` is the property of Search Console.
    """

    def __init__(self, store: Store, site: str):
        store.add(INSPECTION_SCHEMA)
        self._session = store.session()
        self._site = site

    def close(self) -> None:
        """Close the session of the store."""
        self._session.__exit__()

    def used(self, now: datetime) -> int:
        """Return the number of inspections of the property in the last 24 hours."""
        since, until = format_date(now - timedelta(days=1)), format_date(now)
        [(count,)] = self._session.rows(
            "SELECT count(*) FROM store.inspections WHERE property = ? "
            "AND inspected_at > ?::TIMESTAMPTZ AND inspected_at <= ?::TIMESTAMPTZ",
            (self._site, since, until),
        )
        return int(count)

    def sample(self, n: int, *, seed: int = 0) -> Iterator[str]:
        """Yield URLs: the same share of each section, those never inspected first."""
        urls, site = self._urls()
        sizes = dict(
            self._session.rows(
                f"SELECT section, count(*)::BIGINT FROM ({urls}) GROUP BY section ORDER BY section",
                {"site": site},
            )
        )
        chosen: list[str] = []
        for section, count in allocate(sizes, n, seed=seed).items():
            query = (
                f"SELECT u.loc FROM ({urls}) u LEFT JOIN (SELECT url, "
                "max(inspected_at) AS seen FROM store.inspections GROUP BY url) i "
                "ON i.url = u.loc WHERE section = $section "
                f"ORDER BY epoch_us(seen) NULLS FIRST, hash(u.loc || '{seed}') LIMIT {count}"
            )
            values = {"site": site, "section": section}
            chosen += [row[0] for row in self._session.rows(query, values)]
        random.Random(seed).shuffle(chosen)
        yield from chosen

    def _urls(self) -> tuple[str, str]:
        """Return the query of the URLs of the property, and the value of its ``$site``."""
        is_domain = self._site.startswith("sc-domain:")
        where = (
            "(host_of_loc = $site OR ends_with(host_of_loc, '.' || $site))"
            if is_domain
            else "starts_with(loc, $site)"
        )
        query = (
            "SELECT loc, url_section(loc) AS section FROM (SELECT DISTINCT loc, "
            "lower(regexp_extract(loc, '^https?://([^/:?#]+)', 1)) AS host_of_loc "
            f"FROM store.entries) WHERE {where}"
        )
        return query, self._site.removeprefix("sc-domain:")

    def add(self, url: str, facts: Mapping[str, Any], now: datetime) -> None:
        """Store the result of an inspection of a URL; it replaces the previous one."""
        columns = [column.name for column in INSPECTION_TABLES[0].columns]
        row = {**facts, "url": url, "property": self._site, "inspected_at": format_date(now)}
        values = [_value(row.get(column)) for column in columns]
        marks = ", ".join("?" for _ in columns)
        with self._session.transaction():
            self._session.run(
                "DELETE FROM store.inspections WHERE url = ? AND property = ?", (url, self._site)
            )
            self._session.run(f"INSERT INTO store.inspections VALUES ({marks})", values)


def _value(value: object) -> object:
    """Return a value for a column; text without characters that UTF-8 lacks."""
    if isinstance(value, list):
        return [_value(each) for each in value]
    if value is None:
        return None
    return str(value).encode(errors="replace").decode()


class GoogleRun:
    """Run of Search Console: submits sitemaps, reports the state of all, and inspects URLs.

    It completes the result of the submission.

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
        credentials = (
            None if text is None else search_console.read_credentials(text, "google_credentials")
        )
        self._account = credentials.name if credentials else "the account"
        self._credentials = None if settings.dry_run else credentials
        self._secrets: Secrets = search_console.secrets_of(self._token())

    def run(self) -> None:
        """Submit new sitemaps to Search Console, report the state of all, and inspect URLs."""
        is_stopped = self._submit_sitemaps(self._due())
        if is_stopped or self._settings.dry_run:
            return
        if self._settings.status:
            request = search_console.list_sitemaps(self._base, self._site)
            verdict, response = self._call(request)
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
            request = search_console.submit_sitemap(self._base, site, url)
            if result.is_dry_run:
                text = request_text(request._replace(secrets=self._secrets), sender.policy)
                result.requests.append(text)
                continue
            if number and number % REQUESTS_A_MINUTE == 0:
                sender.wait(60, f"{CHANNEL}: {REQUESTS_A_MINUTE} requests a minute")
            sender.progress(f"submitting {url} to {CHANNEL}")
            row = log.add_one(CHANNEL, site, url, "sitemap", sender.now())
            log.begin([row], sender.now())
            verdict, _ = self._call(request)
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
            found = ChannelResult(CHANNEL, site, accepted, 0, waiting, error=error, error_code=code)
            result.results.append(found)
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
                request = search_console.inspect_url(self._base, self._site, url)
                verdict, response = self._call(request)
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
        _, response = self._call(search_console.list_sites(self._base))
        seen = [f"{site} ({level})" for site, level in search_console.properties_of(response)]
        return (
            f"Search Console refuses {site} to {name}: {detail}; the account sees "
            f"{', '.join(seen[:20]) or 'no property'}; write the property exactly so, or add the "
            "account as a full user or owner of the property"
        )

    def _call(self, request: Request) -> tuple[search_console.GoogleVerdict, Response]:
        """Send a request with the current secrets, and with retries.

        A service account requests another token when Google no longer accepts it: a token is valid
        for an hour, and a run may take longer.
        """
        verdict, response = call(self._sender, request._replace(secrets=self._secrets))
        if verdict.kind != "unauthorized" or self._credentials is None or self._credentials.token:
            return verdict, response
        try:
            self._secrets = search_console.secrets_of(self._token())
        except SourceError:
            return verdict, response
        return call(self._sender, request._replace(secrets=self._secrets))

    def _token(self) -> str:
        credentials = self._credentials
        if credentials is None:  # a dry run
            return HIDDEN
        if credentials.token is not None:
            return credentials.token
        request = search_console.token_request(credentials, self._sender.now())
        _, response = call(self._sender, request)
        return search_console.token_of(response, credentials)

"""Bing Webmaster API (JSON): requests, and what each response means.

Nothing here does I/O. Source: https://learn.microsoft.com/en-us/bingwebmaster/.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from urlset.dates import format_date, parse_json_date
from urlset.http import Request, Response, Secrets, retry_after_s
from urlset.submitter.answers import error_of, is_timeout, json_of

__all__ = [
    "BASE",
    "MAX_BATCH",
    "BingVerdict",
    "feeds_of",
    "get_feeds",
    "get_quota",
    "interpret_bing",
    "quota_of",
    "submit_feed",
    "submit_urls",
]

BASE = "https://ssl.bing.com/webmaster/api.svc/json"
"""Base of the methods; SOAP and POX were retired on 2026-08-31."""

MAX_BATCH = 500
"""URLs of one SubmitUrlBatch."""

WAITS_S = (5.0, 10.0, 20.0)

BingVerdictKind = Literal["ok", "unauthorized", "throttled", "failed", "rejected"]

# https://learn.microsoft.com/en-us/dotnet/api/microsoft.bing.webmaster.api.interfaces.apierrorcode
_KINDS: dict[str, BingVerdictKind] = {
    "3": "unauthorized",  # InvalidApiKey
    "4": "throttled",  # ThrottleUser
    "5": "throttled",  # ThrottleHost
    "13": "unauthorized",  # NotAllowed
    "14": "unauthorized",  # NotAuthorized
}


class BingVerdict(NamedTuple):
    """Meaning of a response: its kind, the code of the API, and the waits before retries."""

    kind: BingVerdictKind
    status: int | None = None
    error_code: str | None = None
    message: str | None = None
    waits_s: tuple[float, ...] = ()


def get_quota(base: str, site: str, secrets: Secrets) -> Request:
    """Return the request that asks how many more URLs may be submitted."""
    return _request("GET", f"{base}/GetUrlSubmissionQuota?siteUrl={quote(site, safe='')}", secrets)


def get_feeds(base: str, site: str, secrets: Secrets) -> Request:
    """Return the request that lists the sitemaps of a site that Bing knows."""
    return _request("GET", f"{base}/GetFeeds?siteUrl={quote(site, safe='')}", secrets)


def submit_feed(base: str, site: str, sitemap: str, secrets: Secrets) -> Request:
    """Return the request that submits a sitemap."""
    fields = {"siteUrl": site, "feedUrl": sitemap}
    return _request("POST", f"{base}/SubmitFeed", secrets, fields)


def submit_urls(base: str, site: str, urls: Sequence[str], secrets: Secrets) -> Request:
    """Return the request that submits at most :data:`MAX_BATCH` URLs."""
    fields = {"siteUrl": site, "urlList": list(urls)}
    return _request("POST", f"{base}/SubmitUrlBatch", secrets, fields)


def _request(
    method: str, url: str, secrets: Secrets, fields: Mapping[str, Any] | None = None
) -> Request:
    is_post = fields is not None
    body = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
    return Request(
        url,
        None,
        "bing",
        headers=(("Content-Type", "application/json; charset=utf-8"),) if is_post else (),
        scope="anywhere",
        max_bytes=65_536,
        follows_redirects=False,
        method=method,
        body=body if is_post else None,
        secrets=secrets,
    )


def interpret_bing(response: Response) -> BingVerdict:
    """Interpret a response of Bing: success, or an error by its code in the body."""
    status = response.status
    if status is None:
        error = "timeout" if is_timeout(response) else response.error or "no-response"
        return BingVerdict("failed", None, error, response.message, WAITS_S)
    value = json_of(response)
    is_error = isinstance(value, Mapping) and "ErrorCode" in value
    if status == 200 and not is_error:
        return BingVerdict("ok", status)
    answer = error_of(response)
    code = answer.code or f"http-{status}"
    if status == 429 or _KINDS.get(code) == "throttled":
        asked = retry_after_s(response.headers.get("retry-after"))
        waits = WAITS_S if asked is None else (asked,) * len(WAITS_S)
        return BingVerdict("throttled", status, code, answer.text, waits)
    if status >= 500:
        return BingVerdict("failed", status, code, answer.text, WAITS_S)
    if status in (401, 403):
        return BingVerdict("unauthorized", status, code, answer.text)
    return BingVerdict(_KINDS.get(code, "rejected"), status, code, answer.text)


def quota_of(response: Response) -> int | None:
    """Return how many URLs may be submitted today; None if the response does not say so."""
    value = json_of(response)
    data = value.get("d") if isinstance(value, Mapping) else None
    numbers = [
        data[name]
        for name in ("DailyQuota", "MonthlyQuota")
        if isinstance(data, Mapping)
        and isinstance(data.get(name), int)
        and not isinstance(data[name], bool)
    ]
    return max(0, min(numbers)) if numbers else None


def feeds_of(response: Response) -> list[dict[str, Any]]:
    """Return the sitemaps of a response of GetFeeds, with the fields of a ``SitemapStatus``."""
    value = json_of(response)
    data = value.get("d") if isinstance(value, Mapping) else None
    found = []
    for feed in data if isinstance(data, list) else ():
        if not isinstance(feed, Mapping) or not isinstance(feed.get("Url"), str):
            continue
        times = {
            name: parse_json_date(feed[key]) if isinstance(feed.get(key), str) else None
            for name, key in (("last_submitted", "Submitted"), ("last_downloaded", "LastCrawled"))
        }
        count = feed.get("UrlCount")
        found.append(
            {
                "path": feed["Url"],
                "type": feed.get("Type"),
                "is_pending": times["last_downloaded"] is None,
                "submitted": count if isinstance(count, int) else None,
                "warnings": None,
                "errors": None,
                **{name: format_date(time) if time else None for name, time in times.items()},
            }
        )
    return found

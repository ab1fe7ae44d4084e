"""Google Search Console API: requests without credentials, and what each response means.

Nothing here does I/O. Source: the discovery document of the API,
https://searchconsole.googleapis.com/$discovery/rest, and its limits,
https://developers.google.com/webmaster-tools/limits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from urlset.errors import SourceError
from urlset.http import Request, Response, Secrets, bearer_auth, origin_of
from urlset.live.submit.answers import (
    FAILURE_WAITS_S,
    Verdict,
    api_request,
    error_of,
    failure_code,
    json_of,
    repeated_waits,
)
from urlset.option_names import option

SCOPE = "https://www.googleapis.com/auth/webmasters"
"""Permission that submitting needs."""

INSPECTIONS_A_DAY = 2_000
"""URL Inspection calls of a property a day; 600 a minute."""

GoogleVerdictKind = Literal["ok", "forbidden", "unauthorized", "quota", "failed", "rejected"]

GoogleVerdict = Verdict[GoogleVerdictKind]

_RATE_REASONS = ("ratelimitexceeded", "userratelimitexceeded", "resource_exhausted")


class SitemapStatus(NamedTuple):
    """Sitemap that Search Console lists.

    Attributes:
        path: URL of the sitemap.
        type: Its type, in lower case without ``_``, such as ``sitemap``.
        is_pending: Whether it was not processed yet.
        is_index: Whether it is an index.
        submitted: URLs that it lists, of all types of content; null if unknown.
        warnings: Number of warnings.
        errors: Number of errors.
        last_submitted: When it was submitted, as text.
        last_downloaded: When Google last requested it, as text.
    """

    path: str
    type: str | None
    is_pending: bool
    is_index: bool
    submitted: int | None
    warnings: int | None
    errors: int | None
    last_submitted: str | None
    last_downloaded: str | None


def expect_property(text: str) -> str:
    """Return the name of a property if its form is valid in Search Console, else raise an error.

    Raises:
        ValueError: It is neither a URL with a slash at the end nor ``sc-domain:`` and a domain.

    >>> expect_property("sc-domain:example.com"), expect_property("https://www.example.com/")
    ('sc-domain:example.com', 'https://www.example.com/')
    """
    kind, _, domain = text.partition(":")
    if kind == "sc-domain" and domain and "/" not in domain and ":" not in domain:
        return text
    parts = urlsplit(text)
    if parts.scheme in ("http", "https") and parts.netloc and parts.path.endswith("/"):
        return text
    raise ValueError(
        f"{option('property')}: expected a property as Search Console shows it, "
        "https://www.example.com/ with the slash or sc-domain:example.com, found "
        f"{repr(text) if text else 'none'}"
    )


def submit_sitemap(base: str, site: str, sitemap: str) -> Request:
    """Return the request that submits a sitemap."""
    return _request("PUT", f"{_site(base, site)}/sitemaps/{quote(sitemap, safe='')}")


def list_sitemaps(base: str, site: str) -> Request:
    """Return the request that lists the sitemaps of a property with their state."""
    return _request("GET", f"{_site(base, site)}/sitemaps")


def list_sites(base: str) -> Request:
    """Return the request that lists the properties that the account can see."""
    return _request("GET", f"{base}/webmasters/v3/sites")


def inspect_url(base: str, site: str, url: str) -> Request:
    """Return the request that asks what Google knows about a URL (URL inspection)."""
    fields = {"inspectionUrl": url, "siteUrl": site, "languageCode": "en"}
    body = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
    return _request("POST", f"{base}/v1/urlInspection/index:inspect", body)


def _site(base: str, site: str) -> str:
    return f"{base}/webmasters/v3/sites/{quote(site, safe='')}"


def _request(method: str, url: str, body: bytes | None = None) -> Request:
    return api_request(url, "google", body, method=method, max_bytes=4_194_304)


def interpret_google(response: Response) -> GoogleVerdict:
    """Interpret a response of Google by its status and the reason in its body."""
    status = response.status
    if status is None:
        return GoogleVerdict(
            "failed", None, failure_code(response), response.message, FAILURE_WAITS_S
        )
    if 200 <= status < 300:
        return GoogleVerdict("ok", status)
    answer = error_of(response)
    reason = _reason(response) or answer.code or f"http-{status}"
    word = reason.lower()
    if status == 429 or (status == 403 and "quota" in word) or word in _RATE_REASONS:
        waits = () if "daily" in word else repeated_waits(response, FAILURE_WAITS_S)
        return GoogleVerdict("quota", status, reason, answer.text, waits)
    if status >= 500:
        return GoogleVerdict("failed", status, reason, answer.text, FAILURE_WAITS_S)
    kinds: dict[int, GoogleVerdictKind] = {401: "unauthorized", 403: "forbidden"}
    return GoogleVerdict(kinds.get(status, "rejected"), status, reason, answer.text)


def _reason(response: Response) -> str | None:
    """Return the reason of the first error in the body, which is more exact than the status."""
    error = _mapping(_mapping(json_of(response)).get("error"))
    first = _mapping(next(iter(_list(error.get("errors"))), None))
    reason = first.get("reason") or error.get("status")
    return reason if isinstance(reason, str) and len(reason) <= 80 and reason.isascii() else None


def properties_of(response: Response) -> list[tuple[str, str]]:
    """Return the properties that the account can see, each with its permission level."""
    entries = _mapping(json_of(response)).get("siteEntry")
    return [
        (str(entry["siteUrl"]), str(entry.get("permissionLevel", "unknown level")))
        for entry in map(_mapping, _list(entries))
        if "siteUrl" in entry
    ]


def sitemaps_of(response: Response) -> Iterator[SitemapStatus]:
    """Yield the sitemaps in a response; its numbers are texts, and its names differ in case."""
    for entry in map(_mapping, _list(_mapping(json_of(response)).get("sitemap"))):
        if not isinstance(entry.get("path"), str):
            continue
        counts = [_int(_mapping(each).get("submitted")) for each in _list(entry.get("contents"))]
        kind = entry.get("type")
        yield SitemapStatus(
            entry["path"],
            kind.lower().replace("_", "") if isinstance(kind, str) else None,
            entry.get("isPending") is True,
            entry.get("isSitemapsIndex") is True,
            sum(count for count in counts if count is not None) if counts else None,
            _int(entry.get("warnings")),
            _int(entry.get("errors")),
            _text(entry.get("lastSubmitted")),
            _text(entry.get("lastDownloaded")),
        )


def inspection_of(response: Response) -> dict[str, Any]:
    """Return the result of an inspection as columns of the table ``inspections``."""
    result = _mapping(_mapping(json_of(response)).get("inspectionResult"))
    index = _mapping(result.get("indexStatusResult"))
    sitemaps = [text for text in _list(index.get("sitemap")) if isinstance(text, str)]
    texts = {column: _text(index.get(name)) for column, name in _INSPECTION_FIELDS.items()}
    return {**texts, "sitemaps": sitemaps}


_INSPECTION_FIELDS = {
    "verdict": "verdict",
    "coverage_state": "coverageState",
    "robots_state": "robotsTxtState",
    "indexing_state": "indexingState",
    "fetch_state": "pageFetchState",
    "last_crawled": "lastCrawlTime",
    "google_canonical": "googleCanonical",
    "user_canonical": "userCanonical",
    "crawled_as": "crawledAs",
}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _int(value: object) -> int | None:
    """Convert an int64, which Google writes as text in JSON, to an integer."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 19 else None


def _text(value: object) -> str | None:
    return value[:2_048] if isinstance(value, str) else None


TOKEN_URL = "https://oauth2.googleapis.com/token"
LIFETIME_S = 3_600
"""Longest lifetime that Google accepts for an assertion."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Credentials:
    """Credentials for Google: a token, or a service account; the ``repr`` has no secret."""

    token: str | None = None
    account: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """Name of the account for messages."""
        return str(self.account["client_email"]) if self.account else "the token"

    def __repr__(self) -> str:
        return f"<Credentials of {self.name}>"


def read_credentials(text: str, origin: str) -> Credentials:
    """Parse the text of credentials: the JSON of a service account, or a token.

    Raises:
        ValueError: The text has another form; the message does not contain it.
    """
    text = text.strip().removeprefix("\ufeff")
    if not text.startswith("{"):
        token = text.removeprefix("Bearer ").strip()
        if not _is_token(token):
            raise ValueError(f"{origin}: expected a token or the JSON file of a service account")
        return Credentials(token)
    try:
        account = json.loads(text)
    except (ValueError, RecursionError):
        account = None
    names = ("client_email", "private_key")
    if not isinstance(account, dict) or not all(isinstance(account.get(n), str) for n in names):
        raise ValueError(
            f"{origin}: expected the JSON file of a service account with client_email and "
            "private_key"
        )
    return Credentials(account=account)


def secrets_of(token: str) -> Secrets:
    """Return the header ``Authorization`` with a bearer token."""
    return Secrets(headers={"Authorization": bearer_auth(token)})


def token_request(credentials: Credentials, now: datetime) -> Request:
    """Return the request for a token of a service account.

    Raises:
        SourceError: The package ``google-auth`` is not installed, or the key is invalid.
    """
    account = credentials.account or {}
    url = str(account.get("token_uri") or TOKEN_URL)
    if origin_of(url) is None:
        raise SourceError(f"service account {credentials.name}: expected a URL in token_uri")
    issued = int(now.timestamp())
    claims = {
        "iss": account["client_email"],
        "scope": SCOPE,
        "aud": url,
        "iat": issued,
        "exp": issued + LIFETIME_S,
    }
    assertion = _signed(claims, credentials)
    grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    return api_request(
        url,
        "google-token",
        urlencode({"grant_type": grant, "assertion": assertion}).encode(),
        content_type="application/x-www-form-urlencoded",
        secrets=Secrets(texts=(assertion,)),
    )


def token_of(response: Response, credentials: Credentials) -> str:
    """Return the token in the response to :func:`token_request`.

    Raises:
        SourceError: It has none.
    """
    value = json_of(response)
    token = value.get("access_token") if isinstance(value, Mapping) else None
    if response.status == 200 and isinstance(token, str) and _is_token(token):
        return token
    if response.status == 200:
        raise SourceError(
            f"Google issues no token for {credentials.name}: expected a token in access_token"
        )
    answer = error_of(response)
    reason = answer.text or answer.code or response.message or f"HTTP {response.status}"
    raise SourceError(f"Google issues no token for {credentials.name}: {reason}")


def _is_token(text: str) -> bool:
    """Return whether a text can be sent as a token: printable ASCII without spaces."""
    return text.isascii() and text.isprintable() and len(text.split()) == 1 and " " not in text


def _signed(claims: Mapping[str, Any], credentials: Credentials) -> str:
    """Return claims as a JSON Web Token, signed with the key of the account."""
    try:
        from google.auth import crypt, jwt
    except ImportError as error:
        raise SourceError(
            "a service account needs the package google-auth: pip install 'urlset[google]'"
        ) from error
    try:
        signer = crypt.RSASigner.from_service_account_info(credentials.account)  # type: ignore[no-untyped-call]
        token: bytes = jwt.encode(signer, claims)  # type: ignore[no-untyped-call]
        return token.decode()
    except (ValueError, TypeError, AttributeError):
        pass
    # Note: not chained. The message of the library may contain parts of the key.
    raise SourceError(f"service account {credentials.name}: private_key is no RSA key")

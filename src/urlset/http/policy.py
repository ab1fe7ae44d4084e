"""Policy of the HTTP client: concurrency, timeouts, size limits, headers, retries, credentials."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import unquote

from urlset.arguments import checked_fields
from urlset.http.host_clocks import HostClocks
from urlset.http.known_responses import KnownResponses
from urlset.http.request_url import origin_of, without_login
from urlset.http.silent_hosts import SilentHosts
from urlset.http.url_secrets import echoed_secrets, hidden_query, sent_url
from urlset.option_names import option
from urlset.protocol import MAX_BYTES, READ_LIMIT
from urlset.urls import split_origin

FORBIDDEN_IN_HEADERS: re.Pattern[str] = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""Characters that no header may have (RFC 9110 section 5.5)."""

T = TypeVar("T")

SECRETS = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers that may only be sent to one origin."""

_LEAST = {"concurrency": 1, "per_host": 1} | dict.fromkeys(
    (
        "delay_s", "max_delay_s", "retries", "backoff_s", "max_backoff_s", "max_retry_after_s",
        "connect_timeout_s", "read_timeout_s", "total_timeout_s", "max_redirects",
        "max_wire_bytes", "max_bytes", "max_error_bytes", "max_held_bytes",
    ),
    0,
)  # fmt: skip
"""Least value of each limit."""

_ABOVE_ZERO = frozenset(("connect_timeout_s", "read_timeout_s", "total_timeout_s"))

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_NO_SITE_HEADERS: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@checked_fields
@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits and behaviour of the HTTP client. Every limit ends in a reported error, not in a hang.

    Attributes:
        concurrency: Concurrent requests to all hosts together, and documents in memory: a document
            counts until it has been read. ``per_host`` limits those to one host.
        per_host: Concurrent requests to one host.
        delay_s: Least time between the starts of two requests to one host, in seconds.
        max_delay_s: Upper bound of the delay that a ``Crawl-delay`` in robots.txt can set.
        retries: Retries after status 408, 429 or 5xx and after errors of the connection.
        backoff_s: Wait before the first retry; doubled for each further one, with random jitter.
        max_backoff_s: Upper bound of that wait.
        max_retry_after_s: Longest ``Retry-After`` of a status 429 or 503 that is waited for. No
            request to the host starts before it has passed; those that are in flight end. After a
            longer one the requests to the host fail until it has passed, without being sent.
        connect_timeout_s: Time to open a connection.
        read_timeout_s: Time without any data.
        total_timeout_s: Time for a request with its redirects and retries, without the wait for
            a free slot.
        max_redirects: Redirects of one request.
        max_wire_bytes: Transferred bytes of one body.
        max_bytes: Bytes of one body after its Content-Encoding is removed.
        max_error_bytes: Bytes of an error page.
        max_held_bytes: Bytes of all documents in memory; above it, transfers wait. One more
            document may be in memory.
        user_agent: Value of ``User-Agent``; None for that of urlset.
        headers: Headers of every request; none with secrets.
        site_headers: Headers by origin, for secrets:
            ``{"https://example.com": {"Authorization": bearer_auth(token)}}``.
        proxies: Proxy by scheme; None for those of the environment.
        allow_private: Disable the SSRF protection.
        only_public: Refuse private addresses also for URLs that the caller names: for a service
            whose users, or an agent, name the URLs.
        obey_robots: If False, also try undeclared sitemaps that robots.txt disallows. Its
            ``Crawl-delay`` applies in any case, and pages that it disallows are never visited.

    Raises:
        ValueError: A value is invalid, or ``headers`` holds a secret.
    """

    concurrency: int = 8
    per_host: int = 4
    delay_s: float = 0.0
    max_delay_s: float = 60.0
    retries: int = 2
    backoff_s: float = 0.5
    max_backoff_s: float = 30.0
    max_retry_after_s: float = 600.0
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 30.0
    total_timeout_s: float = 300.0
    max_redirects: int = 10
    max_wire_bytes: int = READ_LIMIT
    max_bytes: int = READ_LIMIT
    max_error_bytes: int = 65_536
    max_held_bytes: int = 8 * MAX_BYTES
    user_agent: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: _NO_HEADERS, repr=False)
    site_headers: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: _NO_SITE_HEADERS, repr=False
    )
    proxies: Mapping[str, str] | None = field(default=None, repr=False)
    allow_private: bool = False
    only_public: bool = False
    obey_robots: bool = True

    def __post_init__(self) -> None:
        shown = option("header", python="headers")
        secrets = sorted(name for name in self.headers if name.lower() in SECRETS)
        if secrets:
            raise ValueError(
                f"{shown}: headers are sent to every host, and {', '.join(secrets)} must not be: "
                f"{option('auth_file', python='auth or Policy.site_headers')} is for its site alone"
            )
        if self.user_agent is not None:
            agent = option("user_agent", python="user_agent")
            if not self.user_agent.strip():
                raise ValueError(f"{agent}: expected a name, found an empty text")
            if FORBIDDEN_IN_HEADERS.search(self.user_agent):
                raise ValueError(f"{agent}: control character in the name")
        if self.only_public and self.allow_private:
            raise ValueError("only_public: expected no allow_private, which is its opposite")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            # Note: `not >=`, as NaN is not.
            if not value >= least or (value == 0 and name in _ABOVE_ZERO):
                expected = "more than 0" if name in _ABOVE_ZERO else f"{least} or more"
                raise ValueError(f"{name}: expected {expected}, found {value}")
        for name, headers in ((shown, self.headers), *self.site_headers.items()):
            for pair in headers.items():
                if any(map(FORBIDDEN_IN_HEADERS.search, pair)):
                    raise ValueError(f"{name}: control character in the header {pair[0]!r}")
        by_origin = {_origin(site): dict(pairs) for site, pairs in self.site_headers.items()}
        object.__setattr__(self, "site_headers", MappingProxyType(by_origin))

    def __reduce__(self) -> tuple[partial[Policy], tuple[()]]:
        """Pickle the fields, with headers as dicts: read-only mappings cannot be pickled.

        The times of requests are left out: they have no meaning in another process.
        """
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.compare}
        values["headers"] = dict(self.headers)
        values["site_headers"] = {site: dict(pairs) for site, pairs in self.site_headers.items()}
        return partial(type(self), **values), ()

    def sent_url(self, url: str) -> str:
        """Return the URL that is sent for a URL as files and messages show it."""
        return url

    def shown_url(self, url: str) -> str:
        """Return the target of a redirect as files and messages show it."""
        return url

    def headers_for(self, origin: str) -> dict[str, str]:
        """Return the headers of every request to an origin."""
        return {
            "User-Agent": self.user_agent or user_agent(),
            "Accept": "*/*",
            # No brotli or zstd: their Python APIs have no limit on the decoded size.
            "Accept-Encoding": "gzip, deflate",
            **self.headers,
            **self.site_headers.get(origin, _NO_HEADERS),
        }


@dataclass(frozen=True, kw_only=True)
class RunPolicy(Policy):
    """Policy of one run, with what all clients of the run share.

    Attributes:
        clocks: Times of the requests to each host.
        known: The robots.txt files and the home page, which are requested once.
        silent_hosts: Hosts that did not respond.
        queries: URLs with secret parameters that the user named, by the keys of the URLs that
            hide them. Requests, messages and stores have the latter.
    """

    clocks: HostClocks = field(default_factory=HostClocks, compare=False, repr=False)
    known: KnownResponses = field(default_factory=KnownResponses, compare=False, repr=False)
    silent_hosts: SilentHosts = field(default_factory=SilentHosts, compare=False, repr=False)
    queries: dict[str, str] = field(default_factory=dict, repr=False)

    def sent_url(self, url: str) -> str:
        """Return the URL that is sent for a URL as files and messages show it."""
        return sent_url(url, self.queries)

    def shown_url(self, url: str) -> str:
        """Return the target of a redirect, without secrets of a URL that the user named."""
        if not self.queries or not echoed_secrets(url, self.queries):
            return url
        shown, queries = hidden_query(url, self.queries)
        self.queries.update(queries)
        return shown


def run_policy(policy: Policy | None) -> RunPolicy:
    """Return the policy of a run, which all of its phases pass to their clients.

    The phases then share one clock for each host: the delay between two requests, ``Crawl-delay``
    and ``Retry-After`` apply from one phase to the next. They also share each robots.txt.
    """
    if isinstance(policy, RunPolicy):
        return policy
    policy = policy or Policy()
    return RunPolicy(**{each.name: getattr(policy, each.name) for each in fields(Policy)})


def with_login(policy: Policy, source: T, auth: str | tuple[str, str] | None) -> tuple[Policy, T]:
    """Return the policy with the secrets of a source, and the source without them.

    They are ``auth``, or the user and the password in the URL, and tokens and signatures in its
    query. ``auth`` is for the origin of the URL, and for no other. Every function that takes the
    URL of a site calls this first, so that no secret is stored, logged or reported. A source that
    is no URL is returned unchanged.
    """
    origin = origin_of(source) if isinstance(source, str) else None
    if not isinstance(source, str) or origin is None:
        return policy, source
    auth = auth if auth is not None else _credentials_of(source)
    if auth is not None:
        value = _authorization(auth)
        headers = {**policy.site_headers.get(origin, {}), "Authorization": value}
        policy = replace(policy, site_headers={**policy.site_headers, origin: headers})
    return with_secret_query(policy, without_login(source))  # type: ignore[return-value]


_READ_FILE = (
    "; auth=Path(…).read_text().strip() reads a token from a file, "
    'auth=("user", Path(…).read_text().strip()) a password'
)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*", re.ASCII)  # RFC 6750 section 2.1


def with_secret_query(policy: Policy, url: str) -> tuple[Policy, str]:
    """Return the policy that knows the secret parameters of a URL, and the URL that hides them.

    The http(s) URL has no login.
    """
    known = policy.queries if isinstance(policy, RunPolicy) else {}
    shown, queries = hidden_query(url, known)
    return (policy, url) if shown == url else (replace(run_policy(policy), queries=queries), shown)


def basic_auth(user: str, password: str) -> str:
    """Return the value of an ``Authorization`` header for a user and a password.

    >>> basic_auth("Aladdin", "open sesame")
    'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='
    """
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def bearer_auth(token: str) -> str:
    """Return the value of an ``Authorization`` header for a bearer token."""
    return f"Bearer {token}"


def _authorization(auth: str | tuple[str, str]) -> str:
    if isinstance(auth, str):
        expect_token(auth, 'the token without the word Bearer, or a pair ("user", "password")')
        return bearer_auth(auth)
    pair: object = auth  # callers may pass anything
    if not isinstance(pair, tuple | list) or [type(part) for part in pair] != [str, str]:
        # Note: without the value, which may be a secret.
        parts = pair if isinstance(pair, tuple | list) else [pair]
        is_file = any(isinstance(part, os.PathLike) for part in parts)
        raise TypeError(
            "auth: expected a bearer token or a pair (user, password), found "
            f"{type(pair).__name__}"
            + (f" of {len(pair)}" if isinstance(pair, tuple) else "")
            + (_READ_FILE if is_file else "")
        )
    return basic_auth(*auth)


def expect_token(text: str, forms: str) -> None:
    """Raise ``ValueError`` for characters that no bearer token has, such as a colon.

    ``forms`` says how credentials are written where they were given.
    """
    if not _TOKEN.fullmatch(text):
        # Note: without the text, which may be a secret.
        raise ValueError(
            "expected a bearer token or a user with a password, found a text with characters that "
            f"no token has; write {forms}"
        )


def _credentials_of(url: str) -> tuple[str, str] | None:
    """Return the user and the password of a URL, decoded, or None.

    >>> _credentials_of("https://me:s%40crt@example.com/")
    ('me', 's@crt')
    """
    user, at, _ = split_origin(url)[1].rpartition("@")
    name, _, password = user.partition(":")
    return (unquote(name), unquote(password)) if at else None


@cache
def user_agent() -> str:
    """Return the default value of ``User-Agent``."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("urlset")
    except PackageNotFoundError:  # run from a checkout that is not installed
        number = "0"
    return f"urlset/{number} (sitemap reader)"


def _origin(site: str) -> str:
    origin = origin_of(site)
    if origin is None:
        raise ValueError(
            f"site_headers: expected the origin of a site, as https://example.com, found {site!r}"
        )
    return origin

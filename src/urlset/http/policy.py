"""How the fetcher behaves: its manners, its patience, its caps and who it says it is."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from types import MappingProxyType

from urlset.http.request_url import origin_of
from urlset.protocol import MAX_BYTES, READ_LIMIT

__all__ = ["Policy", "basic_auth", "bearer_auth", "user_agent"]

SECRETS = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers that are never sent to everybody."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NOBODY: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The manners of a fetcher; every number is a limit that ends in a told fault, not in a hang.

    ``concurrency`` bounds the documents in memory, too: a response counts until the walk has
    taken it. Their bytes are bounded by ``max_held_bytes`` and the greatest of them: where that
    is reached, transfers wait. ``delay_s`` is the least time between two requests to one host; a
    ``Crawl-delay`` may raise it up to ``max_delay_s``. ``retries`` come after 408, 429, 5xx and
    faults of the connection, after ``backoff_s``, twice that, and so on (jittered, at most
    ``max_backoff_s``).
    A ``Retry-After`` of up to ``max_retry_after_s`` is honoured for the whole host; after a
    longer one there is no retry. ``read_timeout_s`` is how long nothing may come, and
    ``total_timeout_s`` the time for a request with its redirects and retries, without its
    waiting for its turn. ``headers`` go to everybody, ``site_headers`` only to their origin
    (``{"https://example.com": {"Authorization": bearer(token)}}``), so secrets stand there.
    ``proxies`` is None for those of the environment. ``allow_private`` takes the address guard
    out. Without ``obey_robots`` a site's robots.txt does not keep us from looking for sitemaps
    that nobody declares; its ``Crawl-delay`` holds nevertheless.
    """

    concurrency: int = 8
    per_host: int = 4
    delay_s: float = 0.0
    max_delay_s: float = 10.0
    retries: int = 2
    backoff_s: float = 0.5
    max_backoff_s: float = 30.0
    max_retry_after_s: float = 60.0
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 30.0
    total_timeout_s: float = 300.0
    max_redirects: int = 10
    max_wire_bytes: int = READ_LIMIT
    max_bytes: int = READ_LIMIT
    max_error_bytes: int = 65_536
    max_held_bytes: int = 8 * MAX_BYTES
    user_agent: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    site_headers: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: _NOBODY)
    proxies: Mapping[str, str] | None = None
    allow_private: bool = False
    obey_robots: bool = True

    def __post_init__(self) -> None:
        secrets = sorted(name for name in self.headers if name.lower() in SECRETS)
        if secrets:
            raise ValueError(
                f"headers go to every host, and {', '.join(secrets)} must not: "
                "say in site_headers which site it is for"
            )
        if self.concurrency < 1 or self.per_host < 1:
            raise ValueError("concurrency and per_host must be 1 or more")
        for name, headers in (("headers", self.headers), *self.site_headers.items()):
            for pair in headers.items():
                if any(mark in part for part in pair for mark in "\r\n\0"):
                    raise ValueError(f"a line break in a header of {name}: {pair[0]!r}")
        by_origin = {_origin(site): dict(held) for site, held in self.site_headers.items()}
        object.__setattr__(self, "site_headers", MappingProxyType(by_origin))

    def __reduce__(self) -> tuple[partial[Policy], tuple[()]]:
        """Pickle the fields, with their headers; read-only views of dicts cannot be pickled."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["headers"] = dict(self.headers)
        values["site_headers"] = {site: dict(held) for site, held in self.site_headers.items()}
        return partial(type(self), **values), ()

    def headers_for(self, origin: str) -> dict[str, str]:
        """The headers that every request to an origin carries."""
        return {
            "User-Agent": self.user_agent or user_agent(),
            "Accept": "*/*",
            # What is not asked for need not be undone: brotli and zstd have no cap in their APIs.
            "Accept-Encoding": "gzip, deflate",
            **self.headers,
            **self.site_headers.get(origin, _NOTHING),
        }


def basic_auth(user: str, password: str) -> str:
    """Make the value of an ``Authorization`` header of a user and a password.

    >>> basic_auth("Aladdin", "open sesame")
    'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='
    """
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


def bearer_auth(token: str) -> str:
    """Make the value of an ``Authorization`` header of a token."""
    return f"Bearer {token}"


@cache
def user_agent() -> str:
    """The name that urlset gives unless told otherwise."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("urlset")
    except PackageNotFoundError:  # run from a checkout that is not installed
        number = "0"
    return f"urlset/{number} (sitemap reader)"


def _origin(site: str) -> str:
    origin = origin_of(site)
    if origin is None:
        raise ValueError(f"expected the origin of a site, as https://example.com, found {site!r}")
    return origin

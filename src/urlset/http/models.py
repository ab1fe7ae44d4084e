"""Request, response and walk: the types that a walk and the HTTP client exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from urlset.hidden_fields import repr_without

T_co = TypeVar("T_co", covariant=True)

NetworkScope = Literal["anywhere", "private", "public"]
"""Addresses that a request may be sent to; depends on where its URL was found.

``anywhere``: named by the user. ``private``: named by a document from a private network, so
private addresses are allowed. ``public``: named by a document from the public network, or by an
unknown source; private addresses are blocked.
"""

DOCUMENT_STATUSES = frozenset((200, 203))
"""Statuses of responses whose body is the whole document (RFC 9110 section 15.3)."""

ErrorCode = Literal[
    "bad-url",  # not http(s), or no host
    "blocked",  # address not allowed in the network scope of the request (SSRF protection)
    "dns",  # the host name has no address
    "connect",  # connection refused, reset or closed before a response
    "tls",  # certificate or handshake
    "timeout",  # no connection, or not complete, within the limit
    "stalled",  # no data for too long
    "protocol",  # the response is not HTTP
    "cut",  # the transfer ended early
    "encoding",  # Content-Encoding that is not supported, or is damaged
    "too-large",  # over a size limit; the part below it is in the body
    "redirect-loop",
    "too-many-redirects",
    "bad-redirect",  # without a target, or to another scheme
    "limit",  # a redirect or a retry that the limit of requests does not allow
    "paused",  # not sent: the host asked for a pause that is longer than the limit
    "silent",  # not sent: the host, which only a document named, did not respond before
    "unsent",  # the time of the run is over before the delays of the host allow the request
    "status",  # an HTTP status of 400 or more, or a 2xx without the whole document, such as 206
]
"""Reason why a response failed or is incomplete."""


class Secrets:
    """Secret headers and query parameters of a request, which logs and messages never show.

    They are no part of its URL and headers, which appear in logs and messages. A redirect does not
    get them. ``texts`` are secrets that are part of the body.

    >>> Secrets(headers={"Authorization": "Bearer abc"}, query={"apikey": "abc"})
    <Secrets>
    """

    __slots__ = ("headers", "query", "texts")

    def __init__(
        self,
        *,
        headers: Mapping[str, str] = MappingProxyType({}),
        query: Mapping[str, str] = MappingProxyType({}),
        texts: tuple[str, ...] = (),
    ):
        self.headers: Mapping[str, str] = headers
        self.query: Mapping[str, str] = query
        self.texts: tuple[str, ...] = texts

    def __repr__(self) -> str:
        return "<Secrets>"


class Request(NamedTuple):
    """A URL to request, with GET by default, with conditions and limits.

    Attributes:
        url: URL to fetch.
        parent: Document that names the URL, if any.
        purpose: Label of the walk, such as ``robots`` or ``home``.
        headers: Additional headers.
        etag: Value of ``If-None-Match``, which makes the request conditional.
        last_modified: Value of ``If-Modified-Since``, which makes the request conditional.
        scope: Addresses that the request may be sent to.
        delay_s: Least time between two requests to its host, in seconds.
        max_bytes: Size limit of the body, below that of the policy.
        token: Any object of the walk; the client ignores it.
        follows_redirects: Whether redirects are followed; if not, the response is the redirect.
        wait_s: Seconds before the request starts.
        wait_reason: Why it waits, for people.
        ends_at_head: Whether the transfer of an HTML page may end after its head.
        retries: Retries of this request; None for the number of the policy.
        may_continue: Called before each redirect is followed and before each retry, in the thread
            of the client; False ends the request. For limits of requests.
        may_wait: Called before it waits for the delay between the requests to its host, with the
            seconds that it waits; False ends the request with the error ``unsent``.
        may_follow: Called with the target before a redirect is followed, in the thread of the
            client; False makes the redirect the response. For robots.txt.
        method: Method, such as ``POST``. Redirects are followed for GET only.
        body: Body that is sent; its ``Content-Type`` is one of the headers.
        is_secret: Whether the URL contains a secret, so that logs show its origin only.
        secrets: Headers and query parameters that are sent, and never shown.
    """

    url: str
    parent: str | None = None
    purpose: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    etag: str | None = None
    last_modified: str | None = None
    scope: NetworkScope = "public"
    delay_s: float = 0.0
    max_bytes: int | None = None
    token: object = None
    follows_redirects: bool = True
    wait_s: float = 0.0
    wait_reason: str = ""
    ends_at_head: bool = False
    retries: int | None = None
    may_continue: Callable[[], bool] | None = None
    may_wait: Callable[[float], bool] | None = None
    may_follow: Callable[[str], bool] | None = None
    method: str = "GET"
    body: bytes | None = None
    is_secret: bool = False
    secrets: Secrets | None = None

    def __repr__(self) -> str:
        hidden = ("url",) if self.is_secret else ()
        calls = ("may_continue", "may_wait", "may_follow")
        return repr_without(self, *hidden, "headers", "token", "body", "secrets", *calls)


class Response(NamedTuple):
    """The result of a request; failures are fields, not exceptions.

    Attributes:
        request: The request.
        url: Final URL, after redirects.
        status: HTTP status; None if no response arrived.
        headers: The headers that urlset uses, with lower-case names.
        body: Bytes with the Content-Encoding removed, otherwise unchanged.
        wire_size: Bytes of the body that were transferred.
        is_whole: False if a part of the body is missing.
        error: Reason of a failure, for programs; None if there was none.
        message: Reason of a failure, for people.
        redirects: URLs before the final one.
        redirect_statuses: The status of each of them.
        attempts: Number of attempts, with retries.
        started: Start of the last attempt.
        seconds: Duration of the last attempt.
        first_byte_s: Seconds until the headers of the last attempt arrived.
        scope: Addresses that URLs in the body may lead to.
        is_from_cache: Set by code that takes the body from a cache instead of the network.
    """

    request: Request
    url: str
    status: int | None = None
    headers: Mapping[str, str] = MappingProxyType({})
    body: bytes = b""
    wire_size: int = 0
    is_whole: bool = True
    error: ErrorCode | None = None
    message: str | None = None
    redirects: tuple[str, ...] = ()
    attempts: int = 1
    started: datetime | None = None
    seconds: float = 0.0
    first_byte_s: float | None = None
    scope: NetworkScope = "public"
    is_from_cache: bool = False
    redirect_statuses: tuple[int, ...] = ()

    def __repr__(self) -> str:
        hidden = ("url", "redirects") if self.request.is_secret else ()
        return repr_without(self, *hidden, "headers", "body")

    @property
    def has_document(self) -> bool:
        """Whether the body is (a part of) the requested document.

        It is not with an error, nor with 202, 204 or 206: without a ``Range``, a server that
        answers 206 sends an unknown part of the document.
        """
        return self.status in DOCUMENT_STATUSES


class Walk(Protocol[T_co]):
    """Protocol of a state machine that yields requests and takes responses, without any I/O."""

    def next_request(self) -> Request | None:
        """Return the next request; None at the end, or if a response has to arrive first."""

    def handle(self, response: Response, /) -> Iterable[T_co]:
        """Process the response to one of the requests; responses may arrive in any order."""


@runtime_checkable
class EarlyWalk(Protocol):
    """Protocol of a walk that also takes responses while :meth:`Walk.handle` yields results."""

    def take_early(self, response: Response, /) -> bool:
        """Take a response, whose results :meth:`Walk.handle` then yields after the others.

        Returns False, without any effect, if it is to be passed to that method later.
        """

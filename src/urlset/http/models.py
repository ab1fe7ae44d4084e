"""What a walk asks and what it is answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, TypeVar

__all__ = ["ErrorWord", "NetworkScope", "Request", "Response", "Walk"]

T_co = TypeVar("T_co", covariant=True)

NetworkScope = Literal["anywhere", "private", "public"]
"""Where a request may lead, because of who named its URL.

``anywhere``: the user did. ``private``: a document from a private network did, so it may be
there, too. ``public``: a document from the public network did (or nobody knows who).
"""

ErrorWord = Literal[
    "bad-url",  # not http(s), or no host
    "blocked",  # the address guard: not to be reached from where the URL was found
    "dns",  # the name has no address
    "connect",  # nobody listens, the connection was reset or closed before an answer
    "tls",  # the certificate, or the handshake
    "timeout",  # no connection, or no end, within the limit
    "stalled",  # nothing came for too long
    "protocol",  # what came is not HTTP
    "cut",  # the transfer ended before its end
    "encoding",  # Content-Encoding that cannot be undone, or is damaged
    "too-large",  # over a cap; what is under it was kept
    "redirect-loop",
    "too-many-redirects",
    "bad-redirect",  # without a target, or to another scheme
    "status",  # an HTTP status of 400 or more
]
"""Why a response is not what was hoped for."""


class Request(NamedTuple):
    """A URL to be fetched with GET, and who wants it why.

    ``parent`` is the document that names it and ``why`` a word of the walk. ``etag`` and
    ``last_modified`` make it conditional. ``delay_s`` is the least time between two requests to
    its host, ``max_bytes`` a cap below that of the policy. ``token`` is the walk's own.
    """

    url: str
    parent: str | None = None
    why: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    etag: str | None = None
    last_modified: str | None = None
    reach: NetworkScope = "public"
    delay_s: float = 0.0
    max_bytes: int | None = None
    token: object = None


class Response(NamedTuple):
    """What came of a request; it never is an exception.

    ``url`` is the final one, ``redirects`` those before it. ``status`` is None where no answer
    came. ``headers`` has lower-case names, and only those that mean something here. ``body`` has
    its Content-Encoding undone and is otherwise as it came; ``wire_size`` counts the bytes of it
    that were transferred. ``is_whole`` is False where a part is missing. ``error`` is a word for
    programs and ``message`` the words for people. ``seconds`` counts the last attempt,
    ``first_byte_s`` until its headers came. ``reach`` is what URLs in the body may lead to.
    ``is_from_cache`` is set by whoever puts a body there that did not come over the wire.
    """

    request: Request
    url: str
    status: int | None = None
    headers: Mapping[str, str] = MappingProxyType({})
    body: bytes = b""
    wire_size: int = 0
    is_whole: bool = True
    error: ErrorWord | None = None
    message: str | None = None
    redirects: tuple[str, ...] = ()
    attempts: int = 1
    started: datetime | None = None
    seconds: float = 0.0
    first_byte_s: float | None = None
    reach: NetworkScope = "public"
    is_from_cache: bool = False

    @property
    def has_document(self) -> bool:
        """Whether the body is (a part of) what was asked for, and not an error page."""
        return self.status is not None and 200 <= self.status < 300


class Walk(Protocol[T_co]):
    """Whoever wants documents: it asks and is answered, and does no I/O of its own."""

    def ask(self) -> Request | None:
        """The next request; None where there is none, or none before the next answer."""

    def answer(self, response: Response, /) -> Iterable[T_co]:
        """Take a response to one of the requests, in whatever order they come."""

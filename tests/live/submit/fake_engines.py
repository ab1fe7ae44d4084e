"""Fake IndexNow and Search Console, and the sites they know: on loopback, or in memory.

A ``Web`` answers requests by host. ``web.served()`` serves it as an HTTP proxy on loopback, so that
sites and engines have names of their own; ``web.drive`` answers a walk without a network.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from urlset.http import ErrorCode, Policy, Request, Response, Walk, drive_in_thread
from urlset.live.submit.pipeline import submit_with
from urlset.live.submit.result import Submission
from urlset.live.submit.settings import SubmitSettings

ENDPOINT = "http://api.indexnow.test/indexnow"
KEY = "73134416ae45434d98edc086e0bf6740"
HOST = "www.example.com"
SITE = f"http://{HOST}"


class Sent(NamedTuple):
    """Request that arrived."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    raw: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Reply(NamedTuple):
    status: int = 200
    body: bytes | str = b""
    headers: dict[str, str] = {}  # noqa: RUF012

    @classmethod
    def of(cls, value: Any, status: int = 200, **headers: str) -> Reply:
        """A reply with a body of JSON."""
        return cls(status, json.dumps(value), {"content-type": "application/json", **headers})


Handler = Callable[[Sent], Reply]


class Drop(Exception):
    """The connection is closed without an answer."""


class Web:
    """Hosts by name; every request is recorded."""

    def __init__(self) -> None:
        self.hosts: dict[str, Handler] = {}
        self.log: list[Sent] = []
        self._lock = threading.Lock()

    def answer(self, sent: Sent) -> Reply:
        with self._lock:
            self.log.append(sent)
            handler = self.hosts.get(urlsplit(sent.url).netloc)
            return Reply(502) if handler is None else handler(sent)

    def sent_to(self, host: str) -> list[Sent]:
        return [sent for sent in self.log if urlsplit(sent.url).netloc == host]

    @contextmanager
    def served(self) -> Iterator[Policy]:
        """Serve the hosts, and yield the policy that reaches them."""
        web = self

        class Proxy(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                lines = [f"{name}: {value}" for name, value in self.headers.items()]
                raw = "\r\n".join([self.requestline, *lines, "", ""])
                headers = {name.lower(): value for name, value in self.headers.items()}
                sent = Sent(self.command, self.path, headers, body, raw.encode() + body)
                try:
                    reply = web.answer(sent)
                except Drop:
                    self.close_connection = True
                    return
                data = reply.body.encode() if isinstance(reply.body, str) else reply.body
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except ConnectionError:  # the client has enough of it
                    self.close_connection = True

            do_GET = do_POST = do_PUT = handle_one

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            proxy = f"http://127.0.0.1:{server.server_port}"
            yield Policy(proxies={"http": proxy}, retries=0, total_timeout_s=10)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def drive(self, walk: Walk[Any], _: Policy) -> Generator[Any]:
        """Answer the requests of a walk in memory."""
        while (request := walk.next_request()) is not None:
            yield from walk.handle(self.respond(request))

    def respond(self, request: Request) -> Response:
        url = request.url
        headers = dict(request.headers)
        if request.secrets is not None:
            headers |= request.secrets.headers
            query = urlencode(request.secrets.query)
            url += f"{'&' if '?' in url else '?'}{query}" if query else ""
        lowered = {name.lower(): value for name, value in headers.items()}
        try:
            reply = self.answer(Sent(request.method, url, lowered, request.body or b""))
        except Drop:
            return Response(request, request.url, error="timeout", message="not complete")
        data = reply.body.encode() if isinstance(reply.body, str) else reply.body
        error: ErrorCode | None = "status" if reply.status >= 400 else None
        headers = {name.lower(): value for name, value in reply.headers.items()}
        return Response(request, request.url, reply.status, headers, data, error=error)


class FakeSite:
    """Site with a key file, robots.txt and pages; what is not there answers 404."""

    def __init__(self, web: Web, host: str = HOST, key: str = KEY):
        self.pages: dict[str, Reply] = {
            f"/{key}.txt": Reply(200, key, {"content-type": "text/plain"})
        }
        self.host = host
        web.hosts[host] = self

    def add_page(self, path: str, head: str = "", status: int = 200, **headers: str) -> None:
        html = f"<!doctype html><html><head><title>{path}</title>{head}</head><body>{path}</body>"
        self.pages[path] = Reply(status, html, {"content-type": "text/html", **headers})

    def __call__(self, sent: Sent) -> Reply:
        path = urlsplit(sent.url).path
        return self.pages.get(path, Reply(404, "<html>not here", {"content-type": "text/html"}))


class FakeIndexNow:
    """Engine that answers with what a test has queued, and then 200."""

    def __init__(self, web: Web, host: str = "api.indexnow.test"):
        self.posts: list[Any] = []
        self.replies: list[Reply | type[Drop]] = []
        web.hosts[host] = self

    def __call__(self, sent: Sent) -> Reply:
        if sent.method != "POST" or urlsplit(sent.url).path != "/indexnow":
            return Reply(405)
        self.posts.append(sent.json)
        reply = self.replies.pop(0) if self.replies else Reply(200)
        if not isinstance(reply, Reply):
            raise reply
        return reply

    @property
    def urls(self) -> list[str]:
        """All URLs that arrived, in order."""
        return [url for post in self.posts for url in post["urlList"]]


class Clock:
    """Clock that only waits advance."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 2, 12, tzinfo=UTC)
        self.waits: list[float] = []

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += timedelta(seconds=seconds)

    def advance(self, **duration: float) -> None:
        self.time += timedelta(**duration)


class Bench:
    """A site, an engine and a clock; ``submit`` runs a submission against them."""

    def __init__(self, path: Any, policy: Policy | None = None, web: Web | None = None):
        self.web = web or Web()
        self.site = FakeSite(self.web)
        self.engine = FakeIndexNow(self.web)
        self.clock = Clock()
        self.path = path
        self.policy = policy

    def submit(self, updates: Any = None, **settings: Any) -> Submission:
        known: dict[str, Any] = {
            "keys": {HOST: KEY},
            "endpoints": [ENDPOINT],
            "store": self.path / "announcements.duckdb",
            "policy": self.policy,
        }
        return submit_with(
            updates,
            SubmitSettings(**(known | settings)),
            now=self.clock.now,
            sleep=self.clock.sleep,
            drive=drive_in_thread if self.policy else self.web.drive,
        )


def added(
    *paths: str, host: str = HOST, lastmod: str | None = "2026-03-01"
) -> list[dict[str, Any]]:
    """Changes that add URLs."""
    return [
        {
            "change": "added",
            "loc": f"http://{host}{path}",
            "before": None,
            "after": {"lastmod": lastmod},
        }
        for path in paths
    ]


def removed(*paths: str) -> list[dict[str, Any]]:
    return [
        {"change": "removed", "loc": f"{SITE}{path}", "before": {}, "after": None} for path in paths
    ]

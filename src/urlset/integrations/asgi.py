"""ASGI: serve sitemaps in Starlette, FastAPI, Litestar or any application of ASGI 3."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any

from urlset.integrations.file_responses import FileResponse, text_response
from urlset.integrations.sitemap_server import SitemapServer, quote_path

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

_ASYNC_ROWS = 1_000


class AsgiSitemaps(SitemapServer):
    """ASGI application that serves sitemaps; the arguments are those of ``SitemapServer``.

    The function with the rows may be an asynchronous generator: it then runs in the event loop of
    the application. Everything else runs in threads, so that no request blocks the loop.
    """

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request; other paths than those of the set are not found."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        response = await self.answer(scope) or text_response(404, "Not Found")
        await _send(response, send)

    async def answer(self, scope: Message) -> FileResponse | None:
        """Return the response for a request, or None if it is for another path."""
        name = self.name_of(_path(scope))
        if name is None:
            return None
        headers = {
            bytes(key).decode("latin-1").lower(): bytes(value).decode("latin-1")
            for key, value in scope["headers"]
        }
        rows = None
        if inspect.isasyncgenfunction(self._rows):
            function, loop = self._rows, asyncio.get_running_loop()

            def rows() -> Iterable[Any]:
                return _drained(function(), loop)

        return await asyncio.to_thread(self.respond, str(scope["method"]), name, headers, rows)


Sitemaps = AsgiSitemaps


class AsgiSitemapsMiddleware:
    """ASGI application that serves sitemaps and passes all other requests on.

    Args:
        app: The other application; ``app.add_middleware(AsgiSitemapsMiddleware, sitemaps=…)`` of
            Starlette and FastAPI passes it.
        sitemaps: The sitemaps.
    """

    def __init__(self, app: Application, sitemaps: AsgiSitemaps):
        self._app = app
        self._sitemaps = sitemaps

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request for a sitemap, or pass it on."""
        response = await self._sitemaps.answer(scope) if scope["type"] == "http" else None
        if response is None:
            await self._app(scope, receive, send)
        else:
            await _send(response, send)


def route_urls(app: Any) -> Iterator[str]:
    """Yield the paths of the routes of a Starlette or FastAPI application that need no argument.

    Called for each build, it also finds routes that were added after the sitemaps. Routes of
    included routers and of mounted applications are among them. Routes without the method GET, and
    those that FastAPI leaves out of its schema, are omitted.

    Args:
        app: The application, or any object with ``routes`` of Starlette.
    """
    yield from _route_paths(app.routes, "")


def _route_paths(routes: Iterable[Any], prefix: str) -> Iterator[str]:
    # Newer versions of FastAPI keep an included router as one route of a private class.
    flat = getattr(sys.modules.get("fastapi.routing"), "iter_route_contexts", None)
    for route in routes if flat is None else flat(list(routes)):
        path = getattr(route, "path", None)
        if path is None or "{" in path:  # a route of another host, or one with arguments
            continue
        methods = getattr(route, "methods", None)
        if methods is None:  # a mounted application, which has routes, or a WebSocket
            yield from _route_paths(getattr(route, "routes", None) or (), f"{prefix}{path}")
        elif "GET" in methods and getattr(route, "include_in_schema", True):
            yield quote_path(f"{prefix}{path}") or "/"


def _path(scope: Message) -> str:
    """Return the path below the point at which the application is mounted."""
    path, root = str(scope["path"]), str(scope.get("root_path", "")).rstrip("/")
    if root and path.startswith(f"{root}/"):
        path = path[len(root) :]
    raw = bytes(scope.get("raw_path") or b"")
    if raw and path.endswith("/") and not raw.endswith(b"/"):
        path = path[:-1]  # Litestar adds a slash to the path of a mounted application
    return path if path.startswith("/") else f"/{path}"


async def _send(response: FileResponse, send: Send) -> None:
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in response.headers]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    chunks = response.chunks()
    while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _drained(rows: AsyncIterator[Any], loop: asyncio.AbstractEventLoop) -> Iterator[Any]:
    """Yield the rows of an asynchronous generator in a thread; the loop runs the generator."""

    async def take() -> list[Any]:
        batch: list[Any] = []
        async for row in rows:
            batch.append(row)
            if len(batch) == _ASYNC_ROWS:
                break
        return batch

    while batch := asyncio.run_coroutine_threadsafe(take(), loop).result():
        yield from batch

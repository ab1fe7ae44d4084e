"""WSGI: serve sitemaps in Flask, Django or any application of PEP 3333."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any

from urlset.integrations.file_responses import FileResponse, text_response
from urlset.integrations.sitemap_server import SitemapServer, quote_path


class WsgiSitemaps(SitemapServer):
    """WSGI application that serves sitemaps; the arguments are those of ``SitemapServer``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     app = Sitemaps(lambda: ["/", "/about"], base_url="https://example.com/", folder=folder)
    ...     environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/sitemap.xml"}
    ...     body = b"".join(app(environ, lambda status, headers: print(status)))
    200 OK
    >>> body.count(b"<url>")
    2
    """

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request; other paths than those of the set are not found."""
        return _start(self.answer(environ) or text_response(404, "Not Found"), start_response)

    def answer(self, environ: dict[str, Any]) -> FileResponse | None:
        """Return the response for a request, or None if it is for another path."""
        # PEP 3333: the decoded bytes of the path, as Latin-1.
        data = str(environ.get("PATH_INFO", "")).encode("latin-1", "replace")
        name = self.name_of(data.decode("utf-8", "replace"))
        if name is None:
            return None
        headers = {
            key[5:].replace("_", "-").lower(): str(value)
            for key, value in environ.items()
            if key.startswith("HTTP_")
        }
        return self.respond(str(environ.get("REQUEST_METHOD", "GET")), name, headers)


Sitemaps = WsgiSitemaps


class WsgiSitemapsMiddleware:
    """WSGI application that serves sitemaps and passes all other requests on.

    Args:
        app: The other application: ``flask.wsgi_app = WsgiSitemapsMiddleware(flask.wsgi_app, …)``.
        sitemaps: The sitemaps.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], sitemaps: WsgiSitemaps):
        self._app = app
        self._sitemaps = sitemaps

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request for a sitemap, or pass it on."""
        response = self._sitemaps.answer(environ)
        if response is None:
            return self._app(environ, start_response)
        return _start(response, start_response)


def route_urls(app: Any) -> Iterator[str]:
    """Yield the paths of the routes of a Flask application that need no argument.

    Called for each build, it also finds routes that were added after the sitemaps. Routes without
    the method GET, those that redirect, and static files are omitted.

    Args:
        app: The Flask application, or any object with a Werkzeug ``url_map``.
    """
    for rule in app.url_map.iter_rules():
        is_page = "GET" in (rule.methods or ()) and not rule.build_only and not rule.redirect_to
        # Arguments with defaults are not in the path, such as `page` of /blog.
        if is_page and "<" not in rule.rule and rule.arguments <= set(rule.defaults or ()):
            yield quote_path(rule.rule)


def _start(response: FileResponse, start_response: Callable[..., Any]) -> Iterator[bytes]:
    start_response(f"{response.status} {HTTPStatus(response.status).phrase}", response.headers)
    return response.chunks()

"""Redirects: their statuses, and the URL that one leads to."""

from __future__ import annotations

from urlset.http.models import Response
from urlset.http.request_url import request_url
from urlset.urls import resolve

__all__ = ["REDIRECTS", "redirect_target"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses that lead to another URL."""


def redirect_target(response: Response) -> str | None:
    """Return the target of a redirect as a URL to request; None if it has none."""
    text = response.headers.get("location")
    if text is None:
        return None
    # The header is bytes; aiohttp decodes those that are not UTF-8 to lone surrogates.
    raw = text.strip().encode(errors="surrogateescape")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return request_url(resolve(text, response.url))

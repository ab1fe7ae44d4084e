"""Map paths of HTML files to the URLs at which they are served."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

__all__ = ["INDEXES", "FileUrls", "same_page"]

INDEXES = ("index.html", "index.htm", "index.xhtml", "default.html", "default.htm")
"""Names of the page of a folder; servers use the first that exists."""

# Characters of a path that are not percent-encoded (RFC 3986 section 3.3).
_SAFE = "~!$&'()*+,;=:@-._"

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_DEFAULT_PORT = re.compile(r"(?<=[^:/]):(?:80|443)(?=/|$)")


class FileUrls:
    """Map the paths of files below a folder to URLs.

    ``strip_html`` removes the extension of a page. With ``trailing_slash`` None, the URL of a
    folder ends with a slash and that of a file does not; with True, a stripped page also has a
    slash; with False, a folder has none, except for the root.

    >>> FileUrls("https://example.com/", strip_html=True).url("tea/green leaf.html")
    'https://example.com/tea/green%20leaf'
    >>> FileUrls("https://example.com/").url("tea/index.html")
    'https://example.com/tea/'
    """

    def __init__(
        self,
        base_url: str,
        *,
        strip_html: bool = False,
        trailing_slash: bool | None = None,
        extensions: Sequence[str] = (".html", ".htm", ".xhtml"),
    ):
        base = base_url.partition("#")[0].partition("?")[0]
        self.base = base if base.endswith("/") else f"{base}/"
        self._strip = strip_html
        self._slash = trailing_slash
        self._extensions = tuple(extension.lower() for extension in extensions)

    def is_page(self, name: str) -> bool:
        """Return whether a file has the name of a page."""
        return name.lower().endswith(self._extensions)

    def url(self, path: str) -> str:
        """Return the URL of a file, by its path in the folder, with ``/`` between parts."""
        folder, _, name = path.rpartition("/")
        if name.lower() in INDEXES:
            path = f"{folder}/" if folder and self._slash is not False else folder
        elif self._strip:
            path = path[: -len(self._extension(name))] + ("/" if self._slash else "")
        return self.base + quote(os.fsencode(path), safe=f"/{_SAFE}")

    def _extension(self, name: str) -> str:
        return next(end for end in self._extensions if name.lower().endswith(end))


def same_page(one: str, other: str) -> bool:
    """Return whether two URLs differ only in scheme, default port, final slash or ``.html``.

    >>> same_page("http://example.com/tea/index.html", "https://example.com/tea")
    True
    >>> same_page("https://www.example.com/tea", "https://example.com/tea")
    False
    """
    return one == other or _comparable(one) == _comparable(other)


def _comparable(url: str) -> str:
    host, _, path = _SCHEME.sub("", url.partition("#")[0], count=1).partition("/")
    path, mark, query = path.partition("?")
    path = unquote(path)
    for name in INDEXES:
        if path.lower() == name or path.lower().endswith(f"/{name}"):
            path = path[: -len(name)]
    path = re.sub(r"\.x?html?$", "", path.rstrip("/"), flags=re.IGNORECASE)
    return f"{_DEFAULT_PORT.sub('', host.lower())}/{path}{mark}{query}"

"""Names of files as URLs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

__all__ = ["INDEXES", "FileUrls", "same_page"]

INDEXES = ("index.html", "index.htm", "index.xhtml", "default.html", "default.htm")
"""The names under which servers look for the page of a folder, the first that is there."""

# What may stand in a path as it is (RFC 3986 section 3.3).
_SAFE = "~!$&'()*+,;=:@-._"

_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_DEFAULT_PORT = re.compile(r"(?<=[^:/]):(?:80|443)(?=/|$)")


class FileUrls:
    """How paths below a folder become URLs.

    ``strip_html`` leaves the extension of a page out. ``trailing_slash`` None keeps what lies
    there (a folder ends with a slash, a file does not); True gives a stripped page one, too;
    False takes it from folders, but for the root.

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
        """Tell whether a file has the name of a page."""
        return name.lower().endswith(self._extensions)

    def url(self, path: str) -> str:
        """The URL of a file, by its path below the folder, with ``/`` between its parts."""
        folder, _, name = path.rpartition("/")
        if name.lower() in INDEXES:
            path = f"{folder}/" if folder and self._slash is not False else folder
        elif self._strip:
            path = path[: -len(self._extension(name))] + ("/" if self._slash else "")
        return self.base + quote(os.fsencode(path), safe=f"/{_SAFE}")

    def _extension(self, name: str) -> str:
        return next(end for end in self._extensions if name.lower().endswith(end))


def same_page(one: str, other: str) -> bool:
    """Tell whether two URLs are forms of one: scheme, default port, slash at the end, ``.html``.

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

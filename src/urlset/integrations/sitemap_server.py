"""Sitemaps that an application serves: a folder of a build, or rows that are rendered regularly."""

from __future__ import annotations

import errno
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from urlset.errors import TargetError
from urlset.integrations.file_responses import TEXT, FileFolder, FileResponse, text_response
from urlset.option_schema import expect_local
from urlset.temp_files import LockedTempDir

_LOG = logging.getLogger("urlset.serve")
_STAMP = ".urlset-served"
_RETRY_S = 60.0  # seconds before a build that failed is tried again
_WAIT_S = 120.0  # seconds that a first request waits for the build of another process


class _State(NamedTuple):
    """Times of the monotonic clock: when a build is due, and whether there is a version."""

    due: float
    is_there: bool


class SitemapServer:
    """Serves the files of one set; safe for threads. The base of the ASGI and WSGI applications.

    Args:
        source: A folder that ``urlset build`` or ``urlset.write`` writes, or a function without
            arguments that returns the rows, as for :func:`urlset.write`.
        base_url: URL of the sitemaps. Rows need it; it is also the base of relative URLs.
        every: How long rows are served before they are read again: ``"30m"``, ``"1h"``, ``"7d"``.
        folder: Where the files of rows are stored. Processes that share it share the files, and a
            restart serves them at once. Default: a temporary folder of the process.
        path: Path of the URL folder in which the application receives requests.
        name: Name of the set.
        robots: Text of a robots.txt to serve, to which the Sitemap lines are added.
        cache_control: Value of that header.
        ledger: File of a ledger: rows are then published by :func:`urlset.build`, with its gates.
        options: Other options of :func:`urlset.write`, or of :func:`urlset.build` with a ledger.

    Raises:
        ValueError: An option is invalid.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Callable[[], Iterable[Any]],
        *,
        base_url: str | None = None,
        every: str = "1h",
        folder: str | os.PathLike[str] | None = None,
        path: str = "/",
        name: str = "sitemap",
        robots: str | None = None,
        cache_control: str | None = None,
        ledger: str | os.PathLike[str] | None = None,
        **options: Any,
    ):
        from urlset.builder.options import parse_duration

        self._rows = source if callable(source) else None
        if (self._rows is not None or robots is not None) and base_url is None:
            raise ValueError(
                "expected base_url, the URL of the sitemaps, because rows and robots.txt need it, "
                'found none; write base_url="https://example.com/"'
            )
        try:
            self._every_s = parse_duration(every).total_seconds()
        except ValueError as error:
            raise ValueError(f"expected every as 30m, 1h or 7d, found {every!r}") from error
        if not path.startswith("/"):
            raise ValueError(f'expected path to begin with "/", found {path!r}')
        self._prefix = path if path.endswith("/") else f"{path}/"
        self._base_url = None if base_url is None else f"{base_url.rstrip('/')}/"
        self._name = name
        self._robots = robots
        self._cache_control = cache_control
        self._ledger = ledger
        self._options = options
        self._own_folder: LockedTempDir | None = None
        expect_local("folder", folder or "")
        if callable(source):
            self._files = None if folder is None else self._opened(Path(folder))
        else:
            expect_local("source", source)
            self._files = self._opened(Path(source))
        self._build_lock = threading.Lock()
        self._state = _State(0.0, is_there=False)

    def name_of(self, path: str) -> str | None:
        """Return the name of the file that a decoded path of a request names, or None."""
        if path == "/robots.txt" and self._robots is not None:
            return "robots.txt"
        name = path.removeprefix(self._prefix)
        is_inside = path.startswith(self._prefix) and "/" not in name
        return name if is_inside and name.startswith(self._name) else None

    def respond(
        self,
        method: str,
        name: str,
        headers: Mapping[str, str],
        rows: Callable[[], Iterable[Any]] | None = None,
    ) -> FileResponse | None:
        """Return the response for a file, or None if there is none. Blocks during a first build.

        Args:
            method: Method of the request.
            name: What :meth:`name_of` returned.
            headers: Headers of the request, with names in lower case.
            rows: The rows, if they are not those of the source.
        """
        if not self._is_ready(rows or self._rows) or self._files is None:
            message = "The sitemap is not available at the moment."
            return text_response(503, message, ("Retry-After", "60"))
        if name == "robots.txt":
            return self._robots_txt(method)
        return self._files.respond(method, name, headers)

    def _is_ready(self, rows: Callable[[], Iterable[Any]] | None) -> bool:
        """Return whether there is a version; start a build if one is due."""
        if rows is None:
            return True
        state = self._state
        if time.monotonic() < state.due:
            return state.is_there
        if state.is_there or self._find_version():
            # The old version is served meanwhile. One build runs at a time.
            if self._build_lock.acquire(blocking=False):
                threading.Thread(target=self._build_and_release, args=(rows,), daemon=True).start()
            return True
        with self._build_lock:
            if time.monotonic() >= self._state.due:
                self._build(rows)
        return self._state.is_there

    def _find_version(self) -> bool:
        """Find a version that this or another process has stored in the folder."""
        if self._files is None:
            return False
        with suppress(OSError):
            age = max(0.0, time.time() - (self._files.folder / _STAMP).stat().st_mtime)
            due = time.monotonic() + self._every_s - age
            self._state = _State(max(self._state.due, due), is_there=True)
            return True
        return False

    def _build_and_release(self, rows: Callable[[], Iterable[Any]]) -> None:
        try:
            # Another process may have built a newer version.
            if not (self._find_version() and time.monotonic() < self._state.due):
                self._build(rows)
        finally:
            self._build_lock.release()

    def _build(self, rows: Callable[[], Iterable[Any]]) -> None:
        """Build a version; on a failure the old one stays, and another try is due soon."""
        try:
            if self._files is None:
                self._own_folder = LockedTempDir()
                self._files = self._opened(Path(self._own_folder.path))
            self._publish(rows)
            (self._files.folder / _STAMP).touch()
            self._state = _State(time.monotonic() + self._every_s, is_there=True)
        except Exception:  # noqa: BLE001 - rows are code of the application; requests go on
            _LOG.exception("cannot build the sitemaps; the previous ones are still served")
            due = time.monotonic() + min(_RETRY_S, self._every_s)
            self._state = _State(due, self._state.is_there)

    def _publish(self, rows: Callable[[], Iterable[Any]]) -> None:
        assert self._files is not None  # set by the caller
        options: dict[str, Any] = {"name": self._name, "base_url": self._base_url}
        options |= {"on_error": "skip"} | self._options
        end = time.monotonic() + _WAIT_S
        while True:
            try:
                if self._ledger is not None:
                    from urlset.builder import build
                    from urlset.sources.memory import InMemorySource

                    options["ledger"] = self._ledger
                    source = InMemorySource(rows(), name="rows")
                    result: Any = build(source, self._files.folder, **options)
                else:
                    from urlset.writer import write

                    result = write(rows(), self._files.folder, **options)
                break
            except TargetError as error:
                if error.errno != errno.EWOULDBLOCK or time.monotonic() > end:
                    raise
                time.sleep(0.1)  # another process publishes to the folder
                if self._find_version():
                    return
        for rejection in result.rejected[:100]:
            _LOG.warning("an entry is excluded: %s", rejection.reason)

    def _robots_txt(self, method: str) -> FileResponse:
        from urlset.writer.robots_txt import with_sitemaps

        assert self._files is not None  # set by the caller
        if method not in ("GET", "HEAD"):
            return text_response(405, "Method Not Allowed", ("Allow", "GET, HEAD"))
        text = (self._robots or "").encode()
        endings = ("-index.xml", "-index.xml.gz", ".xml", ".xml.gz", ".txt", ".txt.gz")
        names = [f"{self._name}{ending}" for ending in endings]
        there = [name for name in names if (self._files.folder / name).is_file()][:1]
        data = with_sitemaps(text, [f"{self._base_url}{name}" for name in there])
        headers = [TEXT, ("Content-Length", str(len(data)))]
        return FileResponse(200, headers, b"" if method == "HEAD" else data)

    def _opened(self, folder: Path) -> FileFolder:
        return FileFolder(folder, self._name, self._cache_control)


def quote_path(path: str) -> str:
    """Return the path of a route, which is decoded, as that of a URL.

    >>> quote_path("/100% é?")
    '/100%25%20%C3%A9%3F'
    """
    return quote(path, safe="/:@!$&'()*+,;=~")

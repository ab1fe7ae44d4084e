"""What the tools of an agent may reach: one folder, public addresses, a number of requests."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from urlset.errors import SourceError, UrlsetError
from urlset.http import Policy, origin_of, request_url
from urlset.model import ProgressEvent
from urlset.option_names import option


class BudgetError(UrlsetError):
    """The requests of the session are used up."""


def expect_offset(offset: int) -> None:
    """Raise ``ValueError`` unless a number of rows to skip is 0 or more."""
    if offset < 0:
        raise ValueError(f"offset: expected 0 or more, found {offset}")


class Fences:
    """Limits of a session, which an agent cannot change.

    Args:
        root: The only folder whose files may be read.
        allow_private: Whether sites at private addresses may be requested.
        max_requests: Requests of the session: documents that are read, and visits of pages.

    Attributes:
        left: Requests that are left.
        policy: Policy of all requests.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] = ".",
        *,
        allow_private: bool = False,
        max_requests: int = 10_000,
    ):
        self.root: Path = Path(os.path.realpath(root))
        if not self.root.is_dir():
            raise SourceError(f"expected a folder, found {os.fspath(root)!r}", failure="missing")
        self.allow_private = allow_private
        self.left: int = max_requests
        self.policy: Policy = Policy(allow_private=allow_private, only_public=not allow_private)
        self._lock = threading.Lock()

    def source(self, text: str) -> str:
        """Return a source that may be read: a URL, or the path of a file or folder below the root.

        Raises:
            SourceError: It is anything else.
        """
        origin = origin_of(text)
        if origin is None:
            return str(self.path(text))
        if request_url(text) is None or "@" in text.partition("://")[2].partition("/")[0]:
            raise SourceError(f"expected a URL without a login, found {text!r}", failure="refused")
        return text

    def path(self, text: str) -> Path:
        """Return the real path of a file or folder below the root.

        Raises:
            SourceError: It is elsewhere, does not exist, or a link in it leads elsewhere.
        """
        path = self.root if "\0" in text else Path(os.path.realpath(self.root / text))
        if "\0" in text or not self._has(path):
            raise SourceError(
                f"expected a URL (https://…) or a path below the root folder, found {text!r}",
                failure="refused",
            )
        if not path.exists():
            raise SourceError(
                f"expected a file or folder below the root folder, found nothing at {text!r}",
                failure="missing",
            )
        for folder, folders, files in os.walk(path):
            for name in (*folders, *files):
                inner = os.path.join(folder, name)
                if os.path.islink(inner) and not self._has(Path(os.path.realpath(inner))):
                    raise SourceError(
                        f"expected files below the root folder, found a link out of it: {inner!r}",
                        failure="refused",
                    )
        return path

    def _has(self, path: Path) -> bool:
        return path == self.root or self.root in path.parents

    def take(self, most: int) -> int:
        """Take requests of those that are left, before they are made; return how many."""
        with self._lock:
            taken = min(most, self.left)
            self.left -= taken
        return taken

    def give_back(self, count: int) -> None:
        """Give requests back that were taken and not made."""
        with self._lock:
            self.left += max(0, count)

    def expect_requests(self) -> None:
        """Raise :class:`BudgetError` if no request is left."""
        if self.left <= 0:
            raise BudgetError(
                "the requests of this session are used up; restart the server with a larger "
                + option("request_budget", python="request_budget")
            )

    def counter(self) -> Callable[[ProgressEvent], None]:
        """Return a callback for the progress of a call, which takes a request for each document.

        It raises :class:`BudgetError` when none is left.
        """
        seen = 0

        def on_progress(event: ProgressEvent) -> None:
            nonlocal seen
            new, seen = max(0, event.documents - seen), max(seen, event.documents)
            if self.take(new) < new:
                raise BudgetError("more requests are needed than this session has left")

        return on_progress

"""Exceptions of urlset; each one also inherits from the builtin that it resembles.

::

    UrlsetError
    ├── SourceError     (OSError)     a source cannot be read
    ├── EntryError      (ValueError)  an entry is invalid and is not written
    ├── TargetError     (OSError)     a target cannot be written
    │   └── GateError                 a safety gate of a build failed
    ├── StoreError      (OSError)     a store cannot be opened or written
    ├── QueryError      (ValueError)  an SQL query is invalid
    ├── ConfigurationError (ValueError) a configuration or a baseline is invalid
    └── EngineError     (RuntimeError) the engine is not installed, or failed

Faults *inside* a document do not raise: they are reported in :attr:`urlset.Document.problems`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Literal

Failure = Literal[
    "missing",  # an index lists a file that does not exist
    "unreadable",  # a file that cannot be opened, or a link that must not be followed
    "cycle",  # an index that lists itself, or an index above it
    "stream",  # a child of an index that was read from a stream, without a folder to look in
    "status",  # an HTTP status other than success
    "refused",  # HTTP 401, 403, 407 or 429: a login, or a firewall
    "unreachable",  # DNS, TCP, TLS, timeout, invalid redirects
    "incomplete",  # only a part arrived
    "other-host",  # a host that another part of a partitioned reading may request
    "same-answer",  # the same response as for another URL, and not a sitemap
]
"""Reason why a document, or a part of it, could not be read, for programs."""

StoreFailure = Literal[
    "in-use",  # another process, or this one, has the file open
    "damaged",  # a DuckDB file that is damaged
    "other-file",  # another kind of file, or one with views that urlset did not create
    "other",  # everything else, such as no permission or a full disk
]
"""Reason why a store could not be opened or used, for programs."""


class UrlsetError(Exception):
    """Base class of all exceptions of urlset."""


class SourceError(UrlsetError, OSError):
    """A source cannot be read: it is missing, access is denied, or its type is unknown.

    ``failure`` is the reason, for programs.
    """

    def __init__(self, message: str, *, failure: Failure = "unreadable"):
        super().__init__(message)
        self.failure: Failure = failure


class EntryError(UrlsetError, ValueError):
    """An entry is invalid, so that it is not written.

    ``row`` is its number in the input, from 1; ``field`` the invalid field; ``value`` its value;
    ``detail`` the message without row and field: what is expected, what was found, what to do.
    """

    def __init__(
        self,
        message: str,
        *,
        row: int = 0,
        field: str = "",
        value: object = None,
        detail: str = "",
    ):
        super().__init__(message)
        self.row = row
        self.field = field
        self.value = value
        self.detail = detail


class TargetError(UrlsetError, OSError):
    """A target cannot be written: the disk is full, access is denied, or a folder is a file."""


class GateError(TargetError):
    """A safety gate of a build failed: zero URLs, half of them removed, or another host.

    ``gate`` is the name of the gate, for ``--force``; ``exit_code`` that of the command.
    """

    def __init__(self, message: str, *, gate: str, exit_code: int):
        super().__init__(message)
        self.gate = gate
        self.exit_code = exit_code


class StoreError(UrlsetError, OSError):
    """A store cannot be opened or written: wrong file type or version, in use, or disk full.

    ``failure`` is the reason, for programs; ``detail`` the part of the message from DuckDB, if any.
    """

    def __init__(self, message: str, *, failure: StoreFailure = "other", detail: str = ""):
        super().__init__(message)
        self.failure: StoreFailure = failure
        self.detail = detail


class QueryError(UrlsetError, ValueError):
    """An SQL query is invalid, or names tables or columns that do not exist."""


class ConfigurationError(UrlsetError, ValueError):
    """A configuration is invalid: not TOML, an unknown key, or a value of the wrong type."""


class EngineError(UrlsetError, RuntimeError):
    """The requested engine is not installed, or a native library has failed on an input.

    ``urlset --version`` lists the installed engines.
    """


class _Panics:
    """Context manager of :func:`panics_as_errors`; it has no state."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and type(error).__name__ == "PanicException":
            raise EngineError(
                f"a native library failed: {error}; the input is probably too large for it. "
                "Please report this, with the input"
            ) from None


_PANICS = _Panics()


def panics_as_errors() -> AbstractContextManager[None]:
    """Raise an error for a panic of a native library, which is no ``Exception`` in Python.

    Raises:
        EngineError: A library has failed.
    """
    return _PANICS


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Return the message about a package that urlset needs; None if a module of urlset is missing.

    >>> missing_package(ModuleNotFoundError(name="duckdb")).partition(";")[0]
    "expected the package 'duckdb', which urlset needs, found that it is not installed"
    """
    package = (error.name or "urlset").partition(".")[0]
    if package == "urlset":
        return None
    return (
        f"expected the package {package!r}, which urlset needs, found that it is not installed; "
        "install urlset with its dependencies: pip install urlset, or pip install . in a checkout"
    )


def suggestion(key: str, keys: Iterable[str]) -> str:
    """Return the end of a message about an unknown key: a similar key, or all known keys.

    >>> suggestion("buid", ["build", "check"]), suggestion("x", ["build", "check"])
    ("; did you mean 'build'?", '; expected build, check')
    """
    known = sorted(keys)
    close = similar(key, known)
    return f"; did you mean {close!r}?" if close else f"; expected {', '.join(known)}"


def similar(word: str, words: Iterable[str], min_ratio: float = 0.6) -> str | None:
    """Return the word that is most similar to a word, for a message; None if there is none.

    ``min_ratio`` is the least :meth:`difflib.SequenceMatcher.ratio`.

    >>> similar("lastmd", ["loc", "lastmod"])
    'lastmod'
    """
    from difflib import get_close_matches  # only errors need it

    return next(iter(get_close_matches(word, words, 1, min_ratio)), None)

"""The exceptions of urlset; each is also the builtin that it resembles.

::

    UrlsetError
    ├── SourceError     (OSError)     a source that cannot be read at all
    ├── EntryError      (ValueError)  an entry that may not be written
    ├── TargetError     (OSError)     a target that cannot be written
    │   └── GateError                 a publication that a gate stopped
    ├── StoreError      (OSError)     a store that cannot be opened, or filled
    ├── QueryError      (ValueError)  a query in SQL that cannot be answered
    ├── ConfigurationError (ValueError) a configuration, or a baseline, that cannot be meant
    └── EngineError     (RuntimeError) the engine asked for is not installed

What is wrong *inside* a document is never an exception: it is a problem in
:attr:`urlset.Document.problems`.
"""

from __future__ import annotations

from typing import Literal

__all__ = [
    "ConfigurationError",
    "EngineError",
    "EntryError",
    "Failure",
    "GateError",
    "QueryError",
    "SourceError",
    "StoreError",
    "StoreFailure",
    "TargetError",
    "UrlsetError",
]


Failure = Literal[
    "missing",  # an index lists a file that does not exist
    "unreadable",  # a file that cannot be opened, or must not be followed
    "cycle",  # an index that lists itself, or an index above it
    "stream",  # a child of an index that came as a stream: it has no folder to look in
    "status",  # an HTTP status other than success
    "refused",  # HTTP 401, 403, 407 or 429: a login, or a firewall
    "unreachable",  # DNS, TCP, TLS, timeout, redirects that lead nowhere
    "incomplete",  # only a part arrived
    "same-answer",  # the same page as for another URL, and not a sitemap
]
"""Why a document could not be read, or only in part, for programs."""

StoreFailure = Literal[
    "in-use",  # another process, or this one, has the file open
    "damaged",  # a DuckDB file that is damaged
    "other-file",  # another kind of file, or one with views that urlset did not make
    "other",  # everything else, such as no permission or a full disk
]
"""Why a store could not be opened or used, for programs."""


class UrlsetError(Exception):
    """The root of every exception that urlset raises on purpose."""


class SourceError(UrlsetError, OSError):
    """A source cannot be read: no such file, no permission, not a kind of source we know.

    ``failure`` is the reason as a word for programs.
    """

    def __init__(self, message: str, *, failure: Failure = "unreadable"):
        super().__init__(message)
        self.failure: Failure = failure


class EntryError(UrlsetError, ValueError):
    """An entry may not be written, because it could not be read back as valid.

    ``row`` is its number in the input, from 1; ``field`` the column at fault;
    ``value`` what stood there; ``detail`` the message without row and field: what is expected,
    what was found, and what to do.
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
    """A target cannot be written: a full disk, no permission, a file where a folder must be."""


class GateError(TargetError):
    """A publication that looks like an accident: zero URLs, half of them gone, another host.

    ``gate`` is the name of the gate, for ``--force``; ``exit_code`` that of the command.
    """

    def __init__(self, message: str, *, gate: str, exit_code: int):
        super().__init__(message)
        self.gate = gate
        self.exit_code = exit_code


class StoreError(UrlsetError, OSError):
    """A store cannot be opened or filled: another kind of file, or version, in use, no room.

    ``failure`` is the reason as a word for programs; ``detail`` is the part of the message that
    DuckDB reported, empty where it reported nothing.
    """

    def __init__(self, message: str, *, failure: StoreFailure = "other", detail: str = ""):
        super().__init__(message)
        self.failure: StoreFailure = failure
        self.detail = detail


class QueryError(UrlsetError, ValueError):
    """A query cannot be answered: it is no SQL, or asks for what the tables do not have."""


class ConfigurationError(UrlsetError, ValueError):
    """A configuration cannot be meant: no TOML, an unknown key, a value of another type."""


class EngineError(UrlsetError, RuntimeError):
    """The engine asked for is not installed; ``urlset --version`` tells which ones are."""

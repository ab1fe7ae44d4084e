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

__all__ = [
    "ConfigurationError",
    "EngineError",
    "EntryError",
    "GateError",
    "QueryError",
    "SourceError",
    "StoreError",
    "TargetError",
    "UrlsetError",
]


class UrlsetError(Exception):
    """The root of every exception that urlset raises on purpose."""


class SourceError(UrlsetError, OSError):
    """A source cannot be read: no such file, no permission, not a kind of source we know."""


class EntryError(UrlsetError, ValueError):
    """An entry may not be written, because it could not be read back as valid.

    ``row`` is its number in the input, from 1; ``field`` the column at fault;
    ``value`` what stood there.
    """

    def __init__(self, message: str, *, row: int = 0, field: str = "", value: object = None):
        super().__init__(message)
        self.row = row
        self.field = field
        self.value = value


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
    """A store cannot be opened or filled: another kind of file, or version, in use, no room."""


class QueryError(UrlsetError, ValueError):
    """A query cannot be answered: it is no SQL, or asks for what the tables do not have."""


class ConfigurationError(UrlsetError, ValueError):
    """A configuration cannot be meant: no TOML, an unknown key, a value of another type."""


class EngineError(UrlsetError, RuntimeError):
    """The engine asked for is not installed; ``urlset --version`` tells which ones are."""

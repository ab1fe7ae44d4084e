"""Database URLs, with passwords and other secrets removed from messages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote

from urlset.errors import SourceError

__all__ = ["Dsn"]

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_PUBLIC = ("dbname", "host", "port", "sslmode", "user", "application_name", "connect_timeout")

_DIALECTS = ("postgresql", "postgres", "mysql", "mariadb", "mssql", "sqlite", "snowflake")


class Dsn:
    """URL of a database, or ``env:NAME`` for the URL in an environment variable.

    Attributes:
        url: The complete URL, for the driver only. The driver in a URL of SQLAlchemy
            (``postgresql+psycopg://``) is removed.
        shown: The URL for messages: without password, and without the part after ``?``; or
            ``env:NAME``.
        scheme: The scheme of the URL, in lower case.
        path: The path of the file, of SQLite and DuckDB.

    Raises:
        urlset.SourceError: The text is neither, or the variable is empty.

    >>> Dsn("postgresql://ann:secret@db.example/shop?sslmode=require").shown
    'postgresql://ann@db.example/shop'
    """

    def __init__(self, text: str, environment: Mapping[str, str] = os.environ):
        self._text = text
        name = text.removeprefix("env:") if text.startswith("env:") else None
        url = text if name is None else environment.get(name, "")
        found = _URL.fullmatch(url.strip())
        if name is not None and not url:
            raise SourceError(
                f"expected the URL of a database in the variable {name}, found nothing there"
            )
        where = "" if name is None else f" in the variable {name}"
        if found is None:
            raise SourceError(
                f"expected the URL of a database (postgresql://user@host/name){where}, "
                "found other text"
            )
        # SQLAlchemy names the driver, too: postgresql+psycopg://, mysql+pymysql://.
        scheme, plus, driver = found["scheme"].lower().partition("+")
        is_dialect = plus and scheme in _DIALECTS
        self.scheme = scheme if is_dialect else scheme + plus + driver
        self.url = f"{scheme}://{found['rest']}" if is_dialect else url.strip()
        authority, _, query = found["rest"].partition("?")
        account, at, host = authority.rpartition("@")
        user, _, password = account.partition(":")
        is_ambiguous = "@" in query and re.search(r":\D*\Z", authority) is not None
        if is_ambiguous or re.search(r"[@/#\[\]]", account):
            # A driver would read a part of the password as the host, and show it in its errors.
            raise SourceError(
                "expected the URL of a database with a percent-encoded password "
                f"(@ as %40, / as %2F, ? as %3F), found one that is not encoded{where}"
            )
        self.path = host.partition("/")[2] if self.scheme in ("sqlite", "duckdb") else ""
        url_shown = f"{self.scheme}://{user}{at}{host}"
        self.shown = url_shown if name is None else text
        secrets = {password, unquote(password)}
        for key, value in parse_qsl(query, keep_blank_values=True):
            if key.lower() not in _PUBLIC:
                secrets |= {value}
        self._secrets = sorted((part for part in secrets if part), key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Dsn({self.shown!r})"

    def without_secrets(self, message: str) -> str:
        """Return a message of the driver on one line, without the URL and its secrets."""
        for secret in (self._text, self.url, *self._secrets):
            message = message.replace(secret, "…")
        return " ".join(message.split())

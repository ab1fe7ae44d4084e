"""Keys of IndexNow: one per host, created, and read from the environment or from a file."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from urlset.errors import TargetError
from urlset.hidden_fields import repr_without
from urlset.http import origin_of
from urlset.live.visits.key_file import is_key
from urlset.temp_files import write_error_reason

EXPECTED = "a key of 8 to 128 letters, digits or hyphens"


class IndexNowKey(NamedTuple):
    """Key of a host, with the URL of its key file; the default is ``/<key>.txt``."""

    value: str
    location: str | None = None

    def __repr__(self) -> str:
        return repr_without(self, "value", "location")

    def file_url(self, origin: str) -> str:
        """Return the URL of the key file on a site."""
        return self.location or f"{origin}/{self.value}.txt"

    def scope(self, origin: str) -> str:
        """Return the path of the folder of the key file: it applies to URLs in it only."""
        return urlsplit(self.file_url(origin)).path.rpartition("/")[0] + "/"


class IndexNowKeys(NamedTuple):
    """Keys by host, and a key without a host, which applies if there is one host only."""

    by_host: Mapping[str, IndexNowKey] = {}
    single: IndexNowKey | None = None

    def __repr__(self) -> str:
        return repr_without(self, "single")

    def key_of(self, host: str, hosts: int) -> IndexNowKey | None:
        """Return the key of a host; ``hosts`` is the number of hosts that have changes."""
        return self.by_host.get(host) or (self.single if hosts == 1 else None)


def parse_keys(text: str, origin: str) -> IndexNowKeys:
    """Parse keys: one key alone, or a line ``HOST KEY [URL of the key file]`` for each host.

    Lines that begin with ``#`` are ignored. Messages say that the text is that of ``origin``.

    Raises:
        ValueError: A line has another form.

    >>> parse_keys("www.example.com 73134416ae45434d98edc086e0bf6740", "keys").by_host.keys()
    dict_keys(['www.example.com'])
    """
    lines = [line.split() for line in text.removeprefix("\ufeff").splitlines()]
    rows = [(n, row) for n, row in enumerate(lines, 1) if row and not row[0].startswith("#")]
    if not rows:
        raise ValueError(f"{origin}: expected {EXPECTED}, found nothing")
    if len(rows) == 1 and len(rows[0][1]) == 1:
        return IndexNowKeys({}, _key(rows[0][1][0], None, origin))
    found: dict[str, IndexNowKey] = {}
    for number, row in rows:
        where = f"{origin}:{number}"
        if not 2 <= len(row) <= 3:
            raise ValueError(f"{where}: expected HOST KEY [URL], found {len(row)} words")
        host = host_of_url(row[0] if "://" in row[0] else f"https://{row[0]}")
        if host is None:
            raise ValueError(f"{where}: expected a host as www.example.com, found {row[0]!r}")
        location = row[2] if len(row) == 3 else None
        if location is not None and host_of_url(location) != host:
            raise ValueError(f"{where}: expected a key file on {host}, found {location!r}")
        found[host] = _key(row[1], location, where)
    return IndexNowKeys(found)


def keys_from(given: object) -> IndexNowKeys:
    """Convert an argument to keys: None, a key, or keys by host.

    Raises:
        ValueError: A key or a host is invalid.

    >>> keys_from({"example.com": "73134416ae45434d98edc086e0bf6740"}).by_host["example.com"].value
    '73134416ae45434d98edc086e0bf6740'
    """
    if given is None:
        return IndexNowKeys()
    if isinstance(given, IndexNowKeys):
        return given
    if isinstance(given, str):
        return parse_keys(given, "keys")
    if not isinstance(given, Mapping):
        raise ValueError(f"keys: expected a key, or keys by host, found {type(given).__name__}")
    lines = []
    for host, key in given.items():
        words = [host, *(key if isinstance(key, tuple | list) else [key])]
        if not all(isinstance(word, str) for word in words):
            raise ValueError("keys: expected texts: a key, or key and location, by host")
        lines.append(" ".join(words))
    return parse_keys("\n".join(lines), "keys") if lines else IndexNowKeys()


def _key(value: str, location: str | None, where: str) -> IndexNowKey:
    if not is_key(value):
        raise ValueError(f"{where}: expected {EXPECTED}, found {len(value)} other characters")
    return IndexNowKey(value, location)


def host_of_url(url: str) -> str | None:
    """Return the host of a URL in ASCII, with a port that is not the default one.

    >>> host_of_url("https://Bücher.example:443/a"), host_of_url("http://localhost:8080/")
    ('xn--bcher-kva.example', 'localhost:8080')
    """
    origin = origin_of(url)
    return None if origin is None else origin.partition("://")[2]


def create_key(folder: Path) -> Path:
    """Create a random key, and write its file to the folder of a site; return its path.

    The key has 128 random bits. Each site needs a key of its own: engines bind a key to the host
    that first uses it.

    Raises:
        TargetError: The file cannot be written.
    """
    key = secrets.token_hex(16)
    path = folder / f"{key}.txt"
    try:
        with path.open("x", encoding="ascii", newline="") as file:
            file.write(key)  # without a line break: some engines compare all bytes
    except OSError as error:
        raise TargetError(
            f"cannot write {str(path)!r}: {write_error_reason(path, error)}"
        ) from error
    return path

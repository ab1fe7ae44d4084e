"""The configuration of a project: ``urlset.toml``, or ``[tool.urlset]`` of ``pyproject.toml``.

Looked for in the working directory and above it, up to the root of the repository. Its sections
are named after the commands, its keys after their options.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from urlset.errors import ConfigurationError

__all__ = ["FILES", "Configuration", "read_configuration"]

FILES = ("urlset.toml", "pyproject.toml")
"""The names of a configuration; the first that a folder has counts."""


class Configuration(NamedTuple):
    """What a file configures; ``path`` is None where there is none."""

    path: Path | None
    table: Mapping[str, Any]

    def section(self, name: str, keys: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
        """The keys of a section, each of its type.

        Raises :class:`urlset.ConfigurationError` for a key that there is not, and for a value of
        another type.
        """
        found = self.table.get(name, {})
        self.expect(found, dict, f"[{name}]")
        for key, value in found.items():
            if key not in keys:
                raise self.wrong(f"[{name}] has no key {key!r}{_hint(key, keys)}")
            self.expect(value, keys[key], f"{key} in [{name}]")
        return dict(found)

    def expect(self, value: object, kind: type | tuple[type, ...], what: str) -> None:
        """Raise :class:`urlset.ConfigurationError` for a value of another type."""
        is_flag = isinstance(value, bool) and kind is not bool
        if is_flag or not isinstance(value, kind):
            words = " or ".join(_WORDS.get(k, k.__name__) for k in _all(kind))
            raise self.wrong(f"{what}: expected {words}, found {value!r}")

    def wrong(self, words: str) -> ConfigurationError:
        """The error that says what is wrong in this file."""
        return ConfigurationError(f"{self.path}: {words}")


_WORDS = {str: "a text", int: "a number", bool: "true or false", list: "a list", dict: "a table"}


def read_configuration(path: str | None = None, start: Path | None = None) -> Configuration:
    """Read the file at ``path``, or the one that is found from ``start`` upwards, or nothing.

    Raises :class:`urlset.ConfigurationError` where it cannot be read.
    """
    if path is not None:
        return _read(Path(path))
    folder = (start or Path.cwd()).resolve()
    for place in (folder, *folder.parents):
        for name in FILES:
            if (place / name).is_file():
                found = _read(place / name)
                if found.table:
                    return found
        if (place / ".git").exists():
            break
    return Configuration(None, {})


def _read(path: Path) -> Configuration:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        words = f"expected a configuration, found none at {str(path)!r}: {error.strerror}"
        raise ConfigurationError(words) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: expected TOML, found {error}") from error
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("urlset", {})
    return Configuration(path, table)


def _all(kind: type | tuple[type, ...]) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def _hint(key: str, keys: Iterable[str]) -> str:
    known = list(keys)
    close = difflib.get_close_matches(key, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; it may have {', '.join(known)}"

"""Read the configuration of a project: ``urlset.toml``, or ``[tool.urlset]`` in ``pyproject.toml``.

The file is searched in the working directory and its parents, up to the root of the repository.
Its sections are named after the commands, its keys after their options. A file that belongs to
another user is read only if the command names it: otherwise anyone who can write to a parent folder
could control the command.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from urlset.errors import ConfigurationError

__all__ = ["FILES", "SECTIONS", "Configuration", "read_configuration", "suggestion"]

FILES = ("urlset.toml", "pyproject.toml")
"""File names of a configuration; the first one in a folder is used."""

SECTIONS = ("build", "check")
"""Names of the sections."""


class Configuration(NamedTuple):
    """Content of a configuration file.

    Attributes:
        path: The file, or None if there is none.
        table: The sections of the file.
        notes: A message for each file that was skipped because it belongs to another user.
    """

    path: Path | None
    table: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def section(self, name: str, keys: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
        """Return the keys and values of a section; an absent section is empty.

        Args:
            name: The name of the section.
            keys: The known keys, each with the type of its value.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value has another type.
        """
        found = self.table.get(name, {})
        self.expect(found, dict, f"[{name}]")
        for key, value in found.items():
            if key not in keys:
                raise self.error(f"[{name}] has no key {key!r}{suggestion(key, keys)}")
            self.expect(value, keys[key], f"{key} in [{name}]")
        return dict(found)

    def expect(self, value: object, kind: type | tuple[type, ...], what: str) -> None:
        """Raise :class:`urlset.ConfigurationError` if a value is not of type ``kind``."""
        is_flag = isinstance(value, bool) and kind is not bool
        if is_flag or not isinstance(value, kind):
            expected = " or ".join(_TYPE_NAMES.get(k, k.__name__) for k in _as_tuple(kind))
            raise self.error(f"{what}: expected {expected}, found {value!r}")

    def error(self, message: str) -> ConfigurationError:
        """Return an error whose message begins with the path of this file."""
        return ConfigurationError(f"{self.path}: {message}")


_TYPE_NAMES = {
    str: "a string",
    int: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def read_configuration(path: str | None = None, start: Path | None = None) -> Configuration:
    """Read the configuration at ``path``, or search one in ``start`` and its parents.

    Args:
        path: The file to read; None to search one.
        start: The folder where the search starts; by default the working directory.

    Returns:
        The configuration; it is empty if the search finds none.

    Raises:
        urlset.ConfigurationError: The file cannot be read.
    """
    if path is not None:
        return _read(Path(path))
    folder = (start or Path.cwd()).resolve()
    trusted = _trusted_owners(folder)
    notes: list[str] = []
    for candidate in (folder, *folder.parents):
        for name in FILES:
            file = candidate / name
            if not file.is_file():
                continue
            if trusted is not None and not trusted.issuperset(_owners(file)):
                notes += _foreign_file_note(file)
                continue
            found = _read(file)
            if found.table:
                return found._replace(notes=tuple(notes))
        if (candidate / ".git").exists():
            break
    return Configuration(None, {}, tuple(notes))


def _trusted_owners(folder: Path) -> set[int] | None:
    """Return the users whose files are read without being named; None if files have no owners.

    They are this user, the administrator, and the owner of the working directory, who controls its
    content: in a container, that is often another user than the one who runs the command.
    """
    if not hasattr(os, "geteuid"):
        return None
    return {os.geteuid(), 0, *_owners(folder)}


def _owners(path: Path) -> set[int]:
    """Return the owner of a file and, if it is a symbolic link, that of the link."""
    return {path.stat().st_uid, path.lstat().st_uid}


def _foreign_file_note(path: Path) -> list[str]:
    """Return a message that a file of another user is skipped, if it configures urlset."""
    try:
        table = _read(path).table
    except ConfigurationError:
        table = {} if path.name == "pyproject.toml" else {"unreadable": True}
    if not table:
        return []
    return [
        f"{path} is not read: it belongs to another user (number {path.stat().st_uid}); "
        f"if you trust it, use --config {path}"
    ]


def _read(path: Path) -> Configuration:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"expected a configuration, found none at {str(path)!r}: {error.strerror}"
        raise ConfigurationError(message) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: expected TOML, found {error}") from error
    if path.name == "pyproject.toml":
        tools = table.get("tool", {})
        table = tools.get("urlset", {}) if isinstance(tools, dict) else {}
    found = Configuration(path, table)
    found.expect(table, dict, "[tool.urlset]")
    _expect_sections(found)
    return found


def _expect_sections(found: Configuration) -> None:
    for name, value in found.table.items():
        if name in SECTIONS:
            found.expect(value, dict, f"[{name}]")
        elif isinstance(value, dict) or _is_list_of_tables(value):
            raise found.error(f"unknown section [{name}]{suggestion(name, SECTIONS)}")
        else:
            where = " or ".join(f"[{section}]" for section in SECTIONS)
            raise found.error(f"the key {name!r} is outside of a section; move it below {where}")


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _as_tuple(kind: type | tuple[type, ...]) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def suggestion(key: str, keys: Iterable[str]) -> str:
    """Return the end of a message about an unknown key: a similar key, or all known keys.

    >>> suggestion("buid", ["build", "check"]), suggestion("x", ["build", "check"])
    ("; did you mean 'build'?", '; expected build, check')
    """
    known = sorted(keys)
    close = difflib.get_close_matches(key, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; expected {', '.join(known)}"

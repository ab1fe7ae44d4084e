"""The configuration of a project: ``urlset.toml``, or ``[tool.urlset]`` of ``pyproject.toml``.

Looked for in the working directory and above it, up to the root of the repository. Its sections
are named after the commands, its keys after their options. A file that belongs to another user is
not read unless it is named: who can write to a parent folder could otherwise decide what is done.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from urlset.errors import ConfigurationError

__all__ = ["FILES", "SECTIONS", "Configuration", "hint", "read_configuration"]

FILES = ("urlset.toml", "pyproject.toml")
"""The names of a configuration; the first that a folder has counts."""

SECTIONS = ("build", "check")
"""The sections of a configuration."""


class Configuration(NamedTuple):
    """What a file configures; ``path`` is None where there is none.

    ``notes`` name the files that were not read because they belong to another user.
    """

    path: Path | None
    table: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def section(self, name: str, keys: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
        """The keys of a section, each of its type.

        Raises :class:`urlset.ConfigurationError` for a key that there is not, and for a value of
        another type.
        """
        found = self.table.get(name, {})
        self.expect(found, dict, f"[{name}]")
        for key, value in found.items():
            if key not in keys:
                raise self.wrong(f"[{name}] has no key {key!r}{hint(key, keys)}")
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
    trusted = _trusted_owners(folder)
    notes: list[str] = []
    for place in (folder, *folder.parents):
        for name in FILES:
            file = place / name
            if not file.is_file():
                continue
            if trusted is not None and not trusted.issuperset(_owners(file)):
                notes += _note(file)
                continue
            found = _read(file)
            if found.table:
                return found._replace(notes=tuple(notes))
        if (place / ".git").exists():
            break
    return Configuration(None, {}, tuple(notes))


def _trusted_owners(folder: Path) -> set[int] | None:
    """Return the users whose files are read unasked; None where the system has no such owners.

    They are this user, the system's administrator, and the owner of the working directory, who
    decides what is in it: in a container, that is often another user than the one of the command.
    """
    if not hasattr(os, "geteuid"):
        return None
    return {os.geteuid(), 0, *_owners(folder)}


def _owners(path: Path) -> set[int]:
    """Return the owners of a file, and of the link where it is one."""
    return {path.stat().st_uid, path.lstat().st_uid}


def _note(path: Path) -> list[str]:
    """Say that a file is not read, if it has anything to do with us."""
    try:
        table = _read(path).table
    except ConfigurationError:
        table = {} if path.name == "pyproject.toml" else {"unreadable": True}
    if not table:
        return []
    return [
        f"{path} is not read: it belongs to another user (number {path.stat().st_uid}); "
        f"where you trust it, give --config {path}"
    ]


def _read(path: Path) -> Configuration:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        words = f"expected a configuration, found none at {str(path)!r}: {error.strerror}"
        raise ConfigurationError(words) from error
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
            raise found.wrong(f"no section [{name}] is known{hint(name, SECTIONS)}")
        else:
            where = " or ".join(f"[{section}]" for section in SECTIONS)
            raise found.wrong(f"the key {name!r} stands outside of a section; put it below {where}")


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _all(kind: type | tuple[type, ...]) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def hint(key: str, keys: Iterable[str]) -> str:
    """Return what to say behind a key that is not known: the one that was meant, or all.

    >>> hint("buid", ["build", "check"]), hint("x", ["build", "check"])
    ("; did you mean 'build'?", '; expected build, check')
    """
    known = sorted(keys)
    close = difflib.get_close_matches(key, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; expected {', '.join(known)}"

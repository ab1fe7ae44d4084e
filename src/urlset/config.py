"""Load the configuration of a project: ``urlset.toml``, or ``[tool.urlset]`` in ``pyproject.toml``.

The file is searched in the working directory and its parents, up to the root of the repository.
Its sections are named after the commands, its keys after their options. A file that belongs to
another user is read only if it is named: otherwise anyone who can write to a parent folder could
control the command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from urlset.errors import ConfigurationError, suggestion
from urlset.option_names import option
from urlset.option_schema import LEDGER, Option, options_of
from urlset.temp_files import bounded_text

if TYPE_CHECKING:
    from urlset.checker import Rule

FILES = ("urlset.toml", "pyproject.toml")
"""File names of a configuration; the first one in a folder is used."""

_MAX_PARTS = 100
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{_MAX_PARTS}}}")

_SECTIONS = ("build", "check", "submit", "diff", "segments")
_USES = {"audit": "check", "fix": "check"}
"""The section that a command or function without one of its own reads."""

_SOURCE_KEYS = {
    "path": str,
    "kind": str,
    "map": Union[str, dict[str, str]],  # noqa: UP007 - as the types of options are written
    "query": str,
    "table": str,
    "delimiter": str,
}


class Configuration(NamedTuple):
    """Content of a configuration file; :func:`load_config` returns it.

    Attributes:
        path: The file, or None if there is none.
        table: The sections of the file.
        notes: A message for each file that was skipped because it belongs to another user.
    """

    path: Path | None
    table: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def build(self) -> dict[str, Any]:
        """The section ``[build]`` as keyword arguments of :func:`urlset.build`.

        Paths are relative to the folder of the file, and so is the ledger, which is the same from
        each working directory.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value is invalid.
        """
        options = self._options("build")
        if "sources" in options:
            options["sources"] = list(self._sources(options["sources"]))
        if self.path is not None and "build" in self.table:
            options.setdefault("ledger", self.path.parent / LEDGER)
        return options

    @property
    def check(self) -> dict[str, Any]:
        """The section ``[check]`` as keyword arguments of :func:`urlset.check`.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value is invalid.
        """
        options = self._options("check")
        if "rules" in options:
            options["rules"] = list(self._rules(options["rules"]))
        is_parameter = {option.name: option.is_allowed("python") for option in options_of("check")}
        return {name: value for name, value in options.items() if is_parameter[name]}

    @property
    def submit(self) -> dict[str, Any]:
        """The section ``[submit]`` as keyword arguments of :func:`urlset.submit`.

        The record of announcements is next to the file, as the ledger is.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value is invalid.
        """
        options = self._options("submit")
        if self.path is not None and "submit" in self.table:
            folder = self.path.parent / LEDGER.parent
            options.setdefault("store", folder / "announcements.duckdb")
        return options

    @property
    def report(self) -> dict[str, Any]:
        """The keys of ``[check]`` for reports: ``fail_level`` and ``max_examples``.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value is invalid.
        """
        names = {option.name for option in options_of("check") if not option.is_allowed("python")}
        options = self._options("check")
        return {name: value for name, value in options.items() if name in names}

    @property
    def diff(self) -> dict[str, Any]:
        """The section ``[diff]`` as keyword arguments of :func:`urlset.diff`.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value is invalid.
        """
        limits = self.diff_limits
        return {name: value for name, value in self._options("diff").items() if name not in limits}

    @property
    def segments(self) -> dict[str, str]:
        """The section ``[segments]`` as the argument ``segments`` of :func:`urlset.audit`.

        Raises:
            urlset.ConfigurationError: A value is not a text.
        """
        values = dict(self.table.get("segments", {}))
        if values:
            self._expect(values, dict[str, str], self._section("segments"))
        return values

    @property
    def diff_limits(self) -> dict[str, str]:
        """The keys of ``[diff]`` that set the exit code (``max_removed``), with values.

        Raises:
            urlset.ConfigurationError: A key is unknown, or a value is invalid.
        """
        names = {option.name for option in options_of("diff") if not option.is_allowed("python")}
        options = self._options("diff")
        return {name: value for name, value in options.items() if name in names}

    def _options(self, section: str) -> dict[str, Any]:
        """Return the non-empty values of a section by parameter name."""
        schema = {each.key: each for each in options_of(section) if each.is_allowed("file")}
        values = {}
        for key, value in self.table.get(section, {}).items():
            if key not in schema:
                raise self._error(
                    f"{self._section(section)} has no key {key!r}{suggestion(key, schema)}"
                )
            option, place = schema[key], f"{self._section(section)} {key}"
            if option.is_number_text and type(value) in (int, float):
                value = str(value)
            if option.is_share and isinstance(value, str):
                value = self._share(option, value, place)
            self._expect(value, _checked_type(option), place)
            if value == "" or (isinstance(value, list) and "" in value):
                raise self._error(
                    f"{place}: expected a value, found an empty text; remove it to use the default"
                )
            if value != []:
                values[option.name] = self._value(option, value)
        return values

    def _share(self, option: Option, text: str, place: str) -> Any:
        """Return the number of a share such as ``10%``."""
        try:
            return option.parse(text)
        except ValueError as error:
            raise self._error(f"{place}: {error}") from error

    def _value(self, option: Option, value: Any) -> Any:
        if not option.is_path:
            return option.value(value)
        if "://" in value:
            return value
        path = self._resolve_path(value)
        return os.fspath(path) if option.type is str else path

    def _resolve_path(self, path: str) -> Path:
        """Return a path given in the configuration file, relative to the working directory."""
        if self.path is None or os.path.isabs(path):
            return Path(path)
        joined = self.path.parent / path
        try:
            return Path(os.path.relpath(joined))
        except ValueError:  # on another drive
            return joined

    def _sources(self, sources: Sequence[str | Mapping[str, Any]]) -> Iterator[Any]:
        """Yield the sources with paths relative to the working directory."""
        for number, source in enumerate(sources, 1):
            if isinstance(source, str):
                yield self._resolve_source(source)
                continue
            where = f"{self._section('build')} sources[{number}]"
            for key, value in source.items():
                if key not in _SOURCE_KEYS:
                    raise self._error(f"{where} has no key {key!r}{suggestion(key, _SOURCE_KEYS)}")
                self._expect(value, _SOURCE_KEYS[key], f"{where}.{key}")
            if "path" not in source:
                raise self._error(f"{where}: expected a path, found none")
            yield {**source, "path": self._resolve_source(source["path"])}

    def _resolve_source(self, text: str) -> str:
        """Return a source; its path is resolved against the folder of the configuration file."""
        from urlset.sources.factory import split_kind  # of a configuration with sources

        kind, path = split_kind(text)
        if path is None or os.path.isabs(path):
            return text
        return kind + os.fspath(self._resolve_path(path))

    def _rules(self, tables: Sequence[Mapping[str, Any]]) -> Iterator[Rule]:
        from urlset.checker import custom_rule  # of a configuration with rules

        for number, table in enumerate(tables, 1):
            try:
                yield custom_rule(number, table)
            except ValueError as error:
                raise self._error(f"{self._section('check')} rules[{number}]: {error}") from error

    def _expect(self, value: object, kind: Any, where: str) -> None:
        """Raise :class:`urlset.ConfigurationError` if a value is not of a type."""
        if not _is_of_type(value, kind):
            place, expected, found = _innermost_fault(value, kind, where)
            raise self._error(f"{place}: expected {expected}, found {found!r}")

    def _section(self, name: str) -> str:
        """Return the header of a section, as this file has it."""
        is_project = self.path is not None and self.path.name == FILES[1]
        return f"[tool.urlset.{name}]" if is_project else f"[{name}]"

    def _error(self, message: str) -> ConfigurationError:
        """Create an error whose message begins with the path of the configuration file."""
        return ConfigurationError(f"{self.path}: {message}")


def load_config(
    path: str | os.PathLike[str] | None = None, start: str | os.PathLike[str] | None = None
) -> Configuration:
    r"""Load the configuration that the commands use: ``urlset.toml`` or ``pyproject.toml``.

    Its sections are keyword arguments for the functions, so a script and the command do the same:
    ``urlset.build(**load_config().build)``.

    Args:
        path: The file to read; None to search one.
        start: The folder where the search starts; by default the working directory. The search
            continues in its parents, up to the root of the repository.

    Returns:
        The configuration; it is empty if the search finds none.

    Raises:
        urlset.ConfigurationError: The file cannot be read, or has an unknown section.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "urlset.toml").write_text('[check]\nignore = ["X004", "D"]')
    ...     load_config(start=folder).check
    {'ignore': ['X004', 'D']}
    """
    if path is not None:
        return _read(Path(path))
    folder = Path(start or Path.cwd()).resolve()
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
                found, omitted = _without_requests(found, _owners(file))
                return found._replace(notes=(*notes, *omitted))
        if (candidate / ".git").exists():
            break
    return Configuration(None, {}, tuple(notes))


def _trusted_owners(folder: Path) -> set[int] | None:
    """Return the users whose configuration files are found and read; None without file owners.

    They are this user, the administrator, and the owner of the working directory, who controls its
    content: in a container, that is often another user than the one who runs the command.
    """
    if not hasattr(os, "geteuid"):
        return None
    return {os.geteuid(), 0, *_owners(folder)}


def _owners(path: Path) -> set[int]:
    """Return the owner of a file and, if it is a symbolic link, that of the link."""
    return {path.stat().st_uid, path.lstat().st_uid}


REQUESTING = ("submit", "diff")
"""Sections that say where something is sent, such as the endpoints that get keys and URLs."""


def _without_requests(
    found: Configuration, owners: set[int]
) -> tuple[Configuration, Iterator[str]]:
    """Remove the sections that lead to requests from a file that was found, of another user."""
    names = [name for name in REQUESTING if name in found.table]
    if not names or not hasattr(os, "geteuid") or owners <= {os.geteuid(), 0}:
        return found, iter(())
    table = {name: value for name, value in found.table.items() if name not in names}
    sections = " and ".join(map(found._section, names))
    note = (
        f"{sections} of {found.path} are not read: the file belongs to another user, and they say "
        f"where requests are sent; if you trust it, use "
        f"{_use_of(found.path)}"
    )
    return found._replace(table=table), iter((note,))


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
        f"if you trust it, use {_use_of(path)}"
    ]


def _use_of(path: Path | None) -> str:
    """Return how a file is named to be read, although it belongs to another user."""
    return option("config", str(path), python=f"load_config({str(path)!r})")


def _read(path: Path) -> Configuration:
    import tomllib  # not loaded without a file

    try:
        text = bounded_text(path)
        is_long = _LONG_KEY.search(text)  # the parser of Python takes quadratic time for its parts
        table = {} if is_long else tomllib.loads(text)
    except OSError as error:
        message = f"expected a configuration, found none at {str(path)!r}: {error.strerror}"
        raise ConfigurationError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path}: expected TOML, found a file that is not text in UTF-8"
        raise ConfigurationError(message) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: expected TOML, found {error}") from error
    except ValueError as error:  # of int()
        message = f"{path}: expected TOML, found a number of more than 4,300 digits"
        raise ConfigurationError(message) from error
    except RecursionError as error:
        message = "expected TOML, found lists or tables that are nested too deeply"
        raise ConfigurationError(f"{path}: {message}") from error
    if is_long:
        raise ConfigurationError(f"{path}: expected keys of at most {_MAX_PARTS} parts")
    if path.name == "pyproject.toml":
        tools = table.get("tool", {})
        table = tools.get("urlset", {}) if isinstance(tools, dict) else {}
    found = Configuration(path, table)
    found._expect(table, dict, "[tool.urlset]")
    for name, value in table.items():
        if name in _SECTIONS:
            found._expect(value, dict, found._section(name))
        elif isinstance(value, dict) or _is_list_of_tables(value):
            advice = suggestion(name, _SECTIONS)
            if name in _USES:
                advice = f"; {name} reads {found._section(_USES[name])}{advice}"
            raise found._error(f"unknown section {found._section(name)}{advice}")
        else:
            where = " or ".join(map(found._section, _SECTIONS))
            raise found._error(f"the key {name!r} is outside of a section; move it below {where}")
    return found


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _checked_type(option: Option) -> Any:
    """Return the type, with limits, that an option has in TOML."""
    if option.type is Path:
        return str
    if option.minimum is None and option.maximum is None:
        return option.type
    from msgspec import Meta  # when a file has options, which is rare

    return Annotated[option.type, Meta(ge=option.minimum, le=option.maximum)]


def _is_of_type(value: object, kind: Any) -> bool:
    if kind is dict:
        return isinstance(value, dict)
    import msgspec  # when a file has options, which is rare

    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


_TYPE_NAMES = {
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _innermost_fault(value: Any, kind: Any, where: str) -> tuple[str, str, Any]:
    """Find where a value differs from its type; return the place, what is expected and found."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Union:  # at most one of its types has parts
        for part in parts:
            if get_origin(part) is type(value):
                return _innermost_fault(value, part, where)
    items: Iterator[tuple[str, Any]] = iter(())
    if origin is list and isinstance(value, list):
        items = ((f"{where}[{number}]", item) for number, item in enumerate(value, 1))
    elif origin is dict and isinstance(value, dict):
        items = ((f"{where}.{key}", item) for key, item in value.items())
    for place, item in items:
        if not _is_of_type(item, parts[-1]):
            return _innermost_fault(item, parts[-1], place)
    return where, _expected(kind), value


def _expected(kind: Any) -> str:
    """Describe a type in words, for messages.

    >>> _expected(list[str]), _expected(Literal["a", "b"]), _expected(Union[str, dict[str, str]])
    ('a list', 'a, b', 'a string or a table')
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return ", ".join(parts)
    if origin is Union:
        return " or ".join(map(_expected, parts))
    if origin is Annotated:
        least, most = parts[1].ge, parts[1].le
        limits = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        return f"{_expected(parts[0])} {limits}"
    return _TYPE_NAMES[origin or kind]

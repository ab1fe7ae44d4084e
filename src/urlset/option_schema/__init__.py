"""Schema of the options of all commands: for Python, file and command line.

The command line is built from these declarations, ``urlset.toml`` is decoded by them, settings are
validated by them, the page docs/options.md is generated from them, and a test compares them with
the signatures of the public functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from urlset.option_schema.option import (
    LEDGER,
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    Option,
    Profile,
    StrPath,
    as_tuple,
    expect_local,
)

__all__ = [
    "LEDGER",
    "Encoding",
    "FileFormat",
    "IndexMode",
    "OnError",
    "Option",
    "Profile",
    "StrPath",
    "as_tuple",
    "check_options",
    "expect_local",
    "options_of",
    "settings_of",
]

Settings = TypeVar("Settings")

_MODULES = {"audit": "visits", "crawl": "visits", "sync": "visits", "watch": "visits"}
_MODULES |= dict.fromkeys(("rules", "schema", "completion", "report", "mcp"), "common")
_MODULES |= {"fix": "check", "write": "build", "render": "build", "diff": "read"}


def options_of(command: str) -> tuple[Option, ...]:
    """Return the options of a command and its function, in the order of the help.

    Only the module that declares them is imported.
    """
    module = import_module(f"urlset.option_schema.{_MODULES.get(command, command)}")
    options: tuple[Option, ...] = getattr(module, f"{command.upper()}_OPTIONS")
    return options


def settings_of(
    kind: type[Settings], verb: str, arguments: Mapping[str, Any], **converted: Any
) -> Settings:
    """Return the settings of a call: the arguments that are options of the function.

    Args:
        kind: Dataclass of the settings.
        verb: Name of the function.
        arguments: Arguments by name; others than options are ignored.
        converted: Values that replace the arguments of their names.
    """
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    values = {
        option.name: option.converted(arguments[option.name])
        for option in options_of(verb)
        if option.name in names - converted.keys()
        and not (option.factory and arguments[option.name] is None)
    }
    return kind(**values, **converted)


def check_options(verb: str, values: object) -> None:
    """Raise ``ValueError`` if a number is out of range, a word no choice, or a path a URL.

    Args:
        verb: Name of the function.
        values: Its arguments by name, or its settings.
    """
    value_of = values.get if isinstance(values, Mapping) else partial(getattr, values)
    for option in options_of(verb):
        option.check(value_of(option.name, None))

"""Schema of the options of all commands: for Python, file and command line.

The command line is built from these declarations, ``urlset.toml`` is decoded by them, settings are
validated by them, the page docs/options.md is generated from them, and a test compares them with
the signatures of the public functions.
"""

from __future__ import annotations

from importlib import import_module

from urlset.option_schema.option import (
    LEDGER,
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    Option,
    Profile,
    check_ranges,
)

__all__ = [
    "LEDGER",
    "Encoding",
    "FileFormat",
    "IndexMode",
    "OnError",
    "Option",
    "Profile",
    "check_ranges",
    "options_of",
]

_MODULES = {"audit": "visits", "crawl": "visits", "sync": "visits", "watch": "visits"}
_MODULES |= {"rules": "common", "completion": "common"}


def options_of(command: str) -> tuple[Option, ...]:
    """Return the options of a command and its function, in the order of the help.

    Only the module that declares them is imported.
    """
    module = import_module(f"urlset.option_schema.{_MODULES.get(command, command)}")
    options: tuple[Option, ...] = getattr(module, f"{command.upper()}_OPTIONS")
    return options

"""Describe the commands and their options as data, for completion scripts and the man page."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, NamedTuple, get_args, get_origin

import typer

from urlset.cli.app import COMMANDS, command_line


class OptionInfo(NamedTuple):
    """Description of an option or an argument of a command.

    Attributes:
        names: Its names, the first one long: ``--output``, ``-o``. An argument has none.
        value: Name of its value, such as ``FILE``; empty for a switch.
        choices: The possible values, if they are listed.
        help: What it does.
        group: Heading of its group in the help.
        is_repeatable: Whether it may be given several times.
    """

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str
    group: str
    is_repeatable: bool


class CommandInfo(NamedTuple):
    """Description of a command, or of the root of all commands, whose name is empty."""

    name: str
    summary: str
    text: str
    options: tuple[OptionInfo, ...]
    arguments: tuple[OptionInfo, ...]


def describe_commands() -> list[CommandInfo]:
    """Return the root and every command, in the order of the help."""
    group: Any = typer.main.get_command(command_line())
    return [_command("", group), *(_command(name, group.commands[name]) for name in COMMANDS)]


def _command(name: str, command: Any) -> CommandInfo:
    summary, _, text = inspect.cleandoc(command.help).partition("\n")
    options, arguments = [], []
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            arguments.append(_option(parameter, ()))
        elif not parameter.hidden:
            names = sorted((*parameter.opts, *parameter.secondary_opts), key=_is_short)
            options.append(_option(parameter, tuple(names)))
    help_option = ("--help", "-h"), "", (), "Show this message and exit.", "Options", False
    return CommandInfo(
        name,
        summary.strip(),
        text.strip(),
        (*options, OptionInfo(*help_option)),
        tuple(arguments),
    )


def _is_short(name: str) -> bool:
    return not name.startswith("--")


def _option(parameter: Any, names: tuple[str, ...]) -> OptionInfo:
    is_switch = bool(names) and (parameter.is_flag or parameter.count)
    choices = () if is_switch else tuple(_choices(parameter.type_descriptor.annotation))
    return OptionInfo(
        names,
        "" if is_switch else (parameter.metavar or "|".join(choices) or "VALUE").strip("[]"),
        choices,
        parameter.help or "",
        getattr(parameter, "rich_help_panel", None) or "Options",
        parameter.multiple or parameter.nargs == -1 or getattr(parameter, "count", False),
    )


def _choices(kind: Any) -> Iterator[str]:
    """Yield the values of an enumeration or a literal, also of those in a list or a union."""
    if inspect.isclass(kind) and issubclass(kind, Enum):
        yield from (str(member.value) for member in kind)
    elif get_origin(kind) is Literal:
        yield from map(str, get_args(kind))
    else:
        for part in get_args(kind):
            yield from _choices(part)

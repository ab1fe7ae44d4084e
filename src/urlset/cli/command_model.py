"""Describe the commands and their options as data, for completion scripts and the man page."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from urlset.cli.app import COMMANDS, ROOT_HELP, VERSION, command_function
from urlset.option_schema import Option, options_of
from urlset.option_schema.common import COLOR


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
    commands = [
        _command(name, command_function(name).__doc__ or "", options_of(name)) for name in COMMANDS
    ]
    return [_command("", ROOT_HELP, (VERSION, COLOR)), *commands]


def _command(name: str, help: str, declared: tuple[Option, ...]) -> CommandInfo:
    summary, _, text = inspect.cleandoc(help).partition("\n")
    shown = [option for option in declared if option.is_allowed("command")]
    options = [_option(option) for option in shown if not option.is_argument]
    options.append(
        OptionInfo(("--help", "-h"), "", (), "Show this message and exit.", "Options", False)
    )
    arguments = tuple(_option(option) for option in shown if option.is_argument)
    return CommandInfo(name, summary.strip(), text.strip(), tuple(options), arguments)


def _option(option: Option) -> OptionInfo:
    is_switch = option.type is bool or option.is_count
    names = () if option.is_argument else (*option.flags, *option.opposites)
    value = option.metavar or "|".join(option.choices) or "VALUE"
    return OptionInfo(
        tuple(sorted(names, key=lambda name: not name.startswith("--"))),
        "" if is_switch else value.strip("[]"),
        option.choices,
        option.help,
        option.group or "Options",
        option.is_repeatable or option.is_count,
    )

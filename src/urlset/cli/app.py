"""The commands together, and what becomes of their errors: one line, and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import typer
from typer.exceptions import TyperException

from urlset.cli.console import print_error
from urlset.cli.grouped_help import GroupedCommand
from urlset.cli.sink import ClosedPipeError
from urlset.errors import UrlsetError

__all__ = ["run"]

FAILURE, INTERRUPTED, CLOSED_PIPE = 2, 130, 141

COMMANDS = ("read", "build", "check", "rules")
"""Each is a function in the module of its name."""


def _app(names: Sequence[str]) -> typer.Typer:
    """The command line of some commands: what another one needs takes time to come in."""
    app = typer.Typer(
        name="urlset",
        no_args_is_help=True,
        # Help is plain text, so that examples in it can be copied and it looks the same everywhere.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in names:
        app.command(cls=GroupedCommand)(getattr(import_module(f"urlset.cli.{name}"), name))
    app.callback(
        epilog="Exit codes: 0 done and clean · 1 findings, or part of the work failed and is "
        "listed · 2 misuse or failure · 10 to 14 a gate of `build` was shut."
    )(_root)
    return app


def _root(
    # main() answers it, at once; here it is for --help
    version: bool = typer.Option(
        False, "--version", "-V", help="Show the version and the engine, and exit."
    ),
) -> None:
    """Read, build and check sitemaps, of one file or of a hundred million URLs.

    Data go to stdout, talk to stderr; `-` is stdin. `urlset COMMAND --help` has examples.
    """


def run(arguments: Sequence[str]) -> int:
    """Run a command and give the exit code; every error ends here."""
    try:
        app = _app(arguments[:1] if arguments[:1] and arguments[0] in COMMANDS else COMMANDS)
        result = app(args=list(arguments), prog_name="urlset", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except ClosedPipeError:
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except TyperException as error:
        return _misuse(error)
    except (UrlsetError, OSError) as error:
        print_error(str(error))
        return FAILURE
    except Exception as error:  # noqa: BLE001 - the top of the command line
        return _bug(error)


def _misuse(error: TyperException) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{error.format_message()}\n")
        return FAILURE
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "urlset"
    message = error.format_message().rstrip(".").replace(": Value error, ", ": ", 1)
    print_error(f"{message[:1].lower()}{message[1:]} (`{command} --help` shows what there is)")
    return FAILURE


def _bug(error: Exception) -> int:
    if os.environ.get("URLSET_DEBUG"):
        traceback.print_exception(error)
    print_error(
        f"a mistake of urlset itself, please report it: {type(error).__name__}: {error}; "
        "URLSET_DEBUG=1 shows where"
    )
    return FAILURE

"""Run the commands: parse the command line, and map errors to one line and an exit code."""

from __future__ import annotations

import inspect
import itertools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from importlib import import_module
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from urlset.cli.console import ClosedPipeError, Color, print_error, set_color, stop_logging
from urlset.cli.options import UsageError
from urlset.cli.version import version_line
from urlset.errors import UrlsetError, panics_as_errors

FAILURE, INTERRUPTED, CLOSED_PIPE = 2, 130, 141

COMMANDS = {
    "read": "Read sitemaps and print their entries.",
    "build": "Build sitemaps from pages, lists or tables; rewrite changed files.",
    "check": "Check sitemaps: report each problem, where it is and how to fix it.",
    "crawl": "Visit the pages of a site, and store their facts and links.",
    "audit": "Visit the pages that sitemaps list, and report what is wrong with them.",
    "diff": "Compare two states of a site: added, removed, changed and moved URLs.",
    "watch": "Take one step of the history of a site: read what changed, store it, report alerts.",
    "submit": "Announce to search engines what changed: added, changed and removed URLs, each "
    "change once.",
    "sync": "Write what an index of the pages of a site has to add, replace and delete, as "
    "JSON lines.",
    "rules": "List the rules of `urlset check`, or explain one.",
    "completion": "Print the completion script of a shell: commands, options, their values, rules, "
    "files.",
}
"""Commands and their summaries. Each is a function in the module of the same name, whose docstring
begins with the summary; the help of the root imports none of them."""

ColorOption = Annotated[
    Color, typer.Option("--color", help="Colours: auto is a terminal, unless NO_COLOR is set.")
]


def run(arguments: Sequence[str]) -> int:
    """Run a command, print its errors, and return the exit code.

    After Ctrl-C it is 130, also if the interruption became another error on its way.
    """
    interrupts = _Interrupts()
    try:
        with interrupts:
            return _run(arguments, interrupts)
    except KeyboardInterrupt:  # between the steps of the error handling
        return INTERRUPTED


def _run(arguments: Sequence[str], interrupts: _Interrupts) -> int:
    if arguments[:1] == ["help"]:  # as of git and pip: urlset help check
        arguments = [*arguments[1:], "--help"]
    try:
        app = command_line([word for word in arguments if word in COMMANDS][:1])
        with panics_as_errors():
            result = app(args=list(arguments), prog_name="urlset", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except ClosedPipeError:
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except TyperException as error:
        return _report_usage_error(error)
    except SystemExit as error:
        # Note: if the reader of the help has closed the pipe, typer exits with 1.
        return CLOSED_PIPE if isinstance(error.__context__, BrokenPipeError) else FAILURE
    except (UrlsetError, OSError) as error:
        if interrupts.count:
            return INTERRUPTED
        print_error(str(error))
        return FAILURE
    except Exception as error:  # noqa: BLE001 - the top of the command line
        if interrupts.count:
            return INTERRUPTED
        return _report_internal_error(error)
    finally:
        stop_logging()
        set_color(Color.auto)


class _Interrupts:
    """Count of Ctrl-C in a ``with`` block; only the main thread of a process gets them."""

    def __init__(self) -> None:
        self.count = 0
        self._previous: Any = None

    def __enter__(self) -> _Interrupts:
        self._previous = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and self._previous is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if signal.getsignal(signal.SIGINT) == self._handle:
            signal.signal(signal.SIGINT, self._previous)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        signal.default_int_handler(number, frame)


class GroupedCommand(TyperCommand):
    """Command whose help lists the options in groups, by their ``rich_help_panel``.

    Options without a panel come first, under ``Options``. The groups follow in the order in which
    their first options are declared.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an option never takes the next option for its value."""
        flags: dict[str, bool] = {}
        for parameter in self.get_params(ctx):
            is_flag = getattr(parameter, "is_flag", True) or getattr(parameter, "count", False)
            takes_value = not is_flag
            flags |= dict.fromkeys((*parameter.opts, *parameter.secondary_opts), takes_value)
        for name, following in itertools.pairwise(args):
            if name == "--":
                break
            if flags.get(name) and following in flags:
                raise UsageError(f"{name}: expected a value, found the option {following}")
        found: list[str] = super().parse_args(ctx, args)
        return found

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of the help, grouped in sections."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            is_option = parameter.param_type_name == "option"
            group = getattr(parameter, "rich_help_panel", None) if is_option else "Arguments"
            if record is not None:
                sections.setdefault(group or "Options", []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def command_line(names: Collection[str] = COMMANDS) -> typer.Typer:
    """Create the command line application with given commands; others are only listed."""
    app = typer.Typer(
        name="urlset",
        add_completion=False,  # the command completion prints scripts that start no Python
        # Help is plain text: its examples can be copied, and it looks the same everywhere.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, summary in COMMANDS.items():
        add = app.command(name, cls=GroupedCommand, short_help=summary)
        if name in names:
            add(_with_color(getattr(import_module(f"urlset.cli.{name}"), name)))
        else:
            add(lambda: None)
    app.callback(
        epilog="Exit codes: 0 success · 1 findings, or a part of the work failed and is listed · "
        "2 invalid usage or failure · 10 to 14 a safety gate of `build` failed · 130 Ctrl-C · "
        "141 the reader of a pipe has closed it."
    )(_root)
    return app


def _with_color(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--color`` to a command."""
    signature = inspect.signature(command, eval_str=True)
    given = [*signature.parameters.values()]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    option = inspect.Parameter("color", kind, default=Color.auto, annotation=ColorOption)

    @wraps(command)
    def run_command(*, color: Color, **options: Any) -> None:
        if color != Color.auto:  # otherwise that of `urlset --color … COMMAND` applies
            set_color(color)
        command(**options)

    run_command.__signature__ = signature.replace(parameters=[*given, option])  # type: ignore[attr-defined]
    return run_command


def _print_version(is_given: bool) -> None:
    """Print the version; if it is the first option, main() does so without any imports."""
    if is_given:
        sys.stdout.write(f"{version_line()}\n")
        raise typer.Exit


def _root(
    version: bool = typer.Option(  # noqa: ARG001 - its callback does the work
        False,
        "--version",
        "-V",
        callback=_print_version,
        is_eager=True,
        help="Show the version and the engine, and exit.",
    ),
    color: ColorOption = Color.auto,
) -> None:
    """Read, build, check and compare sitemaps, crawl, audit, watch sites, up to 100 million URLs.

    Data is written to stdout, messages to stderr; `-` is stdin. `urlset COMMAND --help` shows
    examples.
    """
    set_color(color)


def _report_usage_error(error: TyperException) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "urlset"
    message = error.format_message().rstrip(".").replace(": Value error, ", ": ", 1)
    print_error(f"{message[:1].lower()}{message[1:]} (see `{command} --help`)")
    return FAILURE


def _report_internal_error(error: Exception) -> int:
    if os.environ.get("URLSET_DEBUG"):
        traceback.print_exception(error)
    print_error(
        f"internal error in urlset, please report it: {type(error).__name__}: {error}; "
        "set URLSET_DEBUG=1 for the traceback"
    )
    return FAILURE

"""Run the commands: parse the command line, and map errors to one line and an exit code."""

from __future__ import annotations

import itertools
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from urlset.cli.console import (
    ClosedPipeError,
    Sink,
    print_error,
    print_info,
    set_color,
    start_logging,
    stop_logging,
    terminal_width,
)
from urlset.cli.options import Exit, NetworkOptions, UsageError
from urlset.errors import UrlsetError, missing_package, panics_as_errors, similar, suggestion
from urlset.interrupts import Interrupts
from urlset.option_names import flags_in_messages, option
from urlset.option_schema import Option, options_of
from urlset.option_schema.common import COLOR, NETWORK_NAMES
from urlset.option_schema.option import switch
from urlset.pattern_warnings import PatternWarning

FAILURE, INTERRUPTED, CLOSED_PIPE, TERMINATED = 2, 130, 141, 143

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
    "report": "Summarize several sites in one page: what is listed, visited, wrong and alerted.",
    "rules": "List the rules of `urlset check`, or explain one.",
    "schema": "List the JSON Schemas of what the commands write as JSON, or print one.",
    "mcp": "Serve tools about sitemaps to an agent, by the Model Context Protocol (MCP) on stdin.",
    "completion": "Print the completion script of a shell: commands, options, their values, rules, "
    "files.",
}
"""Commands and their summaries. Each is a function in the module of the same name, whose docstring
begins with the summary; the help of the root imports none of them."""

ROOT_HELP = """\
Read, build, check and compare sitemaps, crawl, audit, watch sites, up to 100 million URLs.

Data is written to stdout, messages to stderr; `-` is stdin. `urlset COMMAND --help` shows
examples.
"""
VERSION = switch(
    "version",
    "Show the version and the engine, and exit.",
    flags=("--version", "-V"),
    allowed=("command",),
)
_CONTEXT = {"help_option_names": ["-h", "--help"]}


def run(arguments: Sequence[str]) -> int:
    """Run a command, print its errors, and return the exit code.

    After Ctrl-C it is 130, also if the interruption became another error on its way; after SIGTERM,
    which interrupts in the same way, 143.
    """
    interrupts = Interrupts()
    try:
        with interrupts, flags_in_messages(), _warnings_as_notes():
            code = _run(arguments, interrupts)
    except KeyboardInterrupt:  # between the steps of the error handling
        code = INTERRUPTED
    return TERMINATED if code == INTERRUPTED and interrupts.is_termination else code


def _run(arguments: Sequence[str], interrupts: Interrupts) -> int:
    if arguments[:1] == ["help"]:  # as of git and pip: urlset help check
        arguments = [*arguments[1:], "--help"]
    try:
        if not {"--help", "-h", "--version", "-V"} & {*arguments} and not _has_folder():
            raise UsageError(
                "expected a working directory, found one that was removed; change to another (cd)"
            )
        with panics_as_errors(), command_line().make_context("urlset", [*arguments]) as context:
            context.command.invoke(context)
    except (Exit, click.exceptions.Exit) as end:
        return end.exit_code
    except ClosedPipeError:
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except click.ClickException as error:
        return _report_usage_error(error)
    except BrokenPipeError:  # of the help, which click prints
        raise
    except Exception as error:  # noqa: BLE001 - the top of the command line
        if interrupts.count:
            return INTERRUPTED
        if isinstance(error, ModuleNotFoundError) and (missing := missing_package(error)):
            print_error(missing)
            return FAILURE
        if not isinstance(error, UrlsetError | OSError):
            return _report_internal_error(error)
        print_error(str(error))
        return FAILURE
    finally:
        stop_logging()
        set_color("auto")
    return 0


def _has_folder() -> bool:
    """Return whether the working directory still exists; another process may have removed it."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Print warnings about patterns as messages, each once, in a ``with`` block."""
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
        if not issubclass(category, PatternWarning):
            before(message, category, *place, **options)
        elif str(message) not in shown:
            shown.add(str(message))
            print_info(str(message))

    with warnings.catch_warnings():
        before = warnings.showwarning
        warnings.simplefilter("always", PatternWarning)
        warnings.showwarning = show
        yield


_DURATION = re.compile(r"[0-9.]{1,9} ?[A-Za-z]{1,9}")


def _limit_of_run(ctx: click.Context | None) -> str:
    """Return what limits a whole run, if a command has it, as the end of a message."""
    names = {each.name for each in ctx.command.params} if ctx else set()
    return f"; {option('max_minutes')} limits the whole run" if "max_minutes" in names else ""


class _Value(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """Type of the value of an option: converted and validated as it is declared."""

    name = "value"

    def __init__(self, option: Option):
        self._option = option

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return self._option.parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{error}{self._advice(value, ctx)}", param, ctx)

    def _advice(self, value: Any, ctx: Any) -> str:
        """Return the end of the message about a value that another option takes."""
        if self._option.name == "timeout_s" and _DURATION.fullmatch(value):
            return f"; write seconds without a unit{_limit_of_run(ctx)}"
        if self._option.name != "format" or ctx is None:
            return ""
        flags = {flag for each in ctx.command.params for flag in each.opts}
        others = {"json": ("--json", "--json"), "html": ("--report", "--report FILE.html")}
        flag, use = others.get(value, ("", ""))
        return f"; use {use}" if flag in flags else ""


class _Flag(click.Option):
    """Option of the command line, as it is declared."""

    def __init__(self, option: Option, **settings: Any):
        self.declared: Option = option
        flags = "/".join((option.flags[0], *option.opposites))
        if option.is_count:
            settings |= {"count": True}
        elif option.type is bool:
            settings |= {"is_flag": True}
        else:
            is_multiple = option.is_repeatable or option.is_mapping
            settings |= {"type": _Value(option), "multiple": is_multiple}
        if option.default is not None and option.allowed == ("command",):
            settings["default"] = option.default
        elif option.is_switch:
            settings["default"] = False
        elif not (option.is_repeatable or option.is_mapping):
            settings["default"] = None
        super().__init__(
            [option.name, flags, *option.flags[1:]],
            metavar=option.placeholder,
            help=option.help,
            **settings,
        )

    def get_help_extra(self, ctx: click.Context) -> Any:  # noqa: ARG002
        """Return what the help appends in brackets: default and range."""
        found = {"default": self.declared.default_text, "range": self.declared.range_text}
        return {name: text for name, text in found.items() if text}


class _Argument(click.Argument):
    """Argument of the command line, as it is declared."""

    def __init__(self, option: Option):
        self.declared: Option = option
        super().__init__(
            [option.name],
            metavar=(option.metavar or "").strip("[]"),
            type=_Value(option),
            nargs=-1 if option.is_repeatable else 1,
            required=option.is_required,
        )

    def make_metavar(self, ctx: click.Context) -> str:  # noqa: ARG002
        """Return the placeholder in the usage: ``SOURCE...``, ``[NAME]``."""
        return f"{self.declared.metavar}{'...' if self.nargs == -1 else ''}"


def _print_help(ctx: click.Context, _: object, is_given: bool) -> None:
    """Print the help of a command; an error of stdout is reported as of any data."""
    if is_given and not ctx.resilient_parsing:
        with Sink(None) as sink:
            sink.write(f"{ctx.get_help()}\n")
        ctx.exit()


class _Context(click.Context):
    """Context whose help fits into a narrow terminal, too; click writes at least 50 columns."""

    def make_formatter(self) -> click.HelpFormatter:
        """Return the formatter of the help."""
        return click.HelpFormatter(width=min(80, terminal_width()) - 2)


class _HelpOnStdout(click.Command):
    """Command whose option ``--help`` prints by :func:`_print_help`."""

    context_class = _Context

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option ``--help``."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _print_help
        return option


class _Command(_HelpOnStdout):
    """Command whose help lists the options in groups.

    Options without a group come first, under ``Options``. The groups follow in the order in which
    their first options are declared.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option never takes the next option for its value."""
        flags: dict[str, bool] = {}
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for parameter in options:
            is_flag = parameter.is_flag or parameter.count
            flags |= dict.fromkeys((*parameter.opts, *parameter.secondary_opts), not is_flag)
        for name, following in itertools.pairwise(args):
            if name == "--":
                break
            if flags.get(name) and following in flags:
                raise UsageError(f"{name}: expected a value, found the option {following}")
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            advice = self._advice(error.option_name, ctx)
            raise click.UsageError(f"no such option {error.option_name!r}{advice}", ctx) from None
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # click does not know the command of a missing value
            raise

    def _advice(self, given: str, ctx: click.Context) -> str:
        """Return the end of the message about an unknown option: what was probably meant."""
        # Only errors need it.
        from urlset.argument_hints import explained_name, reason_against
        from urlset.arguments import others_with

        name = explained_name(str(self.name), given.lstrip("-").replace("-", "_"))
        if reason := reason_against(str(self.name), name):
            return f"{reason}{_did_you_mean(self._by_table(name))}"
        return (
            _did_you_mean(self._by_table(name))
            or _did_you_mean(self._similar(given, ctx, 0.85))
            or others_with(str(self.name), given)
            or _did_you_mean(self._similar(given, ctx, 0.75))
        )

    def _by_table(self, name: str) -> str | None:
        """Return the option that is meant by a name: by the table of Python, or a format."""
        from urlset.argument_hints import meant_name  # only errors need it

        options = [each for each in options_of(str(self.name)) if each.is_allowed("command")]
        meant = meant_name(str(self.name), name)
        for each in options:
            names = (each.name, each.in_python)
            if meant and (meant in names or f"--{meant}" in each.flags):
                argument = (each.metavar or "").strip("[]")
                return f"the argument {argument}" if each.is_argument else each.flags[0]
            if each.name == "format" and name in each.choices:
                return f"--format {name}"
        return None

    def _similar(self, given: str, ctx: click.Context, min_ratio: float) -> str | None:
        """Return a flag that is similar, or the only one that has all words of the unknown one."""
        flags: dict[str, str] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and not parameter.hidden:
                names = (*parameter.opts, *parameter.secondary_opts)
                flags |= {flag[2:]: flag for flag in names if flag[:2] == "--"}
        word = given.lstrip("-")
        found = similar(word, flags, min_ratio)
        if found is None:  # such as "agent" for --user-agent
            having = [flag for flag in flags if {*word.split("-")} <= {*flag.split("-")}]
            found = having[0] if len(having) == 1 else None
        return None if found is None else flags[found]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the help, grouped in sections."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, _Argument):
                found = parameter.human_readable_name, parameter.declared.help
                sections["Arguments"].append(found)
            elif record := parameter.get_help_record(ctx):
                group = parameter.declared.group if isinstance(parameter, _Flag) else None
                sections.setdefault(group or "Options", []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records, col_max=_name_width(formatter))


def _name_width(formatter: click.HelpFormatter) -> int:
    """Return the width above which a description begins on the line after its name."""
    return 30 if formatter.width >= 60 else 12


def _did_you_mean(option: str | None) -> str:
    """Return the end of a message that names an option, or an argument; empty for None."""
    if option is None:
        return ""
    return f"; did you mean {option}?" if " " in option else f"; did you mean {option!r}?"


class _Root(_HelpOnStdout, click.Group):
    """The command without a subcommand; it imports only the module of the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, made of its declared options."""
        return _command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the arguments name; suggest one if there is none."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from urlset.attribute_hints import HINTS  # only errors need it

            meant = HINTS["urlset"].get(args[0].replace("-", "_"))
            is_command = meant in COMMANDS
            if args[0] == "fix":
                meant, is_command = "check --fix", True
            advice = f"; did you mean {meant!r}?" if is_command else suggestion(args[0], COMMANDS)
            raise click.UsageError(f"No such command {args[0]!r}{advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of the commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()], col_max=_name_width(formatter))


def command_line() -> click.Group:
    """Return the command line application."""
    return _Root(
        name="urlset",
        help=ROOT_HELP,
        epilog="Exit codes: 0 success · 1 findings, or a part of the work failed and is listed · "
        "2 invalid usage or failure · 10 to 15 a safety gate of `build` failed · 130 Ctrl-C · "
        "141 the reader of a pipe has closed it · 143 SIGTERM.",
        params=[
            _Flag(VERSION, is_eager=True, expose_value=False, callback=_print_version),
            _Flag(COLOR),
        ],
        callback=set_color,
        context_settings=_CONTEXT,
    )


def command_function(name: str) -> Callable[..., None]:
    """Return the function of a command."""
    function: Callable[..., None] = getattr(import_module(f"urlset.cli.{name}"), name)
    return function


def _command(name: str) -> click.Command:
    function = command_function(name)
    options = [option for option in options_of(name) if option.is_allowed("command")]
    repeatable = [option.name for option in options if option.is_repeatable]
    mappings = [option.name for option in options if option.is_mapping]
    network = [option.name for option in options if option.name in NETWORK_NAMES]

    def run_command(*, color: Any, verbose: int, **values: Any) -> None:
        if color != "auto":  # otherwise that of `urlset --color … COMMAND` applies
            set_color(color)
        start_logging(verbose)
        values |= {name: [*values[name]] for name in repeatable}
        values |= {name: ",".join(values[name]) or None for name in mappings}
        if network:
            given = {name: values.pop(name) for name in network}
            values["network"] = NetworkOptions.of(**given).with_logins(values)
        with flags_in_messages(name):
            function(**values)

    return _Command(
        name=name,
        help=function.__doc__,
        short_help=COMMANDS[name],
        params=[_Argument(option) if option.is_argument else _Flag(option) for option in options],
        callback=run_command,
        context_settings=_CONTEXT,
    )


def _print_version(ctx: click.Context, _: object, is_given: bool) -> None:
    """Print the version; if it is the first option, main() does so without any imports."""
    if is_given:
        from urlset.cli.version import version_line

        with Sink(None) as sink:
            sink.write(f"{version_line()}\n")
        ctx.exit()


def _report_usage_error(error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "urlset"
    message = error.format_message().rstrip(".")
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

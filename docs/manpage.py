"""Write the manual page of the command, urlset(1), from its options and docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from urlset.cli.command_model import CommandInfo, OptionInfo, describe_commands
from urlset.cli.version import version_of_urlset

EXIT_CODES = (
    ("0", "Success."),
    ("1", "Findings, or a part of the work failed and is listed."),
    ("2", "Invalid usage, or failure."),
    ("10 to 15", "A safety gate of \\fBurlset build\\fR failed."),
    ("130", "Interrupted by Ctrl-C."),
    ("141", "The reader of a pipe has closed it, as head(1) does."),
    ("143", "Interrupted by SIGTERM, as of timeout(1)."),
)
VARIABLES = (
    ("NO_COLOR", "Do not use colours, unless \\fB\\-\\-color always\\fR is given."),
    ("FORCE_COLOR", "Use colours also if stdout is no terminal."),
    ("COLUMNS", "Width of tables and messages; by default that of the terminal."),
    ("TMPDIR", "Folder of temporary data."),
    ("URLSET_ENGINE", "Engine that parses: native or reference."),
    ("URLSET_AUTH", "Credentials, as in the file of \\fB\\-\\-auth\\-file\\fR."),
    ("URLSET_DEBUG", "Print the traceback of an internal error."),
)
FILES = (
    ("urlset.toml", "Configuration of check, build, diff and submit, in this folder or above."),
    (".urlset/", "Ledger of build, and record of what submit has announced."),
)


def man_page() -> str:
    """Return the page in the language of man(7)."""
    root, *commands = describe_commands()
    lines = [
        '.\\" Generated from the code by `make docs`.',
        f'.TH URLSET 1 "" "urlset {version_of_urlset()}" "User commands"',
        ".SH NAME",
        "urlset \\- read, build, check, fix, crawl, audit, watch and submit sitemaps",
        ".SH SYNOPSIS",
        ".B urlset",
        "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]",
        ".SH DESCRIPTION",
        *paragraphs(root.text),
        ".SH OPTIONS",
        *option_list(root.options),
        ".SH COMMANDS",
    ]
    for command in commands:
        lines += described(command)
    for heading, rows in (
        ("EXIT STATUS", EXIT_CODES),
        ("ENVIRONMENT", VARIABLES),
        ("FILES", FILES),
    ):
        lines.append(f".SH {heading}")
        for name, text in rows:
            lines += [".TP", f".B {escaped(name)}", text]
    return "".join(f"{line}\n" for line in lines)


def described(command: CommandInfo) -> Iterator[str]:
    """Yield the section of a command."""
    arguments = " ".join(
        f"\\fI{escaped(each.value)}\\fR{' ...' if each.is_repeatable else ''}"
        for each in command.arguments
    )
    yield f".SS urlset {command.name}"
    yield f"\\fBurlset {command.name}\\fR [\\fIOPTIONS\\fR] {arguments}".rstrip()
    yield ".PP"
    yield from text_lines(command.summary)
    yield ".PP"
    yield from paragraphs(command.text)
    for argument in command.arguments:
        yield from (".TP", f".I {escaped(argument.value)}", *text_lines(argument.help))
    for group, options in groupby(sorted(command.options, key=group_order(command)), _group):
        if group != "Options":
            yield ".PP"
            yield f"\\fI{escaped(group)}\\fR"
        yield from option_list(options)


def _group(option: OptionInfo) -> str:
    return option.group


def group_order(command: CommandInfo) -> Callable[[OptionInfo], int]:
    """Return a key that keeps the groups in the order of the help, those without one first."""
    order = ["Options", *(option.group for option in command.options)]
    return lambda option: order.index(option.group)


def option_list(options: Iterable[OptionInfo]) -> Iterator[str]:
    """Yield a list of options with their help."""
    for option in options:
        names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
        value = f" \\fI{escaped(option.value)}\\fR" if option.value else ""
        yield from (".TP", f"{names}{value}", *text_lines(option.help))


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring; after a backspace, lines are kept as they are."""
    for number, block in enumerate(re.split(r"\n\s*\n", text)):
        if number:
            yield ".PP"
        if block.startswith("\b"):
            first, *rest = block.split("\n")[1:]
            yield from (escaped(first), ".RS 4", ".nf", *map(escaped, rest), ".fi", ".RE")
        else:
            yield from text_lines(block)


def text_lines(text: str) -> Iterator[str]:
    """Yield prose, a sentence on each line; code is bold."""
    for sentence in re.split(r"(?<=\.)\s+(?=[A-Z`])", " ".join(text.split())):
        line = escaped(sentence)
        line = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", line)
        if line:
            yield line


def escaped(text: str) -> str:
    """Return text in which nothing is a request or an escape of roff."""
    line = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "\\[u2026]")
    line = line.replace("·", "\\(bu").replace("×", "\\(mu").replace("'", "\\(aq")
    return f"\\&{line}" if line.startswith(".") else line

"""The pages of the commands and of their options, from the declarations of both."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, Union, get_args, get_origin

import urlset
from urlset.cli.app import COMMANDS
from urlset.option_schema import Option, options_of
from urlset.option_schema.common import AUTH_VARIABLE
from urlset.option_schema.glossary import MEANINGS, Term, glossary

SCHEMAS = ("build", "check", "diff", "submit", "read", "crawl", "audit", "watch", "sync", "report")
"""Commands whose functions have options."""
COMMANDS_INTRO = """\
# The commands

## Exit codes

| command | 0 | 1 |
|---|---|---|
| `read` | every document was read, or `--limit` or `--max-documents` ended the reading | some documents could not be read |
| `build` | published | published, but some input was rejected |
| `check` | no finding of `--fail-level` or worse | there are such findings |
| `audit` | no finding of `--fail-level` or worse | there are such findings, no visit could be judged, or no listed URL is selected |
| `diff` | compared, also if there are changes | a limit is exceeded, a sitemap could not be read, no URL is selected, or there are changes and `--exit-code` is set |
| `crawl` | all was visited, or a limit ended the crawl | some pages could not be visited, or some sitemaps not read |
| `watch` | no new alert | new alerts, the webhook refused them, or some sitemaps could not be read |
| `submit` | all was accepted, or waits for a new key | something was left out or refused |
| `sync` | every page is known | some are unknown, or a limit was reached: the index lacks them |
| `report` | all stores were read | some could not be read |

The exit code does not say whether a result is complete. The summary does:

- The text says `not complete`. `check`, `crawl`, `audit`, `diff`, `watch` and `report` print it on stdout, the other commands on stderr.
- JSON has `is_complete`, and the reasons in `incomplete`: `--format json` of `check`, `crawl`, `audit`, `diff`, `watch`, `submit` and
  `report`, `build --json`, and the results in Python. The rows of `read` and `sync` have no such fields.
- With `--format json`, `crawl` and `watch` print the reasons on stderr, too. `audit` prints its summary there if the format is not
  text, `diff` if it is `json` or `jsonl`; with `--quiet`, both print the reasons.

A limit that ends the work early, such as `--max-requests`, makes a result not complete. It does not change the exit code of `crawl`
and `audit`. `sync` exits with 1, because the index lacks pages. A crawl does not see pages whose links are added by scripts, or
which robots.txt disallows: they do not change its exit code either. A page without a verdict, as after a time-out or a status 503,
makes the result of `audit` not complete. It is the finding N116 of the level info: `--fail-level info` exits with 1.

2 is invalid usage, or nothing could be done. 10 to 15 are the [gates](building.md) of `build`. 130 is an interruption by
Ctrl-C: `crawl`, `sync`, and `audit` with `--store` keep what they have done in the store, and the same command continues;
`watch` begins again. 141 is a pipe whose reader ended. 143 is an interruption by SIGTERM, as of `timeout` and
`docker stop`, which ends a command as Ctrl-C does.
"""  # noqa: E501 - the rows of a table
OPTIONS_INTRO = """\
# Options

Each option has one meaning in Python, in [`urlset.toml`](building.md#urlsettoml) and on the
command line, which overrides the file. The options of reports, of the HTTP client and of messages,
which only the command line has, are those of the [commands](commands.md). A list in `urlset.toml`
is a repeated option on the command line; in Python it may be one text or any iterable. An empty
text or list in the file is like an absent key, for options that take one.

`urlset.load_config` returns the sections of the file as arguments for Python:
`urlset.build(**urlset.load_config().build)`.
"""
NAMES_INTRO = """
## Names

A name has the same type, unit, smallest value and meaning in all verbs. "Functions" are the
functions of `urlset` that have the parameter, "commands" the commands that have the option.

Some options of a command are no parameter of its function. The first column says what does the
same in Python:

- Options of the HTTP client are fields of [`urlset.Policy`](api.md), the argument `policy`:
  `urlset.read(site, policy=urlset.Policy(delay_s=2))`. `--ignore-robots` is `obey_robots=False`.
  Both are about sitemaps: pages that robots.txt disallows are never visited. `--concurrency` sets
  `Policy.concurrency` and `Policy.per_host`. A login is no field, but the argument `auth`.
- What a command writes is a method of the result: `.report(path)` or `.to_dict()`; of read,
  diff and sync `.to_jsonl(path)`; of read also `.to_csv(path)`, `.to_parquet(path)` and others.

If the column is empty, only the command has the option.
"""
ARGUMENTS = {
    "after": "AFTER",
    "before": "BEFORE",
    "site": "SITE",
    "source": "SOURCE",
    "sources": "SOURCE…",
    "stores": "STORE…",
    "updates": "CHANGES",
}
"""Names of arguments of the command line that are not options."""
NOTES = dict.fromkeys(
    ("audit", "diff"), ("", 'URLs of one host: `--include //HOST/`, in Python `include="//HOST/"`.')
)
"""Lines below the table of a command."""
LIMIT = re.compile(
    r"limit|sample|preflight_pages|max_(?:pages|depth|minutes|requests|documents|bytes|media|wait_s)"
)


def commands() -> str:
    """Return the output of --help of each command."""
    parts = [COMMANDS_INTRO]
    for words in ([], *([command] for command in COMMANDS)):
        shown = " ".join(["urlset", *words, "--help"])
        parts.append(f"\n## `{shown}`\n\n```text\n{help_of(words)}\n```\n")
    return "".join(parts)


def help_of(words: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def options() -> str:
    """Return the page of options: names, types, defaults and meaning."""
    parts = [OPTIONS_INTRO]
    for command in SCHEMAS:
        schema = [
            each
            for each in options_of(command)
            if each.allowed != ("command",) or has_parameter(command, parameter_of(each))
        ]
        lines = [f"\n## {command}\n", "| Python | `urlset.toml` | command | type | default | |"]
        lines += ["|---|---|---|---|---|---|", *(option_row(each, command) for each in schema)]
        parts.append("\n".join([*lines, *NOTES.get(command, ())]) + "\n")
    return "".join([*parts, names()])


def names() -> str:
    """Return the glossary of the names that several commands have, or that need a reason."""
    lines = [NAMES_INTRO, "| Python | functions | command | commands | type | meaning |"]
    lines.append("|---|---|---|---|---|---|")
    for term in glossary():
        declared = [
            each for verb in term.verbs for each in options_of(verb) if each.name == term.name
        ]
        flags = {flag for each in declared if each.is_allowed("command") for flag in each.flags}
        flags = {flag for flag in flags if flag.startswith("--") and not flag.startswith("--no-")}
        usual = f"--{term.name.removesuffix('_s').replace('_', '-')}"
        is_other = bool(flags) and usual not in flags
        if len(term.verbs) > 1 or term.name in {**MEANINGS, **ARGUMENTS} or is_other:
            kind = ", ".join(filter(None, (term.kind, term.unit)))
            functions = [verb for verb in term.verbs if has_parameter(verb, term.name)]
            commands = [verb for verb in term.verbs if has_option(verb, term.name)]
            if term.name in ARGUMENTS:
                flags = {ARGUMENTS[term.name]}
            shown = ", ".join(f"`{flag}`" for flag in sorted(flags))
            cells = (python_names(term, functions), ", ".join(functions), shown)
            cells = (*cells, ", ".join(commands), kind, term.meaning)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, *limits()]) + "\n"


def has_parameter(verb: str, name: str) -> bool:
    """Return whether the function of a command has a parameter."""
    function = getattr(urlset, verb, None)
    return callable(function) and name in inspect.signature(function).parameters


def is_required(verb: str, name: str) -> bool:
    """Return whether the function of a command has a parameter without a default."""
    function = getattr(urlset, verb, None)
    parameter = inspect.signature(function).parameters.get(name) if callable(function) else None
    return parameter is not None and parameter.default is parameter.empty


def parameter_of(option: Option) -> str:
    """Return the name that an argument or an option has in Python, if it is a parameter there."""
    return option.in_python or option.name if option.is_argument else option.name


def has_option(verb: str, name: str) -> bool:
    """Return whether a command has an option or an argument."""
    return any(each.name == name and each.is_allowed("command") for each in options_of(verb))


def python_names(term: Term, functions: Sequence[str]) -> str:
    """Return the parameter, and what does the same for functions that do not have it."""
    others: dict[str, list[str]] = {}
    for verb in term.verbs:
        if verb not in functions:
            for each in options_of(verb):
                if each.name == term.name and each.in_python:
                    others.setdefault(each.in_python, []).append(verb)
    names = [f"`{term.name}`"] if functions else []
    for name, verbs in others.items():
        shown = f"`{name.replace(', ', '`, `')}`"
        names.append(f"{shown} ({', '.join(verbs)})" if len(others) > 1 else shown)
    return ", ".join(names)


def limits() -> Iterator[str]:
    """Yield the table of the limits that each verb has."""
    yield "\n## Limits\n"
    yield "A verb without a limit reads everything, or what was chosen by other options. A page can"
    yield "take several requests (redirects, a second visit): `max_pages` counts pages,"
    yield "`max_requests` all of them.\n"
    yield "| verb | limits |"
    yield "|---|---|"
    for command in SCHEMAS:
        found = [
            f"`{each.name}`" if each.is_allowed("command") else f"`{each.name}` (in Python)"
            for each in options_of(command)
            # That of build is the size of a written file.
            if LIMIT.fullmatch(each.name) and (command, each.name) != ("build", "max_bytes")
        ]
        yield f"| {command} | {', '.join(found) or 'none'} |"


def option_row(option: Option, command: str) -> str:
    """Return the line of an option or an argument in the table of its command."""
    name = parameter_of(option)
    names = (
        name if option.is_allowed("python") or has_parameter(command, name) else "",
        option.key if option.is_allowed("file") else "",
        ", ".join(option.flags) if option.is_allowed("command") else "",
    )
    if option.name in ARGUMENTS:
        names = (*names[:2], ARGUMENTS[option.name])
    elif not names[2]:
        names = (*names[:2], other_name(command, name))
    has_default = option.default not in (None, (), {}) and option.name != "grace"
    meaning = option.help.partition("  [default")[0]
    if not is_required(command, name):
        meaning = meaning.replace("Required: ", "Required by the command: ", 1)
    cells = [*(f"`{name}`" if name else "" for name in names), type_of(option)]
    shown = os.fspath(option.default) if isinstance(option.default, Path) else repr(option.default)
    cells += [f"`{shown}`" if has_default else "", meaning]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def other_name(command: str, name: str) -> str:
    """Return the option or the variable of a command that does what a parameter does in Python."""
    for each in options_of(command):
        if each.is_allowed("command") and each.in_python == name:
            return ", ".join(each.flags)
    return f"${AUTH_VARIABLE}" if name == "auth" else ""


def type_of(option: Option) -> str:
    """Return the type of an option in a word or two, with its limits."""
    kind = option.type
    names = {str: "text", int: "number", float: "number", bool: "true or false", Path: "path"}
    if option.is_path:
        text = "path"
    elif get_origin(kind) is Literal:
        text = ", ".join(f"`{choice}`" for choice in option.choices)
    elif get_origin(kind) is Union:
        text = "text or table"
    elif get_origin(kind) in (list, dict):
        text = "list" if get_origin(kind) is list else "table"
        text += " of tables" if get_origin(get_args(kind)[0]) is dict else ""
    else:
        text = names.get(kind, "object")
    if option.unit:
        text = option.unit
    if option.maximum is not None:
        text += f", {option.minimum:,} to {option.maximum:,}"
    elif option.minimum is not None:
        text += f", at least {option.minimum:,}"
    return text

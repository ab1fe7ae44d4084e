"""Write the completion scripts for bash, zsh and fish.

The completion of click starts Python each time; these scripts start no Python.
They also complete rules, and values in lists that are separated by commas; click needs a callback
for each option of this kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

from urlset.builder import GATES
from urlset.builder.options import EXTENSIONS, Evidence
from urlset.checker import CATALOGUE
from urlset.cli.command_model import CommandInfo, OptionInfo, describe_commands
from urlset.live.submit.settings import CHANNELS

FILES = {"FILE", "PATH", "DIR", "FOLDER", "SOURCE", "SITE", "A", "B", "CHANGES"}
"""Names of values that are files or folders, or may be."""

RULES = {"RULES"}
"""Names of values that are rules, separated by commas."""

LISTS = {
    "build --force": tuple(GATES),
    "build --lastmod": (*get_args(Evidence), "none"),
    "build --with": EXTENSIONS,
    "submit --to": CHANNELS,
}
"""Values of options that take several of them, separated by commas, or the option again."""

NOTE = "completion of urlset for {}, written by `urlset completion {}`"


def completion_script(shell: str) -> str:
    """Return the script for a shell: ``bash``, ``zsh`` or ``fish``."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    root, *commands = describe_commands()
    return "".join(f"{line}\n" for line in write(root, commands))


def _rules() -> str:
    return " ".join(rule.name for rule in CATALOGUE.values())


def _codes() -> str:
    return " ".join(CATALOGUE)


def _list(command: CommandInfo, option: OptionInfo) -> str:
    """Return the values of an option that takes several of them; an empty text if unknown."""
    keys = (f"{command.name} {name}" for name in option.names)
    return " ".join(next((LISTS[key] for key in keys if key in LISTS), ()))


def _value(command: CommandInfo, option: OptionInfo) -> str:
    """Return the placeholder of an option's value; that of ``urlset rules`` is a rule."""
    is_rule = command.name == "rules" and not option.names
    return "RULES" if is_rule else option.value


def _sentence(text: str) -> str:
    """Return the first sentence of a help text, without its full stop."""
    return re.split(r"\.(?:\s|$)", text, maxsplit=1)[0].replace("`", "")


# ── bash ──


def _bash(root: CommandInfo, commands: list[CommandInfo]) -> Iterator[str]:
    all_names = " ".join(command.name for command in commands)
    yield f"# {NOTE.format('bash', 'bash')}"
    yield "_urlset() {"
    yield "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
    yield "    local command= words= parts= i"
    yield "    # bash splits --format=json into three words."
    yield "    if [[ $cur == = ]]; then cur="
    yield "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi"
    yield "    for ((i = 1; i < COMP_CWORD; i++)); do"
    yield f'        case " {all_names} " in'
    yield '            *" ${COMP_WORDS[i]} "*) command=${COMP_WORDS[i]}; break ;;'
    yield "        esac"
    yield "    done"
    yield '    case "$command $prev" in'
    for command in (root, *commands):
        others = []  # options with any value: without a match, bash completes files
        for option in command.options:
            names = [f'"{command.name} {name}"' for name in option.names]
            if option.choices:
                yield f'        {"|".join(names)}) words="{" ".join(option.choices)}" ;;'
            elif option.value in RULES:
                yield f'        {"|".join(names)}) parts="$_urlset_rules" ;;'
            elif parts := _list(command, option):
                yield f'        {"|".join(names)}) parts="{parts}" ;;'
            elif option.value:
                others += names
        if others:
            yield f"        {'|'.join(others)}) ;;"
    yield "        *)"
    yield '            case "$command" in'
    for command in (root, *commands):
        options = " ".join(name for option in command.options for name in option.names)
        yield f'                "{command.name}")'
        yield f'                    words="{options}"'
        if not command.name:
            yield f'                    [[ $cur == -* ]] || words="{all_names}" ;;'
        else:
            named = [_value(command, option) for option in command.arguments]
            choices = [choice for option in command.arguments for choice in option.choices]
            if choices:
                yield f'                    [[ $cur == -* ]] || words="{" ".join(choices)}" ;;'
            elif "RULES" in named:
                yield "                    [[ $cur == -* ]] || { words=; parts=$_urlset_rules; } ;;"
            else:
                yield "                    [[ $cur == -* ]] || words= ;;"
    yield "            esac ;;"
    yield "    esac"
    yield "    if [[ $parts ]]; then"
    yield '        local before=${cur%"${cur##*,}"} last=${cur##*,}'
    yield "        # Codes such as X003 are completed after their first letter."
    yield '        [[ $parts == "$_urlset_rules" && $last == [A-Z]* ]] && parts=$_urlset_codes'
    yield '        COMPREPLY=($(compgen -P "$before" -W "$parts" -- "$last"))'
    yield "    else"
    yield '        COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "    fi"
    yield "}"
    yield f'_urlset_rules="{_rules()}"'
    yield f'_urlset_codes="{_codes()}"'
    yield "complete -o bashdefault -o default -F _urlset urlset"


# ── zsh ──


def _zsh(root: CommandInfo, commands: list[CommandInfo]) -> Iterator[str]:
    yield "#compdef urlset"
    yield f"# {NOTE.format('zsh', 'zsh')}"
    yield "_urlset_rules() {"
    yield f"    local -a rules=({_rules()})"
    yield f"    [[ ${{PREFIX##*,}} == [A-Z]* ]] && rules=({_codes()})"
    yield "    _values -s , rule $rules"
    yield "}"
    yield "_urlset() {"
    yield "    local context state state_descr line"
    yield "    local -A opt_args"
    yield "    local -a commands=("
    for command in commands:
        yield f"        {_zsh_quoted(f'{command.name}:{_sentence(command.summary)}')}"
    yield "    )"
    yield "    _arguments -C \\"
    for option in root.options:
        yield from _zsh_option(root, option)
    yield "        '1:command:->command' '*::argument:->arguments'"
    yield "    case $state in"
    yield "        command) _describe command commands ;;"
    yield "        arguments)"
    yield "            case $words[1] in"
    for command in commands:
        yield f"                {command.name})"
        yield "                    _arguments -s -S \\"
        for option in command.options:
            yield from _zsh_option(command, option)
        for argument in command.arguments:
            places = "*" if argument.is_repeatable else ""
            what = _zsh_value(_value(command, argument), argument.choices)
            yield f"        {_zsh_quoted(f'{places}:{argument.value}:{what}')} \\"
        yield "                    ;;"
    yield "            esac ;;"
    yield "    esac"
    yield "}"
    yield 'if [[ $funcstack[1] == _urlset ]]; then _urlset "$@"; else compdef _urlset urlset; fi'


def _zsh_option(command: CommandInfo, option: OptionInfo) -> Iterator[str]:
    others = "*" if option.is_repeatable else f"({' '.join(option.names)})"
    text = re.sub(r"([\[\]:\\])", r"\\\1", _sentence(option.help))
    for name in option.names:
        spec = f"{others}{name}"
        if option.value:
            spec += "=" if name.startswith("--") else "+"
        spec += f"[{text}]"
        if option.value:
            what = _zsh_value(_value(command, option), option.choices)
            if values := _list(command, option):  # a blank first: no further arguments are added
                what = f" _values -s , value {values}"
            spec += f":{'value' if option.choices else option.value}:{what}"
        yield f"        {_zsh_quoted(spec)} \\"


def _zsh_value(value: str, choices: tuple[str, ...]) -> str:
    if choices:
        return f"({' '.join(choices)})"
    if value in RULES:
        return "_urlset_rules"
    return "_files" if value in FILES else ""


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# ── fish ──


def _fish(root: CommandInfo, commands: list[CommandInfo]) -> Iterator[str]:
    yield f"# {NOTE.format('fish', 'fish')}"
    yield f"set -l rules {_rules()} {_codes()}"
    yield "complete -c urlset -n __fish_use_subcommand -f"
    for option in root.options:
        yield _fish_option("__fish_use_subcommand", root, option)
    for command in commands:
        summary = _fish_quoted(_sentence(command.summary))
        yield f"complete -c urlset -n __fish_use_subcommand -a {command.name} -d {summary}"
    for command in commands:
        condition = f"'__fish_seen_subcommand_from {command.name}'"
        for argument in command.arguments:
            values = _fish_values(_value(command, argument), argument.choices)
            if values:
                yield f"complete -c urlset -n {condition} -f -a {values}"
        for option in command.options:
            yield _fish_option(condition, command, option)


def _fish_option(condition: str, command: CommandInfo, option: OptionInfo) -> str:
    words = ["complete -c urlset", f"-n {condition}"]
    words += [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names]
    if option.value:
        value = _value(command, option)
        values = _fish_values(value, option.choices or tuple(_list(command, option).split()))
        words.append(f"-x -a {values}" if values else "-r -F" if value in FILES else "-x")
    words.append(f"-d {_fish_quoted(_sentence(option.help))}")
    return " ".join(words)


def _fish_values(value: str, choices: tuple[str, ...]) -> str:
    if choices:
        return f"'{' '.join(choices)}'"
    return '"$rules"' if value in RULES else ""


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

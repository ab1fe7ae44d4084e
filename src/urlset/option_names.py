"""Names of options in messages: parameters in Python, flags in the command, keys of a host."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

_VERBS = ("build", "check", "read", "audit", "crawl", "submit", "diff", "watch", "sync", "mcp")
_SECTIONS = ("build", "check", "submit", "diff")

OptionNames = Callable[[str, str | bool | None, str], str]
"""Function of the name, the value and the Python text of an option: what the user can write."""

# Of the process, because the threads of a run write messages, too.
_is_command = False
_verb: str | None = None
_names: OptionNames | None = None


@contextmanager
def flags_in_messages(verb: str | None = None) -> Iterator[None]:
    """Let messages name the flags of the command, and not the parameters of Python.

    Args:
        verb: The command, such as ``crawl``: messages do not name what it does not have.
    """
    global _is_command, _verb
    before = _is_command, _verb
    _is_command, _verb = True, verb
    try:
        yield
    finally:
        _is_command, _verb = before


@contextmanager
def names_in_messages(names: OptionNames) -> Iterator[None]:
    """Let messages name options as a host of urlset has them, such as a setting of Django.

    >>> with names_in_messages(lambda name, value, python: f"URLSET['BUILD'][{name!r}]"):
    ...     option("allowed_hosts")
    "URLSET['BUILD']['allowed_hosts']"
    """
    global _names
    before, _names = _names, names
    try:
        yield
    finally:
        _names = before


def is_command() -> bool:
    """Return whether messages name the flags of the command."""
    return _is_command


def is_available(name: str) -> bool:
    """Return whether the command that runs has an option; in Python, everything is available.

    >>> with flags_in_messages("crawl"):
    ...     is_available("ignore_robots"), is_available("user_agent")
    (False, True)
    """
    from urlset.option_schema import options_of

    return _verb is None or any(
        declared.name == name and declared.is_allowed("command") for declared in options_of(_verb)
    )


def option(name: str, value: str | bool | None = None, *, python: str = "") -> str:
    """Return an option as the caller writes it: a parameter in Python, a flag in the command.

    An option that the command has only in its configuration is a key there.

    Args:
        name: Name of the declared option.
        value: Its value, which is quoted for a shell; a boolean switches the option on or off.
        python: What does the same in Python, if the option is one of the command only.

    >>> option("base_url"), option("force", "zero"), option("preflight", False)
    ('base_url', 'force="zero"', 'preflight=False')
    >>> with flags_in_messages():
    ...     option("base_url"), option("force", "zero"), option("preflight", False)
    ('--base-url', '--force zero', '--no-preflight')
    >>> with flags_in_messages():
    ...     option("map", "lastmod=Last Modified")
    "--map 'lastmod=Last Modified'"
    """
    if _names is not None:
        return _names(name, value, python)
    if not _is_command:
        shown = f'"{value}"' if isinstance(value, str) else str(value)
        return python or (name if value is None else f"{name}={shown}")
    on, off = _flags(name)
    flag = off if value is False else on
    return f"{flag} {shlex.quote(value)}" if isinstance(value, str) else flag


@cache
def _flags(name: str) -> tuple[str, str]:
    """Return the flag of an option and the one that switches it off, or its key in a file."""
    from urlset.option_schema import options_of

    for verb in _VERBS:
        for declared in options_of(verb):
            if declared.name == name and declared.is_allowed("command"):
                return declared.flags[0], (*declared.opposites, "")[0]
    for verb in _SECTIONS:
        for declared in options_of(verb):
            if declared.name == name and declared.is_allowed("file"):
                return f"[{verb}] {declared.key}", ""
    raise LookupError(f"no command has the option {name!r}")

"""Warn of regular expressions that were meant as globs, such as ``/blog/*``."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Mapping

_GLOB = re.compile(r"/\*(?=[/.\w-]|\Z)", re.ASCII)
"""A ``*`` after a slash, at the end of the pattern, or before the rest of a name or path."""


class GlobWarning(UserWarning):
    """A pattern looks like a glob, but is a regular expression; the command prints a note."""


def warn_of_globs(patterns: Mapping[str, Iterable[str | re.Pattern[str]]]) -> None:
    """Issue a warning for each pattern that looks like a glob.

    Args:
        patterns: Regular expressions, by the option as a message names it.
    """
    for name, several in patterns.items():
        for pattern in several:
            text = pattern if isinstance(pattern, str) else pattern.pattern
            if note := glob_note(text):
                warnings.warn(f"{name}: {note}", GlobWarning, stacklevel=_caller())


def glob_note(pattern: str) -> str:
    """Return what a pattern that looks like a glob means, and what to write; else nothing.

    >>> glob_note("/blog/*")
    "'/blog/*' is a regular expression, in which '/*' means any number of '/'; write '/blog/' for \
all URLs below it"
    >>> glob_note("/blog/.*"), glob_note("/*$")
    ('', '')
    """
    found = [match.end() for match in _GLOB.finditer(pattern)]
    if not found:
        return ""
    better = _GLOB.sub("/[^/]*", pattern)
    reach = "any name there"
    if found[-1] == len(pattern):
        better, reach = better.removesuffix("[^/]*"), "all URLs below it"
    return (
        f"{pattern!r} is a regular expression, in which '/*' means any number of '/'; write "
        f"{better!r} for {reach}"
    )


def _caller() -> int:
    """Return the ``stacklevel`` at which :func:`warn_of_globs` names the caller of the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "urlset":
        frame, level = frame.f_back, level + 1
    return level

"""Warn of regular expressions that were meant as globs or paths, as ``/blog/*`` or ``^/blog/``."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from types import FrameType

_GLOB = re.compile(r"/\*(?=[/.\w-]|\Z)", re.ASCII)
"""A ``*`` after a slash, at the end of the pattern, or before the rest of a name or path."""

_SKIPPED = frozenset(("urlset", "polars", "pyarrow", "pandas", "duckdb"))
"""Packages whose lines a warning does not name."""


class PatternWarning(UserWarning):
    """A pattern probably means something else; the command prints a note."""


def warn_of_patterns(patterns: Mapping[str, Iterable[str | re.Pattern[str]]]) -> None:
    """Issue a warning for each pattern that looks like a glob or the beginning of a path.

    Args:
        patterns: Regular expressions, by the option as a message names it.
    """
    for name, several in patterns.items():
        for pattern in several:
            text = pattern if isinstance(pattern, str) else pattern.pattern
            if note := pattern_note(text):
                warnings.warn(f"{name}: {note}", PatternWarning, stacklevel=caller_level())


def pattern_note(pattern: str) -> str:
    """Return what a pattern means that was meant otherwise, and what to write; else nothing.

    >>> pattern_note("/blog/*")
    "'/blog/*' is a regular expression, in which '/*' means any number of '/'; write '/blog/' for \
all URLs below it"
    >>> pattern_note("/blog/.*"), pattern_note("/*$")
    ('', '')
    """
    if pattern.startswith("^/"):
        return (
            f"{pattern!r} matches no URL, for a URL begins with https:// or http://; write "
            f"{'//[^/]+' + pattern[1:]!r}, or {pattern[1:]!r} for any place in the URL"
        )
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


def caller_level() -> int:
    """Return the ``stacklevel`` at which a warning names the caller of the package.

    Libraries that read a stream of the package for the caller are skipped, too.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _package_of(frame) in _SKIPPED:
        frame, level = frame.f_back, level + 1
    return level


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]

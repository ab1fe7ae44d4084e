"""What several commands ask for in the same words, and how their misuse is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from urlset.errors import UrlsetError

__all__ = [
    "BaseUrl",
    "EngineName",
    "EngineOption",
    "MisuseError",
    "Output",
    "Quiet",
    "Sources",
    "misuse",
    "time_limit",
]


class MisuseError(UrlsetError, ValueError):
    """An option with a value that cannot be meant."""


class EngineName(StrEnum):
    """The engines there are."""

    native = "native"
    reference = "reference"


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE", help="Sites, URLs, files, folders, - for stdin.", show_default=False
    ),
]
EngineOption = Annotated[
    EngineName | None,
    typer.Option("--engine", help="Engine to read with; by default the best that is installed."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print errors and what was asked for alone."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="PATH", help="Write there instead of to stdout."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        "--base",
        metavar="URL",
        help="Where the source is to lie: URL of a folder, or of a file; one that ends with / is "
        "that of the file's folder.",
    ),
]


def time_limit(seconds: float | None, default: float) -> float | None:
    """Return the time limit that an option names: 0 is none, and without it the default counts.

    >>> time_limit(None, 60.0), time_limit(0, 60.0), time_limit(5, 60.0)
    (60.0, None, 5)
    """
    return default if seconds is None else seconds or None


@contextmanager
def misuse(option: str) -> Iterator[None]:
    """Tell a ``ValueError`` from within as the misuse of an option."""
    try:
        yield
    except UrlsetError:
        raise
    except ValueError as error:
        raise MisuseError(f"{option}: {error}") from error

"""Options of ``urlset.write`` and ``urlset.render``: those of the files of ``urlset.build``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from urlset.option_schema.build import BUILD_OPTIONS
from urlset.option_schema.option import PYTHON, OnError, Option, switch

_BUILD = {option.name: option for option in BUILD_OPTIONS}


def _of_build(*names: str) -> tuple[Option, ...]:
    return tuple(replace(_BUILD[name], allowed=PYTHON) for name in names)


DUPLICATES = Option(
    "duplicates",
    "``keep`` writes repeated URLs, too; else they are excluded and reported as rejected.",
    type=Literal["drop", "keep"],
    annotation="Duplicates",
    default="drop",
    allowed=PYTHON,
)
ALLOW_EMPTY = switch("allow_empty", "Whether a set without entries may be written.", allowed=PYTHON)

WRITE_OPTIONS: tuple[Option, ...] = (
    *_of_build("base_url", "gzip", "max_urls", "max_bytes", "name", "format", "stylesheet"),
    Option(
        "index",
        "Write an index if one is needed (auto), or always.",
        type=Literal["auto", "always"],
        annotation="WrittenIndex",
        default="auto",
        allowed=PYTHON,
    ),
    Option(
        "on_error",
        "``raise`` at an invalid entry, without writing; or ``skip`` it.",
        type=OnError,
        annotation="OnError",
        default="raise",
        allowed=PYTHON,
    ),
    DUPLICATES,
    ALLOW_EMPTY,
    *_of_build("dry_run", "now", "progress", "engine"),
)
"""Options of :func:`urlset.write`."""

RENDER_OPTIONS: tuple[Option, ...] = (
    *_of_build("base_url", "gzip", "max_urls", "max_bytes", "format", "stylesheet"),
    DUPLICATES,
    ALLOW_EMPTY,
    Option(
        "on_rejected",
        "Called with each :class:`urlset.writer.Rejection`, including duplicates. With it, "
        "invalid entries are excluded instead of raised.",
        type=Callable,
        annotation="Callable[[Rejection], None] | None",
        allowed=PYTHON,
    ),
    *_of_build("engine"),
)
"""Options of :func:`urlset.render`."""

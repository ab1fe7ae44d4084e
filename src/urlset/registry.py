"""Registry of what packages above the core provide to it, such as sources of a build.

The core imports nothing of the packages above it. ``urlset/__init__.py`` registers their modules
by name; such a module is imported when something of its kind is first needed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Literal

Kind = Literal["SOURCES"]
"""Names of module attributes: ``SOURCES`` has a function that opens each kind of source."""

_MODULES: dict[Kind, tuple[str, ...]] = {}


def register(kind: Kind, *modules: str) -> None:
    """Register the modules that have an attribute with the name ``kind``."""
    _MODULES[kind] = modules


@cache
def provided(kind: Kind) -> tuple[Any, ...]:
    """Return the attribute ``kind`` of each registered module."""
    return tuple(getattr(import_module(module), kind) for module in _MODULES.get(kind, ()))

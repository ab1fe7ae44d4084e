"""Registry of what packages above the core provide to it, such as sources of a build.

The core imports nothing of the packages above it. ``urlset/__init__.py`` registers their modules
by name; such a module is imported when something of its kind is first needed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Literal

Kind = Literal["DOCUMENT_WRITERS", "FIGURES", "RULES", "RULE_VIEWS", "SOURCES", "STORE_SCHEMAS"]
"""Attributes of modules: ``DOCUMENT_WRITERS``, functions that write what a table of a store has as
documents, by the table; ``FIGURES``, a function that makes the charts of a report; ``RULES``,
declarations for the catalogue; ``RULE_VIEWS``, what they query; ``SOURCES``, functions that open
sources of a build, by kind; ``STORE_SCHEMAS``, tables that are added to stores."""

_MODULES: dict[Kind, list[str]] = {}


def register(module: str, *kinds: Kind) -> None:
    """Register a module that has attributes with the names ``kinds``."""
    for kind in kinds:
        _MODULES.setdefault(kind, []).append(module)


@cache
def provided(kind: Kind) -> tuple[Any, ...]:
    """Return the attribute ``kind`` of each registered module."""
    return tuple(getattr(import_module(module), kind) for module in _MODULES.get(kind, ()))

"""Fixer functions, one module per group of rules; each module registers its own.

To add a fixer, write the function in the module of its group or in a new module.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from urlset.fixer.registry import FIXERS

__all__ = ["FIXERS"]

for _found in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")

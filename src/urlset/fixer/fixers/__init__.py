"""What mends a finding, a room for each group of rules; each module here registers its own.

To add one: write it in the module of its group, or in a new one, and nothing else.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from urlset.fixer.registry import FIXERS

__all__ = ["FIXERS"]

for _found in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")

"""Every rule there is; adding one is adding a declaration to the file of its subject.

Each file here has ``RULES``, a tuple of declarations, and is found by itself.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from urlset.checker.rule import Rule

__all__ = ["CATALOGUE", "GROUPS"]

GROUPS = {
    "X": "bytes, encoding and XML",
    "S": "structure",
    "T": "text sitemaps",
    "F": "feeds",
    "U": "URLs",
    "D": "dates",
    "L": "limits",
    "I": "indexes",
    "H": "hreflang",
    "G": "images, videos, news and other extensions",
    "P": "performance and quality",
    "R": "robots.txt",
    "N": "fetching and opening sitemaps",
}
"""The groups by the letter that codes begin with."""


def _gather() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for found in pkgutil.iter_modules(__path__):
        for rule in import_module(f"{__name__}.{found.name}").RULES:
            if rule.code in rules:
                raise ValueError(f"{rule.code} is declared twice")
            rules[rule.code] = rule
    order = list(GROUPS)
    return {code: rules[code] for code in sorted(rules, key=lambda c: (order.index(c[0]), c))}


CATALOGUE: dict[str, Rule] = _gather()
"""The rules by code, in the order of the catalogue."""

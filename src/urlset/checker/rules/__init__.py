"""Catalogue of all rules, with a module for each subject.

Each module has a tuple ``RULES`` of declarations. The catalogue finds the modules by itself, and
adds the rules of packages above this one.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from urlset.checker.rule import Rule
from urlset.registry import provided

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
    "N": "requests for sitemaps and pages",
    "M": "llms.txt",
}
"""Groups by the first letter of the code."""


def _load_modules() -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    names = (f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__))
    for declared in (*(import_module(name).RULES for name in names), *provided("RULES")):
        for rule in declared:
            if rule.code in rules:
                raise ValueError(f"{rule.code} is declared twice")
            rules[rule.code] = rule
    order = list(GROUPS)
    return {code: rules[code] for code in sorted(rules, key=lambda c: (order.index(c[0]), c))}


CATALOGUE: dict[str, Rule] = _load_modules()
"""Rules by code, sorted by group and code."""

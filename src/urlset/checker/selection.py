"""Which rules are asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import cache

from urlset.rules import RULES

__all__ = ["rules_named", "selector"]


def selector(select: Sequence[str] | None, ignore: Sequence[str]) -> Callable[[str], bool]:
    """Make the question whether a code is wanted; the longest name that covers it decides.

    >>> selector(["X", "S002"], ["X003"])("X001")
    True
    """
    chosen = {code: len(name) for name in _by_length(select or [""]) for code in rules_named(name)}
    left = {code: len(name) for name in _by_length(ignore) for code in rules_named(name)}

    @cache
    def wanted(code: str) -> bool:
        return code in chosen and chosen[code] > left.get(code, -1)

    return wanted


def rules_named(name: str) -> list[str]:
    """The codes of a rule's name, or that begin with this; raises ``ValueError`` for none."""
    exact = [code for code, rule in RULES.items() if name.lower() == rule.name]
    found = exact or [code for code in RULES if code.startswith(name.upper())]
    if found:
        return found
    names = [rule.name for rule in RULES.values()] + list(RULES)
    close = difflib.get_close_matches(name, names, 1) or difflib.get_close_matches(
        name.upper(), names, 1
    )
    hint = f"did you mean {close[0]!r}?" if close else "`urlset rules` lists them"
    raise ValueError(f"expected the name or the code of a rule, found {name!r}; {hint}")


def _by_length(names: Sequence[str]) -> list[str]:
    return sorted((name.strip() for name in names), key=len)

"""Which rules are asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from urlset.checker.catalogue import CATALOGUE
from urlset.checker.declaring import Rule

__all__ = ["rules_named", "selector"]


def selector(
    select: Sequence[str] | None,
    ignore: Sequence[str] = (),
    extend: Sequence[str] = (),
    *,
    profile: str | None = None,
    rules: Mapping[str, Rule] = CATALOGUE,
) -> Callable[[Rule], bool]:
    """Make the question whether a rule is wanted; the longest name that covers it decides.

    Without ``select`` it is those that are on by default, and those of the ``profile``. A rule
    that is off by default comes with ``select`` or ``extend`` where its own name or code is
    given, or the letter of its group alone is *not* enough: three letters of its code are.

    >>> wanted = selector(["X", "S002"], ["X003"])
    >>> wanted(CATALOGUE["X001"]), wanted(CATALOGUE["X003"])
    (True, False)
    """
    chosen = _lengths(select if select is not None else [""], rules)
    for code, length in _lengths(extend, rules).items():
        chosen[code] = max(length, chosen.get(code, 0))
    left = _lengths(ignore, rules)

    @cache
    def wanted(rule: Rule) -> bool:
        length = chosen.get(rule.code, -1)
        if length < OWN and not _is_on(rule, profile):
            return False
        return length > left.get(rule.code, -1)

    return wanted


OWN = 3
"""Letters of a code that are enough to ask for a rule that is off by default."""


def rules_named(name: str, rules: Mapping[str, Rule] = CATALOGUE) -> list[str]:
    """The codes of a rule's name, or that begin with this; raises ``ValueError`` for none."""
    exact = [code for code, rule in rules.items() if name.lower() == rule.name]
    found = exact or [code for code in rules if code.startswith(name.upper())]
    if found:
        return found
    names = [rule.name for rule in rules.values()] + list(rules)
    close = difflib.get_close_matches(name, names, 1) or difflib.get_close_matches(
        name.upper(), names, 1
    )
    hint = f"did you mean {close[0]!r}?" if close else "`urlset rules` lists them"
    raise ValueError(f"expected the name or the code of a rule, found {name!r}; {hint}")


def _is_on(rule: Rule, profile: str | None) -> bool:
    return profile in rule.profiles if rule.profiles else rule.is_default


def _lengths(names: Iterable[str], rules: Mapping[str, Rule]) -> dict[str, int]:
    """The codes that names cover, with the length of the longest one."""
    shortest_first = sorted((name.strip() for name in names), key=len)
    return {code: len(name) for name in shortest_first for code in rules_named(name, rules)}

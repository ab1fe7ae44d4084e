"""Which rules are asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from urlset.checker.rule import Rule
from urlset.checker.rules import CATALOGUE
from urlset.model import Level

__all__ = ["catalogue_with", "rules_named", "selector"]


def selector(
    select: Sequence[str] | None,
    ignore: Sequence[str] = (),
    extend: Sequence[str] = (),
    *,
    profile: str | None = None,
    rules: Mapping[str, Rule] = CATALOGUE,
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    always: Collection[str] = (),
) -> Callable[[Rule, str | None], bool]:
    """Make the question whether a rule is wanted; the longest name that covers it decides.

    Without ``select`` it is those that are on by default, and those of the ``profile``. A rule
    that is off by default comes with its name, or with three letters of its code: that of the
    group is not enough. ``ignore_in`` has further names by a pattern for the source of documents.
    The codes in ``always`` are selected whatever ``select`` says, unless they are ignored.

    >>> wanted = selector(["U", "S002"], ["U012"], ignore_in={"old/*": ["U001"]})
    >>> [wanted(CATALOGUE[code], "old/a.xml") for code in ("U025", "U012", "U001")]
    [True, False, False]
    """
    chosen = _lengths(select if select is not None else [""], rules)
    for code, length in _lengths(extend, rules).items():
        chosen[code] = max(length, chosen.get(code, 0))
    for code in always:
        chosen.setdefault(code, 0)
    left = _lengths(ignore, rules)
    left_in = {pattern: _lengths(names, rules) for pattern, names in ignore_in.items()}

    return _Selector(chosen, left, left_in, profile)


@dataclass(frozen=True)
class _Selector:
    """Tells whether a rule is wanted; the values are lengths of names, by the codes they cover."""

    chosen: Mapping[str, int]
    left: Mapping[str, int]
    left_in: Mapping[str, Mapping[str, int]]
    profile: str | None
    known: dict[tuple[str, str | None], bool] = field(default_factory=dict)

    def __call__(self, rule: Rule, source: str | None = None) -> bool:
        key = rule.code, source
        if key not in self.known:
            self.known[key] = self._wants(rule, source)
        return self.known[key]

    def _wants(self, rule: Rule, source: str | None) -> bool:
        length = self.chosen.get(rule.code, -1)
        if length < OWN and not _is_on(rule, self.profile):
            return False
        its = (found for pattern, found in self.left_in.items() if _matches(source, pattern))
        return all(length > found.get(rule.code, -1) for found in (self.left, *its))


def catalogue_with(own: Iterable[Rule], levels: Mapping[str, Level]) -> dict[str, Rule]:
    """The catalogue, with rules of somebody's own behind it, and other levels for some rules.

    Raises ``ValueError`` for a code or a name that is taken, and for a rule that there is not.
    """
    rules = dict(CATALOGUE)
    for rule in own:
        taken = next((its for its in rules.values() if rule.name == its.name), None)
        if taken is not None or rule.code in rules:
            raise ValueError(f"{rule.code} ({rule.name}): the code or the name is taken")
        rules[rule.code] = replace(rule, is_custom=True)
    for name, level in levels.items():
        for code in rules_named(name, rules):
            rules[code] = replace(rules[code], level=level, level_sql=f"'{level}'")
    return rules


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


def _matches(source: str | None, pattern: str) -> bool:
    """Tell whether a document is meant, by the end of its path or by all of it."""
    return source is not None and (
        fnmatchcase(source, pattern) or fnmatchcase(source, f"*/{pattern}")
    )


def _is_on(rule: Rule, profile: str | None) -> bool:
    return profile in rule.profiles if rule.profiles else rule.is_default


def _lengths(names: Iterable[str], rules: Mapping[str, Rule]) -> dict[str, int]:
    """The codes that names cover, with the length of the longest one."""
    shortest_first = sorted((name.strip() for name in names), key=len)
    return {code: len(name) for name in shortest_first for code in rules_named(name, rules)}

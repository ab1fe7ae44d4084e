"""Select rules by name, code, profile and path of the document; add custom rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate
from types import MappingProxyType
from typing import Any

from urlset.checker.rule import Need, Rule, rule
from urlset.checker.rules import CATALOGUE
from urlset.errors import similar, suggestion
from urlset.model import Level
from urlset.option_names import option
from urlset.registry import provided


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
    """Return a predicate that selects rules; the longest name that covers a rule decides.

    Its arguments are a rule and the source of a document, or None for any document.

    Args:
        select: Names, codes or prefixes of codes. None selects the rules that are on by default
            and those of the ``profile``. A rule that is off by default needs its name or at least
            three characters of its code; the letter of the group is not enough.
        ignore: Names that are excluded.
        extend: Names that are added to ``select``.
        ignore_in: Additional excluded names, by a pattern for the source of the document.
        always: Codes that are selected whatever ``select`` contains, unless they are ignored.

    Raises:
        ValueError: A name matches no rule.

    >>> is_selected = selector(["U", "S002"], ["U012"], ignore_in={"old/*": ["U001"]})
    >>> [is_selected(CATALOGUE[code], "old/a.xml") for code in ("U025", "U012", "U001")]
    [True, False, False]
    """
    chosen = _lengths(select if select is not None else [""], rules, option("select"))
    for code, length in _lengths(extend, rules, option("extend_select")).items():
        chosen[code] = max(length, chosen.get(code, 0))
    for code in always:
        chosen.setdefault(code, 0)
    ignored = _lengths(ignore, rules, option("ignore"))
    if len(ignore_in) > MAX_PATTERNS:
        raise ValueError(
            f"expected at most {MAX_PATTERNS:,} patterns of paths, found {len(ignore_in):,}"
        )
    length = sum(map(len, ignore_in))
    if length > MAX_PATTERN_TEXT:
        raise ValueError(
            f"expected at most {MAX_PATTERN_TEXT:,} characters in patterns of paths, "
            f"found {length:,}"
        )
    ignored_in = [
        # A pattern matches the path of a document, or the end of it.
        (
            re.compile(f"{translate(pattern)}|{translate(f'*/{pattern}')}"),
            _lengths(names, rules, option("ignore_in")),
        )
        for pattern, names in ignore_in.items()
    ]
    return _Selector(chosen, ignored, ignored_in, profile)


@dataclass(frozen=True)
class _Selector:
    """Predicate of :func:`selector`: whether the findings of a rule in a document are selected.

    The values of the mappings are the lengths of names, by rule code.
    """

    chosen: Mapping[str, int]
    ignored: Mapping[str, int]
    ignored_in: Sequence[tuple[re.Pattern[str], Mapping[str, int]]]
    profile: str | None
    known: dict[tuple[str, str | None], bool] = field(default_factory=dict)
    ignored_of: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def __call__(self, rule: Rule, source: str | None = None) -> bool:
        key = rule.code, source
        if key not in self.known:
            self.known[key] = self._is_selected(rule, source)
        return self.known[key]

    def _is_selected(self, rule: Rule, source: str | None) -> bool:
        length = self.chosen.get(rule.code, -1)
        is_on = self.profile in rule.profiles if rule.profiles else rule.is_default
        if length < MIN_PREFIX and not is_on:
            return False
        here = self.ignored if source is None else self._ignored_of(source)
        return length > here.get(rule.code, -1)

    def _ignored_of(self, source: str) -> Mapping[str, int]:
        """Return the rules that are ignored in a document, each with its longest name."""
        if not self.ignored_in:
            return self.ignored
        if source not in self.ignored_of:
            found = dict(self.ignored)
            for pattern, lengths in self.ignored_in:
                if pattern.match(source):
                    for code, length in lengths.items():
                        found[code] = max(length, found.get(code, 0))
            self.ignored_of[source] = found
        return self.ignored_of[source]


def catalogue_with(custom: Iterable[Rule], levels: Mapping[str, Level]) -> dict[str, Rule]:
    """Return the catalogue with custom rules added and other levels for some rules.

    Raises:
        ValueError: The code or name of a custom rule exists, or ``levels`` names an unknown rule.
    """
    rules = dict(CATALOGUE)
    for new in custom:
        if new.code in rules or any(new.name == rule.name for rule in rules.values()):
            raise ValueError(
                f"{option('rules')}: {new.code} ({new.name}): the code or the name exists already"
            )
        rules[new.code] = replace(new, is_custom=True)
    for name, level in levels.items():
        for code in _codes_of(name, rules, option("levels")):
            rules[code] = replace(rules[code], level=level, level_sql=f"'{level}'")
    return rules


MAX_PATTERNS = 1_000
"""Patterns of paths in ``per-path-ignores``; each is matched with each document."""

MAX_PATTERN_TEXT = 100_000
"""Characters of all these patterns; a megabyte takes ten seconds to compile."""

MIN_PREFIX = 3
"""Minimum length of a prefix that selects a rule that is off by default."""


def rules_named(name: str, rules: Mapping[str, Rule] = CATALOGUE) -> list[str]:
    """Return the codes of the rules with this name, or whose code begins with it.

    Raises ``ValueError`` if there is none.
    """
    exact = [code for code, rule in rules.items() if name.lower() == rule.name]
    found = exact or [code for code in rules if code.startswith(name.upper())]
    if found:
        return found
    names = [rule.name for rule in rules.values()] + list(rules)
    close = similar(name, names) or similar(name.upper(), names)
    hint = f"did you mean {close!r}?" if close else "`urlset rules` lists them"
    raise ValueError(f"expected the name or the code of a rule, found {name!r}; {hint}")


def _codes_of(name: str, rules: Mapping[str, Rule], where: str) -> list[str]:
    """Return the codes of the rules with a name in an option; its errors state the option."""
    try:
        return rules_named(name, rules)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _lengths(names: Iterable[str], rules: Mapping[str, Rule], where: str) -> dict[str, int]:
    """Return the rule codes that names cover, each with the length of the longest such name."""
    each_once = {name.strip().lower(): name.strip() for name in names}
    shortest_first = sorted(each_once.values(), key=len)
    return {code: len(name) for name in shortest_first for code in _codes_of(name, rules, where)}


def _needs_of(query: str) -> tuple[Need, ...]:
    """Return the kinds of data that a query needs, by the tables and views it names."""
    words = {*_WORD.findall(query)}
    needs: list[Need] = ["markup", "order"] if "markup" in query else []
    needs += [added.need for added in provided("RULE_VIEWS") if words & added.names]
    return (*needs,)


_WORD = re.compile(r"[a-z_]+")
_MAX_TEXT = 10_000  # characters of a name and a message; filling 200,000 holes takes 25 s
_REQUIRED = ("name", "message")
_OPTIONAL = ("code", "level", "view", "where", "sql", "element", "why", "fix-hint", "source")
_EXAMPLE = "<url><loc>https://example.com/</loc></url>"


def custom_rule(number: int, declared: Mapping[str, Any]) -> Rule:
    """Return the rule that a table of ``[[check.rules]]`` declares.

    Args:
        number: Position of the table, from 1; a rule without ``code`` gets ``Z001`` and so on.
        declared: ``name``, ``message``, and either ``view`` with ``where`` or ``sql``. Optional are
            ``code``, ``level`` (default: warning), ``element``, ``why``, ``fix-hint`` and
            ``source``. All values are strings.

    Raises:
        ValueError: A key is missing or unknown, or a value is invalid.

    >>> declared = {"name": "old-shop", "message": "{loc}", "view": "urls", "where": "true"}
    >>> custom_rule(1, declared).code
    'Z001'
    """
    for key, value in declared.items():
        if key not in (*_REQUIRED, *_OPTIONAL):
            raise ValueError(f"unknown key {key!r}{suggestion(key, (*_REQUIRED, *_OPTIONAL))}")
        if not isinstance(value, str):
            raise ValueError(f"{key}: expected a string, found {value!r}")
    for key in _REQUIRED:
        if not declared.get(key, "").strip():
            raise ValueError(f"{key} is missing")
        if len(declared[key]) > _MAX_TEXT:
            raise ValueError(
                f"{key}: expected at most {_MAX_TEXT:,} characters, found {len(declared[key]):,}"
            )
    code, name = declared.get("code", f"Z{number:03}"), declared["name"]
    if " " in name or " " in code:
        raise ValueError(f"expected a name and a code without spaces, found {name!r}, {code!r}")
    query = f"{declared.get('view', '')} {declared.get('sql', '')}".lower()
    return rule(
        f"{code} {name} {declared.get('level', 'warning')}",
        message=declared["message"],
        why=declared.get("why", "A rule of this project."),
        fix_hint=declared.get("fix-hint", "See the configuration of this project"),
        source=declared.get("source", "the configuration"),
        bad=_EXAMPLE,
        good=_EXAMPLE,
        view=declared.get("view"),
        where=declared.get("where"),
        sql=declared.get("sql"),
        element=declared.get("element"),
        needs=_needs_of(query),
    )

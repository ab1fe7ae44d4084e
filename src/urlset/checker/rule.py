"""How a rule is declared: what it objects to, how that is said, and its page of documentation.

A rule is either a problem that the engine reports while it parses (nothing but the page is
declared, the words are in :data:`urlset.engine_rules.RULES`), a condition on the rows of one view
(``over`` and ``where``), or a whole query (``sql``). :mod:`urlset.checker.views` says what there
is to ask. Adding a rule is adding one declaration to one file of the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from string import Formatter
from typing import Literal

from urlset.checker.examples import Example
from urlset.engine_rules import RULES
from urlset.model import Level

__all__ = ["Fixing", "Need", "Page", "Profile", "Rule", "of_engine", "rule"]

Fixing = Literal["none", "safe", "unsafe", "opt-in"]
"""How far a rule can be mended: provably the same, by assumption, or what others may read."""

Need = Literal["place", "robots", "set", "markup", "order", "time"]
"""What a rule requires: the URL of the document, a robots.txt, several documents, facts of the
markup (:mod:`urlset.checker.markup_facts`), the order of the elements, or the time of writing."""

Profile = Literal["google", "bing", "yandex", "baidu"]
"""The engines that have rules of their own."""

# How a value is shown: a width of thousands of characters would only take memory.
_FORM = re.compile(r"(?:[ _*.0-]?[<>^])?[+-]?0?[0-9]{0,2},?(?:\.[0-9]{1,2})?[a-zA-Z%]?")
_LEVELS: dict[str, Level] = {"error": "error", "warning": "warning", "info": "info"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """What a rule's page says.

    ``why`` it matters, ``instead`` what to do (a sentence in the imperative), ``source`` where
    the rule comes from: a URL, or the name of a standard with its section. ``bad`` is caught by
    this rule and by no other error, ``good`` is clean; both are run.
    """

    why: str
    instead: str
    source: str
    bad: Example
    good: Example


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One rule.

    ``says`` are the words, with columns in braces: ``{loc}`` is put in, ``{n:,}`` as a number
    with commas. ``values`` are further columns for them, as SQL by name. ``given`` names views
    of which one is to have rows, or ``sql`` would find nothing and is not asked. ``level_sql``
    gives the level of a row where that differs from ``level``. ``at`` names the element that is
    to blame, so that the finding points there and not to the beginning of the entry. A rule that
    ``is_custom`` is not of the catalogue: its SQL is verified, and runs with limits.
    """

    code: str
    name: str
    level: Level
    says: str
    page: Page
    over: str | None = None
    where: str | None = None
    sql: str | None = None
    given: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    level_sql: str | None = None
    at: str | None = None
    needs: frozenset[Need] = frozenset()
    is_default: bool = True
    profiles: frozenset[Profile] = frozenset()
    fixing: Fixing = "none"
    is_custom: bool = False

    @property
    def group(self) -> str:
        """The letter of its group: ``X`` for bytes and XML, ``U`` for URLs and so on."""
        return self.code[0]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the values in its message; that of a rule of the engine is ``detail``."""
        return _names_in(self.says)

    @property
    def is_of_engine(self) -> bool:
        """Whether the engine reports it while it parses."""
        return self.over is None and self.sql is None


@cache
def _names_in(says: str) -> tuple[str, ...]:
    """Return the names in braces, each once; ``{}`` is called ``detail``."""
    fields = (column for _, column, _, _ in Formatter().parse(says) if column is not None)
    return tuple(dict.fromkeys(column or "detail" for column in fields))


def rule(
    title: str,
    *,
    says: str,
    why: str,
    instead: str,
    source: str,
    bad: Example,
    good: Example,
    over: str | None = None,
    where: str | None = None,
    sql: str | None = None,
    given: str | None = None,
    values: Mapping[str, str] | None = None,
    level_sql: str | None = None,
    at: str | None = None,
    needs: tuple[Need, ...] = (),
    is_default: bool = True,
    profiles: tuple[Profile, ...] = (),
    fixing: Fixing = "none",
) -> Rule:
    """Declare a rule of SQL; ``title`` is its code, its name and its level.

    Raises ``ValueError`` for a declaration that does not hold together.
    """
    code, name, word = title.split()
    level = _LEVELS.get(word)
    if level is None:
        raise ValueError(f"{code}: expected error, warning or info, found {word!r}")
    if (sql is None) == (over is None) or (over is None) != (where is None):
        raise ValueError(f"{code}: expected either `over` and `where`, or `sql`")
    for _, column, form, conversion in Formatter().parse(says):
        if column is not None and not column.isidentifier():
            raise ValueError(f"{code}: expected the name of a column in braces, found {column!r}")
        if conversion or not _FORM.fullmatch(form or ""):
            raise ValueError(
                f"{code}: expected a form such as , or .1f or >8 behind {{{column}:, "
                f"found {conversion or form!r}"
            )
    if over is not None and not over.isidentifier():
        raise ValueError(f"{code}: expected the name of a view as `over`, found {over!r}")
    return Rule(
        code=code,
        name=name,
        level=level,
        says=says,
        page=Page(why=why, instead=instead, source=source, bad=bad, good=good),
        over=over,
        where=where,
        sql=sql,
        given=given,
        values=values or {},
        level_sql=level_sql,
        at=at,
        needs=frozenset(needs),
        is_default=is_default,
        profiles=frozenset(profiles),
        fixing=fixing,
    )


def of_engine(
    code: str,
    *,
    why: str,
    instead: str,
    source: str,
    bad: Example,
    good: Example,
    needs: tuple[Need, ...] = (),
    fixing: Fixing = "none",
) -> Rule:
    """Declare the page of a rule that the engine reports."""
    words = RULES[code]
    return Rule(
        code=code,
        name=words.name,
        level=words.level,
        says=words.template,
        page=Page(why=why, instead=instead, source=source, bad=bad, good=good),
        needs=frozenset(needs),
        fixing=fixing,
    )

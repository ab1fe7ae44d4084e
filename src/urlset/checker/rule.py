"""Declaration of a rule: its condition, its message, its documentation, its texts in a report.

A rule is one of three: a problem that the engine reports while it parses (only the page is
declared; the message is in :data:`urlset.engine_rules.RULES`), a condition on the rows of one view
(``view`` and ``where``), or a complete query (``sql``). The views are in
:mod:`urlset.checker.views`. To add a rule, add one declaration to a module of
:mod:`urlset.checker.rules`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from string import Formatter
from typing import TYPE_CHECKING, Literal, NamedTuple

from urlset.checker.examples import Example
from urlset.engine_rules import RULES
from urlset.model import Level
from urlset.option_schema import Profile
from urlset.terminal_text import template_text

if TYPE_CHECKING:
    from urlset.html_report import RuleText

FixSafety = Literal["none", "safe", "unsafe", "opt-in"]
"""Whether a rule can be fixed: without a change of meaning (safe), with an assumption (unsafe), or
by removing what other readers may use (opt-in)."""

Need = Literal["location", "robots", "set", "markup", "order", "time", "live"]
"""Input that a rule needs: the URL of the document, a robots.txt, several documents, markup facts
(:mod:`urlset.checker.markup_facts`), the order of the elements, the time of writing, or the
responses of the server (``live``: only an audit evaluates the rule)."""

Partition = Literal["document", "scope", "loc", "link", "all"]
"""Rows that must be evaluated together: those of one document (document), without other documents;
entries that lie outside of the folder of their sitemap, of one document (scope); entries with
equivalent URLs (loc); entries with the pages that they link to by hreflang, and those that link to
them (link); or the documents, indexes and robots.txt of the set, without entries (all). All but
``document`` also need the documents, indexes and robots.txt of the set."""

Basis = Literal["observed", "complete", "sampled", "unknown"]
"""What a finding of an audit is based on: a response that was received (observed), all responses of
the site (complete), a sample of them (sampled), or no usable response (unknown)."""


class RuleViews(NamedTuple):
    """Views that a package above this one adds for its rules; :mod:`urlset.registry` has them.

    Attributes:
        views: SQL by name, in the order of creation.
        materialized: Names of those that are created as tables.
        tables: Tables that only this package creates. A custom rule that uses one of them, or of
            the views, needs ``need``.
        need: What these rules need.
    """

    views: Mapping[str, str]
    materialized: frozenset[str]
    tables: frozenset[str]
    need: Need

    @property
    def names(self) -> frozenset[str]:
        """Names of the tables and views."""
        return self.tables | self.views.keys()


# Format specifications of values. A width of thousands of characters would only cost memory.
_FORMAT = re.compile(r"(?:[ _*.0-]?[<>^])?[+-]?0?[0-9]{0,2},?(?:\.[0-9]{1,2})?[a-zA-Z%]?")
_LEVELS: dict[str, Level] = {"error": "error", "warning": "warning", "info": "info"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """Texts of the documentation page of a rule: why, how to fix it, source, examples.

    Attributes:
        why: Why it matters.
        fix_hint: What to do, as a sentence in the imperative without a period.
        source: Origin of the rule: a URL, or the name of a standard with its section.
        heading: What its findings are, as a title in reports; None for the message.
        bad: Example that this rule reports, and no other rule reports as an error. Tests run it.
        good: Example without findings. Tests run it.
    """

    why: str
    fix_hint: str
    source: str
    bad: Example
    good: Example
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """Rule of a check: code, name, level, condition in SQL or in the engine, message, page.

    Attributes:
        code: Group letter and number, such as ``U012``.
        name: Name in words, such as ``loc-fragment``.
        level: Severity of its findings.
        message: Message with columns in braces: ``{loc}`` inserts a value, ``{n:,}`` a number with
            thousands separators.
        page: Documentation.
        view: View whose rows are tested by ``where``.
        where: SQL condition for the rows of ``view``.
        sql: Complete query, instead of ``view`` and ``where``.
        requires_rows: Names of views, or of conditions of :mod:`urlset.checker.planner`. The rule
            is skipped, because it finds nothing, if all of the views are empty and none of the
            conditions is true.
        values: Additional columns for the message, as SQL by name.
        level_sql: SQL for the level of a row, if it differs from ``level``.
        element: Element that the finding points at, instead of the start of the entry.
        needs: Input that the rule needs.
        is_default: Whether it is selected by default.
        profiles: Search engines for which it is selected.
        fix_safety: Whether and how safely it can be fixed.
        is_custom: Whether it is outside the catalogue: its SQL is verified and runs with limits.
        basis: What its findings are based on, unless its SQL has a column ``basis``; None for rules
            that need no responses.
        partition: Rows that must be together when a check is divided.
    """

    code: str
    name: str
    level: Level
    message: str
    page: Page
    view: str | None = None
    where: str | None = None
    sql: str | None = None
    requires_rows: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    level_sql: str | None = None
    element: str | None = None
    needs: frozenset[Need] = frozenset()
    is_default: bool = True
    profiles: frozenset[Profile] = frozenset()
    fix_safety: FixSafety = "none"
    is_custom: bool = False
    basis: Basis | None = None
    partition: Partition = "document"

    @property
    def group(self) -> str:
        """Letter of the group of the rule, such as ``X`` for bytes and XML or ``U`` for URLs."""
        return self.code[0]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the values in the rule's message; a rule of the engine has one, ``detail``."""
        return _names_in(self.message)

    @property
    def is_live(self) -> bool:
        """Whether only an audit evaluates it, because it needs the responses of the server."""
        return "live" in self.needs

    @property
    def is_engine_rule(self) -> bool:
        """Whether the engine reports it while parsing."""
        return self.view is None and self.sql is None


@cache
def _names_in(message: str) -> tuple[str, ...]:
    """Return the names in braces in a message without duplicates; ``{}`` is named ``detail``."""
    fields = (column for _, column, _, _ in Formatter().parse(message) if column is not None)
    return tuple(dict.fromkeys(column or "detail" for column in fields))


def rule(
    title: str,
    *,
    message: str,
    why: str,
    fix_hint: str,
    source: str,
    bad: Example,
    good: Example,
    heading: str | None = None,
    view: str | None = None,
    where: str | None = None,
    sql: str | None = None,
    requires_rows: str | None = None,
    values: Mapping[str, str] | None = None,
    level_sql: str | None = None,
    element: str | None = None,
    needs: tuple[Need, ...] = (),
    is_default: bool = True,
    profiles: tuple[Profile, ...] = (),
    fix_safety: FixSafety = "none",
    basis: Basis | None = None,
    partition: Partition = "document",
) -> Rule:
    """Declare a rule that SQL evaluates; see :class:`Rule` and :class:`Page` for the arguments.

    ``title`` is its code, name and level, separated by spaces. Raises ``ValueError`` if arguments
    contradict each other or have an invalid form.
    """
    code, name, level_name = title.split()
    level = _LEVELS.get(level_name)
    if level is None:
        raise ValueError(f"{code}: expected error, warning or info, found {level_name!r}")
    if (sql is None) == (view is None) or (view is None) != (where is None):
        raise ValueError(f"{code}: expected either `view` and `where`, or `sql`")
    for _, column, spec, conversion in Formatter().parse(message):
        if column is not None and not column.isidentifier():
            raise ValueError(f"{code}: expected a column name in braces, found {column!r}")
        if conversion or not _FORMAT.fullmatch(spec or ""):
            raise ValueError(
                f"{code}: expected a format such as , or .1f or >8 after {{{column}:, "
                f"found {conversion or spec!r}"
            )
    if view is not None and not view.isidentifier():
        raise ValueError(f"{code}: expected the name of a view in `view`, found {view!r}")
    return Rule(
        code=code,
        name=name,
        level=level,
        message=message,
        page=Page(why=why, fix_hint=fix_hint, source=source, bad=bad, good=good, heading=heading),
        view=view,
        where=where,
        sql=sql,
        requires_rows=requires_rows,
        values=values or {},
        level_sql=level_sql,
        element=element,
        needs=frozenset(needs),
        is_default=is_default,
        profiles=frozenset(profiles),
        fix_safety=fix_safety,
        basis=basis or ("observed" if "live" in needs else None),
        partition=partition,
    )


def engine_rule(
    code: str,
    *,
    why: str,
    fix_hint: str,
    source: str,
    bad: Example,
    good: Example,
    heading: str | None = None,
    needs: tuple[Need, ...] = (),
    fix_safety: FixSafety = "none",
) -> Rule:
    """Declare the documentation of a rule that the engine reports, with its name and level."""
    declared = RULES[code]
    return Rule(
        code=code,
        name=declared.name,
        level=declared.level,
        message=declared.template,
        page=Page(why=why, fix_hint=fix_hint, source=source, bad=bad, good=good, heading=heading),
        needs=frozenset(needs),
        fix_safety=fix_safety,
    )


def rule_texts(rules: Mapping[str, Rule]) -> dict[str, RuleText]:
    """Return title, reason, fix and SQL of each rule, by code."""
    return {code: _rule_text(rule) for code, rule in rules.items()}


def _rule_text(rule: Rule) -> RuleText:
    from urlset.html_report import RuleText  # only reports need it

    sql = None
    if not rule.is_engine_rule:
        query = rule.sql or f"SELECT * FROM {rule.view} WHERE {rule.where}"
        sql = inspect.cleandoc(query).strip()
    page = rule.page
    return RuleText(
        rule.code,
        rule.name,
        rule.level,
        page.heading or _title(template_text(rule.message), rule.name),
        page.why,
        page.fix_hint,
        page.source,
        sql,
        _names_url(rule),
    )


def _names_url(rule: Rule) -> bool:
    """Return whether messages of a rule name the URL that they are about."""
    names = {"loc", *(name for name, value in rule.values.items() if value == "preview(loc)")}
    return any(name in names for _, name, _, _ in Formatter().parse(rule.message))


def _title(template: str, name: str) -> str:
    """Return a title for a rule: its message if it has no placeholder inside, or else its name.

    >>> _title("… forbids indexing: … (…)", "url-noindex")
    'Forbids indexing'
    >>> _title("Lists … as …, which does not list this page", "hreflang-no-return")
    'Hreflang no return'
    """
    text = re.sub(r"^… |: …$", "", re.sub(r" \(…\)$", "", template))
    if sum(map(str.isalpha, text)) < 8 or "…" in text:
        text = name.replace("-", " ")
    return text[:1].upper() + text[1:]

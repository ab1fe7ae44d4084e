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


_FIXES: dict[FixSafety, str] = {
    "safe": (
        "X003 X004 X005 X006 X011 X012 X013 X014 X017 X020 X023 X027 X028 X029 S002 S003 S004 S006 "
        "S011 S015 S016 S018 S019 S020 T002 T003 T004 F003 U005 U006 U007 U008 U009 U014 U017 D001 "
        "D002 D003 D006 D501 D502 D503 L001 L002 L004 L005 L007 L008 H002 H004 H006 H013 G029 G030 "
        "G031 G051 R001 R002 R003 R007"
    ),
    "unsafe": (
        "X002 X007 X008 X009 X015 X016 X021 X022 X024 X025 X026 S007 S008 S009 S010 S012 S013 S017 "
        "S022 S023 T001 F002 U001 U010 U011 U012 U013 U018 U020 U021 U022 U023 U024 U027 U030 U501 "
        "U502 D004 D007 D008 D009 D010 L006 I003 I004 I501 I502 I503 H003 H005 H008 H009 H010 G001 "
        "G002 G004 G022 G024 G025 G026 G027 G028 G033 G034 G035 G052 G055 G056 P005 R004 R010"
    ),
    "opt-in": "X018 G003 G036 G053 G057 G070 P001 P002",
}
FIX_SAFETY = {code: safety for safety, codes in _FIXES.items() for code in codes.split()}
"""How safely the findings of a rule can be fixed, by code; other rules cannot be fixed."""


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
        added: Why it is a rule, if the catalogue from which urlset began has none.
    """

    why: str
    fix_hint: str
    source: str
    bad: Example
    good: Example
    heading: str | None = None
    added: str = ""


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
    added: str = "",
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
        page=Page(
            why=why,
            fix_hint=fix_hint,
            source=source,
            bad=bad,
            good=good,
            heading=heading,
            added=added,
        ),
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
        fix_safety=FIX_SAFETY.get(code, "none"),
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
    added: str = "",
    needs: tuple[Need, ...] = (),
) -> Rule:
    """Declare the documentation of a rule that the engine reports, with its name and level."""
    declared = RULES[code]
    return Rule(
        code=code,
        name=declared.name,
        level=declared.level,
        message=declared.template,
        page=Page(
            why=why,
            fix_hint=fix_hint,
            source=source,
            bad=bad,
            good=good,
            heading=heading,
            added=added,
        ),
        needs=frozenset(needs),
        fix_safety=FIX_SAFETY.get(code, "none"),
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

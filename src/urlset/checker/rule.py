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
        bad: Example that this rule reports, and no other rule reports as an error. Tests run it.
        good: Example without findings. Tests run it.
    """

    why: str
    fix_hint: str
    source: str
    bad: Example
    good: Example


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
        requires_rows: Names of views; if all of them are empty, ``sql`` finds nothing and is
            skipped.
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
) -> Rule:
    """Declare a rule that SQL evaluates; see :class:`Rule` and :class:`Page` for the arguments.

    Args:
        title: Code, name and level of the rule, separated by spaces.

    Raises:
        ValueError: The arguments contradict each other or have an invalid form.
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
        page=Page(why=why, fix_hint=fix_hint, source=source, bad=bad, good=good),
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
    )


def engine_rule(
    code: str,
    *,
    why: str,
    fix_hint: str,
    source: str,
    bad: Example,
    good: Example,
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
        page=Page(why=why, fix_hint=fix_hint, source=source, bad=bad, good=good),
        needs=frozenset(needs),
        fix_safety=fix_safety,
    )


_TITLES = {
    "D007": "Dates in the future",
    "H501": "Language links in sitemaps that are not returned",
    "M007": "llms.txt links to pages that do not exist",
    "M008": "llms.txt links to redirects",
    "M009": "llms.txt links to pages that may not be indexed",
    "M010": "llms.txt links to pages that are in no sitemap",
    "N001": "Sitemaps that return an HTTP error",
    "N002": "Sitemaps that redirect",
    "N003": "Sitemaps that cannot be requested",
    "N004": "Sitemaps with a wrong Content-Type",
    "N005": "Sitemaps whose header names another charset",
    "N007": "Sitemaps that are error pages with status 200",
    "N008": "Sitemaps whose transfer is cut off",
    "N010": "Slow sitemaps",
    "N011": "Sitemaps that search engines cannot request",
    "N012": "Sitemaps that require a login",
    "N101": "Listed URLs that redirect",
    "N102": "Listed pages that do not exist (404, 410)",
    "N103": "Listed pages with a server error (5xx)",
    "N104": "Listed pages that do not respond",
    "N105": "Listed pages that forbid indexing (noindex)",
    "N106": "Listed pages that name another canonical URL",
    "N107": "Listed pages that refuse urlset (401, 403)",
    "N108": 'Listed pages that say "not found" with status 200',
    "N109": "Listed files that search engines do not show",
    "N110": "Dates that do not agree with their pages",
    "N111": "Language links to pages that cannot be shown",
    "N112": "Language links that differ between page and sitemap",
    "N113": "Images and videos that cannot be loaded",
    "N114": "Thumbnails that are too small",
    "N115": "http URLs of pages that are also served over https",
    "N116": "Listed pages that could not be judged",
    "N117": "Listed URLs that redirect several times",
    "N118": "Redirects that never arrive",
    "N119": "Canonical URLs that lead to another URL",
    "N120": "Canonical URLs that cannot be indexed",
    "N121": "Pages with several canonical URLs",
    "N122": "Canonical URLs in the body of the page",
    "N123": "Canonical URLs with the other scheme, http or https",
    "N124": "Language links of pages that are not returned",
    "N125": "Listed pages that redirect by meta refresh",
    "N126": "Visited pages that are in no sitemap",
    "N127": "Sections whose dates are not true",
    "N128": "Listed pages with equal content",
    "N129": "Slow sections",
    "N130": "Listed pages that are very slow",
    "N131": "Links to pages that do not exist",
    "P502": "Many fewer URLs than at the previous audit",
    "P503": "Linked pages that are in no sitemap",
    "P504": "Listed pages without a link to them",
    "R010": "Listed URLs that robots.txt disallows",
    "R011": "Sitemaps in robots.txt that are no sitemaps",
    "R014": "The key file of IndexNow",
    "U023": "URLs that are listed more than once",
    "U024": "URLs that are listed with different values",
    "U028": "Listed URLs of another host",
    "X009": "Sitemaps that end too early",
    "X031": "Templates instead of sitemaps",
}
"""Titles of rules whose message is a template, by code: what is wrong, without holes."""


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
        _TITLES.get(rule.code) or _title(template_text(rule.message), rule.name),
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

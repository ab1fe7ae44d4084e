"""Convert rules to the texts that the HTML report shows about them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

from urlset.checker.rule import Rule
from urlset.html_report import RuleText
from urlset.terminal_text import template_text

__all__ = ["rule_texts"]


def rule_texts(rules: Mapping[str, Rule]) -> dict[str, RuleText]:
    """Return title, reason, fix and SQL of each rule, by code."""
    return {code: _rule_text(rule) for code, rule in rules.items()}


def _rule_text(rule: Rule) -> RuleText:
    sql = None
    if not rule.is_engine_rule:
        query = rule.sql or f"SELECT * FROM {rule.view} WHERE {rule.where}"
        sql = inspect.cleandoc(query).strip()
    page = rule.page
    return RuleText(
        rule.code,
        rule.name,
        rule.level,
        _title(template_text(rule.message), rule.name),
        page.why,
        page.fix_hint,
        page.source,
        sql,
    )


def _title(template: str, name: str) -> str:
    """Return a title for a rule: its message without placeholders at the ends, or else its name.

    >>> _title("… forbids indexing: … (…)", "url-noindex")
    'Forbids indexing'
    >>> _title("…: …", "sitemap-http-error")
    'Sitemap http error'
    """
    text = re.sub(r"^… |: …$", "", re.sub(r" \(…\)$", "", template))
    if sum(map(str.isalpha, text)) < 8:
        text = name.replace("-", " ")
    return text[:1].upper() + text[1:]

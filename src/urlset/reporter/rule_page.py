"""Format a rule as a page of Markdown or as JSON, and all rules as a table."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TypedDict

from urlset.checker import GROUPS, Rule
from urlset.checker.examples import Example, Piece, shown
from urlset.checker.silent_examples import silent_for
from urlset.model import Level
from urlset.terminal_text import template_text

_FIX_NOTES = {
    "none": None,
    "safe": "Fixed by `urlset check --fix`.",
    "unsafe": "Fixed by `urlset check --fix --unsafe-fixes`. The fix makes an assumption or "
    "removes something.",
    "opt-in": "Fixed only if the rule is selected: `urlset check --fix --select {code}`.",
}
_MAX_DOCUMENTS = 6  # an example with more documents than this shows only the first three


class RuleJson(TypedDict):
    """A rule of ``urlset rules --format json``.

    Attributes:
        rule: Name of the rule.
        code: Code of the rule.
        level: Severity of its findings.
        message: Message of its findings; … stands for a value.
        is_default: Whether it is selected by default.
        profiles: Search engines for which it is selected, by name.
        is_live: Whether only an audit evaluates it, because it needs the responses of the server.
        fix: Whether and how safely it can be fixed: none, safe, unsafe or opt-in.
        why: Why it matters.
        fix_hint: What to do.
        source: Origin of the rule: a URL, or the name of a standard with its section.
    """

    rule: str
    code: str
    level: Level
    message: str
    is_default: bool
    profiles: list[str]
    is_live: bool
    fix: str
    why: str
    fix_hint: str
    source: str


def rule_json(rule: Rule) -> RuleJson:
    """Return a rule as values that JSON has.

    >>> from urlset.checker import CATALOGUE
    >>> rule_json(CATALOGUE["X003"])["rule"]
    'unescaped-ampersand'
    """
    return {
        "rule": rule.name,
        "code": rule.code,
        "level": rule.level,
        "message": template_text(rule.message),
        "is_default": rule.is_default and not rule.profiles,
        "profiles": sorted(rule.profiles),
        "is_live": rule.is_live,
        "fix": rule.fix_safety,
        "why": rule.page.why,
        "fix_hint": rule.page.fix_hint,
        "source": rule.page.source,
    }


def rule_page(rule: Rule) -> Iterator[str]:
    """Yield the lines of the page of a rule: message, reason, wrong and right examples, query."""
    yield from (f"# {rule.name} ({rule.code})", "")
    yield from (f"**{rule.level}** · {GROUPS.get(rule.group, 'custom')} · {_when(rule)}", "")
    yield from (*textwrap.wrap(f"Message: {template_text(rule.message)}", 100), "")
    yield from (*textwrap.wrap(rule.page.why, 100), "")
    if not rule.is_custom:  # such a rule has no examples
        yield from ("## Wrong", "")
        yield from _example(rule.page.bad)
    yield from ("## Use instead", "")
    yield from (*textwrap.wrap(f"{rule.page.fix_hint.removesuffix('.')}.", 100), "")
    if not rule.is_custom:
        yield from _example(rule.page.good)
    yield from _silent(rule)
    note = _FIX_NOTES[rule.fix_safety]
    if note:
        yield from (note.replace("{code}", rule.code), "")
    yield from _query(rule)
    source = rule.page.source
    is_url = source.startswith("https://") and " " not in source
    yield f"Source: <{source}>" if is_url else f"Source: {source}"


def rule_table(rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield the lines of a table of rules, with links to their pages."""
    yield "| code | name | level | message | |"
    yield "|---|---|---|---|---|"
    for rule in rules.values():
        message = template_text(rule.message).replace("&", "&amp;").replace("<", "&lt;")
        message = message.replace("|", "\\|")
        notes = [] if rule.is_default or rule.profiles else ["off"]
        notes += ["audit"] if rule.is_live else []
        notes += sorted(rule.profiles)
        notes += [] if rule.fix_safety == "none" else [f"fix: {rule.fix_safety}"]
        link = f"[{rule.name}](rules/{rule.name}.md)"
        yield f"| {rule.code} | {link} | {rule.level} | {message} | {', '.join(notes)} |"


def _when(rule: Rule) -> str:
    if rule.is_live:
        return f"{_when(replace(rule, needs=frozenset()))}, in `urlset audit`"
    if rule.profiles:
        return f"with `--profile {' or '.join(sorted(rule.profiles))}`"
    return (
        "on by default"
        if rule.is_default
        else f"off by default; `--extend-select {rule.code}` enables it"
    )


def _example(example: Example) -> Iterator[str]:
    if not isinstance(example, Mapping):
        yield from _fenced(example)
        return
    count = len(example) if len(example) <= _MAX_DOCUMENTS else 3
    for name, piece in islice(example.items(), count):
        yield from (f"`{name or '/'}`", "")
        yield from _fenced(piece)
    if len(example) > count:
        yield from (f"… and {len(example) - count:,} more documents", "")


def _fenced(piece: Piece) -> Iterator[str]:
    yield "```text"
    yield from (line.rstrip() for line in shown(piece).splitlines())
    yield from ("```", "")


def _silent(rule: Rule) -> Iterator[str]:
    """Yield the lines about unusual but valid inputs, for which the rule reports nothing."""
    inputs = silent_for(rule.code)
    if not inputs:
        return
    yield from ("## Does not report", "")
    for found in inputs:
        text = found.text.replace("⏎", "\n")
        if "\n" not in text and "`" not in text:
            yield f"- {found.why}: `{text}`"
            continue
        yield from (f"- {found.why}:", "")
        yield "  ```text"
        yield from (f"  {line}".rstrip() for line in text.splitlines())
        yield from ("  ```", "")
    yield ""


def _query(rule: Rule) -> Iterator[str]:
    """Yield the lines with the SQL query of a rule, as a template for custom rules."""
    if rule.is_engine_rule:
        return
    query = rule.sql or f"SELECT * FROM {rule.view} WHERE {rule.where}"
    yield from ("## The query", "")
    yield "```sql"
    yield from (line.rstrip() for line in inspect.cleandoc(query).strip().splitlines())
    yield from ("```", "")

"""The page of a rule as Markdown: what it says, why it matters, what is wrong and what is right."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Mapping
from itertools import islice

from urlset.checker import GROUPS, Rule
from urlset.checker.examples import Example, Piece, shown
from urlset.checker.silent_examples import silent_for
from urlset.terminal_text import template_text

__all__ = ["page", "table"]

_FIXING = {
    "none": None,
    "safe": "Can be fixed: `urlset check --fix`.",
    "unsafe": "Can be fixed by an assumption, or by leaving something out: "
    "`urlset check --fix --unsafe-fixes`.",
    "opt-in": "Can be fixed where it is asked for: `urlset check --fix --select {code}`.",
}
_SHOWN = 6
"""So many documents an example may have; of one with more, the first three are shown."""


def page(rule: Rule) -> Iterator[str]:
    """The lines of a rule's page."""
    yield f"# {rule.name} ({rule.code})"
    yield ""
    yield f"**{rule.level}** · {GROUPS.get(rule.group, 'your own')} · {_when(rule)}"
    yield ""
    yield from textwrap.wrap(f"Says: {template_text(rule.says)}", 100)
    yield ""
    yield from textwrap.wrap(rule.page.why, 100)
    yield ""
    yield "## Wrong"
    yield ""
    yield from _example(rule.page.bad)
    yield "## Use instead"
    yield ""
    yield from textwrap.wrap(f"{rule.page.instead}.", 100)
    yield ""
    yield from _example(rule.page.good)
    yield from _silent(rule)
    fixing = _FIXING[rule.fixing]
    if fixing:
        yield fixing.replace("{code}", rule.code)
        yield ""
    yield from _query(rule)
    yield f"Source: {_linked(rule.page.source)}"


def table(rules: Mapping[str, Rule]) -> Iterator[str]:
    """All rules as one table, with links to their pages."""
    yield "| code | name | level | it says | |"
    yield "|---|---|---|---|---|"
    for rule in rules.values():
        words = template_text(rule.says).replace("|", "\\|").replace("<", "&lt;")
        notes = [] if rule.is_default or rule.profiles else ["off"]
        notes += sorted(rule.profiles)
        notes += [] if rule.fixing == "none" else [f"fix: {rule.fixing}"]
        link = f"[{rule.name}](rules/{rule.name}.md)"
        yield f"| {rule.code} | {link} | {rule.level} | {words} | {', '.join(notes)} |"


def _when(rule: Rule) -> str:
    if rule.profiles:
        return f"with `--profile {' or '.join(sorted(rule.profiles))}`"
    return "on by default" if rule.is_default else f"off; `--extend-select {rule.code}` asks for it"


def _example(example: Example) -> Iterator[str]:
    if not isinstance(example, Mapping):
        yield from _fenced(example)
        return
    count = len(example) if len(example) <= _SHOWN else 3
    for name, piece in islice(example.items(), count):
        yield f"`{name}`"
        yield ""
        yield from _fenced(piece)
    if len(example) > count:
        yield f"… and {len(example) - count:,} documents more"
        yield ""


def _fenced(piece: Piece) -> Iterator[str]:
    yield "```text"
    yield from (line.rstrip() for line in shown(piece).splitlines())
    yield "```"
    yield ""


def _silent(rule: Rule) -> Iterator[str]:
    """Valid but odd inputs to which the rule does not object; they are tests, too."""
    inputs = silent_for(rule.code)
    if not inputs:
        return
    yield "## Stays silent for"
    yield ""
    for found in inputs:
        text = found.text.replace("⏎", "\n")
        if "\n" not in text and "`" not in text:
            yield f"- {found.why}: `{text}`"
            continue
        yield f"- {found.why}:"
        yield ""
        yield "  ```text"
        yield from (f"  {line}".rstrip() for line in text.splitlines())
        yield "  ```"
        yield ""
    yield ""


def _query(rule: Rule) -> Iterator[str]:
    """What is asked of the tables, so that everybody can ask for something alike."""
    if rule.is_of_engine:
        return
    query = rule.sql or f"SELECT * FROM {rule.over} WHERE {rule.where}"
    yield "## The query"
    yield ""
    yield "```sql"
    yield from (line.rstrip() for line in inspect.cleandoc(query).strip().splitlines())
    yield "```"
    yield ""


def _linked(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") and " " not in source else source

"""The command ``urlset rules``: list the rules, or explain one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from urlset.cli.console import Sink, line_renderer
from urlset.cli.options import as_usage_error, configuration
from urlset.terminal_text import Line, Span, template_text

if TYPE_CHECKING:
    from urlset.checker import Rule


def rules(*, rule: str | None, format: str, config: Path | None, quiet: bool) -> None:
    """List the rules of `urlset check`, or explain one.

    Those of [[check.rules]] in urlset.toml are included, and [check.levels] applies.

    json is an array of {rule, code, level, message, is_default, profiles, is_live, fix, why,
    fix_hint, source}.

    Exit codes: 0 listed, 2 there is no such rule.

    \b
    Examples:
      urlset rules
      urlset rules X
      urlset rules unescaped-ampersand
      urlset rules --format json
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.checker import catalogue_with, rules_named

    found_config = configuration(config, is_quiet=quiet)
    own, levels = (found_config.check.get(name) for name in ("rules", "levels"))
    with as_usage_error("check"):
        catalogue = catalogue_with(own or (), levels or {})
    with as_usage_error("RULE"):
        codes = rules_named(rule or "", catalogue)
    with Sink(None) as sink:
        if format == "json":
            from urlset.reporter.rule_page import rule_json

            found_rules = [rule_json(catalogue[code]) for code in codes]
            sink.write(f"{json.dumps(found_rules, indent=1, ensure_ascii=False)}\n")
            return
        render = line_renderer(is_stdout=True)
        width = shutil.get_terminal_size().columns if sink.is_terminal else None
        for code in codes:
            found = catalogue[code]
            lines = _page(found) if len(codes) == 1 else [_row(found, width)]
            for line in lines:
                sink.write(f"{render(line)}\n", is_markup=True)


def _row(rule: Rule, width: int | None) -> Line:
    """Return the line of a rule in the list, cut to the width of the terminal."""
    start = f"{rule.code} ", f"{rule.name:<31} ", f"{rule.level:<8}"
    prefix = "" if rule.is_default and not rule.profiles else "(off) "
    message = prefix + template_text(rule.message)
    if width is not None:
        message = message[: max(0, width - len("".join(start)))]
    return Span(start[0]), Span(start[1], "rule"), Span(start[2], rule.level), Span(message)


def _page(rule: Rule) -> Iterator[Line]:
    from urlset.reporter.rule_page import rule_page

    for line in rule_page(rule):
        yield (Span(line, "heading" if line.startswith("#") else "plain"),)

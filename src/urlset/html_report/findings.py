"""Findings of the report as HTML: what to do first, the rules by level, and the URLs of each."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from urlset.html_report.model import Example, ReportInput, RuleText
from urlset.html_report.tables import example_table
from urlset.html_report.text import breakable, code_block, safe, web_url
from urlset.model import Level

LEVELS: tuple[tuple[Level, str], ...] = (
    ("error", "Errors"),
    ("warning", "Warnings"),
    ("info", "Info"),
)

MAX_STEPS = 3
"""Rules in the list of what to do first."""

_DOCUMENT_CODES = ("N00", "N010", "N011", "N012", "L", "S", "X")
"""Starts of codes about whole sitemaps: one of them may conceal thousands of URLs."""


class Detail(NamedTuple):
    """Level of detail: examples and URLs of each rule in the HTML, and whether SQL is shown."""

    examples: int
    urls: int
    has_sql: bool


def first_steps(report: ReportInput) -> str:
    """Return the list of what to do first: what is wrong by three rules, each with its fix.

    Errors about sitemaps come first, then other errors, then warnings; of each, the most frequent.
    Empty for a report without errors and warnings.
    """
    ranked = []
    for code, levels in report.log.levels.items():
        rule = report.rules.get(code)
        if rule is None or not rule.fix_hint or not (levels["error"] or levels["warning"]):
            continue
        is_entry = not code.startswith(_DOCUMENT_CODES)
        ranked.append((levels["error"] == 0, is_entry, -levels.total(), code, rule))
    items = [
        f'<li><a href="#rule-{escape(code)}">{_what_is_wrong(report, rule, -count)}</a> '
        f"<span>{escape(safe(rule.fix_hint, 300))}.</span></li>"
        for *_, count, code, rule in sorted(ranked, key=lambda item: item[:4])[:MAX_STEPS]
    ]
    if not items:
        return ""
    return f'<div class="first"><h2>What to do first</h2><ol>{"".join(items)}</ol></div>'


def _what_is_wrong(report: ReportInput, rule: RuleText, count: int) -> str:
    """Return the finding if there is one; else the title of the rule and the number."""
    examples = report.log.examples.get(rule.code, [])
    if count == 1 and examples:
        return breakable(_message(rule, examples[0]), 160)
    return f"{escape(safe(rule.title, 200))}: {count:,}"


def _message(rule: RuleText, example: Example) -> str:
    """Return the message of an example, after its URL if messages of the rule do not name it."""
    named = example.url if web_url(example.url) else example.place
    return example.message if rule.names_url or not named else f"{named}: {example.message}"


def are_findings_first(report: ReportInput) -> bool:
    """Return whether the findings come before the charts: there is an error or a warning."""
    levels = report.log.levels.values()
    return report.kind != "diff" and any(each["error"] or each["warning"] for each in levels)


def findings_section(report: ReportInput, detail: Detail) -> Iterator[str]:
    """Yield the HTML of the findings, by level and by rule."""
    yield '<section id="findings" aria-labelledby="findings-title">'
    yield f'<h2 id="findings-title">{"Changes" if report.kind == "diff" else "Findings"}</h2>'
    by_level: dict[Level, list[tuple[bool, int, str]]] = {level: [] for level, _ in LEVELS}
    for code, levels in report.log.levels.items():
        worst = next(level for level, _ in LEVELS if levels[level])
        is_entry = not code.startswith(_DOCUMENT_CODES)
        by_level[worst].append((is_entry, -levels.total(), code))
    if not any(by_level.values()):
        yield '<p class="lead">None.</p>'
    for level, name in LEVELS:
        if not by_level[level]:
            continue
        total = -sum(count for _, count, _ in by_level[level])
        yield f'<h3 class="level">{name} <span class="count">{total:,}</span></h3>'
        for _, count, code in sorted(by_level[level]):
            yield _rule(report, code, -count, level, detail)
    yield "</section>"


def _rule(report: ReportInput, code: str, count: int, level: Level, detail: Detail) -> str:
    rule = report.rules.get(code) or RuleText(code, code, level, code, "", "", "", None)
    examples = report.log.examples.get(code, [])
    parts = [f"<p>{escape(safe(rule.why, 2_000))}</p>"] if rule.why else []
    if rule.fix_hint:
        hint = f"{safe(rule.fix_hint, 1_000)}."
        parts.append(f'<p class="fix"><b>How to fix</b> {escape(hint)}</p>')
    if bases := report.log.bases.get(code):
        text = ", ".join(f"{number:,} {basis}" for basis, number in bases.most_common())
        parts.append(f'<p class="basis"><b>Basis</b> {escape(text)}</p>')
    parts.append(example_table(code, examples, detail.examples, count))
    parts.append(_url_list(report, code, count, detail))
    if rule.sql and detail.has_sql:
        parts.append(sql_block("SQL of this rule", rule.sql))
    else:
        parts.append(f'<p class="basis">Details: <code>urlset rules {escape(code)}</code></p>')
    if rule.source:
        parts.append(f'<p class="basis">Source: {_source(rule.source)}</p>')
    such = ""
    if examples and detail.examples:
        such = f'<span class="such">{breakable(_message(rule, examples[0]), 200)}</span>'
    return (
        f'<details class="rule {level}" id="rule-{escape(code)}"><summary>'
        f'<span class="chip">{level}</span>'
        f"<h4>{escape(safe(rule.title, 200))}</h4>"
        f'<span class="count">{count:,}</span>{such}'
        f'<span class="code">{escape(code)} {escape(rule.name)}</span>'
        f"</summary>{''.join(parts)}</details>"
    )


def _url_list(report: ReportInput, code: str, count: int, detail: Detail) -> str:
    """Return the list of all URLs of a rule, one a line, to copy and to print."""
    urls = report.log.urls.get(code, {})
    if len(urls) < 2:
        return ""
    shown = [safe(url, MAX_COPIED) for url in [*urls][: detail.urls]]
    name = f"All {len(urls):,} URLs as a list"
    rest = ""
    if report.log.recorded[code] < count or len(urls) >= report.log.max_urls:
        name = f"The first {len(urls):,} URLs as a list"
        how = "the SQL of this rule returns all of them, " if detail.has_sql else ""
        rest = f'<p class="more">{count:,} findings in total: {how}see About.</p>'
    cut = ""
    if len(shown) < len(urls):
        cut = f'<p class="more cut">The first {len(shown):,}; all of them with scripts.</p>'
    # On paper, the table of examples suffices for a short list; a long one is printed if opened.
    size = "short" if len(urls) <= detail.examples else "long" if len(urls) > MAX_PRINTED else ""
    kind = f"all {size}".strip()
    if size == "long":
        name += ", printed if open"
    return (
        f'<details class="{kind}"><summary>{name}</summary>'
        f'<pre tabindex="0" data-urls="{escape(code)}">{escape(chr(10).join(shown))}</pre>'
        f"{cut}{rest}</details>"
    )


MAX_PRINTED = 500
"""URLs of a list that is printed also when it is closed."""

MAX_COPIED = 2_048
"""Characters of a URL in the list; the protocol allows no more."""


def sql_block(name: str, sql: str) -> str:
    """Return a query as HTML, closed."""
    return f'<details class="sql"><summary>{name}</summary>{code_block(sql)}</details>'


def _source(source: str) -> str:
    url = web_url(source)
    text = escape(safe(source))
    return f'<a class="ref" href="{escape(url)}" rel="noreferrer">{text}</a>' if url else text

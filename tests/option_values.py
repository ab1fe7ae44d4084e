"""Values of options, for tests that use each option of the command and each parameter of Python.

A switch, a choice and a number need none: :func:`text_of` derives it from the declaration.
"""

from __future__ import annotations

from urlset.option_schema import Option

PLACE = "{place}"
"""Stands for the address of a site that is served, ``{command}`` for the name of the command."""

VALUES: dict[str, str] = {
    "--auth-file": "auth",
    "--base-url": "https://example.com/",
    "--baseline": "{command}.json",
    "--color": "always",
    "--concurrency": "2",
    "--config": "urlset.toml",
    "--confirm-after": "0",
    "--delay": "0",
    "--exclude": "/b",
    "--extend-select": "L",
    "--header": "X-Test: 1",
    "--ignore": "L",
    "--include": "/a",
    "--max-examples": "1",
    "--max-minutes": "1",
    "--max-requests": "5",
    "--profile": "bing",
    "--recheck-sitemaps": "2",
    "--report": "report.html",
    "--rule-timeout": "9",
    "--select": "L",
    "--store": "store.duckdb",
    "--timeout": "9",
    "--user-agent": "tester/1.0",
    "--why": "{place}/a",
    "--write-baseline": "new.json",
}
"""Values of options, in every command that has them."""

VALUES_IN: dict[tuple[str, str], str] = {
    ("crawl", "--max-depth"): "2",
    ("crawl", "--max-pages"): "2",
    ("audit", "--indexnow-key"): "0123456789abcdef",
    ("audit", "--output"): "found.txt",
    ("audit", "--sample"): "2",
    ("diff", "--max-added"): "50%",
    ("diff", "--max-changed"): "3",
    ("diff", "--max-removed"): "3",
    ("diff", "--min-confidence"): "0.5",
    ("diff", "--output"): "diff.txt",
    ("watch", "--webhook"): "{place}/hook",
    ("submit", "--endpoint"): "{place}/indexnow",
    ("submit", "--max-wait"): "1",
    ("submit", "--preflight-pages"): "1",
    ("sync", "--batch-size"): "2",
    ("sync", "--max-removed-share"): "0.5",
    ("sync", "--output"): "pages",
    ("sync", "--recheck-pages"): "2",
    ("build", "--allowed-host"): "www.example.org",
    ("build", "--changes"): "new.jsonl",
    ("build", "--exclude-by-robots"): "robots.txt",
    ("build", "--excluded"): "excluded.csv",
    ("build", "--filter"): "drop:/b",
    ("build", "--force"): "shrunk",
    ("build", "--git-path"): "pages/{path}.md",
    ("build", "--git-root"): ".",
    ("build", "--grace"): "7d",
    ("build", "--index"): "always",
    ("build", "--keep-parameter"): "id",
    ("build", "--lastmod"): "given",
    ("build", "--ledger"): "other.duckdb",
    ("build", "--map"): "lastmod=changed",
    ("build", "--max-bytes"): "10000",
    ("build", "--max-urls"): "2",
    ("build", "--min-hits"): "1",
    ("build", "--min-share"): "0.5",
    ("build", "--max-removed"): "100%",
    ("build", "--name"): "pages",
    ("build", "--name-pattern"): "pages-{number}.xml",
    ("build", "--output"): "elsewhere",
    ("build", "--rewrite"): "/a=>/c",
    ("build", "--robots"): "robots.txt",
    ("build", "--section"): "a=/a",
    ("build", "--stylesheet"): "sitemap.css",
    ("build", "--why"): "https://example.com/a",
    ("build", "--with"): "images",
}
"""Values of options, in one command."""

NUMBER, SECONDS = 100, 1
"""Values of numbers that have none above, within their limits."""


def text_of(verb: str, option: Option) -> str | None:
    """Return a valid value of an option, as a text of the command line; None if there is none."""
    flag = option.flags[0]
    text = VALUES_IN.get((verb, flag)) or VALUES.get(flag)
    return _derived(option) if text is None else text


def _derived(option: Option) -> str | None:
    if option.choices:
        return str(option.choices[-1])
    if option.type not in (int, float):
        return None
    usual: float = SECONDS if option.unit == "seconds" else NUMBER
    most = usual if option.maximum is None else min(option.maximum, usual)
    return str(option.type(max(option.minimum or 0, most)))

"""The command ``urlset check``: report problems in sitemaps, and fix them."""

from __future__ import annotations

from typing import Any


def check(**options: Any) -> None:
    """Check sitemaps: report each problem, where it is and how to fix it.

    Checks what `urlset read` reads: sites, files, folders, indexes with their children. A document
    that cannot be read is a finding, too. Exit codes: 0 no errors, 1 findings of --fail-level or
    worse, 2 nothing could be read.

    `urlset rules` lists the rules; [[check.rules]] of urlset.toml declares rules of your own.

    json is an object: findings, each with rule, code, level, message, source, line, column, loc,
    fix and basis; their numbers; is_complete, and incomplete with what could not be read. With
    --base-url, a folder or a file is checked as if it were published there; the robots.txt next to
    it is used.

    \b
    Examples:
      urlset check https://example.com
      urlset check public/ --base-url https://example.com/
      urlset check sitemap.xml --ignore T003,utf8-bom --fail-level warning
      urlset check sitemap.xml --select X --format json
      urlset check sitemap.xml --diff
      urlset check public/ --fix
      urlset check public/ --statistics
      urlset check https://example.com --report report.html
      urlset check public/ --write-baseline known.json
      urlset check public/ --baseline known.json --format github
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.store import open_ahead

    open_ahead()  # in another thread, while the rules are imported
    from urlset.cli.check_report import run_check

    run_check(**options)

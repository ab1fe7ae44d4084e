"""Fix the Sitemap lines of a robots.txt (rules R)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from urlset.engine import get
from urlset.fixer.fix_document import Dropped, FixedText
from urlset.fixer.options import FixOptions
from urlset.fixer.registry import ROBOTS_RULES
from urlset.formats.encoding import decode
from urlset.robots import read_robots

_LINES = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
_LINE_RULES = ("R002", "R003")


def fix_robots(data: bytes, url: str, options: FixOptions, addresses: Sequence[str]) -> FixedText:
    """Fix the lines that declare sitemaps; other lines are unchanged.

    The declared sitemaps must be the same before and after; otherwise nothing is changed. If there
    are none, those of ``addresses`` are declared.
    """
    before = read_robots(data, url)
    codes = {problem.code for problem in before.problems}
    missing = () if before.sitemaps else addresses
    fixable = ROBOTS_RULES & {*codes, "R001", "R004"}
    allowed = {code for code in fixable if options.allows(code, url)}
    fixed: Counter[str] = Counter()
    dropped: list[Dropped] = []
    if "R006" in codes or not allowed or "R007" in codes - allowed:
        return FixedText(data, fixed, dropped, {})
    decoded = decode(data, None, get(options.engine).is_utf8)
    if b"\0" in decoded.text or any(mark.code == "X010" for mark in decoded.diagnostics):
        return FixedText(data, fixed, dropped, {})
    text = decoded.text.decode(errors="replace")
    if "R007" in allowed:
        text = text.removeprefix("\ufeff")
        fixed["R007"] += 1
    wrong_lines = {p.line: p.code for p in before.problems if p.code in allowed & set(_LINE_RULES)}
    lines = list(_rewrite_lines(text, url, wrong_lines, fixed))
    if "R004" in allowed:
        lines = list(_remove_repeated(lines, url, fixed, dropped))
    added = missing if "R001" in allowed else ()
    if added:
        fixed["R001"] += 1
    after = "".join(_add_sitemaps(lines, added)).encode()
    declared = {*added, *(line.url for line in before.sitemaps)}
    is_same = {line.url for line in read_robots(after, url).sitemaps} == declared
    result = FixedText(after, fixed, dropped, {})
    return result if is_same and fixed else FixedText(data, Counter(), [], {})


def _add_sitemaps(lines: list[str], addresses: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a robots.txt, then a Sitemap line for each missing address."""
    yield from lines
    text = "".join(lines)
    if addresses and text and not text.endswith(("\n", "\r")):
        yield "\n"
    yield from (f"Sitemap: {address}\n" for address in addresses)


def _rewrite_lines(
    text: str, url: str, wrong_lines: dict[int, str], fixed: Counter[str]
) -> Iterator[str]:
    """Yield the lines of a robots.txt, with corrected lines in place of those with a problem."""
    for number, found in enumerate(_LINES.finditer(text), 1):
        declared = read_robots(found[1].encode(), url).sitemaps if number in wrong_lines else ()
        if not declared:
            yield found[0]
            continue
        fixed[wrong_lines[number]] += 1
        end = found[2] or "\n"
        yield from (f"Sitemap: {line.url}{end}" for line in declared)


def _remove_repeated(
    lines: list[str], url: str, fixed: Counter[str], dropped: list[Dropped]
) -> Iterator[str]:
    """Yield the lines of a robots.txt without repeated declarations of a sitemap."""
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        declared = {found.url for found in read_robots(line.encode(), url).sitemaps}
        if declared and declared <= seen:
            fixed["R004"] += 1
            dropped.append(Dropped("R004", url, number, line.strip()))
        else:
            yield line
        seen |= declared

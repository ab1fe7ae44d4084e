"""R: the Sitemap lines of a robots.txt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urlset.engine import get
from urlset.engine.decoding import decode
from urlset.fixer.fix_document import Dropped
from urlset.fixer.options import FixOptions
from urlset.fixer.registry import ELSEWHERE
from urlset.robots import read_robots

__all__ = ["MendedRobots", "mend_robots"]

_LINES = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
_LINE_RULES = ("R002", "R003")


class MendedRobots(NamedTuple):
    """A robots.txt after its fixes."""

    data: bytes
    fixed: Counter[str]
    dropped: list[Dropped]


def mend_robots(
    data: bytes, url: str, wishes: FixOptions, addresses: Sequence[str]
) -> MendedRobots:
    """Mend the lines that declare sitemaps; other lines stay as they are.

    Where it declares none, it is to declare ``addresses``. Else what it declares is compared
    before and after; where that differs, nothing is changed.
    """
    before = read_robots(data, url)
    codes = {problem.code for problem in before.problems}
    missing = () if before.sitemaps else addresses
    asked = {
        code for code in (*codes, "R001", "R004") if code in ELSEWHERE and wishes.allows(code, url)
    }
    fixed: Counter[str] = Counter()
    dropped: list[Dropped] = []
    if "R006" in codes or not asked:
        return MendedRobots(data, fixed, dropped)
    if "R007" in codes and "R007" not in asked:
        return MendedRobots(data, fixed, dropped)
    decoded = decode(data, None, get(wishes.engine).is_utf8)
    if b"\0" in decoded.text or any(mark.code == "X010" for mark in decoded.diagnostics):
        return MendedRobots(data, fixed, dropped)
    text = decoded.text.decode(errors="replace")
    if "R007" in asked:
        text = text.removeprefix("\ufeff")
        fixed["R007"] += 1
    bad = {p.line: p.code for p in before.problems if p.code in asked & set(_LINE_RULES)}
    lines = list(_rewritten(text, url, bad, fixed))
    if "R004" in asked:
        lines = list(_once(lines, url, fixed, dropped))
    added = missing if "R001" in asked else ()
    if added:
        fixed["R001"] += 1
    after = "".join(_with(lines, added)).encode()
    declared = {*added, *(line.url for line in before.sitemaps)}
    is_same = {line.url for line in read_robots(after, url).sitemaps} == declared
    done = MendedRobots(after, fixed, dropped)
    return done if is_same and fixed else MendedRobots(data, Counter(), [])


def _with(lines: list[str], addresses: Sequence[str]) -> Iterator[str]:
    """The lines, and behind them those that declare sitemaps."""
    yield from lines
    text = "".join(lines)
    if addresses and text and not text.endswith(("\n", "\r")):
        yield "\n"
    yield from (f"Sitemap: {address}\n" for address in addresses)


def _rewritten(text: str, url: str, bad: dict[int, str], fixed: Counter[str]) -> Iterator[str]:
    """The lines, those that are bad written as they should be."""
    for number, found in enumerate(_LINES.finditer(text), 1):
        declared = read_robots(found[1].encode(), url).sitemaps if number in bad else ()
        if not declared:
            yield found[0]
            continue
        fixed[bad[number]] += 1
        end = found[2] or "\n"
        yield from (f"Sitemap: {line.url}{end}" for line in declared)


def _once(lines: list[str], url: str, fixed: Counter[str], dropped: list[Dropped]) -> Iterator[str]:
    """The lines without those that declare again what is declared."""
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        declared = {found.url for found in read_robots(line.encode(), url).sitemaps}
        if declared and declared <= seen:
            fixed["R004"] += 1
            dropped.append(Dropped("R004", url, number, line.strip()))
        else:
            yield line
        seen |= declared

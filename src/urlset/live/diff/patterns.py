"""Learn renamed folders from pairs of folders with moved URLs; predict and summarize moves."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urlset.dates import YEAR
from urlset.live.diff.rows import MovePattern

_YEAR = re.compile(YEAR)

MIN_URLS = 2
"""Moved URLs from which a pattern is reported."""


class FolderPair(NamedTuple):
    """Folders of moved URLs before and after, with the number of URLs that moved between them."""

    before: str
    after: str
    urls: int


class Renaming(NamedTuple):
    """Start of URLs before and after a renaming, up to the last folder that differs."""

    before: str
    after: str


def shortened(before: str, after: str) -> Renaming:
    """Return the renaming between two folders, without their equal last folders.

    >>> shortened("https://example.com/v1/api/http/", "https://example.com/v2/api/http/")
    Renaming(before='https://example.com/v1/', after='https://example.com/v2/')
    """
    first, second = before.split("/")[:-1], after.split("/")[:-1]
    while len(first) > 3 and len(second) > 3 and first[-1] == second[-1]:
        first.pop()
        second.pop()
    return Renaming("/".join(first) + "/", "/".join(second) + "/")


class Renamings:
    """Renamings of folders, learned from pairs of folders.

    >>> found = Renamings([FolderPair("https://e.com/blog/2025/", "https://e.com/articles/", 9)])
    >>> found.targets("https://e.com/blog/2026/x/")
    {'https://e.com/articles/x/': 9}
    """

    def __init__(self, pairs: Iterable[FolderPair]):
        found: Counter[Renaming] = Counter()
        for pair in pairs:
            if pair.before != pair.after:
                found[shortened(pair.before, pair.after)] += pair.urls
        self._rules: dict[str, Counter[str]] = defaultdict(Counter)
        self._support: Counter[Renaming] = Counter()
        self._total: Counter[str] = Counter()
        for (before, after), urls in found.items():
            self._support[Renaming(_general(before), _general(after))] += urls
            self._total[_general(before)] += urls
            self._rules[before][after] += urls
            general = _general(before)
            if general != before and _general(after) == after:
                self._rules[general][after] += urls

    def targets(self, folder: str) -> dict[str, int]:
        """Return likely new names of a folder, each with the number of URLs as evidence."""
        found: dict[str, int] = {}
        for prefix in _prefixes(folder):
            for known in dict.fromkeys((prefix, _general(prefix))):
                for after, urls in self._rules.get(known, {}).items():
                    target = after + folder[len(prefix) :]
                    if target != folder:
                        found[target] = max(urls, found.get(target, 0))
        return found

    def support(self, before: str, after: str) -> int:
        """Return the number of URLs that moved by the same renaming as between these folders."""
        renaming = shortened(before, after)
        return self._support[Renaming(_general(renaming.before), _general(renaming.after))]

    def total(self, before: str, after: str) -> int:
        """Return the number of URLs that moved out of the renamed part of the first folder."""
        return self._total[_general(shortened(before, after).before)]


def move_patterns(pairs: Iterable[FolderPair]) -> list[MovePattern]:
    """Return patterns of moves, the most frequent first; numbers of dates become ``YYYY``.

    >>> move_patterns([FolderPair("https://e.com/b/2024/", "https://e.com/a/", 3),
    ...                FolderPair("https://e.com/b/2025/", "https://e.com/a/", 2)])
    [MovePattern(before='/b/YYYY/', after='/a/', urls=5)]
    """
    counts: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        if pair.before == pair.after:
            continue
        before, after = shortened(pair.before, pair.after)
        counts[_shown(_general(before), _general(after))] += pair.urls
    return [
        MovePattern(before, after, urls)
        for (before, after), urls in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if urls >= MIN_URLS
    ]


def _shown(before: str, after: str) -> tuple[str, str]:
    """Remove scheme and host from two URL prefixes, if they are equal."""
    hosts = ["/".join(text.split("/")[:3]) for text in (before, after)]
    if hosts[0] != hosts[1]:
        return before, after
    return before[len(hosts[0]) :], after[len(hosts[1]) :]


def _general(folder: str) -> str:
    """Replace the numbers in a folder by placeholders.

    >>> _general("https://example.com/2026/02/n/12345/")
    'https://example.com/YYYY/NN/n/N/'
    """
    if not any(character.isdigit() for character in folder):
        return folder
    head, segments = folder.split("/")[:3], folder.split("/")[3:]
    return "/".join([*head, *map(_placeholder, segments)])


def _placeholder(segment: str) -> str:
    if not segment.isdigit():
        return segment
    if _YEAR.fullmatch(segment):
        return "YYYY"
    return "NN" if len(segment) <= 2 else "N"


def _prefixes(folder: str) -> Iterator[str]:
    """Yield the folder and the folders above it, up to the root of the host."""
    parts = folder.split("/")[:-1]
    for length in range(len(parts), 2, -1):
        yield "/".join(parts[:length]) + "/"

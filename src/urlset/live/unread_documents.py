"""Count documents that could not be read in words: sitemaps apart from robots.txt files."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.reader.documents import DocumentRecord
from urlset.terminal_text import pluralize

IS_ROBOTS_SQL = "(how = 'robots' AND source LIKE '%/robots.txt')"
"""Condition for the rows of robots.txt files that could not be read in the table documents."""


def unread_text(sitemaps: int, robots: int) -> str:
    """Return the numbers of unread documents in words; empty if there are none.

    >>> unread_text(2, 1)
    '2 sitemaps and robots.txt'
    """
    parts = [pluralize(sitemaps, "sitemap")] * bool(sitemaps)
    if robots:
        parts.append("robots.txt" if robots == 1 else f"{robots:,} robots.txt files")
    return " and ".join(parts)


def unread_text_of(records: Iterable[DocumentRecord]) -> str:
    """Return the numbers of the records with an error in words; empty if there are none."""
    failed = [record for record in records if record.error is not None]
    robots = sum(
        record.how == "robots" and (record.source or "").endswith("/robots.txt")
        for record in failed
    )
    return unread_text(len(failed) - robots, robots)

"""Sections of a site in charts: their SQL, and how they are named."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.html_report.charts import Block
from urlset.store import branches_sql, section_sql

MAX_SECTIONS = 12
"""Sections that a chart shows; the others are shown as one."""

BRANCHES = f"branches AS ({branches_sql('SELECT url_path(loc) AS path FROM entries')})"
"""Common table expression with the folders that are divided into sections."""

SECTION = section_sql("url_path({0})", "(SELECT folders FROM branches)")
"""Section of a URL; needs :data:`BRANCHES`."""


def sum_of(label: str, blocks: Sequence[Block]) -> Block:
    """Return a block with the size and the faults of several."""
    return Block(label, sum(b.size for b in blocks), sum(b.faults for b in blocks))


def with_rest(blocks: Sequence[Block], noun: str) -> list[Block]:
    """Return at most :data:`MAX_SECTIONS` blocks, the last one for all others.

    >>> [block.label for block in with_rest([Block("/a/", 2, 0)] * 20, "other sections")][-2:]
    ['/a/', '9 other sections']
    """
    if len(blocks) <= MAX_SECTIONS:
        return list(blocks)
    others = blocks[MAX_SECTIONS - 1 :]
    return [*blocks[: MAX_SECTIONS - 1], sum_of(f"{len(others):,} {noun}", others)]


def section_label(section: str | None) -> str:
    """Format a section as a path.

    >>> section_label("shop"), section_label("/"), section_label(None)
    ('/shop/', '/', '/')
    """
    name = (section or "/").strip("/")
    return f"/{name}/" if name else "/"

"""Sections of a site in charts: their SQL, and how they are named."""

from __future__ import annotations

from urlset.store import branches_sql, section_sql

MAX_SECTIONS = 12
"""Sections that a chart shows; the others are shown as one."""

BRANCHES = f"branches AS ({branches_sql('SELECT url_path(loc) AS path FROM entries')})"
"""Common table expression with the folders that are divided into sections."""

SECTION = section_sql("url_path({0})", "(SELECT folders FROM branches)")
"""Section of a URL; needs :data:`BRANCHES`."""


def section_label(section: str | None) -> str:
    """Format a section as a path.

    >>> section_label("shop"), section_label("/"), section_label(None)
    ('/shop/', '/', '/')
    """
    name = (section or "/").strip("/")
    return f"/{name}/" if name else "/"

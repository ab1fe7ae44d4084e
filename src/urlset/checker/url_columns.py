"""What views are made of: a loc in its parts, each worked out once, and the plain ones told."""

from __future__ import annotations

from urlset.checker.plain_url_regex import PLAIN_LOC

__all__ = ["ASKING", "ENTRY", "FROM_ENTRIES", "IS_PLAIN", "LOCS", "OUTSIDE", "split_url_sql"]

IS_PLAIN = f"regexp_full_match(loc, '{PLAIN_LOC}')"
LOCS = """(SELECT document, "offset", line, loc FROM entries
    UNION ALL SELECT document, "offset", line, loc FROM sitemaps)"""
ASKING = f"""(FROM {LOCS}
    WHERE contains(loc, '?') OR contains(loc, ';') OR contains(loc, '('))"""
OUTSIDE = """(
    SELECT e.document, e."offset", e.line, e.loc, s.kind, s.url AS sitemap,
        s.host AS sitemap_host, s.origin AS sitemap_origin, s.folder AS sitemap_folder
    FROM entries e JOIN sound s ON s.document = e.document
    WHERE NOT starts_with(e.loc, s.origin || s.folder))"""


def split_url_sql(table: str) -> str:
    """The rows of a table with the parts of their loc; each part is worked out once."""
    return rf"""
        SELECT *, ascii_host(lower(CASE WHEN contains(authority, '@') OR contains(authority, '[')
                THEN regexp_extract(authority, '^(?:.*@)?(\[[^\]]*\]|[^:]*)', 1)
                ELSE split_part(authority, ':', 1) END)) AS host,
            CASE WHEN contains(authority, ':')
                THEN regexp_extract(authority, ':([0-9]+)$', 1) ELSE '' END AS port,
            coalesce(nullif(split_part(front, '?', 1), ''), '/') AS path,
            CASE WHEN contains(front, '?')
                THEN substr(front, instr(front, '?') + 1) ELSE '' END AS query,
            CASE WHEN contains(rest, '#')
                THEN regexp_extract(rest, '#(.*)$', 1) ELSE '' END AS fragment
        FROM (SELECT *, CASE WHEN contains(rest, '#')
                THEN split_part(rest, '#', 1) ELSE rest END AS front
            FROM (SELECT *, substr(tail, length(authority) + 1) AS rest
            FROM (SELECT *, lower(split_part(loc, ':', 1)) AS scheme,
                    split_part(split_part(split_part(loc, '/', 3), '?', 1), '#', 1) AS authority,
                    substr(loc, length(split_part(loc, '/', 1)) + 3) AS tail
                FROM {table})))"""


ENTRY = 'e.document, e.entry, e."offset", e.line, e.loc'
FROM_ENTRIES = "FROM entries e JOIN sound s ON s.document = e.document"

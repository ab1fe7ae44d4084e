"""SQL fragments for URLs: parts of a URL as columns, test for correct spelling."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, digits

__all__ = [
    "ALL_LOCS",
    "ENTRY_COLUMNS",
    "FROM_ENTRIES",
    "IS_PLAIN",
    "OUTSIDE_CANDIDATES",
    "PARAMETERIZED",
    "PLAIN_LOC",
    "not_words",
    "split_url_sql",
]


def not_words(words: Sequence[str], first: str, more: str, *, also_longer: bool = False) -> str:
    """Return a regular expression that matches all names except these words.

    RE2 has no lookahead, so the expression enumerates how a name can differ from each word.

    Args:
        words: The excluded words.
        first: Characters that a name begins with.
        more: Characters that follow.
        also_longer: Whether names that begin with one of the words are excluded as well.

    >>> not_words(["no"], "no", "no")
    '(?:[o][no]*|n(?:(?:[n][no]*|o[no]+))?)'
    """
    heads = sorted({word[0] for word in words})
    branches = [f"[{''.join(char for char in first if char not in heads)}][{more}]*"]
    for head in heads:
        tails = [word[1:] for word in words if word[0] == head]
        rest = [tail for tail in tails if tail]
        following = not_words(rest, more, more, also_longer=also_longer) if rest else f"[{more}]+"
        if len(rest) == len(tails):
            branches.append(f"{head}(?:{following})?")
        elif not also_longer:
            branches.append(head + following)
    return f"(?:{'|'.join(branches)})"


_NOT_PUBLIC = (
    "localhost localdomain local internal intranet private lan home corp arpa test example invalid"
).split()
_UNFILLED = "undefined null NaN __".split()
_IN_HOST, _IN_NAME = f"{ascii_lowercase}{digits}-", f"{ascii_letters}{digits}_~-"
_HOST = rf"(?:[{_IN_HOST}]+\.)+{not_words(_NOT_PUBLIC, ascii_lowercase, _IN_HOST)}"
_NAME = not_words(_UNFILLED, _IN_NAME, _IN_NAME, also_longer=True)

PLAIN_LOC = (
    rf"https?://{_HOST}/(?:{_NAME}/)*(?:{_NAME}(?:\.html?|\.php|\.aspx?)?)?"
    rf"(?:\?[\w&~-]*(?:={_NAME}?(?:&[\w&~-]*)?)*)?"
)
"""Regular expression of plain locs, which no rule about spelling reports: most of all locs.

A plain loc is http(s), has a public host in lower case, and has nothing after it that must be
percent-encoded or looks like an unfilled template. It is one expression, because each test costs
as much as reading all locs.
"""

IS_PLAIN = f"regexp_full_match(loc, '{PLAIN_LOC}')"
"""Condition: ``loc`` is plain."""

ALL_LOCS = """(SELECT document, "offset", line, loc FROM entries
    UNION ALL SELECT document, "offset", line, loc FROM sitemaps)"""
"""Rows of all locs, of pages and of children of indexes."""

PARAMETERIZED = f"""(FROM {ALL_LOCS}
    WHERE contains(loc, '?') OR contains(loc, ';') OR contains(loc, '('))"""
"""Rows of locs that have parameters."""

OUTSIDE_CANDIDATES = """(
    SELECT e.document, e."offset", e.line, e.loc, s.kind, s.url AS sitemap,
        s.host AS sitemap_host, s.origin AS sitemap_origin, s.folder AS sitemap_folder
    FROM entries e JOIN readable s ON s.document = e.document
    WHERE NOT starts_with(e.loc, s.origin || s.folder))"""
"""Rows of entries whose loc does not begin with the folder of their sitemap."""

ENTRY_COLUMNS = 'e.document, e.entry, e."offset", e.line, e.loc'
FROM_ENTRIES = "FROM entries e JOIN readable s ON s.document = e.document"


def split_url_sql(table: str) -> str:
    """Return a query of the rows of a table with the parts of their loc, each computed once."""
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

"""Rules about all hreflang links of one page (group H)."""

from __future__ import annotations

from urlset.checker.rule import rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/specialty/international/localized-versions"


def _page(*links: str) -> str:
    """A page with links, each ``hreflang URL``."""
    found = "\n".join(
        '  <xhtml:link rel="alternate" hreflang="{}" href="{}"/>'.format(*link.split())
        for link in links
    )
    return (
        "<url><loc>https://example.com/en</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        f"{found}</url>"
    )


_SELF, _GERMAN = "en https://example.com/en", "de https://example.org/de"


def _links(condition: str) -> str:
    """Return a query of links; the condition uses hreflang_sets (v) and entries (e)."""
    return f"""
        SELECT e.document, e."offset", e.line, e.loc, e.entry,
            unnest(list_transform(e.alternates, lambda a: tag_of(a.hreflang))) AS tag,
            unnest(list_transform(e.alternates, lambda a: a.href)) AS href,
            unnest(v.theres) AS there, generate_subscripts(v.theres, 1) AS nth
        FROM entries e JOIN hreflang_sets v ON v.document = e.document AND v.entry = e.entry
        WHERE {condition}"""


_REGIONAL = "len(list_filter(e.alternates, lambda a: contains(a.hreflang, '-'))) > 1"

RULES = (
    rule(
        "H008 hreflang-missing-self warning",
        message="Page does not list itself among its {n} alternates",
        requires_rows="alternates",
        sql="""
            SELECT v.*, v.link_count AS n, e.loc FROM hreflang_sets v
            JOIN entries e ON e.document = v.document AND e.entry = v.entry
            -- A link without a full URL has its own finding, and may be the one to the page itself.
            WHERE NOT v.has_self AND v.url_count = v.link_count""",
        element="loc",
        why="Each version lists all versions, including itself. Without the link to itself, the "
        "language of the page is unknown.",
        fix_hint="Add a link from the page to its own URL, with its own language",
        source=_SOURCE,
        bad=_page(_GERMAN),
        good=_page(_SELF, _GERMAN),
        fix_safety="unsafe",
    ),
    rule(
        "H009 hreflang-duplicate-language error",
        message='hreflang "{v}" leads to {n} URLs, {first} and {last}{others}',
        requires_rows="alternates",
        sql=f"""
            SELECT document, "offset", line, loc, max(nth) AS nth, tag, count(DISTINCT there) AS n,
                arg_min(href, nth) AS a, arg_max(href, nth) AS b
            FROM ({_links("v.pair_count > v.tag_count")})
            WHERE there IS NOT NULL GROUP BY document, entry, "offset", line, loc, tag
            HAVING count(DISTINCT there) > 1""",
        values={
            "v": "preview(tag)",
            "first": "preview(a)",
            "last": "preview(b)",
            "others": "CASE WHEN n > 2 THEN ' among them' ELSE '' END",
        },
        element="link",
        why="A search engine can show only one of two pages for the same readers, and may ignore "
        "both.",
        fix_hint="Keep one URL for each language, or distinguish them by region",
        source=_SOURCE,
        bad=_page(_SELF, _GERMAN, "de https://example.org/at"),
        good=_page(_SELF, _GERMAN, "de-AT https://example.org/at"),
        fix_safety="unsafe",
    ),
    rule(
        "H010 hreflang-duplicate-link info",
        message='Alternate {href} is listed {n} times as "{v}"',
        requires_rows="alternates",
        sql=f"""
            SELECT document, "offset", line, loc, max(nth) AS nth, tag, count(*) AS n,
                preview(min(href)) AS href
            FROM ({_links("v.url_count > v.pair_count")})
            WHERE there IS NOT NULL GROUP BY document, entry, "offset", line, loc, tag, there
            HAVING count(*) > 1""",
        values={"v": "preview(tag)"},
        element="link",
        why="The second link has no effect. It shows that two parts of the generator write the "
        "link.",
        fix_hint="Keep one of the links",
        source=_SOURCE,
        bad=_page(_SELF, _GERMAN, _GERMAN),
        good=_page(_SELF, _GERMAN),
        fix_safety="unsafe",
    ),
    rule(
        "H011 hreflang-no-x-default info",
        message="Page has {n} languages, but no x-default for other languages",
        requires_rows="alternates",
        sql="""
            SELECT v.*, v.tag_count AS n, e.loc FROM hreflang_sets v
            JOIN entries e ON e.document = v.document AND e.entry = v.entry
            WHERE v.tag_count > 1 AND NOT v.has_default""",
        element="link",
        why="x-default names the page for readers whose language is not among the others.",
        fix_hint="Add a link with hreflang x-default",
        source=_SOURCE,
        bad=_page(_SELF, _GERMAN),
        good=_page(_SELF, _GERMAN, "x-default https://example.com/en"),
        is_default=False,
    ),
    rule(
        "H012 hreflang-no-generic info",
        message='Page has {n} regions of "{language}" ({regions}), but no "{language}" '
        "for other regions",
        requires_rows="alternates",
        sql=f"""
            SELECT * FROM (
                SELECT document, "offset", line, loc, min(nth) AS nth,
                    preview(split_part(tag, '-', 1)) AS language,
                    preview(string_agg(DISTINCT tag, ', ' ORDER BY tag)
                        FILTER (WHERE contains(tag, '-'))) AS regions,
                    count(DISTINCT tag) FILTER (WHERE contains(tag, '-')) AS n,
                    bool_or(tag = split_part(tag, '-', 1)) AS has_generic
                FROM ({_links(_REGIONAL)})
                -- Scripts and variants are not regions: zh is neither zh-Hans nor zh-Hant.
                WHERE tag <> 'x-default' AND length(split_part(tag, '-', 2)) IN (0, 2)
                GROUP BY document, entry, "offset", line, loc, split_part(tag, '-', 1)
            ) WHERE n > 1 AND NOT has_generic""",
        element="link",
        why="Readers of the language in other countries get one of the regions, or another "
        "language.",
        fix_hint="Add a link with the language alone; its URL may be one of the regional pages",
        source=_SOURCE,
        bad=_page("en-US https://example.com/en", "en-GB https://example.org/gb"),
        good=_page(
            "en-US https://example.com/en",
            "en-GB https://example.org/gb",
            "en https://example.com/en",
        ),
        is_default=False,
    ),
)

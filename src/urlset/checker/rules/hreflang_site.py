"""Rules about hreflang links between pages: mutual, complete, consistent (group H)."""

from __future__ import annotations

from urlset.checker.rule import rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/specialty/international/localized-versions"


def _page(name: str, *links: str) -> str:
    """A page of example.com with links to others, each ``hreflang=name``."""
    found = "\n".join(
        '  <xhtml:link rel="alternate" hreflang="{}" href="https://example.com/{}"/>'.format(
            *link.split("=")
        )
        for link in links
    )
    return (
        f"<url><loc>https://example.com/{name}</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        f"{found}</url>"
    )


_ALL = ("en=a", "de=b", "fr=c")
_WHOLE = "\n".join(_page(name, *_ALL) for name in "abc")

# Columns with the position of a link.
_PLACE = 'document, entry, "offset", line, loc'

RULES = (
    rule(
        "H501 hreflang-no-return-link error",
        message='Lists {other} as "{lang}", which does not list this page in return',
        requires_rows="suspect_links",
        sql=f"""
            SELECT {_PLACE}, arg_min(href, nth) AS href, arg_min(hreflang, nth) AS hreflang,
                min(nth) AS nth, CASE WHEN bool_and(tag = 'x-default')
                    THEN 'warning' ELSE 'error' END AS level
            FROM suspect_link_details WHERE is_listed AND NOT is_returned
            GROUP BY {_PLACE}, there""",
        values={"other": "preview(href)", "lang": "preview(hreflang)"},
        element="link",
        why="Any site can claim that a foreign page is a version of its own page. Search engines "
        "accept two pages as versions of each other only if each lists the other.",
        fix_hint="List all versions, with the same links, on each of them",
        source=_SOURCE,
        bad=f"{_page('a', 'en=a', 'de=b')}\n{_page('b', 'de=b')}",
        good=f"{_page('a', 'en=a', 'de=b')}\n{_page('b', 'en=a', 'de=b')}",
        needs=("set",),
    ),
    rule(
        "H502 hreflang-target-not-listed warning",
        message="Alternate {other} is in no sitemap of the set; pages that list it: {n}",
        # One finding for each URL, at the first page that lists it. Where not all sitemaps were
        # read, it may stand in one of the others. What x-default names often only redirects.
        requires_rows="suspect_links",
        sql="""
            SELECT first.*, n FROM (
                SELECT count(DISTINCT (document, entry)) AS n, unnest(arg_min(
                    {document: document, "offset": "offset", line: line, loc: loc, nth: nth,
                        href: href}, (document, entry, nth)))
                FROM suspect_link_details
                WHERE NOT is_listed AND is_covered AND tag <> 'x-default'
                    AND (SELECT count(*) FROM readable) > 1
                    AND NOT EXISTS (
                        SELECT 1 FROM sources WHERE NOT is_readable AND same_as IS NULL)
                GROUP BY there) first""",
        values={"other": "preview(href)"},
        element="link",
        why="Each version needs an entry of its own with links to all others. The URL may be "
        "written differently there, with a slash or with www.",
        fix_hint="Add an entry for the URL, or link to the URL that is listed",
        source=_SOURCE,
        bad={
            "en.xml": _page("a", *_ALL),
            "de.xml": _page("b", *_ALL),
        },
        good={
            "en.xml": _page("a", *_ALL),
            "de.xml": _page("b", *_ALL),
            "fr.xml": _page("c", *_ALL),
        },
        needs=("set",),
    ),
    rule(
        "H503 hreflang-cluster-differs warning",
        message="{other} does not list the same {size} URLs as this page, though each lists "
        "the other",
        requires_rows="suspect_links",
        sql=f"""
            SELECT {_PLACE}, any_value(size) AS size, arg_min(href, nth) AS href, min(nth) AS nth
            FROM suspect_link_details WHERE is_returned AND NOT is_alike AND is_listed
            GROUP BY {_PLACE}""",
        values={"other": "preview(href)"},
        element="link",
        why="All versions of a page must have the same links. If they differ, some versions do not "
        "know the others.",
        fix_hint="Write the same links on all versions",
        source=_SOURCE,
        bad=f"{_page('a', *_ALL)}\n{_page('b', 'en=a', 'de=b')}\n{_page('c', 'en=a', 'fr=c')}",
        good=_WHOLE,
        needs=("set",),
    ),
    rule(
        "H504 hreflang-language-conflict error",
        message='Lists {other} as "{lang}", which calls itself "{own}"',
        view="suspect_link_details",
        where="is_contradicted",
        values={
            "other": "preview(href)",
            "lang": "preview(hreflang)",
            "own": "preview(list_aggregate(own_tags, 'string_agg', '\", \"'))",
        },
        element="link",
        why="One of the two pages is wrong, and search engines cannot know which. Readers may get "
        "a page in another language.",
        fix_hint="Use the same hreflang for a URL on all pages that list it",
        source=_SOURCE,
        bad=f"{_page('a', 'en=a', 'de=b')}\n{_page('b', 'en=a', 'de-AT=b')}",
        good=f"{_page('a', 'en=a', 'de-AT=b')}\n{_page('b', 'en=a', 'de-AT=b')}",
        needs=("set",),
    ),
)

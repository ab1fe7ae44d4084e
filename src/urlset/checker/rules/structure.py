"""S: which elements stand where."""

from __future__ import annotations

from urlset.checker.examples import PAGE, whole
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_FORMAT = f"{_PROTOCOL}#xmlTagDefinitions"
_INDEX = f"{_PROTOCOL}#index"
_SCHEMA = "https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"
_ERRORS = "https://support.google.com/webmasters/answer/7451001"
_CHILD = (
    "<sitemap><loc>https://example.com/pages.xml</loc>"
    "<lastmod>2026-11-20T08:00:00Z</lastmod></sitemap>"
)
_DATE = "<lastmod>2026-11-20T08:00:00Z</lastmod>"
_GOOD_INDEX = {"sitemap.xml": _CHILD, "pages.xml": PAGE}

RULES = (
    engine_rule(
        "S001",
        why="Engines tell what a file is by its root, and read nothing of one that they do not "
        "know.",
        fix_hint="Let the root be <urlset> or <sitemapindex>",
        source=_FORMAT,
        bad="<pages><page>https://example.com/</page></pages>",
        good=PAGE,
    ),
    engine_rule(
        "S006",
        why="XML tells <URL> from <url>: most readers find no URL in such a file.",
        fix_hint="Write the tag in lower case",
        source=_FORMAT,
        bad=whole(PAGE.replace("url>", "URL>")),
        good=PAGE,
        fix_safety="safe",
    ),
    engine_rule(
        "S007",
        why="An entry without a URL lists nothing, and Search Console reports it as an error.",
        fix_hint="Add a <loc>, or remove the entry",
        source=f"{_PROTOCOL}#locdef",
        bad=f"<url>{_DATE}</url>\n{PAGE}",
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S008",
        why="An entry is one URL with one date. Some readers take the first, some the last, and "
        "some neither.",
        fix_hint="Keep one of them; a second URL needs an entry of its own",
        source=_SCHEMA,
        bad=PAGE.replace(_DATE, _DATE * 2),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S010",
        why="The sitemap namespace has no such element here, and engines report it. What a program "
        "wants to note for itself belongs in a namespace of its own.",
        fix_hint="Remove the element",
        source=_FORMAT,
        bad=PAGE.replace("</url>", "<title>Home</title></url>"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S012",
        why="The elements of the protocol have no attributes: nobody looks at them, and a check "
        "against the schema fails.",
        fix_hint="Remove the attribute",
        source=_SCHEMA,
        bad=whole(PAGE.replace("<url>", '<url id="1">')),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S014",
        why="A file is a sitemap, which lists pages, or an index, which lists sitemaps. In a file "
        "that is both, most readers take a page for a sitemap, or drop one of the two.",
        fix_hint="Make it two files: an index of sitemaps, and a sitemap",
        source=_INDEX,
        bad={"sitemap.xml": f"{PAGE}\n{_CHILD}", "pages.xml": PAGE.replace(".com/", ".com/a")},
        good=_GOOD_INDEX,
    ),
    engine_rule(
        "S015",
        why="The entries are one level too deep for many readers, which then find none. Mostly "
        "whole files were put together instead of their entries.",
        fix_hint="Remove the inner root, and keep what is in it",
        source=_FORMAT,
        bad=whole(f"<urlset>\n{PAGE}\n</urlset>"),
        good=whole(),
        fix_safety="safe",
    ),
    engine_rule(
        "S016",
        why="Most readers look for <url> and then for its <loc>; this one they do not see.",
        fix_hint="Put the <loc> in a <url>, or in a <sitemap>",
        source=_FORMAT,
        bad=whole(f"<loc>https://example.com/about</loc>\n{PAGE}"),
        good=PAGE,
        fix_safety="safe",
    ),
    rule(
        "S018 element-order info",
        message="<{name}> stands behind <{value}>, the schema has it before (entries: {times:,})",
        view="markup",
        where="fact = 'order'",
        needs=("order",),
        why="The schema has loc, lastmod, changefreq, priority and then extensions; the protocol "
        "and Google take them in any order. Only a check against the schema fails.",
        fix_hint="Nothing, unless you validate against the schema; `urlset build` writes this "
        "order",
        source=_SCHEMA,
        bad=f"<url>{_DATE}<loc>https://example.com/</loc></url>",
        good=PAGE,
        is_default=False,
        fix_safety="safe",
    ),
    engine_rule(
        "S021",
        why="Engines report a sitemap without URLs; mostly it was written before there was "
        "anything to list, or nothing was found. For a news sitemap it is nothing unusual.",
        fix_hint="List URLs, or remove the sitemap and what names it",
        source=_ERRORS,
        bad=whole(""),
        good=whole(),
    ),
    engine_rule(
        "S022",
        why="In an index only <loc> and <lastmod> count; the others are for pages.",
        fix_hint="Remove the element",
        source=_INDEX,
        bad={
            "sitemap.xml": _CHILD.replace("</sitemap>", "<priority>0.5</priority></sitemap>"),
            "pages.xml": PAGE,
        },
        good=_GOOD_INDEX,
        fix_safety="unsafe",
    ),
)

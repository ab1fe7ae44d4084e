"""Rules about the text of elements: escaping, comments, empty values (groups X and S)."""

from __future__ import annotations

from urlset.checker.examples import PAGE
from urlset.checker.rule import engine_rule

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_SCHEMA = "https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"


def _with(element: str) -> str:
    return PAGE.replace("</url>", f"{element}</url>")


RULES = (
    engine_rule(
        "X022",
        why="Readers unescape once, so &amp; remains in the URL. Usually two programs escaped it.",
        fix_hint="Escape once: &amp; instead of &amp;amp;",
        source=f"{_PROTOCOL}#escaping",
        bad=PAGE.replace(".com/", ".com/?size=1&amp;amp;color=2"),
        good=PAGE.replace(".com/", ".com/?size=1&amp;color=2"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "X023",
        why="It is well-formed, but many readers cut the value at the comment and request a wrong "
        "URL.",
        fix_hint="Move the comment out of the value",
        source="https://www.w3.org/TR/xml/#sec-comments",
        bad=PAGE.replace(".com/", ".com/<!-- home -->"),
        good=PAGE.replace("<loc>", "<!-- home --><loc>"),
        fix_safety="safe",
    ),
    engine_rule(
        "S009",
        why="An empty element has no meaning, and the schema does not allow it. Search Console "
        "reports an invalid value.",
        fix_hint="Remove the element, or add a value",
        source=_SCHEMA,
        bad="<url><loc>https://example.com/</loc><lastmod></lastmod></url>",
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S013",
        why="Text outside of elements has no meaning. If it is a URL, most readers find no URL in "
        "the entry.",
        fix_hint="Remove the text; a URL belongs in <url><loc>",
        source=_SCHEMA,
        bad=PAGE.replace("<url>", "<url>Home"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S017",
        why="A value is text. With an element inside, readers find no value or reject the file. A "
        "link usually comes from an editor of web pages.",
        fix_hint="Keep only text in the value",
        source=_SCHEMA,
        bad=PAGE.replace("https://example.com/", "<b>https://example.com/</b>"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S019",
        why="The protocol has seven values. Others are ignored, and Google and Bing ignore all of "
        "them.",
        fix_hint="Remove changefreq, or use always, hourly, daily, weekly, monthly, yearly or "
        "never",
        source=f"{_PROTOCOL}#changefreqdef",
        bad=_with("<changefreq>often</changefreq>"),
        good=PAGE,
        fix_safety="safe",
    ),
    engine_rule(
        "S020",
        why="The protocol requires a decimal number from 0.0 to 1.0, with a point. Other values "
        "are ignored, and Google and Bing ignore all of them.",
        fix_hint="Remove priority, or use a number from 0.0 to 1.0",
        source=f"{_PROTOCOL}#prioritydef",
        bad=_with("<priority>0,8</priority>"),
        good=PAGE,
        fix_safety="safe",
    ),
)

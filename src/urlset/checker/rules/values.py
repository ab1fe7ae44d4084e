"""X and S: what is wrong with the text of an element, whatever it means."""

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
        why="Readers unescape once, and what is left is another URL: with &amp; in its text. "
        "Mostly two programs have both escaped it.",
        fix_hint="Escape once: &amp; and not &amp;amp;",
        source=f"{_PROTOCOL}#escaping",
        bad=PAGE.replace(".com/", ".com/?size=1&amp;amp;color=2"),
        good=PAGE.replace(".com/", ".com/?size=1&amp;color=2"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "X023",
        why="It is well-formed, but many readers cut the value at the comment, and ask for a URL "
        "that is not there.",
        fix_hint="Move the comment out of the value",
        source="https://www.w3.org/TR/xml/#sec-comments",
        bad=PAGE.replace(".com/", ".com/<!-- home -->"),
        good=PAGE.replace("<loc>", "<!-- home --><loc>"),
        fix_safety="safe",
    ),
    engine_rule(
        "S009",
        why="An empty element says nothing, and the schema does not allow it; Search Console "
        "reports an invalid value.",
        fix_hint="Remove the element, or give it a value",
        source=_SCHEMA,
        bad="<url><loc>https://example.com/</loc><lastmod></lastmod></url>",
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S013",
        why="Text that is in no element belongs to nothing. Where it is a URL, the entry lists "
        "none for most readers.",
        fix_hint="Remove the text; a URL belongs in <url><loc>",
        source=_SCHEMA,
        bad=PAGE.replace("<url>", "<url>Home"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S017",
        why="A value is text: readers that look for it find nothing, or give up on the file. A "
        "link in it mostly comes from an editor of web pages.",
        fix_hint="Leave only text in the value",
        source=_SCHEMA,
        bad=PAGE.replace("https://example.com/", "<b>https://example.com/</b>"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "S019",
        why="The protocol has seven words; another one is ignored, as Google and Bing ignore all "
        "of them.",
        fix_hint="Leave changefreq out; or use always, hourly, daily, weekly, monthly, yearly or "
        "never",
        source=f"{_PROTOCOL}#changefreqdef",
        bad=_with("<changefreq>often</changefreq>"),
        good=PAGE,
        fix_safety="safe",
    ),
    engine_rule(
        "S020",
        why="The protocol has a decimal number from 0.0 to 1.0, with a point; another value is "
        "ignored, as Google and Bing ignore all of them.",
        fix_hint="Leave priority out; or use a number from 0.0 to 1.0",
        source=f"{_PROTOCOL}#prioritydef",
        bad=_with("<priority>0,8</priority>"),
        good=PAGE,
        fix_safety="safe",
    ),
)

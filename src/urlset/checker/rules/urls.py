"""Rules about text that is not a URL or cannot be requested (group U)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

RULES = (
    engine_rule(
        "U001",
        why="A sitemap lists full URLs. Most readers drop a path; the others resolve it in "
        "different ways.",
        fix_hint="Write the full URL with https:// and the host",
        source="https://www.sitemaps.org/protocol.html#locdef",
        bad=entry("/about"),
        good=entry("https://example.com/about"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "U002",
        why="Crawlers fetch pages over HTTP only. Entries with mailto:, javascript: or ftp: are "
        "dropped.",
        fix_hint="List the http or https URL of a page, or remove the entry",
        source="https://www.sitemaps.org/protocol.html#locdef",
        bad=entry("mailto:me@example.com") + entry("https://example.com/contact"),
        good=entry("https://example.com/contact"),
    ),
    engine_rule(
        "U003",
        why="The protocol requires fewer than 2,048 characters. Longer URLs are dropped, and "
        "servers and caches may cut them.",
        fix_hint="Shorten the URL; usually it has a query that no page needs",
        source="https://www.sitemaps.org/protocol.html#locdef",
        bad=entry(f"https://example.com/?filter={'a' * 2030}"),
        good=entry("https://example.com/filtered"),
    ),
    rule(
        "U004 loc-too-short info",
        message="URL has {n} characters, fewer than the 12 of the schema",
        view="locs",
        where="length(loc) < 12",
        values={"n": "length(loc)"},
        element="loc",
        why="The XML schema of the protocol requires at least 12 characters. The protocol itself "
        "does not, and https://t.co is a URL.",
        fix_hint="Nothing, unless you validate against the schema",
        source="https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        bad={"http://a.io/sitemap.xml": entry("http://a.io")},
        good=entry("https://example.com/"),
        is_default=False,
    ),
    engine_rule(
        "U005",
        why="White space is not part of the URL. Some readers keep it and request a page that does "
        "not exist. XML does not trim spaces that are not ASCII.",
        fix_hint="Write the URL directly between its tags",
        source="https://www.w3.org/TR/xmlschema-2/#anyURI",
        bad=entry("\n  https://example.com/about\n  "),
        good=entry("https://example.com/about"),
        fix_safety="safe",
    ),
    engine_rule(
        "U006",
        why="A URL must not contain a space. Readers cut the URL there, encode the space or drop "
        "the entry. Several URLs in one loc result in none.",
        fix_hint="Write %20 for a space in the URL, and only one URL in each entry",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-2",
        bad=entry("https://example.com/our team"),
        good=entry("https://example.com/our%20team"),
        fix_safety="safe",
    ),
    engine_rule(
        "U015",
        why="The host cannot be looked up, so the page cannot be fetched.",
        fix_hint="Correct the host name, which is usually a setting of the generator",
        source="https://www.rfc-editor.org/rfc/rfc1123#section-2.1",
        bad=entry("https://example..com/about") + entry("https://example.com/contact"),
        good=entry("https://example.com/about"),
    ),
)

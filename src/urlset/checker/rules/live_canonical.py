"""Live rules about noindex and canonical URLs of listed pages (codes N…)."""

from __future__ import annotations

from urlset.checker.examples import HOME, ExampleResponse, page, redirect, site
from urlset.checker.rule import rule

__all__ = ["RULES"]

_ROBOTS = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag"
_CANONICAL = (
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
)
_SELF = f'<link rel="canonical" href="{HOME}tea">'
_GOOD = site(tea=page("Tea", _SELF))
_TO = {"page": "preview(loc)", "target": "preview(canonical)"}


def _canonical(path: str) -> str:
    return f'<link rel="canonical" href="{HOME}{path}">'


RULES = (
    rule(
        "N105 url-noindex error",
        message="{page} forbids indexing: {directives} ({origin})",
        view="listed_pages",
        where="verdict = 'ok' AND is_noindex",
        values={
            "page": "preview(loc)",
            "directives": "preview(array_to_string(robots, ', '))",
            "origin": "coalesce(CASE robots_from WHEN 'header' THEN 'X-Robots-Tag' "
            "WHEN 'meta' THEN 'robots meta tag' ELSE 'meta tag and X-Robots-Tag' END, 'robots')",
        },
        why="The sitemap asks search engines to index the page, and the page forbids it. They obey "
        "the page.",
        fix_hint="Remove noindex from the page or from its headers, or remove the entry",
        source=_ROBOTS,
        bad=site(
            "tea",
            "cart",
            tea=page("Tea"),
            cart=page("Cart", '<meta name="robots" content="noindex">'),
        ),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N106 url-canonicalised error",
        message="{page} names {target} as its canonical URL",
        view="listed_canonicals",
        where="NOT is_scheme_only AND target_fault IS NULL AND is_chain IS NOT TRUE",
        values=_TO,
        why="The page says that another URL is the one to index. A sitemap should list only "
        "canonical URLs; contradicting signals make search engines ignore both.",
        fix_hint="List the canonical URL, or correct the canonical of the page",
        source=_CANONICAL,
        bad=site("tea", "tea-sale", tea=page("Tea"), **{"tea-sale": page("Sale", _SELF)}),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N119 canonical-chain error",
        message="{page} names {target} as its canonical URL, which leads to {last}",
        view="listed_canonicals",
        where="NOT is_scheme_only AND (target_verdict = 'redirect' OR is_chain)",
        values={
            **_TO,
            "last": "preview(CASE WHEN target_verdict = 'redirect' THEN target_url "
            "ELSE target_canonical END)",
        },
        why="A canonical URL that redirects, or that has another canonical URL itself, is a "
        "contradiction. Search engines then choose a URL themselves.",
        fix_hint="Name the last URL of the chain as canonical, and list that URL",
        source=_CANONICAL,
        bad=site(
            "tea",
            "tea-sale",
            tea=page("Tea"),
            **{"tea-sale": page("Sale", _canonical("teas")), "teas": redirect("/tea")},
        ),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N120 canonical-to-error error",
        message="{page} names {target} as its canonical URL, which {fault}",
        view="listed_canonicals",
        where="NOT is_scheme_only AND target_fault IS NOT NULL AND target_verdict <> 'redirect' "
        "AND is_chain IS NOT TRUE",
        values={**_TO, "fault": "preview(target_fault)"},
        why="The page asks search engines to index a URL that they cannot index. They may drop "
        "both.",
        fix_hint="Name a URL that can be indexed as canonical, for most pages their own",
        source=_CANONICAL,
        bad=site("tea", "tea-sale", tea=page("Tea"), **{"tea-sale": page("S", _canonical("gone"))}),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N121 several-canonicals error",
        message="{page} names {n} different canonical URLs: {urls}",
        sql="""
            SELECT *, len(named) AS n FROM (
                SELECT *, list_distinct(list_transform(
                    list_filter(canonicals, lambda c: c.origin <> 'body'),
                    lambda c: c.url)) AS named
                FROM listed_pages WHERE verdict = 'ok' AND len(canonicals) > 1)
            WHERE len(named) > 1""",
        values={
            "page": "preview(loc)",
            "urls": "preview(array_to_string(list_sort(named), ', '))",
        },
        why="If a page, or a page and its headers, name several canonical URLs, search engines "
        "ignore all of them.",
        fix_hint="Keep one canonical, the URL that the sitemap lists",
        source=_CANONICAL,
        bad=site(tea=page("Tea", f"{_SELF}\n{_canonical('teas')}"), teas=page("Teas")),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N122 canonical-in-body warning",
        message="{page} names its canonical URL in the body, where it has no effect",
        view="listed_pages",
        where="verdict = 'ok' AND len(list_filter(canonicals, lambda c: c.origin = 'body')) > 0",
        values={"page": "preview(loc)"},
        why="Search engines accept rel=canonical only in the head. An element such as div or img "
        "ends the head, so that links after it are in the body.",
        fix_hint="Move the link to the head, before any element that belongs to the body",
        source=_CANONICAL,
        bad=site(tea=ExampleResponse(f"<!DOCTYPE html><title>Tea</title><p>Tea</p>\n{_SELF}")),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N123 mixed-protocol-canonical warning",
        message="{page} names the {scheme} version of itself as its canonical URL",
        view="listed_canonicals",
        where="is_scheme_only",
        values={"page": "preview(loc)", "scheme": "scheme_of(canonical)"},
        why="The sitemap and the page disagree about http and https. Search engines see two "
        "versions of each page.",
        fix_hint="Use https in the canonical and in the sitemap",
        source=_CANONICAL,
        bad=site(tea=page("Tea", _SELF.replace("https", "http"))),
        good=_GOOD,
        needs=("live",),
    ),
)

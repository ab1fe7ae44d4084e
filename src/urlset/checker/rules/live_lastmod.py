"""Live rules about the truth of lastmod (codes N…).

The witnesses are the header Last-Modified, the date on the page, and the content of the page at the
previous audit.
"""

from __future__ import annotations

from urlset.checker.examples import HOME, Piece, entry, page
from urlset.checker.rule import rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"


def _dated(title: str, date: str) -> Piece:
    return page(title, f'<meta property="article:modified_time" content="{date}">')


def _section(date: str, lastmod: str) -> dict[str, Piece]:
    names = [f"blog/{kind}" for kind in ("black", "green", "white", "red", "yellow")]
    return _site(names, date, lastmod)


def _site(names: list[str], date: str, lastmod: str) -> dict[str, Piece]:
    listed = "".join(entry(f"{HOME}{name}", lastmod=lastmod) for name in names)
    return {"sitemap.xml": listed, **{name: _dated(name, date) for name in names}}


_NEW, _OLD = "2026-11-20T08:00:00Z", "2026-03-01T08:00:00Z"

RULES = (
    rule(
        "N110 lastmod-disagrees warning",
        message="{page}: lastmod is {listed}, {witness} says {date}",
        sql="""
            SELECT *, page_s IS NOT NULL AS is_page FROM lastmod_trials
            WHERE trial IN ('late', 'early', 'invented')
                AND abs(coalesce(page_s, header_s) - listed_s) > 86400""",
        values={
            "page": "preview(loc)",
            "listed": "preview(listed_text)",
            "witness": "if(is_page, 'the page', 'Last-Modified')",
            "date": "preview(if(is_page, page_text, last_modified))",
        },
        why="Google uses lastmod only if it is consistently and verifiably accurate, for instance "
        "by comparing it with the page.",
        fix_hint="Write the date of the last significant change of the page to lastmod",
        source=_SOURCE,
        bad=_site(["tea"], _OLD, _NEW),
        good=_site(["tea"], _NEW, _NEW),
        needs=("live",),
    ),
    rule(
        "N127 lastmod-untruthful warning",
        message="Section {section}: {truthful:,} of {dates:,} lastmod dates are truthful; "
        "{late:,} are too old, {early:,} too new, {invented:,} changed without the page",
        sql="""
            SELECT *, if(is_sampled, 'sampled', 'complete') AS basis
            FROM lastmod_sections, audit_run WHERE dates >= 5 AND truthful < dates * 0.8""",
        why="Google uses lastmod only if it is consistently and verifiably accurate. A section "
        "with many wrong dates loses the trust in the right ones, too.",
        fix_hint="Write lastmod only when the content changes, from the date of the content and "
        "not of the build",
        source=_SOURCE,
        bad=_section(_OLD, _NEW),
        good=_section(_NEW, _NEW),
        needs=("live",),
    ),
)

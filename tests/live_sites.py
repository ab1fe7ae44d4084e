"""Small live sites for tests of crawls and audits, and calls of both without pauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox

SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"


def html(title: str, *links: str, head: str = "", body: str = "") -> str:
    """Return a page with links to other pages."""
    anchors = "\n".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"{head}</head>\n<body><h1>{title}</h1>\n<p>All about {title}.</p>\n{body}\n{anchors}\n"
        "</body></html>"
    )


def put_page(box: SiteBox, path: str, *links: str, **parts: str) -> str:
    """Put a page with links into the box."""
    text = html(path.strip("/") or "Home", *links, **parts)
    return box.put(path, text, kind="text/html; charset=utf-8")


def put_site(
    box: SiteBox, pages: Mapping[str, Iterable[str]], listed: Iterable[str] | None = None
) -> None:
    """Put pages with their links into the box, and a sitemap that lists all or some of them."""
    for path, links in pages.items():
        put_page(box, path, *links)
    put_sitemap(box, pages if listed is None else listed)


def sitemap_of(urls: Iterable[str]) -> str:
    """Return a sitemap that lists URLs."""
    rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls)
    return f'<urlset xmlns="{SITEMAPS}">\n{rows}</urlset>'


def put_sitemap(box: SiteBox, listed: Iterable[str], path: str = "/sitemap.xml") -> None:
    """Put a sitemap, and robots.txt that names it."""
    box.put(path, sitemap_of(box.url(each) for each in listed))
    box.put_robots("User-agent: *", "Allow: /", f"Sitemap: {box.url(path)}")


def crawl(box: SiteBox, output: Any, **options: Any) -> Any:
    """Crawl the site in a box, quickly."""
    policy = {name: options.pop(name) for name in POLICY if name in options}
    known: dict[str, Any] = {"confirm_after_s": 0.0, "policy": quick(**policy)}
    return urlset.crawl(options.pop("start", box.site), output, **(known | options))


def audit(box: SiteBox, **options: Any) -> Any:
    """Audit the site in a box, quickly."""
    policy = {name: options.pop(name) for name in POLICY if name in options}
    known: dict[str, Any] = {
        "confirm_after_s": 0.0,
        "confirm_delay_s": 0.0,
        "policy": quick(**policy),
    }
    return urlset.audit(options.pop("start", box.site), **(known | options))


POLICY = ("concurrency", "per_host", "retries", "read_timeout_s", "total_timeout_s", "backoff_s")


def found(audit: Any, box: SiteBox | None = None) -> set[tuple[str, str]]:
    """Return the findings of an audit as pairs of a rule and a URL, or a path of the box."""
    site = box.site if box else ""
    return {(f.rule, (f.loc or f.source or "").removeprefix(site)) for f in audit.findings}

"""Source of a build: the pages that a crawl stored, or the pages of a site, which is crawled."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, ClassVar

from urlset.arrow import rows_of
from urlset.dates import format_date
from urlset.errors import SourceError
from urlset.http import without_secrets
from urlset.live.crawl.evidence import PAGE_GAPS, kind_of_reason
from urlset.live.crawl.result import Crawl
from urlset.live.crawl.runner import crawl
from urlset.model import Alternate, Image
from urlset.reader import is_url
from urlset.sources.candidates import Candidate, SourceType, in_batches

if TYPE_CHECKING:
    from urlset.http import Policy
    from urlset.sources.factory import SourceOptions

RENDERED_S = 2
"""Seconds between ``Last-Modified`` and ``Date`` below which it is the time of rendering."""

_COLUMNS = (
    "url verdict status unknown_reason final_url is_html content_type is_noindex canonical refresh "
    "images alternates fingerprint lastmod_text last_modified server_date is_listed is_linked "
    "depth duplicate_of"
).split()
# A page under several names, /tea, /tea/ and /tea/index.html: each is found, may be listed and has
# the same content. One is kept, which the build does not exclude: that of a sitemap of the site,
# else that which names itself as canonical, else one without index.html, else that which more pages
# link to, else /tea/. Hashes take the place of URLs in groups, of which a site may have millions.
_INDEX = "'/(index|default)[.](x?html?|php|aspx?|jsp)$'"
_PAGES = rf"""
WITH found AS (
    SELECT url, coalesce(is_listed, false) AS is_listed, canonical IS NOT NULL AS is_canonical,
        md5_number(concat_ws(' ', fingerprint, if(contains(url, '?'), url,
            rtrim(regexp_replace(url, {_INDEX}, '/', 'i'), '/')))) AS page
    FROM pages
    WHERE verdict = 'ok' AND is_html AND fingerprint IS NOT NULL AND NOT coalesce(is_noindex, false)
        AND coalesce(canonical, url) = url AND coalesce(refresh, url) = url
        AND (is_listed OR is_linked OR depth = 0)),
names AS (FROM found SEMI JOIN (SELECT page FROM found GROUP BY page HAVING count(*) > 1)
    USING (page)),
listed_names AS (
    SELECT page, first(n.url ORDER BY if({{excluded}}, 1, 0), n.is_listed DESC, n.is_canonical DESC,
        regexp_matches(n.url, {_INDEX}, 'i'), coalesce(f.referrer_count, 0) DESC,
        ends_with(n.url, '/') DESC, n.url) AS duplicate_of
    FROM names n LEFT JOIN frontier f USING (url) GROUP BY page),
duplicates AS (
    SELECT url, duplicate_of FROM names JOIN listed_names USING (page) WHERE url <> duplicate_of)
SELECT {", ".join(_COLUMNS)} FROM pages LEFT JOIN duplicates USING (url) ORDER BY url"""

_LISTED_TYPES = ("application/pdf",)
"""Types of documents other than HTML that are listed."""

_UNSEEN = ("links", "scripts", "size", "link-limit")
"""Kinds of reasons that are about links, not about pages that were excluded."""


class CrawledPages:
    """The pages of a crawl as candidates, with images, alternates and evidence for dates.

    Pages that are not to be listed are yielded with the reason: ``noindex``, ``canonical: URL``,
    ``redirect: URL``, ``404``, ``disallowed``, ``no page``, ``same page: URL`` for
    another name of a page with the same content, such as ``/tea/index.html`` or ``/tea`` of
    ``/tea/``, and ``not linked`` if the crawl knows all links. The name that is kept is one that
    the build does not exclude (``include``, ``exclude``, filters). A reason holds although another
    source lists the URL. A page that could not be visited is excluded, unless a sitemap of the site
    lists it: a refusal does not mean that it is gone.

    A crawl that is not complete has a failure that says so: pages may be missing.

    Args:
        path: The store; or the URL of a site, which is then crawled into a temporary store.
        policy: Limits and behaviour of the HTTP client, for a site.
        auth: Bearer token, or user and password, for a site.
        name: Its name in messages; the path by default.

    Attributes:
        excluded: SQL condition on the column ``url``: which URLs the build excludes.

    Raises:
        StoreError: The file is not a store with a crawl, or only with audits that did not crawl.

    >>> CrawledPages("site.duckdb").name
    'site.duckdb'
    """

    source_type: ClassVar[SourceType] = "crawl"

    def __init__(
        self,
        path: str,
        *,
        name: str | None = None,
        policy: Policy | None = None,
        auth: str | tuple[str, str] | None = None,
    ):
        self.name: str = name or without_secrets(path)
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.excluded: str = "false"
        self._path = path
        self._policy = policy
        self._auth = auth
        self._has_all_links = True

    def batches(self) -> Iterator[Any]:
        """Yield record batches of candidates, by URL."""
        with self._open() as found:
            self._report_gaps(found)
            rows = rows_of(found.store.query(_PAGES.format(excluded=self.excluded), timeout_s=None))
            pages = (dict(zip(_COLUMNS, row, strict=True)) for row in rows)
            yield from in_batches(map(self._candidate, pages))

    def _open(self) -> Crawl:
        if is_url(self._path):
            return crawl(self._path, policy=self._policy, auth=self._auth)
        return Crawl.open(self._path)

    def _report_gaps(self, found: Crawl) -> None:
        gaps = [reason for reason in found.incomplete if kind_of_reason(reason) in PAGE_GAPS]
        unseen = [reason for reason in found.incomplete if kind_of_reason(reason) in _UNSEEN]
        others = [reason for reason in found.incomplete if reason not in (*gaps, *unseen)]
        self._has_all_links = not unseen
        if gaps:
            self.failures.append(
                f"{self.name}: expected a complete crawl of {found.site}, found one without some "
                f"pages ({'; '.join(gaps)}); run `urlset crawl {shlex.quote(found.site)}` again"
            )
        self.notes += [f"the crawl did not visit all pages ({reason})" for reason in others]
        self.notes += [f"the crawl does not know all links ({reason})" for reason in unseen]

    def _candidate(self, page: Mapping[str, Any]) -> Candidate:
        return Candidate(
            page["url"],
            source=self.name,
            reason=_reason_against(page, has_all_links=self._has_all_links),
            images=tuple(Image(url) for url in page["images"] or ()),
            alternates=tuple(Alternate(a["hreflang"], a["href"]) for a in page["alternates"] or ()),
            fingerprint=page["fingerprint"],
            page_lastmod=page["lastmod_text"],
            header_lastmod=_header_date(page["last_modified"], page["server_date"]),
        )


def _reason_against(page: Mapping[str, Any], *, has_all_links: bool) -> str | None:
    """Return the reason to exclude a visited page from the sitemaps, or None."""
    verdict, url = page["verdict"], page["url"]
    if verdict in ("redirect", "redirect-loop"):
        return f"redirect: {page['final_url']}"
    if verdict in ("gone", "client-error"):
        return str(page["status"])
    if verdict in ("unknown", "server-error", "unreachable"):
        reason = page["unknown_reason"] or page["status"] or verdict
        return None if page["is_listed"] else f"not visited: {reason}"
    if verdict == "disallowed":
        return "disallowed"
    if verdict == "soft-404":
        return "error page"
    if page["is_noindex"]:
        return "noindex"
    if page["refresh"] not in (None, url):
        return f"redirect: {page['refresh']}"
    if page["canonical"] not in (None, url):
        return f"canonical: {page['canonical']}"
    if not page["is_html"] and not (page["content_type"] or "").startswith(_LISTED_TYPES):
        return "no page"
    is_found = page["is_listed"] or page["is_linked"] or page["depth"] == 0
    if has_all_links and not is_found:
        return "not linked"  # a page of an earlier crawl
    if page["duplicate_of"] is not None:
        return f"same page: {page['duplicate_of']}"
    return None


def _header_date(last_modified: str | None, server_date: str | None) -> str | None:
    """Return the ``Last-Modified`` header as W3C text, or None if it is the time of rendering."""
    try:
        modified = parsedate_to_datetime(last_modified or "")
        if server_date is not None:
            rendered = parsedate_to_datetime(server_date)
            if abs((rendered - modified).total_seconds()) <= RENDERED_S:
                return None
        return format_date(modified)
    except (ValueError, TypeError, OverflowError):
        return None


def _open(path: str, options: SourceOptions, name: str) -> CrawledPages:
    if path != name:
        raise SourceError(f"{name}: expected the store of a crawl, found a stream; name the file")
    return CrawledPages(path, policy=options.policy, auth=options.auth)


SOURCES = {"crawl": _open}
"""Function that opens the source, by its kind."""

"""SQL views that live rules query: listed URLs, visited pages, canonicals, links, dates.

They query the live tables of a store (``pages``, ``links``; :mod:`urlset.live.schemas`), the
facts of the audit (``audit_run``; :class:`urlset.live.audit.judgement.RunFacts`), and the views of
:mod:`urlset.checker.views`. Two URLs are compared by ``key``, in the form of ``normal_of``, or by
``page_key``, which also ignores what most servers ignore: scheme, www., the name of an index file
and a slash at the end.
"""

from __future__ import annotations

from urlset.checker.rule import RuleViews
from urlset.store import branches_sql

_BAD_TARGET = """CASE
            WHEN verdict = 'redirect' THEN 'redirects to ' || final_url
            WHEN verdict = 'redirect-loop' THEN 'redirects to no page'
            WHEN verdict IN ('gone', 'client-error', 'server-error')
                THEN 'returns HTTP ' || final_status
            WHEN verdict = 'unreachable' THEN 'does not respond'
            WHEN verdict = 'soft-404' THEN 'is an error page'
            WHEN verdict = 'ok' AND is_noindex THEN 'is noindex'
            WHEN verdict = 'ok' AND canonical_key <> key THEN 'has another canonical URL'
        END"""

_HTTP_DATE = "epoch(try_strptime({}, '%a, %d %b %Y %H:%M:%S GMT'))"

_CLASSES = "['link', 'html-sitemap', 'pagination', 'nofollow', 'hreflang']"

# Paths of pages that list the pages of a site for people.
_HTML_SITEMAP = r"(?i)/(html[-_]?)?(site[-_]?map|site[-_]?index|plan[-_]du[-_]site)(\.[a-z]+)?/?$"


def _targets(kinds: str) -> str:
    """Return SQL of the links of some kinds, from pages that answer to what they lead to."""
    return f"""
        SELECT unnest([duplicate_key(coalesce(t.final_url, l.target)),
                duplicate_key(t.canonical)]) AS target_key,
            s.page_key AS source_key, l.kind, l.is_nofollow,
            list_has_any(string_split(coalesce(l.rel, ''), ' '), ['next', 'prev'])
                AS is_pagination, s.is_html_sitemap
        FROM links l JOIN (SELECT url, page_key, regexp_matches(
                regexp_replace(url, '[?#].*$', ''), '{_HTML_SITEMAP}') AS is_html_sitemap
            FROM live_pages WHERE verdict = 'ok') s ON s.url = l.url
        LEFT JOIN pages t ON t.url = l.target
        WHERE {kinds}"""


_VIEWS = {
    # The folders that are divided into sections, as one list.
    "section_folders": branches_sql("SELECT path_of(loc) AS path FROM entries"),
    # Every listed URL once, at the first entry that lists it; also of documents that could only be
    # read in part.
    "listed_urls": """
        SELECT key, duplicate_key(place.loc) AS page_key, unnest(place)
        FROM (SELECT normal_of(e.loc) AS key, arg_min({
                    'document': e.document, 'entry': e.entry, 'offset': e."offset",
                    'line': e.line, 'loc': e.loc, 'listed_lastmod': e.lastmod,
                    'listed_lastmod_text': e.lastmod_text
                }, (e.document, e.entry)) AS place
            FROM entries e GROUP BY key)""",
    # The listed URLs that `include` and `exclude` of the audit select.
    "audited_urls": "SELECT * FROM listed_urls ANTI JOIN excluded_urls USING (key)",
    # Every visited URL, with the keys of the URL, its canonical and its final URL.
    "page_keys": """
        SELECT url, normal_of(url) AS key, duplicate_key(url) AS page_key,
            normal_of(canonical) AS canonical_key, normal_of(final_url) AS final_key
        FROM pages QUALIFY row_number() OVER (
            PARTITION BY key ORDER BY crawl DESC, is_listed DESC, url) = 1""",
    # Every page that this audit visited; a store may have others, of earlier audits. `fault` says
    # why another page must not name it, or is NULL. Scripts may add links, also hreflang, to a page
    # with few of them.
    "live_pages": f"""
        SELECT *, {_BAD_TARGET} AS fault,
            coalesce(has_scripts AND link_count < 3, false) AS is_script_built
        FROM (SELECT k.* EXCLUDE (url), p.* REPLACE (section_of(p.url) AS section)
            FROM page_keys k JOIN pages p ON p.url = k.url
            WHERE p.crawl = (SELECT max(crawl) FROM crawls))""",
    # Every listed URL that this audit visited, of those that it counts.
    "listed_pages": """
        SELECT l.document, l.entry, l."offset", l.line, l.loc, l.listed_lastmod,
            l.listed_lastmod_text, p.*
        FROM audited_urls l JOIN live_pages p USING (key)""",
    # Canonical URLs of listed pages that differ from the page, with the page that they name.
    "listed_canonicals": """
        SELECT l.document, l."offset", l.line, l.loc, l.url, l.canonical,
            t.fault AS target_fault, t.verdict AS target_verdict, t.final_url AS target_url,
            t.canonical AS target_canonical, t.canonical_key <> t.key AS is_chain,
            regexp_replace(l.canonical_key, '^https?:', '') = regexp_replace(l.key, '^https?:', '')
                AS is_scheme_only
        FROM listed_pages l LEFT JOIN live_pages t ON t.key = l.canonical_key
        WHERE l.verdict = 'ok' AND NOT l.is_noindex AND l.canonical_key <> l.key""",
    # Every hreflang link of a visited page, from its HTML, its headers or a sitemap.
    "live_alternates": """
        SELECT DISTINCT key, href_key, tag, origin, href FROM (
            SELECT key, normal_of(alternate.href) AS href_key, tag_of(alternate.hreflang) AS tag,
                alternate.origin AS origin, alternate.href AS href
            FROM (SELECT key, unnest(alternates, recursive := false) AS alternate
                FROM live_pages WHERE verdict = 'ok')
            UNION ALL
            SELECT normal_of(loc), normal_of(href), tag_of(hreflang), 'sitemap', href
            FROM alternates
            WHERE hreflang IS NOT NULL AND is_web(href) AND alternate.media IS NULL)""",
    # Links from a page that answers to another page. A link to a redirect leads to its target, and
    # a link to a variant (with a session, for instance) to its canonical URL.
    "live_links": f"""
        SELECT DISTINCT target_key, source_key, is_nofollow, is_pagination, is_html_sitemap
        FROM ({_targets("l.kind = 'a'")})
        WHERE target_key <> source_key""",
    # The best way from another page to each page: 1 a link, 2 a link of an HTML sitemap,
    # 3 pagination, 4 a link with nofollow, 5 hreflang.
    "link_classes": f"""
        SELECT target_key AS page_key, min(rank) AS rank, ({_CLASSES})[min(rank)] AS linked_by
        FROM (SELECT target_key, CASE WHEN is_nofollow THEN 4 WHEN is_pagination THEN 3
                WHEN is_html_sitemap THEN 2 ELSE 1 END AS rank FROM live_links
            UNION ALL
            SELECT target_key, CASE WHEN kind = 'hreflang' THEN 5 WHEN is_nofollow THEN 4
                ELSE 3 END
            FROM ({_targets("l.kind IN ('next', 'prev', 'hreflang')")})
            WHERE target_key <> source_key)
        GROUP BY target_key""",
    # Sitemaps that were fetched over HTTP.
    "fetched_sitemaps": """
        SELECT s.document, s.source, s.kind, s.name, s.size, f.url, f.redirects, f.content_type,
            f.etag, f.last_modified, f.seconds, f.first_byte_s, f.status
        FROM readable s JOIN fetches f ON f.source = s.source
        WHERE f.status = 200""",
    # Dates of listed pages, in seconds, with their witnesses: the header Last-Modified, the date on
    # the page, and whether the content changed since the previous audit. Last-Modified is ignored
    # where it is the time of rendering: equal to Date, give or take 2 s, on several pages.
    "lastmod_witnesses": f"""
        SELECT * EXCLUDE (header_s, is_rendered), CASE WHEN count_if(is_rendered)
                OVER (PARTITION BY section) < 3 THEN header_s END AS header_s
        FROM (SELECT *, abs(header_s - sent_s) <= 2 AS is_rendered
            FROM (SELECT l.document, l."offset", l.line, l.loc, l.section, l.lastmod_from,
                    epoch(l.listed_lastmod) AS listed_s, l.listed_lastmod_text AS listed_text,
                    epoch(l.lastmod) AS page_s, l.lastmod_text AS page_text,
                    {_HTTP_DATE.format("l.last_modified")} AS header_s,
                    {_HTTP_DATE.format("l.server_date")} AS sent_s, l.last_modified,
                    epoch(o.lastmod) AS previous_s,
                    l.previous_fingerprint <> l.fingerprint AS is_changed
                FROM listed_pages l LEFT JOIN previous_listing o ON o.key = l.key
                WHERE l.verdict = 'ok' AND l.listed_lastmod IS NOT NULL))""",
    # Verdict on each date, if there is a witness. A day of tolerance: dates may lack a time or a
    # time zone. Five equal dates, to the minute, that are newer than their pages are invented.
    "lastmod_trials": """
        SELECT *, CASE
                WHEN is_changed AND listed_s = previous_s THEN 'late'
                WHEN NOT is_changed AND listed_s > previous_s THEN 'invented'
                WHEN is_changed AND listed_s > previous_s THEN 'truthful'
                WHEN least(abs(listed_s - page_s), abs(listed_s - header_s)) <= 86400
                    THEN 'truthful'
                WHEN coalesce(page_s, header_s) > listed_s THEN 'late'
                WHEN coalesce(page_s, header_s) < listed_s AND same_dates >= 5 THEN 'invented'
                WHEN coalesce(page_s, header_s) < listed_s THEN 'early'
            END AS trial
        FROM (SELECT *, count(*) OVER (PARTITION BY section, listed_s // 60) AS same_dates
            FROM lastmod_witnesses)""",
    # Sections with the number of dates by verdict, at the first date that is not truthful.
    "lastmod_sections": """
        SELECT section, min(origin_of(loc)) || section AS loc, count(trial) AS dates,
            count(*) - count(trial) AS unknown,
            count_if(trial = 'truthful') AS truthful,
            count_if(trial = 'late') AS late, count_if(trial = 'early') AS early,
            count_if(trial = 'invented') AS invented,
            any_value(document ORDER BY document, "offset") FILTER (trial <> 'truthful')
                AS document,
            any_value("offset" ORDER BY document, "offset") FILTER (trial <> 'truthful')
                AS "offset",
            any_value(line ORDER BY document, "offset") FILTER (trial <> 'truthful') AS line
        FROM lastmod_trials GROUP BY section""",
    # Indexable listed pages with equal content, the first of them as the original. What scripts
    # build is not seen, so nothing is known about pages that are empty without them.
    "duplicate_pages": """
        SELECT *, first_value(loc) OVER same AS original, row_number() OVER same AS nth
        FROM listed_pages
        WHERE verdict = 'ok' AND is_indexable AND fingerprint IS NOT NULL AND NOT is_script_built
        WINDOW same AS (PARTITION BY fingerprint ORDER BY document, "offset")""",
    # Every page that the llms.txt links to, at the first link to it.
    # Other sites may redirect, and forbid indexing, as they please: `is_own` is false for them.
    "llms_txt_pages": r"""
        SELECT n.source, n.line, n.url AS loc, p.*,
            regexp_replace(host_of(n.url), '^www\.', '') IN (
                SELECT regexp_replace(host_of(loc), '^www\.', '') FROM listed_urls) AS is_own
        FROM llms_txt_links n JOIN live_pages p ON p.key = normal_of(n.url)
        QUALIFY row_number() OVER (PARTITION BY p.key ORDER BY n.line) = 1""",
    # Response times by section.
    "section_times": """
        SELECT section, min(origin_of(loc)) || section AS loc, count(*) AS pages,
            quantile_cont(first_byte_s, 0.9) AS p90,
            min_by(document, (document, "offset")) AS document
        FROM listed_pages
        WHERE first_byte_s IS NOT NULL AND NOT coalesce(is_from_cache, false)
        GROUP BY section""",
}
"""SQL of the live views by name, in the order of creation."""

_MATERIALIZED = frozenset(
    "section_folders listed_urls page_keys live_alternates live_links lastmod_trials".split()
)

_TABLES = frozenset(
    "pages links frontier crawls traps probes audit_run log_urls llms_txt_links "
    "excluded_urls".split()
)

RULE_VIEWS = RuleViews(_VIEWS, _MATERIALIZED, _TABLES, need="live")
"""What rules about pages query, for :mod:`urlset.registry`."""

"""Schema of the live tables: visited pages, links, discovered URLs, crawls, inspections.

A store gets these tables with its first crawl or audit. A store without one does not have them.
"""

from __future__ import annotations

from urlset.store.schema import StoreSchema, TableSchema, View

_REDIRECTS = "STRUCT(url VARCHAR, status UINTEGER)[]"
_CANONICALS = "STRUCT(url VARCHAR, origin VARCHAR)[]"
_ALTERNATES = "STRUCT(hreflang VARCHAR, href VARCHAR, origin VARCHAR)[]"

LIVE_TABLES = (
    TableSchema.of(
        "crawls",
        "One row per crawl or audit of this store; `crawl` identifies it.",
        """
        crawl         | UINTEGER    | number of the crawl, from 1
        kind          | VARCHAR     | crawl or audit
        site          | VARCHAR     | URL that was given
        settings      | VARCHAR     | options, as JSON
        started       | TIMESTAMPTZ | start of the crawl
        finished      | TIMESTAMPTZ | end of the crawl; null while it can be continued
        is_complete   | BOOLEAN     | whether every page in scope was visited, and an audit visited all listed URLs; null while it can be continued
        reasons       | VARCHAR[]   | why it is not complete; empty if it is
        request_count | UBIGINT     | requests for pages and media; `fetches` has those for robots.txt and sitemaps
        byte_count    | UBIGINT     | bytes of the bodies that were transferred
        has_sitemaps  | BOOLEAN     | whether the sitemaps were read, and their URLs are in the frontier
        """,
    ),
    TableSchema.of(
        "pages",
        "One row per URL that was visited or is disallowed, with the facts of the last visit; `url` identifies it.",
        f"""
        url                  | VARCHAR     | normalized URL, as it was requested
        section              | VARCHAR     | first folder of its path, such as `/blog/`; `/` if it is in none
        crawl                | UINTEGER    | crawl of the last visit
        status               | UINTEGER    | HTTP status of the first response, before redirects; null if there was none
        verdict              | VARCHAR     | ok, redirect, redirect-loop, gone (404, 410), client-error, server-error, unreachable, soft-404, unknown or disallowed
        unknown_reason       | VARCHAR     | why the verdict is unknown, such as http-403, http-429, challenge, timeout, robots or budget
        final_url            | VARCHAR     | URL after redirects; null if there was no response
        final_status         | UINTEGER    | HTTP status of the final URL
        redirects            | {_REDIRECTS} | URLs before the final one, each with its status
        error                | VARCHAR     | kind of failure, such as timeout or redirect-loop; null if there was none
        message              | VARCHAR     | description of the failure
        content_type         | VARCHAR     | header of that name
        byte_count           | UBIGINT     | bytes of the body, decompressed
        fingerprint          | VARCHAR     | fingerprint of the main content; null if it was not computed
        previous_fingerprint | VARCHAR     | fingerprint in the crawl before
        title                | VARCHAR     | text of its title
        language             | VARCHAR     | language that the page declares
        canonical            | VARCHAR     | canonical URL, normalized; null if there is none, or several that differ
        canonical_from       | VARCHAR     | where it was found: head or header
        canonicals           | {_CANONICALS} | all canonical URLs, with the place: head, header or body
        robots               | VARCHAR[]   | directives for robots, in lower case
        robots_from          | VARCHAR     | where they were found: meta, header or meta+header
        is_noindex           | BOOLEAN     | whether indexing is forbidden
        unavailable_after    | TIMESTAMPTZ | date of the directive of that name
        is_indexable         | BOOLEAN     | whether it answers 200, may be indexed and fetched, and has no other canonical or meta refresh
        refresh              | VARCHAR     | URL to which the page redirects by meta refresh
        alternates           | {_ALTERNATES} | versions in other languages, with the place: head or header
        lastmod              | TIMESTAMPTZ | date of the last modification on the page
        lastmod_text         | VARCHAR     | its text
        lastmod_from         | VARCHAR     | where on the page it was found
        last_modified        | VARCHAR     | header of that name, unchanged
        etag                 | VARCHAR     | header of that name
        server_date          | VARCHAR     | header `Date`, unchanged
        images               | VARCHAR[]   | URLs of its images
        depth                | UINTEGER    | clicks from the start of the crawl; null if no link leads to it
        is_listed            | BOOLEAN     | whether a sitemap lists it
        is_linked            | BOOLEAN     | whether another page links to it
        is_visited           | BOOLEAN     | whether an access log has a visit of it; null without logs
        first_byte_s         | DOUBLE      | seconds until the response headers arrived
        seconds              | DOUBLE      | duration of the last attempt
        fetched_at           | TIMESTAMPTZ | time of the visit
        checked_at           | TIMESTAMPTZ | time of the last visit that found it unchanged (304), or of the visit
        is_from_cache        | BOOLEAN     | whether the server confirmed the stored facts (304)
        is_html              | BOOLEAN     | whether the body is an HTML page
        attempts             | UINTEGER    | requests that were made for it in this crawl, with retries
        link_count           | UINTEGER    | links of the page; null if only its head was read
        has_scripts          | BOOLEAN     | whether it has scripts, which may add links; null if only its head was read
        """,
    ),
    TableSchema.of(
        "links",
        "One row per page, target and kind of link.",
        """
        url         | VARCHAR  | page that has the link: `pages.url`
        target      | VARCHAR  | normalized URL that it links to
        kind        | VARCHAR  | a, canonical, hreflang, next, prev, img, redirect or refresh
        rel         | VARCHAR  | value of its attribute `rel`
        is_nofollow | BOOLEAN  | whether the link or its page says nofollow
        n           | UINTEGER | number of such links on the page
        """,
    ),
    TableSchema.of(
        "frontier",
        "One row per URL discovered, with its evidence; `url` identifies it.",
        """
        url            | VARCHAR   | normalized URL
        state          | VARCHAR   | waiting, done or excluded
        priority       | UINTEGER  | order in which URLs are visited: lower first
        depth          | UINTEGER  | clicks to it from the start or a listed page when it was discovered; null if a sitemap named it first (`pages.depth` is that from the start)
        attempts       | UINTEGER  | visits that failed and are repeated
        section        | VARCHAR   | first folder of its path, such as `/blog/`; `/` if it is in none
        origins        | VARCHAR[] | how it was found: seed, link, sitemap, feed, redirect, canonical, hreflang, refresh, log or earlier (a crawl before this one)
        referrer       | VARCHAR   | first page or document that names it
        referrer_count | UINTEGER  | pages that link to it
        excluded_by    | VARCHAR   | why it is not visited: scope, robots, a trap with its pattern, or a limit
        """,
    ),
    TableSchema.of(
        "traps",
        "One row per pattern of URLs that were excluded because they have no end.",
        """
        pattern   | VARCHAR | URL with `*` for the parts that vary
        kind      | VARCHAR | calendar, session, facets, repeated-path or depth
        cut_count | UBIGINT | URLs that were excluded
        example   | VARCHAR | one of them
        """,
    ),
    TableSchema.of(
        "probes",
        "One row per request of an audit that is not a visit of a page.",
        """
        kind    | VARCHAR  | media (file that an entry names), https, not-found (random URL of a folder), agent, packed or indexnow
        url     | VARCHAR  | URL that was requested
        key     | VARCHAR  | first listed URL that it is about, in the form that URLs are compared in
        detail  | VARCHAR  | of media, Image, Thumbnail, Video or Player; of not-found, the fingerprint; of agent, the user agent
        status  | UINTEGER | HTTP status of the final URL; null if there was no response
        fault   | VARCHAR  | what is wrong with it; null if nothing is, or it is unknown
        width   | UINTEGER | width of an image in pixels
        height  | UINTEGER | height of an image in pixels
        """,
    ),
    TableSchema.of(
        "previous_listing",
        "One row per URL that the sitemaps listed at the audit before; empty after the first audit.",
        """
        key          | VARCHAR     | URL in the form that URLs are compared in
        lastmod      | TIMESTAMPTZ | its lastmod at that audit
        """,
    ),
    TableSchema.of(
        "excluded_urls",
        "One row per listed URL that `include` and `exclude` of the last audit exclude; empty if that audited all.",
        """
        key | VARCHAR | URL in the form that URLs are compared in
        loc | VARCHAR | URL as the sitemap lists it
        """,
    ),
    TableSchema.of(
        "coverage",
        "One row per page that is listed, linked or visited, and that the last audit counts: /a and /a/ are one page.",
        """
        url        | VARCHAR | its first URL
        is_listed  | BOOLEAN | whether a sitemap lists it
        is_linked  | BOOLEAN | whether another page links to it; null without a crawl
        is_visited | BOOLEAN | whether an access log has a visit of it; null without logs
        linked_by  | VARCHAR | best way from another page to it, if it answers: link, html-sitemap (links of HTML sitemaps only), pagination (rel next or prev only), nofollow (only such links) or hreflang (only that, which is no link); null if none is known
        """,
    ),
    TableSchema.of(
        "log_urls",
        "One row per URL that access logs have a successful request of.",
        """
        url  | VARCHAR | URL
        """,
    ),
    TableSchema.of(
        "llms_txt_links",
        "One row per link of the llms.txt of the site, as the last audit read it.",
        """
        source | VARCHAR  | URL of the llms.txt
        line   | UINTEGER | line of the link, from 1
        url    | VARCHAR  | normalized URL that it leads to
        """,
    ),
    TableSchema.of(
        "audit_findings",
        "One row per finding of the last audit, and per finding of the audit before that is fixed or was not checked again.",
        """
        code    | VARCHAR | code of the rule
        rule    | VARCHAR | name of the rule
        level   | VARCHAR | error, warning or info
        basis   | VARCHAR | observed, complete, sampled or unknown
        source  | VARCHAR | document or page that it is about
        line    | UINTEGER | line in the document
        loc     | VARCHAR | URL that it is about; null if it is about more than one
        message | VARCHAR | description
        change  | VARCHAR | new, fixed, still there or not checked since the audit before; null at the first audit, and of N116
        """,
    ),
)

LIVE_VIEWS: tuple[View, ...] = (
    View(
        "page_evidence",
        "Each discovered URL with its evidence and, if it was visited, its result.",
        "SELECT f.*, p.status, p.verdict, p.unknown_reason, p.fetched_at "
        "FROM frontier f LEFT JOIN pages p ON p.url = f.url",
    ),
    View(
        "verdicts",
        "Number of pages and of listed pages by section and verdict.",
        "SELECT section, verdict, unknown_reason, count(*) AS pages, "
        "count(*) FILTER (WHERE is_listed) AS listed_pages FROM pages GROUP BY ALL",
    ),
)

VISIT_SCHEMA = StoreSchema(LIVE_TABLES, LIVE_VIEWS, replaced_view="links")
"""What a crawl or an audit adds to a store; the table ``links`` replaces a view of sitemaps."""

INSPECTION_TABLES = (
    TableSchema.of(
        "inspections",
        "One row per URL and property: what Search Console reports about the URL.",
        """
        url              | VARCHAR     | URL that was inspected
        property         | VARCHAR     | property of Search Console
        inspected_at     | TIMESTAMPTZ | time of the inspection
        verdict          | VARCHAR     | PASS (indexed), FAIL, NEUTRAL (excluded) or PARTIAL
        coverage_state   | VARCHAR     | state in words, such as Submitted and indexed
        robots_state     | VARCHAR     | ALLOWED or DISALLOWED by robots.txt
        indexing_state   | VARCHAR     | INDEXING_ALLOWED, BLOCKED_BY_META_TAG or BLOCKED_BY_HTTP_HEADER
        fetch_state      | VARCHAR     | result of the last visit, such as SUCCESSFUL, SOFT_404 or NOT_FOUND
        last_crawled     | TIMESTAMPTZ | last visit of Google
        google_canonical | VARCHAR     | canonical URL that Google chose
        user_canonical   | VARCHAR     | canonical URL that the page declares
        crawled_as       | VARCHAR     | MOBILE or DESKTOP
        sitemaps         | VARCHAR[]   | sitemaps from which Google knows the URL
        """,
    ),
)

INSPECTION_SCHEMA = StoreSchema(INSPECTION_TABLES, is_inspected=False)
"""What `urlset submit` adds to a store for the answers of Search Console."""

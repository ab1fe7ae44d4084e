"""Rules about indexes (codes I…), and about sitemaps that could not be read (N…, R015)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import PAGE, ExampleResponse, index_of
from urlset.checker.rule import engine_rule, rule

_PROTOCOL = "https://www.sitemaps.org/protocol.html#index"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps"
_SHOP_PAGE = PAGE.replace("//", "//shop.", 1)
_SHOP_SITEMAP = "https://shop.example.com/sitemap.xml"

_GOOD = {"sitemap-index.xml": index_of("sitemap.xml"), "sitemap.xml": PAGE}

# By name only: a document that was read is judged by its content. Scripts may return a sitemap.
NOT_A_SITEMAP = r"""
    (path = '/robots.txt' OR (path = '/' AND NOT contains(loc, '?')) OR regexp_matches(path,
        '(?i)\.(x?html?|pdf|jpe?g|png|gif|webp|svg|css|js|json|zip|docx?|xlsx?|mp[34])$'))"""

_NOT_PROVEN = """
    (document, host) NOT IN (SELECT (document, host) FROM declaring_hosts)
    AND loc NOT IN (SELECT loc FROM declared)"""


_rule = partial(rule, partition="all", source=_PROTOCOL, element="loc", needs=("set",), good=_GOOD)
_child_rule = partial(_rule, view="listed")

_HTTP = "https://www.rfc-editor.org/rfc/rfc9110"
_CONSOLE = "https://support.google.com/webmasters/answer/7451001"
_ROBOTS = "Sitemap: https://example.com/sitemap-index.xml"
_SET = {
    "robots.txt": _ROBOTS,
    "sitemap-index.xml": index_of("pages.xml", "blog.xml"),
    "pages.xml": PAGE,
    "blog.xml": PAGE.replace("com/", "com/blog"),
}
_HTML = "<!DOCTYPE html><html><title>Example</title></html>"


def _bad(answer: ExampleResponse) -> dict[str, str | ExampleResponse]:
    return {**_SET, "blog.xml": answer}


_set_rule = partial(rule, partition="all", source=_CONSOLE, element="loc", good=_SET)
_failure_rule = partial(_set_rule, view="failed", message="{loc}: {error}")

RULES = (
    _child_rule(
        "I001 index-child-cross-site error",
        message="{loc} is on another site than the index ({sitemap_origin})",
        where=f"origin_of(loc) <> sitemap_origin AND {_NOT_PROVEN}",
        # As for a page (U030): if only the scheme differs, http usually redirects.
        level_sql="CASE WHEN 'http:' || substr(sitemap_origin, 7) = origin_of(loc) "
        "THEN 'warning' ELSE 'error' END",
        needs=("location",),
        why="An index may only list sitemaps of its own site: the same scheme, host and port. "
        "Others are ignored, unless the robots.txt of their host declares them.",
        fix_hint="List the sitemap in an index on its own site, or declare it in the robots.txt of "
        "that site",
        bad={"sitemap-index.xml": index_of(_SHOP_SITEMAP), _SHOP_SITEMAP: _SHOP_PAGE},
        good={
            "sitemap-index.xml": index_of(_SHOP_SITEMAP),
            _SHOP_SITEMAP: _SHOP_PAGE,
            "robots.txt": "Sitemap: https://example.com/sitemap-index.xml",
            "https://shop.example.com/robots.txt": f"Sitemap: {_SHOP_SITEMAP}",
        },
    ),
    _child_rule(
        "I002 index-child-above warning",
        message="{loc} is not in or below {sitemap_folder}, the folder of the index",
        where=f"""NOT starts_with(path, sitemap_folder) AND origin_of(loc) = sitemap_origin
            AND NOT starts_with(percent_decoded(remove_dot_segments(path)),
                percent_decoded(remove_dot_segments(sitemap_folder)))
            AND {_NOT_PROVEN}""",
        needs=("location",),
        why="Google reads the sitemaps of an index from its own folder or below. Others are "
        "ignored, unless robots.txt declares the index.",
        fix_hint="Move the index to the root of the site, or declare it in robots.txt",
        source=_GOOGLE,
        bad={"maps/index.xml": index_of("sitemap.xml"), "sitemap.xml": PAGE},
    ),
    _child_rule(
        "I003 index-self-reference error",
        message="The index lists itself: {loc}",
        where="""normal_of(loc) = normal_of(sitemap) OR (sitemap IS NULL AND (loc, source) IN (
            SELECT (f.loc, f.parent) FROM failures f JOIN sources p ON p.source = f.parent
            WHERE f.failure = 'cycle' AND p.depth = 0))""",
        why="An index lists sitemaps, not indexes. A crawler that follows this entry returns to "
        "the same index.",
        fix_hint="Remove the entry",
        bad={**_GOOD, "sitemap-index.xml": index_of("sitemap.xml", "sitemap-index.xml")},
    ),
    _rule(
        "I004 index-duplicate-child warning",
        partition="document",
        message="{loc} is listed {n:,} times",
        requires_rows="listed",
        sql="""
            SELECT document, "offset", line, loc, n FROM (
                SELECT document, "offset", line, loc,
                    count(*) OVER (PARTITION BY document, normal_of(loc)) AS n,
                    row_number() OVER (
                        PARTITION BY document, normal_of(loc) ORDER BY number) AS nth
                FROM listed)
            WHERE nth = 2""",
        why="Each entry names one file. If two entries have different dates, search engines may "
        "use either.",
        fix_hint="Keep one entry, with the date of the file's last change",
        bad={"sitemap-index.xml": index_of("sitemap.xml", "sitemap.xml"), "sitemap.xml": PAGE},
        needs=(),
    ),
    engine_rule(
        "I005",
        why="An index without sitemaps lists nothing. Usually the program that writes it failed.",
        fix_hint="List the sitemaps, or remove the index",
        source="https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd",
        bad='<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></sitemapindex>',
        good=_GOOD,
    ),
    _child_rule(
        "I006 index-child-not-sitemap info",
        message="{loc} does not look like a sitemap",
        where=f"{NOT_A_SITEMAP} AND normal_of(loc) NOT IN (SELECT address FROM document_urls)",
        why="An index lists sitemaps. Search engines report a page, an image or robots.txt in it "
        "as an error and do not read its URLs.",
        fix_hint="List pages in a sitemap, and the sitemap in the index",
        bad={"sitemap-index.xml": index_of("sitemap.xml", "about.html"), "sitemap.xml": PAGE},
        needs=(),
    ),
    _rule(
        "I501 nested-index error",
        message="{loc} is an index; an index may only list sitemaps",
        view="nested_indexes",
        where="child <> document AND way IS NULL",
        why="Google does not follow an index inside an index, so none of its sitemaps is read.",
        fix_hint="List the sitemaps of the inner index in the outer one, or declare both in "
        "robots.txt",
        source="https://support.google.com/webmasters/answer/7451001",
        bad={
            "sitemap-index.xml": index_of("blog-index.xml"),
            "blog-index.xml": index_of("blog.xml"),
            "blog.xml": PAGE,
        },
    ),
    _rule(
        "I502 index-cycle error",
        message="Index cycle: {path}",
        # Of the edges of a circle, the one that closes it: it leads to what was read before. Where
        # URLs do not show that (a file without a URL, a redirect), the reader noticed it.
        requires_rows="listed",
        sql="""
            WITH shown AS (
                SELECT n.document, n."offset", n.line, n.loc,
                    string_agg(s.source, ' → ' ORDER BY n.nth) || ' → ' ||
                        arg_min(s.source, n.nth) AS path
                FROM (SELECT document, "offset", line, loc, unnest(way) AS step,
                        generate_subscripts(way, 1) AS nth
                    FROM nested_indexes WHERE way IS NOT NULL AND child < document) n
                JOIN sources s ON s.document = n.step
                GROUP BY n.document, n."offset", n.line, n.loc)
            FROM shown UNION ALL
            SELECT f.document, f."offset", f.line, f.loc, s.source || ' → ' || f.loc
            FROM failed f JOIN sources s ON s.document = f.document
            WHERE f.failure = 'cycle' AND (f.document, f.loc) NOT IN (
                    SELECT (document, loc) FROM shown)
                AND CASE WHEN s.url IS NULL THEN s.depth > 0
                    ELSE normal_of(f.loc) <> normal_of(s.url) END""",
        why="A crawler that follows the indexes returns to an index that it has read. Search "
        "engines stop immediately.",
        fix_hint="Remove the entry that closes the cycle",
        bad={
            "a-index.xml": index_of("b-index.xml"),
            "b-index.xml": index_of("a-index.xml", "sitemap.xml"),
            "sitemap.xml": PAGE,
        },
    ),
    _rule(
        "I503 child-missing error",
        message="{loc} is listed but missing",
        view="failed",
        where="failure = 'missing'",
        why="Search engines request the file, find nothing and report an error in the index. The "
        "URLs of the sitemap are not found.",
        fix_hint="Publish the file, or remove its entry from the index",
        bad={"sitemap-index.xml": index_of("sitemap.xml", "blog.xml"), "sitemap.xml": PAGE},
    ),
    _rule(
        "I504 sitemap-not-referenced info",
        message="Not listed in an index{nor}",
        # A feed is found from the page that it belongs to; of a file and the same one as gzip,
        # one is listed.
        requires_rows="listed",
        sql=r"""
            WITH listing AS (SELECT DISTINCT host FROM readable WHERE kind = 'index'),
            known AS (SELECT normal_of(loc) AS address FROM listed
                UNION SELECT normal_of(loc) FROM declared),
            free AS (
                SELECT *, regexp_replace(source, '\.gz$', '') AS stem,
                    loc IS NOT NULL OR coalesce(normal_of(url), '')
                        IN (SELECT address FROM known) AS is_named
                FROM readable)
            SELECT document, if(host IN (SELECT host FROM known_robots),
                ', and robots.txt does not declare it', '') AS nor
            FROM free
            WHERE NOT is_named AND how IN ('folder', 'given') AND kind IN ('urlset', 'text')
                AND EXISTS (SELECT 1 FROM listing l WHERE l.host IS NOT DISTINCT FROM free.host)
                AND coalesce(stem, '') NOT IN (
                    SELECT stem FROM free WHERE is_named AND stem IS NOT NULL)""",
        why="Search engines find a sitemap through robots.txt, through an index, or because it was "
        "submitted. They do not read one that nothing names.",
        fix_hint="List it in the index, or remove the file",
        bad={**_GOOD, "old.xml": PAGE.replace("com/", "com/old")},
        element=None,
    ),
    _failure_rule(
        "N001 sitemap-http-error error",
        heading="Sitemaps that return an HTTP error",
        where="failure = 'status'",
        why="A response with a status other than 200 is not a sitemap. Search engines report the "
        "error and do not find its URLs.",
        fix_hint="Publish the sitemap at this URL, or remove the URL from the document that names "
        "it",
        bad=_bad(ExampleResponse(status=404)),
    ),
    _set_rule(
        "N003 sitemap-unreachable error",
        heading="Sitemaps that cannot be requested",
        message="{description}",
        # The children of an index on stdin are not read: one finding for all of them.
        sql="""
            SELECT document, source, "offset", line, loc, loc || ': ' || error AS description,
                'error' AS level
            FROM failed WHERE failure IN ('unreachable', 'unreadable')
            UNION ALL
            SELECT document, NULL, NULL, NULL, NULL,
                format('{:,} of its sitemaps were not checked: {}', count(*), min(error)), 'info'
            FROM failed WHERE failure = 'stream' GROUP BY document""",
        requires_rows="failed",
        why="A sitemap that cannot be opened is not read: no address, no connection, no response "
        "in time, no permission. Search engines retry for some time, then drop the sitemap.",
        fix_hint="Make the sitemap readable at this location, or remove it from the document that "
        "names it",
        bad=_bad(ExampleResponse(error="timeout")),
    ),
    _failure_rule(
        "N007 sitemap-soft-404 error",
        heading="Sitemaps that are error pages with status 200",
        where="failure = 'same-answer'",
        why="The server returns the same page for every URL, as if each existed. Search engines "
        "read a page where they expect a sitemap.",
        fix_hint="Publish the sitemap, or respond with status 404",
        bad={
            **_SET,
            "robots.txt": f"{_ROBOTS}\nSitemap: https://example.com/old-sitemap.xml\n"
            "Sitemap: https://example.com/news-sitemap.xml",
            "old-sitemap.xml": ExampleResponse(_HTML),
            "news-sitemap.xml": ExampleResponse(_HTML),
        },
    ),
    _failure_rule(
        "N008 sitemap-truncated-transfer error",
        heading="Sitemaps whose transfer is cut off",
        where="failure = 'incomplete'",
        why="Only a part was received, so the other URLs are missing. Search engines reject the "
        "file, or treat the part as the complete sitemap.",
        fix_hint="Find out why the server ends the transfer early: a time limit, memory, a proxy",
        source=_HTTP,
        bad=_bad(ExampleResponse(PAGE, error="cut")),
    ),
    _failure_rule(
        "N012 sitemap-auth error",
        heading="Sitemaps that require a login",
        where="failure = 'refused'",
        why="The sitemap is behind a login or a firewall. Search engines have no password, and "
        "firewalls block many of them.",
        fix_hint="Allow access without a login; to check a protected site, pass its login",
        bad=_bad(ExampleResponse(status=403)),
    ),
    _set_rule(
        "R015 robots-unreachable error",
        heading="robots.txt that cannot be fetched or read",
        message="robots.txt: {error}",
        # One that is too long is reported by R006.
        requires_rows="robots",
        sql="""
            SELECT url AS source, error FROM robots
            WHERE error IS NOT NULL AND state NOT IN ('absent', 'refused') AND size <= 512000""",
        needs=("robots",),
        why="While robots.txt has a server error or does not respond, crawlers treat the whole "
        "site as disallowed. They also do not find the sitemaps that it declares.",
        added="Every file that cannot be read is a finding, in every format.",
        fix_hint="Serve robots.txt with status 200, or with 404 if there is none",
        source="https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4",
        bad={"robots.txt": ExampleResponse(status=503), "sitemap.xml": PAGE},
        good={"robots.txt": "Sitemap: https://example.com/sitemap.xml", "sitemap.xml": PAGE},
        element=None,
    ),
)

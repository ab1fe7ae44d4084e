"""Rules about XML namespaces and schema locations (groups S, X and P)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import PAGE, whole
from urlset.checker.rule import engine_rule, rule
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS, Ns

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_EXTENDING = f"{_PROTOCOL}#extending"
_COMBINING = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions"
_IMAGE = URIS[Ns.IMAGE]
_KNOWN = ", ".join(f"'{uri}'" for uri in (*NAMESPACES, "http://www.w3.org/2001/XMLSchema-instance"))
_XSI = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_PICTURE = "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
_PICTURED = PAGE.replace("</url>", f"{_PICTURE}</url>")
_BOUND = f' xmlns:image="{_IMAGE}"'

_engine_rule = partial(engine_rule, good=whole(_PICTURED, attributes=_BOUND))

RULES = (
    _engine_rule(
        "X020",
        why="A prefix has no meaning without a declaration. Strict readers reject the file, others "
        "ignore the elements.",
        fix_hint='Declare the prefix on the root element: xmlns:image="…"',
        source="https://www.w3.org/TR/xml-names/#nsc-NSDeclared",
        bad=whole(_PICTURED),
    ),
    _engine_rule(
        "S002",
        why="The protocol requires the namespace. Without it, strict readers find no sitemap, and "
        "Search Console reports an error.",
        fix_hint=f'Add xmlns="{SITEMAP_NS}" to the root',
        source=f"{_PROTOCOL}#urlsetdef",
        bad=whole().replace(f' xmlns="{SITEMAP_NS}"', ""),
        good=whole(),
    ),
    _engine_rule(
        "S003",
        why="A namespace is a name, not an address. With https instead of http, or with a slash at "
        "the end, it is a different name, and strict readers find no sitemap.",
        fix_hint=f'Write xmlns="{SITEMAP_NS}", byte for byte',
        source=f"{_PROTOCOL}#urlsetdef",
        bad=whole().replace(SITEMAP_NS, SITEMAP_NS.replace("http:", "https:")),
        good=whole(),
    ),
    _engine_rule(
        "S004",
        why="A namespace is a name, not an address. If any byte differs, search engines ignore the "
        "images, videos or links.",
        fix_hint="Copy the namespace from the documentation of the extension",
        source=_COMBINING,
        bad=whole(_PICTURED, attributes=_BOUND.replace("http:", "https:")),
    ),
    rule(
        "S005 unknown-namespace info",
        message="Elements in the namespace {uri}, which no search engine is known to read "
        "(entries: {n:,})",
        sql=rf"""
            SELECT document, min("offset") AS "offset", min(line) AS line, uri,
                count(DISTINCT entry) AS n
            FROM (
                SELECT document, entry, "offset", line, unnest(list_distinct(regexp_extract_all(
                    extra, '\sxmlns(?::[^\s=]+)?="([^"]+)"', 1))) AS uri
                FROM urls WHERE contains(extra, 'xmlns')
            )
            WHERE uri NOT IN ({_KNOWN})
            GROUP BY document, uri""",
        why="The protocol allows custom extensions, and readers skip unknown ones. If no extension "
        "was intended, the namespace of another extension may be misspelled.",
        fix_hint="Nothing, if the extension is your own; otherwise use the namespace of the "
        "intended extension",
        source=_EXTENDING,
        bad=whole(
            PAGE.replace("</url>", "<shop:price>9</shop:price></url>"),
            attributes=' xmlns:shop="https://example.com/shop"',
        ),
        good=whole(_PICTURED, attributes=_BOUND),
        is_default=False,
    ),
    _engine_rule(
        "S011",
        why="Without the prefix it is not an element of the extension, and search engines ignore "
        "it.",
        fix_hint="Write the prefix of the extension, and declare it on the root",
        source=_COMBINING,
        bad=whole(_PICTURED.replace("image:", "")),
    ),
    rule(
        "S023 schema-location info",
        message="{name} {fault}",
        sql=r"""
            SELECT *, CASE
                WHEN other <> 'http://www.w3.org/2001/XMLSchema-instance'
                    THEN 'has a prefix that stands for ' || other
                WHEN len(parts) % 2 = 1
                    THEN 'has an odd number of parts, expected pairs of namespace and schema'
                WHEN swapped IS NOT NULL
                    THEN 'names the schema ' || swapped || ' where a namespace is expected'
                WHEN kind = 'urlset' AND contains(value, '/siteindex.xsd')
                    THEN 'names the schema of indexes in a sitemap: siteindex.xsd'
                WHEN kind = 'index' AND contains(value, '/sitemap.xsd')
                    THEN 'names the schema of sitemaps in an index: sitemap.xsd'
                END AS fault
            FROM (
                SELECT *, list_filter(parts, lambda part, position:
                    position % 2 = 1 AND ends_with(lower(part), '.xsd'))[1] AS swapped
                FROM (
                    SELECT *, list_filter(string_split_regex(value, '\s+'),
                        lambda part: part <> '') AS parts
                    FROM markup WHERE fact = 'schema-location'
                )
            )
            WHERE fault IS NOT NULL""",
        needs=("markup",),
        why="Only validation against the schemas uses this attribute, and it finds no schema or "
        "the wrong one. Search engines do not need it.",
        fix_hint="Remove the attribute, or write each namespace with the URL of its schema",
        source=f"{_PROTOCOL}#validating",
        bad=whole(attributes=f'{_XSI} xsi:schemaLocation="{SITEMAP_NS}"'),
        good=whole(attributes=f'{_XSI} xsi:schemaLocation="{SITEMAP_NS} {SITEMAP_NS}/sitemap.xsd"'),
        is_default=False,
    ),
    rule(
        "P005 unused-namespace info",
        message="Declared but not used: {names}",
        requires_rows="unused_namespaces",
        sql="""
            SELECT document, min("offset") AS "offset", min(line) AS line,
                string_agg('xmlns:' || name, ', ' ORDER BY "offset") AS names
            FROM markup WHERE fact = 'unused' GROUP BY document""",
        needs=("markup",),
        why="An unused declaration has no effect. If images, videos or links were intended, they "
        "are missing.",
        fix_hint="Remove the declaration, or add the elements that it was declared for",
        source="https://www.w3.org/TR/xml-names/#ns-decl",
        bad=whole(attributes=_BOUND),
        good=whole(_PICTURED, attributes=_BOUND),
    ),
)

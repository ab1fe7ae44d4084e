"""Rules about elements: structure, namespaces, and text, such as escaping (codes S…, X… and P…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import PAGE, index_of, whole
from urlset.checker.rule import engine_rule, rule
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS, Ns

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_FORMAT = f"{_PROTOCOL}#xmlTagDefinitions"
_INDEX = f"{_PROTOCOL}#index"
_SCHEMA = "https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"
_ERRORS = "https://support.google.com/webmasters/answer/7451001"
_CHILD = index_of("pages.xml")
_DATE = "<lastmod>2026-11-20T08:00:00Z</lastmod>"
_GOOD_INDEX = {"sitemap.xml": _CHILD, "pages.xml": PAGE}

_EXTENDING = f"{_PROTOCOL}#extending"
_COMBINING = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions"
_IMAGE = URIS[Ns.IMAGE]
_KNOWN = ", ".join(f"'{uri}'" for uri in (*NAMESPACES, "http://www.w3.org/2001/XMLSchema-instance"))
_XSI = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_PICTURE = "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
_PICTURED = PAGE.replace("</url>", f"{_PICTURE}</url>")
_BOUND = f' xmlns:image="{_IMAGE}"'


def _with(element: str) -> str:
    return PAGE.replace("</url>", f"{element}</url>")


_engine_rule = partial(engine_rule, source=_FORMAT, good=PAGE)
_schema_rule = partial(_engine_rule, source=_SCHEMA)
_namespace_rule = partial(engine_rule, good=whole(_PICTURED, attributes=_BOUND))

RULES = (
    _engine_rule(
        "S001",
        why="Search engines identify a file by its root element, and ignore a file with an unknown "
        "root.",
        fix_hint="Use <urlset> or <sitemapindex> as the root",
        bad="<pages><page>https://example.com/</page></pages>",
    ),
    _engine_rule(
        "S006",
        why="XML is case-sensitive, so <URL> is not <url>. Most readers find no URL in such a "
        "file.",
        fix_hint="Write the tag in lower case",
        bad=whole(PAGE.replace("url>", "URL>")),
    ),
    _engine_rule(
        "S007",
        why="An entry without a URL lists nothing, and Search Console reports it as an error.",
        fix_hint="Add a <loc>, or remove the entry",
        source=f"{_PROTOCOL}#locdef",
        bad=f"<url>{_DATE}</url>\n{PAGE}",
    ),
    _schema_rule(
        "S008",
        why="An entry has one URL and one date. Some readers use the first, some the last, and "
        "some neither.",
        fix_hint="Keep one of them; a second URL needs its own entry",
        bad=PAGE.replace(_DATE, _DATE * 2),
    ),
    _engine_rule(
        "S010",
        why="The sitemap namespace has no such element here, and search engines report it. "
        "Elements for other purposes belong in a separate namespace.",
        fix_hint="Remove the element",
        bad=PAGE.replace("</url>", "<title>Home</title></url>"),
    ),
    _schema_rule(
        "S012",
        why="The elements of the protocol have no attributes. Readers ignore them, and validation "
        "against the schema fails.",
        fix_hint="Remove the attribute",
        bad=whole(PAGE.replace("<url>", '<url id="1">')),
    ),
    _engine_rule(
        "S014",
        why="A file is either a sitemap, which lists pages, or an index, which lists sitemaps. In "
        "a file that is both, most readers treat a page as a sitemap, or drop one of the two.",
        fix_hint="Split it into two files: an index of sitemaps, and a sitemap",
        source=_INDEX,
        bad={"sitemap.xml": f"{PAGE}\n{_CHILD}", "pages.xml": PAGE.replace(".com/", ".com/a")},
        good=_GOOD_INDEX,
    ),
    _engine_rule(
        "S015",
        why="The entries are one level too deep for many readers, which find none. Usually "
        "complete files were joined instead of their entries.",
        fix_hint="Remove the inner root, and keep its content",
        bad=whole(f"<urlset>\n{PAGE}\n</urlset>"),
        good=whole(),
    ),
    _engine_rule(
        "S016",
        why="Most readers look for <url> and then for its <loc>, and ignore this one.",
        fix_hint="Put the <loc> in a <url>, or in a <sitemap>",
        bad=whole(f"<loc>https://example.com/about</loc>\n{PAGE}"),
    ),
    rule(
        "S018 element-order info",
        message="<{name}> comes after <{value}>; the schema has it before (entries: {times:,})",
        view="markup",
        where="fact = 'order'",
        needs=("order",),
        why="The schema has loc, lastmod, changefreq, priority and then extensions. The protocol "
        "and Google accept any order. Only validation against the schema fails.",
        fix_hint="Nothing, unless you validate against the schema; `urlset build` writes this "
        "order",
        source=_SCHEMA,
        bad=f"<url>{_DATE}<loc>https://example.com/</loc></url>",
        good=PAGE,
        is_default=False,
    ),
    _engine_rule(
        "S021",
        why="Search engines report a sitemap without URLs. Usually it was written too early, or "
        "nothing was found. For a news sitemap it is normal.",
        fix_hint="List URLs, or remove the sitemap and all references to it",
        source=_ERRORS,
        bad=whole(""),
        good=whole(),
    ),
    _engine_rule(
        "S022",
        why="An index uses only <loc> and <lastmod>. The other elements are for pages.",
        fix_hint="Remove the element",
        source=_INDEX,
        bad={**_GOOD_INDEX, "sitemap.xml": _CHILD.replace("</s", "<priority>0.5</priority></s")},
        good=_GOOD_INDEX,
    ),
    _engine_rule(
        "X022",
        why="Readers unescape once, so &amp; remains in the URL. Usually two programs escaped it.",
        fix_hint="Escape once: &amp; instead of &amp;amp;",
        source=f"{_PROTOCOL}#escaping",
        bad=PAGE.replace(".com/", ".com/?size=1&amp;amp;color=2"),
        good=PAGE.replace(".com/", ".com/?size=1&amp;color=2"),
    ),
    _engine_rule(
        "X023",
        why="It is well-formed, but many readers cut the value at the comment and request a wrong "
        "URL.",
        fix_hint="Move the comment out of the value",
        source="https://www.w3.org/TR/xml/#sec-comments",
        bad=PAGE.replace(".com/", ".com/<!-- home -->"),
        good=PAGE.replace("<loc>", "<!-- home --><loc>"),
    ),
    _schema_rule(
        "S009",
        why="An empty element has no meaning, and the schema does not allow it. Search Console "
        "reports an invalid value.",
        fix_hint="Remove the element, or add a value",
        bad="<url><loc>https://example.com/</loc><lastmod></lastmod></url>",
    ),
    _schema_rule(
        "S013",
        why="Text outside of elements has no meaning. If it is a URL, most readers find no URL in "
        "the entry.",
        fix_hint="Remove the text; a URL belongs in <url><loc>",
        bad=PAGE.replace("<url>", "<url>Home"),
    ),
    _schema_rule(
        "S017",
        why="A value is text. With an element inside, readers find no value or reject the file. A "
        "link usually comes from an editor of web pages.",
        fix_hint="Keep only text in the value",
        bad=PAGE.replace("https://example.com/", "<b>https://example.com/</b>"),
    ),
    _engine_rule(
        "S019",
        why="The protocol has seven values. Others are ignored, and Google and Bing ignore all of "
        "them.",
        fix_hint="Remove changefreq, or use always, hourly, daily, weekly, monthly, yearly or "
        "never",
        source=f"{_PROTOCOL}#changefreqdef",
        bad=_with("<changefreq>often</changefreq>"),
    ),
    _engine_rule(
        "S020",
        why="The protocol requires a decimal number from 0.0 to 1.0, with a point. Other values "
        "are ignored, and Google and Bing ignore all of them.",
        fix_hint="Remove priority, or use a number from 0.0 to 1.0",
        source=f"{_PROTOCOL}#prioritydef",
        bad=_with("<priority>0,8</priority>"),
    ),
    _namespace_rule(
        "X020",
        why="A prefix has no meaning without a declaration. Strict readers reject the file, others "
        "ignore the elements.",
        fix_hint='Declare the prefix on the root element: xmlns:image="…"',
        source="https://www.w3.org/TR/xml-names/#nsc-NSDeclared",
        bad=whole(_PICTURED),
    ),
    _namespace_rule(
        "S002",
        why="The protocol requires the namespace. Without it, strict readers find no sitemap, and "
        "Search Console reports an error.",
        fix_hint=f'Add xmlns="{SITEMAP_NS}" to the root',
        source=f"{_PROTOCOL}#urlsetdef",
        bad=whole().replace(f' xmlns="{SITEMAP_NS}"', ""),
        good=whole(),
    ),
    _namespace_rule(
        "S003",
        why="A namespace is a name, not an address. With https instead of http, or with a slash at "
        "the end, it is a different name, and strict readers find no sitemap.",
        fix_hint=f'Write xmlns="{SITEMAP_NS}", byte for byte',
        source=f"{_PROTOCOL}#urlsetdef",
        bad=whole().replace(SITEMAP_NS, SITEMAP_NS.replace("http:", "https:")),
        good=whole(),
    ),
    _namespace_rule(
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
    _namespace_rule(
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

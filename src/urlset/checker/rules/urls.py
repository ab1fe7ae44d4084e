"""Rules about the spelling of URLs, and about URLs that are not separate pages (codes U…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import entry
from urlset.checker.rule import engine_rule, rule
from urlset.url_patterns import (
    EMPTY_VALUES,
    IN_PATH,
    PLACEHOLDER,
    SEGMENT_PLACEHOLDER,
    SESSION,
    SITEMAP_NAME,
    TRACKING,
)

_HAS_TEMPLATE = (
    "(contains(loc, '{') OR contains(lower(loc), '%7b') OR contains(loc, '<%') "
    f"OR contains(loc, 'object')) AND regexp_matches(loc, '{PLACEHOLDER}')"
)
_IS_UNFILLED = f"({_HAS_TEMPLATE} OR regexp_matches(rest, '{SEGMENT_PLACEHOLDER}'))"
_UNFILLED = (
    f"CASE WHEN {_HAS_TEMPLATE} THEN regexp_extract(loc, '{PLACEHOLDER}') "
    f"ELSE regexp_replace(regexp_extract(rest, '{SEGMENT_PLACEHOLDER}'), "
    "'^[/=]|[/?&;#]$', '', 'g') END"
)

_ILLEGAL = r'[\x00-\x20\x7f<>"{}|\\^`]'
_NOT_ASCII = r"[^\x00-\x7f]"
_BAD_PERCENT = "%([^0-9A-Fa-f]|[0-9A-Fa-f]([^0-9A-Fa-f]|$)|$)"
# A URL within a URL is correctly encoded again.
_IN_URL = "(?i)(:|%3a|%253a)(/|%2f|%252f){2}"
# "50%25de" is "50%de": two letters are text, unless they begin a character of several bytes.
_TWICE = "%25(?:[0-9][0-9A-Fa-f]|[A-Fa-f][0-9]|[A-Fa-f]{2}%25)"
_UNTIDY = "%([0-9A-Fa-f]?[a-f]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
_TIDY = (
    "origin_of(loc) || normalize_escapes(remove_dot_segments(path)) || normalize_escapes("
    "substr(rest, length(split_part(split_part(rest, '#', 1), '?', 1)) + 1))"
)


_PARAMETER = f"(?i)(?:^|[&;])({SESSION}|{TRACKING})(?:=|&|;|$)"
# Every loc with such a parameter matches this; it is cheaper than extracting the query.
_MAY_HAVE = f"(?i)[?&;](?:{SESSION}|{TRACKING})(?:=|&|;|#|$)"

# Not included: files that browsers show as a page (text, PDF, office), XML, which may be either,
# and files that Google indexes as documents.
_FILES = (
    "css|mjs|cjs|wasm|webmanifest|png|jpe?g|jfif|gif|webp|avif|svgz?|ico|bmp|tiff?|heic|apng|psd|"
    "woff2?|ttf|otf|eot|zip|gz|tgz|tar|bz2|xz|7z|rar|jar|exe|dmg|msi|apk|deb|rpm|iso|"
    "mp3|mp4|m4a|m4v|m4s|webm|og[gva]|wav|flac|aac|avi|mov|wmv|mkv|flv|mpe?g|m3u8|swf|ics|vcf|"
    "rss|atom|json|min\\.js|(?:bundle|chunk)\\.js|(?:js|css|mjs)\\.map"
)
# "node.js" and "package.json" are names that pages have, too.
_SCRIPTS = "/(?:js|javascripts?|scripts?|assets?|static|dist|build|vendor|_next|_nuxt|wp-[a-z]+)/"
_ROOT_SCRIPTS = "^/(?:main|app|index|script|sw|service-worker|bundle|vendor|runtime)\\.js$"
_NAMED = "/(?:package|tsconfig|jsconfig|composer|manifest|vercel|angular)\\.json$"
_TYPE = f"(?i)/[^/:]*[^/:.][^/:]*\\.({_FILES})$"
_IS_FILE = (
    "contains(path, '.') AND ("
    f"(regexp_matches(path, '{_TYPE}') AND NOT contains(lower(path), '%3a') "
    f"AND NOT regexp_matches(path, '{_NAMED}')) OR (suffix(path, '.js') AND "
    f"regexp_matches(path, '{_SCRIPTS}|{_ROOT_SCRIPTS}')))"
)
_IS_PAGE = "kind <> 'index'"


_rule = partial(rule, view="unusual_urls", element="loc")
_engine_rule = partial(
    engine_rule,
    source="https://www.sitemaps.org/protocol.html#locdef",
    good=entry("https://example.com/about"),
)

RULES = (
    _engine_rule(
        "U001",
        why="A sitemap lists full URLs. Most readers drop a path; the others resolve it in "
        "different ways.",
        fix_hint="Write the full URL with https:// and the host",
        bad=entry("/about"),
    ),
    _engine_rule(
        "U002",
        why="Crawlers fetch pages over HTTP only. Entries with mailto:, javascript: or ftp: are "
        "dropped.",
        fix_hint="List the http or https URL of a page, or remove the entry",
        bad=entry("mailto:me@example.com") + entry("https://example.com/contact"),
        good=entry("https://example.com/contact"),
    ),
    _engine_rule(
        "U003",
        why="The protocol requires fewer than 2,048 characters. Longer URLs are dropped, and "
        "servers and caches may cut them.",
        fix_hint="Shorten the URL; usually it has a query that no page needs",
        bad=entry(f"https://example.com/?filter={'a' * 2030}"),
        good=entry("https://example.com/filtered"),
    ),
    _rule(
        "U004 loc-too-short info",
        message="URL has {n} characters, fewer than the 12 of the schema",
        view="locs",
        where="length(loc) < 12",
        values={"n": "length(loc)"},
        why="The XML schema of the protocol requires at least 12 characters. The protocol itself "
        "does not, and https://t.co is a URL.",
        fix_hint="Nothing, unless you validate against the schema",
        source="https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        bad={"http://a.io/sitemap.xml": entry("http://a.io")},
        good=entry("https://example.com/"),
        is_default=False,
    ),
    _engine_rule(
        "U005",
        why="White space is not part of the URL. Some readers keep it and request a page that does "
        "not exist. XML does not trim spaces that are not ASCII.",
        fix_hint="Write the URL directly between its tags",
        source="https://www.w3.org/TR/xmlschema-2/#anyURI",
        bad=entry("\n  https://example.com/about\n  "),
    ),
    _engine_rule(
        "U006",
        why="A URL must not contain a space. Readers cut the URL there, encode the space or drop "
        "the entry. Several URLs in one loc result in none.",
        fix_hint="Write %20 for a space in the URL, and only one URL in each entry",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-2",
        bad=entry("https://example.com/our team"),
        good=entry("https://example.com/our%20team"),
    ),
    _engine_rule(
        "U015",
        why="The host cannot be looked up, so the page cannot be fetched.",
        fix_hint="Correct the host name, which is usually a setting of the generator",
        source="https://www.rfc-editor.org/rfc/rfc1123#section-2.1",
        bad=entry("https://example..com/about") + entry("https://example.com/contact"),
    ),
    _rule(
        "U007 loc-illegal-character error",
        message="Character {character} must be percent-encoded, as {encoded}",
        where=f"regexp_matches(loc, '{_ILLEGAL}') AND NOT {_IS_UNFILLED}",
        values={
            "character": f"CASE WHEN regexp_extract(loc, '{_ILLEGAL}') BETWEEN '!' AND '}}' "
            f"THEN regexp_extract(loc, '{_ILLEGAL}') "
            f"ELSE printf('U+%04X', ascii(regexp_extract(loc, '{_ILLEGAL}'))) END",
            "encoded": f"printf('%%%02X', ascii(regexp_extract(loc, '{_ILLEGAL}')))",
        },
        why="A URL must not contain these characters. Browsers repair them in different ways; a "
        "crawler may drop the URL or request another one.",
        fix_hint="Percent-encode the character",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-2",
        bad=entry("https://example.com/a|b"),
        good=entry("https://example.com/a%7Cb"),
    ),
    _rule(
        "U008 loc-not-percent-encoded warning",
        message="{character} is not ASCII and should be percent-encoded, as {encoded}",
        where=f"strlen(loc) > length(loc) AND regexp_matches(path || query, '{_NOT_ASCII}')",
        values={
            "character": f"regexp_extract(path || query, '{_NOT_ASCII}')",
            "encoded": f"coalesce(try(url_encode(regexp_extract(path || query, '{_NOT_ASCII}'))), "
            "'UTF-8')",
        },
        why="The protocol requires escaped URLs. Readers that do not expect other characters "
        "encode them differently, or fail.",
        fix_hint="Percent-encode path and query as UTF-8",
        source="https://www.sitemaps.org/protocol.html#escaping",
        bad=entry("https://example.com/über"),
        good=entry("https://example.com/%C3%BCber"),
    ),
    _rule(
        "U010 loc-bad-percent error",
        message="{piece} is not a percent sign with two hex digits; a percent sign is written %25",
        where="contains(loc, '%') "
        f"AND regexp_matches(loc, '{_BAD_PERCENT}') AND NOT {_IS_UNFILLED}",
        values={"piece": f"'\"' || regexp_extract(loc, '{_BAD_PERCENT}') || '\"'"},
        why="The meaning of such a URL is undefined. Servers respond with an error or with another "
        "page.",
        fix_hint="Write %25 for a percent sign, or add the missing digits",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-2.1",
        bad=entry("https://example.com/100%-wool"),
        good=entry("https://example.com/100%25-wool"),
    ),
    _rule(
        "U011 loc-double-encoded info",
        message="URL looks percent-encoded twice: {piece}",
        where=f"contains(loc, '%25') AND (regexp_matches(path, '{_TWICE}') OR "
        f"(regexp_matches(query, '{_TWICE}') "
        f"AND NOT regexp_matches(query, '{_IN_URL}')))",
        values={"piece": f"left(regexp_extract(loc, '{_TWICE}'), 5)"},
        why="A URL that is encoded twice names another page, which usually does not exist.",
        fix_hint="Encode each URL once",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-2.4",
        bad=entry("https://example.com/our%2520team"),
        good=entry("https://example.com/our%20team"),
    ),
    _rule(
        "U017 loc-not-normalised info",
        message="URL is not in normal form, which is {tidy}",
        sql=f"""
            SELECT * FROM (
                SELECT *, {_TIDY} AS tidy FROM locs
                WHERE NOT contains(authority_of(loc), '@')
                    AND (contains(path, '/.') OR NOT regexp_matches(loc, '^https?://[^/?#:A-Z]+/')
                        OR (contains(loc, '%') AND regexp_matches(loc, '{_UNTIDY}')))
            ) WHERE tidy <> loc""",
        why="RFC 3986 defines one normal form for equivalent spellings. If all use it, a page is "
        "not counted twice.",
        fix_hint="Write scheme and host in lower case, %XX in upper case, and no dot segments",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2",
        bad=entry("https://EXAMPLE.com/%7eme/./a"),
        good=entry("https://example.com/~me/a"),
        is_default=False,
        view=None,
    ),
    _rule(
        "U019 loc-placeholder error",
        message="URL contains the unfilled template value {value}",
        where=_IS_UNFILLED,
        values={"value": _UNFILLED},
        # A dictionary may have a page about the word "null", but no site has one about {slug}.
        level_sql=f"CASE WHEN ((regexp_matches(path, '/({EMPTY_VALUES})/?$') AND query = '') "
        "OR regexp_matches(query, '=(undefined|NaN)(&|;|$)')) "
        f"AND NOT ({_HAS_TEMPLATE}) THEN 'warning' ELSE 'error' END",
        why="A generator wrote the name of a variable instead of its value. The page does not "
        "exist, and the intended pages are not listed.",
        fix_hint="Correct the template, or omit entries without a value",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
        bad=entry("https://example.com/blog/[slug]"),
        good=entry("https://example.com/blog/rye-bread"),
    ),
    _rule(
        "U022 loc-double-slash info",
        message='Empty path segment ("//") in {path}',
        # A URL inside the path is intended, as in archives; a path that is a URL was joined.
        where="contains(path, '//') AND (contains(replace(path, '://', ':'), '//') "
        "OR regexp_matches(path, '^/https?://'))",
        why="Usually a base URL that ends with a slash was joined with a path that begins with "
        "one. Servers that accept both have the page twice.",
        fix_hint="Write one slash",
        source="https://developers.google.com/search/docs/crawling-indexing/url-structure",
        bad=entry("https://example.com//about"),
        good=entry("https://example.com/about"),
    ),
    _rule(
        "U012 loc-fragment warning",
        message="URL has a fragment (#{fragment})",
        where="contains(loc, '#') AND fragment <> ''",
        why="Search engines drop the text after #, so several entries become one. A page that only "
        "exists behind a fragment is never found.",
        fix_hint="Remove the fragment, and list each page once",
        source="https://developers.google.com/search/docs/crawling-indexing/url-structure",
        bad=entry("https://example.com/#about"),
        good=entry("https://example.com/about"),
    ),
    _rule(
        "U018 loc-session-or-tracking warning",
        message="Parameter {parameter} is {role}",
        view="parameterized",
        where=f"{_IS_PAGE} AND (CASE WHEN regexp_matches(loc, '{_MAY_HAVE}') "
        f"THEN regexp_matches(query, '{_PARAMETER}') ELSE false END "
        "OR CASE WHEN contains(loc, ';') OR contains(loc, '(') "
        f"THEN regexp_matches(path, '{IN_PATH}') ELSE false END)",
        values={
            "parameter": "coalesce("
            f"nullif(split_part(regexp_extract(query, '{_PARAMETER}', 1), '=', 1), ''), "
            f"nullif(regexp_extract(path, '{IN_PATH}', 1), ''), "
            f"regexp_extract(path, '{IN_PATH}', 2))",
            "role": f"CASE WHEN regexp_matches(query, '(?i)(?:^|[&;])({TRACKING})(?:=|&|;|$)') "
            f"AND NOT regexp_matches(query, '(?i)(?:^|[&;])({SESSION})(?:=|&|;|$)') "
            "THEN 'a tracking tag' ELSE 'a session id' END",
        },
        why="The page is the same without the parameter. With it, crawlers see many URLs for one "
        "page, and campaign statistics count their visits.",
        fix_hint="List the URL without the parameter",
        source="https://www.sitemaps.org/faq.html",
        bad=entry("https://example.com/shoes?utm_source=newsletter"),
        good=entry("https://example.com/shoes?page=2"),
    ),
    _rule(
        "U020 loc-not-a-page info",
        message="A {type} file is not a page",
        where=f"{_IS_PAGE} AND {_IS_FILE}",
        values={"type": "'.' || lower(regexp_extract(path, '\\.([^./]*)$', 1))"},
        why="A sitemap lists pages for search results. Images and videos belong to the entry of "
        "their page; styles, scripts and archives do not belong in a sitemap.",
        fix_hint="Remove the entry, or list an image as image:loc in the entry of its page",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
        bad=entry("https://example.com/photos/rye.jpg"),
        good=entry("https://example.com/photos/rye"),
    ),
    _rule(
        "U021 loc-is-sitemap warning",
        partition="loc",
        message="{role} is listed as a page",
        requires_rows="unusual_urls sitemaps urls_of_documents",
        sql=f"""
            SELECT l.document, l."offset", l.line, l.loc, CASE WHEN path = '/robots.txt'
                THEN 'A robots.txt' WHEN loc = sitemap THEN 'The sitemap itself'
                ELSE 'A sitemap' END AS role
            FROM (SELECT document, "offset", line, loc, sitemap, path FROM unusual_urls
                WHERE kind <> 'index' AND (path = '/robots.txt'
                OR ((contains(path, '.xml') OR contains(path, '.txt')) AND regexp_matches(path,
                    '{SITEMAP_NAME}')))
                UNION
                SELECT e.document, e."offset", e.line, e.loc, s.url, path_of(e.loc)
                FROM entries e JOIN readable s ON s.document = e.document
                WHERE e.loc IN (SELECT url FROM readable UNION SELECT loc FROM sitemaps)) l""",
        why="Crawlers treat every URL in a sitemap as a page. A sitemap is useless among search "
        "results, and its URLs are not read.",
        fix_hint="Remove the entry, and name the sitemap in an index or in robots.txt",
        source="https://www.sitemaps.org/protocol.html#index",
        bad=entry("https://example.com/sitemap.xml"),
        good=entry("https://example.com/sitemap"),
        view=None,
    ),
)

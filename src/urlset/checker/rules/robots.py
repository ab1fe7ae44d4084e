"""Rules about robots.txt: its content, and its rules for listed URLs (codes R…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import PAGE, Many, Piece
from urlset.checker.rule import engine_rule, rule
from urlset.protocol import WELL_KNOWN_PATHS

_PROTOCOL = "https://www.sitemaps.org/protocol.html#submit_robots"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
_SITEMAP = "Sitemap: https://example.com/sitemap.xml"


def _site(robots: Piece, sitemap: str = PAGE) -> dict[str, Piece]:
    return {"robots.txt": robots, "sitemap.xml": sitemap}


_GOOD = _site(_SITEMAP)
_NO_CART = f"User-agent: *\nDisallow: /cart/\n{_SITEMAP}"

_IS_HTML = (
    r"regexp_matches(left(text, 2000), '(?is)^\s*<(!doctype html|html|head|body|!--.*<html)')"
)

_RFC = "https://www.rfc-editor.org/rfc/rfc9309#section-2.2"

_OFFICIAL = ("user-agent", "allow", "disallow", "sitemap", "crawl-delay")
_KNOWN = (
    *_OFFICIAL,
    *("clean-param", "host"),  # Yandex
    *("request-rate", "visit-time"),  # Seznam and others
    *("content-signal", "content-usage", "license"),  # use by AI: Cloudflare, IETF, RSL
    "schemamap",  # NLWeb
)
"""Names of lines that crawlers document, or specifications define."""


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


# The names of lines, each once, with the nearest of those that all crawlers know. R003 reports
# lines that mean a sitemap.
_DIRECTIVES = rf"""
    SELECT source, name, min(line) AS line, count(*) AS n,
        any_value(list_sort([{{'d': damerau_levenshtein(name, k), 'k': k}}
            FOR k IN [{_quoted(_OFFICIAL)}]])[1].k) AS known,
        any_value(list_min([damerau_levenshtein(name, k)
            FOR k IN [{_quoted(_OFFICIAL)}]])) <= 2 AND length(name) > 3 AS is_near
    FROM (
        SELECT source, line, lower(regexp_extract(text,
            '^\x{{FEFF}}?\s*([A-Za-z][A-Za-z_ -]{{0,38}}?)\s*:', 1)) AS name
        FROM (SELECT url AS source, unnest(texts) AS text, generate_subscripts(texts, 1) AS line
            FROM (SELECT url, string_split_regex(text, '\r\n|\r|\n') AS texts
                FROM robots WHERE state = 'read' AND NOT coalesce({_IS_HTML}, false))))
    ANTI JOIN (SELECT source, line FROM problems WHERE code = 'R003') USING (source, line)
    WHERE name <> '' GROUP BY source, name"""

_PATHS = ", ".join(f"'{path}'" for path in WELL_KNOWN_PATHS)

_rule = partial(
    rule, partition="all", requires_rows="declared", needs=("robots",), source=_GOOGLE, good=_GOOD
)
_engine_rule = partial(engine_rule, source=_GOOGLE, needs=("robots",), good=_GOOD)

RULES = (
    _rule(
        "R001 robots-no-sitemap warning",
        message="robots.txt has no Sitemap line",
        # An invalid line has its own finding.
        sql=f"""
            SELECT url AS source FROM robots
            WHERE state = 'read' AND len(sitemaps) = 0
                AND NOT coalesce({_IS_HTML}, false)
                AND url NOT IN (SELECT source FROM problems
                    WHERE document IS NULL AND source IS NOT NULL AND code IN ('R002', 'R003'))
                AND host_of(url) IN (SELECT host FROM readable WHERE host IS NOT NULL)""",
        why="All search engines look for sitemaps in robots.txt. Without the line, the sitemap "
        "must be submitted to each of them.",
        fix_hint="Add a line with the full URL, such as Sitemap: https://example.com/sitemap.xml",
        source=_PROTOCOL,
        bad=_site("User-agent: *\nDisallow: /cart/"),
    ),
    _engine_rule(
        "R002",
        why="A Sitemap line may name any host, so its URL must be absolute. Search engines ignore "
        "a path.",
        fix_hint="Write the full URL, with https:// and the host",
        source=_PROTOCOL,
        bad=_site("Sitemap: /sitemap.xml"),
    ),
    _engine_rule(
        "R003",
        why="Some search engines guess the intended line. Others skip it, and with it the sitemap.",
        fix_hint="Write one line for each sitemap, with only Sitemap: and its URL",
        bad=_site(_SITEMAP.replace(":", "s:", 1)),
    ),
    _rule(
        "R004 robots-sitemap-duplicate info",
        message="{loc} is declared {n:,} times",
        sql=r"""
            WITH lines AS (
                SELECT url AS source, unnest(texts) AS text, generate_subscripts(texts, 1) AS line
                FROM (SELECT url, string_split_regex(text, '\r\n|\r|\n') AS texts
                    FROM robots WHERE state = 'read' AND len(sitemaps) > 0)),
            values AS (
                SELECT source, line,
                    regexp_extract(text, '(?i)^\s*sitemap\s*:\s*(https?://[^\s#]+)', 1) AS loc
                FROM lines WHERE contains(lower(text), 'sitemap'))
            SELECT source, line, loc, n FROM (
                SELECT *, count(*) OVER same AS n,
                    row_number() OVER (PARTITION BY source, loc ORDER BY line) AS place
                FROM values WHERE loc <> '' WINDOW same AS (PARTITION BY source, loc))
            WHERE place = 2""",
        why="A Sitemap line applies to all crawlers, independent of its position. It does not have "
        "to be repeated in each group.",
        fix_hint="Keep one line for each sitemap",
        source=_PROTOCOL,
        bad=_site(f"{_SITEMAP}\n{_SITEMAP}"),
    ),
    _rule(
        "R005 robots-sitemap-variant warning",
        message="Declared as {declared}; the site is {site}",
        sql="""
            SELECT source, line, loc, origin_of(loc) AS declared, site FROM (
                SELECT r.url AS source, unnest(r.sitemaps).line AS line,
                    unnest(r.sitemaps).url AS loc,
                    origin_of(coalesce(r.final_url, r.url)) AS site
                FROM robots r WHERE r.state = 'read')
            WHERE origin_of(loc) <> site AND regexp_replace(host_of(loc), '^www\\.', '')
                = regexp_replace(host_of(site), '^www\\.', '')
                AND port_of(origin_of(loc)) = port_of(site)""",
        why="Each scheme and each host is a separate site. A redirected sitemap is fetched later, "
        "and its final location may not match the URLs in it.",
        fix_hint="Declare the sitemap with the scheme and host of the site",
        bad=_site(_SITEMAP.replace("https:", "http:")),
    ),
    _engine_rule(
        "R006",
        why="Google reads the first 500 KiB and ignores the rest, including its Sitemap lines.",
        fix_hint="Shorten it with patterns that cover many paths, and put Sitemap lines first",
        bad=_site((_SITEMAP, Many("# a comment that is the same in each line", 12_500))),
    ),
    _engine_rule(
        "R007",
        why="A robots.txt is UTF-8. Other bytes may hide the first line, or all lines.",
        fix_hint="Save it as UTF-8 without a byte order mark",
        source="https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
        bad=_site(b"\xef\xbb\xbf" + _SITEMAP.encode()),
    ),
    _rule(
        "R008 robots-is-html warning",
        message="robots.txt is an HTML page",
        sql=f"SELECT url AS source FROM robots WHERE state = 'read' AND {_IS_HTML}",
        why="A server that returns its home page for every URL has no robots.txt: nothing is "
        "disallowed and no sitemap is declared.",
        fix_hint="Publish a text file there, or respond with status 404",
        bad=_site("<!DOCTYPE html>\n<html><title>Example</title></html>"),
    ),
    _rule(
        "R009 sitemap-disallowed error",
        message="{loc} is disallowed for {agent} by {robots}",
        sql="SELECT document, url AS loc, robots, agent FROM disallowed WHERE entry IS NULL",
        why="Crawlers do not fetch a sitemap that robots.txt disallows, so none of its URLs is "
        "found.",
        fix_hint="Allow it in robots.txt with a line such as Allow: /sitemap.xml",
        bad=_site(f"User-agent: *\nDisallow: /*.xml$\n{_SITEMAP}"),
        good=_site(f"User-agent: *\nDisallow: /*.xml$\nAllow: /sitemap.xml\n{_SITEMAP}"),
    ),
    _rule(
        "R010 url-disallowed warning",
        partition="loc",
        heading="Listed URLs that robots.txt disallows",
        message="{url} is disallowed for {agent} by {robots}",
        sql="""
            SELECT e.document, e."offset", e.line, e.loc, d.nth, coalesce(d.url, e.loc) AS url,
                d.robots, d.agent
            FROM entries e SEMI JOIN readable s USING (document)
            JOIN disallowed d ON d.document = e.document AND d.entry = e.entry""",
        element="loc",
        needs=("robots", "set"),
        why="The sitemap lists the URL, but robots.txt disallows it. It is not fetched, and Search "
        "Console reports an error. The same applies to images and videos of a page.",
        fix_hint="Remove it from the sitemap, or allow it in robots.txt",
        bad=_site(_NO_CART, PAGE.replace("com/", "com/cart/")),
        good=_site(_NO_CART),
    ),
    _rule(
        "R011 robots-sitemap-not-a-sitemap warning",
        heading="Sitemaps in robots.txt that are no sitemaps",
        message="{loc} is not a sitemap but {role}",
        sql="""
            SELECT source, line, loc, role FROM (
                SELECT d.source, d.line, d.loc, CASE
                    WHEN path_of(d.loc) = '/robots.txt' THEN 'robots.txt itself'
                    WHEN k.kind = 'html' THEN 'an HTML page'
                    WHEN k.kind IS NULL AND path_of(d.loc) = '/' AND query_of(d.loc) = ''
                        THEN 'the home page'
                    END AS role
                FROM declared d LEFT JOIN (
                    SELECT r.address, any_value(s.kind) AS kind
                    FROM document_urls r JOIN sources s USING (document) GROUP BY r.address
                ) k ON k.address = normal_of(d.loc))
            WHERE role IS NOT NULL""",
        why="Search engines read the declared URL as a sitemap, find none and report an error.",
        fix_hint="Declare the URL of the sitemap itself, or remove the line",
        source=_PROTOCOL,
        bad=_site(f"{_SITEMAP}\nSitemap: https://example.com/"),
    ),
    _rule(
        "R012 cross-submit-unproven error",
        partition="scope",
        message="robots.txt of {host} does not declare this sitemap, which lists {n:,} of its URLs",
        # Once for each host. U028 reports entries of hosts whose robots.txt is unknown.
        sql="""
            SELECT document, host, count(*) AS n, min("offset") AS "offset", min(line) AS line,
                arg_min(loc, "offset") AS loc,
                CASE WHEN kind IN ('rss', 'atom') THEN 'warning' ELSE 'error' END AS level
            FROM url_scopes WHERE scope = 'host' AND host <> sitemap_host
                AND host IN (SELECT host FROM known_robots)
            GROUP BY document, kind, host""",
        element="loc",
        needs=("location", "robots"),
        why="A sitemap may list URLs of another host if the robots.txt of that host declares it, "
        "which proves that both belong together. Otherwise search engines drop the URLs.",
        fix_hint="Add a Sitemap line with the URL of this sitemap to the robots.txt of that host",
        source="https://www.sitemaps.org/protocol.html#sitemaps_cross_submits",
        bad={
            "sitemap.xml": PAGE.replace("//", "//shop."),
            "https://shop.example.com/robots.txt": "User-agent: *\nDisallow:",
        },
        good={
            "sitemap.xml": PAGE.replace("//", "//shop."),
            "https://shop.example.com/robots.txt": _SITEMAP,
        },
    ),
    _rule(
        "R013 sitemap-undiscoverable info",
        message="robots.txt does not declare it, and it is not at a standard location",
        # A sitemap in an index is found through it; I504 reports one that is missing there.
        sql=f"""
            SELECT document FROM readable s
            WHERE host IN (SELECT host FROM known_robots)
                AND kind IN ('urlset', 'index', 'text') AND loc IS NULL
                AND how NOT IN ('link', 'feed', 'index') AND path_of(url) NOT IN ({_PATHS})
                AND document NOT IN (SELECT document FROM declaring_hosts)
                AND normal_of(url) NOT IN (SELECT normal_of(loc) FROM listed)
                AND normal_of(url) NOT IN (SELECT normal_of(loc) FROM declared)
                AND (kind = 'index' OR host NOT IN (
                    SELECT host FROM readable WHERE kind = 'index' AND host IS NOT NULL))""",
        needs=("location", "robots"),
        why="A sitemap that nothing names, at an unusual location, is only found by search engines "
        "that it was submitted to.",
        fix_hint="Declare it in robots.txt, or move it to /sitemap.xml",
        source="https://www.sitemaps.org/protocol.html#informing",
        bad={**_GOOD, "hidden.xml": PAGE.replace("com/", "com/hidden")},
    ),
    _rule(
        "R016 robots-misspelled-directive warning",
        heading="Misspelled directives of robots.txt",
        message="{name} is read by few crawlers or none; did you mean {known}?",
        sql=f"""
            SELECT source, line, name, known FROM ({_DIRECTIVES})
            WHERE name NOT IN ({_quoted(_KNOWN)}) AND is_near""",
        why="Crawlers skip a line whose name they do not know. Google repairs a few misspellings "
        "of Disallow; other crawlers fetch what the line was meant to exclude.",
        added="Crawlers skip them, and fetch what they were meant to exclude.",
        fix_hint="Write the name as RFC 9309 does: User-agent, Allow, Disallow; or Sitemap",
        source=_RFC,
        bad=_site(f"User-agent: *\nDissalow: /cart/\n{_SITEMAP}"),
    ),
    _rule(
        "R017 robots-unknown-directive info",
        heading="Lines of robots.txt that no known crawler reads",
        message="{name} is a directive of no known crawler; it stands in {n:,} lines",
        sql=f"""
            SELECT source, line, name, n FROM ({_DIRECTIVES})
            WHERE name NOT IN ({_quoted(_KNOWN)}) AND NOT is_near""",
        why="Crawlers skip the line. Noindex and Nofollow in robots.txt have no effect, either: no "
        "engine supports them.",
        added="As R016; newer directives such as `Schemamap` and `Content-Signal` are known.",
        fix_hint="Remove the line, or say the same with a directive that crawlers document",
        source=_RFC,
        bad=_site(f"User-agent: *\nNoindex: /cart/\n{_SITEMAP}"),
    ),
)

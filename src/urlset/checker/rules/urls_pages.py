"""Rules about URLs that are not separate pages: fragments, tracking, files, sitemaps (codes U…)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule

__all__ = ["IN_PATH", "RULES", "SESSION", "SITEMAP_NAME", "TRACKING"]

# Names of parameters, in lower case. Session ids of Java, PHP, ASP, ColdFusion, osCommerce,
# Zen Cart, xt:Commerce, Magento and Perl's CGI::Session.
SESSION = (
    "jsessionid|phpsessid|aspsessionid[a-z]*|asp\\.net_sessionid|cfid|cftoken|oscsid|zenid|"
    "xtcsid|cgisessid|mscsid|sessionid|session_id|session-id|sessid|sess_id|php_session_id|"
    "(?:sid|s_id|session)=[0-9a-f-]{16,}|sid=[0-9A-Za-z]{24,}"
)
# Of Google, Microsoft, Meta, Yandex, X, TikTok, LinkedIn, Pinterest, Mailchimp, HubSpot, Marketo,
# Matomo, Adobe, Eloqua, Klaviyo, Vero, Oracle, Branch, and networks of affiliates.
TRACKING = (
    "utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|gad_source|gad_campaignid|srsltid|_ga|_gl|"
    "msclkid|fbclid|fb_action_ids|fb_action_types|fb_source|igshid|igsh|yclid|ysclid|_openstat|"
    "twclid|ttclid|li_fat_id|epik|mc_cid|mc_eid|_hsenc|_hsmi|__hssc|__hstc|__hsfp|hsctatracking|"
    "hsa_[a-z]+|mkt_tok|mtm_[a-z]+|matomo_[a-z]+|piwik_[a-z]+|pk_(?:campaign|kwd|keyword|source|"
    "medium|content|cid)|s_kwcid|ef_id|elqtrackid|elqtrack|_kx|vero_id|vero_conv|oly_enc_id|"
    "oly_anon_id|_branch_match_id|_bhlid|rb_clickid|wickedid|irclickid|cjevent|zanpid|ranmid|"
    "raneaid|ransiteid|sscid|dicbo|tblci|xtor|wt\\.mc_id|wt_mc|at_campaign|at_medium|guccounter|"
    "guce_referrer|spm=[0-9a-z_-]+\\.[0-9a-z_-]+\\.[0-9a-z._-]*|nr_email_referer|ck_subscriber_id|sc_eh|sc_lid|sc_uid"
)
_PARAMETER = f"(?i)(?:^|[&;])({SESSION}|{TRACKING})(?:=|&|;|$)"
# Every loc with such a parameter matches this; it is cheaper than extracting the query.
_MAY_HAVE = f"(?i)[?&;](?:{SESSION}|{TRACKING})(?:=|&|;|#|$)"
IN_PATH = r"(?i);((?:j|php)sess(?:ion)?id)=|/(\([AFS]\([0-9a-z]{20,}\)\))/"  # ASP.NET has no name

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
SITEMAP_NAME = r"(?i)/(sitemap([._-][^/]*)?|[^/]*[._-]sitemap|sitemap[0-9]+)\.(xml|txt)(\.gz)?$"
"""Regular expression for the end of a path that names a sitemap."""

_IS_PAGE = "kind <> 'index'"

RULES = (
    rule(
        "U012 loc-fragment warning",
        message="URL has a fragment (#{fragment})",
        view="unusual_urls",
        where="contains(loc, '#') AND fragment <> ''",
        element="loc",
        why="Search engines drop the text after #, so several entries become one. A page that only "
        "exists behind a fragment is never found.",
        fix_hint="Remove the fragment, and list each page once",
        source="https://developers.google.com/search/docs/crawling-indexing/url-structure",
        bad=entry("https://example.com/#about"),
        good=entry("https://example.com/about"),
        fix_safety="unsafe",
    ),
    rule(
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
        element="loc",
        why="The page is the same without the parameter. With it, crawlers see many URLs for one "
        "page, and campaign statistics count their visits.",
        fix_hint="List the URL without the parameter",
        source="https://www.sitemaps.org/faq.html",
        bad=entry("https://example.com/shoes?utm_source=newsletter"),
        good=entry("https://example.com/shoes?page=2"),
        fix_safety="unsafe",
    ),
    rule(
        "U020 loc-not-a-page info",
        message="A {type} file is not a page",
        view="unusual_urls",
        where=f"{_IS_PAGE} AND {_IS_FILE}",
        values={"type": "'.' || lower(regexp_extract(path, '\\.([^./]*)$', 1))"},
        element="loc",
        why="A sitemap lists pages for search results. Images and videos belong to the entry of "
        "their page; styles, scripts and archives do not belong in a sitemap.",
        fix_hint="Remove the entry, or list an image as image:loc in the entry of its page",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
        bad=entry("https://example.com/photos/rye.jpg"),
        good=entry("https://example.com/photos/rye"),
        fix_safety="unsafe",
    ),
    rule(
        "U021 loc-is-sitemap warning",
        message="{role} is listed as a page",
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
        element="loc",
        why="Crawlers treat every URL in a sitemap as a page. A sitemap is useless among search "
        "results, and its URLs are not read.",
        fix_hint="Remove the entry, and name the sitemap in an index or in robots.txt",
        source="https://www.sitemaps.org/protocol.html#index",
        bad=entry("https://example.com/sitemap.xml"),
        good=entry("https://example.com/sitemap"),
        fix_safety="unsafe",
    ),
)

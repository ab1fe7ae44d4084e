"""Rules about hosts, ports and credentials in URLs (group U)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule

__all__ = ["RULES"]

# RFC 2606, 6761, 6762, 8375, and the ICANN resolutions on home, corp and internal; example.com,
# example.net and example.org are left out, since they stand for any site.
_ENDINGS = (
    "localhost|localdomain|local|internal|intranet|private|lan|home|corp|home\\.arpa|test|"
    "example|invalid"
)
# RFC 6890: what is not routed.
_ADDRESSES = (
    r"(?:0|10|127|22[4-9]|2[34]\d|25[0-5])\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|"
    r"100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|192\.0\.[02]\.|198\.1[89]\.|198\.51\.100\.|"
    r"203\.0\.113\."
)
_IS_NOT_PUBLIC = (
    "(NOT contains(rtrim(host, '.'), '.') AND NOT starts_with(host, '[') "
    f"OR regexp_matches(host, '\\.(?:{_ENDINGS})\\.?$') "
    f"OR regexp_matches(host, '^(?:{_ADDRESSES})[0-9.]+$') "
    "OR regexp_matches(host, '^\\[(?:::1?|f[cd].*|fe[89ab].*|2001:0?db8.*|"
    "::ffff:(?:10|127|192\\.168)\\..*)\\]$'))"
)

RULES = (
    rule(
        "U009 loc-idn-host warning",
        message="Host {name} is not ASCII; write its punycode form (xn--…)",
        view="unusual_urls",
        # `host` itself is the form in ASCII.
        where="strlen(authority) > length(authority)",
        values={"name": "regexp_extract(lower(authority), '^(?:.*@)?([^:]*)', 1)"},
        element="loc",
        why="DNS looks up names in ASCII. Readers that do not convert international names cannot "
        "find the host, and treat the two forms as two hosts.",
        fix_hint="Write the host in punycode",
        source="https://www.rfc-editor.org/rfc/rfc5891",
        bad={"https://xn--bcher-kva.example.com/sitemap.xml": entry("https://bücher.example.com/")},
        good={
            "https://xn--bcher-kva.example.com/sitemap.xml": entry(
                "https://xn--bcher-kva.example.com/"
            )
        },
        fix_safety="safe",
    ),
    rule(
        "U013 loc-credentials error",
        message='URL contains user information ("{user}" before the @)',
        view="unusual_urls",
        where="contains(loc, '@') AND contains(authority_of(loc), '@')",
        values={"user": "regexp_extract(authority_of(loc), '^[^:@]*')"},
        element="loc",
        why="Everyone who reads the sitemap sees the name and the password. Crawlers do not send "
        "them and cannot fetch the page.",
        fix_hint="Remove the text before the @, and change the password",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
        bad=entry("https://editor:secret@example.com/draft"),
        good=entry("https://example.com/draft"),
        fix_safety="unsafe",
    ),
    rule(
        "U014 loc-port info",
        message="Port {port} is {what}",
        view="unusual_urls",
        # If the URL of the sitemap is known, it has the same port, or U028 reports it.
        where="port <> '' AND (scheme || port IN ('http80', 'https443') "
        f"OR (sitemap IS NULL AND NOT {_IS_NOT_PUBLIC}))",
        values={
            "what": "CASE WHEN scheme || port IN ('http80', 'https443') "
            "THEN 'the default port of ' || scheme ELSE 'not the default port of ' || scheme END"
        },
        element="loc",
        why="A default port is redundant and creates a second spelling of each URL. Another port "
        "usually belongs to a server that is not public.",
        fix_hint="Remove the port",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-6.2.3",
        bad=entry("https://example.com:443/about"),
        good=entry("https://example.com/about"),
        fix_safety="safe",
    ),
    rule(
        "U016 loc-nonpublic-host warning",
        message="Host {host} is not public",
        view="unusual_urls",
        # If the URL of the sitemap is known, it has the same host, or U028 reports it.
        where=f"sitemap IS NULL AND {_IS_NOT_PUBLIC}",
        element="loc",
        why="The page cannot be fetched from outside your network. Usually the sitemap was "
        "generated on a development machine.",
        fix_hint="Generate the sitemap with the base URL of the public site",
        source="https://www.rfc-editor.org/rfc/rfc6761",
        bad={"file:///srv/www/sitemap.xml": entry("http://localhost:3000/about")},
        good={"file:///srv/www/sitemap.xml": entry("https://example.com/about")},
    ),
)

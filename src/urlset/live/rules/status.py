"""Live rules about the status of listed pages: redirects, errors, unknown (codes N…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import ExampleResponse, entry, page, redirect, site
from urlset.checker.rule import rule

_GOOGLE = "https://support.google.com/webmasters/answer/7451001"
_STATUS = "https://developers.google.com/search/docs/crawling-indexing/http-network-errors"
_REDIRECTS = "https://developers.google.com/search/docs/crawling-indexing/301-redirects"
_RFC = "https://www.rfc-editor.org/rfc/rfc9110#section-15"
_URL = {"page": "preview(loc)"}
IS_DEAD_END = "(final_status BETWEEN 400 AND 499 AND final_status NOT IN (401, 403, 407, 429, 451))"
"""Condition for a page that does not exist; other statuses may be a refusal of the visitor."""

TO = {
    "page": "preview(loc)",
    "target": "preview(final_url)",
    "outcome": f"if({IS_DEAD_END}, ', which returns HTTP ' || final_status, '')",
}
DEAD_END = f"if({IS_DEAD_END}, 'error', 'warning')"
"""Level of a redirect: it is an error if it leads to a page that does not exist."""

_GOOD = site(tea=page("Tea"))

_rule = partial(
    rule, source=_REDIRECTS, view="listed_pages", needs=("live",), values=_URL, good=_GOOD
)

RULES = (
    _rule(
        "N101 url-redirect warning",
        heading="Listed URLs that redirect",
        message="{page} redirects to {target} (HTTP {status}){outcome}",
        where="verdict = 'redirect' AND len(redirects) < 2",
        values=TO,
        level_sql=DEAD_END,
        why="A sitemap lists the URLs that search engines should show. A URL that redirects is not "
        "shown, and each visit of it costs a request.",
        fix_hint="List the URL to which it redirects, or remove the entry",
        bad=site("old-tea", "tea", **{"old-tea": redirect("/tea"), "tea": page("Tea")}),
    ),
    _rule(
        "N102 url-client-error error",
        heading="Listed pages that do not exist (404, 410)",
        message="{page} returns HTTP {final_status}",
        where="verdict IN ('gone', 'client-error')",
        why="The page does not exist. Search engines report the URL as an error and remove it from "
        "their index; many such URLs make them visit the sitemap less often.",
        fix_hint="Restore the page, or remove its entry",
        source=_GOOGLE,
        bad=site("tea", "coffee", tea=page("Tea")),
    ),
    _rule(
        "N103 url-server-error error",
        heading="Listed pages with a server error (5xx)",
        message="{page} returns HTTP {final_status}, also on a second visit",
        where="verdict = 'server-error'",
        why="The server failed at both visits. Search engines retry for some days, crawl the whole "
        "site more slowly, and then remove the page.",
        fix_hint="Repair the page; the log of the server has the reason",
        source=_STATUS,
        bad=site("tea", "coffee", tea=page("Tea"), coffee=ExampleResponse(status=500)),
    ),
    _rule(
        "N104 url-unreachable error",
        heading="Listed pages that do not respond",
        message="{page} does not respond: {reason}",
        where="verdict = 'unreachable'",
        values={"page": "preview(loc)", "reason": "reason_text(coalesce(message, error))"},
        why="There was no HTTP response on two visits, although the host answers for other URLs. "
        "Search engines treat this as a server error.",
        fix_hint="Find out why the server does not respond for this URL: a time limit, a crash, a "
        "proxy",
        source=_STATUS,
        bad=site("tea", "coffee", tea=page("Tea"), coffee=ExampleResponse(error="connect")),
    ),
    _rule(
        "N107 url-forbidden warning",
        heading="Listed pages that refuse urlset (401, 403)",
        message="{page} returns HTTP {final_status} to urlset, on both visits; whether search "
        "engines can read it is unknown",
        where="verdict = 'unknown' AND unknown_reason IN ('http-401', 'http-403') "
        "AND coalesce(attempts, 1) > 1",
        why="The page needs a login, or a firewall refuses unknown clients. A page with a login is "
        "not indexed. A firewall may let search engines pass, so this is no proof of an error.",
        fix_hint="Remove the entry if the page needs a login; else allow urlset in the firewall, "
        "or audit with the header or the login that the site expects",
        source=_RFC,
        bad=site("tea", "account", tea=page("Tea"), account=ExampleResponse(status=403)),
        basis="unknown",
    ),
    _rule(
        "N108 url-soft-404 warning",
        heading='Listed pages that say "not found" with status 200',
        message="{page} returns {what}, with status 200",
        where="verdict = 'soft-404'",
        values={
            **_URL,
            "what": "if(unknown_reason = 'says-not-found', 'a page whose title and heading say "
            "\"not found\": ' || preview(title), 'the page that the server returns for a random "
            "URL of its folder')",
        },
        why='The status is 200, but the page says "not found". Search engines detect this, '
        "do not index the page, and waste visits.",
        fix_hint="Respond with 404 for pages that do not exist, and remove the entry",
        source="https://developers.google.com/search/docs/crawling-indexing/http-network-errors"
        "#soft-404-errors",
        bad={
            **site(
                "shop/tea",
                "shop/coffee",
                "shop/gone",
                **{"shop/tea": page("Tea"), "shop/coffee": page("Coffee")},
            ),
            "shop/gone": page("Not found", body="<p>Try the search."),
            "shop/*": page("Not found", body="<p>Try the search."),
        },
        good=site("shop/tea", **{"shop/tea": page("Tea")}),
    ),
    _rule(
        "N109 url-not-indexable-type info",
        heading="Listed files that search engines do not show",
        message="{page} is {type}",
        where="""verdict = 'ok' AND NOT coalesce(is_html, false) AND regexp_matches(
            coalesce(content_type, ''),
            '^(?i:application/(json|javascript|zip|octet-stream|gzip)|text/(css|javascript)|font/)')
            """,
        values={"page": "preview(loc)", "type": "preview(split_part(content_type, ';', 1))"},
        why="Search engines index pages, PDF and office documents, images and videos. They do not "
        "show data, scripts or archives as results.",
        fix_hint="Remove the entry",
        source="https://developers.google.com/search/docs/crawling-indexing/indexable-file-types",
        bad=site(
            "tea",
            "tea.json",
            tea=page("Tea"),
            **{"tea.json": ExampleResponse("{}", headers=(("content-type", "application/json"),))},
        ),
    ),
    _rule(
        "N115 https-available warning",
        heading="http URLs of pages that are also served over https",
        message="{page} is also served over https; http URLs listed for this host: {n}",
        sql="""
            SELECT count(*) AS n, unnest(min_by({'document': l.document, 'offset': l."offset",
                    'line': l.line, 'loc': l.loc}, (l.document, l.entry)))
            FROM listed_pages l
            WHERE l.loc ILIKE 'http://%' AND l.verdict = 'ok' AND host_of(l.loc) IN (
                SELECT host_of(url) FROM probes WHERE kind = 'https' AND status = 200)
            GROUP BY host_of(l.loc)""",
        why="Search engines prefer https, and browsers mark http as not secure. Two versions of "
        "each page divide their ranking.",
        fix_hint="List the https URLs, and redirect http to https",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "consolidate-duplicate-urls",
        bad={
            "sitemap.xml": entry("http://example.com/tea"),
            "http://example.com/tea": page("Tea"),
            "https://example.com/tea": page("Tea"),
        },
        view=None,
    ),
    _rule(
        "N116 url-unknown info",
        heading="Listed pages whose state is unknown",
        message="{page} could not be judged: {reason}",
        where="verdict = 'unknown' AND NOT (unknown_reason IN ('http-401', 'http-403') "
        "AND coalesce(attempts, 1) > 1)",
        values={"page": "preview(loc)", "reason": "reason_text(coalesce(message, unknown_reason))"},
        why="A firewall, a rate limit or a network error answered instead of the page. That says "
        "nothing about the page: it is neither fine nor broken.",
        added="A refusal is no proof of an error; without a rule of its own it would be silent or "
        "false.",
        fix_hint="Audit again, more slowly (with a delay of a second, and one request at a "
        "time), or allow urlset in the firewall",
        source=_RFC,
        bad=site("tea", "coffee", tea=page("Tea"), coffee=ExampleResponse(status=429)),
        basis="unknown",
    ),
    _rule(
        "N117 redirect-chain warning",
        heading="Listed URLs that redirect several times",
        message="{page} redirects {n} times, at last to {target}{outcome}",
        where="verdict = 'redirect' AND len(redirects) > 1",
        values={**TO, "n": "len(redirects)"},
        level_sql=DEAD_END,
        why="Each redirect costs time, and search engines end after ten. A sitemap should list the "
        "last URL of the chain.",
        added="It costs more than one redirect, and is corrected at another place.",
        fix_hint="List the last URL, and redirect the first one to it directly",
        bad=site(
            "old-tea",
            "tea",
            **{"old-tea": redirect("/teas"), "teas": redirect("/tea"), "tea": page("Tea")},
        ),
    ),
    _rule(
        "N118 redirect-loop error",
        heading="Redirects that lead to no page",
        message="{page} never arrives: {reason}",
        where="verdict = 'redirect-loop'",
        values={
            "page": "preview(loc)",
            "reason": "coalesce(reason_text(message), 'redirects in a circle')",
        },
        why="The redirects lead in a circle, or there are too many of them. Neither people nor "
        "search engines can open the page.",
        added="No search engine can open it, so it is an error and not a warning as N101.",
        fix_hint="Correct the redirects, or remove the entry",
        bad=site("old-tea", "tea", **{"old-tea": redirect("/old-tea"), "tea": page("Tea")}),
    ),
    _rule(
        "N125 meta-refresh warning",
        heading="Listed pages that redirect by meta refresh",
        message="{page} redirects its readers to {target} by meta refresh",
        where="verdict = 'ok' AND normal_of(refresh) <> key",
        values={"page": "preview(loc)", "target": "preview(refresh)"},
        why="Search engines treat a meta refresh as a redirect, and index the other page.",
        added="The status is 200, so N101 does not apply.",
        fix_hint="List the other URL, and redirect with status 301 instead",
        bad=site(
            "old-tea",
            "tea",
            **{
                "old-tea": page("Moved", '<meta http-equiv="refresh" content="0; url=/tea">'),
                "tea": page("Tea"),
            },
        ),
    ),
)

"""Patterns of URLs that are no pages of their own: placeholders, sessions, campaigns, sitemaps.

They are regular expressions of RE2 and of Python.
"""

from __future__ import annotations

_OPEN, _CLOSE = r"(?:\{|%7[Bb])", r"(?:\}|%7[Dd])"
_NAME = r"[A-Za-z_][\w.:]{0,40}(?:-[A-Za-z]+){0,5}"  # no GUID, which may stand in braces, too
EMPTY_VALUES = "undefined|null|NaN"
"""What JavaScript writes for a value that is missing."""

PLACEHOLDER = (
    rf"{_OPEN}{_OPEN}.{{0,80}}?{_CLOSE}{_CLOSE}"  # {{ page.url }}: Jinja, Liquid, Handlebars, Vue
    rf"|{_OPEN}%.{{0,80}}?%{_CLOSE}"  # {% url %}
    r"|<%.{0,80}?%>"  # <%= url %>: ERB, EJS
    rf"|[$#@]?{_OPEN}(?:%20)*(?:{_NAME}|\d{{0,2}})(?:%20)*{_CLOSE}"  # {slug}, ${slug}, {0}
    r"|(?:\[|%5[Bb])object(?:%20|\+)[A-Z]\w*(?:\]|%5[Dd])"  # JavaScript: String({})
)
"""An unfilled template value anywhere in a URL."""

# Only as a complete path segment or parameter value. A percent-encoded bracket is intended, as in
# /tagged/%5Bpython%5D, and a parameter may be null.
SEGMENT_PLACEHOLDER = (
    rf"(?:/(?:{EMPTY_VALUES})(?:[/?&;#]|$)|=(?:undefined|NaN)(?:[&;#]|$)|[/=](?:"
    r"\[{1,2}(?:\.\.\.)?[A-Za-z_][\w-]*\]{1,2}"  # [slug]: Next.js, Astro
    # :id: routes of Express, Rails, Vue; not any word, for wikis have /wiki/:Category
    r"|:(?:id|slug|\w+(?:_id|Id|_slug|Slug)|uuid|name|user|username|lang|locale|page|path|tag"
    r"|category|product|post|title|year|month|day)\??"
    r"|<(?:[a-z]+:)?[A-Za-z_][\w-]+>"  # <int:id>: Flask, Django
    r"|%\([A-Za-z_]\w*\)?[sd]|%[sd]"  # Python, C
    r"|%[A-Za-z_]{3,30}%"  # %PUBLIC_URL%
    r"|__(?:template|placeholder|slug|path|url|lang|locale|id|title)__)"
    r"(?:[/?&;#]|$))"
)
"""The same in the path and the query."""

# Names of parameters, in lower case. Session ids of Java, PHP, ASP, ColdFusion, osCommerce,
# Zen Cart, xt:Commerce, Magento and Perl's CGI::Session.
SESSION = (
    "jsessionid|phpsessid|aspsessionid[a-z]*|asp\\.net_sessionid|cfid|cftoken|oscsid|zenid|"
    "xtcsid|cgisessid|mscsid|sessionid|session_id|session-id|sessid|sess_id|php_session_id|"
    "(?:sid|s_id|session)=[0-9a-f-]{16,}|sid=[0-9A-Za-z]{24,}"
)
"""A parameter that identifies a session."""

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
"""A parameter that identifies a campaign or a click."""

IN_PATH = r"(?i);((?:j|php)sess(?:ion)?id)=|/(\([AFS]\([0-9a-z]{20,}\)\))/"
"""A session id in a path; that of ASP.NET has no name."""

SITEMAP_NAME = r"(?i)/(sitemap([._-][^/]*)?|[^/]*[._-]sitemap|sitemap[0-9]+)\.(xml|txt)(\.gz)?$"
"""Regular expression for the end of a path that names a sitemap."""

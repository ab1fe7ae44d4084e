"""Rules about hreflang links: single ones, all of a page, and between pages (codes H…)."""

from __future__ import annotations

from functools import partial
from urllib.parse import urljoin

from urlset.checker.examples import HOME
from urlset.checker.rule import engine_rule, rule
from urlset.languages import LANGUAGES, VARIANTS

_SOURCE = "https://developers.google.com/search/docs/specialty/international/localized-versions"


def _entry(name: str, *links: str) -> str:
    """Return a ``url`` element of example.com with links, each written ``hreflang=URL``."""
    pairs = [link.split("=") for link in links]
    found = "\n".join(
        f'  <xhtml:link rel="alternate" hreflang="{tag}" href="{urljoin(HOME, url)}"/>'
        for tag, url in pairs
    )
    return f"<url><loc>{HOME}{name}</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n{found}</url>"


def _with(hreflang: str, href: str = "https://example.org/other") -> str:
    """Return an entry in English with a link to itself, and one to another site."""
    return _entry("en", "en=en", f"{hreflang}={href}")


_GOOD = _with("de", "https://example.org/de")


# Country codes that are often written in place of a language, and two withdrawn codes.
_MEANT = {
    "cn": "zh", "jp": "ja", "kr": "ko", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk", "gb": "en",
    "us": "en", "at": "de", "vn": "vi", "rs": "sr", "iw": "he", "in": "hi or id", "ji": "yi",
}  # fmt: skip
_HINT = "CASE language_of(hreflang) {} ELSE '' END".format(
    " ".join(f"WHEN '{code}' THEN '; {other} is meant?'" for code, other in _MEANT.items())
)

# The part at the position of a region: after the language, or after the script.
_SECOND = "split_part(tag_of(hreflang), '-', 2)"
_REGION = (
    f"upper(CASE WHEN is_script({_SECOND}) THEN split_part(tag_of(hreflang), '-', 3) "
    f"ELSE {_SECOND} END)"
)

# Language codes that are also the code and domain of a country with another language.
_AMBIGUOUS = (
    "ae af am ar as ba be bi bm bn bo br bs ca ch co cr cu cv cy dz ee et ga gd gl gn gu ie io kg "
    "ki km kn kr kw ky la lb li lu ml mr ms my na ne ng nr om pa ps sa sc sd se sg si sl sm sn sr "
    "ss st sv tg tk tl tn tt tw ug uk ve vi"
).split()
_NAME = "CASE hreflang {} END".format(
    " ".join(f"WHEN '{code}' THEN '{LANGUAGES[code]}'" for code in _AMBIGUOUS)
)

_SCRIPT = "regexp_extract(hreflang, '-([A-Za-z]{4})(-|$)', 1)"
_WANTED = (
    "CASE lower(hreflang) WHEN 'x-default' THEN 'x-default' "
    "ELSE concat_ws('-', lower(split_part(hreflang, '-', 1)), "
    f"nullif(upper({_SCRIPT}[1]) || lower({_SCRIPT}[2:]), ''), "
    "nullif(upper(regexp_extract(hreflang, '-([A-Za-z]{2})(-|$)', 1)), '')) "
    f"|| regexp_extract(lower(hreflang), '(-({'|'.join(VARIANTS)}))*$') END"
)


_SELF, _GERMAN = "en=en", "de=https://example.org/de"
_REGIONS = ("en-US=en", "en-GB=https://example.org/gb")


def _links(condition: str) -> str:
    """Return SQL that selects links by a condition on hreflang_sets (v) and entries (e)."""
    return f"""
        SELECT e.document, e."offset", e.line, e.loc, e.entry,
            unnest(list_transform(e.alternates, lambda a: tag_of(a.hreflang))) AS tag,
            unnest(list_transform(e.alternates, lambda a: a.href)) AS href,
            unnest(v.targets) AS target, generate_subscripts(v.targets, 1) AS nth
        FROM entries e JOIN hreflang_sets v ON v.document = e.document AND v.entry = e.entry
        WHERE {condition}"""


# A link without a full URL has a tag and no pair, so that the numbers say nothing then.
_MAY_REPEAT_TAGS = "v.pair_count > v.tag_count OR v.url_count < v.link_count AND v.pair_count > 1"
_REGIONAL = "len(list_filter(e.alternates, lambda a: contains(a.hreflang, '-'))) > 1"


_ALL = ("en=a", "de=b", "fr=c")
_WHOLE = "\n".join(_entry(name, *_ALL) for name in "abc")

# Columns with the position of a link.
_ENTRY = 'document, entry, "offset", line, loc'

_rule = partial(rule, source=_SOURCE, element="link")
_link_rule = partial(_rule, view="alternates")
_entry_rule = partial(_rule, requires_rows="alternates")
_set_rule = partial(_rule, partition="link", requires_rows="suspect_links", needs=("set",))

RULES = (
    engine_rule(
        "H001",
        why="A link needs the URL of the other version and its language. If one of them is "
        "missing, the link is ignored.",
        fix_hint="Add href and hreflang to each xhtml:link",
        source=_SOURCE,
        bad=_GOOD.replace(' hreflang="de"', ""),
        good=_with("de"),
    ),
    engine_rule(
        "H002",
        why='Only a link with rel="alternate" names another version of the page.',
        fix_hint='Write rel="alternate"',
        source=_SOURCE,
        bad=_with("de", "https://example.org/de").replace(
            'alternate" hreflang="de', 'altenate" hreflang="de'
        ),
        good=_with("de"),
    ),
    _link_rule(
        "H003 hreflang-relative-href error",
        message='href "{v}" is not a full URL',
        where="CASE WHEN hreflang IS NULL OR is_web(href) THEN false "
        "ELSE NOT regexp_matches(href, '^(?i:android|ios)-app:') END",
        values={"v": "preview(href)"},
        why="Google needs the full URL with https:// and the host, and does not resolve a path.",
        fix_hint="Write the full URL",
        bad=_GOOD.replace("https://example.org/de", "/de"),
        good=_GOOD,
    ),
    _link_rule(
        "H004 hreflang-underscore error",
        message='hreflang "{v}" has "_"; write "{wanted}"',
        where="NOT is_locale AND contains(hreflang, '_')",
        values={"v": "preview(hreflang)", "wanted": "preview(replace(hreflang, '_', '-'))"},
        why="en_GB is the name of a locale in programs. In hreflang it is invalid, and the link is "
        "ignored.",
        fix_hint='Replace "_" with "-"',
        source="https://www.rfc-editor.org/rfc/rfc5646#section-2.1",
        bad=_with("de_AT"),
        good=_with("de-AT"),
    ),
    _link_rule(
        "H005 hreflang-language error",
        message='"{language}" is not a language of ISO 639-1{hint}',
        where="CASE WHEN is_locale OR tag_of(hreflang) = 'x-default' THEN false "
        "ELSE NOT is_language(language_of(hreflang)) END",
        values={"language": "preview(regexp_extract(hreflang, '^[^-_]*'))", "hint": _HINT},
        level_sql="CASE WHEN regexp_full_match(language_of(hreflang), '[a-z]{3}') "
        "THEN 'warning' ELSE 'error' END",
        why="hreflang begins with a language of two letters. If it begins with a country or an "
        "invented word, the link is ignored.",
        fix_hint="Begin with the code of the language, followed by the country, as in ja-JP",
        bad=_with("jp"),
        good=_with("ja"),
    ),
    _link_rule(
        "H006 hreflang-region error",
        message='"{region}" in hreflang "{v}" is not a region of ISO 3166-1{hint}',
        # XK is not an ISO code, but Unicode and the EU use it for Kosovo.
        where="CASE WHEN is_locale OR NOT is_language(language_of(hreflang)) THEN false "
        f"ELSE {_REGION} NOT IN ('', 'XK') AND NOT is_region({_REGION}) END",
        values={
            "region": f"preview({_REGION})",
            "v": "preview(hreflang)",
            "hint": f"CASE {_REGION} WHEN 'UK' THEN '; write GB' "
            "WHEN '419' THEN '; name its countries one by one' ELSE '' END",
        },
        why="The language is followed by a country of two letters from ISO 3166-1. Google names "
        "es-419, UK, EU and UN as values that it ignores.",
        fix_hint="Write the code of a country (GB for the United Kingdom), or the language alone",
        bad=_with("de-EU"),
        good=_with("de-DE"),
    ),
    _entry_rule(
        "H007 hreflang-likely-region info",
        message='"{hreflang}" means the language {name}; if the country is meant, name its '
        "language first",
        sql=f"""
            WITH likely AS (SELECT * FROM alternates
                WHERE hreflang IN ({", ".join(f"'{code}'" for code in _AMBIGUOUS)})
                    AND ends_with(host_of(href), '.' || hreflang)),
            -- A host with several languages does not stand for a country.
            hosts AS (SELECT *, host_of(href) AS host,
                    nullif(lower(hreflang), 'x-default') AS language
                FROM alternates SEMI JOIN likely USING (document, entry)),
            single AS (SELECT document, entry, host FROM hosts GROUP BY ALL
                HAVING count(DISTINCT language) = 1)
            SELECT * FROM likely a
            WHERE (document, entry, host_of(href)) IN (FROM single)""",
        values={"name": _NAME},
        why="A code without a region is a language: be is Belarusian, not Belgium, and uk is "
        "Ukrainian. hreflang cannot name a country alone.",
        fix_hint="Write the language followed by the country, as in nl-BE",
        bad=_with("be", "https://www.example.be/"),
        good=_with("nl-BE", "https://www.example.be/"),
    ),
    _link_rule(
        "H013 hreflang-format info",
        message='hreflang "{v}" is usually written "{wanted}"',
        where=f"CASE WHEN is_locale OR regexp_full_match(hreflang, "
        f"'(?i:[a-z]{{2}}-[a-z]{{2}}-[a-z]{{4}})') THEN hreflang <> {_WANTED} ELSE false END",
        values={"v": "preview(hreflang)", "wanted": _WANTED},
        why="Search engines ignore case. By convention the language is lower case, the script has "
        "a capital, the region is upper case, and they have this order.",
        fix_hint="Write the usual form, as in zh-Hant-TW",
        source="https://www.rfc-editor.org/rfc/rfc5646#section-2.1.1",
        bad=_with("ZH-hant-tw"),
        good=_with("zh-Hant-TW"),
        is_default=False,
    ),
    _entry_rule(
        "H008 hreflang-missing-self warning",
        message="Page does not list itself among its {n} alternates",
        sql="""
            SELECT v.*, v.link_count AS n, e.loc FROM hreflang_sets v
            JOIN entries e ON e.document = v.document AND e.entry = v.entry
            -- A link without a full URL has its own finding, and may be the one to the page itself.
            WHERE NOT v.has_self AND v.url_count = v.link_count""",
        element="loc",
        why="Each version lists all versions, including itself. Without the link to itself, the "
        "language of the page is unknown.",
        fix_hint="Add a link from the page to its own URL, with its own language",
        bad=_entry("en", _GERMAN),
        good=_entry("en", _SELF, _GERMAN),
    ),
    _entry_rule(
        "H009 hreflang-duplicate-language error",
        message='hreflang "{v}" leads to {n} URLs, {first} and {last}{others}',
        sql=f"""
            SELECT document, "offset", line, loc, max(nth) AS nth, tag, count(DISTINCT target) AS n,
                arg_min(href, nth) AS a, arg_max(href, nth) AS b
            FROM ({_links(_MAY_REPEAT_TAGS)})
            WHERE target IS NOT NULL GROUP BY document, entry, "offset", line, loc, tag
            HAVING count(DISTINCT target) > 1""",
        values={
            "v": "preview(tag)",
            "first": "preview(a)",
            "last": "preview(b)",
            "others": "CASE WHEN n > 2 THEN ' among them' ELSE '' END",
        },
        why="A search engine can show only one of two pages for the same readers, and may ignore "
        "both.",
        fix_hint="Keep one URL for each language, or distinguish them by region",
        bad=_entry("en", _SELF, _GERMAN, "de=https://example.org/at"),
        good=_entry("en", _SELF, _GERMAN, "de-AT=https://example.org/at"),
    ),
    _entry_rule(
        "H010 hreflang-duplicate-link info",
        message='Alternate {href} is listed {n} times as "{v}"',
        sql=f"""
            SELECT document, "offset", line, loc, max(nth) AS nth, tag, count(*) AS n,
                preview(min(href)) AS href
            FROM ({_links("v.url_count > v.pair_count")})
            WHERE target IS NOT NULL GROUP BY document, entry, "offset", line, loc, tag, target
            HAVING count(*) > 1""",
        values={"v": "preview(tag)"},
        why="The second link has no effect. It shows that two parts of the generator write the "
        "link.",
        fix_hint="Keep one of the links",
        bad=_entry("en", _SELF, _GERMAN, _GERMAN),
        good=_entry("en", _SELF, _GERMAN),
    ),
    _entry_rule(
        "H011 hreflang-no-x-default info",
        message="Page has {n} languages, but no x-default for other languages",
        sql="""
            SELECT v.*, v.tag_count AS n, e.loc FROM hreflang_sets v
            JOIN entries e ON e.document = v.document AND e.entry = v.entry
            WHERE v.tag_count > 1 AND NOT v.has_default""",
        why="x-default names the page for readers whose language is not among the others.",
        fix_hint="Add a link with hreflang x-default",
        bad=_entry("en", _SELF, _GERMAN),
        good=_entry("en", _SELF, _GERMAN, "x-default=en"),
        is_default=False,
    ),
    _entry_rule(
        "H012 hreflang-no-generic info",
        message='Page has {n} regions of "{language}" ({regions}), but no "{language}" '
        "for other regions",
        sql=f"""
            SELECT * FROM (
                SELECT document, "offset", line, loc, min(nth) AS nth,
                    preview(split_part(tag, '-', 1)) AS language,
                    preview(string_agg(DISTINCT tag, ', ' ORDER BY tag)
                        FILTER (WHERE contains(tag, '-'))) AS regions,
                    count(DISTINCT tag) FILTER (WHERE contains(tag, '-')) AS n,
                    bool_or(tag = split_part(tag, '-', 1)) AS has_generic
                FROM ({_links(_REGIONAL)})
                -- Scripts and variants are not regions: zh is neither zh-Hans nor zh-Hant.
                WHERE tag <> 'x-default' AND length(split_part(tag, '-', 2)) IN (0, 2)
                GROUP BY document, entry, "offset", line, loc, split_part(tag, '-', 1)
            ) WHERE n > 1 AND NOT has_generic""",
        why="Readers of the language in other countries get one of the regions, or another "
        "language.",
        fix_hint="Add a link with the language alone; its URL may be one of the regional pages",
        bad=_entry("en", *_REGIONS),
        good=_entry("en", *_REGIONS, _SELF),
        is_default=False,
    ),
    _set_rule(
        "H501 hreflang-no-return-link error",
        heading="Language links in sitemaps that are not returned",
        message='Lists {other} as "{lang}", which does not list this page in return',
        sql=f"""
            SELECT {_ENTRY}, arg_min(href, nth) AS href, arg_min(hreflang, nth) AS hreflang,
                min(nth) AS nth, CASE WHEN bool_and(tag = 'x-default')
                    THEN 'warning' ELSE 'error' END AS level
            FROM suspect_link_details
            WHERE in_bucket(target) AND is_listed AND NOT is_returned
            GROUP BY {_ENTRY}, target""",
        values={"other": "preview(href)", "lang": "preview(hreflang)"},
        why="Any site can claim that a foreign page is a version of its own page. Search engines "
        "accept two pages as versions of each other only if each lists the other.",
        fix_hint="List all versions, with the same links, on each of them",
        bad=f"{_entry('a', 'en=a', 'de=b')}\n{_entry('b', 'de=b')}",
        good=f"{_entry('a', 'en=a', 'de=b')}\n{_entry('b', 'en=a', 'de=b')}",
    ),
    _set_rule(
        "H502 hreflang-target-not-listed warning",
        message="Alternate {other} is in no sitemap of the set; pages that list it: {n}",
        # One finding for each URL, at the first page that lists it. Where not all sitemaps were
        # read, it may stand in one of the others. What x-default names often only redirects.
        sql="""
            SELECT first.*, n FROM (
                SELECT count(DISTINCT (document, entry)) AS n, unnest(arg_min(
                    {document: document, "offset": "offset", line: line, loc: loc, nth: nth,
                        href: href}, (document, entry, nth)))
                FROM suspect_link_details
                WHERE in_bucket(target) AND NOT is_listed AND is_covered AND tag <> 'x-default'
                    AND (SELECT count(*) FROM readable) > 1
                    AND NOT EXISTS (
                        SELECT 1 FROM sources WHERE NOT is_readable AND same_as IS NULL)
                GROUP BY target) first""",
        values={"other": "preview(href)"},
        why="Each version needs an entry of its own with links to all others. The URL may be "
        "written differently there, with a slash or with www.",
        fix_hint="Add an entry for the URL, or link to the URL that is listed",
        bad={"en.xml": _entry("a", *_ALL), "de.xml": _entry("b", *_ALL)},
        good={
            "en.xml": _entry("a", *_ALL),
            "de.xml": _entry("b", *_ALL),
            "fr.xml": _entry("c", *_ALL),
        },
    ),
    _set_rule(
        "H503 hreflang-cluster-differs warning",
        message="{other} does not list the same {size} URLs as this page, though each lists "
        "the other",
        sql=f"""
            SELECT {_ENTRY}, any_value(size) AS size, arg_min(href, nth) AS href, min(nth) AS nth
            FROM suspect_link_details
            WHERE in_bucket(page) AND is_returned AND NOT is_alike AND is_listed
            GROUP BY {_ENTRY}""",
        values={"other": "preview(href)"},
        why="All versions of a page must have the same links. If they differ, some versions do not "
        "know the others.",
        fix_hint="Write the same links on all versions",
        bad=f"{_entry('a', *_ALL)}\n{_entry('b', 'en=a', 'de=b')}\n{_entry('c', 'en=a', 'fr=c')}",
        good=_WHOLE,
    ),
    _rule(
        "H504 hreflang-language-conflict error",
        partition="link",
        message='Lists {other} as "{lang}", which calls itself "{own}"',
        view="suspect_link_details",
        where="in_bucket(target) AND is_contradicted",
        values={
            "other": "preview(href)",
            "lang": "preview(hreflang)",
            "own": "preview(list_aggregate(own_tags, 'string_agg', '\", \"'))",
        },
        why="One of the two pages is wrong, and search engines cannot know which. Readers may get "
        "a page in another language.",
        fix_hint="Use the same hreflang for a URL on all pages that list it",
        bad=f"{_entry('a', 'en=a', 'de=b')}\n{_entry('b', 'en=a', 'de-AT=b')}",
        good=f"{_entry('a', 'en=a', 'de-AT=b')}\n{_entry('b', 'en=a', 'de-AT=b')}",
        needs=("set",),
    ),
)

"""Rules about single hreflang links (group H)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule
from urlset.languages import LANGUAGES, VARIANTS

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/specialty/international/localized-versions"


def _page(links: str) -> str:
    """An English page with a link to itself, and others."""
    return (
        "<url><loc>https://example.com/en</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        '  <xhtml:link rel="alternate" hreflang="en" href="https://example.com/en"/>\n'
        f"  {links}</url>"
    )


def _link(hreflang: str, href: str = "https://example.org/other") -> str:
    return f'<xhtml:link rel="alternate" hreflang="{hreflang}" href="{href}"/>'


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

RULES = (
    engine_rule(
        "H001",
        why="A link needs the URL of the other version and its language. If one of them is "
        "missing, the link is ignored.",
        fix_hint="Add href and hreflang to each xhtml:link",
        source=_SOURCE,
        bad=_page('<xhtml:link rel="alternate" href="https://example.org/de"/>'),
        good=_page(_link("de")),
    ),
    engine_rule(
        "H002",
        why='Only a link with rel="alternate" names another version of the page.',
        fix_hint='Write rel="alternate"',
        source=_SOURCE,
        bad=_page('<xhtml:link rel="altenate" hreflang="de" href="https://example.org/de"/>'),
        good=_page(_link("de")),
        fix_safety="safe",
    ),
    rule(
        "H003 hreflang-relative-href error",
        message='href "{v}" is not a full URL',
        view="alternates",
        where="CASE WHEN hreflang IS NULL OR is_web(href) THEN false "
        "ELSE NOT regexp_matches(href, '^(?i:android|ios)-app:') END",
        values={"v": "preview(href)"},
        element="link",
        why="Google needs the full URL with https:// and the host, and does not resolve a path.",
        fix_hint="Write the full URL",
        source=_SOURCE,
        bad=_page(_link("de", "/de")),
        good=_page(_link("de", "https://example.org/de")),
        fix_safety="unsafe",
    ),
    rule(
        "H004 hreflang-underscore error",
        message='hreflang "{v}" has "_"; write "{wanted}"',
        view="alternates",
        where="NOT is_locale AND contains(hreflang, '_')",
        values={"v": "preview(hreflang)", "wanted": "preview(replace(hreflang, '_', '-'))"},
        element="link",
        why="en_GB is the name of a locale in programs. In hreflang it is invalid, and the link is "
        "ignored.",
        fix_hint='Replace "_" with "-"',
        source="https://www.rfc-editor.org/rfc/rfc5646#section-2.1",
        bad=_page(_link("de_AT")),
        good=_page(_link("de-AT")),
        fix_safety="safe",
    ),
    rule(
        "H005 hreflang-language error",
        message='"{language}" is not a language of ISO 639-1{hint}',
        view="alternates",
        where="CASE WHEN is_locale OR tag_of(hreflang) = 'x-default' THEN false "
        "ELSE NOT is_language(language_of(hreflang)) END",
        values={"language": "preview(regexp_extract(hreflang, '^[^-_]*'))", "hint": _HINT},
        level_sql="CASE WHEN regexp_full_match(language_of(hreflang), '[a-z]{3}') "
        "THEN 'warning' ELSE 'error' END",
        element="link",
        why="hreflang begins with a language of two letters. If it begins with a country or an "
        "invented word, the link is ignored.",
        fix_hint="Begin with the code of the language, followed by the country, as in ja-JP",
        source=_SOURCE,
        bad=_page(_link("jp")),
        good=_page(_link("ja")),
        fix_safety="unsafe",
    ),
    rule(
        "H006 hreflang-region error",
        message='"{region}" in hreflang "{v}" is not a region of ISO 3166-1{hint}',
        view="alternates",
        # XK is not an ISO code, but Unicode and the EU use it for Kosovo.
        where="CASE WHEN is_locale OR NOT is_language(language_of(hreflang)) THEN false "
        f"ELSE {_REGION} NOT IN ('', 'XK') AND NOT is_region({_REGION}) END",
        values={
            "region": f"preview({_REGION})",
            "v": "preview(hreflang)",
            "hint": f"CASE {_REGION} WHEN 'UK' THEN '; write GB' "
            "WHEN '419' THEN '; name its countries one by one' ELSE '' END",
        },
        element="link",
        why="The language is followed by a country of two letters from ISO 3166-1. Google names "
        "es-419, UK, EU and UN as values that it ignores.",
        fix_hint="Write the code of a country (GB for the United Kingdom), or the language alone",
        source=_SOURCE,
        bad=_page(_link("de-EU")),
        good=_page(_link("de-DE")),
        fix_safety="safe",
    ),
    rule(
        "H007 hreflang-likely-region info",
        message='"{hreflang}" means the language {name}; if the country is meant, name its '
        "language first",
        requires_rows="alternates",
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
        element="link",
        why="A code without a region is a language: be is Belarusian, not Belgium, and uk is "
        "Ukrainian. hreflang cannot name a country alone.",
        fix_hint="Write the language followed by the country, as in nl-BE",
        source=_SOURCE,
        bad=_page(_link("be", "https://www.example.be/")),
        good=_page(_link("nl-BE", "https://www.example.be/")),
    ),
    rule(
        "H013 hreflang-format info",
        message='hreflang "{v}" is usually written "{wanted}"',
        view="alternates",
        where=f"CASE WHEN is_locale OR regexp_full_match(hreflang, "
        f"'(?i:[a-z]{{2}}-[a-z]{{2}}-[a-z]{{4}})') THEN hreflang <> {_WANTED} ELSE false END",
        values={"v": "preview(hreflang)", "wanted": _WANTED},
        element="link",
        why="Search engines ignore case. By convention the language is lower case, the script has "
        "a capital, the region is upper case, and they have this order.",
        fix_hint="Write the usual form, as in zh-Hant-TW",
        source="https://www.rfc-editor.org/rfc/rfc5646#section-2.1.1",
        bad=_page(_link("ZH-hant-tw")),
        good=_page(_link("zh-Hant-TW")),
        is_default=False,
        fix_safety="safe",
    ),
)

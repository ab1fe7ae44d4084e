"""H: what is wrong with one link to another version of a page."""

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


# Countries that people write for the language of their own, and two that were withdrawn.
_MEANT = {
    "cn": "zh", "jp": "ja", "kr": "ko", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk", "gb": "en",
    "us": "en", "at": "de", "vn": "vi", "rs": "sr", "iw": "he", "in": "hi or id", "ji": "yi",
}  # fmt: skip
_HINT = "CASE language_of(hreflang) {} ELSE '' END".format(
    " ".join(f"WHEN '{code}' THEN '; {other} is meant?'" for code, other in _MEANT.items())
)

# What stands where a region would: the part behind the language, or behind the script.
_SECOND = "split_part(tag_of(hreflang), '-', 2)"
_REGION = (
    f"upper(CASE WHEN is_script({_SECOND}) THEN split_part(tag_of(hreflang), '-', 3) "
    f"ELSE {_SECOND} END)"
)

# Languages whose code is that of a country where another one is spoken, and of its domain.
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
        why="A link says two things, where the other version is and whom it is for. With one of "
        "them missing it is ignored.",
        fix_hint="Give each xhtml:link a href and a hreflang",
        source=_SOURCE,
        bad=_page('<xhtml:link rel="alternate" href="https://example.org/de"/>'),
        good=_page(_link("de")),
    ),
    engine_rule(
        "H002",
        why='Only a link with rel="alternate" tells of another version of the page.',
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
        why="Google wants the whole URL, with https:// and the host, and does not resolve a path.",
        fix_hint="Write the URL in full",
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
        why="en_GB is how programs name a locale; in hreflang it is no language at all, and the "
        "link is ignored.",
        fix_hint='Write "-" for "_"',
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
        why="hreflang begins with a language, in two letters. With a country there, or a word of "
        "one's own, the link is ignored.",
        fix_hint="Begin with the code of the language, and put the country behind it, as in ja-JP",
        source=_SOURCE,
        bad=_page(_link("jp")),
        good=_page(_link("ja")),
        fix_safety="unsafe",
    ),
    rule(
        "H006 hreflang-region error",
        message='"{region}" in hreflang "{v}" is not a region of ISO 3166-1{hint}',
        view="alternates",
        # XK is no code of ISO, but what Unicode and the EU write for Kosovo.
        where="CASE WHEN is_locale OR NOT is_language(language_of(hreflang)) THEN false "
        f"ELSE {_REGION} NOT IN ('', 'XK') AND NOT is_region({_REGION}) END",
        values={
            "region": f"preview({_REGION})",
            "v": "preview(hreflang)",
            "hint": f"CASE {_REGION} WHEN 'UK' THEN '; write GB' "
            "WHEN '419' THEN '; name its countries one by one' ELSE '' END",
        },
        element="link",
        why="Behind the language stands a country, in two letters of ISO 3166-1. Google names "
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
            -- Where a host has several languages, it stands for no country.
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
        "Ukrainian. A country alone cannot be said.",
        fix_hint="Name the language, and the country behind it, as in nl-BE",
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
        why="Case does not matter to engines. By convention the language is in lower case, the "
        "script has a capital, the region is in capitals, and they stand in this order.",
        fix_hint="Write it as everybody does, as in zh-Hant-TW",
        source="https://www.rfc-editor.org/rfc/rfc5646#section-2.1.1",
        bad=_page(_link("ZH-hant-tw")),
        good=_page(_link("zh-Hant-TW")),
        is_default=False,
        fix_safety="safe",
    ),
)

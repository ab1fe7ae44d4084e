"""Rules about the hreflang links of a page (group H)."""

# ruff: noqa: E501
from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape

import pytest

from urlset.checker import Finding, check

NS = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)

Link = tuple[str, str]


def sitemap(*pages: tuple[str, list[Link]]) -> bytes:
    """A sitemap of pages, each a path of example.com with its links of hreflang and href."""
    entries = "\n".join(
        f"<url><loc>{escape(full(path))}</loc>"
        + "".join(
            f'<xhtml:link rel="alternate" hreflang="{escape(tag)}" href="{escape(full(href))}"/>'
            for tag, href in links
        )
        + "</url>"
        for path, links in pages
    )
    return f"<urlset {NS}>\n{entries}\n</urlset>".encode()


def full(path: str) -> str:
    return f"https://example.com{path}" if re.match("/(?!/)", path) else path


def found(code: str, *documents: bytes, **named: bytes) -> list[Finding]:
    sources = {f"https://example.com/{n}.xml": d for n, d in enumerate(documents)}
    sources |= {f"https://example.com/{name}.xml": d for name, d in named.items()}
    return list(check(sources, select=[code], now=MOMENT))


def caught(code: str, links: list[Link]) -> dict[int, str]:
    """The numbers of the links that a rule of one link catches, with its words."""
    pages = [(f"/{n}", [link]) for n, link in enumerate(links)]
    return {int(str(f.loc).rpartition("/")[2]): f.message for f in found(code, sitemap(*pages))}


TAGS = {
    "fine": [
        "en", "EN", "x-default", "X-Default", "en-GB", "en-gb", "zh-Hans", "zh-hant-TW", "sr-Latn",
        "sr-Cyrl-RS", "pt-BR", "nb-NO", "sq-XK", "be-NL",
    ],
    "H004": ["en_GB", "zh_Hant_TW", "x_default"],
    "H005": [
        "jp", "us", "xx", "english", "eng", "fil-PH", "default", "en us", "en;q=0.9", "-", "x", "xx-DE",
        "日本", "e\u0301", "us_en", "%", "' OR 1=1 --", "{0}",
    ],
    "H006": [
        "en-UK", "es-419", "en-EU", "en-UN", "en-apac", "en-intl", "es-latam", "en-en", "de-D", "en-",
        "sr-Latn-UK", "en_UK", "en-GBR", "en-'", "en-\u00df",
    ],
}  # fmt: skip


@pytest.mark.parametrize("code", ["H004", "H005", "H006"])
def test_hreflang_of_one_link(code):
    tags = [tag for group in TAGS.values() for tag in group]
    expected = {*TAGS[code]} | ({"us_en", "en_UK"} if code == "H004" else set())
    expected -= {"en-"} if code == "H006" else set()  # nothing stands there

    numbers = caught(code, [(tag, "/a") for tag in tags])

    assert {tags[n] for n in numbers} == expected


def test_hreflang_words_show_the_value_and_what_is_meant():
    assert caught("H004", [("en_GB", "/a")])[0] == 'hreflang "en_GB" has "_"; write "en-GB"'
    assert "ja is meant?" in caught("H005", [("jp_JP", "/a")])[0]
    assert '"UK" in hreflang "en-UK"' in caught("H006", [("en-UK", "/a")])[0]
    assert "write GB" in caught("H006", [("en-UK", "/a")])[0]


def test_hreflang_of_three_letters_is_a_warning():
    levels = {f.level for f in found("H005", sitemap(("/", [("fil", "/a")])))}

    assert levels == {"warning"}


def test_hreflang_of_an_enormous_value_is_shown_in_short():
    (words,) = caught("H005", [("x" * 10_000, "/a")]).values()

    assert len(words) < 200


HREFS = [
    ("https://example.org/a", False),
    ("HTTP://example.org", False),
    ("https://пример.рф/", False),
    ("android-app://com.example/https/a", False),
    ("ios-app://123/a", False),
    ("//example.org/a", True),
    ("a.html", True),
    ("www.example.org", True),
    ("https:///a", True),
    ("https://", True),
    ("ftp://example.org/", True),
    ("?a", True),
]


def test_hreflang_relative_href():
    numbers = caught("H003", [("de", href) for href, _ in HREFS])

    assert [HREFS[n][0] for n in numbers] == [href for href, is_caught in HREFS if is_caught]


@pytest.mark.parametrize(
    ("links", "is_caught"),
    [
        ([("uk", "https://shop.co.uk/")], True),
        ([("be", "https://a.be/"), ("x-default", "https://a.be/")], True),
        ([("be", "https://a.by/")], False),
        ([("be", "https://a.be/be"), ("nl", "https://a.be/nl")], False),
        ([("de", "https://a.de/")], False),
        ([("nl-BE", "https://a.be/")], False),
        ([("uk", "https://a.com/uk/")], False),
    ],
)
def test_hreflang_likely_region(links, is_caught):
    assert bool(found("H007", sitemap(("/", links)))) == is_caught


@pytest.mark.parametrize(
    ("links", "is_caught"),
    [
        ([("de", "/de")], True),
        ([("de", "/de"), ("en", "/a")], False),
        # Equal by RFC 3986 section 6.2.2.
        ([("en", "HTTPS://EXAMPLE.com:443/%61")], False),
        ([("en", "/a/")], True),
        ([("en", "http://example.com/a")], True),
        # The one without a full URL may be the page.
        ([("de", "/de"), ("en", "a")], False),
        ([("x-default", "/a"), ("de", "/de")], False),
        ([], False),
    ],
)
def test_hreflang_missing_self(links, is_caught):
    links = [(tag, "a" if href == "a" else full(href)) for tag, href in links]

    assert bool(found("H008", sitemap(("/a", links)))) == is_caught


def test_links_by_media_or_to_apps_are_no_versions():
    document = (
        f"<urlset {NS}><url><loc>https://example.com/a</loc>"
        '<xhtml:link rel="alternate" media="only screen and (max-width: 640px)" '
        'href="https://m.example.com/a"/>'
        '<xhtml:link rel="alternate" href="android-app://com.example/https/a"/></url></urlset>'
    ).encode()

    assert found("H", document, document) == []


def test_hreflang_duplicates():
    links = [("de", "/b"), ("DE", "/c"), ("de", "/b"), ("fr", "/d"), ("fr", "/d"), ("en", "/a")]

    (two,) = found("H009", sitemap(("/a", links)))
    doubled = found("H010", sitemap(("/a", links)))

    assert '"de" leads to 2 URLs, https://example.com/b and https://example.com/' in two.message
    assert [f.message.split()[1] for f in doubled] == [full("/b"), full("/d")]
    assert found("H009", sitemap(("/a", [("de", "/b"), ("at", "/b")]))) == []


@pytest.mark.parametrize("relative", [("fr", "fr"), ("de", "de"), ("fr", "//e.com/fr")])
def test_hreflang_duplicates_beside_a_relative_link(relative):
    links = [("en", "/a"), relative, ("de", "/b"), ("de", "/c"), ("de", "/b")]

    (two,) = found("H009", sitemap(("/a", links)))
    (doubled,) = found("H010", sitemap(("/a", links)))

    assert two.message.startswith('hreflang "de" leads to 2 URLs')
    assert doubled.message.split()[1] == full("/b")
    assert found("H009", sitemap(("/a", [("en", "/a"), relative, ("de", "/b")]))) == []


def test_hreflang_no_generic_and_no_default():
    links = [
        ("en-US", "/a"),
        ("en-GB", "/b"),
        ("zh-Hans", "/c"),
        ("zh-Hant", "/d"),
        ("de-DE", "/e"),
    ]

    (generic,) = found("H012", sitemap(("/a", links)))

    assert '2 regions of "en" (en-gb, en-us)' in generic.message
    assert len(found("H011", sitemap(("/a", links)))) == 1
    assert found("H011", sitemap(("/a", [*links, ("X-Default", "/")]))) == []
    assert found("H011", sitemap(("/a", [("en", "/a")]))) == []


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [
        ("en-gb", "en-GB"),
        ("ZH-HANT-tw", "zh-Hant-TW"),
        ("zh-TW-Hant", "zh-Hant-TW"),
        ("X-Default", "x-default"),
        ("zh-Hant-TW", None),
        ("en", None),
        ("en_gb", None),
    ],
)
def test_hreflang_format(tag, wanted):
    words = [f.message for f in found("H013", sitemap(("/a", [(tag, "/a")])))]

    assert words == ([f'hreflang "{tag}" is usually written "{wanted}"'] if wanted else [])

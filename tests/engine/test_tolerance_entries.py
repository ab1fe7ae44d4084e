"""Tolerances of the reader for entries: loc, metadata, pages, feeds, lists, limits."""

import gzip
from datetime import UTC, datetime

import pytest

import urlset
from urlset import Alternate, Document
from urlset.engine import Engine

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{CORE}">\n'
A, B = "https://example.com/a", "https://example.com/b"
BASE = "https://example.com/dir/sitemap.xml"


def read(engine: Engine, body: str, base: str | None = None) -> Document:
    return raw(engine, f"{HEAD}{body}</urlset>", base)


def raw(engine: Engine, text: str, base: str | None = None) -> Document:
    return urlset.parse(text.encode(), base_url=base, engine=engine.name)


def locs(document: Document) -> list[str]:
    return [entry.loc for entry in document.entries]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


def url(loc: str, more: str = "") -> str:
    return f"<url><loc>{loc}</loc>{more}</url>"


# 24 | whitespace, newlines, NBSP, ZWSP around loc | trim Unicode whitespace | U005
@pytest.mark.parametrize(
    "around",
    [
        " ",
        "\n      ",
        "\t",
        "\r\n",
        "\xa0",
        "\u200b",
        "\u3000",
        "\ufeff",
        "\u2028",
        " \u200b\n",
        "&#xA0;",
        "&#10;",
    ],
)
def test_row_24_white_space_around(engine, around):
    document = read(engine, url(f"{around}{A}{around}") + url(B + around))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["U005"])
    is_ascii = around.replace("&#10;", "\n").isspace() and around.isascii()
    assert document.problems[0].level == ("info" if is_ascii else "warning")


# Zero-width characters are white space around a value; inside one they belong to a word (U+200C
# does in Persian).
ZERO_WIDTH = "\u200b\u200c\u200d\u2060"


@pytest.mark.parametrize("mark", ZERO_WIDTH)
def test_row_24_zero_width_inside(engine, mark):
    whole = f"https://example.com/می{mark}خواهم"
    odd = f"https://example.com/?a=1&b{mark}c"
    document = read(engine, url(whole) + url(odd))
    assert (locs(document), codes(document)) == ([whole, odd], ["X003"])

    document = read(engine, url(mark + whole + mark) + url(f"{whole}\n{mark}"))
    assert (locs(document), codes(document)) == ([whole, whole], ["U005"])

    document = read(engine, url(f"{A}{mark}{B}") + url(f"{A},{mark} {mark}{B}"))
    assert (locs(document), codes(document)) == ([f"{A}{mark}{B}", A, B], ["S008", "U006"])


# 25 | relative or `//host` loc | resolve against final sitemap URL, mark `resolved` | U001
@pytest.mark.parametrize(
    ("loc", "expected"),
    [
        ("/a", "https://example.com/a"),
        ("a", "https://example.com/dir/a"),
        ("../a?x=1", "https://example.com/a?x=1"),
        ("?x=1", "https://example.com/dir/sitemap.xml?x=1"),
        ("//example.org/a", "https://example.org/a"),
    ],
)
def test_row_25_relative(engine, loc, expected):
    document = read(engine, url(loc) + url(B), BASE)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [expected, B], ["U001"])

    document = read(engine, url(loc) + url(B))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [B], ["U001"])


# 26 | empty loc | skip entry | S007
@pytest.mark.parametrize(
    "entry",
    [
        url(""),
        "<url><loc/></url>",
        url(" \n\xa0"),
        url("<!-- -->"),
        "<url/>",
        "<url></url>",
        url("<![CDATA[]]>"),
    ],
)
def test_row_26_empty_loc(engine, entry):
    document = read(engine, url(A) + entry + url(B))
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert {"S007"} <= set(codes(document)) <= {"S007", "X023"}


# 27 | lastmod before loc; any order | accept | S018 (off unless selected)
def test_row_27_any_order(engine):
    body = f"<url><priority>0.3</priority><lastmod>2024-05-06</lastmod><loc>{A}</loc></url>{url(B)}"
    document = read(engine, body)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])
    first = next(iter(document.entries))
    assert (first.lastmod_text, first.priority) == ("2024-05-06", 0.3)


# 28 | two loc in one url | first wins, second reported as its own entry without metadata | S008
def test_row_28_two_locs(engine):
    body = f"<url><loc>{A}</loc><lastmod>2024-05-06</lastmod><loc>{B}</loc></url>{url(A + '2')}"
    document = read(engine, body)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B, A + "2"], ["S008"])
    assert [entry.lastmod_text for entry in document.entries] == ["2024-05-06", None, None]


# 29 | loc without url; URL as text of url | accept as entry | S016 S013
def test_row_29_loc_without_url(engine):
    document = read(engine, f"<loc>{A}</loc><loc>{B}</loc>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S016"])


def test_row_29_text_of_url(engine):
    document = read(engine, f"<url>{A}</url>\n<url>\n{B}<lastmod>2024-05-06</lastmod></url>")
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert {"S013"} <= set(codes(document)) <= {"S013", "U005"}
    # rules.json: "E if it is a URL and the entry has no loc"
    assert {p.level for p in document.problems if p.code == "S013"} == {"error"}
    assert [entry.lastmod_text for entry in document.entries] == [None, "2024-05-06"]


def test_row_29_text_beside_a_loc_is_no_url(engine):
    document = read(engine, f"<url>{A}no<loc>{A}</loc></url>some text{url(B)}")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S013"])
    assert {p.level for p in document.problems} == {"warning"}


# 32 | nested `<urlset>` | accept | S015
@pytest.mark.parametrize("inner", ["<urlset>", f'<urlset xmlns="{CORE}">'])
def test_row_32_nested_urlset(engine, inner):
    document = read(engine, f"{inner}{url(A)}</urlset>{url(B)}")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S015"])


# 33 | sitemap in urlset, url in sitemapindex | classify by the entry element, not the root | S014
def test_row_33_sitemap_in_urlset(engine):
    document = read(engine, f"{url(A)}<sitemap><loc>{B}.xml</loc></sitemap>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A], ["S014"])
    assert [sitemap.loc for sitemap in document.sitemaps] == [f"{B}.xml"]


def test_row_33_url_in_sitemapindex(engine):
    text = f"""<sitemapindex xmlns="{CORE}"><sitemap><loc>{B}.xml</loc></sitemap>{url(A)}
    </sitemapindex>"""
    document = raw(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("index", [A], ["S014"])
    assert [sitemap.loc for sitemap in document.sitemaps] == [f"{B}.xml"]


def test_row_33_nothing_but_the_other(engine):
    document = read(
        engine, f"<sitemap><loc>{A}.xml</loc></sitemap><sitemap><loc>{B}.xml</loc></sitemap>"
    )
    assert (document.kind, locs(document), codes(document)) == ("index", [], ["S014"])
    assert [sitemap.loc for sitemap in document.sitemaps] == [f"{A}.xml", f"{B}.xml"]


# 39 | (X)HTML page with 200 | reject as `HtmlDocument`, do not mine links | X019
@pytest.mark.parametrize(
    "text",
    [
        f"<!DOCTYPE html>\n<html><body><a href='{A}'>{A}</a></body></html>",
        f"\n<HTML><body>{A}</body></HTML>",
        f"<!-- {A} --><!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><html>{A}</html>",
        f"""<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">
        <html xmlns="http://www.w3.org/1999/xhtml"><body><a href="{A}">{A}</a></body></html>""",
        f'<?xml version="1.0"?><html><urlset xmlns="{CORE}">{url(A)}</urlset></html>',
    ],
)
def test_row_39_page(engine, text):
    document = raw(engine, text, BASE)
    assert (document.kind, locs(document), codes(document)) == ("html", [], ["X019"])


# 48 | odd dates | parse levels: W3C, ISO 8601 superset, RFC 822, vendor forms; keep raw string,
#      give precision and `has_tz`; never guess d/m/y | D001–D008   (all forms: test_dates.py)
@pytest.mark.parametrize(
    ("text", "instant", "expected"),
    [
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC), []),
        ("2024-05-06 07:08:09", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), ["D002"]),
        ("Mon, 06 May 2024 07:08:09 GMT", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), ["D001"]),
        ("05/06/2024", None, ["D001"]),
        ("yesterday", None, ["D001"]),
    ],
)
def test_row_48_odd_dates(engine, text, instant, expected):
    document = read(engine, url(A, f"<lastmod>{text}</lastmod>") + url(B))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], expected)
    first = next(iter(document.entries))
    assert (first.lastmod, first.lastmod_text) == (instant, text)


# 49 | bad priority / changefreq | value None, keep raw | S019 S020
@pytest.mark.parametrize(
    "text", ["1.1", "-0.1", "NaN", "high", "0,5", "1e-1", "0.5.5", "٠.٥", "inf"]
)
def test_row_49_bad_priority(engine, text):
    document = read(engine, url(A, f"<priority>{text}</priority>") + url(B))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S020"])
    assert next(iter(document.entries)).priority is None
    assert text in document.problems[0].message


@pytest.mark.parametrize(
    ("text", "word"), [("Daily", "daily"), ("biweekly", None), ("every day", None)]
)
def test_row_49_bad_changefreq(engine, text, word):
    document = read(engine, url(A, f"<changefreq>{text}</changefreq>") + url(B))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S019"])
    assert next(iter(document.entries)).changefreq == word
    assert text in document.problems[0].message


# 53 | > 50 000 URLs, > 50 MB | keep reading to `max_bytes` (default 2×), report | L001 L002
def test_row_53_too_many_urls(engine):
    for text, kind in (
        (HEAD + url(A) * 50_001 + "</urlset>", "urlset"),
        (f"{A}\n" * 50_001, "text"),
    ):
        document = raw(engine, text)
        assert (document.kind, len(document.entries)) == (kind, 50_001)
        assert codes(document) == ["L001"]


def test_row_53_too_large(engine):
    filler = f"<!--{'x' * 1_000_000}-->\n" * 53
    document = read(engine, url(A) + filler + url(B))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["L002"])


# 54 | bombs: entity expansion, 1000:1 gzip | cap output bytes, depth 64, attributes 256, text
#      node 1 MiB | X016 L009   (more of them: tests/engine/test_hostile.py)
def test_row_54_entity_bomb(engine):
    entities = '<!ENTITY e0 "x">' + "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)
    )
    text = (
        f"<!DOCTYPE urlset [{entities}]><urlset xmlns='{CORE}'>{url(A + '&e9;')}{url(B)}</urlset>"
    )
    document = raw(engine, text)
    assert (document.kind, locs(document)) == ("urlset", [B])
    assert {"X015", "X016"} <= set(codes(document)) <= {"X015", "X016", "S007"}


def test_row_54_gzip_bomb(engine):
    data = gzip.compress((HEAD + url(A) + url(B) + " " * 5_000_000 + url(A) + "</urlset>").encode())
    document = urlset.parse(data, engine=engine.name, max_bytes=1_000_000)
    assert (document.kind, locs(document), document.size) == ("urlset", [A, B], 1_000_000)
    assert codes(document) == ["L009", "X009"]


# 56 | android-app:// or media alternates | keep as alternates without language | H001
def test_row_56_alternates_without_language(engine):
    app = "android-app://com.example/https/example.com/a"
    links = (
        f'<x:link rel="alternate" media="only screen and (max-width: 640px)" href="{A}m"/>'
        f'<x:link rel="alternate" href="{app}"/><x:link rel="alternate" href="ios-app://1/x"/>'
    )
    text = f'<urlset xmlns="{CORE}" xmlns:x="http://www.w3.org/1999/xhtml">{url(A, links)}{url(B)}'
    document = raw(engine, f"{text}</urlset>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])
    assert next(iter(document.entries)).alternates == (
        Alternate(None, f"{A}m", "only screen and (max-width: 640px)"),
        Alternate(None, app),
        Alternate(None, "ios-app://1/x"),
    )


def test_row_56_alternate_without_language_or_media(engine):
    link = f'<x:link rel="alternate" href="{A}m"/>'
    text = f'<urlset xmlns="{CORE}" xmlns:x="http://www.w3.org/1999/xhtml">{url(A, link)}{url(B)}'
    document = raw(engine, f"{text}</urlset>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["H001"])

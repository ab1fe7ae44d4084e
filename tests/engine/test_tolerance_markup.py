"""Tolerances of the reader: markup: comments, references, tags without an end, truncation."""

import pytest

import urlset
from urlset import Document
from urlset.engine import Engine

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{CORE}">\n'
A, B = "https://example.com/a", "https://example.com/b"


def read(engine: Engine, body: str, head: str = HEAD, tail: str = "</urlset>") -> Document:
    return urlset.parse(f"{head}{body}{tail}".encode(), engine=engine.name)


def locs(document: Document) -> list[str]:
    return [entry.loc for entry in document.entries]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


def url(loc: str) -> str:
    return f"<url><loc>{loc}</loc></url>"


def pair(first: str) -> str:
    return url(first) + url(B)


# 6 | CDATA in loc | accept | –
@pytest.mark.parametrize(
    "loc",
    [
        f"<![CDATA[{A}?x=1&y=2]]>",
        f"\n<![CDATA[{A}?x=1&y=2]]>",
        f"{A}<![CDATA[?x=1&]]>y=<![CDATA[2]]>",
        f"{A}?x=1<![CDATA[]]>&amp;y=2",
    ],
)
def test_row_06_cdata(engine, loc):
    document = read(engine, pair(loc))
    assert (document.kind, locs(document)) == ("urlset", [f"{A}?x=1&y=2", B])
    assert set(codes(document)) <= {"U005"}


# 7 | comments/PIs between elements | ignore | –
def test_row_07_comments_between_elements(engine):
    body = f"<!-- <url><loc>{A}no</loc></url> --><?pi <url>?>{url(A)}<!----><!-- a - b -->{url(B)}"
    document = read(engine, body, tail="</urlset><!-- after --><?pi?>\n")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])


def test_row_07_comments_in_the_prolog_and_in_an_entry(engine):
    head = f'<?xml version="1.0"?><!-- <urlset> <html> --><?php-no?><urlset xmlns="{CORE}"><!-- -->'
    body = f"<url><!-- {A}no --><loc>{A}</loc><?pi x?></url>{url(B)}"
    document = read(engine, body, head)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])


def test_row_07_stylesheet(engine):
    head = HEAD.replace("\n<urlset", '\n<?xml-stylesheet type="text/xsl" href="/s.xsl"?>\n<urlset')
    document = read(engine, pair(A), head)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X018"])


# 8 | comment inside loc | join text on both sides | X023
@pytest.mark.parametrize("aside", ["<!-- c -->", "<!-- a > b < c -->", "<?pi?>", "<!----><!-- -->"])
def test_row_08_comment_inside_loc(engine, aside):
    document = read(engine, pair(f"https://example.com/{aside}a"))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X023"])


# 15 | raw `&` in loc | repair before parsing: insert `amp;` | X003
@pytest.mark.parametrize(
    "query",
    [
        "?x=1&y=2",
        "?x=1&copy=2",
        "?x&",
        "?&&",
        "?a&b&c=",
        "?x=1&amp=2",
        "?a=1& b",
        "?a&#b",
        "?a&#12",
    ],
)
def test_row_15_raw_ampersand(engine, query):
    document = read(engine, pair(A + query))
    assert (document.kind, locs(document)) == ("urlset", [A + query.replace(" ", "%20"), B])
    assert "X003" in codes(document)
    assert set(codes(document)) <= {"X003", "U006"}


# 16 | HTML entity (`&eacute;`, `&nbsp;`) | replace from the HTML5 table | X004
@pytest.mark.parametrize(
    ("entity", "character"),
    [
        ("&eacute;", "é"),
        ("&ndash;", "–"),
        ("&Auml;&ouml;", "Äö"),
        ("&hearts;", "♥"),
        ("&NotEqualTilde;", "≂̸"),
    ],
)
def test_row_16_html_entity(engine, entity, character):
    document = read(engine, pair(A + entity + "x"))
    assert (document.kind, locs(document)) == ("urlset", [f"{A}{character}x", B])
    assert codes(document) == ["X004"]


def test_row_16_nbsp_around_a_loc(engine):
    document = read(engine, pair(f"&nbsp;{A}&nbsp;"))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["U005", "X004"])


def test_row_16_unknown_entity_stays_as_it_stands(engine):
    document = read(engine, pair(f"{A}?x=1&section;y"))
    assert (locs(document), codes(document)) == ([f"{A}?x=1&section;y", B], ["X004"])


# 17 | double-escaped `&amp;amp;` | report; decode only when asked | X022
@pytest.mark.parametrize("twice", ["&amp;amp;", "&#38;amp;", "&amp;#38;", "<![CDATA[&amp;]]>"])
def test_row_17_escaped_twice(engine, twice):
    once = "&#38;" if "#38;" in twice[4:] else "&amp;"
    document = read(engine, pair(f"{A}?x=1{twice}y=2"))
    assert (document.kind, locs(document)) == ("urlset", [f"{A}?x=1{once}y=2", B])
    assert codes(document) == ["X022"]


# 18 | control chars | drop, report | X005
@pytest.mark.parametrize(
    "character", ["\x01", "\x0b", "\x1f", "\0", "\ufffe", "&#8;", "&#x1F;", "&#0;"]
)
def test_row_18_control_characters(engine, character):
    document = read(engine, pair(f"https://example.com/{character}a"))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X005"])


# 30 | unclosed or mis-cased end tag | close at the next known tag | X002 S006
@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (f"<url><loc>{A}</loc>", {"X002"}),
        (f"<url><loc>{A}</url>", {"X002"}),
        (f"<url><loc>{A}", {"X002"}),
        (f"<url><loc>{A}<loc></url>", {"X002"}),
        (f"<url><loc>{A}<lastmod>2024-05-06</lastmod></url>", {"X002"}),
        (f"<url><lastmod>2024-05-06<loc>{A}</loc></url>", {"X002"}),
        (f"<url><loc>{A}</lastmod></url>", {"X002"}),
        (f"<url><loc>{A}</loc></loc></url>", {"X002"}),
        (f"<url><loc>{A}</LOC></url>", {"S006"}),
        (f"<url><loc>{A}</Loc></URL>", {"S006"}),
        (f"<url><Loc>{A}</loc></url>", {"S006"}),
        (f"<url><loc>{A}</loc ></url >", set()),
        (f"<url><loc>{A}</loc x='1'></url>", {"X002"}),
        (f"<url><loc>{A}</loc</url>", {"X002"}),
        (f"<url><loc >{A}</ loc></url>", {"X002"}),
    ],
)
def test_row_30_end_tag(engine, first, expected):
    document = read(engine, first + url(B))
    assert (document.kind, locs(document), set(codes(document))) == ("urlset", [A, B], expected)


def test_row_30_lastmod_behind_an_unclosed_loc_is_kept(engine):
    document = read(engine, f"<url><loc>{A}<lastmod>2024-05-06</lastmod></url>{url(B)}")
    assert [entry.lastmod_text for entry in document.entries] == ["2024-05-06", None]


def test_row_30_extension_without_an_end(engine):
    head = f'<urlset xmlns="{CORE}" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
    body = f"<url><loc>{A}</loc><i:image><i:loc>{A}.png</i:loc></url>{url(B)}"
    document = read(engine, body, head)
    assert (locs(document), codes(document)) == ([A, B], ["X002"])
    assert [image.loc for entry in document.entries for image in entry.images] == [f"{A}.png"]


# 34 | truncated | yield complete entries only; never the cut one | X009
@pytest.mark.parametrize(
    "rest",
    [
        "<url><loc>https://example.c",
        "<url><loc>https://example.com/cut",
        "<url><loc>https://example.com/cut</lo",
        "<url><loc>https://example.com/cut</loc>",
        "<url><loc>https://example.com/cut</loc></url",
        "<url><loc><![CDATA[https://example.com/cut]]",
        "<url><loc>https://example.com/cut?x&am",
        "<url",
        "<!-- ",
        "\n",
        "",
    ],
)
def test_row_34_truncated(engine, rest):
    document = read(engine, pair(A), tail=rest)
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert {"X009"} <= set(codes(document)) <= {"X009", "X003"}  # X003: a reference cut in two
    assert not document.is_whole


# 35 | two documents concatenated | read all roots | X024
@pytest.mark.parametrize("between", ["", "\n", "<!-- -->", "\ufeff"])
@pytest.mark.parametrize("head", [HEAD, f'<urlset xmlns="{CORE}">'])
def test_row_35_concatenated(engine, between, head):
    document = read(engine, url(A), tail=f"</urlset>{between}{head}{url(B)}</urlset>")
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert "X024" in codes(document)
    assert set(codes(document)) <= {"X024", "X014"}


def test_row_35_concatenated_index_and_sitemap(engine):
    index = f'<sitemapindex xmlns="{CORE}"><sitemap><loc>{A}.xml</loc></sitemap></sitemapindex>'
    document = read(engine, url(B), tail=f"</urlset>{index}")
    assert (locs(document), [s.loc for s in document.sitemaps]) == ([B], [f"{A}.xml"])
    assert codes(document) == ["X024"]


def test_row_35_concatenated_in_the_middle_of_a_document(engine):
    """The first document lost its end, so the second begins inside it."""
    document = read(engine, url(A), tail=f"{HEAD}{url(B)}</urlset>")
    assert locs(document) == [A, B]
    assert {"X024", "S015"} & set(codes(document))


# 36 | DOCTYPE | skip it; expand internal simple entities within a cap; never external | X015 X016
@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE urlset>",
        "<!DOCTYPE urlset [\n<!ELEMENT urlset (url*)>\n<!-- ]> -->\n<?pi ]>?>\n]>",
        '<!DOCTYPE urlset [<!ATTLIST url a CDATA "]>">]>',
    ],
)
def test_row_36_doctype(engine, doctype):
    document = read(engine, pair(A), HEAD.replace("<urlset", f"{doctype}\n<urlset"))
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X015"])
    assert [problem.level for problem in document.problems] == ["warning"]


def test_row_36_doctype_in_lower_case(engine):
    document = read(engine, pair(A), HEAD.replace("<urlset", "<!doctype urlset>\n<urlset"))
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert codes(document) == ["X002", "X015"]


def test_row_36_internal_entity(engine):
    subset = "<!ENTITY h 'example.com'><!ENTITY base \"https://&h;/&#97;\">"
    head = HEAD.replace("<urlset", f"<!DOCTYPE urlset [{subset}]><urlset")
    document = read(engine, pair("&base;"), head)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X015"])
    assert [problem.level for problem in document.problems] == ["error"]


@pytest.mark.parametrize(
    "subset",
    [
        "<!ENTITY x SYSTEM 'file:///etc/hostname'>",
        "<!ENTITY x PUBLIC '-//X' 'https://example.com/x'>",
        "<!ENTITY % p SYSTEM 'https://example.com/p'>%p;",
        "<!ENTITY % p \"<!ENTITY x 'y'>\">%p;",
    ],
)
def test_row_36_external_entity_gives_no_url(engine, subset):
    """What the entity stands for is not known, so neither is the URL."""
    head = HEAD.replace("<urlset", f"<!DOCTYPE urlset [{subset}]><urlset")
    document = read(engine, url("https://example.com/&x;") + url(B), head)
    assert (document.kind, locs(document)) == ("urlset", [B])
    assert {"X015", "X016"} <= set(codes(document))


def test_row_36_external_subset(engine):
    head = HEAD.replace("<urlset", '<!DOCTYPE urlset SYSTEM "http://example.com/s.dtd">\n<urlset')
    document = read(engine, pair(A), head)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X015", "X016"])


# 38 | `<loc><a>…</a></loc>` | take text content | S017
@pytest.mark.parametrize("loc", [f'<a href="{B}no">{A}</a>', "https://<b>example.com</b>/a"])
def test_row_38_markup_in_loc(engine, loc):
    document = read(engine, pair(loc))
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert "S017" in codes(document)
    assert set(codes(document)) <= {"S017", "S010"}

"""Markup facts, and the rules that use them: X017, S018, P005."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.checker import check, custom_rule
from urlset.checker.examples import PAGE, whole
from urlset.checker.markup_facts import Fact, facts_of
from urlset.checker.rule import Need
from urlset.document import parse

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
XSI = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
LOC, LASTMOD = "<loc>https://example.com/</loc>", "<lastmod>2026-11-20</lastmod>"
FREQ, PRIORITY = "<changefreq>daily</changefreq>", "<priority>0.5</priority>"
PICTURE = "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
LINK = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de?a>b"/>'


def facts(data: str | bytes, kind: str, *needs: Need) -> list[Fact]:
    document = parse(data if isinstance(data, bytes) else data.encode())
    found = facts_of(document, needs or ("markup", "order"))
    return [fact for fact in found if fact.fact == kind]


# ── X017 ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("start", "version"),
    [
        ('<?xml version="1.0"?>', "1.0"),
        ("<?xml\tversion = '1.0' encoding='UTF-8' standalone='yes'?>", "1.0"),
        ('<?xml version="1.1"?>', "1.1"),
        ('\ufeff<?xml version="1.0"?>', "1.0"),
        ('\n <?xml version="1.0"?>', "1.0"),  # X006
        ("", None),
        ("<?xml-stylesheet version='1.0'?>", None),
        ("<!-- <urlset> -->", None),
        ("<?xml ?>", None),
    ],
)
def test_declaration(start, version):
    data = f"{start}\n<urlset {NS}>{PAGE}</urlset>"

    assert facts(data, "declaration") == [Fact(0, "declaration", value=version)]


@pytest.mark.parametrize("data", ["", "https://example.com/", "<html></html>", "<a/>", "{}"])
def test_there_are_no_facts_of_what_is_no_xml(data):
    assert list(facts_of(parse(data.encode()), ("markup", "order"))) == []


def test_xml_declaration_says_what_was_found():
    documents = {
        "https://example.com/a.xml": f"<urlset {NS}>{PAGE}</urlset>".encode(),
        "https://example.com/b.xml": whole().replace('"1.0"', '"1.1"').encode(),
        "https://example.com/c.xml": whole().encode(),
        "https://example.com/d.txt": b"https://example.com/\n",
    }

    found = {
        (f.source or "")[-5:]: (f.message, f.line, f.column)
        for f in check(documents, select=["X017"])
    }

    assert found == {
        "a.xml": ("No XML declaration", 1, 1),
        "b.xml": ("XML version is 1.1, expected 1.0", 1, 1),
    }


# ── P005 ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("attributes", "entries", "unused"),
    [
        (IMAGE, PAGE, ["image"]),
        (IMAGE, PAGE.replace("</url>", f"{PICTURE}</url>"), []),
        (IMAGE, PAGE.replace("https:", "http://a/image:"), ["image"]),
        (IMAGE, PAGE + "<!--image:-->", ["image"]),
        (IMAGE, PAGE + "<!-- <image:image> -->", []),  # in doubt, it is used
        (IMAGE, PAGE + "</image:image>", ["image"]),
        (IMAGE, '<url image:a="b"></url>', []),
        (IMAGE, '<url a="image:b"></url>', []),
        (IMAGE, '<url\nimage:a="b"></url>', []),
        (IMAGE + XSI, PAGE, ["xsi", "image"]),
        (f'{XSI} xsi:schemaLocation="a b"', PAGE, []),
        (f'{IMAGE} a="image:b"', PAGE, ["image"]),
        (' xmlns:a="a" xmlns:a="b"', PAGE, ["a"]),
        (" xmlns:a='a>b' xmlns:b = ''", PAGE, ["b", "a"]),
        (' xmlns:s="s"', PAGE, ["s"]),
        (' xmlns:s="s"', PAGE * 2_000, []),  # the s: of https: is met too often to be sure
    ],
)
def test_unused(attributes, entries, unused):
    found = facts(whole(entries, attributes=attributes), "unused")

    assert [fact.name for fact in found] == unused


def test_unused_prefix_of_the_root_is_used():
    root = 'xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"'

    assert facts(f"<s:urlset {root}></s:urlset>", "unused") == []


def test_unused_is_nothing_in_a_feed():
    # WordPress declares six, whether it uses them or not.
    data = '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel/></rss>'

    assert facts(data, "unused") == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_unused_namespace_points_at_the_declaration(encoding):
    comment = "<!-- é\r\n東京 -->"
    data = f"{comment}\r\n<urlset {NS}\n{IMAGE}>{PAGE}</urlset>".encode(encoding)

    [finding] = check(data, select=["P005"])

    assert (finding.line, finding.column, finding.level) == (4, 2, "info")
    assert data[finding.offset :].startswith("xmlns:image".encode(encoding)[-22:])
    assert finding.message == "Declared but not used: xmlns:image"
    assert finding.excerpt is not None
    assert finding.excerpt.text[finding.excerpt.start :].startswith("xmlns:image=")


def test_unused_namespaces_are_one_finding_of_a_document():
    # Programs that declare all they know, whatever they write, are common.
    data = whole(attributes=XSI + IMAGE + ' xmlns:video="v"').encode()

    [finding] = check(data, select=["P005"])

    assert finding.message == "Declared but not used: xmlns:xsi, xmlns:image, xmlns:video"
    assert data[finding.offset :].startswith(b"xmlns:xsi")


def test_unused_namespace_of_a_broken_document_is_not_reported():
    data = whole(attributes=IMAGE).removesuffix("</urlset>").encode()

    assert list(check(data, select=["P005"])) == []


# ── S018 ─────────────────────────────────────────────────────────────────────────────────────


def url(*children: str) -> str:
    return f"<url>{''.join(children)}</url>\n"


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        (url(LOC, LASTMOD, FREQ, PRIORITY, PICTURE, LINK), None),
        (url(LOC, PRIORITY), None),
        (url(LOC, PICTURE, LINK, PICTURE), None),
        (url(LOC, LASTMOD) + url(LOC, LASTMOD), None),
        (url(LASTMOD, LOC), ("loc", "lastmod", 1)),
        (url(LOC, FREQ, LASTMOD), ("lastmod", "changefreq", 1)),
        (url(LOC, PRIORITY, FREQ), ("changefreq", "priority", 1)),
        (url(LOC, PRIORITY, LASTMOD), ("lastmod", "priority", 1)),
        (url(PICTURE, LOC), ("loc", "image:image", 1)),
        (url(LOC, LINK, LASTMOD), ("lastmod", "xhtml:link", 1)),
        (url(LASTMOD, " \n<!-- <loc> -->\n", LOC), ("loc", "lastmod", 1)),
        (url(LASTMOD, LOC) * 3 + url(LOC, LASTMOD), ("loc", "lastmod", 3)),
        (url(PRIORITY, FREQ, LASTMOD, LOC), ("changefreq", "priority", 1)),
        (url("<lastmod/>", LOC), ("loc", "lastmod", 1)),
        (url(LOC, LOC), None),  # S008
        (url(LOC, LASTMOD, "<!-- <loc>a</loc> -->"), None),
        (url("<loc><![CDATA[<lastmod>a</lastmod><loc>]]></loc>", LASTMOD), None),
        (url(LOC, LASTMOD, '<a xmlns="urn:a"><loc>x</loc></a>'), None),  # not its loc
        (url(LOC, LASTMOD, "<a:b><c><loc>x</loc></c></a:b>"), None),
        (url(LOC, "<a:b>", url(LASTMOD, LOC), "</a:b>"), None),  # not an entry of the sitemap
        ("<url>" + LOC + PRIORITY + url(LASTMOD, LOC), ("loc", "lastmod", 1)),  # no </url>
        ("<url/>" + url(LOC), None),
        (LASTMOD + url(LOC), None),
    ],
)
def test_order(entries, found):
    told = facts(whole(entries, attributes=' xmlns:a="urn:a"'), "order")

    assert [(fact.name, fact.value, fact.times) for fact in told] == ([found] if found else [])


def test_order_of_prefixed_elements():
    entries = url(LASTMOD, LOC).replace("<", "<s:").replace("<s:/", "</s:")
    root = 'xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"'

    [fact] = facts(f"<s:urlset {root}>{entries}</s:urlset>", "order")

    assert (fact.name, fact.value) == ("s:loc", "s:lastmod")


def test_order_of_an_index():
    data = f"<sitemapindex {NS}>{url(LASTMOD, LOC).replace('url>', 'sitemap>')}</sitemapindex>"

    [fact] = facts(data, "order")

    assert data[fact.start :].startswith("<loc>")


def test_element_order_is_one_finding_of_a_document():
    data = whole(url(LOC, LASTMOD) + url(LASTMOD, LOC) * 1_000).encode()

    [finding] = check(data, select=["S018"])

    words = "<loc> comes after <lastmod>; the schema has it before (entries: 1,000)"
    assert (finding.message, finding.line, finding.column) == (words, 4, 35)


def test_order_is_only_looked_for_where_it_is_needed():
    assert facts(whole(url(LASTMOD, LOC)), "order", "markup") == []


CHILDREN = {LOC: 0, LASTMOD: 1, FREQ: 2, PRIORITY: 3, PICTURE: 4, LINK: 4, "<!-- <loc> -->": None}


@given(st.lists(st.lists(st.sampled_from(list(CHILDREN))), max_size=4))
def test_order_is_that_of_ranks(entries):
    data = whole("".join(url(*children) for children in entries), attributes=IMAGE)

    told = facts(data, "order")

    ranks = [[rank for c in children if (rank := CHILDREN[c]) is not None] for children in entries]
    assert sum(fact.times or 0 for fact in told) == sum(its != sorted(its) for its in ranks)


@pytest.mark.parametrize(
    "asked",
    [
        {"view": "markup", "where": "fact = 'order'"},
        {"sql": "SELECT document, name FROM markup WHERE fact = 'order'"},
    ],
)
def test_rules_of_ones_own_may_ask_for_all_facts(asked):
    own = custom_rule(1, {"name": "own-order", "message": "{name}", **asked})

    [finding] = check(whole(url(LASTMOD, LOC)).encode(), rules=[own], select=["Z001"])

    assert finding.message == "loc"


# ── hostile documents ────────────────────────────────────────────────────────────────────────

FRAGMENTS = st.sampled_from(
    [
        *f"<urlset {NS} {IMAGE} {XSI} {LOC} {LASTMOD} {PICTURE} > </urlset> <sitemapindex".split(),
        *("<!--", "-->", "<![CDATA[", "]]>", "<?xml ", "?>", "'", '"', "<", ">", "/>", "\0", "é"),
        *("xmlns:", "xmlns:a=", "a:", "<a:b", " = ", "\r\n", "<url>", "</url>", "image:"),
    ]
)


@given(st.lists(FRAGMENTS, max_size=40).map("".join))
def test_facts_of_any_markup(text):
    for start in ("", f"<urlset {NS}>", f"<urlset {NS} "):
        document = parse((start + text).encode())

        for fact in facts_of(document, ("markup", "order")):
            assert 0 <= fact.start <= len(document.text)


@pytest.mark.parametrize(
    "text",
    [
        "<urlset " + " xmlns:a" * 200_000,
        "<!--" * 200_000,
        f"<urlset {NS}>" + "<a" * 200_000,
        f"<urlset {NS}>" + "<" + "a" * 1_000_000,
        f"<urlset {NS}>" + "</lastmod>" * 200_000,
        f"<urlset {NS}>" + "</lastmod>" + " " * 1_000_000,
        f"<urlset {NS}>" + "</" + "a:" * 500_000,
        f"<urlset {NS}>" + "/>" * 500_000,
        f"<urlset {NS}>{url(LASTMOD, LOC)}" + "<a '" * 200_000,
        f"<urlset {NS}>{url(LASTMOD, LOC)}" + "<a " + "'\"" * 200_000,
        f"<urlset {NS}>{url(LASTMOD, LOC)}" + "<!--" * 200_000,
        f"<urlset {NS}>{url(LASTMOD, LOC)}" + "<" * 1_000_000,
        f"<urlset {NS} "
        + "".join(f'xmlns:a{n}="u" ' for n in range(1_000))
        + ">"
        + "a" * 1_000_000,
    ],
    ids=lambda text: text[:12] + text[-12:],
)
def test_facts_take_time_in_proportion(text):
    # What is quadratic would not end.
    list(facts_of(parse(text.encode()), ("markup", "order")))

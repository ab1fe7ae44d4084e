"""Links of a page and of the Link header to sitemaps and feeds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.html import sitemaps_and_feeds_in_header, sitemaps_and_feeds_in_page
from urlset.html.links import header_links

BASE = "https://example.com/a/"
S = "https://example.com/s.xml"
DOTTED_I = "\u0130" * 40
CASES = {
    '<link rel="sitemap" type="application/xml" href="/s.xml">': [(S, "sitemap")],
    "<LINK HREF=/s.xml REL='foo Sitemap'/>": [(S, "sitemap")],
    '<link rel=sitemap href="../s.xml?a=1&amp;b=2">': [(f"{S}?a=1&b=2", "sitemap")],
    '<link title="a > b" rel="sitemap" href="/s.xml">': [(S, "sitemap")],
    "<link\n rel = sitemap\n href = '/s.xml'\n>": [(S, "sitemap")],
    '<base href="https://cdn.example/x/"><link rel=sitemap href=s.xml>': [
        ("https://cdn.example/x/s.xml", "sitemap")
    ],
    '<link rel="alternate" type="application/rss+xml" href="/s.xml">': [(S, "feed")],
    '<link rel="alternate" type="application/atom+xml; charset=utf-8" href="/s.xml">': [
        (S, "feed")
    ],
    '<link rel="alternate" hreflang="de" href="/de">': [],
    '<link rel="alternate" type="application/json+oembed" href="/x">': [],
    '<!-- <link rel="sitemap" href="/s.xml"> -->': [],
    "<script>'<link rel=sitemap href=/s.xml>'</script>": [],
    # What is in an attribute or in text is no element, and no comment.
    '<meta content="How <script> works"><link rel=sitemap href=/s.xml>': [(S, "sitemap")],
    "<meta content='<!-- a'><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    "<meta content='<link rel=sitemap href=/x>'>": [],
    "<title>The <link rel=sitemap href=/x> element</title>": [],
    "<textarea><link rel=sitemap href=/x></textarea>": [],
    # The name of an element of one's own may begin so.
    "<link-card rel=sitemap href=/x></link-card>": [],
    "<base-map href=https://maps.example/></base-map><link rel=sitemap href=/s.xml>": [
        (S, "sitemap")
    ],
    "<script-loader></script-loader><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    # Comments that end early: https://html.spec.whatwg.org/multipage/parsing.html#parse-errors
    "<!--><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    "<!---><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    "<!-- a --!><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    "<a title='><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    # A quote counts only where a value begins.
    '<meta content="a""><link rel="sitemap" href="/s.xml"><meta content="b > c">': [(S, "sitemap")],
    "<meta name=author content=O'Brien><link rel=sitemap href=/s.xml><p>don't": [(S, "sitemap")],
    '<meta content = "<link rel=sitemap href=/x>"><link rel=sitemap href=/s.xml>': [(S, "sitemap")],
    "<svg><title/></svg><link rel=sitemap href=/s.xml><title>x</title>": [(S, "sitemap")],
    "<title><link rel=sitemap href=/s.xml>": [(S, "sitemap")],  # it has no end
    # The lower case of this letter has two characters.
    f"<title>{DOTTED_I}</title><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    f"<script>{DOTTED_I}</script><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
    '<link rel="sitemap">': [],
    '<link rel="sitemap" href="">': [],
    '<link rel="sitemap" href="javascript:x">': [],
    '<link rel="sitemap" href="/s.xml': [],
    "<link rel=sitemap href=/s.xml><link rel=sitemap href=/s.xml>": [(S, "sitemap")],
}


@pytest.mark.parametrize("html", CASES)
def test_links_of_a_page(html: str):
    whole = f"<!doctype html><html><head><title>x</title>{html}</head>"

    assert sitemaps_and_feeds_in_page(whole.encode(), BASE) == CASES[html]
    assert sitemaps_and_feeds_in_page(whole.encode("utf-16"), BASE) == CASES[html]


HEADERS = {
    '</s.xml>; rel="sitemap"': [(S, "sitemap")],
    "</s.xml>;rel=sitemap;type=application/xml": [(S, "sitemap")],
    '</style.css>; rel=preload; as=style, </s.xml>; title="a, b"; rel="x SITEMAP"': [
        (S, "sitemap")
    ],
    '</s.xml>; rel=alternate; type="application/rss+xml"': [(S, "feed")],
    # "Occurrences after the first MUST be ignored": https://www.rfc-editor.org/rfc/rfc8288#section-3.3
    "</s.xml>; rel=sitemap; rel=next": [(S, "sitemap")],
    "</s.xml>; rel=next; rel=sitemap": [],
    "</s.xml>": [],
    "<>; rel=sitemap": [],
    "rel=sitemap": [],
    "": [],
}


@pytest.mark.parametrize("header", HEADERS)
def test_links_of_a_header(header: str):
    assert sitemaps_and_feeds_in_header(header, BASE) == HEADERS[header]


def test_first_relation_of_a_header_link_counts():
    # https://www.rfc-editor.org/rfc/rfc8288#section-3.3
    (link,) = header_links("</a>; rel=canonical; rel=alternate")

    assert link == ("/a", ("canonical",), "")


@given(st.lists(st.sampled_from(["<link", " rel=sitemap", " href=", "'", '"', ">", "<!--", "x"])))
def test_nothing_raises(pieces: list[str]):
    sitemaps_and_feeds_in_page("".join(pieces).encode(), BASE)
    sitemaps_and_feeds_in_header("".join(pieces), BASE)


@pytest.mark.parametrize(
    "piece",
    [
        "<link ",
        "<link '",
        '<link "',
        "<!--",
        "<script>",
        "<link a=",
        "<",
        "<base href=x>",
        "<a>",
        "<a '",
        "<a ",
        "<title>",
        "<!-- --",
        "<!-->",
    ],
)
def test_hostile_page_takes_no_time(piece: str):
    began = time.process_time()

    sitemaps_and_feeds_in_page(piece.encode() * (300_000 // len(piece)), BASE)

    assert time.process_time() - began < 5

"""Both engines scan every page alike: pages of documentation generators, odd and hostile ones."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.engine import available, get
from urlset.html.facts import repair

pytestmark = pytest.mark.skipif(
    "native" not in available(), reason="the native engine is not installed"
)

ORIGIN = "https://example.com"

# Tags, ends of tags, references and texts that some rule of the scanner treats in its own way.
PIECES = r"""<html lang=en>|<head>|</head>|<body>|</body>|<title>|</title>|<title >T</title >
<main>|</main>|<article>|</article>|<nav>|</nav>|<header>|</header>|<footer>|</footer>|<aside>
</aside>|<div>|</div>|<p>|</p>|<h1>|</h1>|<br/>|</br>|<li>|<table>|<td>|<svg>|</svg>|<math>
<x-y role=main>|</x-y>|</a>|<a href="/x">|<a href=/y?a=1&amp;b>|<a href="data:x">
<a href="JavaScript:x">|<a rel=next href=''>|<a href="https://example.com/a%20b?utm_x=1&sid=2">
<a HREF="z"rel=REL>|<a/href=x>|<a x="1" X=2 href='u>|<area href="q" rel="NoFollow">
<img src=a.png alt="A&amp;B">|<img data-src='x.js?v=123'>|<source src=s>
<img src="/app.3f9a1c.js">|<a href="&#1;" src=k>|<time datetime="2024-01-01">|</time>
<time last-updated>|<time class=updated datetime=x>|<time datetimE="&#1;">|<time éupdated>
<data value=1>|<base href="/b/">|<meta name="description" content="d">
<meta name="a" NAME=b content>|<link rel=canonical href="/c">|<script>|</script>|</SCRIPT >
<script/>|<script type="application/ld+json">|<script type=module>|</ſcript>
<script type='text/javascript'>|<ſcript>|</scrıpt>|<style>|</style>|<template>|</template>
<noscript>|</noscript>|<iframe>|</iframe>|<xmp>|</xmp>|<textarea>|</textarea>|<!--|-->|<!-->
<!doctype html>|<?|?>|<div role="main">|<div role=navigation>|<div role=banner>
<section role='contentinfo'>|<div role=maın>|<div role="mainé">
<div CLASS=cooKies_modal role= 'MAIN'>|<span class="cookie-banner">|<i class=page-views>
<div id='gdpr_consent x'>|<p class="view-counter">|<div class="a consent-popupx">|<p a=b/c="d">
<linK rel=x>|<div class="ıd" id = "VIEWCOUNTERS">|< a>|</ p>|&amp;|&lt;|&copy|&copy;|&notit;
&#65;|&#x41|&#xD800;|&#0;|&#128;|&#1;|&nbsp;|&bogus;|&#99999999999;|&|;|<|>|/|=|"|'|ſ|K|ı|İ|é|日本
¶|1|12:30|1,234 views|5 VIEWS|views: 3|built on 2020 10:00:00|Last updated 1:23|généré 1:23
Build 3f9a1c0|rev123abc|Page generated in 0.1 s|Page 7|7 просмотров|word|two words
Seite erstellt in 3 Sekunden."""
PARTS = PIECES.replace("\n", "|").split("|")
PARTS += ["\n", " ", "\t", "\x0b", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "    "]
PARTS += ["\xad", "\u200b", "\ufeff", "\u2060", "\xb6", "\uf0c1", "\u0661 views"]

# Shapes that a scanner with a quadratic step would need minutes for.
SHAPES = ["<", "<a ", '<a href="', "&", "&aaaaaaaa", "&#1", "<!-", "<!--", "<script>", "</script"]
SHAPES += ["</", " role=", '<p class="cookie', "<div role=main>", "<nav>", "<article>", "<title>"]
SHAPES += ["<time last", " href= ", " rel", "  ", "1 ", "built 1:00\n", "\xa0", " type=", "gdpr-"]
SHAPES += [" class = '", '"', "ſ"]


# Parts of links, some of which are volatile: hashes in names of assets, parameters of sessions.
LINK_PIECES = r"""/|app|.|-|_|3f9a1c0d|BkE3x9aZ|bke3x9az|facade|20260102|%20|%E9|%C3%A9|%e2%82|%zz|%
?|&|v=1|cache=|utm_x=1|sid=|SID=2|_wpnonce=a|csrf_token=x|nonces|a=b|#|.png|.svg|.js|.html|.PNG|é
.woff2|ſid=|1.63.0|data:|javascript:|https://example.com|a1B|b2C3|///|="""
LINK_PARTS = LINK_PIECES.replace("\n", "|").split("|")

# Lines that change with each build or visit, in parts that have alternatives.
STAMP = ["|this |The |x ", "|page |site |Docs |documentation |page", "|was ", "|last |lasst "]
STAMP += ["built|Generated|build|généré|erstellt|updated|loaded|builds|bu\u0131ld|cached\xe9"]
STAMP += [" | on | \xa0at |\xe9|.| in 12 | 60 letters" + 51 * "x" + "|" + 60 * " y", "|1|x|\u0661"]
STAMP += [
    "10:00|1:23:45|9:5|12:345|:|0.12|12:30:5",
    "| UTC| by 1.9|. x|" + 39 * "x" + "|" + 41 * "x",
]
STAMP += ["|.|..|!| s| ms.| seconds|sekunden| secs|\u017f"]
COUNTER = ["5|1,234|12.5|1 2|7\u0661|\u06617|", "|k| K|\u212a|m", "| |  |\xa0|x"]
COUNTER += [
    "views|view|page views|pageview|HITS|Visits|v\u0131ews|visit\u017f|aufrufe|vues|visitas|"
]
COUNTER[-1] += "visualizaciones|visuals|просмотр|Просмотров|просмотрами|проба|reads|read"
COUNTER += ["|:|: | : |:  |x", "|5|1,234k|12.5 m|\u0661|5x"]
REVISION = ["build|Commit|revision|rev|comm\u0131t|rev\u0131sion", "| id| number|id"]
REVISION += [
    "|:|: |#| #| ",
    "3f9a1c0|facade|123456|3f9a1|3F9A1C0|" + 32 * "a1" + "|" + 33 * "a1",
    "|x|.",
]
LINES = st.one_of(
    *(
        st.tuples(*(st.sampled_from(part.split("|")) for part in parts)).map("".join)
        for parts in (STAMP, COUNTER, REVISION)
    )
)


def facts(engine: str, markup: str) -> tuple[object, ...]:
    page = get(engine).scan_page(markup)
    elements = [tuple(element) for element in page.elements]
    links = [tuple(anchor) for anchor in page.anchors()]
    texts = (page.title, page.language, page.lines(), page.words(ORIGIN))
    return (*texts, elements, list(page.data), links, page.has_scripts())


def assert_agreement(markup: str) -> None:
    assert facts("native", markup) == facts("reference", markup)


@given(st.lists(st.sampled_from(PARTS), max_size=60).map("".join))
def test_engines_agree_on_pages_of_odd_pieces(markup):
    assert_agreement(markup)


@given(st.text(st.sampled_from("<>/=\"'&;# ahimnrsxſıé\n\xa0"), max_size=80))
def test_engines_agree_on_pages_of_odd_characters(markup):
    assert_agreement(markup)


@pytest.mark.parametrize("name", ["rel", "REL", "Rel", "rEl", "reL", "RELEVANT rEL"])
@pytest.mark.parametrize("engine", available())
def test_a_name_of_an_attribute_is_in_any_case(engine, name):
    page = get(engine).scan_page(f"<a {name}=NoFollow hREf=/x>x</a>")

    assert [tuple(link) for link in page.anchors()] == [("/x", "nofollow")]


@pytest.mark.parametrize("engine", available())
def test_references_in_rel_are_read(engine):
    page = get(engine).scan_page("<a rel='no&#102;ollow' href=/a>x</a><a rel=a&b href=/b>x</a>")

    assert [tuple(link) for link in page.anchors()] == [("/a", "nofollow"), ("/b", "a&b")]


@given(st.lists(st.lists(st.sampled_from(LINK_PARTS), max_size=7).map("".join), max_size=9))
def test_engines_agree_on_volatile_parts_of_links(links):
    assert_agreement("".join(f'<a href="{link}">x</a><img src="{link}">' for link in links))


@given(st.lists(LINES, min_size=3, max_size=12))
def test_engines_agree_on_volatile_lines(lines):
    assert_agreement("<p>".join(lines))


@given(st.lists(st.sampled_from(PARTS), max_size=60).map("".join))
def test_engines_agree_on_repaired_pages(markup):
    assert_agreement(repair(markup.encode(), None).text)


@pytest.mark.parametrize("seed", range(4))
def test_engines_agree_on_damaged_pages(seed):
    random = Random(seed)
    whole = "".join(random.choices(PARTS, k=400))

    for _ in range(20):
        start = random.randrange(len(whole))
        assert_agreement(whole[:start])
        assert_agreement(whole[:start] + random.choice("<>&\"'/= ") + whole[start + 1 :])


@pytest.mark.guard
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", ["", '<p class="', "<a ", "<script "])
def test_native_engine_scans_hostile_pages_in_linear_time(shape, start):
    markup = start + shape * (1_048_576 // len(shape.encode()))

    begin = time.process_time()
    page = get("native").scan_page(markup)
    if type(page).__name__ == "NativePage":  # the reference engine has tests of its own
        page.lines(), page.words(ORIGIN), page.anchors(), page.has_scripts()

    assert time.process_time() - begin < 5

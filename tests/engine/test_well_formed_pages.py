"""Pages that the native engine takes for well-formed: their repair changes no fact."""

from __future__ import annotations

import time
from random import Random

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.amounts import IS_SOAK
from tests.engine.test_pages_agree import SHAPES, facts
from urlset.engine import available, get

pytestmark = pytest.mark.skipif(
    "native" not in available(), reason="the native engine is not installed"
)

START = "<!doctype html><html><head><title>T</title></head><body>"
END = "</body></html>"

USUAL = """div div p p span a ul ol dl table section main article nav b code svg h2 time img br
header aside footer pre button form x-y em figure link script style noscript label input details
strong iframe map area template select
textarea dialog progress datalist embed DIV P A Span IMG UL""".split()
RARE = """abbr address blockquote center fieldset legend h1 h3 hr menu summary option
object base math nobr ruby rt html head body dialog hgroup search
optgroup applet image listing xmp plaintext desc caption colgroup col thead tbody tr td li dt
dd circle title meta source wbr font tt video data g path""".split()
CHILDREN = {
    "ul": ["li"],
    "ol": ["li"],
    "dl": ["dt", "dd"],
    "table": ["tr", "tbody", "thead", "caption", "colgroup"],
    "tbody": ["tr"],
    "thead": ["tr"],
    "tr": ["td", "th"],
    "colgroup": ["col"],
    "svg": ["path", "g", "circle", "use", "title", "defs", "style", "text", "linearGradient"],
    "g": ["path", "rect", "clipPath"],
    "defs": ["style", "mask", "lineargradient", "filter"],
    "linearGradient": ["stop"],
    "filter": ["feOffset", "feMerge"],
    "title": [],
    "textarea": [],
    "select": ["option", "optgroup"],
    "optgroup": ["option"],
    "option": [],
    "UL": ["li", "LI"],
}
VOID = "area base br col embed hr img input link meta source wbr IMG".split()
RAW = ["script", "style", "noscript", "iframe", "xmp"]
SELF_CLOSED = ["path", "circle", "use", "rect", "stop", "feOffset", "mask"]
RAW_TEXTS = ["", "var a;", "a<b", "<p>x</p>", "<!-- x -->", "</x", "</SCRIPT>", "</ſcript>"]
RAW_TEXTS += ["<!-- x", "a--><!--</x>-->", "<!--<script>x", "<!-- <SCRIPT -->x", "<script><!-- x"]
ATTRIBUTES = r""" class="x"| class="a cookie-banner"| role=main| role="main"| role='banner'| href=/y
 id="viewcount"| href="/x?a=1&amp;b=2"| src="a.png" alt="A &amp; B"| datetime="2024-01-01"| hidden
 title="a&#60;b&#62; &#38;amp; &#x22;"| title="class=&#34;cookie-bar&#34;"| class="&#60;cookie-bar"
 title="a&#64;b & c"| title="&mdash;"| title="Q&A"
 href="mail&#116;o:a&#64;&#x61;"| href="/?a=&#98;&copy;"
 title="x role=&#39;main&#39;"| href="/x?a=1&b=2"| title="a&copy=1 &ltx"
 charSet="utf-8"| srcSet=a.png| REL=x HREF=y| content=a=b,c| title="a&"| data-Class=nav| ReL="z"
 CLASS="cookie-banner"| class="updated"| rel="nofollow" href="z"| Href="u"| a=1 a=2
 class=nav id=x| class=a-cookie-bar
 data-x='q"r'| title="x role=main"| viewBox="0 0"| alt="é"| class="&#64;cookie-bar"| lang=de
 content="d" name="description"| type="module"| class = "x"| class="x"id="y"| a=b/""".replace(
    "\n", "|"
).split("|")
TEXTS = (
    "x|word 1|two b|&amp;|&copy;|&#8212;|& |é|built on 10:00|5 views|&nbsp;|&#xa0;|a > b|¶".split(
        "|"
    )
)
TEXTS += [
    "Q&A",
    "AT&T x",
    "a & b",
    "&b=2",
    "&&",
    "x &",
    "R&D;",
    "Q&a",
    "mp;",
    "#65;",
    "&copyx",
    "&amp",
    "\r\n",
    "a\rb",
]
RARE_TEXTS = "&bogus;|&|<|<!-- c -->|<!-->|&#1;|&#32;|&notin;|&#x10ffff;|&#128;|&#+65;".split("|")


def content(random: Random, parent: str = "body", depth: int = 0) -> str:
    """Return random content, most of it well-formed."""
    parts = []
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        if random.random() < 0.45 or depth > 7:
            is_rare = random.random() < 0.05
            is_in_table = parent in ("table", "tr", "tbody", "thead", "colgroup") and not is_rare
            texts = [" ", "\n"] if is_in_table else TEXTS if is_rare else [*TEXTS, "\n", "\n x\n"]
            parts.append(random.choice(texts))
            continue
        names = CHILDREN.get(parent, USUAL)
        if random.random() < 0.06 or not names:
            names = RARE
        name = random.choice(names)
        tag = name + "".join(random.choices(ATTRIBUTES, k=random.choice([0, 0, 1, 1, 2])))
        if name in VOID:
            parts.append(f"<{tag}{random.choice(['', '', '/', ' /', f'></{name}'])}>")
        elif name in RAW:
            parts.append(f"<{tag}>{random.choice(RAW_TEXTS)}</{name}>")
        elif name in SELF_CLOSED and random.random() < 0.5:
            parts.append(f"<{tag}/>")
        else:
            is_open = name in ("p", "li", "dt", "dd", "div") and random.random() < 0.1
            end = "" if is_open else f"</{name}>"
            parts.append(f"<{tag}>{content(random, name, depth + 1)}{end}")
    return "".join(parts)


def damaged(random: Random, markup: str) -> str:
    """Replace a few characters of some pages."""
    if random.random() < 0.8:
        return markup
    at = random.randrange(len(markup))
    piece = random.choice(["", "<", ">", '"', "&", " ", "</p>", "<p>", "</div>", "<a>", "\r", "\0"])
    return markup[:at] + piece + markup[at + random.randrange(3) :]


def assert_needs_no_repair(markup: str) -> bool:
    """Compare the facts with those of the repaired page; return whether it is well-formed."""
    found = get("native").well_formed_page(markup.encode())
    if found is None:
        return False
    repaired = LexborHTMLParser(markup, scripting=True, options=1).html
    assert repaired is not None
    assert facts("native", found) == facts("native", repaired), markup
    return True


@pytest.mark.parametrize("seed", range(200 if IS_SOAK else 4))
def test_repair_of_a_well_formed_page_changes_no_fact(seed):
    random = Random(seed)
    pages = [
        "".join(content(random) for _ in range(random.choice([1, 3, 8]))) for _ in range(1_000)
    ]

    accepted = sum(assert_needs_no_repair(damaged(random, START + page + END)) for page in pages)

    assert accepted > 150


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr></p><td>a</td></tr></table>",
        "<div class=x-cookie-banner>a</div>",
        "<div role=main>a</div>",
        "<p>a<legend>b</legend>",
        "<p>a<table></table>",
        "<p>a<main>b</main>",
        "<p>a<div role=main>b</div>",
        "<p class=' page-views'>a<div>b</div>",
        "<ul><li id='cookie-bar'><ul><li>a<li>b</ul></ul>",
        "<p><b>a<p>b</b>",
        "<a href=/a>a<a href=/b>b</a></a>",
        "<b><p>a</b></p>",
        "<table>text<tr><td>a</td></tr></table>",
        "<table><tr><td>a</td></tr><p>b</p></table>",
        "<ul><li><b>a<li>b</li></ul>",
        "<li><div><li>a</li></div></li>",
        "<div class=x class='cookie-banner'>a</div>",
        "<svg><path class='cookie-banner'/></svg>",
        "<div>a &amp b</div>",
        "<div>a &#1; b</div>",
        "<div>a</div",
        "<script><!-- <script> </script>",
        "<script><!-- <SCRIPT> </script> --></script>",
        "<template><!-- </template> --></template>",
        "<template><p title='</template>'></p></template>",
        "<template><template>a</template>b</template>",
        "<template><script>'</template>'</script></template>",
        "<template><textarea></template></textarea></template>",
        "<template></templates></template>",
        "<table><template>a</template></table>",
        "<svg><template>a</template></svg>",
        "<template>a",
        "<form><form>a</form></form>",
        "<h1><h2>a</h2></h1>",
        "<!--> a -->",
        "<Marquee>a</Marquee>",
        "<select><p>a</p></select>",
        "<select><option><b>a</b></option></select>",
        "<textarea><p></textarea>",
        "<textarea>a</textarea x>",
        "<svg><title><b>a</b></title></svg>",
        "<svg><style><a></style></svg>",
        "<title>a</title>",
        "<p title='a&copy=1'>a</p>",
        "<p title='&#97;'>a</p>",
        "a&<b>amp;</b>",
        "a&a<b></b>mp;",
        "a &<b class=cookie-bar><p></p></b>#65;",
        "a &<b class=cookie-bar>b</b>#65;",
        "a &<nav>b</nav>#65;",
        '<div title="b class=&#39;cookie-bar&#39;">a</div>',
        "a&a<!-- b -->mp;",
        "a&a<img alt='mp;'>",
        "a&copyx",
        "<div>",
    ],
)
def test_a_page_whose_tree_differs_is_not_well_formed(body):
    assert get("native").well_formed_page((START + body + END).encode()) is None


@pytest.mark.parametrize(
    "body",
    [
        "<p>a<p>b</p>",
        "<div><p>a</div>",
        "<p>a<div>b</div></p>",
        "<main></p><a href=/x>a</a></p></main></p><a href=/y>b</a>",
        "<div class=nosearch id=cookie-banner>a</div>",
        "<div class=cookie-banner>a</div>",
        "<map name=m><area href=/x alt=a><area href='/y'></map>",
        "<p><a href=/x>a</a><div>b</div>",
        "<main><p><a href=/x>a</a></main><p><a href=/y>b</a></p>",
        "<ul><li>a<li><p>b<li>c</ul>",
        "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>",
        "<dl><dt>a<dd><p>b<dt>c<dd>d</dl>",
        "<table><tr><td><p>a</td></tr></table>",
        "<form><p>a</form>",
        "<p>a",
        "<p>a&#160;b&#xA0;c</p>",
        "<p>a<wbr></wbr>b<img src=a.png></img></p>",
        "<p>a<template id=t><a href=/x>b</a><!-- <b> --></i><td>c</template>d</p>",
        "<b>a<template><b><svg><path d='x'/></template>d</b>",
        "<script>a = '<!-- b -->'</script>c",
        "<style><!-- a --></STYLE>b",
        "<DIV Class=a>a<BR>b<p>c</P></Div>",
        "<a HREF='/x?a=1&b=2&amp;c'>Q&A</a> R&D && AT&T x",
        "a\rb<p\r\ntitle='a\r\nb'>c\r\r\nd</p>",
        "<p><select><optgroup label=b><option value=1>c & d</option></optgroup></select></p>",
        "<a class=x href='&#109;ailto:a&#64;b&#x2e;c'>a</a>",
        "<h2>Q&A</h2>mp;<p>Q&A<b> b</b> & <b>x</b>",
        "<label>a<input list=x><datalist id=x><option value=b></option></datalist></label>",
        "<p><textarea>\na &lt;b> c</textarea></p>",
        "<svg viewBox='0'><title>a</title><defs><linearGradient><stop offset=0 /></linearGradient>"
        "<style>.a{b:c}</style></defs><text x=0>b<tspan>c</tspan></text></svg>",
        "<table><col><col><tbody><tr><td>a</td></tr></tbody></table>",
        "<a href=/x title='&#60;T&#62; &#34;&#38;&#34;'>a</a>",
    ],
)
def test_tags_that_a_parser_adds_or_ignores_are_not_repaired(body):
    assert assert_needs_no_repair(f"{START}{body}{END}\n")


def test_a_page_without_a_title_is_not_well_formed():
    page = "<!DOCTYPE html><html><head></head><body>a</body></html>"

    assert get("native").well_formed_page(page.encode()) is None
    assert get("native").well_formed_page((START + END).encode()) == START + END


@pytest.mark.parametrize("start", ["<?xml <a>", "<!doctype html <a>", "<?xml a='>'?>"])
def test_a_declaration_has_no_tag(start):
    page = f"{start}<html><head><title>T</title></head><body>a</body></html>"

    assert get("native").well_formed_page(page.encode()) is None


def test_the_reference_engine_repairs_every_page():
    assert get("reference").well_formed_page((START + END).encode()) is None


@pytest.mark.guard
@pytest.mark.parametrize("shape", [*SHAPES, "<div>", "<!-- -->", "</", "<p a=b c>", "<script></"])
@pytest.mark.parametrize("start", ["", "<p ", "<p a='", "<script>", "<!--"])
def test_hostile_pages_are_examined_in_linear_time(shape, start):
    page = START + start + shape * (1_048_576 // len(shape.encode()))

    begin = time.process_time()
    get("native").well_formed_page(page.encode())

    assert time.process_time() - begin < 2

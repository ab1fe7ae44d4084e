"""Changes of a page that change its fingerprint, and changes that do not."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.html import facts, read_page

URL = "https://example.com/tea.html"


def mark(body: str, head: str = "<title>Tea</title>") -> str:
    page = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
    found = read_page(page.encode(), URL, wants={"fingerprint"}).fingerprint
    assert found is not None
    assert re.fullmatch("[0-9a-f]{32}", found)
    return found


TEXT = "<h1>Tea</h1><p>Green tea is made of leaves that have not been <em>withered</em>.</p>"

SAME = {
    "white space": (TEXT, TEXT.replace(" ", "\n\t ").replace("<p>", "\n<p>\n")),
    "classes": (TEXT, TEXT.replace("<p>", "<p class='lead x' id=y style='color:red' data-n=3>")),
    "other elements": (TEXT, TEXT.replace("p>", "div>").replace("em>", "strong>")),
    "a span more": (TEXT, TEXT.replace("Green", "<span class=x>Gr</span>een")),
    "wrappers": (TEXT, f"<div><section>{TEXT}</section></div>"),
    "scripts": (TEXT, f"{TEXT}<script nonce=a1>var t = '2026-01-02';</script><style>p{{}}</style>"),
    "comments": (TEXT, f"<!-- built 2026-01-02 -->{TEXT}"),
    "templates": (TEXT, f"{TEXT}<template><p>x</p></template><noscript>y</noscript>"),
    "navigation": (f"<nav>a</nav>{TEXT}", f"<nav>b <a href=/c>c</a></nav>{TEXT}"),
    "header": (f"<header>a</header>{TEXT}", f"<header><img src=b>b</header>{TEXT}"),
    "footer": (TEXT, f"{TEXT}<footer>Built 2026-01-02 10:00</footer>"),
    "aside": (TEXT, f"{TEXT}<aside>Read also</aside>"),
    "around main": (f"<main>{TEXT}</main>", f"<p>News!</p><main>{TEXT}</main><div>x</div>"),
    "role of main": (f"<main>{TEXT}</main>", f"<p>News!</p><div role=main>{TEXT}</div>"),
    "around an article": (f"<article>{TEXT}</article>", f"<p>x</p><article>{TEXT}</article><p>y"),
    "cookie banner": (TEXT, f"<div class='cookie-banner'><div>We use</div> them</div>{TEXT}"),
    "consent by id": (TEXT, f"{TEXT}<section id=gdpr-consent><p>Agree?</section>"),
    "token of a form": (
        f"<form><input type=hidden name=csrf value=a1></form>{TEXT}",
        f"<form><input type=hidden name=csrf value=b2></form>{TEXT}",
    ),
    "hash in a name": ("<img src=/tea.3f9a1c.png>", "<img src=/tea.77aa01.png>"),
    "hash of a bundler": ("<img src=/tea-BkE3x9aZ.png>", "<img src=/tea-C0pQrs9z.png>"),
    "cache buster": ("<img src=/tea.png?v=1>", "<img src=/tea.png?v=2>"),
    "none and a cache buster": ("<img src=/tea.png>", "<img src=/tea.png?1699999999>"),
    "session": ("<a href='/x?a=1&PHPSESSID=1'>x</a>", "<a href='/x?a=1&PHPSESSID=2'>x</a>"),
    "campaign": ("<a href=/x>x</a>", "<a href='/x?utm_source=y&utm_medium=z'>x</a>"),
    "own origin": ("<a href=/x>x</a>", "<a href=https://example.com/x>x</a>"),
    "escapes of a URL": ("<a href='/a%20b'>x</a>", "<a href='/a b'>x</a>"),
    "line of a build": (
        f"{TEXT}<p>Page generated on 2026-01-02 10:00:00 UTC</p>",
        f"{TEXT}<p>Page generated on 2026-02-03 11:22:33 UTC</p>",
    ),
    "seconds": (f"{TEXT}<p>Rendered in 0.123 seconds", f"{TEXT}<p>Rendered in 1.5 s"),
    "views": (f"{TEXT}<p>1,234 views</p>", f"{TEXT}<p>1,235 views</p>"),
    "views of a class": (
        f"{TEXT}<span class=view-count>Seen 3 times</span>",
        f"{TEXT}<span class=view-count>Seen 4 times</span>",
    ),
    "id of a build": (f"{TEXT}<p>Build 3f9a1c0d</p>", f"{TEXT}<p>Build 77aa01ee</p>"),
    "relative time": (
        "<time datetime=2026-01-02>2 days ago</time>",
        "<time datetime=2026-01-02>3 days ago</time>",
    ),
    "moment of modification": (
        f"{TEXT}<time itemprop=dateModified datetime=2026-01-02>2 January</time>",
        f"{TEXT}<time itemprop=dateModified datetime=2026-01-03>3 January</time>",
    ),
    "soft hyphens": (TEXT, TEXT.replace("withered", "with\u00adered")),
    "entities": ("<p>a &amp; b &eacute;", "<p>a &#38; b é"),
    "ends left out": ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a<li>b</ul>"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_same_content_has_one_fingerprint(case: str):
    one, other = SAME[case]

    assert mark(one) == mark(other)


OTHER = {
    "word": (TEXT, TEXT.replace("leaves", "buds")),
    "order": ("<p>a<p>b", "<p>b<p>a"),
    "link": ("<a href=/a>x</a>", "<a href=/b>x</a>"),
    "image": ("<img src=/a.png>", "<img src=/b.png>"),
    "number in a name": ("<img src=/photo-123456.png>", "<img src=/photo-123457.png>"),
    "word in a name": ("<img src=/villa-facade.png>", "<img src=/villa-decade.png>"),
    "alternative text": ("<img src=/a.png alt=a>", "<img src=/a.png alt=b>"),
    "which video": ("<a href='/watch?v=abc'>x</a>", "<a href='/watch?v=abd'>x</a>"),
    "header of an article": (
        "<main><article><header><h1>a</h1></header>x</article></main>",
        "<main><article><header><h1>b</h1></header>x</article></main>",
    ),
    "year in a sentence": ("<p>The house was built in 1932.", "<p>The house was built in 1933."),
    "views in a sentence": ("<p>It has 3 views of the sea.", "<p>It has 4 views of the sea."),
    "day of an event": (
        "<time datetime=2026-01-02>Friday</time>", "<time datetime=2026-01-03>Friday</time>",
    ),
    "cookies to eat": (
        "<article class='post category-cookies'>Oats</article>",
        "<article class='post category-cookies'>Nuts</article>",
    ),
    "second of two articles": (
        "<article>a</article><article>b</article>", "<article>a</article><article>c</article>",
    ),
    "an empty main": ("<main></main><p>a", "<main></main><p>b"),
    "space between words": ("<p>to day", "<p>today"),
    "words of two blocks": ("<p>to</p><p>day</p>", "<p>today</p>"),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHER)
def test_other_content_has_another_fingerprint(case: str):
    one, other = OTHER[case]

    assert mark(one) != mark(other)


def test_title_and_description_count():
    plain = mark(TEXT, "<title>Tea</title>")

    assert plain != mark(TEXT, "<title>Coffee</title>")
    assert plain != mark(TEXT, "<title>Tea</title><meta name=description content=x>")
    assert plain == mark(
        TEXT, "<link rel=stylesheet href=/a.css><title> Tea\n</title><meta name=x>"
    )


WORDS = st.lists(st.text("abcdefgäé", min_size=1, max_size=9), min_size=1, max_size=30)
WRAPS = st.sampled_from(
    ["{}", "<b>{}</b>", "<span class='x'>{}</span>", "<i>\n{}</i>", "<p>{}</p>"]
)


@given(WORDS, st.data())
def test_markup_does_not_count(words: list[str], draw: st.DataObject):
    wrapped = " ".join(draw.draw(WRAPS).format(html.escape(word)) for word in words)

    assert mark(f"<main>{' '.join(words)}</main>") == mark(f"<main>{wrapped}</main>")


@given(WORDS, st.data())
def test_each_word_counts(words: list[str], draw: st.DataObject):
    place = draw.draw(st.integers(0, len(words) - 1))
    others = [*words]
    others[place] += "x"

    for frame in ("<main>{}</main>", "<article>{}</article>", "<div>{}</div>"):
        before = mark(frame.format(" ".join(words)))
        assert before != mark(frame.format(" ".join(others)))
        assert before != mark(frame.format(" ".join([*words, "x"])))


@given(WORDS)
def test_repair_changes_nothing_in_what_needs_none(words: list[str]):
    # A page that lexbor must not be given has the fingerprint that it would have with it.
    body = f"<nav><ul><li>x</li></ul></nav><main><h1>T</h1><p>{' '.join(words)}</p></main>"
    limit = facts.MAX_TAGS
    repaired = mark(body)
    try:
        facts.MAX_TAGS = 0
        scanned = mark(body)
    finally:
        facts.MAX_TAGS = limit

    assert scanned == repaired

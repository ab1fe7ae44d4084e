"""Facts of a page: head, dates, images, videos, news; and hostile pages."""

import json
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.html import facts as html_facts
from urlset.html import forbids_index, read_page
from urlset.model import Alternate, Image

URL = "https://example.com/tea/green.html"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def facts(head: str = "", body: str = "<p>Tea", **options):
    page = f"<!doctype html><html lang=en><head><title>T</title>{head}</head><body>{body}"
    return read_page(page.encode(), URL, now=NOW, **options)


def data(said: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(said)}</script>'


CANONICALS = {
    '<link rel=canonical href="/a?b=1&amp;c=2">': "https://example.com/a?b=1&c=2",
    "<LINK HREF='../x' REL='foo Canonical'>": "https://example.com/x",
    '<base href="https://other.example/y/"><link rel=canonical href=z>': "https://other.example/y/z",
    "<link rel=canonical href='/a#part'>": "https://example.com/a",
    "<link rel=canonical href='/a'><link rel=canonical href='/a'>": "https://example.com/a",
    # An image in a noscript does not end the head.
    "<noscript><img src=x></noscript><link rel=canonical href=/a>": "https://example.com/a",
    # Google ignores all of several.
    "<link rel=canonical href='/a'><link rel=canonical href='/b'>": None,
    "<link rel=canonical href='mailto:a@example.com'>": None,
    "<link rel=canonical>": None,
    "<!-- <link rel=canonical href=/a> -->": None,
    "<script>'<link rel=canonical href=/a>'</script>": None,
    "<template><link rel=canonical href=/a></template>": None,
    "<div></div><link rel=canonical href=/a>": None,
}


@pytest.mark.parametrize("head", CANONICALS)
def test_canonical_is_that_of_the_head(head: str):
    assert facts(head).canonical == CANONICALS[head]


@pytest.mark.parametrize("max_tags", [html_facts.MAX_TAGS, 0])
@pytest.mark.parametrize("before", ["<p>", "<a>", "<img>", "<main>", "<x-y>", "<body>"])
def test_canonical_in_the_body_does_not_count(
    before: str, max_tags: int, monkeypatch: pytest.MonkeyPatch
):
    # With 0, no page is repaired: it is scanned as it stands.
    monkeypatch.setattr(html_facts, "MAX_TAGS", max_tags)
    page = f"<title>T</title><link rel=stylesheet href=x>{before}<link rel=canonical href=/a>"

    assert read_page(page.encode(), URL).canonical is None


ROBOTS = {
    '<meta name="ROBOTS" content="NoIndex, Follow">': (("noindex", "follow"), "noindex"),
    "<meta name=googlebot content=none>": (("none",), "none"),
    "<meta name=otherbot content=noindex>": ((), None),
    "<meta name=robots content='max-snippet:20, index'>": (("max-snippet:20", "index"), None),
    "<meta name=robots content='unavailable_after: Fri, 02 Jan 2026 10:00:00 GMT, nofollow'>": (
        ("unavailable_after: fri, 02 jan 2026 10:00:00 gmt", "nofollow"),
        "unavailable_after: fri, 02 jan 2026 10:00:00 gmt",
    ),
    "<meta name=robots content='unavailable_after: 2027-01-01'>": (
        ("unavailable_after: 2027-01-01",),
        None,
    ),
}


@pytest.mark.parametrize("head", ROBOTS)
def test_robots(head: str):
    said = facts(head).robots

    assert (said, forbids_index(said, NOW)) == ROBOTS[head]
    assert facts(body=head).robots == said


def test_robots_of_the_header():
    assert facts(robots_header="googlebot: noindex").robots == ("noindex",)
    assert facts(robots_header="otherbot: noindex").robots == ()


REFRESHES = {
    "0; url=/b": "https://example.com/b",
    "5;URL='b'": "https://example.com/tea/b",
    "0, https://other.example/": "https://other.example/",
    "300": None,
    "0;": None,
    "0; url=javascript:x": None,
}


@pytest.mark.parametrize("content", REFRESHES)
def test_refresh(content: str):
    assert facts(f'<meta http-equiv=Refresh content="{content}">').refresh == REFRESHES[content]


def test_alternates_of_the_head():
    head = (
        '<link rel=alternate hreflang=de href="/de/">'
        '<link rel="alternate" hreflang=x-default href="/">'
        '<link rel=alternate type="application/rss+xml" href=/feed>'
        "<link rel=alternate hreflang=de href=/de/>"
    )

    assert facts(head).alternates == (
        Alternate("de", "https://example.com/de/"),
        Alternate("x-default", "https://example.com/"),
    )
    assert facts(head, wants=()).alternates == ()


def test_images():
    head = '<meta property="og:image" content="/og.png">' + data(
        {"@type": "Article", "image": [{"@type": "ImageObject", "url": "/ld.png"}, "/a.jpg"]}
    )
    body = (
        "<header><img src=/logo.png></header>"
        "<img src=/a.jpg><img src=/a.jpg#x>"
        "<img src=/small.jpg srcset='/small.jpg 400w, /large.jpg 1600w, /mid.jpg 800w'>"
        "<img src=/1x.jpg srcset='/2x.jpg 2x'>"
        "<img src='data:image/gif;base64,R0' data-src=/lazy.jpg>"
        "<img src=/pixel.gif width=1 height=1><img src='data:image/gif;base64,R0'>"
        "<img src='/a b.jpg'>"
    )

    names = [image.loc.removeprefix("https://example.com") for image in facts(head, body).images]

    assert names == [
        "/a.jpg", "/large.jpg", "/2x.jpg", "/lazy.jpg", "/a%20b.jpg", "/og.png", "/ld.png",
    ]  # fmt: skip


def test_google_no_more_than_a_thousand_images():
    # "you can include up to 1,000 <image:image>" (Google, image sitemaps)
    images = facts(body="".join(f"<img src=/{n}.png>" for n in range(1_100))).images

    assert len(images) == 1_000
    assert images[0] == Image("https://example.com/0.png")


VIDEO = {
    "@type": "VideoObject",
    "name": "Brewing",
    "description": "How to brew",
    "thumbnailUrl": ["/thumb.jpg"],
    "contentUrl": "/v.mp4",
    "duration": "PT1M33S",
    "uploadDate": "2026-01-02T03:04:05+01:00",
}


def test_videos_of_json_ld_wherever_they_are():
    (video,) = facts(data({"@graph": [{"@type": "Article", "video": VIDEO}]})).videos

    assert video.content_loc == "https://example.com/v.mp4"
    assert video.thumbnail_loc == "https://example.com/thumb.jpg"
    assert (video.title, video.duration) == ("Brewing", "93")
    assert video.publication_date == "2026-01-02T03:04:05+01:00"


@pytest.mark.parametrize("missing", ["name", "description", "thumbnailUrl", "contentUrl"])
def test_google_a_video_without_a_required_field_is_none(missing: str):
    assert facts(data({key: VIDEO[key] for key in VIDEO if key != missing})).videos == ()


def test_half_a_character_in_json_is_no_text():
    said = {**VIDEO, "name": "\ud800 tea", "thumbnailUrl": "/\udfff.png"}

    (video,) = facts(data(said)).videos

    assert (video.title, video.thumbnail_loc) == ("? tea", "https://example.com/?.png")


def test_video_of_open_graph():
    head = "".join(
        f'<meta property="{name}" content="{value}">'
        for name, value in {
            "og:video": "https://example.com/player/1",
            "og:video:type": "text/html",
            "og:image": "/thumb.jpg",
            "og:title": "Brewing",
            "og:description": "How to brew",
        }.items()
    )

    assert facts(head).videos[0].player_loc == "https://example.com/player/1"


NEWS = {
    "@type": "NewsArticle",
    "headline": "First flush",
    "datePublished": "2026-05-30T08:00:00+02:00",
    "publisher": {"@id": "#us"},
}


def test_news_with_its_publisher_elsewhere_in_the_graph():
    news = facts(
        data({"@graph": [NEWS, {"@id": "#us", "@type": "Organization", "name": "Tea"}]})
    ).news

    assert news is not None
    assert (news.name, news.language, news.title) == ("Tea", "en", "First flush")
    assert news.publication_date == "2026-05-30T08:00:00+02:00"


def test_google_news_without_a_publication_is_none():
    assert facts(data(NEWS)).news is None
    assert facts(data({**NEWS, "@type": "Article", "publisher": {"name": "Tea"}})).news is None


LD = "json-ld dateModified"
DATES = {
    data({"@type": "Article", "dateModified": "2026-01-02T03:04:05+01:00"}): (
        "2026-01-02T03:04:05+01:00", LD),
    data([{"@graph": [{"@type": "WebPage", "dateModified": "2026-01-02"}]}]): ("2026-01-02", LD),
    data({"@type": "WebPage", "mainEntity": {"dateModified": ["2026-01-02"]}}): ("2026-01-02", LD),
    '<script type="application/ld+json"><!--\n{"dateModified": "2026-01-02"}\n--></script>': (
        "2026-01-02", LD),
    '<script type="application/ld+json">//<![CDATA[\n{"dateModified":"2026-01-02"}\n//]]>'
    "</script>": (
        "2026-01-02", LD),
    '<script type="application/ld+json">{"dateModified": </script>'
    + data({"dateModified": "2026-01-03"}): ("2026-01-03", LD),
    '<meta property="article:modified_time" content="2026-01-02T03:04:05Z">': (
        "2026-01-02T03:04:05Z", "meta article:modified_time"),
    '<meta name="DCTERMS.modified" content="2026-01-02">': ("2026-01-02", "meta dcterms.modified"),
    '<meta name="last-modified" content="Fri, 02 Jan 2026 03:04:05 GMT">': (
        "2026-01-02T03:04:05Z", "meta last-modified"),
    '<meta itemprop="dateModified" content="2026-01-02">': ("2026-01-02", "itemprop dateModified"),
    # A local time is no instant: its date is all that is certain.
    '<meta name="last-modified" content="2026-01-02 03:04:05">': (
        "2026-01-02", "meta last-modified"),
    '<meta name="last-modified" content="2026-01-02T03:04:05+0530">': (
        "2026-01-02T03:04:05+05:30", "meta last-modified"),
    # Neither the future nor what is older than the web is believed, nor what has two readings.
    '<meta name="last-modified" content="2026-06-02T12:00:00Z">': (None, None),
    '<meta name="last-modified" content="1970-01-01T00:00:00Z">': (None, None),
    '<meta name="last-modified" content="01/02/2026">': (None, None),
    # What a comment or a product says is not of the page.
    data({"@type": "Article", "comment": {"@type": "Comment", "dateModified": "2026-01-02"}}): (
        None, None),
    data({"@type": "WebSite", "dateModified": "2026-01-02"}): (None, None),
    # The date of publication serves where there is no other, and only there.
    data({"@type": "Article", "datePublished": "2026-01-01"}): (
        "2026-01-01", "json-ld datePublished"),
    data({"@type": "Article", "datePublished": "2026-01-01", "dateModified": "2999-01-01"}): (
        None, None),
    '<meta property="article:published_time" content="2026-01-01">'
    + '<meta property="article:modified_time" content="2026-01-02">': (
        "2026-01-02", "meta article:modified_time"),
}  # fmt: skip


@pytest.mark.parametrize("head", DATES)
def test_lastmod_of_the_head(head: str):
    said = facts(head)

    assert (said.lastmod, said.lastmod_from) == DATES[head]


TIMES = {
    '<time itemprop="dateModified" datetime="2026-01-02">': ("2026-01-02", "itemprop dateModified"),
    '<time class="post updated" datetime="2026-01-02">2 Jan</time>': ("2026-01-02", "time.updated"),
    '<time datetime="2026-01-02">2 Jan</time>': (None, None),
    '<time pubdate datetime="2026-01-02">': ("2026-01-02", "time pubdate"),
}


@pytest.mark.parametrize("body", TIMES)
def test_lastmod_of_the_body(body: str):
    said = facts(body=f"<main>{body}</main>")

    assert (said.lastmod, said.lastmod_from) == TIMES[body]


def test_today_in_the_far_east_is_not_the_future():
    late = datetime(2026, 6, 1, 20, tzinfo=UTC)
    page = b"<title>T</title><meta name=last-modified content=2026-06-02>"

    assert read_page(page, URL, now=late).lastmod == "2026-06-02"


def test_encodings():
    text = "<html><head><meta charset='{}'><title>Thé – Größe</title></head>"

    for name in ("utf-8", "utf-16", "windows-1252"):
        assert read_page(text.format(name).encode(name), URL).title == "Thé – Größe"
    header = "text/html; charset=windows-1252"
    assert read_page("<title>Thé".encode("cp1252"), URL, header).title == "Thé"
    assert read_page("\ufeff<title>Thé".encode(), URL).title == "Thé"


@pytest.mark.parametrize(
    ("page", "is_page"),
    [
        (b"<p>a part", False),
        (b"{}", False),
        (b"", False),
        (b"<!DOCTYPE html><p>x", True),
        (b"<title>x</title>", True),
        (b"<HTML>", True),
        (b"<htmlx>", False),
    ],
)
def test_a_part_of_a_page_is_no_page(page: bytes, is_page: bool):
    assert read_page(page, URL).is_page is is_page


PIECES = [
    "<main>", "</main>", "<nav>", "</nav>", "<article>", "<div class='cookie-banner'>", "</div>",
    "<p>",
    "<a href=", "'/x'>", '"', "'", "<!--", "-->", "<script>", "</script>", "<title>", "</title>",
    "<script type='application/ld+json'>", '{"@graph": [', "]}", "<time datetime=2026-01-02>",
    "</time>", "<img srcset='a 1x, b 2w'>", "<meta name=robots content=", "<svg>", "<template>",
    "x ",
    "&amp", "\0", "\ud800", "<table>", "<select>", "<body>", "<plaintext>", "é",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_nothing_raises(pieces: list[str]):
    page = "".join(pieces)

    read_page(page.encode("utf-8", "surrogatepass"), URL)
    read_page(page.encode("utf-16", "surrogatepass"), URL, "text/html; charset=nonsense")


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes):
    read_page(data, URL)


HOSTILE = {
    "deep": b"<div>" * 100_000,
    "deep and closed": b"<div>" * 60_000 + b"</div>" * 60_000,
    "deep lists": b"<ul><li>" * 60_000,
    "ends of nothing": b"<div>" * 30_000 + b"</span>" * 30_000,
    "attributes": b"<div " + b"".join(b"a%d=1 " % n for n in range(60_000)) + b">",
    "attributes with ends in them": b"<p "
    + b"".join(b"a%d='>' " % n for n in range(40_000))
    + b">",
    "formats": b"".join(b"<font id=%d>" % n for n in range(3_000)) + b"<p>x" * 900,
    "open quotes": b"<a '<a \"" * 60_000,
    "tags without end": b"<a " * 150_000,
    "comments": b"<!--" * 100_000,
    "scripts": b"<script>" * 60_000,
    "regions": b"<article><nav><main>" * 30_000,
    "times": b"<time datetime=2026-01-01>" * 20_000,
    "banners": b"<p class='cookie-banner'>" * 20_000,
    "classes": b'<p class="' * 50_000,
    "spaces": b"<title>" + b" " * 500_000,
    "spaces in a tag": b"<p class" + b" " * 500_000 + b"x>",
    "links": b"<a href='/x?v=1&v=2&nonce=3'>" * 20_000,
    "data": b'<script type="application/ld+json">' + b"[" * 200_000 + b"</script>",
    "objects": b'<script type="application/ld+json">' + b'{"a":' * 90_000 + b"</script>",
    "images": b"<img srcset='" + b"a 1x, " * 80_000 + b"'>",
    "counters": b"<p>" + b"1," * 200_000 + b"views",
    "bad bytes": b"<title>\xff\xfe\x80" * 60_000,
    "zeros": b"\0" * 500_000,
    "entities": b"&amp;&notin" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_page_takes_no_time(name: str):
    began = time.process_time()

    read_page(HOSTILE[name], URL)

    assert time.process_time() - began < 10  # some take hours where time grows with the square

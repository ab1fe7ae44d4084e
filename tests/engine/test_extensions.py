"""Every element and attribute of every extension, read and written again."""

import re

import pytest
from lxml import etree

import urlset
from urlset import Alternate, Document, Entry, Image, News, Video
from urlset.model import ContentSegment, Price, TvShow, VideoId
from urlset.protocol import NAMESPACES, URIS, Ns

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARED = (
    f'xmlns="{CORE}" xmlns:image="{URIS[Ns.IMAGE]}" xmlns:video="{URIS[Ns.VIDEO]}" '
    f'xmlns:news="{URIS[Ns.NEWS]}" xmlns:xhtml="{URIS[Ns.XHTML]}"'
)
PAGE = "https://example.com/page"

# B.1: loc, caption, geo_location, title, license
IMAGE = (
    "<image:image><image:loc>https://example.com/i?a=1&amp;b=2</image:loc>"
    "<image:caption>A &lt;b&gt; caption</image:caption><image:geo_location>Limerick, Ireland"
    "</image:geo_location><image:title>Title</image:title>"
    "<image:license>https://example.com/license</image:license></image:image>"
    "<image:image><image:loc>https://example.com/j</image:loc></image:image>"
)
IMAGES = (
    Image(
        "https://example.com/i?a=1&b=2",
        "A <b> caption",
        "Limerick, Ireland",
        "Title",
        "https://example.com/license",
    ),
    Image("https://example.com/j"),
)
# B.2, in the order of the XSD
VIDEO = """<video:video>
<video:thumbnail_loc>https://example.com/t.jpg</video:thumbnail_loc>
<video:title>Title</video:title>
<video:description>Text &amp; <![CDATA[<more>]]></video:description>
<video:content_loc>https://example.com/v.mp4</video:content_loc>
<video:player_loc allow_embed="yes" autoplay="ap=1">https://example.com/p</video:player_loc>
<video:duration>600</video:duration>
<video:expiration_date>2030-01-01</video:expiration_date>
<video:rating>4.2</video:rating>
<video:content_segment_loc duration="300">https://example.com/v1.mp4</video:content_segment_loc>
<video:content_segment_loc>https://example.com/v2.mp4</video:content_segment_loc>
<video:view_count>12345</video:view_count>
<video:publication_date>2007-11-05T19:20:30+08:00</video:publication_date>
<video:tag>one</video:tag><video:tag>two</video:tag>
<video:category>Category</video:category>
<video:family_friendly>no</video:family_friendly>
<video:restriction relationship="allow">IE GB US CA</video:restriction>
<video:gallery_loc title="Gallery &quot;one&quot;">https://example.com/g</video:gallery_loc>
<video:price currency="EUR" type="rent" resolution="hd">1.99</video:price>
<video:price type="purchase"/>
<video:requires_subscription>yes</video:requires_subscription>
<video:uploader info="https://example.com/u">Name</video:uploader>
<video:tvshow><video:show_title>Show</video:show_title><video:video_type>full</video:video_type>
<video:episode_title>Episode</video:episode_title><video:season_number>1</video:season_number>
<video:episode_number>2</video:episode_number><video:premier_date>2025-06-05</video:premier_date>
</video:tvshow>
<video:platform relationship="deny">web tv</video:platform>
<video:live>no</video:live>
<video:id type="url">https://example.com/id</video:id><video:id type="tms:series">SH1</video:id>
</video:video><video:video><video:title>Second</video:title></video:video>"""
VIDEOS = (
    Video(
        thumbnail_loc="https://example.com/t.jpg",
        title="Title",
        description="Text & <more>",
        content_loc="https://example.com/v.mp4",
        player_loc="https://example.com/p",
        player_loc_allow_embed="yes",
        player_loc_autoplay="ap=1",
        duration="600",
        expiration_date="2030-01-01",
        rating="4.2",
        content_segments=(
            ContentSegment("https://example.com/v1.mp4", "300"),
            ContentSegment("https://example.com/v2.mp4"),
        ),
        view_count="12345",
        publication_date="2007-11-05T19:20:30+08:00",
        tags=("one", "two"),
        category="Category",
        family_friendly="no",
        restriction="IE GB US CA",
        restriction_relationship="allow",
        gallery_loc="https://example.com/g",
        gallery_loc_title='Gallery "one"',
        prices=(Price("1.99", "EUR", "rent", "hd"), Price(type="purchase")),
        requires_subscription="yes",
        uploader="Name",
        uploader_info="https://example.com/u",
        tvshow=TvShow("Show", "full", "Episode", "1", "2", "2025-06-05"),
        platform="web tv",
        platform_relationship="deny",
        live="no",
        ids=(VideoId("https://example.com/id", "url"), VideoId("SH1", "tms:series")),
    ),
    Video(title="Second"),
)
# B.3
NEWS_XML = (
    "<news:news><news:publication><news:name>The Times</news:name><news:language>zh-cn"
    "</news:language></news:publication><news:access>Subscription</news:access>"
    "<news:genres>PressRelease, Blog</news:genres>"
    "<news:publication_date>2026-01-02T03:04:05Z</news:publication_date>"
    "<news:title>A, B &amp; C</news:title><news:keywords>a, b</news:keywords>"
    "<news:stock_tickers>NASDAQ:A, NASDAQ:B</news:stock_tickers></news:news>"
)
NEWS = News(
    "The Times",
    "zh-cn",
    "Subscription",
    "PressRelease, Blog",
    "2026-01-02T03:04:05Z",
    "A, B & C",
    "a, b",
    "NASDAQ:A, NASDAQ:B",
)
# B.4, with the look-alikes: by media, and by app
LINKS = (
    '<xhtml:link rel="alternate" hreflang="de-AT" href="https://example.com/de?a&amp;b"/>'
    '<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/"/>'
    '<xhtml:link rel="alternate" media="only screen and (max-width: 640px)" '
    'href="https://m.example.com/"/>'
    '<xhtml:link rel="alternate" href="android-app://com.example/https/example.com/"/>'
)
ALTERNATES = (
    Alternate("de-AT", "https://example.com/de?a&b"),
    Alternate("x-default", "https://example.com/"),
    Alternate(None, "https://m.example.com/", "only screen and (max-width: 640px)"),
    Alternate(None, "android-app://com.example/https/example.com/"),
)
# B.5: what has no column is kept as XML
EXTRAS = {
    "mobile": f'<mobile:mobile xmlns:mobile="{URIS[Ns.MOBILE]}"/>',
    "mobile of Baidu": f'<mobile:mobile xmlns:mobile="{URIS[Ns.BAIDU]}" type="pc,mobile"/>',
    "PageMap": f'<PageMap xmlns="{URIS[Ns.PAGEMAP]}"><Template src="t"/>'
    '<DataObject type="document" id="one"><Attribute name="a">x &amp; y</Attribute>'
    '<Attribute name="b" value="&quot;&lt;"/></DataObject></PageMap>',
    "geo": f'<geo:geo xmlns:geo="{URIS[Ns.GEO]}"><geo:format>kml</geo:format></geo:geo>',
    "codesearch": f'<codesearch:codesearch xmlns:codesearch="{URIS[Ns.CODESEARCH]}">'
    "<codesearch:filetype>c++</codesearch:filetype><codesearch:license>gpl</codesearch:license>"
    "<codesearch:filename>a.c</codesearch:filename><codesearch:packageurl>https://example.com/a"
    "</codesearch:packageurl><codesearch:packagemap>m</codesearch:packagemap>"
    "</codesearch:codesearch>",
    "amphtml": f'<xhtml:link xmlns:xhtml="{URIS[Ns.XHTML]}" rel="amphtml" href="https://a.com/"/>',
    "own": '<o:a xmlns:o="urn:own" o:b="1" c="&amp;" xml:lang="de"> <o:f>t</o:f>u&lt;<o:g/></o:a>',
    "own with a loc": '<o:a xmlns:o="urn:own"><o:loc>https://example.com/no</o:loc></o:a>',
    "two": '<a xmlns="urn:a"/><b xmlns="urn:b"><c xmlns="urn:c">d</c></b>',
}


def read(engine, body: str, declared: str = DECLARED) -> Document:
    data = f"<urlset {declared}><url><loc>{PAGE}</loc>{body}</url></urlset>".encode()
    return urlset.parse(data, engine=engine.name)


def write(engine, entries) -> bytes:
    columns = engine.columns(entries)
    renderer = engine.renderer("urlset", 50_000, 52_428_800, 1_000)
    assert renderer.add(columns, 0) == len(columns)
    data: bytes = renderer.finish()
    return data


def said(document: Document) -> list[Entry]:
    """The entries, without where they stand."""
    return [entry._replace(offset=None, line=None) for entry in document.entries]


COLUMNS = (IMAGES, VIDEOS, NEWS, ALTERNATES)
EVERYTHING = (IMAGE, VIDEO, NEWS_XML, LINKS, EXTRAS["PageMap"])
BODIES = [
    ("image", IMAGE, Entry(PAGE, images=IMAGES)),
    ("video", VIDEO, Entry(PAGE, videos=VIDEOS)),
    ("news", NEWS_XML, Entry(PAGE, news=NEWS)),
    ("hreflang", LINKS, Entry(PAGE, alternates=ALTERNATES)),
    *((name, xml, Entry(PAGE, extra=xml)) for name, xml in EXTRAS.items()),
    (
        "all",
        "\n".join(EVERYTHING),
        Entry.from_row((PAGE, *[None] * 4, *COLUMNS, EXTRAS["PageMap"], *[None] * 3)),
    ),
]


@pytest.mark.parametrize(("body", "entry"), [pytest.param(b, e, id=n) for n, b, e in BODIES])
def test_extension_is_read_and_written_again(engine, body, entry):
    document = read(engine, body)
    assert said(document) == [entry]
    assert document.problems == []

    written = write(engine, list(document.entries))
    assert write(engine, document.entries) == written  # as a table, as well as row by row
    etree.fromstring(written)
    again = urlset.parse(written, engine=engine.name)
    assert (said(again), again.problems) == ([entry], [])
    assert write(engine, again.entries) == written


def test_extension_says_what_lxml_says(engine):
    given = f"<urlset {DECLARED}><url><loc>{PAGE}</loc>{''.join(EVERYTHING)}</url></urlset>"
    written = write(engine, urlset.parse(given.encode(), engine=engine.name).entries)
    assert sorted(nodes(written)) == sorted(nodes(given.encode()))


def nodes(data: bytes) -> list[tuple[str, str, list[tuple[str, str]]]]:
    return [
        (str(node.tag), (node.text or "").strip(), sorted(node.attrib.items()))
        for node in etree.fromstring(data).iter()
    ]


def test_extension_values_are_never_locs(engine):
    document = read(engine, "".join(EVERYTHING) + EXTRAS["own with a loc"])
    assert [entry.loc for entry in document.entries] == [PAGE]


# ── B.0: namespaces, their prefixes, their wrong variants ──

SAMPLES = {
    Ns.IMAGE: ("<p:image><p:loc>https://example.com/i</p:loc></p:image>", "images"),
    Ns.VIDEO: ("<p:video><p:title>T</p:title></p:video>", "videos"),
    Ns.NEWS: ("<p:news><p:title>T</p:title></p:news>", "news"),
    Ns.XHTML: ('<p:link rel="alternate" hreflang="de" href="https://example.com/"/>', "alternates"),
    Ns.MOBILE: ("<p:mobile/>", "extra"),
    Ns.BAIDU: ('<p:mobile type="htmladapt"/>', "extra"),
    Ns.PAGEMAP: ("<p:PageMap/>", "extra"),
    Ns.GEO: ("<p:geo/>", "extra"),
    Ns.CODESEARCH: ("<p:codesearch/>", "extra"),
}


@pytest.mark.parametrize(("uri", "ns"), NAMESPACES.items())
def test_namespace(engine, uri, ns):
    is_right = uri == URIS[ns]
    if ns is Ns.CORE:
        document = read(engine, "", f'xmlns="{uri}"')
        assert said(document) == [Entry(PAGE)]
        assert [p.code for p in document.problems] == ([] if is_right else ["S003"])
        return

    body, field = SAMPLES[ns]
    document = read(engine, body, f'xmlns="{CORE}" xmlns:p="{uri}"')
    [entry] = document.entries
    assert getattr(entry, field)
    assert [p.code for p in document.problems] == ([] if is_right else ["S004"])
    # Written again, it is right.
    written = write(engine, document.entries)
    assert URIS[ns].encode() in written
    assert urlset.parse(written, engine=engine.name).problems == []


@pytest.mark.parametrize("uri", [f" {CORE} ", f"\n{CORE}", "urn:what", "http://example.com/"])
def test_namespace_of_the_root_may_be_anything(engine, uri):
    document = read(engine, "", f'xmlns="{uri}"')
    assert said(document) == [Entry(PAGE)]
    assert [problem.code for problem in document.problems] == ["S003"]


@pytest.mark.parametrize(
    "outer", [f'xmlns="{CORE}"', 'xmlns="http://www.google.com/schemas/sitemap/0.84"', ""]
)
def test_namespace_taken_away_from_an_entry(engine, outer):
    data = f'<urlset {outer}><url xmlns=""><loc>{PAGE}</loc></url></urlset>'.encode()
    document = urlset.parse(data, engine=engine.name)
    assert said(document) == [Entry(PAGE)]
    assert any(problem.code in ("S002", "S003") for problem in document.problems)


@pytest.mark.parametrize("prefix", ["image", "video", "news", "xhtml", "mobile", "pagemap"])
def test_prefix_without_a_declaration(engine, prefix):
    body, field = SAMPLES[Ns[prefix.upper()]]
    document = read(engine, body.replace("p:", f"{prefix}:"), f'xmlns="{CORE}"')
    assert getattr(next(iter(document.entries)), field)
    assert [problem.code for problem in document.problems] == ["X020"]


def test_prefix_bound_to_nothing(engine):
    """xmlns:p="" is no declaration (Namespaces in XML 1.0, section 2.2): nobody could read it."""
    body, _ = SAMPLES[Ns.IMAGE]
    document = read(engine, body.replace("p:", "image:"), f'xmlns="{CORE}" xmlns:image=""')
    etree.fromstring(write(engine, document.entries))
    assert any(problem.level == "error" for problem in document.problems)


@pytest.mark.parametrize(("body", "field"), SAMPLES.values())
def test_prefixes_are_free(engine, body, field):
    ns = next(ns for ns, sample in SAMPLES.items() if sample[0] == body)
    default = re.sub(r"^<(\w+)", rf'<\1 xmlns="{URIS[ns]}"', body.replace("p:", ""))
    document = read(engine, default, f'xmlns="{CORE}"')
    assert getattr(next(iter(document.entries)), field)
    assert document.problems == []


@pytest.mark.parametrize(
    "extensions",
    [
        "<video:video><video:x/></video:video><video:x/>",
        "<image:image><image:x/></image:image><image:x/>",
        "<video:video><image:x/></video:video><image:image><image:x/></image:image>",
        "<image:image><video:x/></image:image><video:video><video:x/></video:video>",
        "<image:x/><image:image><image:x/></image:image>",
    ],
)
def test_an_unknown_element_is_reported_where_it_is_first(engine, extensions):
    document = read(engine, extensions)

    [found] = [problem for problem in document.problems if problem.code == "S010"]
    assert found.offset == document.text.index(f"<{found.detail}/>".encode())


@pytest.mark.parametrize("name", ["lastmod", "changefreq", "priority"])
@pytest.mark.parametrize("value", ["<![CDATA[/]]>", "/", "<![CDATA[]]>/", " / "])
def test_an_invalid_value_in_cdata_is_the_content_of_its_element(engine, name, value):
    text = f"<urlset {DECLARED}><url><loc>{PAGE}</loc><{name}>{value}</{name}></url></urlset>"

    [found] = urlset.parse(text.encode(), engine=engine.name).problems

    content = value.strip()
    start = text.index(f"<{name}>") + len(f"<{name}>")
    if value.startswith(" "):
        assert start <= found.offset <= start + 1
    else:
        assert (found.offset, found.end) == (start, start + len(content))

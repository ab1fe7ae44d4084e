"""Tolerances of the reader: names: namespaces, prefixes, the case of tags, double xmlns."""

import pytest

import urlset
from urlset import Document
from urlset.engine import Engine

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
A, B = "https://example.com/a", "https://example.com/b?x=1&y=2"
URLS = (
    "<url><loc>https://example.com/a</loc></url>"
    "<url><loc>https://example.com/b?x=1&amp;y=2</loc></url>"
)


def read(engine: Engine, text: str) -> Document:
    return urlset.parse(text.encode(), engine=engine.name)


def locs(document: Document) -> list[str]:
    return [entry.loc for entry in document.entries]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


# 1 | no xmlns | accept | S002
def test_row_01_no_xmlns(engine):
    document = read(engine, f"<urlset>{URLS}</urlset>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S002"])


def test_row_01_no_xmlns_on_an_index(engine):
    text = f"<sitemapindex><sitemap><loc>{A}.xml</loc></sitemap></sitemapindex>"
    document = read(engine, text)
    assert (document.kind, [s.loc for s in document.sitemaps]) == ("index", [f"{A}.xml"])
    assert codes(document) == ["S002"]


# 2 | wrong/legacy/https/trailing-slash core namespace | accept known variants and, with a
#     finding, any URI when root local name is urlset/sitemapindex | S003
@pytest.mark.parametrize(
    "uri",
    [
        "https://www.sitemaps.org/schemas/sitemap/0.9",
        "http://www.sitemaps.org/schemas/sitemap/0.9/",
        "http://www.google.com/schemas/sitemap/0.84",
        f" {CORE} ",
        "http://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd",
        "urn:whatever",
    ],
)
@pytest.mark.parametrize("prefix", ["", "s:"])
def test_row_02_wrong_core_namespace(engine, uri, prefix):
    urls = URLS.replace("</", "\0").replace("<", f"<{prefix}").replace("\0", f"</{prefix}")
    name = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    document = read(engine, f'<{prefix}urlset {name}="{uri}">{urls}</{prefix}urlset>')
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S003"])


# 3 | prefixed root `<sm:urlset>` | accept (match URI + local name) | –
def test_row_03_prefixed_root(engine):
    text = f"""<sm:urlset xmlns:sm="{CORE}" xmlns:i="{IMAGE}">
    <sm:url><sm:loc>{A}</sm:loc><i:image><i:loc>{A}.png</i:loc></i:image></sm:url>
    <sm:url><sm:loc>https://example.com/b?x=1&amp;y=2</sm:loc></sm:url></sm:urlset>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], [])
    assert [image.loc for entry in document.entries for image in entry.images] == [f"{A}.png"]


@pytest.mark.parametrize("start", ["", "<!-- map -->\n", "junk "])
@pytest.mark.parametrize("prefix", ["größe", "é", "日本", "x·y"])
def test_row_03_prefix_that_is_not_ascii(engine, prefix, start):
    urls = URLS.replace("</", "\0").replace("<", f"<{prefix}:").replace("\0", f"</{prefix}:")
    text = f'{start}<{prefix}:urlset xmlns:{prefix}="{CORE}">{urls}</{prefix}:urlset>'
    document = read(engine, text)
    assert (document.kind, locs(document)) == ("urlset", [A, B])
    assert codes(document) == (["X007"] if start == "junk " else [])
    child = f"<{prefix}:sitemap><{prefix}:loc>{A}.xml</{prefix}:loc></{prefix}:sitemap>"
    index = f'<{prefix}:sitemapindex xmlns:{prefix}="{CORE}">{child}</{prefix}:sitemapindex>'
    assert [sitemap.loc for sitemap in read(engine, index).sitemaps] == [f"{A}.xml"]


def test_row_03_prefix_means_nothing(engine):
    """The prefix `image` bound to the core namespace, and the core one to images."""
    text = f"""<image:urlset xmlns:image="{CORE}" xmlns="{IMAGE}"><image:url>
    <image><loc>{A}.png</loc></image><image:loc>{A}</image:loc></image:url></image:urlset>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A], [])
    assert [image.loc for entry in document.entries for image in entry.images] == [f"{A}.png"]


# 4 | wrong extension namespace | alias table B.0 | S004   (each variant: test_extensions.py)
def test_row_04_wrong_extension_namespace(engine):
    text = f"""<urlset xmlns="{CORE}" xmlns:image="https://www.google.com/schemas/sitemap-image/1.1">
    <url><loc>{A}</loc><image:image><image:loc>{A}.png</image:loc></image:image></url>
    <url><loc>https://example.com/b?x=1&amp;y=2</loc></url></urlset>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S004"])
    assert [image.loc for entry in document.entries for image in entry.images] == [f"{A}.png"]


# 5 | undeclared prefix `image:` | bind well-known prefixes virtually | X020
@pytest.mark.parametrize(
    ("element", "field"),
    [
        (f"<image:image><image:loc>{A}.png</image:loc></image:image>", "images"),
        ("<video:video><video:title>t</video:title></video:video>", "videos"),
        ("<news:news><news:title>t</news:title></news:news>", "news"),
        (f'<xhtml:link rel="alternate" hreflang="de" href="{A}"/>', "alternates"),
        ("<mobile:mobile/>", "extra"),
    ],
)
def test_row_05_undeclared_prefix(engine, element, field):
    urls = URLS.replace("</url>", f"{element}</url>")
    document = read(engine, f'<urlset xmlns="{CORE}">{urls}</urlset>')
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X020"])
    assert all(getattr(entry, field) for entry in document.entries)
    assert len(document.problems) == 1  # for the document, not for each use


def test_row_05_undeclared_prefix_of_the_root(engine):
    urls = URLS.replace("</", "\0").replace("<", "<sm:").replace("\0", "</sm:")
    document = read(engine, f'<sm:urlset xmlns="{CORE}">{urls}</sm:urlset>')
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X020"])


# 31 | upper-case tags | case-insensitive match of known names | S006
@pytest.mark.parametrize("change", [str.upper, str.title])
def test_row_31_upper_case_tags(engine, change):
    tags = ("urlset", "url", "loc", "lastmod", "priority")
    text = f"""<urlset xmlns="{CORE}"><url><loc>{A}</loc><lastmod>2024-05-06</lastmod></url>
    <url><loc>https://example.com/b?x=1&amp;y=2</loc><priority>0.3</priority></url></urlset>"""
    for tag in tags:
        for old in (f"<{tag}", f"</{tag}>"):
            text = text.replace(old, old.replace(tag, change(tag)))
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["S006"])
    first, second = document.entries
    assert (first.lastmod_text, second.priority) == ("2024-05-06", 0.3)


def test_row_31_upper_case_tags_of_extensions_and_indexes(engine):
    text = f"""<SITEMAPINDEX xmlns="{CORE}"><SiteMap><Loc>{A}.xml</Loc></SiteMap></SITEMAPINDEX>"""
    document = read(engine, text)
    assert [sitemap.loc for sitemap in document.sitemaps] == [f"{A}.xml"]
    text = f"""<urlset xmlns="{CORE}" xmlns:image="{IMAGE}"><url><loc>{A}</loc>
    <image:Image><image:LOC>{A}.png</image:LOC></image:Image></url></urlset>"""
    document = read(engine, text)
    assert (locs(document), codes(document)) == ([A], ["S006"])
    assert [image.loc for entry in document.entries for image in entry.images] == [f"{A}.png"]


# 37 | duplicate xmlns | keep first | X021
def test_row_37_duplicate_xmlns(engine):
    document = read(engine, f'<urlset xmlns="{CORE}" xmlns="{CORE}">{URLS}</urlset>')
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X021"])


def test_row_37_duplicate_xmlns_of_two_values(engine):
    text = f'<urlset xmlns="{CORE}" xmlns:image="{IMAGE}" xmlns="urn:x" xmlns:image="urn:y">'
    image = f"<image:image><image:loc>{A}.png</image:loc></image:image>"
    document = read(engine, f"{text}{URLS.replace('</url>', f'{image}</url>')}</urlset>")
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A, B], ["X021"])
    assert all(len(entry.images) == 1 for entry in document.entries)


# 55 | image/video/news content inside `url` | never treat `*:loc` of other namespaces as page loc
@pytest.mark.parametrize("uri", [IMAGE, "urn:of-somebody", f"{IMAGE}/"])
@pytest.mark.parametrize("order", [1, -1])
def test_row_55_loc_of_another_namespace(engine, uri, order):
    pieces = [
        f"<loc>{A}</loc>",
        f"<x:image><x:loc>{A}.png</x:loc></x:image>",
        f"<x:loc>{A}x</x:loc>",
    ]
    text = "".join(pieces[::order])
    document = read(engine, f'<urlset xmlns="{CORE}" xmlns:x="{uri}"><url>{text}</url></urlset>')
    assert (document.kind, locs(document)) == ("urlset", [A])


def test_row_55_only_a_loc_of_another_namespace(engine):
    text = f"<url><x:image><x:loc>{A}.png</x:loc></x:image></url><url><loc>{A}</loc></url>"
    document = read(engine, f'<urlset xmlns="{CORE}" xmlns:x="{IMAGE}">{text}</urlset>')
    assert (document.kind, locs(document), codes(document)) == ("urlset", [A], ["S007"])

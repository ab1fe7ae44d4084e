"""Tolerances of the reader: feeds and plain lists."""

import pytest

import urlset
from urlset import Document
from urlset.engine import Engine

A, B = "https://example.com/a", "https://example.com/b"


def read(engine: Engine, text: str | bytes) -> Document:
    return urlset.parse(text.encode() if isinstance(text, str) else text, engine=engine.name)


def locs(document: Document) -> list[str]:
    return [entry.loc for entry in document.entries]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


# 57 | RSS 1.0, feeds with namespaces, HTML entities in titles | local-name match; entity repair
#      as 16 | F001
def test_row_57_rss_1(engine):
    text = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel rdf:about="https://example.com/"><link>https://example.com/</link><items><rdf:Seq>
    <rdf:li rdf:resource="{A}no"/></rdf:Seq></items></channel>
    <item rdf:about="{A}"><title>t</title><link>{A}</link><dc:date>2024-05-06</dc:date></item>
    <item rdf:about="{B}"><link>{B}</link></item></rdf:RDF>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("rss", [A, B], ["F001"])
    assert [entry.lastmod_text for entry in document.entries] == ["2024-05-06", None]


def test_row_57_feeds_with_namespaces(engine):
    text = f"""<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
    xmlns:media="http://search.yahoo.com/mrss/"><channel><link>https://example.com/</link>
    <atom:link rel="self" href="https://example.com/feed"/><item><link>{A}</link>
    <media:content url="{A}.mp4"><media:player url="{A}no"/></media:content></item>
    <item><atom:link href="{B}no" rel="enclosure"/><link>{B}</link></item></channel></rss>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("rss", [A, B], [])


def test_row_57_atom_with_a_prefix(engine):
    text = f"""<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:link href="https://example.com/"/>
    <a:entry><a:link rel="edit" href="{A}no"/><a:link rel="alternate" href="{A}"/>
    <a:updated>2024-05-06T07:08:09Z</a:updated></a:entry>
    <a:entry><a:link href="{B}"/><a:content><div><link href="{A}no"/></div></a:content></a:entry>
    </a:feed>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("atom", [A, B], [])


@pytest.mark.parametrize("entity", ["&eacute;", "&nbsp;", "&mdash;", "&unknown;"])
def test_row_57_entities_in_titles(engine, entity):
    text = f"""<rss version="2.0"><channel><title>x{entity}</title><item><title>x{entity}</title>
    <link>{A}</link></item><item><link>{B}</link></item></channel></rss>"""
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("rss", [A, B], ["X004"])


# 58 | text sitemap with comments, CRLF, CR, BOM, blank lines, `&amp;` | take lines that parse as
#      http(s) URLs; report the rest | T001–T004
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{A}\n{B}\n", []),
        (f"{A}\n{B}", []),
        (f"{A}\r\n{B}\r\n", []),
        (f"{A}\r{B}\r", ["T003"]),
        (f"\ufeff{A}\n{B}\n", ["X013"]),
        (f"{A}\n\n\n{B}\n", ["T003"]),
        (f"  {A}\t\n{B} \n", ["T003"]),
        (f"# my pages\n{A}\n// no\n{B}\nthe end\n", ["T001"]),
        (f"loc,lastmod\n{A}\n{B}\n", ["T001"]),
        (f"{A}\n{A},2024-05-06 12:00\nftp://example.com/x\n{B}\n", ["T001"]),
        (f"{A} {B}\n", ["T002"]),
        (f"{A} \u200b{B}\n", ["T002"]),
        (f"{A}\nhttps://example.com/x\ty\n{B}\n", ["T001"]),
        (f"{A}\nhttps://example.com/x\xa0y\n{B}\n", ["T001"]),
        (f"{A}\n{A} # my page\n{B}\n", ["T001"]),
        (f"{A}\n{A} 2024-05-06 weekly 0.5\n{B}\n", ["T001"]),
        (f"{A}\n{A} weekly\n{B}\n", ["T001"]),
        (f"{A}\n{A} - my page\n{B}\n", ["T001"]),
        (f"{A}\n{A} my {B}\n{B}\n", ["T001"]),
        (f"{A}\n/relative\nwww.example.com\n{B}\n", ["T001"]),
        (f"{A}\n\0\n{B}\n", ["T001"]),
        (f"{A}\n\ufeff{B}\n", ["T003"]),
    ],
)
def test_row_58_text(engine, text, expected):
    document = read(engine, text)
    assert (document.kind, locs(document), codes(document)) == ("text", [A, B], expected)


def test_row_58_spaces_in_a_url_are_those_of_xml(engine):
    """One meaning in all formats: a space that is written inside a URL is %20 of it."""
    names = ["our team.html", "a  b c", "x\u200c y"]
    lines = "".join(f"https://example.com/{name}\n" for name in names)
    rows = "".join(f"<url><loc>https://example.com/{name}</loc></url>" for name in names)
    document = read(engine, f"{A}\n{lines}")

    assert locs(document) == [A, *locs(read(engine, f"<urlset>{rows}</urlset>"))]
    assert locs(document)[1:3] == [
        "https://example.com/our%20team.html",
        "https://example.com/a%20%20b%20c",
    ]
    assert codes(document) == ["U006"]


def test_row_58_text_with_zero_width_inside(engine):
    document = read(engine, f"{A}\u200c{B}\n{B}\u200b {A}\n")
    assert (locs(document), codes(document)) == ([f"{A}\u200c{B}", B, A], ["T002", "U005"])


def test_row_58_text_with_amp(engine):
    """A list is not XML, so `&amp;` is five characters of the URL: reported, not guessed at."""
    document = read(engine, f"{A}?x=1&y=2\n{B}?x=1&amp;y=2\n")
    assert (document.kind, locs(document)) == ("text", [f"{A}?x=1&y=2", f"{B}?x=1&amp;y=2"])
    assert codes(document) == ["T004"]


def test_row_58_text_in_other_encodings(engine):
    document = read(engine, ("\ufeff" + f"{A}\n{B}é\n").encode("utf-16-le"))
    assert (document.kind, locs(document), codes(document)) == ("text", [A, f"{B}é"], ["X011"])
    document = read(engine, f"{A}\n{B}é\n".encode("cp1252"))
    assert (document.kind, locs(document), codes(document)) == ("text", [A, f"{B}é"], ["X010"])


@pytest.mark.parametrize(
    "feed",
    [
        '<feed xml:base="https://example.com/posts/"><entry><link href="rye"/></entry></feed>',
        '<feed><entry xml:base="https://example.com/posts/"><link href="rye"/></entry></feed>',
        '<feed><entry><link xml:base="https://example.com/posts/" href=" rye "/></entry></feed>',
        '<feed xml:base="https://example.com/"><entry xml:base="posts/"><link href="rye"/></entry>'
        "</feed>",
    ],
)
def test_a_relative_link_is_valid_where_the_feed_states_its_base(engine, feed):
    text = feed.replace("<feed", '<feed xmlns="http://www.w3.org/2005/Atom"', 1)
    document = read(engine, text)
    assert locs(document) == ["https://example.com/posts/rye"]
    assert "U001" not in codes(document)


@pytest.mark.parametrize(
    ("base", "link"),
    [("posts/", "rye"), ("https://example.com/", "example.com/rye"), ("/posts/", "rye")],
)
def test_a_relative_link_is_reported_where_its_base_is_not_stated_or_in_doubt(engine, base, link):
    text = (
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{base}"><entry><link href="{link}"/>'
        "</entry></feed>"
    )
    document = urlset.parse(
        text.encode(), base_url="https://example.com/sitemap.atom", engine=engine.name
    )
    assert "U001" in codes(document)
    assert len(locs(document)) == 1

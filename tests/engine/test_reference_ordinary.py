"""The reference engine reads ordinary entries without its tree, and as the tree reads them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from urlset.engine import get
from urlset.engine.reference import sitemap
from urlset.engine.reference.fast_path import MAX_ENTRY, FastPath
from urlset.model import Alternate, Image
from urlset.protocol import MAX_IMAGES, URIS, Ns

reference = get("reference")

HEAD = f'<?xml version="1.0"?>\n<urlset xmlns="{URIS[Ns.CORE]}"' + "".join(
    f' xmlns:{ns.name.lower()}="{URIS[ns]}"' for ns in (Ns.IMAGE, Ns.VIDEO, Ns.NEWS, Ns.XHTML)
)
LOC = "<loc>http://e.com/?a&amp;b</loc>"
CORE = "<lastmod>2024-01-02</lastmod><changefreq>daily</changefreq><priority>0.8</priority>"
IMAGE = "<image:image><image:loc>/i</image:loc><image:title> é\r\n]</image:title></image:image>"
VIDEO = (
    "<video:video><video:title>T</video:title><video:tag>a</video:tag><video:tag>b</video:tag>"
    "<video:duration> </video:duration></video:video>"
)
NEWS = (
    "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language>"
    "</news:publication><news:title>東京！</news:title></news:news>"
)
LINK = '<xhtml:link rel="alternate" hreflang="de" href="/?a&amp;b"/>'
ORDINARY = [
    LOC, LOC + CORE, f"\r\n {LOC}\r\n <priority>1</priority>\r\n ", LOC + IMAGE + VIDEO + NEWS,
    LOC + LINK * 3 + CORE, LOC + CORE + LINK + IMAGE,
    LOC + "<lastmod> 2024-01-02T03:04Z </lastmod>",
    LOC + '<xhtml:link\n href="/m"  media="m" rel="alternate" />',
]  # fmt: skip
ODD = [
    "", "<loc/>", "<loc> http://e.com/</loc>", "<loc>/a</loc>", "<loc>http://e.com/é b</loc>",
    "<loc>http://e.com/?a&b</loc>", "<loc>http://e.com/&amp;amp;</loc>", "<loc>http://e.com/]]></loc>",
    f"<loc>http://e.com/{'a' * 2048}</loc>", "<loc>http://e.com/\x01</loc>", LOC + "x", LOC * 2,
    LOC + "<!-- -->", LOC + CORE * 2, LOC + CORE + LINK + CORE, CORE + LOC, LOC + "<image:image/>",
    LOC + "<lastmod>x</lastmod>", LOC + "<lastmod>2024-02-30</lastmod>", LOC + "<lastmod/>",
    LOC + "<lastmod>\n</lastmod>", LOC + "<lastmod>2024-01-02T24:00:00Z</lastmod>",
    LOC + "<changefreq>Daily</changefreq>", LOC + "<changefreq> daily</changefreq>",
    LOC + "<priority>2</priority>", LOC + "<priority>0,5</priority>", LOC + NEWS * 2,
    LOC + IMAGE * (MAX_IMAGES + 1), LOC + VIDEO.replace("T", "T" * MAX_ENTRY),
    LOC + IMAGE.replace("image:loc", "image:title"), LOC + IMAGE.replace("/i", "\ufffe"),
    LOC + IMAGE.replace("image:title", "image:foo"), LOC + IMAGE.replace("</image:t", "</image:T"),
    LOC + IMAGE.replace("/image:title", "/image:loc"), LOC + IMAGE.replace("é", "<![CDATA[é]]>"),
    LOC + VIDEO.replace("video:title", "video:price"), LOC + VIDEO.replace("tag", "tvshow"),
    LOC + VIDEO.replace("title>", 'title a="1">', 1), LOC + LINK.replace("alternate", "amphtml"),
    LOC + LINK.replace("hreflang", "foo"), LOC + LINK.replace("/?a", "\t"), LOC + "<xhtml:link/>",
    LOC + LINK.replace("de", ""), LOC + LINK.replace('hreflang="de"', ""),
    LOC + LINK.replace("hreflang", "href"), LOC + NEWS.replace("name", "title"), LOC + "</urlset>",
]  # fmt: skip
ROOTS = [HEAD, HEAD.replace(URIS[Ns.IMAGE], "urn:x"), "<urlset", HEAD.replace("urlset", "rss"),
         HEAD.replace("urlset", "sitemapindex"), HEAD.replace("urlset", "x:urlset")]  # fmt: skip


def document(*entries, head=HEAD):
    return (
        head + ">" + "".join(f"\n<url>{entry}</url>" for entry in entries) + "</urlset>"
    ).encode()


def answers(text):
    parsed = reference.parse(text, "https://example.com/s.xml", "s", [])
    return parsed.kind, list(parsed.entries), parsed.sitemaps, parsed.diagnostics, parsed.omitted


def assert_same(text):
    """What is read is what the tree reads alone."""
    found = answers(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FastPath, "read", lambda _, position: position)
        assert found == answers(text)


@pytest.mark.parametrize("entry", ORDINARY)
def test_ordinary_entry_is_read_without_the_tree(entry, monkeypatch):
    text = document(entry, LOC, entry)
    assert_same(text)
    monkeypatch.setattr(sitemap, "finish_element", None)
    assert len(answers(text)[1]) == 3


@pytest.mark.parametrize("entry", ODD)
def test_odd_entry_is_left_to_the_tree(entry, monkeypatch):
    finished = []
    finish = sitemap.finish_element

    def watched(*given):
        finished.append(given)
        finish(*given)

    monkeypatch.setattr(sitemap, "finish_element", watched)
    text = document(LOC, entry, LOC)
    answers(text)
    assert finished
    assert_same(text)


def test_values_of_an_ordinary_entry():
    (entry,) = answers(document(LOC + CORE + LINK + IMAGE))[1]
    assert (entry.loc, entry.lastmod_text) == ("http://e.com/?a&b", "2024-01-02")
    assert (entry.changefreq, entry.priority, entry.line) == ("daily", 0.8, 3)
    assert entry.images == (Image("/i", title="é\n]"),)
    assert entry.alternates == (Alternate("de", "/?a&b"),)


@settings(max_examples=amount(100, 4_000))
@given(
    st.sampled_from(ROOTS),
    st.lists(st.sampled_from(ORDINARY + ODD[:-1]), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 9), st.sampled_from(ODD + ORDINARY))),
)
def test_mutated_documents_are_read_as_by_the_tree(head, entries, changes):
    text = document(*(entry for entry in entries if len(entry) < 1_000), head=head)
    for at, removed, piece in changes:
        if len(piece) < 1_000:
            text = text[:at] + piece.encode() + text[at + removed :]
    assert_same(text.decode(errors="ignore").encode())

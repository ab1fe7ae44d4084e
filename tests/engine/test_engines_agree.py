"""The native engine gives the same answers as the reference engine, for any bytes."""

import gzip
import zlib
from contextlib import nullcontext

import arro3.core as arro3
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from urlset.arrow import batches_to_entries, entries_to_stream, schema
from urlset.dates import microseconds, parse_date
from urlset.engine import OffsetRun, available, get
from urlset.model import (
    Alternate,
    ContentSegment,
    Entry,
    Image,
    News,
    Price,
    TvShow,
    Video,
    VideoId,
)
from urlset.urls import parse_url

if "native" not in available():
    pytest.skip("the native engine is not built", allow_module_level=True)

from urlset.engine import _native

reference, native = get("reference"), get("native")

BASE = "https://example.com/a/sitemap.xml"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
GOOGLE = "http://www.google.com/schemas"
NAMESPACES = (
    f'xmlns="{SITEMAP}" xmlns:image="{GOOGLE}/sitemap-image/1.1" '
    f'xmlns:video="{GOOGLE}/sitemap-video/1.1" xmlns:news="{GOOGLE}/sitemap-news/0.9" '
    'xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:x="urn:x"'
)

NAMES = """
urlset sitemapindex url sitemap loc lastmod changefreq priority image:image image:loc image:caption
image:title video:video video:title video:tag video:id video:price video:tvshow video:show_title
video:player_loc video:content_segment_loc video:uploader news:news news:publication news:name
news:language news:title news:publication_date xhtml:link link image caption title x:foo foo URL Loc
sm:urlset sm:url sm:loc LastMod item entry rss feed channel guid pubDate updated dc:date id
publication video tvshow pagemap:a xml:a a:b:c
""".split()

ATTRIBUTES = [
    NAMESPACES, f'xmlns="{SITEMAP}"', f'xmlns:sm="{SITEMAP}"', 'xmlns=""', 'xmlns:x="urn:y"',
    'xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"', 'a="b"', "a='b'", "a=b", "a",
    'a="1" a="2"', 'rel="alternate"', 'rel=" Alternate "', 'rel="amphtml"', 'hreflang="en"',
    'hreflang=" "', 'href="http://e.com/x"', "href='/rel'", 'href=""', 'media="m"', 'x:y="1"',
    'z:y="1"', 'xml:lang="en"', 'version="0.91"', 'version="2.0"', 'xml:base="http://b.com/q/"',
    'xml:base="sub/"', 'isPermaLink="false"', 'type="t"', 'currency="USD"', 'allow_embed="yes"',
    'xsi:schemaLocation="q"', "=", '"', "'", "/", 'title="&amp;&lt;x&nbsp;"', 'a="x\ty\nz\r\nw"',
]  # fmt: skip

VALUES = [
    "http://e.com/", "https://e.com/a b", "http://e.com/?a=1&amp;b=2", "http://e.com/?a&b", "/rel",
    "www.e.com", "e.com/a", "{{ site.url }}/a", "mailto:a", "http://a..b/", "http://1.2.3.4.5/",
    " http://e.com/1 http://e.com/2 ", "'http://e.com/'", "“/a”", "example.com/x", "url=http://e.com/",
    "see http://e.com/", "see http://e.com/ b", "\ufffd", "</b>", "</lastmod>", "</ >",
    "<data><url><loc>http://e.com/2</loc></url></data>", "<loc>http://e.com/3</loc>",
    "http://E.com:80/x", "http://[::1]/", "https://e.com/é",
    "2024-01-02", "2024-01-02T03:04:05+00:00", "2024-01-02T03:04:05", "2024-02-30",
    "2024-01-02 3:04", "Fri, 01 Oct 2004 18:23:17 GMT", "0.5", "1.0", "0", "2", "-0", "+.5",
    "daily", "Daily", "never ",
    "often", "x", "&eacute;", "&foo;", "&#65;", "&#x41;", "&#0;", "&#xD800;", "&amp;amp;", "&e1;",
    "&e2;", "]]>", "\x01", "é", "\ufffe", "\ufeff", "\xa0", "\u200b", "\r", "\r\n", "\n", "\t", " ",
    "<", "&", "<![CDATA[", "<![CDATA[http://e.com/?a&b]]>", "<!--", "-->", "<!-- a -- b -->", "<?",
    "?>", "<?xml version='1.0'?>", "<?xml version=1.0?>", "<?XML ?>", "<? x", "<?php echo ?>",
    "<!DOCTYPE urlset>", "<!DOCTYPE x SYSTEM 'y'>", "<!doctype html><html>",
    "<!DOCTYPE x [<!ENTITY e1 'http://e.com/'><!ENTITY e2 '&e1;x'>]>",
    "<!DOCTYPE x [<!ENTITY % e '",
    "<?xml-stylesheet type=\"text/xsl\" href='x'?>", "sitemap-news", "a" * 30, "\U0001f600", "--",
    "\u200c", "<!x>", "</", "/>", ">", "</>", "< a", "\0",
]  # fmt: skip

ENTRIES = [
    "<url><loc>http://e.com/1</loc></url>",
    "<url><loc>http://e.com/?a&amp;b</loc><lastmod>2024-01-02</lastmod>"
    "<changefreq>daily</changefreq><priority>0.8</priority></url>\n",
    "<url>\r\n\t<loc>http://e.com/2</loc>\r\n\t<lastmod>2024-01-02T03:04:05+01:00</lastmod>\r\n</url>",
    "<url>\n  <loc><![CDATA[http://e.com/2]]></loc>\n  <image:image>\n    "
    "<image:loc>http://e.com/i.png</image:loc><image:title> T &amp; x\n</image:title>\n"
    "</image:image><image:image><image:loc>http://e.com/j.png</image:loc></image:image>\n</url>\n",
    '<url><loc>http://e.com/3</loc><xhtml:link rel="alternate" hreflang="de" '
    'href="http://e.com/de?a&amp;b"/><xhtml:link rel="alternate" media="m" href="http://e.com/m" />'
    '<xhtml:link rel="amphtml" href="http://e.com/amp"/></url>',
    "<url><loc>http://e.com/4</loc><video:video><video:thumbnail_loc>http://t</video:thumbnail_loc>"
    '<video:title>T</video:title><video:player_loc allow_embed="yes">http://p</video:player_loc>'
    "<video:tag>a</video:tag><video:tag>b</video:tag><video:price currency='EUR'>1.9</video:price>"
    '<video:price currency="USD" type="rent">2</video:price><video:tvshow><video:show_title>S'
    '</video:show_title></video:tvshow><video:id type="x">9</video:id><video:content_segment_loc '
    'duration="3">http://s</video:content_segment_loc></video:video></url>',
    "<url><loc>http://e.com/5</loc><news:news><news:publication><news:name>N]</news:name>"
    "<news:language>en</news:language></news:publication><news:publication_date>2024-01-02"
    "</news:publication_date><news:title>Té, 東京！</news:title></news:news></url>\r\n",
    "<sitemap><loc>http://e.com/6.xml</loc><lastmod>2024</lastmod></sitemap>",
    '<url><loc>http://e.com/7</loc><foo>x<bar a="1"/></foo><x:y z="1">q<x:w>r</x:w></x:y></url>',
    "<item><title>t</title><link>http://e.com/8</link><pubDate>Fri, 01 Oct 2004 18:23:17 GMT"
    "</pubDate></item>",
    '<entry><link href="/x9"/><updated>2024-01-02T03:04:05Z</updated></entry>',
]

HEADS = [
    "", '<?xml version="1.0" encoding="UTF-8"?>\n', "\ufeff", " \n<?xml version='1.0'?>", "junk ",
    "<!-- c -->", '<!DOCTYPE u [<!ENTITY e1 "http://e.com/">]>',
]  # fmt: skip

ROOTS = [
    (f"<urlset {NAMESPACES}>", "</urlset>"),
    ("<urlset>", "</urlset>"),
    (f'<sitemapindex xmlns="{SITEMAP}">', "</sitemapindex>"),
    (f'<sm:urlset xmlns:sm="{SITEMAP}">', "</sm:urlset>"),
    ('<rss version="2.0"><channel>', "</channel></rss>"),
    ('<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://z.com/">', "</feed>"),
    ("", ""),
]

PLAIN = HEADS[1] + ROOTS[0][0] + "".join(ENTRIES[:7]) + ROOTS[0][1]


def answers(engine, text, base=BASE, runs=()):
    parsed = engine.parse(text, base, "s", list(runs))
    entries = list(parsed.entries)
    assert len(parsed.entries) == len(entries)
    return parsed.kind, entries, parsed.sitemaps, parsed.diagnostics, parsed.omitted


def spans_of(engine, text):
    """The elements of a text, as lists; the invariants of the columns hold."""
    spans = type(engine.element_spans(text))._make(map(list, engine.element_spans(text)))
    rows = range(len(spans.starts))
    assert spans.starts == sorted(spans.starts)
    assert all(
        start < inside <= inner_end <= end <= len(text)
        for start, inside, inner_end, end in zip(*spans[:4], strict=True)
    )
    assert all(-1 <= spans.parents[row] < row < spans.following[row] for row in rows)
    assert all(
        spans.following[row] <= spans.following[parent]
        for row in rows
        if (parent := spans.parents[row]) >= 0
    )
    for row in rows:
        name = spans.name_table[spans.names[row]]
        assert text.startswith(b"<" + name, spans.starts[row])
        if spans.content_ends[row] < spans.ends[row]:
            end_tag = text[spans.content_ends[row] : spans.ends[row]].lower()
            assert end_tag.startswith(b"</" + name.lower())
    return spans


def assert_agree(text, base=BASE, runs=()):
    assert answers(native, text, base, runs) == answers(reference, text, base, runs)
    assert spans_of(native, text) == spans_of(reference, text)


tags = st.builds(
    lambda slash, name, attributes, end: "<" + slash + " ".join([name, *attributes]) + end,
    st.sampled_from(["", "", "/"]),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(ATTRIBUTES), max_size=3),
    st.sampled_from([">", ">", ">", "/>", " >", ""]),
)
values = st.sampled_from(VALUES)
leaves = st.builds(lambda n, v: f"<{n}>{v}</{n}>", st.sampled_from(NAMES), values)
soups = st.lists(tags | values | leaves | st.sampled_from(ENTRIES), max_size=25).map("".join)
documents = st.builds(
    lambda head, root, inside: head + root[0] + "".join(inside) + root[1],
    st.sampled_from(HEADS),
    st.sampled_from(ROOTS),
    st.lists(st.sampled_from(ENTRIES) | soups, max_size=6),
)


@st.composite
def mutated(draw):
    """A document with slices deleted, put in, doubled, flipped."""
    text = draw(documents)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([1, 1, 2, 5, 20])))
        change = draw(st.sampled_from(["delete", "insert", "double", "flip", "cut"]))
        middle = {
            "delete": "",
            "insert": draw(values) + text[start:end],
            "double": text[start:end] * 2,
            "flip": draw(st.sampled_from("<>&\"'/= \n\r\t;:-?!]ax0\x01")),
            "cut": "",
        }[change]
        text = text[:start] + middle + ("" if change == "cut" else text[end:])
    return text


@given(st.text() | st.binary().map(lambda data: data.decode(errors="ignore")))
def test_any_text(text):
    assert_agree(text.encode())


@settings(max_examples=amount(100, 4_000))
@given(soups)
def test_token_soup(text):
    assert_agree(text.encode())


@settings(max_examples=amount(200, 8_000))
@given(mutated(), st.sampled_from([None, BASE]))
def test_mutated_documents(text, base):
    assert_agree(text.encode(), base)


@settings(max_examples=amount(6, 300))
@given(
    st.lists(st.sampled_from(ENTRIES[:7]), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 1_300_000), soups), max_size=8),
    st.sampled_from([(), (OffsetRun(0, 2, 1, 2),)]),
)
def test_large_documents(entries, others, runs):
    # The native engine reads them with several threads, if several processors are idle.
    repeated = "".join(entries)
    inside = repeated * (1_300_000 // len(repeated) + 1)
    for start, other in sorted(others, reverse=True):
        inside = inside[:start] + other + inside[start:]
    text = (ROOTS[0][0] + inside + ROOTS[0][1]).encode()
    assert answers(native, text, runs=runs) == answers(reference, text, runs=runs)


@given(st.lists(values | st.text(max_size=10), max_size=10), st.sampled_from(["\n", "\r\n", "\r"]))
def test_lists(lines, end):
    assert_agree(end.join(lines).encode())


@pytest.mark.parametrize("head", HEADS[:2])
@pytest.mark.parametrize("root", ROOTS)
def test_every_prefix_of_a_document(head, root):
    text = (head + root[0] + "".join(ENTRIES) + root[1]).encode()
    for end in range(len(text)):
        prefix = text[:end].decode(errors="ignore").encode()
        assert_agree(prefix)


def test_every_byte_left_out_of_a_document():
    text = PLAIN.encode()
    for at in range(len(text)):
        assert_agree((text[:at] + text[at + 1 :]).decode(errors="ignore").encode())


@pytest.mark.parametrize(
    "unit",
    "<url> <a:b> <loc> <url><loc> & &amp; <!-- <?a> <!DOCTYPE </url>".split(),
)
def test_many_of_one_thing(unit):
    assert_agree((f"<urlset {NAMESPACES}>" + unit * 2_000).encode())


def test_problems_without_number_are_bounded_alike():
    url = "<url><loc>http://e.com/?a&b</loc><lastmod>x</lastmod><priority>9</priority></url>"
    assert_agree((f"<urlset {NAMESPACES}>" + url * 20_500 + "</urlset>").encode())


def test_offsets_are_those_of_the_original():
    assert_agree(
        PLAIN.encode(),
        runs=[OffsetRun(0, 2, 1, 2), OffsetRun(100, 300, 2, 1), OffsetRun(400, 999, 1, 1)],
    )


def test_corpus(shared):
    files = sorted(path for path in (shared / "corpus").glob("*/*") if path.is_file())
    texts = [(path, path.read_bytes()) for path in files]
    for path, text in texts:
        if reference.is_utf8(text):
            assert answers(native, text) == answers(reference, text), path
            assert spans_of(native, text) == spans_of(reference, text), path


# ── pieces ──

date_texts = st.one_of(
    st.text("0123456789-/:.,+TtZzUGMC \t", max_size=30),
    st.builds(
        lambda form, numbers: form.format(*numbers),
        st.sampled_from(
            [
                "{:04}", "{:04}-{:02}", "{:04}-{:02}-{:02}", "{:04}-{:02}-{:02}T{:02}:{:02}Z",
                "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}+{:02}:{:02}", "{:04}{:02}{:02}T{:02}{:02}Z",
                "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{}-{:02}:{:02}", "{:04}/{}/{} {}:{:02}",
                "{:04}-{:02}-{:02}t{:02}:{:02}:{:02}z", "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
                "{:04}{:02}{:02}", "{:04}-{:02}-{:02}-{:02}", "{:04}{:02}{:02}+{:02}{:02}",
                "{:04}-{:02}/{:02}", "{:04}/{:02}/{:02}-{:02}:{:02}",
                "-{:04}-{:02}-{:02}T{:02}:{:02}", "{:04}-{}-{} +{:02}{:02}",
            ]
        ),
        st.lists(st.integers(0, 61) | st.integers(1900, 2100), min_size=9, max_size=9),
    ),
    st.builds(
        "{}{} {} {}{}".format,
        st.sampled_from(["", "Fri, ", "Friday ", "Fr, ", "thurs, ", "Before "]),
        st.integers(0, 32),
        st.sampled_from(["Jan", "feb", "March", "Sept.", "Foo", "may", "Marble", "Septem"]),
        st.sampled_from(["2024", "24", "70", "024"]),
        st.sampled_from(["", " 1:02", " 01:02:03 GMT", " 01:02:03 +0100", " 01:02 EST", " 1:02 A"]),
    ),
    st.builds("{} {}, 2024".format, st.sampled_from(["Jan", "sept."]), st.integers(0, 32)),
)  # fmt: skip


@settings(max_examples=amount(250, 10_000))
@given(date_texts)
@example("9999-12-31T23:59:59-00:01")
@example("0001-01-01T00:00:00+00:01")
@example("2024-01-01T00:00:00+14:01")
def test_dates(text):
    date = parse_date(text)
    instant = None if date.instant is None else microseconds(date.instant)
    assert _native.parse_date(text) == (instant, date.precision, date.has_zone, date.code)


url_texts = st.one_of(
    st.text(max_size=20),
    st.lists(
        st.sampled_from(
            ["http:", "https://", "HTTP://", "//", "/", ".", "..", "?", "#", "@", ":", "[", "]",
             "a", "e.com", "www.", "80", "65536", "1.2.3.4", "255", " ", "\t", "\n", "\r", "\xa0",
             "\u200b", "\u2060", "é", "%", "{", "javascript:", "_", "-", "x" * 64, "'", "“", "”",
             "(", ")", "<", ">", "«", "»", "1", "=", "null", "https", "example.com", "%41",
             "\ufffd", "\x85"]
        ),
        max_size=10,
    ).map("".join),
)  # fmt: skip


@settings(max_examples=amount(250, 10_000))
@given(url_texts, st.sampled_from([None, BASE, "https://e.com", "HTTP://E.com/x/?q#f", "ftp://x/"]))
def test_urls(text, base):
    found = parse_url(text, base)
    assert _native.parse_url(text, base) == (found.url, [tuple(flaw) for flaw in found.issues])


def member(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


@st.composite
def packed(draw):
    contents = st.binary(max_size=200) | st.binary().map(lambda data: data * 500)
    members = draw(st.lists(contents, max_size=3))
    data = b"".join(map(member, members))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 4, 8])))
        change = draw(st.sampled_from([b"", b"\0", data[start:end] * 2, b"\x1f\x8b\x08"]))
        data = data[:start] + change + data[end:]
    return data


@settings(max_examples=amount(100, 4_000))
@given(packed(), st.sampled_from([0, 1, 100, 10_000, 1_000_000]))
def test_gunzip(data, limit):
    assert native.gunzip(data, limit) == reference.gunzip(data, limit)


def test_gunzip_with_a_header_that_has_everything():
    body = zlib.compressobj(6, zlib.DEFLATED, -15)
    deflated = body.compress(b"text") + body.flush()
    head = b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff\x03\0abcname\0comment\0"
    tail = zlib.crc32(b"text").to_bytes(4, "little") + (4).to_bytes(4, "little")
    for sum_ in (zlib.crc32(head) & 0xFFFF, 0):
        data = head + sum_.to_bytes(2, "little") + deflated + tail
        assert native.gunzip(data, 9) == reference.gunzip(data, 9)


@given(st.binary() | st.text().map(str.encode))
def test_utf8_and_gzip(data):
    assert native.is_utf8(data) == reference.is_utf8(data)
    assert gzip.decompress(native.gzip(data)) == data
    assert native.gzip(data) == native.gzip(data)


# ── rows, columns, rendering ──

texts = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["&<>\"'\r\n\t", ""])
absent = st.none() | texts
entries = st.builds(
    Entry,
    loc=texts,
    lastmod=st.none() | st.just(parse_date("2024-01-02T03:04:05.000006Z").instant),
    lastmod_text=st.sampled_from([None, "2024", "x", "2024-01-02T03:04:05+01:00"]),
    changefreq=st.sampled_from([None, "daily"]),
    priority=st.none() | st.floats(0, 1),
    images=st.lists(st.builds(Image, texts, absent, absent, absent, absent), max_size=2).map(tuple),
    videos=st.lists(
        st.builds(
            Video,
            *[absent] * 10,
            st.lists(st.builds(ContentSegment, absent, absent), max_size=2).map(tuple),
            *[absent] * 2,
            st.lists(texts, max_size=2).map(tuple),
            *[absent] * 6,
            st.lists(st.builds(Price, *[absent] * 4), max_size=2).map(tuple),
            *[absent] * 3,
            st.none() | st.builds(TvShow, *[absent] * 6),
            *[absent] * 3,
            st.lists(st.builds(VideoId, absent, absent), max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    news=st.none() | st.builds(News, *[absent] * 8),
    alternates=st.lists(st.builds(Alternate, absent, texts, absent), max_size=2).map(tuple),
    extra=st.sampled_from([None, "<x/>"]),
    source=st.none(),
    offset=st.none(),
    line=st.none(),
)


def expect_document(engine, document, data):
    """A document has the bytes that were rendered, in every use."""
    assert document == data
    assert document != data + b" "
    assert (len(document), bytes(memoryview(document))) == (len(data), data)
    assert engine.gzip(document) == engine.gzip(data)
    found, expected = (engine.parse(text, None, None, []) for text in (document, data))
    assert len(found.entries) == len(expected.entries)
    assert found.diagnostics == expected.diagnostics


def rendered(engine, columns, *, kind="urlset", max_urls=3, max_bytes=900, max_news=1, css=None):
    """The bytes of all documents that the columns fill, and where each of them was full."""
    columns = engine.columns(columns)
    documents, start = [], 0
    while start < len(columns):
        renderer = engine.renderer(kind, max_urls, max_bytes, max_news, css)
        stop = renderer.add(columns, start)
        assert renderer.count == stop - start
        documents.append((stop, renderer.finish()))
        expect_document(engine, renderer.document(), documents[-1][1])
        start = stop
    return documents


@given(st.lists(entries, max_size=6), st.sampled_from(["urlset", "text"]))
def test_rendered_bytes(rows, kind):
    assert rendered(native, rows, kind=kind) == rendered(reference, rows, kind=kind)


@given(st.lists(entries, max_size=6), texts | st.text(), st.integers(100, 900), st.booleans())
def test_rendered_bytes_with_a_style_sheet(rows, css, max_bytes, is_text):
    kind = "text" if is_text else "urlset"
    found = rendered(native, rows, kind=kind, max_bytes=max_bytes, css=css)

    assert found == rendered(reference, rows, kind=kind, max_bytes=max_bytes, css=css)


class Streamed:
    """Rows as an Arrow stream."""

    def __init__(self, rows):
        self.rows = rows

    def __arrow_c_stream__(self, requested_schema=None):
        return entries_to_stream(self.rows)


@given(st.lists(entries, max_size=6))
def test_rendered_bytes_of_arrow(rows):
    assert rendered(native, Streamed(rows)) == rendered(reference, Streamed(rows))


@given(st.lists(entries, max_size=20), st.data())
def test_rendered_bytes_of_arrow_in_pieces(rows, data):
    """Batches that are slices begin anywhere in memory, and inside a byte of bits."""
    whole = arro3.Table.from_arrow(arro3.RecordBatchReader.from_stream(Streamed(rows)))
    pieces, start = [], 0
    while start < len(rows):
        size = data.draw(st.integers(1, len(rows) - start))
        pieces += whole.slice(start, size).to_batches()
        start += size
    table = arro3.Table.from_batches(pieces, schema=whole.schema)

    assert rendered(native, table, max_urls=9) == rendered(reference, rows, max_urls=9)


@pytest.mark.parametrize("priority", [0, 1, 1e-5, 1.5e-7, 0.1 + 0.2, 1e16, 1.5e22, 123.0, -0.0])
def test_rendered_numbers(priority):
    rows = [Entry("http://e.com/", priority=priority)]
    assert rendered(native, rows) == rendered(reference, rows)


@given(mutated())
def test_columns_are_the_rows(text):
    found = native.parse(text.encode(), BASE, "s", []).entries

    batches = list(batches_to_entries(found))

    assert [entry for batch in batches for entry in batch] == list(found)
    assert rendered(native, found) == rendered(reference, list(found))


def test_columns_have_the_schema():
    for text in ("", PLAIN):
        found = native.parse(text.encode(), None, None, []).entries
        assert arro3.RecordBatchReader.from_arrow(found).schema == schema()


def test_columns_outlive_what_they_were_made_of():
    table = arro3.Table.from_arrow(native.parse(PLAIN.encode(), BASE, "s", []).entries)
    assert [entry for batch in batches_to_entries(table) for entry in batch] == list(
        reference.parse(PLAIN.encode(), BASE, "s", []).entries
    )


string, large = arro3.DataType.string(), arro3.DataType.large_string()
view = arro3.DataType.string_view()


@pytest.mark.parametrize(
    "columns",
    [
        {"url": (["http://e.com/"], string)},
        {"loc": (["http://e.com/"], large), "lastmod_text": (["2024"], view)},
        {"loc": (["http://e.com/"], string), "priority": ([0.5], arro3.DataType.float32())},
        {"loc": (["http://e.com/"], string), "priority": (["0.5"], string)},
    ],
)
def test_columns_of_other_types_are_read_alike(columns):
    table = arro3.Table({name: arro3.Array(*made) for name, made in columns.items()})

    assert rendered(native, table) == rendered(reference, table)


@pytest.mark.parametrize("name", ["loc", "images"])
def test_columns_that_cannot_be_read_are_refused_alike(name):
    odd = arro3.Array([1.5], arro3.DataType.float64())
    table = arro3.Table({"url": arro3.Array(["http://e.com/"], string), name: odd})
    for engine in (native, reference):
        with pytest.raises(ValueError, match=name) if name == "images" else nullcontext():
            engine.columns(table)
